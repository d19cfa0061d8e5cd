//! The end of a scope: it does not pass before the work is done.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::abort;
use std::thread::sleep;
use std::time::Duration;

use super::Used;
use crate::deadline::{Deadline, Pauses};
use crate::drop_hook::report;
use crate::{Error, Stream};

/// Waits for a scope's streams when it is dropped, so that a panic does not leave the scope before its work is done.
/// Only this module has the value, so nothing can leak it.
pub(super) struct End<'used, 'scope> {
    used: &'used Used<'scope>,
    has_waited: bool,
}

/// How long a scope waits for the end of a capture that forbids it to wait for its work.
const CAPTURE: Duration = Duration::from_secs(60);

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

/// Waits until a stream's work is over. If work of the scope may be in the stream, it returns only if that is certain.
pub(super) fn settle(stream: &Stream, is_busy: bool) -> Result<(), Error> {
    if !is_busy {
        // No work in this stream uses what the scope borrowed, whatever comes of the wait.
        return stream.finish();
    }
    let (mut pauses, deadline) = (Pauses::default(), Deadline::after(Some(CAPTURE)));
    let error = loop {
        match stream.finish() {
            Ok(()) => return Ok(()),
            // No call says when a capture of other code has ended.
            Err(error) if error.is_of_capture() && !deadline.has_passed() => sleep(pauses.next()),
            Err(error) => break error,
        }
    };
    if error.ends_work() {
        return Err(error);
    }
    match stream.context().synchronize() {
        Ok(()) => Err(error),
        Err(other) if other.ends_work() => Err(error),
        Err(other) => give_up(&error, &other),
    }
}

/// Ends the process, because the device may still write to memory that the scope has borrowed.
fn give_up(error: &Error, other: &Error) -> ! {
    // Nothing can be done about an error of writing, and a panic would leave the scope.
    let _ = writeln!(
        std::io::stderr(),
        "cuda-ipc: a stream scope cannot wait for its work ({error}), nor for its context ({other}). The device may \
         still write to memory that the scope has borrowed, so the process is aborted."
    );
    abort()
}
