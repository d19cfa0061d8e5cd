//! What is the same defect, or no defect at all, although two reports tell it in different words.

use conformance::report::{CaseReport, Report};
use conformance::{Defect, Failure, Outcome, Stop, Verdict, check};
use rstest::rstest;
use serde_json::{Value, json};

use crate::command::{Reports, case, conformance, finish, plain, text, without_rows};
use crate::suite::{harness, run, suite};

fn failed(case: &mut CaseReport, verdict: Verdict, reason: &str, failure: Option<Failure>) {
    (case.verdict, case.reason, case.failure) = (verdict, Some(reason.to_owned()), failure);
}

/// Returns the text of a comparison of which every change counts, and its exit code.
fn diff(old: &Report, new: &Report) -> Result<(String, Option<i32>), Stop> {
    let output = Reports::new(old, new)?.run(&["diff", "old", "new", "--exit-on", "any", "--no-time"])?;
    Ok((text(&output.stdout), output.status.code()))
}

/// A release that the driver refuses is a wrong code, in the same words in each run.
#[rstest]
#[conformance::test()]
fn a_refused_release_is_the_same_in_each_run() -> Outcome {
    let faulty = || {
        let mut command = suite("reference")?;
        command.env("CONFORMANCE_PLANTED", "held::").env("REFERENCE_DRIVER_FAULT", "close-ignores-the-count");
        command.args(["--seed", "1", "--reruns", "0"]);
        run(command)
    };
    let (old, new) = (faulty()?, faulty()?);
    let report = new.report()?;
    let kept: Vec<_> = report.cases.iter().filter(|case| case.verdict == Verdict::Fail).collect();
    check!(kept.len() == 2, "{}", new.text());
    for case in kept {
        let reason = "importer: after the case, cannot release an import: cuIpcCloseMemHandle returned \
                      CUDA_ERROR_INVALID_VALUE (1), expected CUDA_SUCCESS";
        check!(case.reason.as_deref() == Some(reason), "{:?}", case.reason);
        let what = case.failure.as_ref().and_then(Failure::what).unwrap_or_default();
        check!(what == "cuIpcCloseMemHandle returned CUDA_ERROR_INVALID_VALUE (1)", "{:?}", case.failure);
        check!(case.failure.as_ref().is_some_and(|failure| failure.kind == Defect::Code), "{:?}", case.failure);
    }
    let mut command = conformance(&["diff", "--exit-on", "any", "--no-time"])?;
    command.arg(old.path()).arg(new.path());
    let (code, printed, _) = finish(command)?;
    check!(code == Some(0), "{printed}");
    Ok(())
}

/// A close that returns an error is one cause, whether the case made it or the runner did at the end, and in any role.
#[rstest]
#[conformance::test()]
fn a_close_that_returns_an_error_is_one_cause() -> Outcome {
    let with = |fault: Option<&str>| {
        let mut command = suite("reference")?;
        command.env("CONFORMANCE_PLANTED", "held::").args(["--seed", "1", "--reruns", "0"]);
        fault.map(|fault| command.env("REFERENCE_DRIVER_FAULT", fault));
        run(command)
    };
    let (old, new) = (with(None)?, with(Some("close-returns-an-error"))?);
    let mut command = conformance(&["diff", "--format", "json", "--no-time"])?;
    command.arg(old.path()).arg(new.path());
    let (_, json, _) = finish(command)?;
    let json: Value = serde_json::from_str(&json).map_err(harness)?;
    let causes = json["causes"].as_array().cloned().unwrap_or_default();
    check!(causes.len() == 1 && causes[0]["cases"].as_array().is_some_and(|cases| cases.len() == 4), "{json:#}");
    Ok(())
}

/// Numbers that each run has its own are not compared.
#[rstest]
#[case::address("x: cannot release Import(140068901449728)", "x: cannot release Import(140068901453824)", true)]
#[case::file(
    "x: a file descriptor of /dev/shm/reference-driver-14666 is still open",
    "x: a file descriptor of /dev/shm/reference-driver-15001 is still open",
    true
)]
#[case::file_of_cuda("/dev/shm/cuda.shm.0.2f3a.14 is left", "/dev/shm/cuda.shm.0.bead.15 is left", true)]
#[case::deadline("no answer to f() before the deadline of 10s", "no answer to f() before the deadline of 0.5s", true)]
#[case::no_deadline("no answer to f() before the deadline", "no answer to f() before the deadline of 10s", true)]
#[case::words_after_it(
    "run 1: timeout: no answer to f() before the deadline; run 2: pass",
    "run 1: timeout: no answer to f() before the deadline of 0.5s; run 2: pass",
    true
)]
#[case::two_deadlines(
    "run 1: no answer to f() before the deadline of 10s; run 2: no answer to g() before the deadline of 10s",
    "run 1: no answer to f() before the deadline of 20s; run 2: no answer to g() before the deadline of 20s",
    true
)]
#[case::lines_after_it(
    "no answer to f() before the deadline\na script",
    "no answer to f() before the deadline of 10s\na script",
    true
)]
#[case::other_lines_after_it(
    "no answer to f() before the deadline of 10s\none script",
    "no answer to f() before the deadline of 10s\nanother script",
    false
)]
#[case::size("17179869184 bytes are missing", "17179869185 bytes are missing", false)]
#[case::after_the_file("/dev/shm/file has 3 links", "/dev/shm/file has 4 links", false)]
#[conformance::test()]
fn numbers_of_one_run_are_not_compared(#[case] before: &str, #[case] now: &str, #[case] is_same: bool) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 2), plain("570.86.15", 2));
    failed(&mut old.cases[0], Verdict::Fail, before, None);
    failed(&mut new.cases[0], Verdict::Fail, now, None);
    let (printed, code) = diff(&old, &new)?;
    check!(code == Some(i32::from(!is_same)), "{printed}");
    Ok(())
}

/// The same failure of several roles has one cause, which names none of them. All other words of the reason stay.
#[rstest]
#[case::leak(
    Verdict::Leak,
    Defect::Leak,
    "a file descriptor of /dev/null is still open after the process released everything"
)]
#[case::with_a_colon(Verdict::Fail, Defect::Result, "range: the size is wrong")]
#[conformance::test()]
fn a_cause_is_that_of_any_role(#[case] verdict: Verdict, #[case] kind: Defect, #[case] what: &str) -> Outcome {
    let (old, mut new) = (plain("570.86.15", 3), plain("570.86.15", 3));
    for (case, role) in new.cases.iter_mut().zip(["importer", "exporter", "process 3"]) {
        failed(case, verdict, &format!("{role}: {what}"), Some(Failure::of(kind)));
    }
    let (printed, _) = diff(&old, &new)?;
    check!(printed.contains(&format!("(1 {kind}): {what}, in 3 cases.")), "{printed}");
    check!(printed.contains(&format!("  {kind}: {what} (3 cases)")), "{printed}");
    Ok(())
}

/// What a model sees depends on its scripts, so it is compared only between runs with one seed. What other cases see is
/// always compared.
#[rstest]
#[case::model_of_another_seed("model::all_together", 8, 0)]
#[case::model_of_the_same_seed("model::all_together", 7, 1)]
#[case::case_of_another_seed("ipcmem::open::x", 8, 1)]
#[conformance::test()]
fn models_are_compared_only_with_the_same_seed(#[case] id: &str, #[case] seed: u64, #[case] code: i32) -> Outcome {
    let with = |seed: u64, opened: &[&str]| {
        let mut report = plain("570.86.15", 2);
        report.run.seed = seed;
        let mut model = if id.starts_with("model") { without_rows(id) } else { case(id) };
        model.observations = opened.iter().map(|code| ("open".to_owned(), json!(code))).collect();
        report.cases.push(model);
        report.cases.sort_by(|one, other| one.id.cmp(&other.id));
        report
    };
    let (printed, found) = diff(&with(7, &[]), &with(seed, &["CUDA_SUCCESS (0)"]))?;
    check!(found == Some(code), "{found:?}: {printed}");
    Ok(())
}

/// The scripts of a model also decide how long it takes, so its durations are compared only between runs with one seed.
#[rstest]
#[case::model_of_another_seed("model::all_together", 8, false)]
#[case::model_of_the_same_seed("model::all_together", 7, true)]
#[case::case_of_another_seed("ipcmem::open::x", 8, true)]
#[conformance::test()]
fn durations_of_models_are_compared_only_with_the_same_seed(
    #[case] id: &str,
    #[case] seed: u64,
    #[case] is_compared: bool,
) -> Outcome {
    let with = |seed: u64, duration_ms: f64| {
        let mut report = plain("570.86.15", 2);
        report.run.seed = seed;
        report.cases.push(CaseReport { duration_ms, ..case(id) });
        report.cases.sort_by(|one, other| one.id.cmp(&other.id));
        report
    };
    let output = Reports::new(&with(7, 200.0), &with(seed, 2000.0))?.run(&["diff", "old", "new"])?;
    let printed = text(&output.stdout);
    check!(printed.contains("time: 200 ms -> 2000 ms") == is_compared, "{}: {printed}", output.status);
    Ok(())
}

/// A report of an earlier suite names the suite's helpers. Its crashes and hangs are those of the functions.
#[rstest]
#[case::crash(
    Verdict::Crash,
    "killed by signal 11 (SIGSEGV) in mem_import_from_descriptor(descriptor: Descriptor(8))",
    "killed by signal 11 (SIGSEGV) in cuMemImportFromShareableHandle(descriptor: Descriptor(8))"
)]
#[case::as_a_value(
    Verdict::Crash,
    "killed by signal 11 (SIGSEGV) in mem_info {}",
    "killed by signal 11 (SIGSEGV) in cuMemGetInfo()"
)]
#[case::hang(
    Verdict::Timeout,
    "no answer to mem_pool_export_to_fabric(pool: Pool(0x7)) before the deadline",
    "no answer to cuMemPoolExportToShareableHandle(pool: Pool(0x9)) before the deadline"
)]
#[conformance::test()]
fn helpers_have_the_names_of_their_functions(
    #[case] verdict: Verdict,
    #[case] before: &str,
    #[case] now: &str,
) -> Outcome {
    let with = |reason: &str, call: Option<&str>| {
        let mut report = plain("570.86.15", 2);
        let kind = if verdict == Verdict::Crash { Defect::Crash } else { Defect::Hang };
        let failure = call.map(|call| Failure { call: Some(call.to_owned()), ..Failure::of(kind) });
        failed(&mut report.cases[0], verdict, &format!("importer: {reason}"), failure);
        report
    };
    let helper = before.split(['(', ' ']).find(|word| word.starts_with("mem_")).unwrap_or_default();
    let (old, new) = (with(before, Some(helper)), with(now, None));
    let (printed, code) = diff(&old, &new)?;
    check!(code == Some(0), "{printed}");
    // A report of an earlier suite may have no failure, and its reason says the same.
    let causes: Vec<_> = [&old, &new]
        .map(|report| {
            let reports = Reports::new(&plain("570.86.15", 2), report)?;
            let printed = text(&reports.run(&["diff", "old", "new"])?.stdout);
            Ok::<_, Stop>(printed.lines().next().unwrap_or_default().to_owned())
        })
        .into_iter()
        .collect::<Result<_, _>>()?;
    check!(causes.iter().all(|cause| cause.contains("cuMem") && !cause.contains("mem_")), "{causes:?}");
    Ok(())
}

/// A case that is missing was left out by what the report says: a filter, the level or the budget.
#[rstest]
#[case::filter("the filter ipcmem with --skip x", "left out by a filter")]
#[case::level("--level quick", "left out by --level quick")]
#[case::budget("--budget 3s", "left out because the budget was spent")]
#[case::several("the filter ipcmem with --level quick", "left out by a filter, a level or a budget")]
#[conformance::test()]
fn what_left_cases_out_is_named(#[case] selection: &str, #[case] words: &str) -> Outcome {
    let (old, mut new) = (plain("570.86.15", 3), plain("570.86.15", 2));
    (new.run.is_partial, new.run.selection) = (true, Some(selection.to_owned()));
    failed(&mut new.cases[1], Verdict::Unsupported, "needs 2 GPUs, found 1", None);
    new.run.devices.truncate(1);
    let (printed, _) = diff(&old, &new)?;
    let first = printed.lines().next().unwrap_or_default();
    check!(first.contains(&format!("{words} (1)")), "{printed}");
    check!(printed.contains(&format!("  {words} (1 case)")), "{printed}");
    Ok(())
}
