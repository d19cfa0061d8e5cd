//! `conformance show` names the listed deviations that no case of a run met.

use conformance::{Outcome, check};
use rstest::rstest;

use crate::command::{conformance, finish};
use crate::suite::{harness, run, suite};

/// An entry is named if its cases ran and none of them met it. It is not named if a case met it or none of them ran.
#[rstest]
#[case::other_reason("planted::fail", "CUDA_ERROR", true)]
#[case::met("planted::fail", "does not hold", false)]
#[case::did_not_run("planted::crash", "does not hold", false)]
#[conformance::test()]
fn an_entry_that_no_case_met_is_named(#[case] case: &str, #[case] reason: &str, #[case] is_named: bool) -> Outcome {
    let list = tempfile::NamedTempFile::new().map_err(harness)?;
    let entry = format!(
        "[[deviation]]\ncase = \"{case}\"\ndriver = \"reference\"\nfrom = \"0.1\"\nverdict = \"fail\"\n\
         reason = \"{reason}\"\nlink = \"https://example.org/1\"\ndate = \"2026-11-21\"\n"
    );
    std::fs::write(list.path(), entry).map_err(harness)?;
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--exact", "planted::fail", "--deviations"]).arg(list.path());
    let run = run(command)?;
    let mut command = conformance(&["show"])?;
    command.arg(run.path()).arg("--deviations").arg(list.path());
    let (code, shown, errors) = finish(command)?;
    check!(code == Some(0) && shown.contains("ran but never ended as listed") == is_named, "{shown}{errors}");
    Ok(())
}
