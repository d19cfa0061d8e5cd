//! Mounts that are visible only to a process and its children.

use std::ffi::{CStr, c_ulong};
use std::io::{Error, Result};
use std::ptr;

/// Moves this process into a mount namespace of its own. It allocates nothing, so it can run between `fork` and `exec`.
pub(crate) fn unshare() -> Result<()> {
    // SAFETY: the argument is a number.
    done(unsafe { libc::unshare(libc::CLONE_NEWNS) })?;
    mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE)
}

/// Calls `mount` without data.
pub(crate) fn mount(source: Option<&CStr>, target: &CStr, kind: Option<&CStr>, flags: c_ulong) -> Result<()> {
    let [source, kind] = [source, kind].map(|text| text.map_or(ptr::null(), CStr::as_ptr));
    // SAFETY: the arguments are C strings that live until the end of the call, or null if the kernel does not read
    // them.
    done(unsafe { libc::mount(source, target.as_ptr(), kind, flags, ptr::null()) })
}

fn done(code: i32) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error::last_os_error()) }
}
