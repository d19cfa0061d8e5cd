//! The exporter of legacy memory ends or frees it while other processes use it.

use std::time::Duration;

use conformance::{Expect as _, Outcome, Role, check, observe, seed};
use rstest::rstest;

use crate::support::constants::NOT_READY;
use crate::support::device_memory::Account;
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::latch::{Latch, wait_for_one};
use crate::support::legacy::share;
use crate::support::{SIZE, event, shared_pool};

/// If the exporter is killed while a kernel of the importer reads its memory, a third process is unaffected. The
/// importer's results are recorded.
#[rstest]
#[conformance::test("PROC-002", needs(no_mps, legacy_memory))]
fn killing_the_exporter_under_a_kernel_leaves_others_unharmed(
    exporter: Role,
    importer: Role,
    observer: Role,
) -> Outcome {
    const PATIENCE: Duration = Duration::from_secs(3);
    let flag = exporter.mem_alloc(SIZE)?;
    exporter.memset_d8(flag, 0, SIZE)?;
    exporter.ctx_synchronize()?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(flag)?)?;
    let (read, write) = (importer.stream_create()?, importer.stream_create()?);
    wait_for_one(&importer, import, read)?;
    exporter.kill()?;
    importer.set_deadline(PATIENCE);
    if importer.stream_write_value(write, import, 1).survived_or_not("write")?.is_some() {
        importer.stream_synchronize(read).survived_or_not("the kernel")?;
    }
    // Its state is unknown, so no other case may use it.
    importer.kill()?;
    observer.ctx_synchronize()
}

/// If the exporter exits without freeing the memory, the importer's context stays usable. The result of reading the
/// import is recorded.
#[rstest]
#[conformance::test("PROC-003", needs(legacy_memory))]
fn the_importer_survives_the_exporters_exit(exporter: Role, importer: Role) -> Outcome {
    let (_buffer, import, pattern) = share(&exporter, &importer, SIZE)?;
    exporter.exit()?;
    let mismatches = importer.mismatches_by_copy(import, SIZE, pattern).recorded("read")?;
    observe("the bytes are the old ones", mismatches == Some(0));
    importer.ctx_synchronize()
}

/// The memory of a killed exporter returns to the device, at the latest after an importer closes it. Whether an open
/// import holds it is recorded.
#[rstest]
#[conformance::test("PROC-006", needs(legacy_memory))]
fn memory_of_a_killed_exporter_returns_to_the_device(
    exporter: Role,
    importer: Role,
    observer: Role,
    #[values(true, false)] is_open: bool,
) -> Outcome {
    let account = Account::open(&observer)?;
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(account.large)?)?;
    let import = is_open.then(|| importer.ipc_open_mem_handle(handle)).transpose()?;
    account.check_held()?;
    exporter.kill()?;
    if let Some(import) = import {
        observe("held by the import", account.is_held()?);
        importer.ipc_close_mem_handle(import)?;
    }
    account.check_given_back()
}

/// Memory that its exporter frees while an importer has it open returns to the device, at the latest after the close.
/// Whether the open import holds it is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-047")]
fn memory_freed_while_open_returns_to_the_device(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let account = Account::open(&observer)?;
    let buffer = exporter.mem_alloc(account.large)?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    account.check_held()?;
    exporter.mem_free(buffer)?;
    observe("held by the import", account.is_held()?);
    importer.ipc_close_mem_handle(import)?;
    account.check_given_back()
}

/// If a process closes memory of a killed exporter, what it has open of a living one stays open, and its own memory can
/// be exported. The code of that close is recorded.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-001", "IPCMEM-OPEN-001", needs(no_mps, legacy_memory))]
fn closing_memory_of_a_killed_exporter_leaves_that_of_a_living_one(
    exporter: Role,
    importer: Role,
    observer: Role,
) -> Outcome {
    let (there, kept, pattern) = share(&observer, &importer, SIZE)?;
    let (_, orphan, _) = share(&exporter, &importer, SIZE)?;
    exporter.kill()?;
    let (own, imported, owns_pattern) = share(&importer, &observer, SIZE)?;
    check!(observer.mismatches(imported, SIZE, owns_pattern)? == 0);
    let closed = importer.ipc_close_mem_handle(orphan).recorded("close")?;
    check!(importer.mismatches(kept, SIZE, pattern)? == 0);
    importer.fill(kept, SIZE, 9)?;
    check!(observer.mismatches(there, SIZE, 9)? == 0);
    importer.ipc_close_mem_handle(kept)?;
    importer.read(kept, 4).refused(&[])?;
    check!(observer.mismatches(there, SIZE, 9)? == 0);
    observer.ipc_close_mem_handle(imported)?;
    check!(importer.mismatches(own, SIZE, owns_pattern)? == 0);
    importer.mem_free(own)?;
    // A process that could not close the memory cannot give it back at the end either.
    if closed.is_none() { importer.kill() } else { Ok(()) }
}

/// If a process destroys the event of a killed exporter, the event of a living one stays pending until its work has ended.
#[rstest]
#[conformance::test("IPCEVT-018", needs(no_mps, interprocess_events))]
fn destroying_an_event_of_a_killed_exporter_leaves_that_of_a_living_one(
    exporter: Role,
    importer: Role,
    observer: Role,
) -> Outcome {
    let (event, kept) = event::share(&observer, &importer)?;
    let (_, orphan) = event::share(&exporter, &importer)?;
    let stream = observer.stream_create()?;
    let latch = Latch::hold(&observer, stream)?;
    observer.event_record(event, stream)?;
    exporter.kill()?;
    importer.event_query(kept).refused(NOT_READY)?;
    let destroyed = importer.event_destroy(orphan).recorded("destroy")?;
    importer.event_query(kept).refused(NOT_READY)?;
    latch.release()?;
    importer.event_synchronize(kept)?;
    importer.event_destroy(kept)?;
    if destroyed.is_none() { importer.kill() } else { Ok(()) }
}

/// If a process gives back memory and the pool of a killed exporter, memory of a living one's pool stays imported.
#[rstest]
#[conformance::test("POOL-PTR-001", needs(no_mps, pool_descriptors))]
fn giving_back_a_pool_of_a_killed_exporter_leaves_that_of_a_living_one(
    exporter: Role,
    importer: Role,
    observer: Role,
) -> Outcome {
    let pattern = seed();
    let kept = shared_pool::share_memory(&observer, &importer, pattern)?;
    let orphan = shared_pool::share_memory(&exporter, &importer, pattern)?;
    exporter.kill()?;
    let freed = importer.mem_free_imported_pointer(orphan.here).recorded("free")?;
    let destroyed = importer.mem_pool_destroy(orphan.pool.imported).recorded("destroy")?;
    check!(importer.mismatches(kept.here, shared_pool::SIZE, pattern)? == 0);
    importer.fill(kept.here, shared_pool::SIZE, 9)?;
    check!(observer.mismatches(kept.there, shared_pool::SIZE, 9)? == 0);
    importer.mem_free_imported_pointer(kept.here)?;
    importer.mem_pool_destroy(kept.pool.imported)?;
    if freed.is_none() || destroyed.is_none() { importer.kill() } else { Ok(()) }
}
