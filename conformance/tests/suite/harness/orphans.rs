//! Whatever becomes of the runner, no process of it stays.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use conformance::{Outcome, check, random};
use rstest::rstest;

use super::suite::{harness, suite};

/// Processes whose environment has the variable.
fn marked(mark: &str) -> Vec<String> {
    let has_mark = |entry: &std::fs::DirEntry| {
        std::fs::read(entry.path().join("environ"))
            .is_ok_and(|environment| environment.windows(mark.len()).any(|window| window == mark.as_bytes()))
    };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter(has_mark).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// The marked processes that are not gone in a moment, as killed ones are.
pub(super) fn left_of(mark: &str) -> Vec<String> {
    const PATIENCE: Duration = Duration::from_secs(5);
    let deadline = Instant::now() + PATIENCE;
    let mut left = marked(mark);
    while !left.is_empty() && Instant::now() < deadline {
        std::thread::yield_now();
        left = marked(mark);
    }
    left
}

/// SIGKILL of the runner at any moment ends its roles, a hanging one too.
#[rstest]
#[case::at_the_start(0, "ipcevt")]
#[case::in_the_middle(5, "ipcevt")]
#[case::later(30, "ipcmem")]
#[case::in_a_hang(0, "harness::planted::timeout")]
#[conformance::test()]
fn killing_the_runner_ends_its_roles(#[case] lines: usize, #[case] filter: &str) -> Outcome {
    let mark = format!("CONFORMANCE_MARK={:x}", random().u64(..));
    let (name, value) = mark.split_once('=').unwrap_or_default();
    let mut command = suite("reference")?;
    command.env(name, value).env("CONFORMANCE_PLANTED", "1").arg(filter).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut runner = command.spawn().map_err(harness)?;
    let mut output = BufReader::new(runner.stdout.take().ok_or_else(|| harness("no output"))?);
    // The lines of the runner say how far it is: the first names the driver, the next are cases.
    for _ in 0..=lines {
        let mut line = String::new();
        output.read_line(&mut line).map_err(harness)?;
    }
    check!(marked(&mark).len() > 1, "the runner has no roles yet");
    runner.kill().map_err(harness)?;
    runner.wait().map_err(harness)?;
    let left = left_of(&mark);
    check!(left.is_empty(), "processes {left:?} outlived their runner");
    Ok(())
}
