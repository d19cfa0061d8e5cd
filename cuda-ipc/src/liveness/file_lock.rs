//! Locks on single bytes of a file (`fcntl` with `F_OFD_SETLK`), which neither std nor rustix has.
//!
//! They are to a byte what `flock` is to a file: they belong to the open file and end with its last descriptor, also if
//! the process is killed. A file has only one `flock`, and a look at it means to take it. A [`FileLease`] needs one
//! lock for its owner and another for its tenants, and looks at the first without taking it.
//!
//! [`FileLease`]: super::FileLease
#![allow(unsafe_code)] // Calls the C library.

use std::ffi::{c_int, c_short};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};

/// The byte that is locked. It need not exist.
#[derive(Clone, Copy)]
pub(super) enum Byte {
    /// The owner of the file locks it for itself.
    Owner = 0,
    /// Each tenant shares the lock on it.
    Tenants = 1,
    /// Who makes the file locks it for itself, before it knows that the file is still the next one.
    Maker = 2,
}

/// `F_WRLCK`: locks a byte for this file alone. Returns whether that was possible; it does not wait.
pub(super) fn lock(file: &OwnedFd, byte: Byte) -> io::Result<bool> {
    set(file, byte, libc::F_WRLCK)
}

/// `F_RDLCK`: locks a byte together with others. Returns whether that was possible; it does not wait.
pub(super) fn lock_shared(file: &OwnedFd, byte: Byte) -> io::Result<bool> {
    set(file, byte, libc::F_RDLCK)
}

/// `F_UNLCK`: gives up the lock on a byte, for all copies of the descriptor.
pub(super) fn unlock(file: &OwnedFd, byte: Byte) -> io::Result<()> {
    set(file, byte, libc::F_UNLCK).map(drop)
}

/// `F_OFD_GETLK`: returns whether another open file has locked a byte for itself. It takes no lock, so it disturbs
/// nobody.
pub(super) fn is_locked(file: &OwnedFd, byte: Byte) -> io::Result<bool> {
    // What would keep this file from sharing the byte?
    let mut lock = description(byte, libc::F_RDLCK);
    call(file, libc::F_OFD_GETLK, &mut lock)?;
    Ok(c_int::from(lock.l_type) != libc::F_UNLCK)
}

fn set(file: &OwnedFd, byte: Byte, kind: c_int) -> io::Result<bool> {
    match call(file, libc::F_OFD_SETLK, &mut description(byte, kind)) {
        Ok(()) => Ok(true),
        Err(error) if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => Ok(false),
        Err(error) => Err(error),
    }
}

const fn description(byte: Byte, kind: c_int) -> libc::flock {
    // The constants are small, and `l_pid` must be 0 for these locks.
    libc::flock {
        l_type: kind as c_short,
        l_whence: libc::SEEK_SET as c_short,
        l_start: byte as libc::off_t,
        l_len: 1,
        l_pid: 0,
    }
}

fn call(file: &OwnedFd, command: c_int, lock: &mut libc::flock) -> io::Result<()> {
    loop {
        // SAFETY: the descriptor is open, and for these commands the kernel reads and writes one `flock`.
        if unsafe { libc::fcntl(file.as_raw_fd(), command, &raw mut *lock) } != -1 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        // A file system of the network can be interrupted.
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
