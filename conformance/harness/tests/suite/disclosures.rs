//! Disclosures: reported and printed, without an effect on verdicts and exit codes.

use conformance::{Defect, Outcome, Verdict, check};
use rstest::rstest;

use crate::planted::disclosures::{DISCLOSURE, STALE};
use crate::suite::{harness, run, suite};

/// A disclosure is in the report and in a line of its own, once. It changes neither the verdict nor the exit code.
#[rstest]
#[case::passes("passes", Verdict::Pass, 0)]
#[case::fails("fails", Verdict::Fail, 101)]
#[conformance::test()]
fn a_disclosure_is_reported_and_printed(#[case] end: &str, #[case] verdict: Verdict, #[case] code: i32) -> Outcome {
    let mut command = suite("reference")?;
    let id = format!("planted::disclosures::discloses/{end}");
    command.env("CONFORMANCE_PLANTED", "1").args(["--exact", &id]);
    let run = run(command)?;
    let (text, report) = (run.text(), run.report()?);
    let case = report.cases.first().ok_or_else(|| harness(run.errors()))?;
    check!(case.disclosures == [DISCLOSURE] && case.verdict == verdict, "{case:?}");
    check!(run.output.status.code() == Some(code), "{}: {text}", run.output.status);
    let line = format!("conformance: disclosure: {id}: {DISCLOSURE}");
    let mut last = text.trim_end().lines().rev();
    check!(last.next().is_some_and(|counts| counts.contains(&format!("1 {verdict}"))), "{text}");
    check!(last.next() == Some(&*line) && text.matches(&line).count() == 1, "{text}");
    Ok(())
}

/// A case without a disclosure has no such field and no such line.
#[rstest]
#[conformance::test()]
fn other_cases_report_no_disclosure() -> Outcome {
    let mut command = suite("reference")?;
    command.args(["--exact", "sample::null_is_refused"]);
    let run = run(command)?;
    let lines = std::fs::read_to_string(run.path()).map_err(harness)?;
    check!(lines.contains("null_is_refused") && !lines.contains("disclosure"), "{lines}");
    check!(!run.text().contains("disclosure"), "{}", run.text());
    Ok(())
}

/// Runs of which only some disclose disagree. The report keeps the disclosure, whichever run it comes from.
#[rstest]
#[case::the_first("the_first", "run 1 has the disclosure `", "`, run 2 does not")]
#[case::later("later", "run 2 has the disclosure `", "`, run 1 does not")]
#[conformance::test()]
fn runs_that_disclose_otherwise_disagree(#[case] which: &str, #[case] before: &str, #[case] after: &str) -> Outcome {
    let mut command = suite("reference")?;
    let id = format!("planted::unsteady::discloses_in_some_runs/{which}");
    command.env("CONFORMANCE_PLANTED", "1").args(["--repeat", "3", "--exact", &id]);
    let run = run(command)?;
    let report = run.report()?;
    let case = report.cases.first().ok_or_else(|| harness(run.errors()))?;
    let reason = format!("{before}{DISCLOSURE}{after}");
    check!(case.verdict == Verdict::Fail && case.reason.as_deref() == Some(&*reason), "{case:?}");
    check!(case.disclosures == [DISCLOSURE] && run.output.status.code() == Some(101), "{case:?}");
    Ok(())
}

/// Runs that all disclose the same agree.
#[rstest]
#[conformance::test()]
fn runs_that_disclose_alike_agree() -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args([
        "--repeat",
        "3",
        "--exact",
        "planted::disclosures::discloses/passes",
    ]);
    let run = run(command)?;
    let report = run.report()?;
    let case = report.cases.first().ok_or_else(|| harness(run.errors()))?;
    check!(case.verdict == Verdict::Pass && case.disclosures == [DISCLOSURE], "{case:?}");
    check!(run.output.status.success(), "{}", run.text());
    Ok(())
}

/// A disclosure is not hidden by the end of a PID namespace, whose process 1 ends only after the others.
#[rstest]
#[conformance::test(needs(root))]
fn a_disclosure_in_a_pid_namespace_is_reported() -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").env("REFERENCE_DRIVER_FAULT", "open-shows-newer-memory");
    command.args(["--reruns", "0", "--exact", "planted::disclosures::discloses_in_a_pid_namespace"]);
    let run = run(command)?;
    let report = run.report()?;
    let case = report.cases.first().ok_or_else(|| harness(run.errors()))?;
    check!(case.verdict == Verdict::Fail && case.reason.as_deref() == Some(STALE), "{case:?}");
    check!(case.failure.as_ref().is_some_and(|failure| failure.kind == Defect::Disclosure), "{case:?}");
    Ok(())
}
