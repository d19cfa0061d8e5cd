//! A case that appears more than once in a report, as in one of a nextest run that tries again: its worst verdict counts.

use conformance::report::Report;
use conformance::{Outcome, Stop, Verdict, check};
use rstest::rstest;

use crate::command::{Reports, conformance, finish, plain, text};
use crate::suite::harness;

const REMARK: &str = "1 case appears more than once: its worst verdict counts";

/// Returns the lines of a report in which the second of three cases ended several times.
fn repeated(verdicts: &[Verdict]) -> Result<String, Stop> {
    let mut report = plain("580.159.04", 3);
    report.cases[1].verdict = verdicts[0];
    let mut lines: Vec<_> = report.to_lines().map_err(harness)?.lines().map(str::to_owned).collect();
    for verdict in verdicts.iter().skip(1) {
        report.cases[1].verdict = *verdict;
        let again = report.to_lines().map_err(harness)?;
        let end = lines.len() - 1;
        lines.insert(end, again.lines().nth(2).unwrap_or_default().to_owned());
    }
    Ok(lines.join("\n") + "\n")
}

/// The worst verdict counts, whatever the order, and the line of the report says how many cases it concerns.
#[rstest]
#[case::failed_first(&[Verdict::Crash, Verdict::Pass], 1)]
#[case::failed_last(&[Verdict::Pass, Verdict::Crash], 1)]
#[case::failed_between(&[Verdict::Pass, Verdict::Crash, Verdict::Fail], 1)]
#[case::passed(&[Verdict::Pass, Verdict::Pass], 0)]
#[conformance::test()]
fn diff_counts_the_worst(
    #[case] verdicts: &[Verdict],
    #[case] code: i32,
    #[values("text", "markdown", "nearest")] how: &str,
) -> Outcome {
    let old = plain("580.159.04", 3);
    let reports = Reports::new(&old, &old)?;
    std::fs::write(reports.path("new"), repeated(verdicts)?).map_err(harness)?;
    let arguments: &[&str] = match how {
        "nearest" => {
            check!(reports.run(&["record", "update", "old", "--records", "."])?.status.success());
            &["diff", "new", "--records", "."]
        }
        format => &["diff", "old", "new", "--format", format],
    };
    let output = reports.run(arguments)?;
    let printed = text(&output.stdout);
    check!(output.status.code() == Some(code), "{:?}: {printed}", output.status);
    check!(code == 0 || printed.contains("pass -> crash") || printed.contains("`pass` → `crash`"), "{printed}");
    check!(printed.matches(REMARK).count() == 1, "{printed}");
    Ok(())
}

/// The same rule holds in a fleet, and the report is named.
#[rstest]
#[case::failed_first(&[Verdict::Crash, Verdict::Pass], true)]
#[case::failed_last(&[Verdict::Pass, Verdict::Crash], true)]
// After an error of the harness, nothing is known of the rule.
#[case::unknown(&[Verdict::Fail, Verdict::Error], false)]
#[conformance::test()]
fn fleet_counts_the_worst(#[case] verdicts: &[Verdict], #[case] breaks: bool) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for number in 0..4 {
        let lines = plain("580.159.04", 3).to_lines().map_err(harness)?;
        std::fs::write(folder.path().join(format!("{number}.jsonl")), lines).map_err(harness)?;
    }
    std::fs::write(folder.path().join("twice.jsonl"), repeated(verdicts)?).map_err(harness)?;
    let mut command = conformance(&["fleet"])?;
    command.arg(folder.path());
    let (code, printed, errors) = finish(command)?;
    check!(code == Some(0), "{errors}");
    check!(printed.contains("breaks in 1 of 5 reports") == breaks, "{printed}");
    check!(printed.contains(&format!("\n  twice.jsonl: {REMARK}\n")), "{printed}");
    Ok(())
}

/// A report that is read as a whole follows the rule too.
#[rstest]
#[conformance::test()]
fn a_whole_report_has_the_worst() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = folder.path().join("report.jsonl");
    std::fs::write(&path, repeated(&[Verdict::Leak, Verdict::Pass])?).map_err(harness)?;
    let report = Report::read(&path).map_err(harness)?;
    check!(report.cases.len() == 3 && report.cases[1].verdict == Verdict::Leak, "{:?}", report.summary());
    Ok(())
}
