//! Runs that lack something: a full disk of the report or of the output, no descriptors left, and two runs at once.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use conformance::report::Report;
use conformance::{Outcome, Stop, Verdict, check, random};
use rstest::rstest;

use crate::gate::Gate;
use crate::suite::{harness, left_of, run, suite};

const CASES: &str = "sample::memory_has_its_size";

/// Returns the environment variable that marks the processes of a run.
fn mark() -> (String, String) {
    ("CONFORMANCE_MARK".to_owned(), format!("{:x}", random().u64(..)))
}

/// The run said why it ended, and nothing of it is left: no panic, no process, no file beside its report.
fn ended_well(output: &Output, mark: &(String, String), says: &str) -> Outcome {
    let errors = String::from_utf8_lossy(&output.stderr);
    check!(output.status.code() == Some(1), "the run ended with {}: {errors}", output.status);
    check!(errors.contains("conformance: ") && errors.contains(says), "{errors}");
    check!(!errors.contains("panicked"), "{errors}");
    let left = left_of(&format!("{}={}", mark.0, mark.1));
    check!(left.is_empty(), "processes {left:?} outlived their runner");
    Ok(())
}

/// A run whose trace fills its disk names the file, and ends.
#[rstest]
#[conformance::test()]
fn a_full_disk_of_the_trace_ends_the_run() -> Outcome {
    let mark = mark();
    let mut command = suite("reference")?;
    command.arg(CASES).env("CONFORMANCE_TRACE", "/dev/full").env(&mark.0, &mark.1);
    let output = command.output().map_err(harness)?;
    ended_well(&output, &mark, "cannot write the trace /dev/full: No space left on device")
}

/// A run whose report fills its disk says so and ends. The report is readable, and the run goes on where there is room.
#[rstest]
#[conformance::test()]
fn a_full_disk_ends_the_run() -> Outcome {
    const SCRIPT: &str = r#"mount -t tmpfs -o size=16k none "$FOLDER" || exit 77
        "$0" "$@" --report "$FOLDER/report.jsonl"; code=$?
        cp "$FOLDER/report.jsonl" "$KEPT" && exit $code"#;
    let folder = tempfile::tempdir().map_err(harness)?;
    let (disk, kept, mark) = (folder.path().join("disk"), folder.path().join("report.jsonl"), mark());
    std::fs::create_dir(&disk).map_err(harness)?;
    let run = suite("reference")?;
    let mut command = copy_of(&run, "unshare");
    command.args(["--mount", "sh", "-c", SCRIPT]).arg(run.get_program()).args(run.get_args()).arg(CASES);
    command.env("FOLDER", &disk).env("KEPT", &kept).env(&mark.0, &mark.1);
    let output = command.output().map_err(harness)?;
    if !kept.is_file() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(Stop::Unsupported(format!("cannot mount a small disk: {}", errors.trim())));
    }
    ended_well(&output, &mark, "cannot write the report: No space left on device")?;
    let ended = Report::read(&kept).map_err(harness)?;
    check!(!ended.is_complete && !ended.cases.is_empty(), "{} cases ended", ended.cases.len());
    let mut again = suite("reference")?;
    let output = again.arg(CASES).arg("--resume").arg(&kept).output().map_err(harness)?;
    check!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = Report::read(&kept).map_err(harness)?;
    check!(report.is_complete && report.cases.len() > ended.cases.len(), "{} cases ended", report.cases.len());
    check!(report.cases.iter().all(|case| case.verdict == Verdict::Pass));
    Ok(())
}

/// A report that is no file ends the run with one message. The run does not wait for the reader of a pipe.
#[rstest]
#[case::device(None)]
#[case::pipe(Some("pipe"))]
#[conformance::test()]
fn a_report_that_is_no_file_ends_the_run(#[case] pipe: Option<&str>) -> Outcome {
    let (folder, mark) = (tempfile::tempdir().map_err(harness)?, mark());
    let report = pipe.map_or_else(|| Path::new("/dev/full").to_owned(), |name| folder.path().join(name));
    if pipe.is_some() {
        check!(Command::new("mkfifo").arg(&report).status().map_err(harness)?.success());
    }
    // With both ends open here, nothing waits for one.
    let _both_ends = File::options().read(true).write(true).open(&report).map_err(harness)?;
    let mut command = suite("reference")?;
    command.arg(CASES).arg("--report").arg(&report).env(&mark.0, &mark.1);
    let output = command.output().map_err(harness)?;
    ended_well(&output, &mark, "it is a pipe or a device, and a report must be a file")
}

/// Output that cannot be written ends the run with one message. No case is blamed for it, and nothing is left.
#[rstest]
#[case::of_a_run(&[CASES])]
#[case::of_threads(&[CASES, "--test-threads", "2"])]
#[case::as_json(&[CASES, "--format", "json"])]
#[case::of_a_list(&["--list"])]
#[case::of_a_probe(&["--probe"])]
#[conformance::test()]
fn output_that_cannot_be_written_ends_the_run(#[case] arguments: &[&str]) -> Outcome {
    let (temporary, mark) = (tempfile::tempdir().map_err(harness)?, mark());
    let mut command = suite("reference")?;
    command.args(arguments).env(&mark.0, &mark.1).env("TMPDIR", temporary.path());
    command.stdout(File::options().write(true).open("/dev/full").map_err(harness)?).stderr(Stdio::piped());
    let output = command.spawn().and_then(Child::wait_with_output).map_err(harness)?;
    ended_well(&output, &mark, "cannot write to standard output: No space left on device")?;
    let left = std::fs::read_dir(temporary.path()).map_err(harness)?.count();
    check!(left == 0, "{left} files of the run are left");
    Ok(())
}

/// A log file that cannot be created ends the run with one message.
#[rstest]
#[conformance::test()]
fn a_log_file_that_cannot_be_created_ends_the_run() -> Outcome {
    let (folder, mark) = (tempfile::tempdir().map_err(harness)?, mark());
    let mut command = suite("reference")?;
    command.arg(CASES).arg("--logfile").arg(folder.path().join("missing/log")).env(&mark.0, &mark.1);
    let output = command.output().map_err(harness)?;
    ended_well(&output, &mark, "cannot write to the log file: No such file or directory")
}

/// A disk that the output fills during the run ends it. The report is readable, and has no case that failed.
#[rstest]
#[conformance::test()]
fn output_that_fills_its_disk_ends_the_run() -> Outcome {
    const SCRIPT: &str = r#"mount -t tmpfs -o size=4k none "$FOLDER" || exit 77
        head -c 3000 /dev/zero >"$FOLDER/log"
        exec "$0" "$@" --report "$REPORT" >>"$FOLDER/log""#;
    let folder = tempfile::tempdir().map_err(harness)?;
    let (disk, report, mark) = (folder.path().join("disk"), folder.path().join("report.jsonl"), mark());
    std::fs::create_dir(&disk).map_err(harness)?;
    let run = suite("reference")?;
    let mut command = copy_of(&run, "unshare");
    command.args(["--mount", "sh", "-c", SCRIPT]).arg(run.get_program()).args(run.get_args()).arg(CASES);
    command.env("FOLDER", &disk).env("REPORT", &report).env(&mark.0, &mark.1);
    let output = command.output().map_err(harness)?;
    if !report.is_file() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(Stop::Unsupported(format!("cannot mount a small disk: {}", errors.trim())));
    }
    ended_well(&output, &mark, "cannot write to standard output: No space left on device")?;
    let ended = Report::read(&report).map_err(harness)?;
    check!(!ended.is_complete && !ended.cases.is_empty(), "{} cases ended", ended.cases.len());
    check!(ended.cases.iter().all(|case| case.verdict == Verdict::Pass));
    Ok(())
}

/// A command with the environment of another.
fn copy_of(other: &Command, program: &str) -> Command {
    let mut command = Command::new(program);
    for (name, value) in other.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(Stdio::null());
    command
}

/// A run that has no descriptor left says so, wherever that happens: it cannot start, or its cases are errors.
#[rstest]
#[conformance::test()]
fn a_run_without_descriptors_ends(#[values(4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20)] descriptors: u64) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let (report, mark) = (folder.path().join("report.jsonl"), mark());
    let mut command = suite("reference")?;
    command.arg(CASES).arg("--report").arg(&report).env(&mark.0, &mark.1);
    let limit = libc::rlimit { rlim_cur: descriptors, rlim_max: descriptors };
    let set = move || {
        // SAFETY: one system call, with a structure that lives.
        if unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) } == 0 {
            Ok(())
        } else {
            Err(std::io::Error::last_os_error())
        }
    };
    // SAFETY: the closure only makes a system call.
    unsafe { command.pre_exec(set) };
    let output = command.output().map_err(harness)?;
    let says = "open files";
    let errors = String::from_utf8_lossy(&output.stderr);
    // Neither the panic of a fixture nor the form of an error for programmers.
    let is_told = !["panicked", "Failed(", "NoDriver(", "NoDevice("].iter().any(|word| errors.contains(word));
    check!(is_told, "{errors}");
    if output.status.code() == Some(1) {
        ended_well(&output, &mark, says)?;
        return if report.exists() { Report::read(&report).map(drop).map_err(harness) } else { Ok(()) };
    }
    // The runner had enough to begin. A case for which too few are left is an error of the harness.
    let left = left_of(&format!("{}={}", mark.0, mark.1));
    check!(left.is_empty(), "processes {left:?} outlived their runner");
    let report = Report::read(&report).map_err(harness)?;
    let bad: Vec<_> = report.cases.iter().filter(|case| case.verdict != Verdict::Pass).collect();
    check!(report.is_complete && output.status.code() == Some(if bad.is_empty() { 0 } else { 101 }), "{output:?}");
    for case in bad {
        let reason = case.reason.clone().unwrap_or_default();
        check!(case.verdict == Verdict::Error && reason.contains(says), "{}: {} {reason:?}", case.id, case.verdict);
    }
    Ok(())
}

/// A role that cannot start the threads of a call says so at once. It does not hang, and the driver is not blamed.
#[rstest]
#[conformance::test()]
fn a_role_without_threads_is_an_error() -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--reruns", "0", "--exact", "planted::lacks_threads"]);
    let report = run(command)?.report()?;
    let case = report.cases.first().ok_or_else(|| harness("no case ran"))?;
    let reason = case.reason.clone().unwrap_or_default();
    let is_told = reason.starts_with("exporter: cannot start a thread: ");
    check!(case.verdict == Verdict::Error && is_told, "{}: {reason:?}", case.verdict);
    Ok(())
}

/// A runner that can start no thread says so, and ends.
#[rstest]
#[conformance::test()]
fn a_runner_without_threads_ends() -> Outcome {
    let mark = mark();
    let mut command = suite("reference")?;
    // No stack of this size has room in the address space.
    command.arg(CASES).env("RUST_MIN_STACK", (1_u64 << 50).to_string()).env(&mark.0, &mark.1);
    let output = command.output().map_err(harness)?;
    ended_well(&output, &mark, "cannot start a role: Resource temporarily unavailable")
}

/// Two runs at once, on machines of their own or on one machine, end with the verdicts of a run alone. So does the one
/// that leaks memory: only its own case is blamed.
#[rstest]
#[case::on_two_machines(None)]
#[case::on_one_machine(Some(&b""[..]))]
#[case::on_one_whose_name_is_no_text(Some(&b"\xff"[..]))]
#[conformance::test()]
fn two_runs_at_once_are_as_one_alone(#[case] end_of_name: Option<&[u8]>) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let random = format!("{:x}", random().u64(..));
    let machine = end_of_name.map(|end| OsString::from_vec([random.as_bytes(), end].concat()));
    let report = |name: &str| folder.path().join(format!("{name}.jsonl"));
    let start = |name: &str| {
        let mut command = suite("reference")?;
        command.args(["sample::", "planted::leaked_memory", "planted::reads_memory", "--report"]).arg(report(name));
        command.args(["--repeat", "3", "--reruns", "0"]).env("CONFORMANCE_PLANTED", "1");
        if let Some(machine) = &machine {
            command.env("REFERENCE_DRIVER_MACHINE", machine);
        }
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(harness)
    };
    let verdicts = |name: &str| -> Result<Vec<_>, Stop> {
        let report = Report::read(&report(name)).map_err(harness)?;
        check!(report.is_complete);
        Ok(report.cases.into_iter().map(|case| (case.id, case.verdict, case.reason)).collect())
    };
    start("alone")?.wait().map_err(harness)?;
    let alone = verdicts("alone")?;
    let leaks = alone.iter().filter(|(_, verdict, _)| *verdict == Verdict::Leak).count();
    let good = alone.iter().filter(|(_, verdict, _)| verdict.is_good()).count();
    check!(leaks == 1 && good == alone.len() - 1, "alone: {alone:?}");
    let runs = [start("one")?, start("other")?];
    let mut told = 0;
    for run in runs {
        let output = run.wait_with_output().map_err(harness)?;
        told += usize::from(String::from_utf8_lossy(&output.stderr).contains("another run uses the same devices"));
    }
    for name in ["one", "other"] {
        let differing: Vec<_> = verdicts(name)?.into_iter().zip(&alone).filter(|(one, other)| one != *other).collect();
        check!(differing.is_empty(), "{name}: {differing:?}");
    }
    check!((told > 0) == machine.is_some(), "{told} runs said that another one uses the same devices");
    Ok(())
}

/// A run whose report another run takes ends with an error. The report of the other run has only its own cases, and the
/// cases of the first are in the file that was renamed.
#[rstest]
#[conformance::test()]
fn a_run_writes_into_no_other_report() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let (report, gate, mark) = (folder.path().join("report.jsonl"), Gate::new(folder.path())?, mark());
    let mut first = suite("reference")?;
    first.args(["--exact", "planted::waits_at_a_gate", "--report"]).arg(&report).env(&mark.0, &mark.1);
    gate.bars(&mut first);
    let mut first = first.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(harness)?;
    let waiting = gate.wait(first.stdout.take())?;
    let second = suite("reference")?.arg(CASES).arg("--report").arg(&report).output().map_err(harness)?;
    waiting.go_on()?;
    let first = first.wait_with_output().map_err(harness)?;
    check!(second.status.success(), "{}", String::from_utf8_lossy(&second.stderr));
    ended_well(&first, &mark, "is no longer the report of this run")?;
    let ids = |path: &Path| -> Result<_, Stop> {
        let report = Report::read(path).map_err(harness)?;
        Ok((report.is_complete, report.cases.len(), report.running))
    };
    check!(ids(&report)? == (true, 40, Vec::new()), "{:?}", ids(&report)?);
    let old = ids(&report.with_extension("jsonl.old"))?;
    check!(old == (false, 0, vec!["planted::waits_at_a_gate".to_owned()]), "{old:?}");
    Ok(())
}

/// A run whose report is emptied meanwhile says the same, and writes no lines without their beginning.
#[rstest]
#[conformance::test()]
fn a_run_goes_on_in_no_empty_report() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let (report, gate, mark) = (folder.path().join("report.jsonl"), Gate::new(folder.path())?, mark());
    let mut command = suite("reference")?;
    command.args(["--exact", "planted::waits_at_a_gate", "--report"]).arg(&report).env(&mark.0, &mark.1);
    gate.bars(&mut command);
    let mut run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(harness)?;
    let waiting = gate.wait(run.stdout.take())?;
    std::fs::write(&report, "").map_err(harness)?;
    waiting.go_on()?;
    ended_well(&run.wait_with_output().map_err(harness)?, &mark, "is no longer the report of this run")?;
    check!(std::fs::read(&report).map_err(harness)?.is_empty(), "the run wrote into the empty file");
    Ok(())
}
