//! The harness under fire: roles that break the protocol between them and the runner.

use std::time::{Duration, Instant};

use conformance::{Outcome, Verdict, check};
use rstest::rstest;

use crate::suite::{harness, run, suite};

/// The deadline of a step. A machine with other work needs more than one second only to start a role.
const DEADLINE: Duration = Duration::from_secs(2);

/// A role that breaks the protocol has its verdict within two deadlines, and the next case passes.
#[rstest]
#[case::answers_twice("answers_twice", Verdict::Error, "has the number")]
#[case::fills_the_pipe("fills_the_pipe", Verdict::Error, "has the number")]
#[case::sends_garbage("sends_garbage", Verdict::Error, "cannot decode the answer to send_garbage")]
#[case::answers_with_garbage("answers_with_garbage", Verdict::Error, "cannot decode the answer to answer_with_garbage")]
#[case::keeps_the_socket("keeps_the_socket", Verdict::Crash, "killed by signal 9")]
#[case::reads_nothing("reads_nothing", Verdict::Timeout, "no answer to write")]
#[case::exits_silently("exits_silently", Verdict::Crash, "exited with code 0")]
#[conformance::test()]
fn a_breach_has_its_verdict(#[case] planted: &str, #[case] verdict: Verdict, #[case] reason: &str) -> Outcome {
    let mut command = suite("reference")?;
    let deadline = DEADLINE.as_secs().to_string();
    command.env("CONFORMANCE_PLANTED", "1").args(["--deadline", &deadline, "--reruns", "0"]);
    command.arg(format!("planted::breach/{planted}"));
    let began = Instant::now();
    let run = run(command)?;
    check!(began.elapsed() < Duration::from_secs(30), "the run took {:?}", began.elapsed());
    let report = run.report()?;
    let [broken, after] = &report.cases[..] else { return Err(harness(format!("not two cases: {}", run.text()))) };
    check!(broken.verdict == verdict, "the verdict is {}, expected {verdict}: {:?}", broken.verdict, broken.reason);
    let found = broken.reason.clone().unwrap_or_default();
    check!(found.contains(reason), "the reason is {found:?}, expected {reason:?}");
    check!(broken.duration_ms < 2.0 * DEADLINE.as_secs_f64() * 1e3, "the verdict took {} ms", broken.duration_ms);
    check!(after.verdict == Verdict::Pass, "the next case: {} {:?}", after.verdict, after.reason);
    Ok(())
}

/// Roles that hang at the same time, or one after another while they release their resources, cost the time of one.
#[rstest]
#[case::in_a_call("stops_during_hangs")]
#[case::while_they_release("hangs_while_it_releases")]
#[conformance::test()]
fn roles_that_hang_share_a_deadline(#[case] planted: &str) -> Outcome {
    let mut command = suite("reference")?;
    let deadline = DEADLINE.as_secs().to_string();
    command.env("CONFORMANCE_PLANTED", "1").args(["--deadline", &deadline, "--reruns", "0"]);
    command.args(["--exact", &format!("planted::{planted}")]);
    let report = run(command)?.report()?;
    let case = report.cases.first().ok_or_else(|| harness("no case ran"))?;
    check!(case.verdict == Verdict::Timeout, "the verdict is {}: {:?}", case.verdict, case.reason);
    check!(case.duration_ms < 2.0 * DEADLINE.as_secs_f64() * 1e3, "the verdict took {} ms", case.duration_ms);
    Ok(())
}
