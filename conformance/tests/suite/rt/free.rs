//! `cudaFree`.

use conformance::{Expect as _, Outcome, Role, check, seed};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, importer};

/// `cudaFree` refuses an import, which stays mapped and can be closed.
#[rstest]
#[conformance::test("RT-005", needs(legacy_memory, runtime))]
fn an_import_is_refused(exporter: Role, importer: Role) -> Outcome {
    let (buffer, pattern) = (exporter.cuda_malloc(SIZE)?, seed());
    exporter.fill(buffer, SIZE, pattern)?;
    let import = importer.cuda_ipc_open_mem_handle(exporter.cuda_ipc_get_mem_handle(buffer)?)?;
    importer.cuda_free(import).refused_and_recorded(&[])?;
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    importer.cuda_ipc_close_mem_handle(import)
}
