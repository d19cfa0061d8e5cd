//! Where the errors go that `Drop` cannot return.

use std::fmt;
use std::sync::{PoisonError, RwLock};

use crate::Error;

/// An error that a value met when it was dropped.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DropError {
    /// What was dropped: the name of a type of this crate.
    pub resource: &'static str,
    /// What the driver answered.
    pub error: Error,
}

impl fmt::Display for DropError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {} was dropped: {}", self.resource, self.error)
    }
}

impl std::error::Error for DropError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

static HOOK: RwLock<fn(DropError)> = RwLock::new(ignore);

fn ignore(_: DropError) {}

/// Choose, for the whole process, what is done with the errors that `Drop` meets; the hook that was there before.
///
/// Until one is set, such errors are ignored: a library has no place of its own to write to. Whoever wants an error at
/// one place in the code calls the method (`free`, `close`, `destroy` or `release`) instead of dropping.
///
/// The hook runs in the thread that drops, possibly while it unwinds, so it must not panic.
pub fn set_drop_hook(hook: fn(DropError)) -> fn(DropError) {
    let mut current = HOOK.write().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut current, hook)
}

pub(crate) fn report(resource: &'static str, error: Error) {
    // The lock is not held while the hook runs, which may set another.
    let hook = *HOOK.read().unwrap_or_else(PoisonError::into_inner);
    hook(DropError { resource, error });
}
