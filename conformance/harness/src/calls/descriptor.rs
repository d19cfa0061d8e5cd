//! File descriptors: calls on a role's own descriptors, and the transfer of a descriptor to another role.

use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, IntoRawFd as _, OwnedFd};
use std::ptr;

use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::process::{
    Pid, PidfdFlags, PidfdGetfdFlags, Resource as Limited, Rlimit, getrlimit, pidfd_getfd, pidfd_open, setrlimit,
};

use crate::message::Refused;
use crate::role::{Resource, close, held};
use crate::trace;
use crate::{Descriptor, MemHandle, Role, Stop};
use peer::wire::Channel;

calls! {
    /// Returns how many open descriptors the process has.
    fn descriptor_count(session) -> usize {
        Ok(std::fs::read_dir("/proc/self/fd")?.count())
    }

    /// Writes a handle's bytes to the descriptor that came with the call.
    fn send_through_descriptor(session, handle: MemHandle) -> () {
        let mut file = std::fs::File::from(session.received_descriptor()?);
        file.write_all(&handle.to_bytes())?;
        Ok(())
    }

    /// Reads a handle's bytes from the descriptor that came with the call.
    fn receive_through_descriptor(session) -> MemHandle {
        let mut file = std::fs::File::from(session.received_descriptor()?);
        let mut bytes = [0; 64];
        file.read_exact(&mut bytes)?;
        Ok(MemHandle::from_bytes(bytes))
    }

    /// Sends a copy of a descriptor to the runner.
    fn send_descriptor_to_the_runner(session, descriptor: Descriptor) -> () {
        let held = held(descriptor.0)?;
        trace::descriptor(held);
        session.send(held.try_clone_to_owned()?);
        Ok(())
    }

    /// Keeps the descriptor that came with the call.
    fn keep_descriptor(session) -> Descriptor {
        let descriptor = session.received_descriptor()?.into_raw_fd();
        session.ledger.add(Resource::Descriptor(descriptor));
        Ok(Descriptor(descriptor))
    }

    /// `fcntl(F_DUPFD_CLOEXEC)`: a copy of a descriptor whose number is at least `least`. Raises RLIMIT_NOFILE for this call
    /// if it is too low.
    fn duplicate_descriptor(session, descriptor: Descriptor, least: i32) -> Descriptor {
        let held = held(descriptor.0)?;
        // Room for some numbers that are in use.
        let (before, wanted) = (getrlimit(Limited::Nofile), u64::from(least.unsigned_abs()) + 64);
        if before.current.is_some_and(|limit| limit < wanted) {
            let raised = setrlimit(Limited::Nofile, Rlimit { current: Some(wanted), ..before });
            raised.map_err(|error| Refused::Unsupported(format!("RLIMIT_NOFILE cannot be {wanted} here: {error}")))?;
        }
        let copy = rustix::io::fcntl_dupfd_cloexec(held, least);
        setrlimit(Limited::Nofile, before)?;
        let copy = copy?.into_raw_fd();
        session.ledger.add(Resource::Descriptor(copy));
        Ok(Descriptor(copy))
    }

    /// `close`.
    fn close_descriptor(session, descriptor: Descriptor) -> () {
        session.ledger.remove(&Resource::Descriptor(descriptor.0));
        close(descriptor.0)
    }

    /// Returns the target of a descriptor, as the kernel names it. Fails if the descriptor is not open.
    fn descriptor_target(session, descriptor: Descriptor) -> String {
        let target = std::fs::read_link(format!("/proc/self/fd/{}", descriptor.0))?;
        Ok(target.to_string_lossy().into_owned())
    }

    /// Returns whether `mmap` succeeds on a descriptor. Unmaps the memory again.
    fn maps_descriptor(session, descriptor: Descriptor, size: u64) -> bool {
        let held = held(descriptor.0)?;
        let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: the kernel selects an unused address.
        let Ok(mapped) = (unsafe { mmap(ptr::null_mut(), size as usize, protection, flags, held, 0) }) else {
            return Ok(false);
        };
        // SAFETY: nothing else uses the mapping.
        unsafe { munmap(mapped, size as usize) }?;
        Ok(true)
    }

    /// Returns whether a descriptor is close-on-exec.
    fn is_close_on_exec(session, descriptor: Descriptor) -> bool {
        let held = held(descriptor.0)?;
        Ok(rustix::io::fcntl_getfd(held)?.contains(rustix::io::FdFlags::CLOEXEC))
    }

    /// Replaces the standard input with a copy of a descriptor, or with `/dev/null`.
    fn set_standard_input(session, descriptor: Option<Descriptor>) -> () {
        match descriptor {
            Some(descriptor) => rustix::stdio::dup2_stdin(held(descriptor.0)?)?,
            None => rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?,
        }
        Ok(())
    }

    /// Lowers RLIMIT_NOFILE so that no descriptor can be opened. Returns the old limit.
    fn exhaust_descriptors(session) -> Option<u64> {
        let lowest_free = std::fs::File::open("/dev/null")?.as_raw_fd();
        let before = getrlimit(Limited::Nofile);
        setrlimit(Limited::Nofile, Rlimit { current: u64::try_from(lowest_free).ok(), ..before })?;
        Ok(before.current)
    }

    /// Sets RLIMIT_NOFILE.
    fn limit_descriptors(session, limit: Option<u64>) -> () {
        setrlimit(Limited::Nofile, Rlimit { current: limit, ..getrlimit(Limited::Nofile) })?;
        Ok(())
    }

    /// PR_SET_PTRACER: allows a process to take descriptors of this one even if Yama restricts it.
    fn allow_tracer(session, process: u32) -> () {
        // SAFETY: the arguments are numbers. Without Yama, the call fails; its failure is ignored because it is not
        // needed then.
        unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::c_ulong::from(process), 0, 0, 0) };
        Ok(())
    }

    /// `pidfd_getfd`: takes a copy of another process's descriptor. Returns `None` if the system does not allow it.
    fn take_descriptor(session, process: u32, descriptor: Descriptor) -> Option<Descriptor> {
        let process = Pid::from_raw(process.cast_signed())
            .ok_or_else(|| Refused::Role(format!("{process} is not a process id")))?;
        let taken = pidfd_open(process, PidfdFlags::empty())
            .and_then(|process| pidfd_getfd(process, descriptor.0, PidfdGetfdFlags::empty()));
        match taken {
            Ok(taken) => {
                let taken = taken.into_raw_fd();
                session.ledger.add(Resource::Descriptor(taken));
                Ok(Some(Descriptor(taken)))
            }
            Err(Errno::PERM | Errno::NOSYS) => Ok(None),
            Err(Errno::BADF) => {
                Err(Refused::Unusable(format!("the descriptor {} of another process is not open", descriptor.0)))
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Role {
    /// Copies one of the role's descriptors to the runner, which can pass it to another role.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn send_descriptor(&self, descriptor: Descriptor) -> Result<SentDescriptor, Stop> {
        self.send_descriptor_to_the_runner(descriptor)?;
        let sent = self.descriptor_of_the_last_answer();
        let sent =
            sent.ok_or_else(|| Stop::Harness(format!("{}: the answer came without a descriptor", self.name())))?;
        Ok(SentDescriptor { descriptor: sent, process: self.id() })
    }

    /// Sends the role a copy of a descriptor by SCM_RIGHTS.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn receive_descriptor(&self, descriptor: &impl AsFd) -> Result<Descriptor, Stop> {
        self.perform_with(Call::keep_descriptor {}, &[descriptor.as_fd()])
    }
}

/// A descriptor that a role sent to the runner. It is open until the value is dropped.
#[derive(Debug)]
pub struct SentDescriptor {
    descriptor: OwnedFd,
    /// The process that sent it.
    process: u32,
}

impl SentDescriptor {
    /// Puts the descriptor into a socket that nobody reads, and closes this copy.
    ///
    /// # Errors
    /// [`Stop::Harness`], if no socket can be made.
    pub fn leave_unread(self) -> Result<UnreadDescriptor, Stop> {
        let failed = |error: std::io::Error| Stop::Harness(format!("cannot leave a descriptor unread: {error}"));
        let (sender, receiver) = Channel::pair().map_err(failed)?;
        sender.send(b"unread", &[self.as_fd()], None).map_err(failed)?;
        trace::unread(self.as_fd(), self.process);
        Ok(UnreadDescriptor { _receiver: receiver })
    }
}

/// A descriptor in a socket that nobody reads. It is there until the value is dropped.
#[derive(Debug)]
pub struct UnreadDescriptor {
    _receiver: Channel,
}

impl Drop for UnreadDescriptor {
    fn drop(&mut self) {
        trace::discarded();
    }
}

impl AsFd for SentDescriptor {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl Drop for SentDescriptor {
    fn drop(&mut self) {
        trace::closed(self.descriptor.as_fd(), self.process);
    }
}
