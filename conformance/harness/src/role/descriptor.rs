//! The descriptors that a role holds. A driver can give the number of one that is closed, without an error.

use std::os::fd::{BorrowedFd, FromRawFd as _, OwnedFd};

use crate::message::Refused;

/// Returns a descriptor that the role holds, if it is open.
pub(crate) fn held(descriptor: i32) -> Result<BorrowedFd<'static>, Refused> {
    // SAFETY: F_GETFD only reads, and it refuses the number of a closed descriptor.
    if unsafe { libc::fcntl(descriptor, libc::F_GETFD) } == -1 {
        return Err(Refused::Unusable(format!("the descriptor {descriptor} is not open")));
    }
    // SAFETY: the descriptor is open. Only a later call of the case or the end of the case closes it, and by then no one uses
    // this borrow.
    Ok(unsafe { BorrowedFd::borrow_raw(descriptor) })
}

/// Closes a descriptor that the role holds.
pub(crate) fn close(descriptor: i32) -> Result<(), Refused> {
    held(descriptor)?;
    // SAFETY: the role holds the descriptor, which is open, and nothing else in the process owns it.
    drop(unsafe { OwnedFd::from_raw_fd(descriptor) });
    Ok(())
}
