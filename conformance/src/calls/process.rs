//! What a role does with itself, rather than with the driver.

use std::ffi::CString;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, IntoRawFd as _, OwnedFd};
use std::ptr;
use std::time::Duration;

use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::process::{
    Pid, PidfdFlags, PidfdGetfdFlags, Resource as Limited, Rlimit, Signal, getpid, getrlimit, kill_process,
    pidfd_getfd, pidfd_open, setrlimit,
};

use crate::calls::Refused;
use crate::role::ledger::{Cleanness, Resource};
use crate::role::mounts;
use crate::{Descriptor, MemHandle};

calls! {
    /// The process id, as the role sees it.
    fn process_id(session) -> i32 {
        let _ = session;
        Ok(getpid().as_raw_nonzero().get())
    }

    /// Let the next process of the role's own PID namespace have the number after this one, unless it is taken.
    fn set_last_process_id(session, number: i32) -> () {
        let _ = session;
        std::fs::write("/proc/sys/kernel/ns_last_pid", number.to_string())
            .map_err(|error| Refused::Missing(format!("nobody chooses the next number here: {error}")))
    }

    /// How many descriptors the process has.
    fn descriptor_count(session) -> usize {
        let _ = session;
        Ok(std::fs::read_dir("/proc/self/fd")?.count())
    }

    /// Give back what came from other processes: imports before anything that was exported.
    fn give_back_imports(session) -> Vec<String> {
        Ok(session.give_back_imports())
    }

    /// Give back everything else, and say what is not as it was when the role was ready.
    fn give_back_and_prove(session) -> Cleanness {
        Ok(session.give_back_and_prove())
    }

    /// Write a handle's bytes to the descriptor that came with the call.
    fn send_through_descriptor(session, handle: MemHandle) -> () {
        let mut file = std::fs::File::from(session.received_descriptor()?);
        file.write_all(&handle.to_bytes())?;
        Ok(())
    }

    /// Read a handle's bytes from the descriptor that came with the call.
    fn receive_through_descriptor(session) -> MemHandle {
        let mut file = std::fs::File::from(session.received_descriptor()?);
        let mut bytes = [0; 64];
        file.read_exact(&mut bytes)?;
        Ok(MemHandle::from_bytes(bytes))
    }

    /// Cover a directory with an empty one, for this process alone, which serves no other case.
    fn cover_directory(session, path: String) -> () {
        session.spoil("a directory is covered");
        let path = CString::new(path).map_err(|error| Refused::Role(error.to_string()))?;
        mounts::unshare()?;
        Ok(mounts::mount(Some(c"tmpfs"), &path, Some(c"tmpfs"), libc::MS_RDONLY)?)
    }

    /// Hand a copy of a descriptor to the runner.
    fn send_descriptor_to_the_runner(session, descriptor: Descriptor) -> () {
        // SAFETY: the case passes a descriptor that the role holds.
        let held = unsafe { BorrowedFd::borrow_raw(descriptor.0) };
        session.send(held.try_clone_to_owned()?);
        Ok(())
    }

    /// Keep the descriptor that came with the call.
    fn keep_descriptor(session) -> Descriptor {
        let descriptor = session.received_descriptor()?.into_raw_fd();
        session.ledger.add(Resource::Descriptor(descriptor));
        Ok(Descriptor(descriptor))
    }

    /// `close`.
    fn close_descriptor(session, descriptor: Descriptor) -> () {
        session.ledger.remove(&Resource::Descriptor(descriptor.0));
        // SAFETY: the role holds the descriptor, and nothing else of it does.
        drop(unsafe { OwnedFd::from_raw_fd(descriptor.0) });
        Ok(())
    }

    /// What a descriptor refers to, as the kernel says it; an error where it is not open.
    fn descriptor_target(session, descriptor: Descriptor) -> String {
        let _ = session;
        let target = std::fs::read_link(format!("/proc/self/fd/{}", descriptor.0))?;
        Ok(target.to_string_lossy().into_owned())
    }

    /// Whether `mmap` takes a descriptor. Nothing of the mapping stays.
    fn maps_descriptor(session, descriptor: Descriptor, size: u64) -> bool {
        let _ = session;
        // SAFETY: the case passes a descriptor that the role holds.
        let held = unsafe { BorrowedFd::borrow_raw(descriptor.0) };
        let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: the kernel chooses an address where nothing is.
        let Ok(mapped) = (unsafe { mmap(ptr::null_mut(), size as usize, protection, flags, held, 0) }) else {
            return Ok(false);
        };
        // SAFETY: nobody else knows of the mapping.
        unsafe { munmap(mapped, size as usize) }?;
        Ok(true)
    }

    /// Whether a descriptor closes when the process becomes another program.
    fn is_close_on_exec(session, descriptor: Descriptor) -> bool {
        let _ = session;
        // SAFETY: the case passes a descriptor that the role holds.
        let held = unsafe { BorrowedFd::borrow_raw(descriptor.0) };
        Ok(rustix::io::fcntl_getfd(held)?.contains(rustix::io::FdFlags::CLOEXEC))
    }

    /// Make a copy of a descriptor the standard input, or `/dev/null` again.
    fn set_standard_input(session, descriptor: Option<Descriptor>) -> () {
        let _ = session;
        match descriptor {
            // SAFETY: the case passes a descriptor that the role holds.
            Some(held) => rustix::stdio::dup2_stdin(unsafe { BorrowedFd::borrow_raw(held.0) })?,
            None => rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?,
        }
        Ok(())
    }

    /// Lower RLIMIT_NOFILE so far that no descriptor can be opened. What it was.
    fn exhaust_descriptors(session) -> Option<u64> {
        let _ = session;
        let lowest_free = std::fs::File::open("/dev/null")?.as_raw_fd();
        let before = getrlimit(Limited::Nofile);
        setrlimit(Limited::Nofile, Rlimit { current: u64::try_from(lowest_free).ok(), ..before })?;
        Ok(before.current)
    }

    /// Set RLIMIT_NOFILE.
    fn limit_descriptors(session, limit: Option<u64>) -> () {
        let _ = session;
        setrlimit(Limited::Nofile, Rlimit { current: limit, ..getrlimit(Limited::Nofile) })?;
        Ok(())
    }

    /// PR_SET_PTRACER: let a process take descriptors of this one, where Yama forbids it otherwise.
    fn allow_tracer(session, process: u32) -> () {
        let _ = session;
        // SAFETY: the arguments are numbers. Without Yama the call is refused, and nobody needs it.
        unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::c_ulong::from(process), 0, 0, 0) };
        Ok(())
    }

    /// `pidfd_getfd`: a copy of another process's descriptor; nothing where the system does not allow it.
    fn take_descriptor(session, process: u32, descriptor: Descriptor) -> Option<Descriptor> {
        let process = pid(process).ok_or_else(|| Refused::Role(format!("no process {process}")))?;
        let taken = pidfd_open(process, PidfdFlags::empty())
            .and_then(|process| pidfd_getfd(process, descriptor.0, PidfdGetfdFlags::empty()));
        match taken {
            Ok(taken) => {
                let taken = taken.into_raw_fd();
                session.ledger.add(Resource::Descriptor(taken));
                Ok(Some(Descriptor(taken)))
            }
            Err(Errno::PERM | Errno::NOSYS) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Let this process open a device node no more, as a cgroup does: in a mount namespace of its own, devices are none
    /// there. Whether the system allows that.
    fn close_device_node(session, node: String) -> bool {
        let _ = session;
        let node = CString::new(node).map_err(|error| Refused::Role(error.to_string()))?;
        let closed = libc::MS_REMOUNT | libc::MS_BIND | libc::MS_NODEV;
        let is_closed = mounts::unshare()
            .and_then(|()| mounts::mount(Some(&node), &node, None, libc::MS_BIND))
            .and_then(|()| mounts::mount(None, &node, None, closed));
        Ok(is_closed.is_ok())
    }

    /// Exit as `exit(code)` does, with every handler that the driver registered.
    fn exit_normally(session, code: i32) -> () {
        let _ = session;
        std::process::exit(code)
    }

    /// Die of a signal. For checks of the harness.
    fn die_of(session, signal: i32) -> () {
        let _ = session;
        let signal = Signal::from_named_raw(signal).ok_or_else(|| Refused::Role(format!("no signal {signal}")))?;
        // Rust's own handler of SIGSEGV takes the first one, and steps aside.
        for _ in 0..2 {
            kill_process(getpid(), signal)?;
        }
        Err(Refused::Role(format!("survived signal {signal:?}")))
    }

    /// Answer so late that no deadline holds. For checks of the harness.
    fn hang(session) -> () {
        let _ = session;
        loop {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }

    /// Announce an answer, send half of it and die. For checks of the harness.
    fn die_in_the_middle_of_an_answer(session) -> () {
        session.announce_and_exit();
        Ok(())
    }

    /// Leave memory behind that no ledger knows, as a driver that leaks would. For checks of the harness.
    fn leak_device_memory(session, size: u64) -> () {
        let mut pointer = 0;
        cuda!(session.cuMemAlloc(&mut pointer, size as usize));
        Ok(())
    }

    /// Leave a descriptor behind, as a driver that leaks would. For checks of the harness.
    fn leak_descriptor(session) -> () {
        let _ = session;
        std::mem::forget(std::fs::File::open("/proc/self/status")?);
        Ok(())
    }
}

/// The process id as rustix wants it.
pub(crate) fn pid(raw: u32) -> Option<Pid> {
    Pid::from_raw(raw.cast_signed())
}
