//! `--repeat`: a case fails if its runs disagree; otherwise its result is that of one run.

use conformance::report::CaseReport;
use conformance::{Outcome, Stop, Verdict, check};
use rstest::rstest;

use crate::suite::{Run, harness, run, suite};

/// Runs a planted case several times.
fn repeated(case: &str, times: u32, arguments: &[&str]) -> Result<(Run, CaseReport), Stop> {
    let (id, times) = (format!("planted::{case}"), times.to_string());
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--repeat", &times, "--exact", &id]).args(arguments);
    let run = run(command)?;
    let mut report = run.report()?;
    check!(report.cases.len() == 1 && report.run.repeat.to_string() == times, "{report:?}: {}", run.errors());
    let case = report.cases.remove(0);
    Ok((run, case))
}

/// A case passes if all its runs pass with the same observations. Addresses are not compared, and every run has the
/// same seed. The report counts no failed runs.
#[rstest]
#[case::addresses("unsteady::observes_an_address", 3)]
#[case::before_the_end_changes("unsteady::fails_in_run_5", 4)]
#[case::before_an_observation_changes("unsteady::observes_otherwise_in_run_3/passes", 2)]
#[case::once("unsteady::is_unsupported_in_run_2", 1)]
#[conformance::test()]
fn runs_that_agree_pass(#[case] planted: &str, #[case] times: u32) -> Outcome {
    let (run, case) = repeated(planted, times, &[])?;
    check!(case.verdict == Verdict::Pass && case.reason.is_none() && run.output.status.success(), "{case:?}");
    check!(case.runs.is_none(), "{case:?}");
    Ok(())
}

/// Each random number of a case is another one, so that two buffers of a case have different contents.
#[rstest]
#[conformance::test()]
fn random_numbers_of_a_case_differ() -> Outcome {
    let (one, other) = (conformance::seed(), conformance::seed());
    check!(one != other, "{one} came twice");
    Ok(())
}

/// The random numbers of a case depend on the seed of the run.
#[rstest]
#[conformance::test()]
fn another_seed_has_other_numbers() -> Outcome {
    let drawn = |seed: &str| {
        let (_run, case) = repeated("unsteady::observes_an_address", 1, &["--seed", seed])?;
        Ok::<_, Stop>(case.observations["random"].clone())
    };
    let (one, again, other) = (drawn("1")?, drawn("1")?, drawn("2")?);
    check!(one == again && one != other, "{one}, {again}, {other}");
    Ok(())
}

/// Runs that disagree fail the case. The reason names the first run that disagrees and what differs, and the report counts
/// the runs that failed.
#[rstest]
#[case::end("unsteady::fails_in_run_5", 20, "run 1: pass; run 5: fail: run 5 is wrong", "1 of 20")]
#[case::unsupported(
    "unsteady::is_unsupported_in_run_2",
    2,
    "run 1: pass; run 2: unsupported: this machine does not support the planted case",
    "1 of 2"
)]
#[case::failure_before_an_error(
    "unsteady::ends_otherwise_after_a_failure/errors",
    2,
    "run 1: fail: the first run is wrong; run 2: error: no process can be started",
    "2 of 2"
)]
#[case::worse_only_at_first(
    "unsteady::differs_in_run_1",
    4,
    "run 1: differs: exporter: cuIpcGetMemHandle returned CUDA_ERROR_INVALID_VALUE (1), expected CUDA_SUCCESS; run 2: pass",
    "1 of 4"
)]
#[case::observation(
    "unsteady::observes_otherwise_in_run_3/passes",
    4,
    "the observation `codes` was [0,1] in run 1 and [0,2] in run 3",
    "1 of 4"
)]
#[case::observation_of_a_failure(
    "unsteady::observes_otherwise_in_run_3/fails",
    4,
    "it fails; the observation `codes` was [0,1] in run 1 and [0,2] in run 3",
    "4 of 4"
)]
#[conformance::test()]
fn runs_that_disagree_fail(
    #[case] planted: &str,
    #[case] times: u32,
    #[case] reason: &str,
    #[case] failed: &str,
) -> Outcome {
    let (run, case) = repeated(planted, times, &[])?;
    check!(case.verdict == Verdict::Fail && case.reason.as_deref() == Some(reason), "{case:?}");
    check!(case.runs.is_some_and(|runs| runs.to_string() == failed), "{case:?}");
    check!(run.text().contains(&format!("  failed in: {failed} runs\n")), "{}", run.text());
    check!(run.output.status.code() == Some(101) && run.text().contains(&format!("fail: {reason}")), "{}", run.text());
    let again = format!(" --repeat {times} --exact planted::{planted}\n");
    check!(run.text().contains(&again), "the output lacks {again:?}: {}", run.text());
    let lines = std::fs::read_to_string(run.path()).map_err(harness)?;
    check!(lines.matches("\"line\":\"start\"").count() == 1, "the runs of a case are reported as several cases");
    Ok(())
}

/// A case that fails runs twice more, each time in new processes, and the report says how often it failed. It fails the
/// run even if it passed twice.
#[rstest]
#[case::always("fail", &[], "3 of 3")]
#[case::by_chance("unsteady::fails_in_run_1", &[], "1 of 3")]
#[case::in_new_processes("unsteady::fails_in_a_new_process", &[], "3 of 3")]
#[case::with_its_script("finds_a_script", &["--soak", "60"], "3 of 3")]
#[case::with_its_scripts("finds_after_a_while/scripts", &["--soak", "60"], "3 of 3")]
#[case::with_its_time("finds_after_a_while/soak", &["--soak", "60"], "3 of 3")]
#[case::as_often_as_asked_for("unsteady::fails_in_run_1", &["--reruns", "19"], "1 of 20")]
#[case::before_errors("unsteady::ends_otherwise_after_a_failure/errors", &[], "")]
#[case::before_it_is_unsupported("unsteady::ends_otherwise_after_a_failure/unsupported", &[], "")]
#[case::never("fail", &["--reruns", "0"], "")]
#[conformance::test()]
fn a_failure_runs_again(#[case] planted: &str, #[case] arguments: &[&str], #[case] failed: &str) -> Outcome {
    let (run, case) = repeated(planted, 1, arguments)?;
    check!(case.verdict == Verdict::Fail && run.output.status.code() == Some(101), "{case:?}: {}", run.text());
    check!(case.runs.map(|runs| runs.to_string()).unwrap_or_default() == failed, "{case:?}");
    check!(run.text().contains(&format!("  failed in: {failed} runs\n")) != failed.is_empty(), "{}", run.text());
    Ok(())
}

/// The worst of several runs has the verdict. If runs of `--repeat` disagree, the reason is their first disagreement.
#[rstest]
#[case::of_repeated_runs("from_run_2", 3, "run 1: pass; run 2: fail: run 2 is wrong", "2 of 3")]
#[case::of_later_runs("from_run_1", 1, "exporter: killed by signal 11 (SIGSEGV) in die_of", "3 of 3")]
#[conformance::test()]
fn the_worst_run_has_the_verdict(
    #[case] planted: &str,
    #[case] times: u32,
    #[case] reason: &str,
    #[case] failed: &str,
) -> Outcome {
    let (_run, case) = repeated(&format!("unsteady::gets_worse/{planted}"), times, &[])?;
    let found = case.reason.clone().unwrap_or_default();
    check!(case.verdict == Verdict::Crash && found.starts_with(reason), "{case:?}");
    check!(case.runs.is_some_and(|runs| runs.to_string() == failed), "{case:?}");
    Ok(())
}

/// If cases show a defect only in some of their runs, each case with this defect runs again.
#[rstest]
#[conformance::test()]
fn a_defect_of_chance_is_not_believed() -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").arg("planted::unsteady::wavers");
    let report = run(command)?.report()?;
    let counted: Vec<_> = report.cases.iter().filter_map(|case| case.runs).map(|runs| runs.to_string()).collect();
    check!(counted == ["1 of 3", "1 of 3", "1 of 3", "1 of 3"], "{counted:?} of {} cases", report.cases.len());
    Ok(())
}

/// A defect that three cases showed in every run is believed: the other cases with it do not run again.
#[rstest]
#[conformance::test()]
fn a_steady_defect_is_believed() -> Outcome {
    let mut command = suite("reference")?;
    command.env("REFERENCE_DRIVER_FAULT", "range-begins-late").arg("sample::memory_has_its_size");
    let run = run(command)?;
    let report = run.report()?;
    let failed: Vec<_> = report.cases.iter().filter(|case| !case.verdict.is_good()).collect();
    let counted: Vec<_> = failed.iter().filter_map(|case| case.runs).map(|runs| runs.to_string()).collect();
    check!(failed.len() > 3 && counted == ["3 of 3", "3 of 3", "3 of 3"], "{counted:?} of {} failures", failed.len());
    Ok(())
}

/// A listed bug that shows in every run is a deviation. If it shows only in a later run, the runs disagree.
#[rstest]
#[case::in_every_run("fail", "does not hold", Verdict::Deviation, "")]
#[case::with_another_observation("unsteady::observes_otherwise_in_run_3/fails", "it fails", Verdict::Deviation, "")]
#[case::in_a_later_run("unsteady::fails_in_run_5", "is wrong", Verdict::Fail, "run 1: fixed: ")]
#[conformance::test()]
fn a_deviation_in_every_run_stays_one(
    #[case] planted: &str,
    #[case] reason: &str,
    #[case] verdict: Verdict,
    #[case] begins: &str,
) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let list = folder.path().join("deviations.toml");
    let entry = format!(
        "[[deviation]]\ncase = \"planted::{planted}\"\ndriver = \"reference\"\nfrom = \"0.1\"\nverdict = \"fail\"\n\
         reason = \"{reason}\"\nlink = \"https://example.org/1\"\ndate = \"2026-11-21\"\n"
    );
    std::fs::write(&list, entry).map_err(harness)?;
    let (run, case) = repeated(planted, 9, &["--deviations", &list.to_string_lossy()])?;
    let found = case.reason.clone().unwrap_or_default();
    check!(case.verdict == verdict && found.starts_with(begins) && found.contains("https://example.org/1"), "{case:?}");
    check!(run.output.status.success() == verdict.is_good(), "{}", run.text());
    check!(!run.text().contains("as failing, but"), "{}", run.text());
    Ok(())
}

/// The duration of a case is that of all its runs.
#[rstest]
#[conformance::test()]
fn the_duration_is_of_all_runs() -> Outcome {
    const TIMES: u32 = 3;
    // More than a second in all, so that a duration in seconds or without its seconds is too short.
    const DEADLINE_MS: f64 = 400.0;
    let (_run, case) = repeated("timeout", TIMES, &["--deadline", "0.4"])?;
    check!(case.verdict == Verdict::Timeout && case.duration_ms >= f64::from(TIMES) * DEADLINE_MS, "{case:?}");
    Ok(())
}

/// A case that never runs checks nothing, so zero is refused.
#[rstest]
#[case::zero("0", "a case must run at least once")]
#[case::word("often", "`often` is not a number of runs")]
#[conformance::test()]
fn an_invalid_number_of_runs_is_refused(#[case] times: &str, #[case] says: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.args(["--repeat", times, "--exact", "sample::null_is_refused"]);
    let run = run(command)?;
    check!(run.output.status.code() == Some(2) && run.errors().contains(says), "{}", run.errors());
    check!(!run.path().exists(), "a case ran");
    Ok(())
}
