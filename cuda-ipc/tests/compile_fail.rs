//! What the types forbid does not compile, and the compiler says why.
//!
//! The messages are those of the compiler that made them: another one words some differently. `TRYBUILD=overwrite`
//! writes them anew.

#[test]
fn what_the_types_forbid_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
