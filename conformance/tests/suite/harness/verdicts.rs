//! A case that goes wrong is told as what it is.

use conformance::{Outcome, Verdict, check};
use rstest::rstest;

use super::suite::{harness, run, suite};

/// Each way to go wrong has its verdict, its reason, the command to run it again, and an exit code.
#[rstest]
#[case::fail("fail", Verdict::Fail, "does not hold")]
#[case::refused("refused", Verdict::Fail, "cuIpcGetMemHandle answered CUDA_ERROR_INVALID_VALUE (1)")]
#[case::crash("crash", Verdict::Crash, "killed by signal 11")]
#[case::timeout("timeout", Verdict::Timeout, "no answer before the deadline to hang")]
#[case::leaked_memory("leaked_memory", Verdict::Leak, "4194304 bytes of GPU 0 did not come back")]
#[case::leaked_descriptor("leaked_descriptor", Verdict::Leak, "a descriptor of /proc/")]
#[case::error("error", Verdict::Error, "this case is wrong")]
#[case::unsupported("unsupported", Verdict::Unsupported, "this machine has no such thing")]
#[conformance::test()]
fn each_end_has_its_verdict(#[case] planted: &str, #[case] verdict: Verdict, #[case] reason: &str) -> Outcome {
    let mut command = suite("reference")?;
    let id = format!("harness::planted::{planted}");
    command.env("CONFORMANCE_PLANTED", "1").args(["--deadline", "0.5", "--exact", &id]);
    let run = run(command)?;
    let (text, report) = (run.text(), run.report()?);
    let case = report.cases.first().ok_or_else(|| harness(format!("nothing ran: {text}")))?;
    check!(case.verdict == verdict, "the verdict is {}, expected {verdict}: {:?}", case.verdict, case.reason);
    let found = case.reason.clone().unwrap_or_default();
    check!(found.contains(reason), "the reason is {found:?}, expected {reason:?}");
    check!(report.summary()[verdict.word()] == 1, "the summary is {:?}", report.summary());
    check!(run.output.status.success() == verdict.is_good(), "the suite ended with {}", run.output.status);
    let last = text.trim_end().lines().last().unwrap_or_default();
    check!(last.contains(&format!("1 {verdict}")) && last.contains("driver: reference"), "the last line is {last:?}");
    if !verdict.is_good() {
        let again = format!("again: cargo test -p conformance -- --driver reference --seed {}", report.run.seed);
        check!(text.contains(&again) && text.contains(&id), "the output lacks {again:?}: {text}");
    }
    Ok(())
}
