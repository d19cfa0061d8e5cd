//! Detects forked children. A child of a process that used the driver cannot use it, and owns nothing that it
//! inherited.
#![allow(unsafe_code)] // Registers a handler with the C library.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};

use crate::Error;

static IS_CHILD: AtomicBool = AtomicBool::new(false);

/// How many [`Using`] there are.
static USERS: AtomicUsize = AtomicUsize::new(0);

/// While there is such a value, [`is_child`] returns true in every child that this process forks. If it is leaked, this
/// is so for ever.
pub(crate) struct Using(());

impl Using {
    pub(crate) fn begin() -> Self {
        static IS_REGISTERED: AtomicBool = AtomicBool::new(false);
        if !IS_REGISTERED.load(Ordering::Relaxed) {
            // Two threads may both register it, which does no harm. A lock in its place could be held for ever in a child.
            // SAFETY: the handler only uses atomics.
            let registered = unsafe { call_in_children(in_child) };
            // Registration fails only if memory is exhausted. In that case the driver itself refuses a child's calls.
            let _ = registered;
            IS_REGISTERED.store(true, Ordering::Relaxed);
        }
        USERS.fetch_add(1, Ordering::Relaxed);
        // Locks that are taken later are not seen in a child before this.
        fence(Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Using {
    fn drop(&mut self) {
        USERS.fetch_sub(1, Ordering::Relaxed);
    }
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
    IS_CHILD.fetch_or(USERS.load(Ordering::Relaxed) > 0, Ordering::Relaxed);
}

/// Returns whether this process was forked from one that used the driver.
pub(crate) fn is_child() -> bool {
    IS_CHILD.load(Ordering::Relaxed)
}

pub(crate) fn check() -> Result<(), Error> {
    if is_child() { Err(Error::Forked) } else { Ok(()) }
}
