//! What a report from a stranger may do.

use std::fs;

use conformance::{Outcome, Verdict, check};
use rstest::rstest;

use crate::command::{Reports, plain, text};
use crate::suite::harness;

/// A report can have the suite run only with flags that a run writes into reports: no other flag reaches the suite, so no
/// file is overwritten.
#[rstest]
#[case::a_report(&["--report", "precious"], "\"--report\"")]
#[case::in_one_word(&["--report=precious"], "\"--report=precious\"")]
#[case::behind_a_good_one(&["--script", "1", "--resume", "precious"], "\"--resume\"")]
#[case::in_place_of_a_value(&["--script", "--report"], "--script needs a number, not \"--report\"")]
#[case::without_a_value(&["--soak"], "--soak needs a positive number, not \"\"")]
#[case::a_filter(&["--load", "all"], "\"all\"")]
#[case::a_device(&["--deviations", "/dev/zero"], "--deviations needs a list of files")]
#[conformance::test()]
fn a_report_has_no_other_flags(#[case] flags: &[&str], #[case] says: &str) -> Outcome {
    let mut report = plain("580.10", 1);
    report.cases[0].verdict = Verdict::Fail;
    report.cases[0].flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
    let reports = Reports::new(&report, &report)?;
    fs::write(reports.path("precious"), "kept").map_err(harness)?;
    let output = reports.run(&["report", "old", "--output", "bugs"])?;
    let errors = text(&output.stderr);
    check!(output.status.code() == Some(2) && errors.contains("old, case ") && errors.contains(says), "{errors}");
    check!(fs::read_to_string(reports.path("precious")).map_err(harness)? == "kept");
    Ok(())
}

/// A name that the suite would take for a flag, or for several names, is not the name of a case.
#[rstest]
#[case::flag("--report=precious")]
#[case::lines("a\nb")]
#[conformance::test()]
fn a_flag_is_not_the_name_of_a_case(#[case] id: &str) -> Outcome {
    let mut report = plain("580.10", 1);
    (report.cases[0].verdict, report.cases[0].id) = (Verdict::Fail, id.to_owned());
    let output = Reports::new(&report, &report)?.run(&["report", "old", "--output", "bugs"])?;
    let errors = text(&output.stderr);
    check!(output.status.code() == Some(2) && errors.contains("not the name of a case"), "{errors}");
    Ok(())
}

/// The command says that it loads a library, before somebody uses it on the report of a stranger.
#[rstest]
#[conformance::test()]
fn the_help_names_the_library() -> Outcome {
    let report = plain("580.10", 1);
    let output = Reports::new(&report, &report)?.run(&["report", "--help"])?;
    check!(text(&output.stdout).contains("loads the library that the report names"));
    Ok(())
}
