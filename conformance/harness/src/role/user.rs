//! Changes the user of a role.

use std::ptr;

use cuda_ipc_sys::Driver;
use rustix::process::{DumpableBehavior, set_dumpable_behavior};

/// Makes this process another user, in no group except that user's own.
pub(crate) fn become_user(user: u32) -> std::io::Result<()> {
    // Load the library now, because that user may be unable to read it. If this fails, the session reports it.
    let _ = Driver::get();
    // SAFETY: the list of groups is empty, and the calls read nothing else from memory.
    let became = unsafe {
        libc::setgroups(0, ptr::null()) == 0
            && libc::setresgid(user, user, user) == 0
            && libc::setresuid(user, user, user) == 0
    };
    if !became {
        return Err(std::io::Error::last_os_error());
    }
    // After a change of user, the process cannot read its own files in /proc until it is dumpable again.
    Ok(set_dumpable_behavior(DumpableBehavior::Dumpable)?)
}
