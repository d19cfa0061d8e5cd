//! Programs that the types forbid do not compile, and the compiler says why.
//!
//! The expected messages come from one version of the compiler. Other versions word some of them differently.
//! `TRYBUILD=overwrite` writes them again.
//!
//! No program calls a method that a type lacks: it would also fail once the method has another name. `api.txt` lists the
//! methods that there are.

#[test]
fn what_the_types_forbid_does_not_compile() {
    trybuild::TestCases::new().compile_fail("*.rs");
}
