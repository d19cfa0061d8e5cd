//! Address ranges.
#![allow(unsafe_code)] // Calls the driver.

use std::sync::Arc;

use crate::error::check;
use crate::resource::{Owned, Resource};
use crate::sys::CUdeviceptr;
use crate::{Driver, Error};

/// A range of addresses that nothing else in this process gets. Clones refer to the same range. Each mapping in the
/// range holds a clone.
#[derive(Clone, Debug)]
pub struct Reservation(Arc<Owned<Range>>);

#[derive(Debug)]
struct Range {
    driver: Driver,
    pointer: CUdeviceptr,
    size: usize,
}

impl Resource for Range {
    const NAME: &'static str = "Reservation";

    unsafe fn give_back(&self) -> Result<(), Error> {
        // SAFETY: this is the whole range, and nothing is mapped in it: a mapping would still hold it.
        let answer = unsafe { self.driver.calls()?.cuMemAddressFree(self.pointer, self.size) };
        check("cuMemAddressFree", answer, || format!("{} bytes at {:#x}", self.size, self.pointer))
    }
}

impl Reservation {
    /// `cuMemAddressReserve`: reserves a range of `size` bytes, which begins at a multiple of `alignment`. With 0 the
    /// driver chooses the alignment.
    ///
    /// Reserve only the addresses that will be mapped: there are many addresses, but their number is limited.
    ///
    /// # Errors
    /// [`Error::Refused`] if the size is not a multiple of the page size, or the alignment is not a power of two.
    #[doc(alias = "cuMemAddressReserve")]
    pub fn new(driver: Driver, size: usize, alignment: usize) -> Result<Self, Error> {
        let mut pointer = 0;
        // SAFETY: the output is a local.
        let answer = unsafe { driver.calls()?.cuMemAddressReserve(&mut pointer, size, alignment, 0, 0) };
        check("cuMemAddressReserve", answer, || format!("{size} bytes, alignment {alignment}"))?;
        Ok(Self(Arc::new(Owned::new(Range { driver, pointer, size }))))
    }

    /// Returns the first address.
    #[must_use]
    pub fn pointer(&self) -> CUdeviceptr {
        self.0.pointer
    }

    /// Returns the size of the range in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// `cuMemAddressFree`: frees the range as dropping does, and returns the error.
    ///
    /// While clones of the value or mappings in the range exist, this does nothing: the last of them frees the range.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemAddressFree")]
    pub fn free(self) -> Result<(), Error> {
        Arc::into_inner(self.0).map_or(Ok(()), Owned::close)
    }

    /// Returns the address of a part of the range.
    pub(super) fn at(&self, offset: usize, length: usize) -> Result<CUdeviceptr, Error> {
        match offset.checked_add(length) {
            Some(end) if end <= self.size() => Ok(self.pointer() + offset as CUdeviceptr),
            _ => Err(Error::OutOfBounds { offset, length, size: self.size() }),
        }
    }
}
