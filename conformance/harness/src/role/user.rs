//! A role of another user.

use std::ptr;

use cuda_ipc_sys::Driver;
use rustix::process::{DumpableBehavior, set_dumpable_behavior};

/// Be another user, and of no group but that user's own.
pub(crate) fn become_user(user: u32) -> std::io::Result<()> {
    // The library may lie where that user cannot look. Whether there is one, the session says.
    let _ = Driver::get();
    // SAFETY: the list of groups is empty, and the calls take nothing else from memory.
    let became = unsafe {
        libc::setgroups(0, ptr::null()) == 0
            && libc::setresgid(user, user, user) == 0
            && libc::setresuid(user, user, user) == 0
    };
    if !became {
        return Err(std::io::Error::last_os_error());
    }
    // The system hides from such a process what is its own in /proc, until it says otherwise.
    Ok(set_dumpable_behavior(DumpableBehavior::Dumpable)?)
}
