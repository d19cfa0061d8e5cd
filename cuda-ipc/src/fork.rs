//! Detects forked children. A child of a process that used the driver cannot use it, and owns nothing that it
//! inherited.
#![allow(unsafe_code)] // Registers a handler with the C library.

use std::io;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Error;

static IS_CHILD: AtomicBool = AtomicBool::new(false);

/// Ensures that [`is_child`] returns true in every child that this process forks from now on.
pub(crate) fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the handler only stores to an atomic.
        let registered = unsafe { call_in_children(in_child) };
        // Registration fails only if memory is exhausted. In that case the driver itself refuses a child's calls.
        let _ = registered;
    });
}

/// `pthread_atfork`: registers a handler, which runs in every child that this process forks from now on.
///
/// # Safety
/// The handler does only what a signal handler may do, such as storing to an atomic.
pub(crate) unsafe fn call_in_children(handler: extern "C" fn()) -> io::Result<()> {
    // SAFETY: the caller promises that the handler may run in a forked child.
    match unsafe { libc::pthread_atfork(None, None, Some(handler)) } {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

extern "C" fn in_child() {
    IS_CHILD.store(true, Ordering::Relaxed);
}

/// Returns whether this process was forked from one that used the driver.
pub(crate) fn is_child() -> bool {
    IS_CHILD.load(Ordering::Relaxed)
}

pub(crate) fn check() -> Result<(), Error> {
    if is_child() { Err(Error::Forked) } else { Ok(()) }
}
