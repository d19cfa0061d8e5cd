//! `conformance score`: the declared faults, and invalid arguments. `.ci/run score` runs it on the suite.

use conformance::{Outcome, check};
use rstest::rstest;

use crate::command::{conformance, finish};

/// The faults are declared with names of their own, known rows and a sentence.
#[rstest]
#[conformance::test()]
fn faults_are_listed() -> Outcome {
    let (code, printed, errors) = finish(conformance(&["score", "--list"])?)?;
    check!(code == Some(0), "{errors}");
    check!(printed.lines().any(|line| line.starts_with("close-ignores-the-count ")), "{printed}");
    let mut names: Vec<_> = printed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let all = names.len();
    names.dedup();
    check!(names.len() == all, "two faults have one name");
    check!(printed.lines().all(|line| line.ends_with('.')), "a summary is not a sentence");
    Ok(())
}

/// A name that selects no fault, and a list of survivors that cannot be right, are refused.
#[rstest]
#[case::fault(&["score", "no-such-fault"], "no fault is called no-such-fault")]
#[case::file(&["score", "close-ignores", "--survivors", "/nonexistent"], "cannot read /nonexistent")]
#[conformance::test()]
fn unknown_names_are_refused(#[case] arguments: &[&str], #[case] says: &str) -> Outcome {
    let (code, _, errors) = finish(conformance(arguments)?)?;
    check!(code == Some(2) && errors.contains(says), "{code:?}: {errors}");
    Ok(())
}
