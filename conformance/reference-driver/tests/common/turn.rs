//! A lock for tests of one process that must not run at the same time.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits for the other tests of this process that take a turn: those that compare addresses, descriptors or free memory, and
/// those that start a process. An address or descriptor that one test frees could otherwise be given to another test a
/// moment later. A process that is being started has all descriptors of this one until its program begins, so memory that
/// a test frees in that time is not free at once.
pub(crate) fn my_turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
