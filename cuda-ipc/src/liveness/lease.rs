//! How long importers need an exporter's memory.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::fs::{OFlags, fcntl_getfl};
use rustix::pipe::{PipeFlags, fcntl_getpipe_size, pipe_with};

use super::LivenessError;
use crate::deadline::Deadline;

/// The read end of a pipe, which the exporter keeps: it hangs up when no importer has a write end any more.
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
/// // In another process, which keeps it as long as it has the memory open:
/// let mut message = to_exporter.receive()?;
/// let tenancy = Tenancy::try_from(message.descriptors.remove(0))?;
/// assert!(tenancy.exporter_is_alive()?);
///
/// // In the first process again, before it frees the memory:
/// let waited = lease.wait(Duration::from_millis(1));
/// assert!(matches!(waited, Err(LivenessError::StillHeld { .. })));
/// drop(tenancy); // By the other one, or by the kernel when that is killed.
/// lease.wait(Duration::from_secs(5))?;
/// # Ok(())
/// # }
/// ```
///
/// A write end counts wherever it is: in a message that nobody has received yet, in a clone, and in a child that an
/// importer forked, until that child ends or calls `exec`.
#[derive(Debug)]
pub struct Lease(OwnedFd);

/// The write end of that pipe, which travels to each importer beside the ticket.
///
/// Nothing is written to it. While any copy of it is open, the exporter's [`Lease`] is not over.
#[derive(Debug)]
pub struct Tenancy(OwnedFd);

impl Lease {
    /// `pipe2`: a lease, and the tenancy to send.
    ///
    /// After the last send the exporter drops its own `Tenancy`: as long as it has one it waits for itself. So does a
    /// child that it forked in between, until that ends or calls `exec` (both ends are close-on-exec).
    ///
    /// # Errors
    /// [`LivenessError::System`] where no descriptor is left.
    pub fn grant() -> Result<(Self, Tenancy), LivenessError> {
        let (read_end, write_end) = pipe_with(PipeFlags::CLOEXEC).map_err(LivenessError::system("pipe2"))?;
        Ok((Self(read_end), Tenancy(write_end)))
    }

    /// `poll`: whether every importer is done, or dead. From then on it stays so.
    ///
    /// # Errors
    /// [`LivenessError::System`] where the kernel has no memory left.
    pub fn is_over(&self) -> Result<bool, LivenessError> {
        has_hung_up(&self.0, Duration::ZERO)
    }

    /// `poll`: wait until every importer is done, or dead ([`Duration::MAX`]: for ever).
    ///
    /// # Errors
    /// [`LivenessError::StillHeld`] when the time is over, and as [`Lease::is_over`].
    pub fn wait(&self, timeout: Duration) -> Result<(), LivenessError> {
        match has_hung_up(&self.0, timeout)? {
            true => Ok(()),
            false => Err(LivenessError::StillHeld { waited: timeout }),
        }
    }
}

impl Tenancy {
    /// `poll`: whether the exporter still has its [`Lease`]: it has neither ended nor given the lease up.
    ///
    /// What is mapped stays readable after its exporter; a handle that was not opened yet can no longer be. A child
    /// that the exporter forked, and that did not call `exec`, holds the lease as well as the exporter itself.
    ///
    /// # Errors
    /// [`LivenessError::System`] where the kernel has no memory left.
    pub fn exporter_is_alive(&self) -> Result<bool, LivenessError> {
        Ok(!has_hung_up(&self.0, Duration::ZERO)?)
    }

    /// `poll`: wait until the exporter has ended or given its lease up ([`Duration::MAX`]: for ever).
    ///
    /// # Errors
    /// [`LivenessError::StillAlive`] when the time is over, and as [`Tenancy::exporter_is_alive`].
    pub fn wait_for_exporter(&self, timeout: Duration) -> Result<(), LivenessError> {
        match has_hung_up(&self.0, timeout)? {
            true => Ok(()),
            false => Err(LivenessError::StillAlive { waited: timeout }),
        }
    }

    /// `fcntl` with `F_DUPFD_CLOEXEC`: another copy, for another import of the same memory.
    ///
    /// # Errors
    /// [`LivenessError::System`] where no descriptor is left.
    pub fn try_clone(&self) -> Result<Self, LivenessError> {
        self.0.try_clone().map(Self).map_err(LivenessError::system("fcntl(F_DUPFD_CLOEXEC)"))
    }
}

/// Whether the pipe's other end is closed everywhere. No event is asked for, so that bytes in the pipe wake nobody.
fn has_hung_up(end: &OwnedFd, timeout: Duration) -> Result<bool, LivenessError> {
    let events = Deadline::after(Some(timeout)).poll(end, PollFlags::empty()).map_err(LivenessError::system("poll"))?;
    Ok(events.intersects(PollFlags::HUP | PollFlags::ERR))
}

impl TryFrom<OwnedFd> for Tenancy {
    type Error = LivenessError;

    /// A descriptor that came with a ticket.
    ///
    /// Neither question can hang: the kernel alone answers them, whatever kind of file a hostile peer sent.
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
    /// For a poll loop: it reports a hang-up when the lease is over.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsFd for Tenancy {
    /// To be sent; and for a poll loop, which asks for no event: it reports an error when the exporter is gone.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
