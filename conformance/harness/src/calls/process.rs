//! What a role does with itself, rather than with the driver.

use std::ffi::CString;

use rustix::process::getpid;

use crate::message::Refused;
use crate::mounts;
use crate::role::Cleanness;

calls! {
    /// The process id, as the role sees it.
    fn process_id(session) -> i32 {
        Ok(getpid().as_raw_nonzero().get())
    }

    /// Let the next process of the role's own PID namespace have the number after this one, unless it is taken.
    fn set_last_process_id(session, number: i32) -> () {
        std::fs::write("/proc/sys/kernel/ns_last_pid", number.to_string())
            .map_err(|error| Refused::Missing(format!("nobody chooses the next number here: {error}")))
    }

    /// Give back what came from other processes: imports before anything that was exported.
    fn give_back_imports(session) -> Vec<String> {
        Ok(session.give_back_imports())
    }

    /// Give back everything else, and say what is not as it was when the role was ready.
    fn give_back_and_prove(session) -> Cleanness {
        Ok(session.give_back_and_prove())
    }

    /// Cover a directory with an empty one, for this process alone, which serves no other case.
    fn cover_directory(session, path: String) -> () {
        session.spoil("a directory is covered");
        let path = CString::new(path).map_err(|error| Refused::Role(error.to_string()))?;
        mounts::unshare()?;
        Ok(mounts::mount(Some(c"tmpfs"), &path, Some(c"tmpfs"), libc::MS_RDONLY)?)
    }

    /// Let this process open a device node no more, as a cgroup does: in a mount namespace of its own, devices are none
    /// there. Whether the system allows that.
    fn close_device_node(session, node: String) -> bool {
        let node = CString::new(node).map_err(|error| Refused::Role(error.to_string()))?;
        let closed = libc::MS_REMOUNT | libc::MS_BIND | libc::MS_NODEV;
        let is_closed = mounts::unshare()
            .and_then(|()| mounts::mount(Some(&node), &node, None, libc::MS_BIND))
            .and_then(|()| mounts::mount(None, &node, None, closed));
        Ok(is_closed.is_ok())
    }

    /// Exit as `exit(code)` does, with every handler that the driver registered.
    fn exit_normally(session, code: i32) -> () {
        std::process::exit(code)
    }
}
