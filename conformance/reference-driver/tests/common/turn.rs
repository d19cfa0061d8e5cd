//! One at a time: tests of a process that must not run beside others.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits until no other test of this process runs or starts a process. An address or descriptor that one test frees could
/// otherwise be given to another test a moment later. A process that is being started has all descriptors of this one until
/// its program begins, so memory that a test frees meanwhile is not free at once.
pub(crate) fn my_turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
