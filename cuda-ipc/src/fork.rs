//! A child of a process that used the driver cannot use it, and owns nothing of what it inherited.
#![allow(unsafe_code)] // Registers a handler with the C library.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Error;

static IS_CHILD: AtomicBool = AtomicBool::new(false);

/// From here on a child that this process forks is told from it.
pub(crate) fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the handler does what is allowed in a forked child: it stores to an atomic.
        let refused = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        // It fails for want of memory only, and then the driver itself refuses a child's calls.
        let _ = refused;
    });
}

extern "C" fn in_child() {
    IS_CHILD.store(true, Ordering::Relaxed);
}

/// Whether this process was forked from one that used the driver.
pub(crate) fn is_child() -> bool {
    IS_CHILD.load(Ordering::Relaxed)
}

pub(crate) fn check() -> Result<(), Error> {
    if is_child() { Err(Error::Forked) } else { Ok(()) }
}
