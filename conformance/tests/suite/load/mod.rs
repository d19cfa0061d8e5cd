//! Load: many processes, many handles, many opens and closes, and pools that come and go. An observer in another process
//! looks before, during and after.
//!
//! | module | contents |
//! |---|---|
//! | `at_once` | imports of each protocol that are open at once |
//! | `exports` | what comes and goes in an exporter, beside something that stays |
//! | `files` | the files in /dev/shm that an ended process has left |
//! | `handles` | many processes that hold handles of each other |
//! | `kept` | imports that stay open while their process opens and closes many others |
//! | `kind` | what they share |
//! | `opens` | opens and closes in large numbers |
//! | `pools` | pools that come and go |
//! | `processes` | processes that come and go |
//! | `refused` | calls that the driver refuses, in large numbers |
//! | `watch` | the observer: descriptors, mappings, child processes, files in /dev/shm, device memory |
//!
//! A usual run makes a small load, which takes a few seconds. `--load` makes the full one.

mod at_once;
mod exports;
mod files;
mod handles;
mod kept;
mod kind;
mod opens;
mod pools;
mod processes;
mod refused;
mod watch;

use conformance::{Placement, Role, Stop, full_load};

use crate::support::device_memory::need_free_memory;

/// Returns the number for a small load, or the one for the full load.
fn sized(small: usize, full: usize) -> usize {
    if full_load() { full } else { small }
}

/// Starts a number of processes on GPU 0, if there is memory for their contexts.
fn start_many(observer: &Role, count: usize) -> Result<Vec<Role>, Stop> {
    let start = |number: usize| Role::new(&format!("process {number}"), Placement::device(0));
    let before = observer.mem_get_info()?.free;
    // A new process, because the context of a warm one has its memory already.
    let first = Role::new("process 0", Placement::device(0).fresh())?;
    let context = before.saturating_sub(observer.mem_get_info()?.free);
    need_free_memory(observer, count as u64 * context)?;
    [Ok(first)].into_iter().chain((1..count).map(start)).collect()
}
