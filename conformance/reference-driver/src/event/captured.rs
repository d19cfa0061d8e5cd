//! Records of events: those of one process, and the one that an event had at the time of a call.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::health::Health;
use crate::shared_event::SharedRecord;

/// How often a wait for an event checks whether its context still works.
pub(super) const ATTENTION: Duration = Duration::from_millis(10);

/// One record of an event of this process.
#[derive(Debug, Default)]
pub(super) struct Record {
    completed: Mutex<Option<Instant>>,
    changed: Condvar,
}

impl Record {
    pub(super) fn completed(&self) -> MutexGuard<'_, Option<Instant>> {
        self.completed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for(&self, at_most: Option<Duration>) -> bool {
        let completed = self.completed();
        let is_pending = |completed: &mut Option<Instant>| completed.is_none();
        match at_most {
            None => {
                let waited = self.changed.wait_while(completed, is_pending);
                waited.unwrap_or_else(PoisonError::into_inner).is_some()
            }
            Some(time) => {
                let waited = self.changed.wait_timeout_while(completed, time, is_pending);
                waited.unwrap_or_else(PoisonError::into_inner).0.is_some()
            }
        }
    }
}

/// A record whose work is not done yet. Dropping it completes the record, even if the stream ends before it reaches the
/// record.
pub(super) struct Pending(pub(super) Arc<Record>);

impl Drop for Pending {
    fn drop(&mut self) {
        *self.0.completed() = Some(Instant::now());
        self.0.changed.notify_all();
    }
}

/// IPCEVT-021: the record that an event had at the time of the call.
#[derive(Clone, Debug)]
pub(super) enum Captured {
    Nothing,
    Local(Arc<Record>),
    Shared(SharedRecord),
}

impl Captured {
    pub(super) fn is_complete(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Local(record) => record.completed().is_some(),
            Self::Shared(record) => record.is_complete(),
        }
    }

    pub(super) fn wait_for(&self, at_most: Option<Duration>) -> bool {
        match self {
            Self::Nothing => true,
            Self::Local(record) => record.wait_for(at_most),
            Self::Shared(record) => record.wait_for(at_most),
        }
    }

    /// Waits for the record to complete, or for the context to stop working.
    pub(super) fn wait_in(&self, health: &Health) {
        while health.works() && !self.wait_for(Some(ATTENTION)) {}
    }

    pub(super) const fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

/// Waits until the context stops working.
pub(super) fn wait_forever(health: &Health) {
    while health.works() {
        std::thread::sleep(ATTENTION);
    }
}
