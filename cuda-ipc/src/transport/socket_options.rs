//! The three options of Unix sockets that rustix lacks: `SO_PEERPIDFD`, `SO_PASSPIDFD`, and an `SO_PEERCRED` whose PID may
//! be 0.
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

/// `SO_PASSPIDFD`: makes the kernel deliver no pidfd with each message, as whoever made the socket may have asked it to.
/// rustix would leave those pidfds open. Before Linux 6.5 there is no such option.
pub(crate) fn refuse_pidfds(socket: BorrowedFd<'_>) {
    let no: c_int = 0;
    let length = size_of_val(&no) as libc::socklen_t;
    // SAFETY: the descriptor is open, and the kernel reads `length` bytes of the local.
    unsafe {
        libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PASSPIDFD, (&raw const no).cast(), length)
    };
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
