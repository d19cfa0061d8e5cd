//! Locks under which imports are opened and values are dropped.

use std::ops::{Deref, DerefMut};

use crate::drop_hook::Postponed;
use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

/// A locked mutex. The drop hook gets the errors of drops only after the mutex is unlocked, so it may call functions
/// that lock the mutex again.
pub(crate) struct Locked<'mutex, T> {
    /// Dropped before the next field, which calls the hook.
    guard: MutexGuard<'mutex, T>,
    _postponed: Postponed,
}

/// Locks a mutex. A thread that panicked while it held the mutex left a consistent value.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> Locked<'_, T> {
    let postponed = Postponed::new();
    Locked { guard: mutex.lock().unwrap_or_else(PoisonError::into_inner), _postponed: postponed }
}

/// Locks a mutex, unless it is locked already.
pub(crate) fn try_lock<T>(mutex: &Mutex<T>) -> Option<Locked<'_, T>> {
    let postponed = Postponed::new();
    let guard = match mutex.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return None,
    };
    Some(Locked { guard, _postponed: postponed })
}

impl<T> Locked<'_, T> {
    /// Unlocks the mutex until the condition variable is notified.
    pub(crate) fn wait(self, notified: &Condvar) -> Self {
        let Self { guard, _postponed } = self;
        Self { guard: notified.wait(guard).unwrap_or_else(PoisonError::into_inner), _postponed }
    }
}

impl<T> Deref for Locked<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for Locked<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}
