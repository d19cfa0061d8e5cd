//! What a fault remembers: numbers that it has seen in this process, how often it was asked, and by which thread first.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, ThreadId};

/// A set of numbers, such as addresses or identifiers.
pub(crate) struct Seen(Mutex<BTreeSet<u64>>);

impl Seen {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(BTreeSet::new()))
    }

    fn numbers(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a number, and returns whether the set had it before.
    pub(crate) fn again(&self, number: u64) -> bool {
        !self.numbers().insert(number)
    }

    pub(crate) fn has(&self, number: u64) -> bool {
        self.numbers().contains(&number)
    }
}

/// Counts calls of this process.
pub(crate) struct Calls(AtomicUsize);

impl Calls {
    pub(crate) const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// Counts a call, and returns whether it is the thousandth.
    pub(crate) fn is_the_thousandth(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) == 999
    }
}

/// Remembers the first thread of this process that asked.
pub(crate) struct FirstThread(OnceLock<ThreadId>);

impl FirstThread {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Returns whether another thread than this one asked first.
    pub(crate) fn is_another(&self) -> bool {
        let current = thread::current().id();
        *self.0.get_or_init(|| current) != current
    }
}
