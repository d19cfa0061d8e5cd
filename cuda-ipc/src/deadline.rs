//! Waiting for a descriptor, no longer than until a point in time.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// A point in time, or never.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    /// No timeout, and one beyond what the clock counts, are never over.
    pub(crate) fn after(timeout: Option<Duration>) -> Self {
        Self(timeout.and_then(|timeout| Instant::now().checked_add(timeout)))
    }

    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// `poll`: what is true of the descriptor, of these events and of errors and hang-up; nothing where the time was
    /// over first. It is asked once even where there is no time left.
    pub(crate) fn poll(self, descriptor: impl AsFd, events: PollFlags) -> io::Result<PollFlags> {
        let mut polled = [PollFd::new(&descriptor, events)];
        loop {
            match poll(&mut polled, self.left().map(timespec).as_ref()) {
                Ok(_) => return Ok(polled[0].revents()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn timespec(duration: Duration) -> Timespec {
    let seconds = i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
    Timespec { tv_sec: seconds, tv_nsec: duration.subsec_nanos().into() }
}
