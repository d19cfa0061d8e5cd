//! The exporter of legacy memory ends or frees it while other processes use it.

use std::time::Duration;

use conformance::{Expect as _, Outcome, Role, observe};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::device_memory::Account;
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::latch::wait_for_one;
use crate::support::legacy::share;

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
