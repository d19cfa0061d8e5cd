//! If the runner is killed, its roles end too.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use conformance::{Outcome, check, random};
use rstest::rstest;

use crate::suite::{harness, left_of, marked, suite};

/// SIGKILL of the runner at any time ends its roles, even one that hangs.
#[rstest]
#[case::at_the_start(0, "sample::memory")]
#[case::in_the_middle(5, "sample::memory")]
#[case::later(30, "sample")]
#[case::in_a_hang(0, "planted::timeout")]
#[conformance::test()]
fn killing_the_runner_ends_its_roles(#[case] lines: usize, #[case] filter: &str) -> Outcome {
    let mark = format!("CONFORMANCE_MARK={:x}", random().u64(..));
    let (name, value) = mark.split_once('=').unwrap_or_default();
    let mut command = suite("reference")?;
    command.env(name, value).env("CONFORMANCE_PLANTED", "1").arg(filter).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut runner = command.spawn().map_err(harness)?;
    let mut output = BufReader::new(runner.stdout.take().ok_or_else(|| harness("the runner has no output"))?);
    // The output shows how far the runner is: the first line names the driver, and the next lines are cases.
    for _ in 0..=lines {
        let mut line = String::new();
        output.read_line(&mut line).map_err(harness)?;
    }
    check!(marked(&mark).len() > 1, "the runner has not started a role");
    runner.kill().map_err(harness)?;
    runner.wait().map_err(harness)?;
    let left = left_of(&mark);
    check!(left.is_empty(), "processes {left:?} outlived their runner");
    Ok(())
}
