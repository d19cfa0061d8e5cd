//! Two signatures of one name.

use conformance::{Outcome, Pointer, Role, check, observe};
use rstest::rstest;

use crate::support::fixtures::importer;

/// Who asks for the signature of CUDA 11 gets it, and who asks for the one before gets another function or none.
#[rstest]
#[conformance::test("IPCMEM-OPEN-045")]
fn the_second_signature_is_another_function(importer: Role) -> Outcome {
    let of = |version| importer.get_proc_address("cuIpcOpenMemHandle".to_owned(), version);
    let (first, second) = (of(4010)?, of(11_000)?);
    observe("the first is there", first != Pointer::NULL);
    check!(second != Pointer::NULL);
    check!(first != second);
    Ok(())
}
