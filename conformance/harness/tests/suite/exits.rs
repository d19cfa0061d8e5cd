//! Processes that do not end in order: their driver crashes, fails or hangs while they exit.

use conformance::{Outcome, Verdict, check};
use rstest::rstest;

use crate::suite::{harness, run, suite};

/// A process that does not end in order is not green. It is blamed on the case that ended it, unless the case accepts
/// that or kills it.
#[rstest]
#[case::aborts("bad_exit/aborts", Verdict::Crash, "exporter: killed by signal 6 (SIGABRT) in exit()")]
#[case::fails("bad_exit/fails", Verdict::Crash, "exporter: exited with code 3 in exit()")]
#[case::hangs("bad_exit/hangs", Verdict::Timeout, "exporter: no answer to exit() before the deadline")]
#[case::with_the_case(
    "bad_exit_with_the_case/is_blamed",
    Verdict::Crash,
    "after the case, own: killed by signal 6 (SIGABRT) in exit()"
)]
#[case::is_accepted("bad_exit_with_the_case/is_accepted", Verdict::Pass, "")]
#[case::of_a_usual_role_is_accepted("bad_exit_that_is_accepted/a_breaks", Verdict::Pass, "")]
#[case::is_killed("bad_exit_with_the_case/is_killed", Verdict::Pass, "")]
#[conformance::test()]
fn a_process_must_end_in_order(#[case] planted: &str, #[case] verdict: Verdict, #[case] reason: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--reruns", "0", "--exact", &format!("planted::{planted}")]);
    let run = run(command)?;
    let report = run.report().map_err(|error| harness(format!("{error}: {}", run.errors())))?;
    let case = report.cases.first().ok_or_else(|| harness(format!("no case ran: {}", run.errors())))?;
    check!(case.verdict == verdict, "the verdict is {}: {:?}", case.verdict, case.reason);
    check!(case.reason.as_deref().unwrap_or_default() == reason, "the reason is {:?}", case.reason);
    let code = if verdict.is_good() { 0 } else { 101 };
    check!(run.output.status.code() == Some(code), "{}: {}", run.output.status, run.errors());
    Ok(())
}

/// If no case owns a process any more, the run fails, with an error that names the process.
#[rstest]
#[case::warm_role("bad_exit_with_the_run", "", 1, "exporter")]
#[case::every_process("bad_exit_that_is_accepted/a_breaks", "exit-aborts", 2, "keeper")]
#[conformance::test()]
fn a_process_without_a_case_fails_the_run(
    #[case] planted: &str,
    #[case] fault: &str,
    #[case] bad: usize,
    #[case] name: &str,
) -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").env("REFERENCE_DRIVER_FAULT", fault);
    command.args(["--exact", &format!("planted::{planted}")]);
    let run = run(command)?;
    check!(run.report()?.summary()["pass"] == 1, "{}", run.text());
    check!(run.output.status.code() == Some(101), "{}: {}", run.output.status, run.errors());
    let text = run.text();
    let told: Vec<_> = text.lines().filter(|line| line.contains("the run fails, although no case used")).collect();
    let end = format!(", {name}: killed by signal 6 (SIGABRT) in exit()");
    check!(told.len() == bad && told.iter().all(|line| line.ends_with(&end)), "{text}");
    Ok(())
}

/// A process that may not end in order serves no other case.
#[rstest]
#[conformance::test()]
fn a_process_that_may_be_broken_serves_no_other_case() -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").arg("planted::bad_exit_that_is_accepted");
    let run = run(command)?;
    check!(run.output.status.success(), "{}: {}", run.output.status, run.errors());
    check!(run.report()?.summary()["pass"] == 2, "{}", run.text());
    Ok(())
}
