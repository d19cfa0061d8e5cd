//! Whether a process has ended.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::LivenessError;
use crate::ProcessIdentity;
use crate::deadline::Deadline;
use crate::identity::{boot_id, namespace, require_own_proc, start_time};
use crate::transport::Connection;
use crate::transport::socket_options::peer_pidfd;

/// Learns that a process has ended. One that nobody has waited for yet (a zombie) has ended.
#[derive(Debug)]
pub struct ProcessWatch {
    /// A pidfd, or a socket.
    descriptor: OwnedFd,
    /// What `poll` reports of it when the process has ended.
    end: PollFlags,
}

impl ProcessWatch {
    /// `pidfd_open`: watch a process by who it is. One that ended before, whose number another process may have by
    /// now, is watched as one that has ended.
    ///
    /// # Errors
    /// [`LivenessError::OtherBoot`], [`LivenessError::OtherNamespace`], and [`LivenessError::System`], for example
    /// where `/proc` is not mounted or the kernel is older than 5.3.
    pub fn of(identity: ProcessIdentity) -> Result<Self, LivenessError> {
        let proc = LivenessError::system("/proc");
        if identity.boot_id != boot_id().map_err(&proc)? {
            return Err(LivenessError::OtherBoot { identity });
        }
        if identity.pid_namespace != namespace("self").map_err(&proc)? {
            return Err(LivenessError::OtherNamespace { identity });
        }
        require_own_proc().map_err(&proc)?;
        let Some(pid) = i32::try_from(identity.pid).ok().and_then(Pid::from_raw) else { return Self::of_the_dead() };
        let pidfd = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => pidfd,
            Err(Errno::SRCH) => return Self::of_the_dead(),
            Err(error) => return Err(LivenessError::system("pidfd_open")(error)),
        };
        // Read only now: the number cannot have changed hands before without the start time telling, and whoever has
        // it later does not have this pidfd.
        match start_time(&identity.pid.to_string()) {
            Ok(start_time) if start_time == identity.start_time => Ok(Self::by_pidfd(pidfd)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(proc(error)),
            _ => Self::of_the_dead(),
        }
    }

    /// `SO_PEERPIDFD`: watch the process at the other end of a connection, also out of another PID namespace.
    ///
    /// This is the process that connected, or listened, whoever has its socket now. A kernel older than 6.5 does not
    /// know it; there, this is [`ProcessWatch::by_hang_up`].
    ///
    /// # Errors
    /// [`LivenessError::System`] where no descriptor is left.
    pub fn of_peer(connection: &Connection) -> Result<Self, LivenessError> {
        match peer_pidfd(connection.as_fd()) {
            Ok(pidfd) => Ok(Self::by_pidfd(pidfd)),
            Err(error) => match Errno::from_io_error(&error) {
                Some(Errno::NOPROTOOPT | Errno::NOSYS) => Self::by_hang_up(connection),
                // It has been waited for, and the kernel makes no pidfd of it any more.
                Some(Errno::SRCH | Errno::INVAL) => Self::of_the_dead(),
                _ => Err(LivenessError::system("getsockopt(SO_PEERPIDFD)")(error)),
            },
        }
    }

    /// `poll` for a hang-up: watch a connection's other end, which counts as ended once every process that has it has
    /// closed it or ended.
    ///
    /// # Errors
    /// [`LivenessError::System`] where no descriptor is left.
    pub fn by_hang_up(connection: &Connection) -> Result<Self, LivenessError> {
        let socket =
            connection.as_fd().try_clone_to_owned().map_err(LivenessError::system("fcntl(F_DUPFD_CLOEXEC)"))?;
        Ok(Self { descriptor: socket, end: PollFlags::HUP })
    }

    const fn by_pidfd(descriptor: OwnedFd) -> Self {
        Self { descriptor, end: PollFlags::IN }
    }

    /// A descriptor that reports the end from the beginning.
    fn of_the_dead() -> Result<Self, LivenessError> {
        let (end, _) = UnixStream::pair().map_err(LivenessError::system("socketpair"))?;
        Ok(Self { descriptor: end.into(), end: PollFlags::IN })
    }

    /// `poll`: whether the process still lives.
    ///
    /// # Errors
    /// [`LivenessError::System`] where the kernel has no memory left.
    pub fn is_alive(&self) -> Result<bool, LivenessError> {
        Ok(!self.ends_within(Duration::ZERO)?)
    }

    /// `poll`: wait until the process has ended ([`Duration::MAX`]: for ever).
    ///
    /// # Errors
    /// [`LivenessError::StillAlive`] when the time is over, and as [`ProcessWatch::is_alive`].
    pub fn wait(&self, timeout: Duration) -> Result<(), LivenessError> {
        match self.ends_within(timeout)? {
            true => Ok(()),
            false => Err(LivenessError::StillAlive { waited: timeout }),
        }
    }

    fn ends_within(&self, timeout: Duration) -> Result<bool, LivenessError> {
        // A hang-up is reported without being asked for.
        let asked = self.end - PollFlags::HUP;
        let events =
            Deadline::after(Some(timeout)).poll(&self.descriptor, asked).map_err(LivenessError::system("poll"))?;
        Ok(events.intersects(self.end))
    }
}

impl AsFd for ProcessWatch {
    /// For a poll loop: it is readable, or hung up, when the process has ended.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}
