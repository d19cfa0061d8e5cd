//! Processes that do not end in order: their driver crashes, fails or hangs while they exit.

use std::process::Command;

use conformance::report::Report;
use conformance::runner::Probe;
use conformance::{Outcome, Stop, Verdict, check, random};
use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};

use crate::suite::{Run, harness, marked, run, suite};

/// What the last lines of a run say of a process that no case used.
const OUTSIDE: &str = "the run fails, because a process crashed or hung outside any case: process ";

/// A process that does not end in order is not green. It is blamed on the case that ended it, unless the case accepts
/// that or kills it.
#[rstest]
#[case::aborts("bad_exit/aborts", Verdict::Crash, "exporter: killed by signal 6 (SIGABRT) in exit()")]
#[case::fails("bad_exit/fails", Verdict::Crash, "exporter: exited with code 3 in exit()")]
#[case::hangs("bad_exit/hangs", Verdict::Timeout, "exporter: no answer to exit() before the deadline of 1s")]
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

/// In a PID namespace too, a process that does not end in order is blamed on its case.
#[rstest]
#[conformance::test(needs(root))]
fn a_process_in_a_pid_namespace_must_end_in_order() -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--reruns", "0", "--exact", "planted::bad_exit_in_a_pid_namespace"]);
    let run = run(command)?;
    let report = run.report()?;
    let case = report.cases.first().ok_or_else(|| harness(format!("no case ran: {}", run.errors())))?;
    let says = "after the case, own: exited with code 3 in exit()";
    check!(case.verdict == Verdict::Crash && case.reason.as_deref() == Some(says), "{case:?}");
    Ok(())
}

/// A closed descriptor that a driver gives without an error is the driver's failure, and not the harness's.
#[rstest]
#[case::sent("sent", "exporter: the descriptor N is not open")]
#[case::closed("closed", "exporter: the descriptor N is not open")]
#[case::taken("taken", "importer: the descriptor N of another process is not open")]
#[case::kept("kept", "exporter: after the case, cannot release a descriptor: the descriptor N is not open")]
#[conformance::test(needs(memory_descriptors))]
fn a_closed_descriptor_fails_the_case(#[case] planted: &str, #[case] reason: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").env("REFERENCE_DRIVER_FAULT", "export-gives-a-closed-descriptor");
    command.args(["--reruns", "0", "--exact", &format!("planted::uses_a_descriptor/{planted}")]);
    let report = run(command)?.report()?;
    let case = report.cases.first().ok_or_else(|| harness("no case ran"))?;
    let told = case.reason.as_deref().unwrap_or_default();
    let is_digit = |c: char| c.is_ascii_digit();
    let told: Vec<_> = told.split(' ').map(|word| if word.starts_with(is_digit) { "N" } else { word }).collect();
    check!(case.verdict == Verdict::Fail && told.join(" ") == reason, "{:?}: {told:?}", case.verdict);
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
    let told: Vec<_> = text.lines().filter(|line| line.contains(OUTSIDE)).collect();
    let end = format!(", {name}: killed by signal 6 (SIGABRT) in exit()");
    check!(told.len() == bad && told.iter().all(|line| line.ends_with(&end)), "{text}");
    let ends = run.report()?.bad_ends;
    check!(ends.len() == bad && ends.iter().all(|known| known.ends_with(&end)), "the report has {ends:?}");
    Ok(())
}

/// Processes that hang while they exit at the end of a case cost the time of one, which is ten seconds.
#[rstest]
#[conformance::test()]
fn processes_that_hang_at_the_end_share_a_deadline() -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--reruns", "0", "--exact", "planted::hangs_at_its_end"]);
    let report = run(command)?.report()?;
    let case = report.cases.first().ok_or_else(|| harness("no case ran"))?;
    check!(case.verdict == Verdict::Timeout, "the verdict is {}: {:?}", case.verdict, case.reason);
    check!(case.duration_ms < 15e3, "the verdict took {} ms", case.duration_ms);
    Ok(())
}

/// Processes that exit one after another do not hang, also if all of them together take more than ten seconds.
#[rstest]
#[conformance::test()]
fn processes_that_exit_in_turns_are_sound() -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--reruns", "0", "--exact", "planted::takes_turns_at_its_end"]);
    let report = run(command)?.report()?;
    let case = report.cases.first().ok_or_else(|| harness("no case ran"))?;
    check!(case.verdict == Verdict::Pass, "the verdict is {}: {:?}", case.verdict, case.reason);
    Ok(())
}

/// A keeper that ends during a run fails it too: without the keeper, the run notices no leak of memory.
#[rstest]
#[conformance::test()]
fn a_keeper_that_ends_fails_the_run() -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--exact", "planted::processes::kills_a_keeper"]);
    let run = run(command)?;
    check!(run.report()?.summary()["pass"] == 1, "{}", run.text());
    check!(run.output.status.code() == Some(101) && run.text().contains(OUTSIDE), "{}", run.text());
    let ends = run.report()?.bad_ends;
    let end = ", keeper: killed by signal 9 (SIGKILL) in cuMemGetInfo()";
    check!(ends.len() == 1 && ends.iter().all(|known| known.ends_with(end)), "the report has {ends:?}");
    Ok(())
}

/// Runs a case in which the driver leaves a process, and checks that the process ended with the run.
fn run_that_leaves_a_process(arguments: &[&str]) -> Result<Run, Stop> {
    let mark = format!("{:x}", random().u64(..));
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").env("CONFORMANCE_MARK", &mark);
    command.args(arguments).args(["--reruns", "0", "planted::breach/keeps_the_socket"]);
    let run = run(command)?;
    let left = marked(&format!("CONFORMANCE_MARK={mark}"));
    check!(left.is_empty(), "processes {left:?} outlived their runner");
    Ok(run)
}

/// A process that a driver leaves also ends with a run whose output cannot be written.
#[rstest]
#[conformance::test()]
fn a_process_that_a_driver_leaves_ends_with_a_lost_run() -> Outcome {
    let run = run_that_leaves_a_process(&["--logfile", "/dev/full"])?;
    check!(run.output.status.code() == Some(1), "{}: {}", run.output.status, run.errors());
    Ok(())
}

/// A process that a driver leaves also ends with a run that can no longer write its report.
#[rstest]
#[conformance::test()]
fn a_process_that_a_driver_leaves_ends_with_a_lost_report() -> Outcome {
    let (folder, mark) = (tempfile::tempdir().map_err(harness)?, format!("{:x}", random().u64(..)));
    let report = folder.path().join("report.jsonl");
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").env("CONFORMANCE_MARK", &mark).env("PLANTED_REPORT", &report);
    command.args(["--reruns", "0", "planted::breach/keeps_the_socket", "planted::spoils_the_report", "--report"]);
    let output = command.arg(&report).output().map_err(harness)?;
    let left = marked(&format!("CONFORMANCE_MARK={mark}"));
    check!(left.is_empty(), "processes {left:?} outlived their runner");
    check!(output.status.code() == Some(1), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// A process that a driver starts and leaves ends with the run, and fails it.
#[rstest]
#[conformance::test()]
fn a_process_that_a_driver_leaves_fails_the_run() -> Outcome {
    let run = run_that_leaves_a_process(&[])?;
    check!(run.output.status.code() == Some(101) && run.text().contains(OUTSIDE), "{}", run.text());
    let ends = run.report()?.bad_ends;
    let end = ", left by the driver: it still ran after its parent had ended";
    check!(ends.len() == 1 && ends.iter().all(|known| known.ends_with(end)), "the report has {ends:?}");
    Ok(())
}

/// A process that a shell started before it became the runner is not the driver's: it lives on, and the run is green. A
/// driver's process is found beside it.
#[rstest]
#[case::alone("sample::there_are_two_gpus/name=one,number=1", 0)]
#[case::beside_one_of_the_driver("planted::breach/keeps_the_socket", 1)]
#[conformance::test()]
fn a_process_of_the_shell_is_not_the_drivers(#[case] filter: &str, #[case] left: usize) -> Outcome {
    let mark = format!("{:x}", random().u64(..));
    let of_the_suite = suite("reference")?;
    let mut command = Command::new("sh");
    command.args(["-c", r#"MARK="$1" sleep 60 >/dev/null 2>&1 & shift; exec "$@""#, "sh", &mark]);
    command.arg(of_the_suite.get_program()).args(of_the_suite.get_args());
    for (name, value) in of_the_suite.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("CONFORMANCE_PLANTED", "1").args(["--reruns", "0", filter]);
    let run = run(command)?;
    let lives_on = marked(&format!("MARK={mark}"));
    let ids = lives_on.iter().filter_map(|id| id.parse().ok().and_then(Pid::from_raw));
    ids.for_each(|id| {
        let _ = kill_process(id, Signal::KILL);
    });
    check!(lives_on.len() == 1, "{lives_on:?} outlived the run");
    let ends = run.report()?.bad_ends;
    check!(ends.len() == left, "the report has {ends:?}");
    Ok(())
}

/// A process that ends between two cases is not blamed on the next one, which gets another process. The run fails.
#[rstest]
#[conformance::test()]
fn a_process_that_ends_between_cases_fails_the_run() -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").arg("planted::ends_between_cases");
    let run = run(command)?;
    check!(run.report()?.summary()["pass"] == 2, "{}", run.text());
    check!(run.output.status.code() == Some(101) && run.text().contains(OUTSIDE), "{}", run.text());
    let ends = run.report()?.bad_ends;
    let end = ", exporter: killed by signal 9 (SIGKILL) in the time between two cases";
    check!(ends.len() == 1 && ends.iter().all(|known| known.ends_with(end)), "the report has {ends:?}");
    Ok(())
}

/// The report has such a process before the next case begins, so that a later crash of the machine does not hide it. The
/// run that goes on with this report fails too.
#[rstest]
#[conformance::test()]
fn a_process_without_a_case_is_kept_for_the_run_that_goes_on() -> Outcome {
    // The failed case runs again with new processes, which ends the process that an earlier case has spoiled.
    let names = ["planted::bad_exit_with_the_run", "planted::fail", "sample::null_is_refused"];
    let planted = || -> Result<Command, Stop> {
        let mut command = suite("reference")?;
        command.env("CONFORMANCE_PLANTED", "1").args(["--reruns", "1", "--exact"]).args(names);
        Ok(command)
    };
    let run = run(planted()?)?;
    let text = std::fs::read_to_string(run.path()).map_err(harness)?;
    let places = ["{\"line\":\"process\"", "{\"line\":\"start\",\"id\":\"sample::"].map(|line| text.find(line));
    check!(matches!(places, [Some(end), Some(next)] if end < next), "{text}");
    // If no case had failed, the process alone would make the run fail.
    let lines = text.lines().filter(|line| !line.contains("\"line\":\"end\""));
    let lines = lines.map(|line| line.replace("\"verdict\":\"fail\"", "\"verdict\":\"pass\"") + "\n");
    std::fs::write(run.path(), lines.collect::<String>()).map_err(harness)?;
    let resumed = planted()?.arg("--resume").arg(run.path()).output().map_err(harness)?;
    let told = String::from_utf8_lossy(&resumed.stdout);
    check!(resumed.status.code() == Some(101) && told.matches(OUTSIDE).count() == 1, "{}: {told}", resumed.status);
    check!(Report::read(run.path()).map_err(harness)?.bad_ends.len() == 1);
    Ok(())
}

/// `--probe` starts a process too, and says how it ended.
#[rstest]
#[case::in_order("", 0)]
#[case::crashes("exit-aborts", 1)]
#[conformance::test()]
fn a_probe_tells_how_its_process_ended(#[case] fault: &str, #[case] bad: usize) -> Outcome {
    let mut command = suite("reference")?;
    let output = command.env("REFERENCE_DRIVER_FAULT", fault).arg("--probe").output().map_err(harness)?;
    let probe: Probe = serde_json::from_slice(&output.stdout).map_err(harness)?;
    let ends = probe.bad_ends;
    check!(output.status.success() && probe.driver.is_ok(), "{}", output.status);
    check!(
        ends.len() == bad && ends.iter().all(|end| end.ends_with(", keeper: killed by signal 6 (SIGABRT) in exit()")),
        "the probe has {ends:?}"
    );
    Ok(())
}

/// A process that a case leaves with a broken context or an open descriptor serves no other case, which would fail too. Nor
/// does one whose case reset its context on purpose.
#[rstest]
#[case::broken_context("planted::broken_context", Verdict::Fail)]
#[case::open_descriptor("planted::leaked_descriptor", Verdict::Leak)]
#[case::reset_context("planted::reset_context", Verdict::Pass)]
#[conformance::test()]
fn a_process_that_is_not_clean_serves_no_other_case(#[case] planted: &str, #[case] verdict: Verdict) -> Outcome {
    const NEXT: &str = "sample::memory_has_its_size/mebibytes=1,is_filled=true";
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--reruns", "0", "--exact", planted, NEXT]);
    let run = run(command)?;
    let report = run.report()?;
    let verdicts = [planted, NEXT].map(|id| report.case(id).map(|case| case.verdict));
    check!(verdicts == [Some(verdict), Some(Verdict::Pass)], "{verdicts:?}: {}", run.text());
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

/// A process that has reset its context on purpose serves no other case, and is not asked for what it had before.
#[rstest]
#[conformance::test()]
fn a_process_that_reset_its_context_serves_no_other_case() -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--reruns", "0", "planted::resets_its_context"]);
    let run = run(command)?;
    check!(run.output.status.success(), "{}: {}{}", run.output.status, run.text(), run.errors());
    check!(run.report()?.summary()["pass"] == 2, "{}", run.text());
    Ok(())
}
