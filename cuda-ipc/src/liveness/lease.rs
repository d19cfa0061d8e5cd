//! Leases: how an exporter learns that importers no longer need its memory.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::fs::{OFlags, fcntl_getfl};
use rustix::pipe::{PipeFlags, fcntl_getpipe_size, pipe_with};

use super::LivenessError;
use crate::deadline::Deadline;

/// The exporter's side of a lease: the read end of a pipe. The pipe hangs up when no importer holds its write end any
/// more.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::os::fd::AsFd;
/// use std::time::Duration;
///
/// use cuda_ipc::liveness::{Lease, LivenessError, Tenancy};
/// use cuda_ipc::transport::Connection;
///
/// # let (to_importer, to_exporter) = Connection::pair()?;
/// // In the process that owns the memory:
/// let (lease, tenancy) = Lease::grant()?;
/// to_importer.send(b"a ticket", &[tenancy.as_fd()])?;
/// drop(tenancy);
///
/// // In another process, which keeps the tenancy as long as it has the memory open:
/// let mut message = to_exporter.receive()?;
/// let tenancy = Tenancy::try_from(message.descriptors.remove(0))?;
/// assert!(tenancy.exporter_is_alive()?);
///
/// // In the first process again, before it frees the memory:
/// let waited = lease.wait(Duration::from_millis(1));
/// assert!(matches!(waited, Err(LivenessError::StillHeld { .. })));
/// drop(tenancy); // The other process does this, or the kernel if that process is killed.
/// lease.wait(Duration::from_secs(5))?;
/// # Ok(())
/// # }
/// ```
///
/// Every copy of the write end counts: one in a message that nobody has received yet, a clone, and one in a child that
/// an importer forked, until that child ends or calls `exec`.
#[derive(Debug)]
pub struct Lease(OwnedFd);

/// An importer's side of a lease: the write end of the pipe, which is sent to each importer with the ticket.
///
/// Nothing is written to it. While any copy of it is open, the exporter's [`Lease`] is not over.
#[derive(Debug)]
pub struct Tenancy(OwnedFd);

impl Lease {
    /// `pipe2`: creates a lease, and the tenancy to send.
    ///
    /// After the last send the exporter must drop its own `Tenancy`: while it keeps one, the lease does not end. A
    /// child that the exporter forks meanwhile holds one too, until the child ends or calls `exec` (both ends are
    /// close-on-exec).
    ///
    /// # Errors
    /// [`LivenessError::System`] if no descriptor is left.
    pub fn grant() -> Result<(Self, Tenancy), LivenessError> {
        let (read_end, write_end) = pipe_with(PipeFlags::CLOEXEC).map_err(LivenessError::system("pipe2"))?;
        Ok((Self(read_end), Tenancy(write_end)))
    }

    /// `poll`: returns whether every importer is done or has died. Once this is true, it stays true, unless a process of
    /// this user opens the pipe again through `/proc`.
    ///
    /// # Errors
    /// [`LivenessError::System`] if the kernel has no memory left.
    pub fn is_over(&self) -> Result<bool, LivenessError> {
        has_hung_up(&self.0, Duration::ZERO)
    }

    /// `poll`: waits until every importer is done or has died. [`Duration::MAX`] sets no limit.
    ///
    /// # Errors
    /// [`LivenessError::StillHeld`] if the time is up; otherwise as [`Lease::is_over`].
    pub fn wait(&self, timeout: Duration) -> Result<(), LivenessError> {
        match has_hung_up(&self.0, timeout)? {
            true => Ok(()),
            false => Err(LivenessError::StillHeld { waited: timeout }),
        }
    }
}

impl Tenancy {
    /// `poll`: returns whether the exporter still has its [`Lease`], that is, has neither ended nor given it up.
    ///
    /// What happens to the memory after the exporter has ended depends on its kind: [the
    /// guide](crate::guide::lifetimes) lists them. A child that the exporter forked also holds the lease, until the
    /// child ends or calls `exec`. So does a hostile importer of the same user that opens the pipe again through `/proc`.
    /// A [`ProcessWatch`](super::ProcessWatch) is not deceived by it.
    ///
    /// # Errors
    /// [`LivenessError::System`] if the kernel has no memory left.
    pub fn exporter_is_alive(&self) -> Result<bool, LivenessError> {
        Ok(!has_hung_up(&self.0, Duration::ZERO)?)
    }

    /// `poll`: waits until the exporter has ended or given up its lease. [`Duration::MAX`] sets no limit.
    ///
    /// # Errors
    /// [`LivenessError::StillAlive`] if the time is up; otherwise as [`Tenancy::exporter_is_alive`].
    pub fn wait_for_exporter(&self, timeout: Duration) -> Result<(), LivenessError> {
        match has_hung_up(&self.0, timeout)? {
            true => Ok(()),
            false => Err(LivenessError::StillAlive { waited: timeout }),
        }
    }

    /// `fcntl` with `F_DUPFD_CLOEXEC`: makes another copy, for another import of the same memory.
    ///
    /// # Errors
    /// [`LivenessError::System`] if no descriptor is left.
    pub fn try_clone(&self) -> Result<Self, LivenessError> {
        self.0.try_clone().map(Self).map_err(LivenessError::system("fcntl(F_DUPFD_CLOEXEC)"))
    }
}

/// Returns whether the pipe's other end is closed in every process. It requests no event, so that bytes in the pipe do
/// not end the wait.
fn has_hung_up(end: &OwnedFd, timeout: Duration) -> Result<bool, LivenessError> {
    let events = Deadline::after(Some(timeout)).poll(end, PollFlags::empty()).map_err(LivenessError::system("poll"))?;
    Ok(events.intersects(PollFlags::HUP | PollFlags::ERR))
}

impl TryFrom<OwnedFd> for Tenancy {
    type Error = LivenessError;

    /// Takes a descriptor that came with a ticket, if it is the write end of a pipe.
    ///
    /// Neither check can hang, whatever kind of file a hostile peer sent, because the kernel alone performs them.
    fn try_from(descriptor: OwnedFd) -> Result<Self, LivenessError> {
        let is_pipe = fcntl_getpipe_size(&descriptor).is_ok();
        let is_write_end = fcntl_getfl(&descriptor).is_ok_and(|flags| flags & OFlags::ACCMODE == OFlags::WRONLY);
        if is_pipe && is_write_end { Ok(Self(descriptor)) } else { Err(LivenessError::NotATenancy) }
    }
}

impl From<Tenancy> for OwnedFd {
    fn from(tenancy: Tenancy) -> Self {
        tenancy.0
    }
}

impl AsFd for Lease {
    /// Returns the descriptor for a poll loop: it reports a hang-up when the lease is over.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsRawFd for Lease {
    /// Returns the descriptor for an event loop that asks for this trait. It is closed when this value is dropped.
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}

impl AsFd for Tenancy {
    /// Returns the descriptor, to be sent or for a poll loop. The loop must request no event: the descriptor reports an
    /// error when the exporter is gone.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsRawFd for Tenancy {
    /// Returns the descriptor for an event loop that asks for this trait. It is closed when this value is dropped.
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}
