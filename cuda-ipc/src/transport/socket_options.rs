//! `getsockopt` for the two options that rustix lacks: `SO_PEERPIDFD`, and an `SO_PEERCRED` whose PID may be 0.
#![allow(unsafe_code)] // Calls the C library.

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};

/// `SO_PEERCRED`: returns PID, user and group, in the order of C's `ucred`.
pub(crate) fn peer_credentials(socket: BorrowedFd<'_>) -> io::Result<[u32; 3]> {
    Ok(get(socket, libc::SO_PEERCRED)?.map(c_int::cast_unsigned))
}

/// `SO_PEERPIDFD`: returns a new pidfd, which is close-on-exec. Needs Linux 6.5.
pub(crate) fn peer_pidfd(socket: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let [descriptor] = get(socket, libc::SO_PEERPIDFD)?;
    // SAFETY: the kernel created this descriptor for this call, and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

fn get<const COUNT: usize>(socket: BorrowedFd<'_>, option: c_int) -> io::Result<[c_int; COUNT]> {
    let mut value = [0; COUNT];
    let wanted = size_of_val(&value) as libc::socklen_t;
    let mut length = wanted;
    // SAFETY: the descriptor is open, and the kernel writes at most `length` bytes into `value`, for which any bytes
    // are valid.
    let answer = unsafe {
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, value.as_mut_ptr().cast(), &mut length)
    };
    match answer {
        0 if length == wanted => Ok(value),
        0 => Err(io::Error::new(io::ErrorKind::InvalidData, "the kernel returned a value of unexpected length")),
        _ => Err(io::Error::last_os_error()),
    }
}
