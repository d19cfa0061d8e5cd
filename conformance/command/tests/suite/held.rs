//! Cases of a small suite that leave imports open, so that the runner releases them: `same` plants defects in its runs.

use conformance::{MIB, MemHandle, Outcome, Role, Stop};
use rstest::rstest;

use crate::sample::{exporter, importer};

fn shared(exporter: &Role, mebibytes: u64) -> Result<MemHandle, Stop> {
    exporter.ipc_get_mem_handle(exporter.mem_alloc(mebibytes * MIB)?)
}

/// A handle that was opened twice and closed once is still open.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-002", needs(gpus = 1))]
fn a_second_reference_stays(exporter: Role, importer: Role, #[values(1, 2)] mebibytes: u64) -> Outcome {
    let handle = shared(&exporter, mebibytes)?;
    let [one, _] = [importer.ipc_open_mem_handle(handle)?, importer.ipc_open_mem_handle(handle)?];
    importer.ipc_close_mem_handle(one)
}

/// The same, of another role.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-002", needs(gpus = 1))]
fn an_import_of_another_role_stays(exporter: Role, #[from(importer)] other: Role) -> Outcome {
    other.ipc_open_mem_handle(shared(&exporter, 1)?).map(drop)
}

/// An open handle can be closed.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-001", needs(gpus = 1))]
fn a_close_succeeds(exporter: Role, importer: Role) -> Outcome {
    importer.ipc_close_mem_handle(importer.ipc_open_mem_handle(shared(&exporter, 1)?)?)
}
