//! `conformance diff` finds the planted differences and nothing else.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use conformance::report::{CaseReport, Report, Runs};
use conformance::{Outcome, Stop, Verdict, check};
use rstest::rstest;
use rustix::process::{Resource, Rlimit, setrlimit};
use serde_json::{Value, json};

use crate::command::{Reports, case, conformance, plain, text};
use crate::suite::{harness, run, suite};

/// The index of the case that is changed, of three cases.
const CHANGED: usize = 1;

/// Returns the comparison as JSON, and the exit code.
pub(crate) fn compared(old: &Report, new: &Report) -> Result<(Value, Option<i32>), Stop> {
    let output = Reports::new(old, new)?.run(&["diff", "old", "new", "--format", "json"])?;
    check!(output.stderr.is_empty(), "{}", text(&output.stderr));
    Ok((serde_json::from_slice(&output.stdout).map_err(harness)?, output.status.code()))
}

fn ended(case: &mut CaseReport, verdict: Verdict, reason: &str) {
    (case.verdict, case.reason) = (verdict, Some(reason.to_owned()));
}

/// A planted difference of one case is the only one that is reported, with its severity, and decides the exit code.
#[rstest]
#[case::fails("regressed", &["verdict", "reason"], |_: &mut CaseReport, new: &mut CaseReport| ended(new, Verdict::Fail, "x does not hold"))]
#[case::not_checked("unchecked", &["verdict", "reason"], |_: &mut CaseReport, new: &mut CaseReport| {
    ended(new, Verdict::Unsupported, "needs a GPU");
    new.observations.clear();
})]
#[case::became_a_listed_bug("regressed", &["verdict", "reason"], |_: &mut CaseReport, new: &mut CaseReport| ended(new, Verdict::Deviation, "listed"))]
#[case::crashes_instead("regressed", &["verdict"], |old: &mut CaseReport, new: &mut CaseReport| {
    ended(old, Verdict::Fail, "so");
    ended(new, Verdict::Crash, "so");
})]
#[case::fails_otherwise_than_listed("regressed", &["verdict"], |old: &mut CaseReport, new: &mut CaseReport| {
    ended(old, Verdict::Deviation, "so");
    ended(new, Verdict::Fail, "so");
})]
#[case::is_listed_now("different", &["verdict"], |old: &mut CaseReport, new: &mut CaseReport| {
    ended(old, Verdict::Fail, "so");
    ended(new, Verdict::Deviation, "so");
})]
#[case::another_code("different", &["reason"], |old: &mut CaseReport, new: &mut CaseReport| {
    ended(old, Verdict::Fail, "returned CUDA_ERROR_UNKNOWN (999)");
    ended(new, Verdict::Fail, "returned CUDA_ERROR_INVALID_VALUE (1)");
})]
#[case::observed_otherwise("different", &["observation"], |_: &mut CaseReport, new: &mut CaseReport| {
    new.observations.insert("code".to_owned(), "CUDA_ERROR_INVALID_VALUE (1)".into());
})]
#[case::observed_no_more("different", &["observation"], |_: &mut CaseReport, new: &mut CaseReport| new.observations.clear())]
#[case::slower("time", &["time"], |_: &mut CaseReport, new: &mut CaseReport| new.duration_ms = 310.0)]
#[case::quicker("time", &["time"], |old: &mut CaseReport, _: &mut CaseReport| old.duration_ms = 310.0)]
#[case::holds_again("better", &["verdict", "reason"], |old: &mut CaseReport, _: &mut CaseReport| ended(old, Verdict::Crash, "killed by signal 11"))]
#[conformance::test()]
fn a_planted_difference_is_found(
    #[case] severity: &str,
    #[case] kinds: &[&str],
    #[case] plant: fn(&mut CaseReport, &mut CaseReport),
) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("570.86.15", 3));
    plant(&mut old.cases[CHANGED], &mut new.cases[CHANGED]);
    let (diff, code) = compared(&old, &new)?;
    let changes = diff["changes"].as_array().cloned().unwrap_or_default();
    check!(changes.len() == 1 && diff["same"] == 2 && diff["environment"] == json!([]), "{diff:#}");
    check!(changes[0]["id"] == old.cases[CHANGED].id.as_str() && changes[0]["severity"] == severity, "{diff:#}");
    let differences = changes[0]["differences"].as_array().cloned().unwrap_or_default();
    let found: Vec<_> = differences.iter().filter_map(|difference| difference["what"].as_str()).collect();
    check!(found == kinds, "{differences:?}");
    check!(code == Some(i32::from(severity == "regressed")), "the command ended with {code:?}");
    Ok(())
}

/// Values that differ in every run are not a difference.
#[rstest]
#[case::address(|case: &mut CaseReport, n: u64| ended(case, Verdict::Fail, &format!("0x7f{n:010x} is not mapped")))]
#[case::handle(|case: &mut CaseReport, n: u64| ended(case, Verdict::Fail, &format!("MemHandle({:0>64x}) does not open", n + 77)))]
#[case::process(|case: &mut CaseReport, n: u64| ended(case, Verdict::Fail, &format!("/memfd:cuda:{}:0 is open", 8315 + n)))]
#[case::call_of_an_earlier_suite(|case: &mut CaseReport, n: u64| {
    let call = if n == 0 { "the call" } else { "importer: cuMemMap" };
    ended(case, Verdict::Deviation, &format!("{call} returned CUDA_SUCCESS, expected an error (listed: x)"));
})]
#[case::observed_address(|case: &mut CaseReport, n: u64| {
    case.observations.insert("addresses".to_owned(), json!([139_653_476_777_984_u64 + n]));
})]
#[case::short(|case: &mut CaseReport, n: u64| case.duration_ms = 1.0 + 98.0 * n as f64)]
#[case::three_times(|case: &mut CaseReport, n: u64| case.duration_ms = 100.0 + 200.0 * n as f64)]
#[case::steps(|case: &mut CaseReport, n: u64| case.steps.truncate(n as usize))]
#[conformance::test()]
fn noise_is_not_a_difference(#[case] plant: fn(&mut CaseReport, u64)) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("570.86.15", 3));
    plant(&mut old.cases[CHANGED], 0);
    plant(&mut new.cases[CHANGED], 1);
    let (diff, code) = compared(&old, &new)?;
    check!(diff["changes"] == json!([]) && diff["same"] == 3 && code == Some(0), "{diff:#}");
    Ok(())
}

/// A case that fails in more of its runs than before regressed, and one that fails in fewer is better. A difference of
/// less than half of the runs can be chance. If one report does not say how often the case failed, nothing is compared.
#[rstest]
#[case::always_now(Some((1, 3)), Some((3, 3)), Some("regressed"))]
#[case::sometimes_now(Some((3, 3)), Some((1, 3)), Some("better"))]
#[case::much_more_often(Some((1, 20)), Some((11, 20)), Some("regressed"))]
#[case::always_in_more_runs(Some((1, 3)), Some((20, 20)), Some("regressed"))]
#[case::by_chance(Some((1, 3)), Some((2, 3)), Some("different"))]
#[case::as_often(Some((1, 3)), Some((2, 6)), None)]
#[case::unknown(None, Some((3, 3)), None)]
#[conformance::test()]
fn how_often_a_case_fails_is_compared(
    #[case] before: Option<(u32, u32)>,
    #[case] now: Option<(u32, u32)>,
    #[case] severity: Option<&str>,
) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("570.86.15", 3));
    for (report, runs) in [(&mut old, before), (&mut new, now)] {
        ended(&mut report.cases[CHANGED], Verdict::Fail, "x does not hold");
        report.cases[CHANGED].runs = runs.map(|(failed, of)| Runs { failed, of });
    }
    let (diff, code) = compared(&old, &new)?;
    check!(diff["changes"][0]["severity"].as_str() == severity, "{diff:#}");
    check!(code == Some(i32::from(severity == Some("regressed"))), "{code:?}: {diff:#}");
    let (Some(severity), Some(before), Some(now)) = (severity, before, now) else { return Ok(()) };
    let json = |(failed, of)| json!({ "failed": failed, "of": of });
    let expected = json!([
        { "what": "runs", "verdict": "fail", "reason": "x does not hold", "old": json(before), "new": json(now) }
    ]);
    check!(diff["changes"][0]["differences"] == expected, "{diff:#}");
    let words = format!("fail: {} of {} -> {} of {} runs", before.0, before.1, now.0, now.1);
    let reports = Reports::new(&old, &new)?;
    let printed = text(&reports.run(&["diff", "old", "new"])?.stdout);
    check!(printed.contains(&words) && printed.contains(&format!("{severity} (1)")), "{printed}");
    if severity == "regressed" {
        let first = printed.lines().next().unwrap_or_default();
        let says = format!(
            "No documented rule broke since the earlier run of this driver; 1 case fails more often (before: {} of {} \
             runs): x does not hold, in {} of {} runs.",
            before.0, before.1, now.0, now.1
        );
        check!(first == says, "{printed}");
    }
    let page = text(&reports.run(&["html", "new", "--compare", "old"])?.stdout);
    check!(page.contains(&format!("<td>{} of {} runs</td>", now.0, now.1)), "{page}");
    Ok(())
}

/// A rule that was broken before did not break now: the first sentence says that its case fails more often, also for a
/// reason with other numbers, or in a worse way.
#[rstest]
#[case::other_numbers(
    (Verdict::Fail, "importer read 1 wrong byte of 4096", Some(1)),
    (Verdict::Fail, "importer read 7 wrong bytes of 4096", Some(3)),
    "1 case fails more often (before: 1 of 3 runs): importer read 7 wrong bytes of 4096, in 3 of 3 runs."
)]
#[case::worse(
    (Verdict::Fail, "x does not hold", None),
    (Verdict::Crash, "importer: killed by signal 11 (SIGSEGV) in cuMemPoolDestroy(pool: Pool(0x7))", None),
    "1 case fails in a worse way than before: SIGSEGV in cuMemPoolDestroy."
)]
#[case::no_longer_listed(
    (Verdict::Deviation, "x does not hold (listed: https://example.org/7)", None),
    (Verdict::Fail, "x does not hold (site.toml excused it until 2026-01-31; owner: storage)", None),
    "1 case fails as before, but no list excuses it any more: x does not hold."
)]
#[case::worse_than_listed(
    (Verdict::Deviation, "x does not hold (listed: https://example.org/7)", None),
    (Verdict::Crash, "importer: killed by signal 11 (SIGSEGV) in cuMemPoolDestroy(pool: Pool(0x7))", None),
    "1 case fails in a worse way than before: SIGSEGV in cuMemPoolDestroy."
)]
#[case::unlike_the_list(
    (Verdict::Deviation, "x does not hold (listed: https://example.org/7)", None),
    (Verdict::Fail, "y does not hold", None),
    "1 case fails in another way than a list says: y does not hold."
)]
#[case::worse_and_more_often(
    (Verdict::Fail, "x does not hold", Some(1)),
    (Verdict::Crash, "importer: killed by signal 11 (SIGSEGV) in cuMemPoolDestroy(pool: Pool(0x7))", Some(3)),
    "1 case fails in a worse way than before: SIGSEGV in cuMemPoolDestroy, in 3 of 3 runs."
)]
#[conformance::test()]
fn a_broken_rule_does_not_break_again(
    #[case] before: (Verdict, &str, Option<u32>),
    #[case] now: (Verdict, &str, Option<u32>),
    #[case] says: &str,
) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("570.86.15", 3));
    for (report, (verdict, reason, failed)) in [(&mut old, before), (&mut new, now)] {
        ended(&mut report.cases[CHANGED], verdict, reason);
        report.cases[CHANGED].runs = failed.map(|failed| Runs { failed, of: 3 });
    }
    let output = Reports::new(&old, &new)?.run(&["diff", "old", "new"])?;
    let printed = text(&output.stdout);
    let first = format!("No documented rule broke since the earlier run of this driver; {says}");
    check!(printed.lines().next() == Some(first.as_str()), "{printed}");
    check!(output.status.code() == Some(1), "{}: {printed}", output.status);
    Ok(())
}

/// If the case that fails more often has its cause in common with another case, the first sentence says in how many runs
/// that case failed.
#[rstest]
#[conformance::test()]
fn the_runs_of_a_shared_cause_are_not_those_of_one_case() -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("570.86.15", 3));
    for (report, failed) in [(&mut old, 1), (&mut new, 3)] {
        ended(&mut report.cases[CHANGED], Verdict::Fail, "x does not hold");
        report.cases[CHANGED].runs = Some(Runs { failed, of: 3 });
    }
    ended(&mut new.cases[2], Verdict::Fail, "x does not hold");
    let printed = text(&Reports::new(&old, &new)?.run(&["diff", "old", "new"])?.stdout);
    let says = "; 1 case fails more often (3 of 3 runs, before: 1 of 3): x does not hold, in 2 cases (";
    check!(printed.lines().next().is_some_and(|first| first.contains(says)), "{printed}");
    Ok(())
}

/// A case that crashed in one of three runs and now fails in each fails more often, although a crash is worse than a
/// failure.
#[rstest]
#[conformance::test()]
fn a_rare_crash_that_became_a_steady_failure_regressed() -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("570.86.15", 3));
    for (report, verdict, failed) in [(&mut old, Verdict::Crash, 1), (&mut new, Verdict::Fail, 3)] {
        ended(&mut report.cases[CHANGED], verdict, "x does not hold");
        report.cases[CHANGED].runs = Some(Runs { failed, of: 3 });
    }
    let (diff, code) = compared(&old, &new)?;
    check!(diff["changes"][0]["severity"] == "regressed" && code == Some(1), "{code:?}: {diff:#}");
    Ok(())
}

/// A harness error says nothing of the driver. If the case then fails in each of its runs, its rule broke. The sentence
/// does not say that the case fails more often.
#[rstest]
#[conformance::test()]
fn a_failure_after_a_harness_error_is_not_only_more_frequent() -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("570.86.15", 3));
    for (report, verdict, failed) in [(&mut old, Verdict::Error, 1), (&mut new, Verdict::Fail, 3)] {
        ended(&mut report.cases[CHANGED], verdict, "x does not hold");
        report.cases[CHANGED].runs = Some(Runs { failed, of: 3 });
    }
    let printed = text(&Reports::new(&old, &new)?.run(&["diff", "old", "new"])?.stdout);
    check!(printed.contains(": 1 documented rule broke since ") && !printed.contains("more often"), "{printed}");
    Ok(())
}

/// A case that neither run could check did not change, whatever each machine lacks.
#[rstest]
#[conformance::test()]
fn another_reason_for_an_unsupported_case_is_no_change() -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("570.86.15", 3));
    ended(&mut old.cases[CHANGED], Verdict::Unsupported, "needs 2 GPUs, found 1");
    ended(&mut new.cases[CHANGED], Verdict::Unsupported, "needs peer access");
    let (diff, code) = compared(&old, &new)?;
    check!(diff["changes"] == json!([]) && diff["same"] == 3 && code == Some(0), "{diff:#}");
    let output = Reports::new(&old, &new)?.run(&["diff", "old", "new", "--exit-on", "any"])?;
    check!(output.status.code() == Some(0), "{}", text(&output.stdout));
    Ok(())
}

/// The durations of runs that repeat their cases differently often are not compared.
#[rstest]
#[conformance::test()]
fn durations_of_more_runs_are_not_compared() -> Outcome {
    let (old, mut new) = (plain("570.86.15", 3), plain("570.86.15", 3));
    new.run.repeat = std::num::NonZeroU32::new(20).ok_or_else(|| harness("20 is zero"))?;
    new.cases.iter_mut().for_each(|case| case.duration_ms *= 20.0);
    let (diff, _) = compared(&old, &new)?;
    check!(diff["changes"] == json!([]) && diff["same"] == 3, "{diff:#}");
    check!(diff["environment"] == json!([{ "name": "repeat", "old": 1, "new": 20 }]), "{diff:#}");
    Ok(())
}

/// Cases that are only in one report, or that did not end, are changes. The text says in words what they are.
#[rstest]
#[case::came("new", json!([{ "what": "added", "verdict": "pass" }]), |_: &mut Report, new: &mut Report| new.cases.push(case("vmm::new")))]
#[case::came_and_fails("new", json!([{ "what": "added", "verdict": "fail" }, { "what": "reason", "old": null, "new": "so" }]),
    |_: &mut Report, new: &mut Report| {
        new.cases.push(case("vmm::new"));
        ended(&mut new.cases[3], Verdict::Fail, "so");
    })]
#[case::went("unchecked", json!([{ "what": "removed", "verdict": "pass" }]), |old: &mut Report, _: &mut Report| old.cases.push(case("vmm::new")))]
#[case::was_running("unchecked", json!([{ "what": "unended", "old": "pass" }]), |old: &mut Report, new: &mut Report| {
    old.cases.push(case("vmm::new"));
    new.running.push("vmm::new".to_owned());
    new.is_complete = false;
})]
#[conformance::test()]
fn cases_in_only_one_report_are_changes(
    #[case] severity: &str,
    #[case] differences: Value,
    #[case] plant: fn(&mut Report, &mut Report),
) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("570.86.15", 3));
    plant(&mut old, &mut new);
    let (diff, code) = compared(&old, &new)?;
    check!(diff["changes"].as_array().is_some_and(|changes| changes.len() == 1) && diff["same"] == 3, "{diff:#}");
    let change = &diff["changes"][0];
    check!(change["id"] == "vmm::new" && change["severity"] == severity, "{diff:#}");
    check!(change["differences"] == differences, "{change:#}");
    check!(code == Some(i32::from(severity == "regressed")), "the command ended with {code:?}");
    let printed = text(&Reports::new(&old, &new)?.run(&["diff", "old", "new"])?.stdout);
    let words = if severity == "new" { "checked for the first time" } else { "no longer checked" };
    check!(printed.contains(&format!("\n{words} (1)\n")), "{printed}");
    check!(printed.contains(&format!("\ncases: 1 {words}, 3 the same\n")), "{printed}");
    Ok(())
}

/// Of a thousand cases, exactly the planted ones are reported, sorted by severity and then by name.
#[rstest]
#[conformance::test()]
fn exactly_the_planted_differences_are_found() -> Outcome {
    let (old, mut new) = (plain("570.86.15", 1000), plain("580.159.04", 1000));
    let planted = [(900, "regressed"), (901, "regressed"), (3, "different"), (500, "different"), (42, "time")];
    for (place, severity) in planted {
        let case = &mut new.cases[place];
        match severity {
            "regressed" => ended(case, Verdict::Timeout, "no reply before the deadline"),
            "different" => drop(case.observations.insert("code".to_owned(), json!(false))),
            _ => case.duration_ms = 500.0,
        }
    }
    let (diff, _) = compared(&old, &new)?;
    let changes = diff["changes"].as_array().into_iter().flatten();
    let found: Vec<_> =
        changes.filter_map(|change| Some((change["id"].as_str()?, change["severity"].as_str()?))).collect();
    let expected: Vec<_> = planted.iter().map(|(place, severity)| (old.cases[*place].id.as_str(), *severity)).collect();
    check!(found == expected, "{found:?}");
    check!(diff["same"] == 995, "{} are the same", diff["same"]);
    Ok(())
}

/// The JSON follows its schema, and the published schema is that of the types.
#[rstest]
#[conformance::test()]
fn the_schema_of_comparisons_is_published() -> Outcome {
    let published: Value = serde_json::from_str(include_str!("../../diff.schema.json")).map_err(harness)?;
    check!(
        published == conformance::records::schema(),
        "diff.schema.json is outdated; run cargo conformance schema diff > conformance/command/diff.schema.json"
    );
    let (old, mut new) = (plain("570.86.15", 3), plain("580.159.04", 3));
    ended(&mut new.cases[0], Verdict::Crash, "killed by signal 11");
    new.cases[1].duration_ms = 990.0;
    new.cases.truncate(2);
    let (diff, _) = compared(&old, &new)?;
    let validator = jsonschema::validator_for(&published).map_err(harness)?;
    let errors: Vec<_> = validator.iter_errors(&diff).map(|error| error.to_string()).collect();
    check!(errors.is_empty(), "{errors:?} in {diff:#}");
    check!(!validator.is_valid(&json!({ "changes": [] })));
    Ok(())
}

/// `--exit-on` selects the changes that lead to exit code 1.
#[rstest]
#[case::regressed(Verdict::Fail, "regressed", 1)]
#[case::earlier_word(Verdict::Fail, "worse", 1)]
#[case::regressed_never(Verdict::Fail, "never", 0)]
#[case::regressed_any(Verdict::Fail, "any", 1)]
#[case::different_any(Verdict::Pass, "any", 1)]
#[case::different(Verdict::Pass, "regressed", 0)]
#[conformance::test()]
fn the_exit_code_can_be_selected(#[case] verdict: Verdict, #[case] exit_on: &str, #[case] code: i32) -> Outcome {
    let (old, mut new) = (plain("570.86.15", 3), plain("580.159.04", 3));
    new.cases[CHANGED].verdict = verdict;
    new.cases[CHANGED].observations.clear();
    let output = Reports::new(&old, &new)?.run(&["diff", "old", "new", "--exit-on", exit_on])?;
    check!(output.status.code() == Some(code), "{}", output.status);
    Ok(())
}

/// The first line of the text is the result. Then come the compared runs, the machine, the changes with their rows, and
/// the counts. Without a terminal, the text has no colours.
#[rstest]
#[conformance::test()]
fn the_text_shows_runs_changes_and_counts() -> Outcome {
    let (old, mut new) = (plain("570.86.15", 4), plain("580.159.04", 3));
    ended(&mut new.cases[0], Verdict::Fail, "cuIpcOpenMemHandle returned CUDA_ERROR_UNKNOWN (999)");
    new.running = vec![old.cases[3].id.clone()];
    new.is_complete = false;
    let reports = Reports::new(&old, &new)?;
    let printed = text(&reports.run(&["diff", "old", "new"])?.stdout);
    let order = [
        "Compared 3 of 4 cases, because the new run broke off while ",
        "=00003 was running: 1 documented rule broke since 570.86.15 (1 wrong result): \
         cuIpcOpenMemHandle returned CUDA_ERROR_UNKNOWN (999); 1 case is no longer checked: still running when the \
         report ends.\n",
        "old: NVIDIA 570.86.15 (CUDA 13.0) on 2 × NVIDIA H200\n",
        "new: NVIDIA 580.159.04 (CUDA 13.0) on 2 × NVIDIA H200, incomplete: ended while running ",
        "driver.version: 570.86.15 -> 580.159.04",
        "regressed (1)",
        "wrong result: cuIpcOpenMemHandle returned CUDA_ERROR_UNKNOWN (999) (1 case)",
        "IPCMEM-OPEN-002 D: A second open in the same context",
        "number=00000",
        "verdict: pass -> fail",
        "reason: cuIpcOpenMemHandle returned CUDA_ERROR_UNKNOWN (999)",
        "no longer checked (1)\n  still running when the report ends (1 case)",
        "=00003",
        "cases: 1 regressed, 1 no longer checked, 2 the same",
        "verdicts: 4 -> 2 pass, 0 -> 1 fail",
    ];
    let mut rest = printed.as_str();
    for part in order {
        let place = rest.find(part).ok_or_else(|| Stop::failed(format!("{part:?} is not in order in {printed}")))?;
        rest = &rest[place + part.len()..];
    }
    check!(!printed.contains('\u{1b}'), "the text has colours: {printed:?}");
    Ok(())
}

/// Markdown shows texts as they are, whatever is in them, and fits into a comment.
#[rstest]
#[conformance::test()]
fn markdown_fits_into_a_comment() -> Outcome {
    const LONGEST_COMMENT: usize = 65_536;
    let (old, mut new) = (plain("570.86.15", 4000), plain("580.159.04", 4000));
    for case in &mut new.cases {
        ended(case, Verdict::Fail, "`a` | </details> @all\nand");
    }
    new.run.devices[0].name = "a|<b>@c".to_owned();
    let reports = Reports::new(&old, &new)?;
    let output = reports.run(&["diff", "old", "new", "--format", "markdown", "--output", "comment.md"])?;
    check!(output.status.code() == Some(1) && output.stdout.is_empty());
    let comment = std::fs::read_to_string(reports.path("comment.md")).map_err(harness)?;
    check!(comment.len() < LONGEST_COMMENT, "{} bytes", comment.len());
    check!(comment.contains("reason: `` `a` | </details> @all and ``\n"), "{comment}");
    check!(comment.contains("a\\|&lt;b\\>@<!-- -->c") && comment.contains("| fail | 0 | 4000 |"), "{comment}");
    check!(comment.matches("<details").count() == comment.matches("\n</details>\n").count(), "{comment}");
    check!(comment.contains("and 3950 more"));
    Ok(())
}

/// If the second run has one GPU instead of two, exactly the cases that need two are no longer checked, and nothing
/// regressed.
#[rstest]
#[conformance::test()]
fn cases_that_need_more_gpus_are_no_longer_checked() -> Outcome {
    let on = |devices: &str| {
        let mut command = suite("reference")?;
        command.env("REFERENCE_DRIVER_DEVICES", devices).args(["sample::", "--seed", "1"]);
        run(command)?.report()
    };
    let (two, one) = (on("2")?, on("1")?);
    let needs_two = |case: &&CaseReport| case.reason.as_deref() == Some("needs 2 GPUs, found 1");
    let lacking: Vec<_> = one.cases.iter().filter(needs_two).map(|case| case.id.as_str()).collect();
    check!(!lacking.is_empty() && lacking.len() < one.cases.len(), "{lacking:?} of {} cases", one.cases.len());
    let (diff, code) = compared(&two, &one)?;
    let changes = || diff["changes"].as_array().into_iter().flatten();
    let unchecked = changes().filter(|change| change["why"]["because"] == "machine");
    let found: Vec<_> = unchecked.filter_map(|change| change["id"].as_str()).collect();
    check!(found == lacking, "{found:?} are no longer checked, expected {lacking:?}");
    check!(!changes().any(|change| change["severity"] == "regressed") && code == Some(0), "{diff:#}");
    let settings = diff["environment"].as_array().into_iter().flatten();
    let names: Vec<_> = settings.filter_map(|setting| setting["name"].as_str()).collect();
    check!(names.contains(&"devices[1]"), "{names:?}");
    Ok(())
}

/// The output has colours on a terminal or if the user forces them. A file has no colours.
#[rstest]
#[case::forced(&[("CLICOLOR_FORCE", "1")], &[], true)]
#[case::refused(&[("NO_COLOR", "1")], &[], false)]
#[case::file(&[("CLICOLOR_FORCE", "1")], &["--output", "file"], false)]
#[conformance::test()]
fn a_file_has_no_colours(
    #[case] variables: &[(&str, &str)],
    #[case] arguments: &[&str],
    #[case] is_coloured: bool,
) -> Outcome {
    let (old, new) = (plain("580.159.04", 3), plain("580.159.04", 2));
    let reports = Reports::new(&old, &new)?;
    let mut command = conformance(&["diff", "old", "new"])?;
    command.args(arguments).current_dir(reports.folder.path()).envs(variables.iter().copied());
    let printed = text(&command.output().map_err(harness)?.stdout);
    let written = std::fs::read_to_string(reports.path("file")).unwrap_or_default();
    check!(format!("{printed}{written}").contains("no longer checked (1)") || is_coloured, "{printed}{written}");
    check!(printed.contains("\u{1b}[") == is_coloured && !written.contains('\u{1b}'), "{printed:?}{written:?}");
    Ok(())
}

/// Reports that are larger than the available memory can be compared, because only the names of their cases are kept.
#[rstest]
#[conformance::test()]
fn a_report_larger_than_memory_can_be_compared() -> Outcome {
    const CASES: usize = 4000;
    const SEEN: usize = 8 << 10;
    const MEMORY: u64 = 24 << 20;
    let mut report = plain("580.159.04", CASES);
    for case in &mut report.cases {
        case.observations.insert("seen".to_owned(), "x".repeat(SEEN).into());
    }
    let reports = Reports::new(&report, &report)?;
    let size = std::fs::metadata(reports.path("old")).map_err(harness)?.len();
    check!(size > MEMORY, "a report of {size} bytes fits into memory, so the check is useless");
    let mut command = conformance(&["diff", "old", "new"])?;
    let limit = Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) };
    // SAFETY: The closure only makes one system call, which is allowed between fork and exec.
    unsafe { command.pre_exec(move || Ok(setrlimit(Resource::Data, limit)?)) };
    let output = command.current_dir(reports.folder.path()).output().map_err(harness)?;
    check!(output.status.success(), "{}: {}", output.status, text(&output.stderr));
    Ok(())
}

/// A report may come through a pipe, for example from a program that unpacks it.
#[rstest]
#[conformance::test()]
fn a_report_may_come_through_a_pipe() -> Outcome {
    let report = plain("580.159.04", 3);
    let reports = Reports::new(&report, &report)?;
    let mut unpacking = Command::new("cat").arg(reports.path("new")).stdout(Stdio::piped()).spawn().map_err(harness)?;
    let mut command = conformance(&["diff", "old", "/dev/stdin", "--format", "json"])?;
    command.current_dir(reports.folder.path()).stdin(unpacking.stdout.take().ok_or_else(|| harness("no pipe"))?);
    let output = command.output().map_err(harness)?;
    unpacking.wait().map_err(harness)?;
    check!(output.status.success(), "{}: {}", output.status, text(&output.stderr));
    let diff: Value = serde_json::from_slice(&output.stdout).map_err(harness)?;
    check!(diff["same"] == 3 && diff["changes"] == json!([]), "{diff:#}");
    Ok(())
}
