//! `cudaFree`.

use conformance::{Expect as _, MIB, Outcome, Role, check, observe, seed};
use rstest::rstest;

use crate::fixtures::{exporter, importer};

const SIZE: u64 = 2 * MIB;

/// Memory that was opened is not freed, stays mapped and can be closed.
#[rstest]
#[conformance::test("RT-005", needs(runtime))]
fn an_import_is_not_freed(exporter: Role, importer: Role) -> Outcome {
    let (buffer, pattern) = (exporter.cuda_malloc(SIZE)?, seed());
    exporter.fill(buffer, SIZE, pattern)?;
    let import = importer.cuda_ipc_open_mem_handle(exporter.cuda_ipc_get_mem_handle(buffer)?)?;
    let code = importer.cuda_free(import).refused(&[])?;
    observe("code", code.to_string());
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    importer.cuda_ipc_close_mem_handle(import)
}
