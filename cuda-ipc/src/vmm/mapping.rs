//! Memory mapped at addresses.
#![allow(unsafe_code)] // Calls the driver.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::check;
use crate::memory::DeviceMemory;
use crate::resource::{Owned, Resource};
use crate::sys::{CUdeviceptr, CUmemAccess_flags, CUmemLocation};
use crate::vmm::{Access, Allocation, Physical, Reservation};
use crate::{Context, Device, Error};

/// Physical memory mapped in an address range, as one chunk or several. It holds the chunks and the range.
#[derive(Debug)]
pub struct Mapping {
    memory: DeviceMemory,
    /// Dropped before the range in which they are mapped, which is the next field.
    chunks: Vec<Owned<Chunk>>,
    reservation: Reservation,
    generation: u64,
}

/// One chunk, mapped at its address.
#[derive(Debug)]
struct Chunk {
    pointer: CUdeviceptr,
    physical: Physical,
    reservation: Reservation,
}

impl Resource for Chunk {
    const NAME: &'static str = "Mapping";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let (driver, size) = (self.physical.driver().calls()?, self.physical.size());
        // SAFETY: exactly this was mapped here, and nothing uses the addresses any more.
        let answer = unsafe { driver.cuMemUnmap(self.pointer, size) };
        let unmapped = check("cuMemUnmap", answer, || format!("{size} bytes at {:#x}", self.pointer));
        if unmapped.is_err() {
            // Something may still be mapped in the range, so it is never freed.
            std::mem::forget(self.reservation.clone());
        }
        unmapped
    }
}

impl Mapping {
    /// `cuMemAddressReserve`, `cuMemMap`, `cuMemSetAccess`: maps chunks of memory one after the other in a range of
    /// their own, with the given access for the context's device. Copies run in this context.
    ///
    /// # Errors
    /// [`Error::Refused`] if the size of a chunk is not that of its memory, or if the device cannot reach the memory.
    /// Chunks that were mapped before the error are unmapped again.
    #[doc(alias = "cuMemAddressReserve")]
    #[doc(alias = "cuMemMap")]
    #[doc(alias = "cuMemSetAccess")]
    pub fn new(context: &Context, chunks: &[&Physical], access: Access) -> Result<Self, Error> {
        let size = chunks.iter().try_fold(0_usize, |size, chunk| size.checked_add(chunk.size()));
        let reservation = Reservation::new(context.driver(), size.unwrap_or(usize::MAX), 0)?;
        Self::in_range(context, &reservation, 0, chunks, access)
    }

    /// `cuMemMap`, `cuMemSetAccess`: maps chunks of memory one after the other in an existing range. `offset` is the
    /// place of the first chunk in the range, in bytes. It must be a multiple of the granularity.
    ///
    /// # Errors
    /// As [`Mapping::new`], and [`Error::OutOfBounds`] if the range is too small; [`Error::Refused`] if something is
    /// already mapped there.
    #[doc(alias = "cuMemMap")]
    #[doc(alias = "cuMemSetAccess")]
    pub fn in_range(
        context: &Context,
        reservation: &Reservation,
        offset: usize,
        chunks: &[&Physical],
        access: Access,
    ) -> Result<Self, Error> {
        static MAPPINGS: AtomicU64 = AtomicU64::new(1);
        let mut mapping = Self {
            memory: DeviceMemory::with_varying_access(context.clone(), reservation.at(offset, 0)?, 0),
            chunks: Vec::with_capacity(chunks.len()),
            reservation: reservation.clone(),
            generation: MAPPINGS.fetch_add(1, Ordering::Relaxed),
        };
        let mut size = 0;
        for physical in chunks {
            let pointer = reservation.at(offset + size, physical.size())?;
            let driver = physical.driver().calls()?;
            // SAFETY: the addresses are reserved, and the memory is live; both are held from here on.
            let answer = unsafe { driver.cuMemMap(pointer, physical.size(), 0, physical.raw(), 0) };
            check("cuMemMap", answer, || format!("{} bytes at {pointer:#x}", physical.size()))?;
            size += physical.size();
            let (physical, reservation) = (Physical::clone(physical), reservation.clone());
            mapping.chunks.push(Owned::new(Chunk { pointer, physical, reservation }));
        }
        mapping.memory = DeviceMemory::with_varying_access(context.clone(), mapping.memory.pointer(), size);
        mapping.set_access(context.device(), access)?;
        Ok(mapping)
    }

    /// `cuMemSetAccess`: sets a device's access to the memory. It does not wait for work that was enqueued before: if
    /// that work needs the old access, the caller must wait for it first.
    ///
    /// # Errors
    /// [`Error::Refused`] if the device cannot reach the memory.
    #[doc(alias = "cuMemSetAccess")]
    pub fn set_access(&self, device: Device, access: Access) -> Result<(), Error> {
        let (driver, description) = (device.driver().calls()?, access.of(device));
        // SAFETY: all of the range is mapped, and the description is a local.
        let answer = unsafe { driver.cuMemSetAccess(self.pointer(), self.size(), &description, 1) };
        check("cuMemSetAccess", answer, || {
            format!("{access:?} for {}, {} bytes at {:#x}", device.passed(), self.size(), self.pointer())
        })
    }

    /// `cuMemGetAccess`: returns a device's access to the memory.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemGetAccess")]
    pub fn access(&self, device: Device) -> Result<Access, Error> {
        let (driver, mut flags) = (device.driver().calls()?, 0);
        let location = CUmemLocation::device(device.raw());
        // SAFETY: the output and the location are locals.
        let answer = unsafe { driver.cuMemGetAccess(&mut flags, &location, self.pointer()) };
        check("cuMemGetAccess", answer, || format!("{}, {:#x}", device.passed(), self.pointer()))?;
        Ok(Access::from_flags(CUmemAccess_flags(u32::try_from(flags).unwrap_or(u32::MAX))))
    }

    /// Returns the range that the memory is mapped in.
    #[must_use]
    pub const fn reservation(&self) -> &Reservation {
        &self.reservation
    }

    /// Returns a number that no other mapping of this process has or has had.
    pub(crate) const fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the chunks as allocations, if this process created all of them.
    pub(crate) fn allocations(&self) -> Option<Vec<Allocation>> {
        self.chunks.iter().map(|chunk| chunk.physical.as_allocation()).collect()
    }

    /// `cuMemUnmap`: unmaps the memory as dropping does, and returns the first error. The last holder of the physical
    /// memory releases it.
    ///
    /// Work that was given [`DeviceMemory::pointer`] must be complete. Otherwise a driver may end it with an error.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemUnmap")]
    pub fn unmap(self) -> Result<(), Error> {
        // Every chunk is unmapped, also after an error.
        let answers: Vec<_> = self.chunks.into_iter().map(Owned::close).collect();
        answers.into_iter().collect::<Result<(), _>>().and_then(|()| self.reservation.free())
    }
}

impl Deref for Mapping {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        &self.memory
    }
}
