//! The threads that wait for names.

use std::collections::HashMap;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::{Error, ObjectId};

/// The waits of one client. Whoever receives the daemon's message tells the thread that waits.
#[derive(Debug, Default)]
pub(super) struct Waiters(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The number of the next wait.
    next: u64,
    told: HashMap<u64, Sender<ObjectId>>,
}

/// One wait, which is forgotten when it is dropped.
#[derive(Debug)]
pub(super) struct Waiter<'a> {
    pub(super) number: u64,
    waiters: &'a Waiters,
    object: Receiver<ObjectId>,
}

impl Waiters {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self) -> Waiter<'_> {
        let (teller, object) = mpsc::channel();
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state.told.insert(number, teller);
        Waiter { number, waiters: self, object }
    }

    /// Tells a thread which object has the name that it waits for.
    pub(super) fn tell(&self, number: u64, id: ObjectId) {
        if let Some(teller) = self.state().told.remove(&number) {
            // Fails if the thread waits no longer.
            let _ = teller.send(id);
        }
    }

    /// Wakes all threads, because nobody will tell them anything any more.
    pub(super) fn abandon(&self) {
        self.state().told.clear();
    }
}

impl Waiter<'_> {
    /// Waits at most for `limit`. Returns nothing if the time is up.
    pub(super) fn wait(&self, limit: Duration) -> Result<Option<ObjectId>, Error> {
        match self.object.recv_timeout(limit) {
            Ok(id) => Ok(Some(id)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Error::StoreGone),
        }
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.waiters.state().told.remove(&self.number);
    }
}
