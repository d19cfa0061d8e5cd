//! A case that appears more than once in a report, as in one of a nextest run that tries again: its worst result counts.

use conformance::report::{CaseReport, Report};
use conformance::{Defect, Outcome, Stop, Verdict, check};
use rstest::rstest;

use crate::command::{Reports, conformance, failed, finish, plain, text};
use crate::suite::harness;

const REMARK: &str = "1 case appears more than once: its worst result counts";

/// Returns the lines of a report in which the second of three cases ended several times.
fn ended_as(ends: &[impl Fn(&mut CaseReport)]) -> Result<String, Stop> {
    let mut lines: Vec<String> = Vec::new();
    for end in ends {
        let mut report = plain("580.159.04", 3);
        end(&mut report.cases[1]);
        let all = report.to_lines().map_err(harness)?;
        match lines.len() {
            0 => lines = all.lines().map(str::to_owned).collect(),
            count => lines.insert(count - 1, all.lines().nth(2).unwrap_or_default().to_owned()),
        }
    }
    Ok(lines.join("\n") + "\n")
}

fn repeated(verdicts: &[Verdict]) -> Result<String, Stop> {
    let end = |verdict: Verdict| move |case: &mut CaseReport| case.verdict = verdict;
    ended_as(&verdicts.iter().copied().map(end).collect::<Vec<_>>())
}

/// The worst verdict counts, whatever the order, and the line of the report says how many cases it concerns.
#[rstest]
#[case::failed_first(&[Verdict::Crash, Verdict::Pass], 1)]
#[case::failed_last(&[Verdict::Pass, Verdict::Crash], 1)]
#[case::failed_between(&[Verdict::Pass, Verdict::Crash, Verdict::Fail], 1)]
#[case::error_last(&[Verdict::Crash, Verdict::Error], 1)]
#[case::error_first(&[Verdict::Error, Verdict::Crash], 1)]
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
// An error of the harness says nothing of the rule, so it hides no failure.
#[case::error_last(&[Verdict::Fail, Verdict::Error], true)]
#[case::error_first(&[Verdict::Error, Verdict::Fail], true)]
#[case::error_and_pass(&[Verdict::Pass, Verdict::Error], false)]
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

/// Of two failures the worse kind counts, whatever the verdicts are called.
#[rstest]
#[case::corruption_last([(Verdict::Fail, Defect::Code), (Verdict::Fail, Defect::Corruption)], "1 corruption")]
#[case::corruption_first([(Verdict::Fail, Defect::Corruption), (Verdict::Leak, Defect::Leak)], "1 corruption")]
#[conformance::test()]
fn the_worst_kind_counts(#[case] ends: [(Verdict, Defect); 2], #[case] told: &str) -> Outcome {
    let end = |(verdict, kind)| move |case: &mut CaseReport| failed(case, verdict, kind);
    let new = ended_as(&ends.map(end))?;
    let old = plain("580.159.04", 3);
    let reports = Reports::new(&old, &old)?;
    std::fs::write(reports.path("new"), &new).map_err(harness)?;
    let printed = text(&reports.run(&["diff", "old", "new"])?.stdout);
    check!(printed.contains(told), "{printed}");
    let folder = tempfile::tempdir().map_err(harness)?;
    std::fs::write(folder.path().join("twice.jsonl"), new).map_err(harness)?;
    let mut command = conformance(&["fleet", "--format", "json"])?;
    command.arg(folder.path());
    let (_, fleet, errors) = finish(command)?;
    check!(fleet.contains("\"kind\":\"corruption\"") && !fleet.contains("\"kind\":\"leak\""), "{fleet}{errors}");
    Ok(())
}

/// The disclosures of all ends count, also that of an end that was no worse than another.
#[rstest]
#[conformance::test()]
fn every_end_discloses(#[values(["first", "second"], ["second", "first"])] texts: [&'static str; 2]) -> Outcome {
    let end = |text: &'static str| move |case: &mut CaseReport| case.disclosures = vec![format!("the {text} secret")];
    let old = plain("580.159.04", 3);
    let reports = Reports::new(&old, &old)?;
    std::fs::write(reports.path("new"), ended_as(&texts.map(end))?).map_err(harness)?;
    let printed = text(&reports.run(&["diff", "old", "new"])?.stdout);
    check!(texts.iter().all(|text| printed.contains(&format!("the {text} secret"))), "{printed}");
    let report = Report::read(&reports.path("new")).map_err(harness)?;
    check!(report.cases[1].disclosures.len() == 2, "{:?}", report.cases[1].disclosures);
    Ok(())
}

/// Of ends that are equally bad, the first counts, in a comparison as in a report that is read as a whole.
#[rstest]
#[conformance::test()]
fn of_equal_ends_the_first_counts() -> Outcome {
    let end = |reason: &'static str| {
        move |case: &mut CaseReport| {
            failed(case, Verdict::Fail, Defect::Result);
            case.reason = Some(reason.to_owned());
        }
    };
    let old = plain("580.159.04", 3);
    let reports = Reports::new(&old, &old)?;
    let new = ended_as(&["the first reason", "the second reason"].map(end))?;
    std::fs::write(reports.path("new"), new).map_err(harness)?;
    let printed = text(&reports.run(&["diff", "old", "new"])?.stdout);
    check!(printed.contains("the first reason") && !printed.contains("the second reason"), "{printed}");
    let reason = Report::read(&reports.path("new")).map_err(harness)?.cases.swap_remove(1).reason;
    check!(reason.as_deref() == Some("the first reason"), "{reason:?}");
    Ok(())
}

/// A case that disclosed and then could not run again has a new disclosure, and the first sentence names it.
#[rstest]
#[conformance::test()]
fn an_unsupported_end_hides_no_disclosure(#[values([true, false], [false, true])] discloses: [bool; 2]) -> Outcome {
    let end = |discloses: bool| {
        move |case: &mut CaseReport| match discloses {
            true => case.disclosures = vec!["a secret of another".to_owned()],
            false => case.verdict = Verdict::Unsupported,
        }
    };
    let old = plain("580.159.04", 3);
    let reports = Reports::new(&old, &old)?;
    std::fs::write(reports.path("new"), ended_as(&discloses.map(end))?).map_err(harness)?;
    let output = reports.run(&["diff", "old", "new"])?;
    let printed = text(&output.stdout);
    let first = printed.lines().next().unwrap_or_default();
    check!(first.contains("(1 disclosure)") && first.contains(": a secret of another."), "{printed}");
    check!(output.status.code() == Some(1), "{:?}: {printed}", output.status);
    Ok(())
}

/// A case that passed, and could not run another time, has passed: a failure of it is a regression.
#[rstest]
#[conformance::test()]
fn an_unsupported_end_hides_no_pass(
    #[values([Verdict::Pass, Verdict::Unsupported], [Verdict::Unsupported, Verdict::Pass])] verdicts: [Verdict; 2],
) -> Outcome {
    let mut new = plain("580.159.04", 3);
    failed(&mut new.cases[1], Verdict::Crash, Defect::Crash);
    let reports = Reports::new(&new, &new)?;
    std::fs::write(reports.path("old"), repeated(&verdicts)?).map_err(harness)?;
    let output = reports.run(&["diff", "old", "new"])?;
    check!(output.status.code() == Some(1), "{:?}: {}", output.status, text(&output.stdout));
    Ok(())
}

/// A case that failed as a list says, and failed in another way another time, has failed.
#[rstest]
#[conformance::test()]
fn a_listed_end_hides_no_failure(
    #[values([Verdict::Deviation, Verdict::Fail], [Verdict::Fail, Verdict::Deviation])] verdicts: [Verdict; 2],
) -> Outcome {
    let old = plain("580.159.04", 3);
    let reports = Reports::new(&old, &old)?;
    std::fs::write(reports.path("new"), repeated(&verdicts)?).map_err(harness)?;
    let output = reports.run(&["diff", "old", "new"])?;
    let printed = text(&output.stdout);
    check!(output.status.code() == Some(1) && printed.contains("pass -> fail"), "{:?}: {printed}", output.status);
    Ok(())
}

/// Without a case in both reports, `diff` ends with 2, unless a new case fails and `--exit-on failed` asks for that.
#[rstest]
#[conformance::test()]
fn a_comparison_of_nothing_is_no_good_one() -> Outcome {
    let (old, mut new) = (plain("580.159.04", 3), plain("580.159.04", 3));
    new.cases.iter_mut().for_each(|case| case.id.push_str("_too"));
    failed(&mut new.cases[1], Verdict::Crash, Defect::Crash);
    let reports = Reports::new(&old, &new)?;
    for (exit_on, code) in [("regressed", 2), ("failed", 1)] {
        let output = reports.run(&["diff", "--exit-on", exit_on, "old", "new"])?;
        check!(
            output.status.code() == Some(code),
            "--exit-on {exit_on}: {:?}: {}",
            output.status,
            text(&output.stdout)
        );
    }
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
