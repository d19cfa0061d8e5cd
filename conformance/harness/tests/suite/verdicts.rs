//! Verdicts of cases that go wrong, and how to run them again.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use conformance::{Expect as _, Outcome, Refusal, Stop, Verdict, check, until_changed};
use cuda_ipc_sys::CUresult;
use rstest::rstest;
use serde_json::{Value, json};

use crate::suite::{UnknownDriver, harness, run, suite, without_settings};

/// The command that runs a model again has the number of the script.
#[rstest]
#[case::cargo(&[("CARGO", "cargo")], "--seed 7 --script 17 --exact planted::broken_row")]
#[case::nextest(&[("NEXTEST_RUN_ID", "planted")], "CONFORMANCE_SEED=7 CONFORMANCE_SCRIPT=17 cargo nextest")]
#[conformance::test()]
fn a_model_runs_again_with_its_script(#[case] variables: &[(&str, &str)], #[case] says: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").envs(variables.iter().copied());
    command.args(["--strict", "--seed", "7", "--exact", "planted::broken_row"]);
    let text = run(command)?.text();
    check!(text.contains(says), "{text}");
    Ok(())
}

/// Each way to go wrong has its verdict, its reason, a command to run the case again, and an exit code.
#[rstest]
#[case::fail("fail", Verdict::Fail, " and [1, 1, 1, 1]")]
#[case::wrong_byte("wrong_byte", Verdict::Fail, "exporter read 1 wrong byte of 4 with a copy (expected 0x07)")]
#[case::refused("refused", Verdict::Fail, "cuIpcGetMemHandle returned CUDA_ERROR_INVALID_VALUE (1)")]
#[case::broken_context("broken_context", Verdict::Fail, "after the case, the context no longer works")]
#[case::lost_context("lost_context", Verdict::Pass, "")]
#[case::stops_during_a_call("stops_during_a_call", Verdict::Fail, "the case knows better")]
#[case::stops_during_a_long_call("stops_during_a_long_call", Verdict::Fail, "the case knows better")]
#[case::stops_during_a_hang("stops_during_a_hang", Verdict::Timeout, "no answer to hang() before the deadline")]
#[case::differs("differs", Verdict::Differs, "cuIpcGetMemHandle returned CUDA_ERROR_INVALID_VALUE")]
#[case::broken_row("broken_row", Verdict::Differs, "the model knows better\nthe script")]
#[case::crash("crash", Verdict::Crash, "killed by signal 11")]
#[case::timeout("timeout", Verdict::Timeout, "no answer to hang() before the deadline of 500ms")]
#[case::leaked_memory("leaked_memory", Verdict::Leak, "4194304 bytes of memory on GPU 0 are still in use")]
#[case::leaked_descriptor("leaked_descriptor", Verdict::Leak, "a file descriptor of /proc/")]
#[case::error("error", Verdict::Error, "this case is wrong")]
#[case::unwraps_an_error(
    "unwraps_an_error",
    Verdict::Error,
    "called `Result::unwrap()` on an `Err` value: Os { code: 2"
)]
#[case::unsupported("unsupported", Verdict::Unsupported, "this machine does not support the planted case")]
#[case::missing("missing", Verdict::Unsupported, "the planted function does not exist")]
#[conformance::test()]
fn each_failure_has_its_verdict(#[case] planted: &str, #[case] verdict: Verdict, #[case] reason: &str) -> Outcome {
    let mut command = suite("reference")?;
    let id = format!("planted::{planted}");
    command.env("CONFORMANCE_PLANTED", "1").args(["--deadline", "0.5", "--exact", &id]);
    let run = run(command)?;
    let (text, report) = (run.text(), run.report()?);
    let case = report.cases.first().ok_or_else(|| harness(format!("no case ran: {text}")))?;
    check!(case.verdict == verdict, "the verdict is {}, expected {verdict}: {:?}", case.verdict, case.reason);
    let found = case.reason.clone().unwrap_or_default();
    check!(found.contains(reason), "the reason is {found:?}, expected {reason:?}");
    check!(report.summary()[verdict.word()] == 1, "the summary is {:?}", report.summary());
    check!(run.output.status.success() == verdict.is_good(), "the suite ended with {}", run.output.status);
    let last = text.trim_end().lines().last().unwrap_or_default();
    check!(last.contains(&format!("1 {verdict}")) && last.contains("driver: reference"), "the last line is {last:?}");
    if !verdict.is_good() {
        let again = format!(" --driver reference --seed {} --deadline 0.5 --exact {id}\n", report.run.seed);
        check!(text.contains("  run again: ") && text.contains(&again), "the output lacks {again:?}: {text}");
    }
    Ok(())
}

/// A failure names the rows of its case. A case without rows checks the harness, unless it is a model.
#[rstest]
#[case::none("fail", "none, the case checks the harness")]
#[case::one("differs", "IPCMEM-OPEN-016")]
#[conformance::test()]
fn a_failure_names_its_rows(#[case] planted: &str, #[case] rows: &str) -> Outcome {
    let mut command = suite("reference")?;
    let id = format!("planted::{planted}");
    command.env("CONFORMANCE_PLANTED", "1").args(["--strict", "--reruns", "0", "--exact", &id]);
    let text = run(command)?.text();
    check!(text.contains(&format!("  rows: {rows}\n")), "{text}");
    Ok(())
}

/// The report says what kind of defect a case showed, and which call of which role in which step.
#[rstest]
#[case::contents("fail", json!({ "kind": "corruption", "step": 2 }))]
#[case::code("refused", json!({
    "kind": "code", "role": "exporter", "call": "cuIpcGetMemHandle", "result": "CUDA_ERROR_INVALID_VALUE (1)", "step": 1
}))]
#[case::crash("crash", json!({ "kind": "crash", "role": "exporter", "call": "die_of", "result": "SIGSEGV", "step": 1 }))]
#[case::hang("timeout", json!({ "kind": "hang", "role": "exporter", "call": "hang", "step": 1 }))]
#[case::hang_before_another_role(
    "hangs_before_another_role",
    json!({ "kind": "hang", "role": "exporter", "call": "hang", "step": 1 })
)]
// The last step is `exit_badly_later`, and it succeeded.
#[case::exit("bad_exit/aborts", json!({ "kind": "crash", "role": "exporter", "call": "exit", "result": "SIGABRT" }))]
#[case::leak("leaked_memory", json!({ "kind": "leak" }))]
#[case::result("broken_context", json!({ "kind": "result" }))]
#[case::harness("error", json!({ "kind": "unknown" }))]
#[case::no_failure("unsupported", Value::Null)]
#[conformance::test()]
fn a_report_says_how_a_case_failed(#[case] planted: &str, #[case] expected: Value) -> Outcome {
    let mut command = suite("reference")?;
    let id = format!("planted::{planted}");
    command.env("CONFORMANCE_PLANTED", "1").args(["--deadline", "0.5", "--exact", &id]);
    let report = run(command)?.report()?;
    let case = report.cases.first().ok_or_else(|| harness("no case ran"))?;
    let failure = serde_json::to_value(&case.failure).map_err(harness)?;
    check!(failure == expected, "{failure}, expected {expected}");
    Ok(())
}

/// If a call succeeds that must be refused, the reason names its role and the function of CUDA. What reads memory then
/// discloses it, and what writes memory corrupts it, with a kernel or a copy.
#[rstest]
#[case::kernel_reads(
    "kernel_reads",
    "disclosure",
    "a kernel reads memory: cuStreamSynchronize returned CUDA_SUCCESS, expected CUDA_ERROR_ILLEGAL_ADDRESS (700)"
)]
#[case::kernel_writes(
    "kernel_writes",
    "corruption",
    "a kernel writes memory: cuCtxSynchronize returned CUDA_SUCCESS, expected CUDA_ERROR_ILLEGAL_ADDRESS (700)"
)]
#[case::copy_reads("copy_reads", "disclosure", "cuMemcpyDtoH returned CUDA_SUCCESS, expected an error")]
#[case::copy_writes("copy_writes", "corruption", "cuMemcpyHtoD returned CUDA_SUCCESS, expected an error")]
#[case::other_call("other_call", "code", "cuMemGetAddressRange returned CUDA_SUCCESS, expected an error")]
#[conformance::test()]
fn what_succeeds_against_the_rules_is_named(
    #[case] planted: &str,
    #[case] kind: &str,
    #[case] reason: &str,
) -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--reruns", "0", "--exact", &format!("planted::succeeds/{planted}")]);
    let report = run(command)?.report()?;
    let case = report.cases.first().ok_or_else(|| harness("no case ran"))?;
    let failure = serde_json::to_value(&case.failure).map_err(harness)?;
    check!(failure["kind"] == kind && failure["step"] == 2 && failure["result"] == "CUDA_SUCCESS (0)", "{failure}");
    check!(case.reason == Some(format!("exporter: {reason}")), "{:?}", case.reason);
    Ok(())
}

/// Memory of a killed process that comes back within the runner's patience with a real driver is not a leak. Memory that
/// comes back later is one. An unknown driver counts as a real one: here the reference driver under another name.
#[rstest]
#[case::soon("soon", "2", Verdict::Pass)]
#[case::soon_on_the_only_gpu("soon", "1", Verdict::Pass)]
#[case::too_late("too_late", "2", Verdict::Leak)]
#[conformance::test()]
fn memory_that_comes_back_late_is_a_leak_after_the_patience(
    #[case] when: &str,
    #[case] devices: &str,
    #[case] verdict: Verdict,
) -> Outcome {
    let library = UnknownDriver::new()?;
    let mut command = suite(&library.path())?;
    command.env("CONFORMANCE_PLANTED", "1").env("REFERENCE_DRIVER_DEVICES", devices);
    command.args(["--exact", &format!("planted::late_memory/{when}")]);
    let run = run(command)?;
    let report = run.report()?;
    let case = report.cases.first().ok_or_else(|| harness(format!("no case ran: {}", run.errors())))?;
    check!(case.verdict == verdict, "the verdict is {}: {:?}", case.verdict, case.reason);
    let found = case.reason.clone().unwrap_or_default();
    check!(
        found.contains("536870912 bytes of memory on GPU 0 are still in use") == (verdict == Verdict::Leak),
        "{found:?}"
    );
    Ok(())
}

/// A real driver may keep no descriptor that it opened. Here too, the reference driver under another name counts as a real
/// one.
#[rstest]
#[conformance::test()]
fn a_real_driver_may_keep_no_descriptor() -> Outcome {
    let library = UnknownDriver::new()?;
    let mut command = suite(&library.path())?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--reruns", "0", "--exact", "planted::leaked_descriptor"]);
    let run = run(command)?;
    let report = run.report()?;
    let case = report.cases.first().ok_or_else(|| harness(format!("no case ran: {}", run.errors())))?;
    let reason = case.reason.clone().unwrap_or_default();
    let is_leak = case.verdict == Verdict::Leak && reason.contains("a file descriptor of /proc/");
    check!(is_leak, "the verdict is {}: {reason:?}", case.verdict);
    Ok(())
}

/// A descriptor that the runner has from its shell is no leak: each process had it before its first case.
#[rstest]
#[conformance::test()]
fn a_descriptor_of_the_shell_is_no_leak() -> Outcome {
    let of_the_suite = suite("reference")?;
    let mut command = Command::new("sh");
    command.args(["-c", r#"exec "$0" "$@" 9</dev/zero"#]).arg(of_the_suite.get_program()).args(of_the_suite.get_args());
    for (name, value) in of_the_suite.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.args(["--exact", "sample::null_is_refused"]);
    let run = run(command)?;
    check!(run.output.status.success() && run.report()?.summary()["pass"] == 1, "{}", run.text());
    Ok(())
}

/// After a case, every process gives back its imports before any process frees what it shared.
#[rstest]
#[conformance::test()]
fn imports_are_given_back_first() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let trace = folder.path().join("trace.jsonl");
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").env("CONFORMANCE_TRACE", &trace);
    // With this fault, the case ends while the import is open.
    command.env("REFERENCE_DRIVER_FAULT", "open-shows-newer-memory");
    command.args(["--reruns", "0", "--exact", "planted::disclosures::discloses_without_a_check"]);
    let text = run(command)?.text();
    let calls = std::fs::read_to_string(&trace).map_err(harness)?;
    let last = |function: &str| calls.rfind(&format!("\"function\":\"{function}\""));
    let (closed, freed) = (last("cuIpcCloseMemHandle"), last("cuMemFree"));
    check!(closed.is_some() && closed < freed, "{closed:?}, {freed:?}: {text}");
    Ok(())
}

/// With `--require`, a case ends as `error` if something is missing that the probe found, so that everything that reads the
/// report knows why the run failed. A case that itself reports `unsupported` is skipped.
#[rstest]
#[case::missing("missing", &["--require", "gpus=1"], Verdict::Error)]
#[case::unsupported("unsupported", &["--require", "gpus=1"], Verdict::Unsupported)]
#[case::nothing_required("missing", &[], Verdict::Unsupported)]
#[conformance::test()]
fn a_missing_function_fails_if_something_is_required(
    #[case] planted: &str,
    #[case] flags: &[&str],
    #[case] verdict: Verdict,
) -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--exact", &format!("planted::{planted}")]).args(flags);
    let run = run(command)?;
    let case = &run.report()?.cases[0];
    let is_skipped = verdict == Verdict::Unsupported;
    check!(case.verdict == verdict && run.output.status.success() == is_skipped, "{case:?}: {}", run.text());
    check!(run.text().contains("ignored (") == is_skipped, "{}", run.text());
    let reason = case.reason.as_deref().unwrap_or_default();
    check!(reason.ends_with("when the run began, and --require is given") != is_skipped, "{reason}");
    Ok(())
}

const FAILS: &str = "planted::fail";

/// Runs a planted failure. Returns the output and the command in it that runs the case again.
fn again(mut command: Command) -> Result<(String, String), Stop> {
    command.env("CONFORMANCE_PLANTED", "1").args(["--driver", "reference", "--seed", "7", "--exact", FAILS]);
    let output = command.output().map_err(harness)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let again = text.lines().find_map(|line| line.trim().strip_prefix("run again: ")).unwrap_or_default().to_owned();
    Ok((text, again))
}

/// A failure prints a command that runs the case again in the same directory: by cargo, or by nextest, which passes no
/// arguments.
#[rstest]
#[case::cargo(&[("CARGO", "cargo")], &[], "cargo test -p conformance-harness -- --driver reference --seed 7 --exact planted::fail")]
#[case::fresh(&[("CARGO", "cargo")], &["--fresh"], "cargo test -p conformance-harness -- --driver reference --seed 7 --fresh --exact planted::fail")]
#[case::simulated(&[("CARGO", "cargo"), ("REFERENCE_DRIVER_MACHINE", "planted"), ("REFERENCE_DRIVER_FAULT", "close-does-nothing")], &[], "REFERENCE_DRIVER_FAULT=close-does-nothing cargo test -p conformance-harness -- --driver reference --seed 7 --exact planted::fail")]
#[case::nextest(&[("CARGO", "cargo"), ("NEXTEST_RUN_ID", "planted")], &[], "CONFORMANCE_DRIVER=reference CONFORMANCE_SEED=7 cargo nextest run -p conformance-harness -E 'test(=planted::fail)'")]
#[case::fresh_nextest(&[("NEXTEST_RUN_ID", "planted")], &["--fresh"], "CONFORMANCE_DRIVER=reference CONFORMANCE_SEED=7 CONFORMANCE_FRESH=true cargo nextest run -p conformance-harness -E 'test(=planted::fail)'")]
#[conformance::test()]
fn a_failure_says_how_to_run_it_again(
    #[case] variables: &[(&str, &str)],
    #[case] flags: &[&str],
    #[case] expected: &str,
) -> Outcome {
    let mut command = without_settings(&std::env::current_exe().map_err(harness)?);
    command.env_remove("CARGO").envs(variables.iter().copied()).args(flags);
    let (text, found) = again(command)?;
    check!(found == expected, "{text}");
    Ok(())
}

/// The command that runs a case again has the settings on which a model's scripts and the listed bugs depend. A shell gets
/// each as one word.
#[rstest]
#[case::cargo(&[("CARGO", "cargo")], "--seed 7 --gpus '1,0' --deviations 'FOLDER/one of mine.toml:FOLDER/two.toml' \
    --no-shipped-deviations --deadline 2.5 --exact planted::fail")]
#[case::nextest(&[("NEXTEST_RUN_ID", "settings")], "CONFORMANCE_SEED=7 CONFORMANCE_GPUS='1,0' \
    CONFORMANCE_DEVIATIONS='FOLDER/one of mine.toml:FOLDER/two.toml' CONFORMANCE_NO_SHIPPED_DEVIATIONS=true \
    CONFORMANCE_DEADLINE=2.5 cargo nextest")]
#[conformance::test()]
fn a_case_runs_again_with_its_settings(#[case] variables: &[(&str, &str)], #[case] says: &str) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let mut command = without_settings(&std::env::current_exe().map_err(harness)?);
    command.env_remove("CARGO").envs(variables.iter().copied());
    command.args(["--gpus", "1,0", "--no-shipped-deviations", "--deadline", "2.5"]);
    for name in ["one of mine.toml", "two.toml"] {
        let file = folder.path().join(name);
        std::fs::write(&file, "").map_err(harness)?;
        command.arg("--deviations").arg(file);
    }
    let (text, found) = again(command)?;
    check!(found.contains(&says.replace("FOLDER", &folder.path().display().to_string())), "{text}");
    Ok(())
}

/// Without cargo, the command names the program. A shell can run it even if the path contains special characters.
#[rstest]
#[conformance::test()]
fn a_shell_can_run_the_printed_command() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let program = folder.path().join("it's a $HOME");
    std::os::unix::fs::symlink(std::env::current_exe().map_err(harness)?, &program).map_err(harness)?;
    let mut command = without_settings(&program);
    command.env_remove("CARGO");
    let (text, first) = again(command)?;
    check!(first.contains("/it's a "), "{text}");
    let mut shell = without_settings(Path::new("/bin/sh"));
    shell.env_remove("CARGO").env("CONFORMANCE_PLANTED", "1").args(["-c", &first]);
    let printed = String::from_utf8_lossy(&shell.output().map_err(harness)?.stdout).into_owned();
    check!(printed.contains("1 fail,") && printed.contains(&format!("run again: {first}\n")), "{first}: {printed}");
    Ok(())
}

/// The printed nextest filter selects one case, although its name contains commas, which end a name in a filter.
#[rstest]
#[conformance::test()]
fn a_nextest_filter_selects_one_case() -> Outcome {
    const CASE: &str = "planted::breach/exits_silently,part=breaks";
    let mut command = suite("reference")?;
    command.env("NEXTEST_RUN_ID", "planted").env("CONFORMANCE_PLANTED", "1");
    command.args(["--reruns", "0", "--exact", CASE]);
    let run = run(command)?;
    let text = run.text();
    let filter = text.lines().find_map(|line| line.split(" -E ").nth(1)).unwrap_or_default();
    let mut shell = without_settings(Path::new("/bin/sh"));
    let passed = shell.arg("-c").arg(format!("printf %s {filter}")).output().map_err(harness)?.stdout;
    let passed = String::from_utf8_lossy(&passed);
    check!(passed == format!("test(={})", CASE.replace(',', "\\,")), "{passed} in {text}");
    Ok(())
}

/// With `--strict`, or the variable for it, a case that differs fails the run.
#[rstest]
#[case::strict(&["--strict"], &[], false)]
#[case::by_variable(&[], &[("CONFORMANCE_STRICT", "1")], false)]
#[case::off_by_variable(&[], &[("CONFORMANCE_STRICT", "0")], true)]
#[case::otherwise(&[], &[], true)]
#[conformance::test()]
fn a_difference_fails_a_strict_run(
    #[case] flags: &[&str],
    #[case] variables: &[(&str, &str)],
    #[case] is_success: bool,
) -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--exact", "planted::differs"]).args(flags);
    command.envs(variables.iter().copied());
    let run = run(command)?;
    check!(run.output.status.success() == is_success && run.report()?.summary()["differs"] == 1, "{}", run.text());
    Ok(())
}

/// The last lines of a run say what a case found that differs, because the line of the case is `ok`.
#[rstest]
#[conformance::test()]
fn a_difference_is_printed() -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--exact", "planted::differs"]);
    let run = run(command)?;
    let line = "conformance: differs: planted::differs: exporter: cuIpcGetMemHandle returned CUDA_ERROR_INVALID_VALUE";
    check!(run.text().contains(line), "{}", run.text());
    Ok(())
}

/// A message does not write a step as a call of C unless it is one.
#[rstest]
#[conformance::test()]
fn words_stay_words() -> Outcome {
    let (role, step) = ("keeper".to_owned(), "loading the driver".to_owned());
    let text = Stop::TimedOut { role, step, deadline: Duration::from_secs(30) }.to_string();
    check!(text == "keeper: no answer to loading the driver before the deadline of 30s", "{text}");
    Ok(())
}

/// An attribute that is neither 0 nor 1 is what the message blames, whatever the call did.
#[rstest]
#[case::disagrees(0, "an error, because the attribute is 0")]
#[case::unknown(2, "the attribute to be 0 or 1, and it is 2")]
#[conformance::test()]
fn a_call_is_compared_with_an_attribute(#[case] attribute: i32, #[case] says: &str) -> Outcome {
    let succeeded: Result<(), Stop> = Ok(());
    let stop = succeeded.agrees_with(attribute).err().map(|stop| stop.to_string()).unwrap_or_default();
    check!(stop == format!("the call returned CUDA_SUCCESS, expected {says}"), "{stop}");
    Ok(())
}

fn refused() -> Result<(), Stop> {
    let (role, function) = ("importer".to_owned(), "cuMemMap".to_owned());
    Err(Stop::Refused(Refusal { role, function, code: CUresult::CUDA_ERROR_INVALID_VALUE }))
}

/// A case that compares a call with an attribute accepts a refusal only if the attribute is 0. A case that names codes
/// accepts a refusal only with one of them.
#[rstest]
#[case::attribute_0(|| refused().agrees_with(0), "None")]
#[case::attribute_1(
    || refused().agrees_with(1),
    "importer: cuMemMap returned CUDA_ERROR_INVALID_VALUE (1), expected CUDA_SUCCESS, because the attribute is 1"
)]
#[case::recorded_attribute(
    || refused().recorded_and_agrees_with("code", 1),
    "importer: cuMemMap returned CUDA_ERROR_INVALID_VALUE (1), expected CUDA_SUCCESS, because the attribute is 1"
)]
#[case::refused_with_another_code(
    || refused().refused_and_recorded(&[CUresult::CUDA_ERROR_INVALID_HANDLE]).map(Some),
    "importer: cuMemMap returned CUDA_ERROR_INVALID_VALUE (1), expected CUDA_ERROR_INVALID_HANDLE (400)"
)]
#[case::named_code(|| refused().accepted_or(&[CUresult::CUDA_ERROR_INVALID_VALUE]), "None")]
#[case::other_code(
    || refused().accepted_or(&[CUresult::CUDA_ERROR_INVALID_HANDLE]),
    "importer: cuMemMap returned CUDA_ERROR_INVALID_VALUE (1), expected CUDA_SUCCESS or CUDA_ERROR_INVALID_HANDLE (400)"
)]
#[conformance::test()]
fn a_refusal_must_be_expected(#[case] expect: fn() -> Result<Option<()>, Stop>, #[case] says: &str) -> Outcome {
    let told = expect().map_or_else(|stop| stop.to_string(), |output| format!("{output:?}"));
    check!(told == says, "{told}");
    Ok(())
}

/// A case that waits for a change fails with its text after a few seconds without one.
#[rstest]
#[conformance::test()]
fn a_wait_for_a_change_ends() -> Outcome {
    const LONGEST: Duration = Duration::from_secs(20);
    const TEXT: &str = "the kernel did not write";
    let began = Instant::now();
    let step = || if began.elapsed() < LONGEST { Ok(7) } else { Err(harness("the wait did not end")) };
    let ended = until_changed(TEXT, &7, step);
    check!(matches!(&ended, Err(Stop::Failed(text)) if text == TEXT), "{ended:?}");
    Ok(())
}

/// A model that looks for missing memory finds a leak, and finds nothing if everything was freed.
#[rstest]
#[case::after_a_leak("after_a_leak", Verdict::Leak)]
#[case::without_a_leak("without_a_leak", Verdict::Pass)]
#[conformance::test()]
fn a_model_looks_for_missing_memory(#[case] planted: &str, #[case] verdict: Verdict) -> Outcome {
    let mut command = suite("reference")?;
    let id = format!("planted::looks_for_missing_memory/{planted}");
    command.env("CONFORMANCE_PLANTED", "1").args(["--reruns", "0", "--exact", &id]);
    let report = run(command)?.report()?;
    let case = report.cases.first().ok_or_else(|| harness("no case ran"))?;
    check!(case.verdict == verdict, "the verdict is {}: {:?}", case.verdict, case.reason);
    let reason = case.reason.as_deref().unwrap_or_default();
    let says = "of memory on GPU 0 are still in use after all processes of the script released everything";
    check!(reason.contains(says) == (verdict == Verdict::Leak), "{reason}");
    Ok(())
}
