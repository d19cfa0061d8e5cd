//! Detects forked children. A child of a process that used the driver cannot use it, and owns nothing that it
//! inherited.
#![allow(unsafe_code)] // Registers a handler with the C library, and maps memory.

use std::io;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
use rustix::param::page_size;

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

/// Memory that a child does not inherit, however it was forked. It tells for a few nanoseconds what the kernel would
/// tell for microseconds.
pub(crate) struct Mark(AtomicBool);

impl Mark {
    /// `madvise` with `MADV_WIPEONFORK`: sets a mark that is never freed. Returns `None` if the kernel knows no such
    /// memory (Linux before 4.14, some sandboxes) or has none.
    pub(crate) fn set() -> Option<&'static Self> {
        if cfg!(miri) {
            return None;
        }
        let (size, access) = (page_size(), ProtFlags::READ | ProtFlags::WRITE);
        // SAFETY: the kernel chooses the place, so nothing else is there.
        let page = unsafe { mmap_anonymous(ptr::null_mut(), size, access, MapFlags::PRIVATE) }.ok()?;
        // SAFETY: the page was mapped above, and has no content yet.
        if unsafe { madvise(page, size, Advice::LinuxWipeOnFork) }.is_err() {
            // SAFETY: nothing refers to the page. If it stays mapped, that is a page too many.
            let _ = unsafe { munmap(page, size) };
            return None;
        }
        // SAFETY: the page is never unmapped, zeros are a valid value, and all access to it is atomic.
        let mark = unsafe { &*page.cast::<Self>() };
        mark.0.store(true, Ordering::Relaxed);
        Some(mark)
    }

    /// Returns whether this process set the mark. In a child the memory contains zeros.
    pub(crate) fn is_there(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

// Relies on: the C library's fork.
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
#[inline]
pub(crate) fn is_child() -> bool {
    IS_CHILD.load(Ordering::Relaxed)
}

#[inline]
pub(crate) fn check() -> Result<(), Error> {
    if is_child() { Err(Error::Forked) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::Mark;

    /// A raw system call runs no handler of `pthread_atfork`.
    #[test]
    #[cfg_attr(miri, ignore = "Miri does not fork")]
    fn a_child_of_a_raw_system_call_has_no_mark() {
        let mark = Mark::set().expect("this kernel wipes memory of children");
        // SAFETY: the child has its own copy of the memory, and only loads an atomic before it exits.
        let child = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
        if child == 0 {
            // SAFETY: this ends the child, and runs nothing of the parent's.
            unsafe { libc::_exit(i32::from(mark.is_there())) };
        }
        let mut status = -1;
        // SAFETY: the status is a local.
        let ended = unsafe { libc::waitpid(child as libc::pid_t, &mut status, 0) };
        assert_eq!((i64::from(ended), status), (child, 0), "the child inherited the mark");
        assert!(mark.is_there());
    }
}
