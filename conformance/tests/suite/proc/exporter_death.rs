//! The exporter of legacy memory ends while others use it.

use std::time::Duration;

use conformance::{Expect as _, Outcome, Role, check, observe, seed};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::device_memory::{Account, LARGE};
use crate::support::fixtures::{exporter, importer, observer};

/// What a kernel of the importer sees that reads while the exporter is killed is recorded; a third process does not
/// notice.
#[rstest]
#[conformance::test("PROC-002")]
fn a_kill_under_a_reading_kernel_is_recorded(exporter: Role, importer: Role, observer: Role) -> Outcome {
    const PATIENCE: Duration = Duration::from_secs(3);
    let flag = exporter.mem_alloc(SIZE)?;
    exporter.memset_d8(flag, 0, SIZE)?;
    exporter.ctx_synchronize()?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(flag)?)?;
    let (read, write) = (importer.stream_create()?, importer.stream_create()?);
    // The module is loaded before the kernel waits: loading may wait for the device.
    importer.launch("latch".into(), vec![import.into(), 0_u32.into()], read)?;
    importer.stream_synchronize(read)?;
    importer.launch("latch".into(), vec![import.into(), 1_u32.into()], read)?;
    exporter.kill()?;
    importer.set_deadline(PATIENCE);
    if importer.stream_write_value(write, import, 1).survived_or_not("write")?.is_some() {
        importer.stream_synchronize(read).survived_or_not("the kernel")?;
    }
    // Nobody knows how it stands.
    importer.kill()?;
    observer.ctx_synchronize()
}

/// What an import is after its exporter exited without a free is recorded.
#[rstest]
#[conformance::test("PROC-003")]
fn an_import_after_the_exporters_exit_is_recorded(exporter: Role, importer: Role) -> Outcome {
    let (buffer, pattern) = (exporter.mem_alloc(SIZE)?, seed());
    exporter.fill(buffer, SIZE, pattern)?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    exporter.exit()?;
    let mismatches = importer.mismatches(import, SIZE, pattern).recorded("read")?;
    observe("the bytes are the old ones", mismatches == Some(0));
    importer.ctx_synchronize()
}

/// When memory of a killed exporter comes back is recorded; without an import, and after its close, it has.
#[rstest]
#[conformance::test("PROC-006")]
fn memory_of_a_killed_exporter_comes_back(
    exporter: Role,
    importer: Role,
    observer: Role,
    #[values(true, false)] is_open: bool,
) -> Outcome {
    let account = Account::open(&observer)?;
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(LARGE)?)?;
    let import = is_open.then(|| importer.ipc_open_mem_handle(handle)).transpose()?;
    check!(account.is_held()?);
    exporter.kill()?;
    if let Some(import) = import {
        observe("held by the import", account.is_held()?);
        importer.ipc_close_mem_handle(import)?;
    }
    check!(account.is_given_back()?);
    Ok(())
}

/// When memory comes back that its exporter frees while it is open elsewhere is recorded; after the last close it has.
#[rstest]
#[conformance::test("IPCMEM-OPEN-047")]
fn memory_that_is_freed_while_open_comes_back(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let account = Account::open(&observer)?;
    let buffer = exporter.mem_alloc(LARGE)?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    check!(account.is_held()?);
    exporter.mem_free(buffer)?;
    observe("held by the import", account.is_held()?);
    importer.ipc_close_mem_handle(import)?;
    check!(account.is_given_back()?);
    Ok(())
}
