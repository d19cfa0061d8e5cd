//! If the runner is killed, nothing of it is left: no role, no file, and a report that can be read.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use conformance::diff::Diff;
use conformance::report::Report;
use conformance::{MIB, Outcome, Stop, Verdict, check, random};
use rstest::rstest;
use tempfile::TempDir;

use crate::gate::{Gate, Waiting};
use crate::suite::{harness, left_of, marked, suite};

/// When the runner is killed.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// As soon as it has started a process: it does not know the driver yet.
    Start,
    /// After so many lines of its output, each of which is a case that has ended.
    After(usize),
    /// A role is in a call that does not return.
    Hang,
    /// A role is stopped, so that it cannot see that its runner has ended.
    Stopped,
    /// It waits in a case while no role works.
    Case,
    /// It is writing a line of its report.
    Report,
}

impl Phase {
    const fn filter(self) -> &'static str {
        match self {
            Self::Start | Self::After(_) => "sample",
            Self::Hang => "planted::hangs_at_a_gate",
            Self::Stopped => "planted::stops_its_role",
            Self::Case => "planted::waits_at_a_gate",
            Self::Report => "planted::reports_much",
        }
    }

    /// Waits until the runner is in the phase. A case that waits at the gate does so until the returned value is dropped.
    fn wait(self, runner: &mut Child, run: &Run) -> Result<Option<Waiting>, Stop> {
        match self {
            Self::Case | Self::Hang | Self::Stopped => return run.gate.wait(runner.stdout.take()).map(Some),
            // The second process is a role.
            Self::Start => until("a role starts", || marked(&run.mark).len() > 1)?,
            Self::After(lines) => {
                let mut output =
                    BufReader::new(runner.stdout.take().ok_or_else(|| harness("the runner has no output"))?);
                // The first line names the driver, and the next two say how many cases there are.
                for _ in 0..lines + 3 {
                    output.read_line(&mut String::new()).map_err(harness)?;
                }
            }
            Self::Report => until("the report grows", || run.report().metadata().is_ok_and(|file| file.len() > MIB))?,
        }
        Ok(None)
    }
}

/// Waits for something that gives no signal.
fn until(what: &str, happens: impl Fn() -> bool) -> Outcome {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !happens() {
        check!(Instant::now() < deadline, "waited in vain until {what}");
        std::thread::yield_now();
    }
    Ok(())
}

/// A run with a report and a folder for temporary files of its own.
struct Run {
    folder: TempDir,
    gate: Gate,
    mark: String,
}

impl Run {
    fn new() -> Result<Self, Stop> {
        let folder = tempfile::tempdir().map_err(harness)?;
        std::fs::create_dir(folder.path().join("tmp")).map_err(harness)?;
        let gate = Gate::new(folder.path())?;
        Ok(Self { folder, gate, mark: format!("CONFORMANCE_MARK={:x}", random().u64(..)) })
    }

    fn report(&self) -> PathBuf {
        self.folder.path().join("report.jsonl")
    }

    fn reported(&self) -> String {
        std::fs::read_to_string(self.report()).unwrap_or_default()
    }

    fn command(&self, filter: &str) -> Result<Command, Stop> {
        let mut command = suite("reference")?;
        let (name, value) = self.mark.split_once('=').unwrap_or_default();
        command.env(name, value).env("TMPDIR", self.folder.path().join("tmp"));
        self.gate.bars(&mut command);
        command.arg(filter).arg("--report").arg(self.report()).stdout(Stdio::piped()).stderr(Stdio::null());
        Ok(command)
    }

    /// Checks that no process and no file of the run is left. `processes` are those that it had.
    fn is_gone(&self, processes: &[String]) -> Outcome {
        let left = left_of(&self.mark);
        check!(left.is_empty(), "processes {left:?} outlived their runner");
        let temporary = names(&self.folder.path().join("tmp"))?;
        check!(temporary.is_empty(), "temporary files {temporary:?} are left");
        let shared = files_of(processes)?;
        check!(shared.is_empty(), "files {shared:?} in /dev/shm are left");
        Ok(())
    }
}

fn names(folder: &Path) -> Result<Vec<String>, Stop> {
    let entries = std::fs::read_dir(folder).map_err(harness)?;
    Ok(entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

/// Returns the files in /dev/shm whose names contain the number of one of the processes.
fn files_of(processes: &[String]) -> Result<Vec<String>, Stop> {
    let numbers: Vec<_> = processes.iter().filter_map(|id| Some(format!("{:x}", id.parse::<u32>().ok()?))).collect();
    let mut shared = names(Path::new("/dev/shm"))?;
    let is_of_the_run = |word: &str| numbers.iter().chain(processes).any(|number| number == word);
    shared.retain(|name| name.split('.').any(is_of_the_run));
    Ok(shared)
}

/// After SIGKILL of the runner in any phase, no process and no file is left, the report tells how far the run came, and
/// the next run is clean.
#[rstest]
#[case::start(Phase::Start)]
#[case::first_line(Phase::After(0))]
#[case::between_cases(Phase::After(5))]
#[case::later(Phase::After(30))]
#[case::in_a_hang(Phase::Hang)]
#[case::while_a_role_is_stopped(Phase::Stopped)]
#[case::in_a_case(Phase::Case)]
#[case::while_it_reports(Phase::Report)]
#[conformance::test()]
fn a_killed_runner_leaves_nothing(#[case] phase: Phase) -> Outcome {
    let run = Run::new()?;
    let mut runner = run.command(phase.filter())?.spawn().map_err(harness)?;
    let is_there = phase.wait(&mut runner, &run);
    let processes = marked(&run.mark);
    runner.kill().and_then(|()| runner.wait()).map_err(harness)?;
    is_there?;
    run.is_gone(&processes)?;
    let old = run.report();
    if matches!(phase, Phase::Report) {
        check!(!run.reported().ends_with('\n'), "the runner was killed after it had written the line");
    }
    let again = run.command("sample::memory")?.output().map_err(harness)?;
    check!(again.status.success(), "the next run: {}", String::from_utf8_lossy(&again.stdout));
    run.is_gone(&[])?;
    // The next run kept the report, unless the first one had not begun it.
    let (old, new) = (old.with_extension("jsonl.old"), Report::read(&old).map_err(harness)?);
    check!(new.is_complete && new.cases.iter().all(|case| case.verdict == Verdict::Pass));
    if !old.exists() {
        check!(matches!(phase, Phase::Start), "the report of the killed run is gone");
        return Ok(());
    }
    let broken = Report::read(&old).map_err(harness)?;
    check!(!broken.is_complete);
    let limits = Diff::of(&broken, &new).scope.limits;
    let told = limits.iter().any(|limit| limit.contains("the old run broke off") || limit.contains("no end line"));
    check!(told, "a comparison says only {limits:?}");
    Ok(())
}

/// If nobody reads its output any more, the runner ends with the exit code of SIGPIPE and without a message, and nothing of it
/// is left. A killed role would leave the file that its driver has in /dev/shm.
#[rstest]
#[conformance::test()]
fn a_closed_pipe_leaves_nothing() -> Outcome {
    const ENDED_BY_SIGPIPE: i32 = 128 + 13;
    let run = Run::new()?;
    let mut command = run.command("planted::closes_before_a_gate")?;
    command.env("REFERENCE_DRIVER_FAULT", "close-keeps-a-file").stderr(Stdio::piped());
    let mut runner = command.spawn().map_err(harness)?;
    let waiting = run.gate.wait(runner.stderr.take())?;
    let processes = marked(&run.mark);
    check!(!files_of(&processes)?.is_empty(), "no process has a file in /dev/shm");
    drop(runner.stdout.take());
    let errors = waiting.go_on()?;
    let status = runner.wait().map_err(harness)?;
    check!(status.code() == Some(ENDED_BY_SIGPIPE) && errors.is_empty(), "{status}: {errors}");
    run.is_gone(&processes)
}
