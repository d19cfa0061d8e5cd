//! Which threads of the process are in the same call, for faults of calls that meet.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the threads that are in a call.
pub(crate) struct Inside(&'static AtomicUsize);

impl Inside {
    pub(crate) fn enter(count: &'static AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }

    /// Whether another thread is in the call. Gives others a chance to be.
    pub(crate) fn is_contended(&self) -> bool {
        std::thread::yield_now();
        self.0.load(Ordering::Acquire) > 1
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
