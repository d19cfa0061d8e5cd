//! Calls other than a close that try to release an import.

use conformance::{Expect as _, Outcome, Role, check};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, importer};
use crate::support::legacy::share;

/// `cuMemFree` refuses an import, which stays mapped and can be closed.
#[rstest]
#[conformance::test("IPCMEM-OPEN-042")]
fn free_is_refused(exporter: Role, importer: Role) -> Outcome {
    let (_buffer, import, pattern) = share(&exporter, &importer, SIZE)?;
    importer.mem_free(import).refused_and_recorded(&[])?;
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    importer.ipc_close_mem_handle(import)
}

/// `cuMemFreeAsync` refuses an import, which stays mapped and can be closed.
#[rstest]
#[conformance::test("IPCMEM-OPEN-043", needs(memory_pools))]
fn free_async_is_refused(exporter: Role, importer: Role) -> Outcome {
    let (_buffer, import, pattern) = share(&exporter, &importer, SIZE)?;
    importer.mem_free_async(import).refused_and_recorded(&[])?;
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    importer.ipc_close_mem_handle(import)
}
