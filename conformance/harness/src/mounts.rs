//! Mounts that a process, and what it starts, sees alone.

use std::ffi::{CStr, c_ulong};
use std::io::{Error, Result};
use std::ptr;

/// From here on mounts are this process's own. Before `exec` too: it allocates nothing.
pub(crate) fn unshare() -> Result<()> {
    // SAFETY: the argument is a number.
    done(unsafe { libc::unshare(libc::CLONE_NEWNS) })?;
    mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE)
}

/// `mount`, without data.
pub(crate) fn mount(source: Option<&CStr>, target: &CStr, kind: Option<&CStr>, flags: c_ulong) -> Result<()> {
    let [source, kind] = [source, kind].map(|text| text.map_or(ptr::null(), CStr::as_ptr));
    // SAFETY: C strings that live until the end of the call, or null where the kernel looks at none.
    done(unsafe { libc::mount(source, target.as_ptr(), kind, flags, ptr::null()) })
}

fn done(code: i32) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error::last_os_error()) }
}
