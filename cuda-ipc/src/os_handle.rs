//! File descriptors as the driver takes them.

use std::ffi::c_void;
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};
use std::ptr;

use rustix::io::fcntl_dupfd_cloexec;

use crate::Error;
use crate::error::SystemError;

/// A descriptor whose number the driver takes in place of a pointer.
pub(crate) struct OsHandle<'descriptor> {
    descriptor: BorrowedFd<'descriptor>,
    /// A duplicate of descriptor 0. An H200 refuses 0, as a null pointer.
    duplicate: Option<OwnedFd>,
}

impl<'descriptor> OsHandle<'descriptor> {
    pub(crate) fn new(descriptor: BorrowedFd<'descriptor>) -> Result<Self, Error> {
        let is_null = descriptor.as_raw_fd() == 0;
        let duplicate = is_null.then(|| fcntl_dupfd_cloexec(descriptor, 1)).transpose();
        let duplicate = duplicate.map_err(|errno| SystemError::new("fcntl(F_DUPFD_CLOEXEC)", errno))?;
        Ok(Self { descriptor, duplicate })
    }

    /// Returns the number as a pointer, which is valid as long as this value.
    pub(crate) fn pointer(&self) -> *mut c_void {
        let number = self.duplicate.as_ref().map_or(self.descriptor.as_raw_fd(), OwnedFd::as_raw_fd);
        ptr::without_provenance_mut(number as usize)
    }
}
