//! Runs that wait for the devices of another run.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use conformance::{Outcome, Stop, check, random};
use rstest::rstest;

use crate::gate::Gate;
use crate::suite::{harness, suite};

/// Returns a name for a simulated machine that no other run has.
fn machine() -> String {
    format!("turns-{:x}", random().u64(..))
}

/// Returns a run on the machine, with a pipe for its output and its errors.
fn on(machine: &str) -> Result<Command, Stop> {
    let mut command = suite("reference")?;
    command.env("REFERENCE_DRIVER_MACHINE", machine).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

/// A run that another one keeps waiting ends when its budget is spent, and names the devices.
#[rstest]
#[conformance::test()]
fn a_run_with_a_budget_waits_no_longer_to_begin() -> Outcome {
    let (folder, machine) = (tempfile::tempdir().map_err(harness)?, machine());
    let gate = Gate::new(folder.path())?;
    let mut hung = on(&machine)?;
    gate.bars(&mut hung);
    let mut hung = hung.args(["--exact", "planted::waits_at_a_gate"]).spawn().map_err(harness)?;
    let waiting = gate.wait(hung.stdout.take())?;
    let began = Instant::now();
    let output = on(&machine)?.args(["--budget", "1s", "sample::"]).output().map_err(harness)?;
    let took = began.elapsed();
    waiting.go_on()?;
    hung.wait().map_err(harness)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let says = format!(
        "--budget is spent before the run could begin: this run waited in vain for the devices of the simulated machine \
         `{machine}`, which another run uses"
    );
    check!(errors.contains(&says) && output.status.code() == Some(1), "{}: {errors}", output.status);
    check!(took >= Duration::from_secs(1), "it gave up after {took:?}");
    Ok(())
}

/// Processes of one nextest run do not wait for each other to begin, because nextest lets several run at the same time.
#[rstest]
#[conformance::test()]
fn processes_of_a_nextest_run_do_not_wait_to_begin() -> Outcome {
    let (folder, machine) = (tempfile::tempdir().map_err(harness)?, machine());
    let gate = Gate::new(folder.path())?;
    let process = || -> Result<Command, Stop> {
        let mut command = on(&machine)?;
        command.env("NEXTEST", "1").env("NEXTEST_RUN_ID", &machine);
        Ok(command)
    };
    let mut hung = process()?;
    gate.bars(&mut hung);
    let mut hung = hung.args(["--exact", "planted::waits_at_a_gate"]).spawn().map_err(harness)?;
    let waiting = gate.wait(hung.stdout.take())?;
    // If it waited, its budget would end that.
    let output =
        process()?.args(["--budget", "10s", "--exact", "sample::null_is_refused"]).output().map_err(harness)?;
    waiting.go_on()?;
    hung.wait().map_err(harness)?;
    check!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// A run that another one keeps waiting between two cases ends when its budget is spent, and names the devices.
#[rstest]
#[conformance::test()]
fn a_run_with_a_budget_waits_no_longer_between_cases() -> Outcome {
    let (folder, machine) = (tempfile::tempdir().map_err(harness)?, machine());
    let (own, other) = (folder.path().join("own"), folder.path().join("other"));
    let gates = [own, other].map(|folder| {
        std::fs::create_dir(&folder).map_err(harness)?;
        Gate::new(&folder)
    });
    let [own, other] = gates;
    let (own, other) = (own?, other?);
    // The case at the gate comes before most of the others.
    let mut run = on(&machine)?;
    own.bars(&mut run);
    run.args(["--budget", "10s", "planted::waits_at_a_gate", "sample::"]);
    let mut run = run.spawn().map_err(harness)?;
    let at_own_gate = own.wait(run.stdout.take())?;
    let mut hung = on(&machine)?;
    other.bars(&mut hung);
    let mut hung = hung.args(["--exact", "planted::waits_at_a_gate"]).spawn().map_err(harness)?;
    // It waits for its first turn, and gets it after one of the many cases that are left.
    let mut line = String::new();
    // It may write more, so the pipe stays open.
    let mut errors = BufReader::new(hung.stderr.take().ok_or_else(|| harness("the run has no errors"))?);
    errors.read_line(&mut line).map_err(harness)?;
    check!(line.contains("another run uses the same devices"), "{line}");
    let hung_output = hung.stdout.take();
    let at_other_gate = std::thread::spawn(move || other.wait(hung_output));
    let text = at_own_gate.go_on()?;
    let status = run.wait().map_err(harness)?;
    at_other_gate.join().map_err(|_| harness("the other run did not come to its gate"))??.go_on()?;
    hung.wait().map_err(harness)?;
    let says = format!(
        "--budget is spent: this run waited in vain for the devices of the simulated machine `{machine}`, which another \
         run uses"
    );
    check!(text.contains(&says) && text.contains(" cases did not run"), "{text}");
    check!(status.success(), "{status}: {text}");
    Ok(())
}
