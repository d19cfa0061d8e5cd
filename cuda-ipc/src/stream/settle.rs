//! Waiting for work of a stream whose memory may be released afterwards.

use std::io::Write as _;
use std::process::abort;
use std::thread::sleep;
use std::time::Duration;

use crate::deadline::{Deadline, Pauses};
use crate::{Error, Stream};

/// How long a capture of other code may forbid to wait for work.
const CAPTURE: Duration = Duration::from_secs(60);

/// Waits until a stream's work is over. If the stream may have work that uses borrowed memory, it returns only if it is
/// certain that this work is over.
#[inline]
pub(crate) fn settle(stream: &Stream, is_busy: bool) -> Result<(), Error> {
    match stream.finish() {
        Err(error) if is_busy => settle_after(stream, error),
        // Without such work, the caller may release everything even if the wait failed.
        answer => answer,
    }
}

#[cold]
fn settle_after(stream: &Stream, mut error: Error) -> Result<(), Error> {
    let (mut pauses, deadline) = (Pauses::default(), Deadline::after(Some(CAPTURE)));
    // No call says when a capture of other code has ended.
    while error.is_of_capture() && !deadline.has_passed() {
        sleep(pauses.next());
        match stream.finish() {
            Ok(()) => return Ok(()),
            Err(next) => error = next,
        }
    }
    if error.ends_work() {
        return Err(error);
    }
    match stream.context().finish() {
        Ok(()) => Err(error),
        Err(other) if other.ends_work() => Err(error),
        Err(other) => give_up(&error, &other),
    }
}

/// Ends the process, because the device may still write to memory that is about to be released.
fn give_up(error: &Error, other: &Error) -> ! {
    // Nothing can be done about an error of writing, and a panic would go on to release the memory.
    let _ = writeln!(
        std::io::stderr(),
        "cuda-ipc: a stream cannot wait for its work ({error}), nor for its context ({other}). The device may still use \
         memory that is borrowed for this work, so the process is aborted."
    );
    abort()
}
