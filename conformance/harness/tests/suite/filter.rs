//! Filters that select no case.

use conformance::{Outcome, check};
use rstest::rstest;

use crate::suite::{harness, suite};

/// With `--exact`, a name that no case has is an error, and the message names the closest case.
#[rstest]
#[case::misspelt("sample::nul_is_refused", "the closest is `sample::null_is_refused`")]
#[case::without_its_module("null_is_refused", "the closest is `sample::null_is_refused`")]
#[case::without_its_parameters("sample::there_are_two_gpus", "its parameters: sample::there_are_two_gpus/name=one,")]
#[conformance::test()]
fn an_exact_name_that_no_case_has_is_an_error(#[case] name: &str, #[case] says: &str) -> Outcome {
    let mut command = suite("reference")?;
    let output = command.args(["--exact", name]).output().map_err(harness)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    check!(!output.status.success(), "the run succeeded without a case");
    check!(errors.contains(&format!("no case is called `{name}`")) && errors.contains(says), "{errors}");
    Ok(())
}

/// A filter that matches no case is a warning, because a run of several programs passes it to all of them.
#[rstest]
#[case::no_match("no_such_case", true)]
#[case::a_match("null_is_refused", false)]
#[conformance::test()]
fn a_filter_that_matches_no_case_is_a_warning(#[case] filter: &str, #[case] warns: bool) -> Outcome {
    let mut command = suite("reference")?;
    let output = command.arg(filter).output().map_err(harness)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    check!(output.status.success(), "{errors}");
    check!(errors.contains(&format!("warning: no case matches `{filter}`")) == warns, "{errors}");
    Ok(())
}
