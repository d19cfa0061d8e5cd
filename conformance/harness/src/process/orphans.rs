//! Processes that a driver starts in a role and leaves. Nothing else ends them, because the death signal of a role is not
//! theirs, and they keep the output of the run open: its reader would wait for them.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, wait};

use super::status::BadEnds;

/// How long such a process may take to end, by itself or after SIGKILL.
const TIME_TO_END: Duration = Duration::from_secs(1);

/// Makes this process the parent of each process below it whose parent ends.
pub(crate) fn adopt() {
    // A kernel that refuses this gives them to process 1, where nothing finds them.
    let _ = set_child_subreaper(Some(getpid()));
}

/// Kills and reports the processes that are left after every role has ended.
///
/// It waits for any child, so nothing else in this process may wait for one of its own meanwhile.
pub(crate) fn end(bad_ends: &BadEnds) {
    let mut killed = BTreeSet::new();
    while !are_gone(Instant::now() + TIME_TO_END) {
        let left: Vec<_> = children().into_iter().filter(|process| !killed.contains(process)).collect();
        // One that SIGKILL does not end was reported, and a kernel may not list the children.
        if left.is_empty() {
            return;
        }
        for process in left {
            let _ = Pid::from_raw(process).map(|process| kill_process(process, Signal::KILL));
            bad_ends.add(format!("process {process}, left by the driver: it still ran after its parent had ended"));
            killed.insert(process);
        }
    }
}

/// Waits until this process has no child. Returns false if it has one after that time.
fn are_gone(until: Instant) -> bool {
    // No call waits for a child with a deadline.
    const BETWEEN: Duration = Duration::from_millis(10);
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) if Instant::now() < until => std::thread::sleep(BETWEEN),
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

/// Returns the children of this process that run or wait to be reaped.
fn children() -> Vec<i32> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}
