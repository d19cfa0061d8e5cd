//! Waiting for a descriptor until a deadline, and pauses between queries.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// The pauses between queries whether work of a device is done. Such work takes either a few microseconds or very long,
/// so each pause is longer than the last.
#[derive(Debug)]
pub(crate) struct Pauses(Duration);

impl Default for Pauses {
    fn default() -> Self {
        Self(Duration::from_micros(10))
    }
}

impl Pauses {
    pub(crate) fn next(&mut self) -> Duration {
        const LONGEST: Duration = Duration::from_millis(1);
        let next = (self.0 * 2).min(LONGEST);
        std::mem::replace(&mut self.0, next)
    }
}

/// A point in time, or never.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    pub(crate) const NEVER: Self = Self(None);

    /// Returns the deadline after a timeout. It is never reached if there is no timeout, or if the clock cannot
    /// represent it.
    pub(crate) fn after(timeout: Option<Duration>) -> Self {
        Self(timeout.and_then(|timeout| Instant::now().checked_add(timeout)))
    }

    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }

    pub(crate) fn has_passed(self) -> bool {
        self.left() == Some(Duration::ZERO)
    }

    /// Returns the earlier of two deadlines.
    pub(crate) fn min(self, other: Self) -> Self {
        Self([self.0, other.0].into_iter().flatten().min())
    }

    /// `poll`: waits for these events, an error or a hang-up of the descriptor, and returns what occurred. The result
    /// is empty if the deadline passes first. Even after the deadline the descriptor is polled once.
    pub(crate) fn poll(self, descriptor: impl AsFd, events: PollFlags) -> io::Result<PollFlags> {
        let mut polled = [PollFd::new(&descriptor, events)];
        self.poll_all(&mut polled)?;
        Ok(polled[0].revents())
    }

    /// `poll`: does the same for several descriptors, and returns whether something occurred at one of them.
    pub(crate) fn poll_all(self, polled: &mut [PollFd<'_>]) -> io::Result<bool> {
        loop {
            match poll(polled, self.left().map(timespec).as_ref()) {
                Ok(ready) => return Ok(ready > 0),
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
