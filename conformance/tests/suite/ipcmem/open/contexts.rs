//! The contexts that may open a handle.

use conformance::{Expect as _, MemHandle, Outcome, Role, Stop, check, seed};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::constants::INVALID_CONTEXT;
use crate::support::copies;
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::import_kind::Imported;
use crate::support::legacy::share;

fn export(exporter: &Role) -> Result<MemHandle, Stop> {
    exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)
}

/// The driver refuses to open a handle in the exporting process.
#[rstest]
#[conformance::test("IPCMEM-OPEN-003")]
fn the_exporting_process_is_refused(exporter: Role) -> Outcome {
    let handle = export(&exporter)?;
    exporter.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    exporter.ctx_synchronize()
}

/// The driver refuses to open a handle in the exporting process, even in a context of another GPU.
#[rstest]
#[conformance::test("IPCMEM-OPEN-004", needs(gpus = 2))]
fn the_exporting_process_is_refused_on_another_gpu(exporter: Role) -> Outcome {
    let handle = export(&exporter)?;
    exporter.ctx_create(1)?;
    exporter.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    Ok(())
}

/// The code of an open in a second context of the exporting process is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-005")]
fn the_code_in_a_second_context_of_the_exporter(exporter: Role) -> Outcome {
    let handle = export(&exporter)?;
    exporter.ctx_create(0)?;
    exporter.ipc_open_mem_handle(handle).recorded("open in a second context")?;
    Ok(())
}

/// The driver refuses to open a handle in a second context of a device while the first context has it open, and the first
/// context keeps it.
#[rstest]
#[conformance::test("IPCMEM-OPEN-006")]
fn a_second_context_is_refused_the_same_handle(exporter: Role, importer: Role) -> Outcome {
    let (buffer, pattern, first) = (exporter.mem_alloc(SIZE)?, seed(), importer.ctx_get_current()?);
    exporter.fill(buffer, SIZE, pattern)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let import = importer.ipc_open_mem_handle(handle)?;
    importer.ctx_create(0)?;
    importer.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    importer.ctx_set_current(Some(first))?;
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    importer.ipc_close_mem_handle(import)
}

/// A context of each device of a process may open one handle.
#[rstest]
#[conformance::test("IPCMEM-OPEN-006", needs(gpus = 2, peer_access))]
fn contexts_of_two_devices_open_one_handle(exporter: Role, importer: Role) -> Outcome {
    let handle = export(&exporter)?;
    importer.ipc_open_mem_handle(handle)?;
    importer.ctx_create(1)?;
    importer.ipc_open_mem_handle(handle)?;
    Ok(())
}

/// While one context has a handle open, another context of its device may open a handle of another exporter.
#[rstest]
#[conformance::test("IPCMEM-OPEN-006")]
fn a_second_context_opens_memory_of_another_exporter(
    exporter: Role,
    #[from(observer)] other_exporter: Role,
    importer: Role,
) -> Outcome {
    importer.ipc_open_mem_handle(export(&exporter)?)?;
    importer.ctx_create(0)?;
    importer.ipc_open_mem_handle(export(&other_exporter)?)?;
    Ok(())
}

/// While one context has memory of a device of the exporter open, another may open memory of another of its devices.
#[rstest]
#[conformance::test("IPCMEM-OPEN-007", needs(gpus = 2, peer_access))]
fn a_second_context_opens_memory_of_another_device_of_the_exporter(exporter: Role, importer: Role) -> Outcome {
    importer.ipc_open_mem_handle(export(&exporter)?)?;
    exporter.ctx_create(1)?;
    importer.ctx_create(0)?;
    importer.ipc_open_mem_handle(export(&exporter)?)?;
    Ok(())
}

/// The driver refuses to open a handle in a second context of a device while the first context has another handle of
/// the exporter open.
#[rstest]
#[conformance::test("IPCMEM-OPEN-007")]
fn a_second_context_is_refused_another_handle_of_the_exporter(exporter: Role, importer: Role) -> Outcome {
    let (one, other) = (export(&exporter)?, export(&exporter)?);
    importer.ipc_open_mem_handle(one)?;
    importer.ctx_create(0)?;
    importer.ipc_open_mem_handle(other).refused_and_recorded(&[])?;
    Ok(())
}

/// After a context with an import is destroyed, another context opens the same handle, or another one of the exporter.
#[rstest]
#[case::the_same_handle(true)]
#[case::another_handle(false)]
#[conformance::test("IPCMEM-OPEN-006", "IPCMEM-OPEN-007")]
fn a_destroyed_context_holds_no_handle(exporter: Role, importer: Role, #[case] is_same: bool) -> Outcome {
    let (buffer, pattern, first) = (exporter.mem_alloc(SIZE)?, seed(), importer.ctx_get_current()?);
    exporter.fill(buffer, SIZE, pattern)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let created = importer.ctx_create(0)?;
    importer.ipc_open_mem_handle(if is_same { handle } else { export(&exporter)? })?;
    importer.ctx_destroy(created)?;
    importer.ctx_set_current(Some(first))?;
    let import = importer.ipc_open_mem_handle(handle)?;
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    Ok(())
}

/// The code of an open in a second context after the first context has closed the handle is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-008")]
fn the_code_in_a_second_context_after_the_first_closed(exporter: Role, importer: Role) -> Outcome {
    let handle = export(&exporter)?;
    let import = importer.ipc_open_mem_handle(handle)?;
    importer.ipc_close_mem_handle(import)?;
    importer.ctx_create(0)?;
    importer.ipc_open_mem_handle(handle).recorded("open")?;
    Ok(())
}

/// Created contexts export to and import from created and primary contexts.
///
/// Two primary contexts are not tried here: roles begin in them, so every other case does.
#[rstest]
#[case::from_a_created_context(true, false)]
#[case::in_a_created_context(false, true)]
#[case::both_created(true, true)]
#[conformance::test("IPCMEM-OPEN-009")]
fn primary_and_created_contexts_mix(
    exporter: Role,
    importer: Role,
    #[case] exporter_created: bool,
    #[case] importer_created: bool,
) -> Outcome {
    for (role, created) in [(&exporter, exporter_created), (&importer, importer_created)] {
        if created {
            role.ctx_create(0)?;
        }
    }
    let (buffer, import, pattern) = share(&exporter, &importer, SIZE)?;
    // An H100 answers this only in the context that opened the memory. Kernels of the device's other contexts reach it too.
    check!(importer.mem_get_address_range(import)?.base == import);
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    importer.fill(import, SIZE, !pattern)?;
    check!(exporter.mismatches(buffer, SIZE, !pattern)? == 0);
    copies::reach(&exporter, &importer, &Imported { there: buffer, here: import }, SIZE)
}

/// The driver refuses to open a handle without a current context.
#[rstest]
#[conformance::test("IPCMEM-OPEN-035")]
fn a_current_context_is_needed(exporter: Role, importer: Role) -> Outcome {
    let (handle, context) = (export(&exporter)?, importer.ctx_get_current()?);
    importer.ctx_set_current(None)?;
    importer.ipc_open_mem_handle(handle).refused(INVALID_CONTEXT)?;
    importer.ctx_set_current(Some(context))?;
    importer.ipc_open_mem_handle(handle)?;
    importer.ctx_synchronize()
}
