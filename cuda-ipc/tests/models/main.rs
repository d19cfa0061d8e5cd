//! Models of the locks. Shuttle runs a few threads many times, in other orders each time, and finds a deadlock or an
//! order in which an assertion fails. The threads run the files of the crate: only the locks in them are shuttle's, and
//! the driver is a list of what is open.
//!
//! A failure prints the order, which `shuttle::replay` repeats.
//!
//! Shuttle takes every atomic operation for sequentially consistent. Under Miri, the models run a few times with the locks
//! and threads of the standard library, and Miri also lets loads return older values.

// The models use a part of the files, in which some items are public.
#![allow(dead_code, unreachable_pub)]

#[path = "../../src/drop_hook.rs"]
mod drop_hook;
#[path = "../../src/pool/imports.rs"]
mod imports;
#[path = "../../src/cache/kept.rs"]
mod kept;
#[path = "../../src/known.rs"]
mod known;
#[path = "../../src/lock.rs"]
mod lock;

mod cache;
mod driver;
mod pool;
mod values;

use std::fmt;

/// The locks that the files take in place of those in `src/sync.rs`.
#[cfg(not(miri))]
mod sync {
    pub(crate) use shuttle::sync::atomic::{AtomicUsize, Ordering, fence};
    pub(crate) use shuttle::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
    pub(crate) use shuttle::thread_local;
}
#[cfg(miri)]
#[path = "../../src/sync.rs"]
mod sync;

#[cfg(not(miri))]
use shuttle::thread;
#[cfg(miri)]
use std::thread;

mod fork {
    pub(crate) const fn is_child() -> bool {
        false
    }
}

#[derive(Clone, Debug)]
struct Error;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the driver refused a call")
    }
}

impl std::error::Error for Error {}

/// Returns how often a model runs.
fn orders(default: usize) -> usize {
    std::env::var("CUDA_IPC_TEST_ORDERS").map_or(default, |number| number.parse().expect("a number"))
}

/// Runs a model in many orders: random ones, and as many that change threads at few points.
#[cfg(not(miri))]
fn check(model: fn()) {
    use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};

    fn run(scheduler: impl Scheduler + 'static, model: fn()) {
        let mut config = shuttle::Config::new();
        // Its 32 KiB are too few to unwind a panic.
        config.stack_size = 256 << 10;
        // It warns that it runs every atomic operation in one order.
        config.silence_warnings = true;
        shuttle::Runner::new(scheduler, config).run(model);
    }
    run(RandomScheduler::new(orders(1000)), model);
    run(PctScheduler::new(3, orders(1000)), model);
}

/// Runs a model a few times. Miri changes threads at random.
#[cfg(miri)]
fn check(model: fn()) {
    (0..orders(5)).for_each(|_| model());
}
