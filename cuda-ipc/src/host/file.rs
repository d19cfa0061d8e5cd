//! The files of shared pages: memfds whose size no process can change.
#![allow(unsafe_code)] // Maps memory.

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::ptr;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, fstat, fstatfs, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::param::page_size;

use super::PagesError;
use crate::Error;

/// If a file shrinks, access beyond its new end kills a process with SIGBUS. Growing does no harm, but the size is part
/// of what both processes agree on.
const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW).union(SealFlags::SEAL);

/// Creates a sealed file of zeros.
pub(super) fn create(size: usize) -> Result<OwnedFd, Error> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = memfd_create(c"cuda-ipc-pages", flags).map_err(Error::system("memfd_create"))?;
    ftruncate(&file, size as u64).map_err(Error::system("ftruncate of a memfd"))?;
    fcntl_add_seals(&file, SEALS).map_err(Error::system("fcntl(F_ADD_SEALS)"))?;
    Ok(file)
}

/// Takes a file of another process, which may be anything. The descriptor is duplicated first, so that all checks are
/// made of the file that is mapped later.
pub(super) fn adopt(descriptor: BorrowedFd<'_>, size: usize) -> Result<OwnedFd, Error> {
    let file = descriptor.try_clone_to_owned().map_err(Error::system("fcntl(F_DUPFD_CLOEXEC)"))?;
    // Files other than memfds cannot be sealed.
    let seals = fcntl_get_seals(&file).map_err(|_| PagesError::NotAMemfd)?;
    if !seals.contains(SEALS) {
        return Err(PagesError::Unsealed { seals: seals.bits() }.into());
    }
    // Another process can punch holes, seals or not. Ordinary pages are filled again with zeros. Huge pages may be used up
    // by then, and access would kill this process.
    let kind = fstatfs(&file).map_err(Error::system("fstatfs of a memfd"))?.f_type;
    if kind != libc::TMPFS_MAGIC {
        return Err(PagesError::NotAMemfd.into());
    }
    let found = fstat(&file).map_err(Error::system("fstat of a memfd"))?.st_size.cast_unsigned();
    let expected = size as u64;
    if found == expected { Ok(file) } else { Err(PagesError::OtherSize { found, expected }.into()) }
}

/// A mapping of a whole file, for reading and writing. Dropping it unmaps it.
#[derive(Debug)]
pub(super) struct View {
    address: *mut c_void,
    /// A multiple of the page size.
    length: usize,
}

impl View {
    /// Maps a file of at least `size` bytes, whose size cannot change.
    pub(super) fn of(file: &OwnedFd, size: usize) -> Result<Self, Error> {
        let length = size.next_multiple_of(page_size());
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: this is a new mapping at an address of the kernel's choice.
        let address = unsafe { mmap(ptr::null_mut(), length, access, MapFlags::SHARED, file, 0) };
        Ok(Self { address: address.map_err(Error::system("mmap"))?, length })
    }

    /// Returns the address and the length, and leaves unmapping to the caller.
    pub(super) fn into_raw(self) -> (*mut c_void, usize) {
        let view = ManuallyDrop::new(self);
        (view.address, view.length)
    }

    /// Takes over a mapping from [`View::into_raw`].
    ///
    /// # Safety
    /// Nothing else unmaps it, and nothing uses it after the view is dropped.
    pub(super) const unsafe fn from_raw(address: *mut c_void, length: usize) -> Self {
        Self { address, length }
    }

    pub(super) const fn raw(&self) -> (*mut c_void, usize) {
        (self.address, self.length)
    }

    /// `munmap`: unmaps as dropping does, and returns the error.
    pub(super) fn unmap(self) -> Result<(), Error> {
        let (address, length) = self.into_raw();
        // SAFETY: the mapping is this value's, which ends here.
        unsafe { munmap(address, length) }.map_err(Error::system("munmap"))
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's, which ends here. Unmapping what was mapped does not fail.
        let _ = unsafe { munmap(self.address, self.length) };
    }
}
