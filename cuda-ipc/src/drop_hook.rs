//! The hook for errors that `Drop` cannot return.

use std::fmt;
use std::sync::{PoisonError, RwLock};

use crate::Error;

/// An error that occurred when a value was dropped.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DropError {
    /// The name of the dropped value's type, which is a type of this crate.
    pub resource: &'static str,
    /// The error that occurred.
    pub error: Error,
}

impl fmt::Display for DropError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "dropping {} failed: {}", self.resource, self.error)
    }
}

impl std::error::Error for DropError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

static HOOK: RwLock<fn(DropError)> = RwLock::new(ignore);

fn ignore(_: DropError) {}

/// Sets the hook that gets the errors which `Drop` meets in this process, and returns the previous hook.
///
/// Until a hook is set, such errors are ignored, because a library has no output of its own. To get the error at one
/// place in the code, call the method that releases the value (`free`, `close`, `destroy` or `release`) instead of
/// dropping it.
///
/// The hook runs in the thread that drops the value, possibly while it unwinds, so it must not panic.
pub fn set_drop_hook(hook: fn(DropError)) -> fn(DropError) {
    let mut current = HOOK.write().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut current, hook)
}

pub(crate) fn report(resource: &'static str, error: Error) {
    // The lock is not held while the hook runs, because the hook may set another one.
    let hook = *HOOK.read().unwrap_or_else(PoisonError::into_inner);
    hook(DropError { resource, error });
}
