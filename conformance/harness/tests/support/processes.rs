//! Cases that look at the processes which the runner starts on its own.

use std::time::{Duration, Instant};

use conformance::{Outcome, Placement, Role, Stop, check};
use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};

use crate::sample::exporter;
use crate::suite::harness;

/// Returns the process ids of the runner's roles.
fn roles() -> Result<Vec<u32>, Stop> {
    let tasks = std::fs::read_dir("/proc/self/task").map_err(harness)?;
    let children = tasks.map(|task| std::fs::read_to_string(task?.path().join("children")));
    let text = children.collect::<Result<String, _>>().map_err(harness)?;
    text.split_whitespace().map(|id| id.parse().map_err(harness)).collect()
}

/// Kills a process that reads the free memory for the runner, as if its driver had crashed.
#[rstest]
#[conformance::test()]
fn kills_a_keeper() -> Outcome {
    // The first child is the keeper.
    let keeper = roles()?.first().and_then(|keeper| Pid::from_raw(keeper.cast_signed()));
    kill_process(keeper.ok_or_else(|| harness("no process"))?, Signal::KILL).map_err(harness)
}

/// A case that kills its roles, and one after it whose role has started meanwhile.
#[rstest]
#[case::a_kills(true)]
#[case::b_takes(false)]
#[conformance::test()]
fn spare(#[case] kills: bool) -> Outcome {
    const PATIENCE: Duration = Duration::from_secs(10);
    if kills {
        return ["one", "two"].into_iter().try_for_each(|name| Role::new(name, Placement::device(0))?.kill());
    }
    // The first child is the keeper. Two roles were killed, so two start.
    let deadline = Instant::now() + PATIENCE;
    let mut before = roles()?;
    while before.len() < 3 && Instant::now() < deadline {
        std::thread::yield_now();
        before = roles()?;
    }
    let taken = Role::new("three", Placement::device(0))?.id();
    check!(before.contains(&taken), "role {taken} is none of {before:?}");
    Ok(())
}

/// While a case reads the free memory, only the case starts processes.
#[rstest]
#[conformance::test()]
fn no_spare(exporter: Role) -> Outcome {
    exporter.mem_get_info()?;
    let before = roles()?.len();
    let one = Role::new("one", Placement::device(0).fresh())?;
    // Long enough for another process to start, if the harness began to start one.
    std::thread::sleep(Duration::from_millis(200));
    check!(roles()?.len() == before + 1, "{} roles, expected {} and {}", roles()?.len(), before, one.id());
    Ok(())
}
