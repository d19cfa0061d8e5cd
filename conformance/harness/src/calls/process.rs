//! Calls on the role's process rather than on the driver.

use std::ffi::CString;

use rustix::process::getpid;

use crate::message::Refused;
use crate::mounts;
use crate::role::{Cleanness, Problem};

calls! {
    /// Returns the process id, as the role sees it.
    fn process_id(session) -> i32 {
        Ok(getpid().as_raw_nonzero().get())
    }

    /// Makes the next process of the role's PID namespace get the id after this number, unless that id is in use.
    fn set_last_process_id(session, number: i32) -> () {
        std::fs::write("/proc/sys/kernel/ns_last_pid", number.to_string())
            .map_err(|error| Refused::Unsupported(format!("cannot set the next process id: {error}")))
    }

    /// Releases the role's imports. Every role does this before any role releases what it exported.
    fn give_back_imports(session) -> Vec<Problem> {
        Ok(session.give_back_imports())
    }

    /// Releases all other resources. Returns what differs from the state in which the role became ready.
    fn give_back_and_prove(session) -> Cleanness {
        Ok(session.give_back_and_prove())
    }

    /// Covers a directory with an empty one, for this process only. The role serves no other case.
    fn cover_directory(session, path: String) -> () {
        session.spoil("a directory is covered");
        let path = CString::new(path).map_err(|error| Refused::Role(error.to_string()))?;
        mounts::unshare()?;
        Ok(mounts::mount(Some(c"tmpfs"), &path, Some(c"tmpfs"), libc::MS_RDONLY)?)
    }

    /// Prevents this process from opening a device node, as a cgroup does, by a mount without devices in a mount
    /// namespace of its own. Returns false if the system does not allow that.
    fn close_device_node(session, node: String) -> bool {
        let node = CString::new(node).map_err(|error| Refused::Role(error.to_string()))?;
        let closed = libc::MS_REMOUNT | libc::MS_BIND | libc::MS_NODEV;
        let is_closed = mounts::unshare()
            .and_then(|()| mounts::mount(Some(&node), &node, None, libc::MS_BIND))
            .and_then(|()| mounts::mount(None, &node, None, closed));
        Ok(is_closed.is_ok())
    }

    /// Whether the system lets this process bind memory to a NUMA node. Containers may block the system calls.
    fn can_bind_memory(session) -> bool {
        // SAFETY: the call changes nothing, because the range is empty.
        Ok(unsafe { libc::syscall(libc::SYS_mbind, 0_usize, 0_usize, 0, 0_usize, 0_usize, 0) } == 0)
    }

    /// Replaces the process's program by the same one, which starts again and greets the runner. Returns only if that
    /// fails. A case calls [`Role::exec`](crate::Role::exec).
    fn exec_itself(session) -> () {
        Err(session.exec_itself())
    }

    /// Exits as `_exit(code)` does, without exit handlers.
    fn exit_without_handlers(session, code: i32) -> () {
        // SAFETY: the call ends the process.
        unsafe { libc::_exit(code) }
    }

    /// Exits as `exit(code)` does, which runs the exit handlers that the driver registered.
    fn exit_normally(session, code: i32) -> () {
        std::process::exit(code)
    }
}
