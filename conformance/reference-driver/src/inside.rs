//! How many threads are in the same driver call, for faults that show only if there are several.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the threads that are in a call.
pub(crate) struct Inside(&'static AtomicUsize);

impl Inside {
    pub(crate) fn enter(count: &'static AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }

    /// Whether another thread is in the call too. Yields first, so that another one can enter.
    pub(crate) fn is_contended(&self) -> bool {
        std::thread::yield_now();
        self.0.load(Ordering::Relaxed) > 1
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
