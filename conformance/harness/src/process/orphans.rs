//! Processes that a driver starts in a role and leaves. Nothing else ends them, because the death signal of a role is not
//! theirs, and they keep the output of the run open: its reader would wait for them.

use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, wait};

use super::status::BadEnds;

/// How long such a process may take to end, by itself or after SIGKILL.
const TIME_TO_END: Duration = Duration::from_secs(1);

/// A variable of each role, which the processes that its driver starts inherit.
pub(super) const RUNNER_VARIABLE: &str = "CONFORMANCE_RUNNER";

/// The children with which this process began: a shell starts them, and then becomes this program with `exec`.
static OF_THE_SHELL: OnceLock<BTreeSet<i32>> = OnceLock::new();

/// Makes this process the parent of each process below it whose parent ends.
pub(crate) fn adopt() {
    OF_THE_SHELL.get_or_init(|| children().into_iter().collect());
    // A kernel that refuses this gives them to process 1, where nothing finds them.
    let _ = set_child_subreaper(Some(getpid()));
}

/// Kills and reports the processes that are left after every role has ended.
///
/// It waits for any child, so nothing else in this process may wait for one of its own meanwhile.
pub(crate) fn end(bad_ends: &BadEnds) {
    let mut killed = BTreeSet::new();
    while !are_gone(Instant::now() + TIME_TO_END) {
        let left: Vec<_> = ours().filter(|process| !killed.contains(process)).collect();
        // One that SIGKILL does not end was reported, and a kernel may not list the children.
        if left.is_empty() {
            return;
        }
        for process in left {
            // A debugger may keep one that has ended.
            let still_ran = !has_ended(process);
            let _ = Pid::from_raw(process).map(|process| kill_process(process, Signal::KILL));
            if still_ran {
                bad_ends.add(format!("process {process}, left by the driver: it still ran after its parent had ended"));
            }
            killed.insert(process);
        }
    }
}

/// Waits until no driver's process is left. Returns false if one is left after that time.
fn are_gone(until: Instant) -> bool {
    // No call waits for a child with a deadline.
    const BETWEEN: Duration = Duration::from_millis(10);
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) if ours().next().is_none() => return true,
            Ok(None) if Instant::now() < until => std::thread::sleep(BETWEEN),
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

/// Returns the children of this process that come from roles. Children of a shell, and of any process in a container of
/// which this one is process 1, become its children too.
fn ours() -> impl Iterator<Item = i32> {
    let of_the_shell = OF_THE_SHELL.get_or_init(BTreeSet::new);
    let has_others = getpid().is_init() || !of_the_shell.is_empty();
    let others = children().into_iter().filter(move |process| !of_the_shell.contains(process));
    others.filter(move |process| !has_others || is_of_a_role(*process))
}

/// Whether a process has ended, and only waits to be reaped.
fn has_ended(process: i32) -> bool {
    const THREADS: usize = 17;
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program stands in parentheses before the state, and may contain some.
    let fields: Vec<_> = status.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').collect();
    // Other threads may live on after the first one.
    fields.first() == Some(&"Z") && matches!(fields.get(THREADS), Some(&("0" | "1")))
}

/// Whether a process has the variable of a role of this run.
fn is_of_a_role(process: i32) -> bool {
    let variable = format!("{RUNNER_VARIABLE}={}", std::process::id());
    let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes())
}

/// Returns the children of this process that run or wait to be reaped.
fn children() -> Vec<i32> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}
