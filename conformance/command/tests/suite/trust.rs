//! Comparisons that could mislead a gate: a part of a run beside a record, lost lines, and failures that hide others.

use conformance::report::{Load, Report, Runs, Step};
use conformance::{Defect, Outcome, Stop, Verdict, check};
use rstest::rstest;

use crate::command::{Reports, case, failed, plain, text, without_rows};
use crate::suite::harness;

const RECORD: &str = "nvidia-570.86.15-h200-x2.jsonl";

fn step(call: &str, ms: f64) -> Step {
    let step = case("ipcmem::open::any").steps[0].clone();
    Step { call: call.to_owned(), ms: Some(ms), ..step }
}

/// Returns a report of cases, each of which opens handles three times.
fn timed<const CASES: usize>(ms: [f64; CASES]) -> Report {
    let mut report = plain("570.86.15", CASES);
    for (case, ms) in report.cases.iter_mut().zip(ms) {
        case.steps = vec![step("ipc_open_mem_handle", ms); 3];
    }
    report
}

fn diff(reports: &Reports, arguments: &[&str]) -> Result<(String, Option<i32>), Stop> {
    let output = reports.run(&[&["diff"], arguments].concat())?;
    Ok((text(&output.stdout), output.status.code()))
}

/// A record has the times of all its cases together, so a part of a run is not slower than it.
#[rstest]
#[case::filter(|report: &mut Report| report.run.is_partial = true)]
#[case::broken_off(|report: &mut Report| report.is_complete = false)]
#[case::another_suite(|_: &mut Report| {})]
#[conformance::test()]
fn a_part_of_a_run_is_not_slower_than_a_record(#[case] because: fn(&mut Report)) -> Outcome {
    let mut times = [1.0; 40];
    times[39] = 90.0;
    let whole = timed(times);
    let mut part = whole.clone();
    part.cases.drain(..39);
    because(&mut part);
    let reports = Reports::new(&whole, &part)?;
    check!(reports.run(&["record", "update", "old", "--records", "."])?.status.success());
    let (printed, code) = diff(&reports, &[RECORD, "new"])?;
    check!(code == Some(0) && !printed.contains("slower"), "{code:?}: {printed}");
    Ok(())
}

/// A record shows which calls take longer than in the record before it, and is not made from a record.
#[rstest]
#[conformance::test()]
fn an_update_shows_slower_calls() -> Outcome {
    let with = |ms: f64| {
        let mut report = timed([ms; 3]);
        report.cases.iter_mut().for_each(|case| case.steps.push(step("mem_alloc", ms)));
        report
    };
    let reports = Reports::new(&with(1.0), &with(90.0))?;
    check!(reports.run(&["record", "update", "old", "--records", "."])?.status.success());
    let output = reports.run(&["record", "update", "--dry-run", "new", "--records", "."])?;
    let printed = text(&output.stdout);
    for call in ["cuIpcOpenMemHandle", "cuMemAlloc"] {
        check!(printed.contains(&format!("{call}: 1.0 to 90 ms")), "{printed}");
    }
    let refused = reports.run(&["record", "update", RECORD, "--records", "."])?;
    let says = text(&refused.stderr);
    check!(refused.status.code() == Some(2) && says.contains("is a record already"), "{says}");
    let kept = Report::read(&reports.path(RECORD)).map_err(harness)?;
    check!(kept.run.calls["cuIpcOpenMemHandle"].median == 1.0, "{:?}", kept.run.calls);
    Ok(())
}

/// A helper of the suite is not a call of the driver.
#[rstest]
#[conformance::test()]
fn a_slower_helper_is_not_a_slower_call() -> Outcome {
    let with = |ms: f64| {
        let mut report = plain("570.86.15", 3);
        report.cases.iter_mut().for_each(|case| case.steps = vec![step("other_bytes", ms); 3]);
        report
    };
    let (printed, code) = diff(&Reports::new(&with(1.0), &with(90.0))?, &["old", "new"])?;
    check!(code == Some(0) && !printed.contains("other_bytes"), "{code:?}: {printed}");
    Ok(())
}

/// Cases that check no row are in no record, and a comparison with one does not count them as new or gone.
#[rstest]
#[conformance::test()]
fn cases_that_check_no_row_are_not_missed_in_a_record() -> Outcome {
    let mut report = plain("570.86.15", 2);
    report.cases.push(without_rows("model::anything"));
    let mut crashed = report.clone();
    failed(&mut crashed.cases[2], Verdict::Crash, Defect::Crash);
    let reports = Reports::new(&report, &crashed)?;
    check!(reports.run(&["record", "update", "old", "--records", "."])?.status.success());
    for sides in [[RECORD, "old"], ["old", RECORD]] {
        let (printed, code) = diff(&reports, &sides)?;
        check!(code == Some(0) && !printed.contains("model::"), "{sides:?}: {printed}");
        check!(printed.contains("\ncases: 2 the same\n"), "{sides:?}: {printed}");
    }
    let (printed, _) = diff(&reports, &[RECORD, "new"])?;
    check!(printed.contains("1 case is checked for the first time, and it fails (1 crash)"), "{printed}");
    Ok(())
}

/// `--exit-on failed` counts a case that was not checked before, and `--exit-on any` counts all that the default does.
#[rstest]
#[case::new_failure(|old: &mut Report, new: &mut Report| {
    old.cases[1].verdict = Verdict::Unsupported;
    failed(&mut new.cases[1], Verdict::Crash, Defect::Crash);
}, [0, 1, 1])]
#[case::new_pass(|old: &mut Report, _: &mut Report| old.cases[1].verdict = Verdict::Unsupported, [0, 0, 1])]
#[case::slower_call(|_: &mut Report, new: &mut Report| *new = timed([90.0; 3]), [1, 1, 1])]
#[conformance::test()]
fn what_counts_can_be_chosen(#[case] alter: fn(&mut Report, &mut Report), #[case] codes: [i32; 3]) -> Outcome {
    let (mut old, mut new) = (timed([1.0; 3]), timed([1.0; 3]));
    alter(&mut old, &mut new);
    let reports = Reports::new(&old, &new)?;
    for (exit_on, expected) in ["regressed", "failed", "any"].into_iter().zip(codes) {
        let (printed, code) = diff(&reports, &["--exit-on", exit_on, "old", "new"])?;
        check!(code == Some(expected), "--exit-on {exit_on}: {code:?}: {printed}");
    }
    Ok(())
}

/// A worse defect is a regression, whatever the verdicts are called. After an error of the harness nothing is known.
#[rstest]
#[case::corruption((Verdict::Fail, Defect::Code), (Verdict::Fail, Defect::Corruption), Some(1))]
#[case::less_bad((Verdict::Fail, Defect::Corruption), (Verdict::Fail, Defect::Code), Some(0))]
#[case::leak_after_a_corruption((Verdict::Fail, Defect::Corruption), (Verdict::Leak, Defect::Leak), Some(0))]
#[case::corruption_after_a_leak((Verdict::Leak, Defect::Leak), (Verdict::Fail, Defect::Corruption), Some(1))]
#[case::crash_after_an_error((Verdict::Error, Defect::Unknown), (Verdict::Crash, Defect::Crash), None)]
#[conformance::test()]
fn a_worse_defect_is_a_regression(
    #[case] before: (Verdict, Defect),
    #[case] now: (Verdict, Defect),
    #[case] code: Option<i32>,
) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 2), plain("570.86.15", 2));
    failed(&mut old.cases[1], before.0, before.1);
    failed(&mut new.cases[1], now.0, now.1);
    let reports = Reports::new(&old, &new)?;
    let (printed, found) = diff(&reports, &["old", "new"])?;
    match code {
        Some(code) => check!(found == Some(code), "{found:?}: {printed}"),
        None => check!(printed.contains("checked for the first time, and it fails (1 crash)"), "{printed}"),
    }
    Ok(())
}

/// A report that lost the lines of cases is not taken for a complete one.
#[rstest]
#[conformance::test()]
fn lost_lines_are_told() -> Outcome {
    let report = plain("570.86.15", 3);
    let reports = Reports::new(&report, &report)?;
    let lines = std::fs::read_to_string(reports.path("new")).map_err(harness)?;
    let kept: Vec<_> = lines.lines().filter(|line| !line.contains("\"line\":\"case\"")).collect();
    check!(kept.len() < lines.lines().count(), "{lines}");
    std::fs::write(reports.path("new"), kept.join("\n") + "\n").map_err(harness)?;
    let (printed, _) = diff(&reports, &["old", "new"])?;
    check!(printed.contains("or lacks cases that it counts"), "{printed}");
    check!(!printed.contains("no longer in the suite"), "{printed}");
    Ok(())
}

/// The first sentence says it if everything takes several times as long.
#[rstest]
#[conformance::test()]
fn a_slowdown_of_everything_is_in_the_first_sentence() -> Outcome {
    let all = |ms: f64| {
        let mut report = plain("570.86.15", 3);
        report.run.load = Some(Load { threads: 0.5, processors: 4 });
        let calls = ["ipc_open_mem_handle", "ipc_close_mem_handle", "mem_alloc"];
        let steps: Vec<_> = calls.iter().map(|call| step(call, ms)).collect();
        report.cases.iter_mut().for_each(|case| case.steps = steps.clone());
        report
    };
    let (printed, _) = diff(&Reports::new(&all(2.0), &all(100.0))?, &["old", "new"])?;
    let first = printed.lines().next().unwrap_or_default();
    check!(first.contains("a typical call took 50.0 times as long"), "{printed}");
    Ok(())
}

/// Numbers that no run writes do not end the command.
#[rstest]
#[conformance::test()]
fn absurd_numbers_end_no_command() -> Outcome {
    let mut report = timed([-5.0; 3]);
    for case in &mut report.cases {
        failed(case, Verdict::Crash, Defect::Crash);
        case.runs = Some(Runs { failed: u32::MAX, of: u32::MAX });
    }
    let (printed, code) = diff(&Reports::new(&timed([90.0; 3]), &report)?, &["old", "new"])?;
    check!(code == Some(1) && !printed.contains("-5"), "{code:?}: {printed}");
    Ok(())
}

/// Times whose sum no number holds are numbers in the JSON all the same.
#[rstest]
#[case::sum(1.0)]
#[case::factor(0.0)]
#[conformance::test()]
fn a_sum_of_absurd_times_follows_the_schema(#[case] before: f64) -> Outcome {
    let reports = Reports::new(&timed([before; 3]), &timed([1e308; 3]))?;
    let (json, _) = diff(&reports, &["old", "new", "--format", "json"])?;
    let json: serde_json::Value = serde_json::from_str(&json).map_err(harness)?;
    let published = serde_json::from_str(include_str!("../../diff.schema.json")).map_err(harness)?;
    let validator = jsonschema::validator_for(&published).map_err(harness)?;
    let errors: Vec<_> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
    check!(errors.is_empty(), "{errors:?}");
    let differences =
        json["changes"].as_array().into_iter().flatten().filter_map(|change| change["differences"].as_array());
    let times: Vec<_> = differences.flatten().filter(|difference| difference["what"] == "time").collect();
    check!(times.len() == 3 && times.iter().all(|time| time["new"].is_number()), "{json:#}");
    Ok(())
}

/// A case that hung did not become faster: how long its last call would have taken is unknown.
#[rstest]
#[conformance::test()]
fn a_hung_case_has_no_time(#[values(true, false)] is_the_old: bool, #[values(0, 2)] returned: usize) -> Outcome {
    let (mut old, mut new) = (timed([250.0; 3]), timed([250.0; 3]));
    let hung = if is_the_old { &mut old } else { &mut new };
    failed(&mut hung.cases[1], Verdict::Timeout, Defect::Hang);
    for (place, step) in hung.cases[1].steps.iter_mut().enumerate() {
        step.ms = (place < returned).then_some(0.1);
    }
    hung.cases[1].duration_ms = 30_000.0;
    let (printed, _) = diff(&Reports::new(&old, &new)?, &["old", "new", "--all"])?;
    check!(printed.contains("timeout") && !printed.contains("time:"), "{printed}");
    Ok(())
}
