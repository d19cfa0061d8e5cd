//! `cuIpcOpenMemHandle`.

use conformance::{MIB, Outcome, Role, check, seed};
use rstest::rstest;

use crate::fixtures::{exporter, importer};

/// Opening a handle twice in one context gives one pointer, mapped until the second close.
#[rstest]
#[conformance::test("IPCMEM-OPEN-002")]
fn opening_twice_counts_references(exporter: Role, importer: Role) -> Outcome {
    let (size, pattern) = (4 * MIB, seed());
    let buffer = exporter.mem_alloc(size)?;
    exporter.fill(buffer, size, pattern)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let first = importer.ipc_open_mem_handle(handle)?;
    let second = importer.ipc_open_mem_handle(handle)?;
    check!(first == second);
    importer.ipc_close_mem_handle(first)?;
    check!(importer.mismatches(second, size, pattern)? == 0);
    importer.ipc_close_mem_handle(second)
}
