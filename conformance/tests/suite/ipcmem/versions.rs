//! The two versions of `cuIpcOpenMemHandle`.

use conformance::{Outcome, Pointer, Role, check, observe};
use rstest::rstest;

use crate::support::fixtures::importer;

/// `cuGetProcAddress` gives a different function for CUDA 11.0 than for CUDA 4.1. Whether it gives one for CUDA 4.1 is
/// recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-045")]
fn the_second_version_is_a_different_function(importer: Role) -> Outcome {
    let of = |version| importer.get_proc_address("cuIpcOpenMemHandle".to_owned(), version);
    let (first, second) = (of(4010)?, of(11_000)?);
    observe("the first version exists", first != Pointer::NULL);
    check!(second != Pointer::NULL);
    check!(first != second);
    Ok(())
}
