//! The end of a scope: it does not pass before the work is done.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Used;
use crate::Error;
use crate::drop_hook::report;
use crate::stream::settle::settle;

/// Waits for a scope's streams when it is dropped, so that a panic does not leave the scope before its work is done.
/// Only this module has the value, so nothing can leak it.
pub(super) struct End<'used, 'scope> {
    used: &'used Used<'scope>,
    has_waited: bool,
}

impl<'used, 'scope> End<'used, 'scope> {
    pub(super) const fn of(used: &'used Used<'scope>) -> Self {
        Self { used, has_waited: false }
    }

    /// Waits, and returns the first error of the scope's function and of its work.
    #[inline]
    pub(super) fn wait<R>(mut self, answer: Result<R, Error>) -> Result<R, Error> {
        let failure = self.used.settle(true);
        self.has_waited = true;
        match failure {
            None => answer,
            Some(failure) if answer.is_ok() => Err(failure),
            Some(second) => {
                report("Scope", second);
                answer
            }
        }
    }
}

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        if self.has_waited {
            return;
        }
        // What watches the process is code of the caller, which may panic each time.
        let settled = catch_unwind(AssertUnwindSafe(|| self.used.settle(true)));
        if let Some(failure) = settled.unwrap_or_else(|_| self.used.settle(false)) {
            report("Scope", failure);
        }
    }
}

impl Used<'_> {
    /// Waits for every stream, also after an error, and returns the first error.
    fn settle(&self, watches: bool) -> Option<Error> {
        let mut first = None;
        self.streams.borrow().each(|place, stream| {
            let is_busy = self.busy.has(place);
            let settled = match &self.watch {
                Some(watch) if watches => watch.settle(stream, is_busy),
                _ => settle(stream, is_busy),
            };
            if let Err(error) = settled {
                first.get_or_insert(error);
            }
        });
        first
    }
}
