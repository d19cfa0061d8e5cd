//! `fork` and `exec`, before and after `cuInit`.

use conformance::calls::fork::Call;
use conformance::{Beginning, ChildEnd};
use conformance::{Expect as _, MemProperties, Outcome, Role, check, observe};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::by_kernel::both_see;
use crate::support::constants::{DESCRIPTOR, NOT_INITIALIZED};
use crate::support::device_memory::Account;
use crate::support::fixtures::{exporter, importer, observer, uninitialised};
use crate::support::import_kind::{ImportKind, Imported};

/// A forked child that uses the driver leaves its initialised parent usable. The results of the child and of the
/// parent's call are recorded.
#[rstest]
#[conformance::test("FORK-001")]
fn a_forked_child_that_uses_the_driver_leaves_the_parent_usable(
    exporter: Role,
    #[values(Beginning::Init, Beginning::Context)] beginning: Beginning,
) -> Outcome {
    let buffer = exporter.mem_alloc(SIZE)?;
    exporter.fill(buffer, SIZE, 7)?;
    let Some(end) = exporter.fork_and_use_the_driver(beginning).survived_or_not("parent")? else { return Ok(()) };
    observe("child", end.to_string());
    exporter.ctx_synchronize()?;
    check!(exporter.mismatches(buffer, SIZE, 7)? == 0);
    Ok(())
}

/// If a process forks before `cuInit`, both parent and child can initialise and use the driver.
#[rstest]
#[conformance::test("FORK-002")]
fn both_processes_work_if_forked_before_initialisation(uninitialised: Role) -> Outcome {
    let end = uninitialised.fork_and_use_the_driver(Beginning::Init)?;
    check!(end == ChildEnd::Worked);
    uninitialised.use_the_driver(Beginning::Init)
}

/// A program that an initialised process starts by `exec` can use the driver, and leaves the parent's memory intact.
#[rstest]
#[conformance::test("FORK-003")]
fn a_program_started_by_exec_works(exporter: Role) -> Outcome {
    let buffer = exporter.mem_alloc(SIZE)?;
    exporter.fill(buffer, SIZE, 7)?;
    let end = exporter.exec_and_use_the_driver()?;
    check!(end == ChildEnd::Worked);
    check!(exporter.mismatches(buffer, SIZE, 7)? == 0);
    Ok(())
}

/// A forked child that ends by `_exit` or `exit` leaves its parent's mapping usable. The results of the child and of
/// the parent's call are recorded.
#[rstest]
#[case::leave(Call::fork_and_leave {})]
#[case::exit(Call::fork_and_exit {})]
#[conformance::test("FORK-004", needs(legacy_memory))]
fn a_forked_child_leaves_the_parents_mapping_intact(exporter: Role, importer: Role, #[case] call: Call) -> Outcome {
    let buffer = exporter.mem_alloc(SIZE)?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    let child = importer.begin::<ChildEnd>(call)?.finish().survived_or_not("parent")?;
    let Some(end) = child else { return Ok(()) };
    observe("child", end.to_string());
    exporter.fill(buffer, SIZE, 7)?;
    check!(importer.mismatches(import, SIZE, 7)? == 0);
    importer.fill(import, SIZE, 8)?;
    check!(exporter.mismatches(buffer, SIZE, 8)? == 0);
    importer.ipc_close_mem_handle(import)
}

/// A process whose forked child has ended by `_exit` or `exit` still shares the memory that it imported, and imports more,
/// through each API. The results of the child and of the parent's call are recorded.
#[rstest]
#[case::leave(Call::fork_and_leave {})]
#[case::exit(Call::fork_and_exit {})]
#[conformance::test("FORK-004")]
fn a_parent_imports_after_its_child_has_ended(
    exporter: Role,
    importer: Role,
    #[case] call: Call,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    let earlier = kind.make(&exporter, &importer, 0)?;
    let child = importer.begin::<ChildEnd>(call)?.finish().survived_or_not("parent")?;
    let Some(end) = child else { return Ok(()) };
    observe("child", end.to_string());
    for Imported { there, here } in [earlier, kind.make(&exporter, &importer, 0)?] {
        both_see((&exporter, there), (&importer, here), SIZE)?;
    }
    Ok(())
}

/// A descriptor that a program inherited over `exec` keeps the memory allocated until the program ends.
#[rstest]
#[conformance::test("FORK-005", needs(memory_descriptors))]
fn an_inherited_descriptor_keeps_the_memory_allocated(exporter: Role, observer: Role) -> Outcome {
    let account = Account::open(&observer)?;
    let physical = exporter.mem_create(account.large, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let descriptor = exporter.mem_export_to_descriptor(physical)?;
    exporter.exec_and_hold(descriptor)?;
    exporter.close_descriptor(descriptor)?;
    exporter.mem_release(physical)?;
    account.check_held()?;
    exporter.end_holder()?;
    account.check_given_back()
}

/// `cuDeviceGetCount` returns CUDA_ERROR_NOT_INITIALIZED before `cuInit`.
#[rstest]
#[conformance::test("FORK-006")]
fn counting_devices_needs_initialisation(uninitialised: Role) -> Outcome {
    uninitialised.device_get_count().refused(NOT_INITIALIZED)?;
    Ok(())
}
