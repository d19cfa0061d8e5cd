//! Watching whether a process has ended.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::LivenessError;
use crate::ProcessIdentity;
use crate::deadline::Deadline;
use crate::identity::{boot_id, namespace, require_own_proc, start_time};
use crate::time_namespace::Shift;
use crate::transport::Connection;
use crate::transport::socket_options::peer_pidfd;

/// Watches whether a process has ended. A process that nobody has waited for yet (a zombie) has ended.
#[derive(Debug)]
pub struct ProcessWatch {
    /// A pidfd, or a socket.
    descriptor: OwnedFd,
    /// The event that `poll` reports for the descriptor when the process has ended.
    end: PollFlags,
}

impl ProcessWatch {
    /// `pidfd_open`: watches the process with an identity.
    ///
    /// If that process has already ended, the watch reports this, even if another process has its PID by now.
    ///
    /// # Errors
    /// [`LivenessError::OtherBoot`], [`LivenessError::OtherNamespace`], and [`LivenessError::System`], for example if
    /// `/proc` is not mounted, the kernel is older than 5.3, or one of the two processes has made a time namespace for its
    /// children while they are in different ones.
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
        // The start time is read after the pidfd was opened. If another process got the PID before that, the start
        // times differ. If another process gets the PID later, the pidfd is still that of the first.
        match has_started_at(identity.start_time, &identity.pid.to_string()) {
            Ok(true) => Ok(Self::by_pidfd(pidfd)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(proc(error)),
            _ => Self::of_the_dead(),
        }
    }

    /// `SO_PEERPIDFD`: watches the process at the other end of a connection, even if that is in another PID namespace.
    ///
    /// This is the process that connected or listened, even if another process has its socket now. A kernel older than
    /// 6.5 does not support this option; then the watch is that of [`ProcessWatch::by_hang_up`].
    ///
    /// # Errors
    /// [`LivenessError::System`] if no descriptor is left.
    pub fn of_peer(connection: &Connection) -> Result<Self, LivenessError> {
        match peer_pidfd(connection.as_fd()) {
            Ok(pidfd) => Ok(Self::by_pidfd(pidfd)),
            Err(error) => match Errno::from_io_error(&error) {
                Some(Errno::NOPROTOOPT | Errno::NOSYS) => Self::by_hang_up(connection),
                // The process has ended and was waited for, so the kernel no longer makes a pidfd for it.
                Some(Errno::SRCH | Errno::INVAL) => Self::of_the_dead(),
                _ => Err(LivenessError::system("getsockopt(SO_PEERPIDFD)")(error)),
            },
        }
    }

    /// `poll` for a hang-up: watches the other end of a connection. It counts as ended when every process that has it
    /// has closed it or ended.
    ///
    /// It also counts as ended if the connection became unusable in both directions
    /// ([`TransportError::Unusable`](crate::transport::TransportError::Unusable)), although the process may still live:
    /// the sockets then hang up too.
    ///
    /// # Errors
    /// [`LivenessError::System`] if no descriptor is left.
    pub fn by_hang_up(connection: &Connection) -> Result<Self, LivenessError> {
        let socket =
            connection.as_fd().try_clone_to_owned().map_err(LivenessError::system("fcntl(F_DUPFD_CLOEXEC)"))?;
        Ok(Self { descriptor: socket, end: PollFlags::HUP })
    }

    const fn by_pidfd(descriptor: OwnedFd) -> Self {
        Self { descriptor, end: PollFlags::IN }
    }

    /// Returns a watch that reports from the beginning that its process has ended.
    fn of_the_dead() -> Result<Self, LivenessError> {
        let (end, _) = UnixStream::pair().map_err(LivenessError::system("socketpair"))?;
        Ok(Self { descriptor: end.into(), end: PollFlags::IN })
    }

    /// `poll`: returns whether the process is still alive.
    ///
    /// # Errors
    /// [`LivenessError::System`] if the kernel has no memory left.
    pub fn is_alive(&self) -> Result<bool, LivenessError> {
        Ok(!self.ends_within(Duration::ZERO)?)
    }

    /// `poll`: waits until the process has ended. [`Duration::MAX`] sets no limit.
    ///
    /// # Errors
    /// [`LivenessError::StillAlive`] if the time is up; otherwise as [`ProcessWatch::is_alive`].
    pub fn wait(&self, timeout: Duration) -> Result<(), LivenessError> {
        match self.ends_within(timeout)? {
            true => Ok(()),
            false => Err(LivenessError::StillAlive { waited: timeout }),
        }
    }

    fn ends_within(&self, timeout: Duration) -> Result<bool, LivenessError> {
        // `poll` reports a hang-up even if it is not requested.
        let asked = self.end - PollFlags::HUP;
        let events =
            Deadline::after(Some(timeout)).poll(&self.descriptor, asked).map_err(LivenessError::system("poll"))?;
        Ok(events.intersects(self.end))
    }
}

/// Returns whether a process reads this number as its own start time.
fn has_started_at(stated: u64, process: &str) -> io::Result<bool> {
    let seen = start_time(process)?;
    // In another time namespace, this process sees another number than the other.
    Ok(seen == stated || Shift::to(process)?.apply(seen).contains(&stated))
}

impl AsFd for ProcessWatch {
    /// Returns the descriptor for a poll loop: it is readable, or hangs up, when the process has ended.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl AsRawFd for ProcessWatch {
    /// Returns the descriptor for an event loop that asks for this trait. It is closed when this value is dropped.
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}
