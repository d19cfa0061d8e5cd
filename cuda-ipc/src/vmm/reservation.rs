//! Ranges of addresses.
#![allow(unsafe_code)] // Calls the driver.

use std::sync::Arc;

use crate::error::check;
use crate::resource::{Owned, Resource};
use crate::sys::CUdeviceptr;
use crate::{Driver, Error};

/// A range of addresses that nothing else of this process gets. Clones are the same range, and mappings in it hold one.
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
        // SAFETY: the range is whole, and nothing is mapped in it: its mappings held this value.
        let answer = unsafe { self.driver.calls()?.cuMemAddressFree(self.pointer, self.size) };
        check("cuMemAddressFree", answer, || format!("{} bytes at {:#x}", self.size, self.pointer))
    }
}

impl Reservation {
    /// `cuMemAddressReserve`: so many addresses, beginning at a multiple of the alignment; 0 is the driver's choice.
    ///
    /// Reserve what will be mapped, not all there might ever be: addresses are plenty, and yet they end.
    ///
    /// # Errors
    /// [`Error::Refused`] where the size is no multiple of the page, or the alignment no power of two.
    #[doc(alias = "cuMemAddressReserve")]
    pub fn new(driver: Driver, size: usize, alignment: usize) -> Result<Self, Error> {
        let mut pointer = 0;
        // SAFETY: the output is a local.
        let answer = unsafe { driver.calls()?.cuMemAddressReserve(&mut pointer, size, alignment, 0, 0) };
        check("cuMemAddressReserve", answer, || format!("{size} bytes, alignment {alignment}"))?;
        Ok(Self(Arc::new(Owned::new(Range { driver, pointer, size }))))
    }

    /// The first address.
    #[must_use]
    pub fn pointer(&self) -> CUdeviceptr {
        self.0.pointer
    }

    /// How many bytes there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// `cuMemAddressFree`: what dropping does, and the error.
    ///
    /// While clones live, or mappings in the range, this does nothing: the last one frees it.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuMemAddressFree")]
    pub fn free(self) -> Result<(), Error> {
        Arc::into_inner(self.0).map_or(Ok(()), Owned::close)
    }

    /// The address of a part.
    pub(super) fn at(&self, offset: usize, length: usize) -> Result<CUdeviceptr, Error> {
        match offset.checked_add(length) {
            Some(end) if end <= self.size() => Ok(self.pointer() + offset as CUdeviceptr),
            _ => Err(Error::OutOfBounds { offset, length, size: self.size() }),
        }
    }
}
