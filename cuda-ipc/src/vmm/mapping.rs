//! Memory at addresses.
#![allow(unsafe_code)] // Calls the driver.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::check;
use crate::memory::DeviceMemory;
use crate::resource::{Owned, Resource};
use crate::sys::{CUdeviceptr, CUmemAccess_flags, CUmemLocation};
use crate::vmm::{Access, Allocation, Physical, Reservation};
use crate::{Context, Device, Error};

/// Physical memory mapped at addresses: several chunks in one range, or one. It holds chunks and range.
#[derive(Debug)]
pub struct Mapping {
    memory: DeviceMemory,
    /// They end in this order: first what is mapped, then where.
    chunks: Vec<Owned<Chunk>>,
    reservation: Reservation,
    generation: u64,
}

/// One chunk at its place.
#[derive(Debug)]
struct Chunk {
    pointer: CUdeviceptr,
    physical: Physical,
}

impl Resource for Chunk {
    const NAME: &'static str = "Mapping";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let (driver, size) = (self.physical.driver().calls()?, self.physical.size());
        // SAFETY: just this was mapped here, and nobody uses the addresses any more.
        let answer = unsafe { driver.cuMemUnmap(self.pointer, size) };
        check("cuMemUnmap", answer, || format!("{size} bytes at {:#x}", self.pointer))
    }
}

impl Mapping {
    /// `cuMemAddressReserve`, `cuMemMap`, `cuMemSetAccess`: chunks of memory, one after the other in a range of its own,
    /// which the context's device may use as said. Copies run in this context.
    ///
    /// # Errors
    /// [`Error::Refused`] where a size is not the memory's own, or the device cannot reach the memory. What was mapped
    /// before that is unmapped again.
    #[doc(alias = "cuMemAddressReserve")]
    #[doc(alias = "cuMemMap")]
    #[doc(alias = "cuMemSetAccess")]
    pub fn new(context: &Context, chunks: &[&Physical], access: Access) -> Result<Self, Error> {
        let size = chunks.iter().try_fold(0_usize, |size, chunk| size.checked_add(chunk.size()));
        let reservation = Reservation::new(context.driver(), size.unwrap_or(usize::MAX), 0)?;
        Self::in_range(context, &reservation, 0, chunks, access)
    }

    /// `cuMemMap`, `cuMemSetAccess`: chunks of memory, one after the other in a part of a range that begins at an
    /// offset.
    ///
    /// # Errors
    /// As [`Mapping::new`], and [`Error::OutOfBounds`] where the range is too small; [`Error::Refused`] where something
    /// is mapped there already.
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
            memory: DeviceMemory::new(context.clone(), reservation.at(offset, 0)?, 0),
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
            mapping.chunks.push(Owned::new(Chunk { pointer, physical: Physical::clone(physical) }));
            size += physical.size();
        }
        mapping.memory = DeviceMemory::new(context.clone(), mapping.memory.pointer(), size);
        mapping.set_access(context.device(), access)?;
        Ok(mapping)
    }

    /// `cuMemSetAccess`: what a device may do with the memory from now on. Work that was enqueued before is done
    /// first where it has to be: that is the caller's to see to.
    ///
    /// # Errors
    /// [`Error::Refused`] where the device cannot reach the memory.
    #[doc(alias = "cuMemSetAccess")]
    pub fn set_access(&self, device: Device, access: Access) -> Result<(), Error> {
        let (driver, description) = (device.driver().calls()?, access.of(device));
        // SAFETY: all of the range is mapped, and the description is a local.
        let answer = unsafe { driver.cuMemSetAccess(self.pointer(), self.size(), &description, 1) };
        check("cuMemSetAccess", answer, || {
            format!("{access:?} for {}, {} bytes at {:#x}", device.passed(), self.size(), self.pointer())
        })
    }

    /// `cuMemGetAccess`: what a device may do with the memory.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuMemGetAccess")]
    pub fn access(&self, device: Device) -> Result<Access, Error> {
        let (driver, mut flags) = (device.driver().calls()?, 0);
        let location = CUmemLocation::device(device.raw());
        // SAFETY: the output and the location are locals.
        let answer = unsafe { driver.cuMemGetAccess(&mut flags, &location, self.pointer()) };
        check("cuMemGetAccess", answer, || format!("{}, {:#x}", device.passed(), self.pointer()))?;
        Ok(Access::from_flags(CUmemAccess_flags(u32::try_from(flags).unwrap_or(u32::MAX))))
    }

    /// The range that the memory is mapped in.
    #[must_use]
    pub const fn reservation(&self) -> &Reservation {
        &self.reservation
    }

    /// What no other mapping of this process has, nor has had.
    pub(crate) const fn generation(&self) -> u64 {
        self.generation
    }

    /// The chunks as their creator has them, where that is this process for all of them.
    pub(crate) fn allocations(&self) -> Option<Vec<Allocation>> {
        self.chunks.iter().map(|chunk| chunk.physical.as_allocation()).collect()
    }

    /// `cuMemUnmap`: what dropping does, and the first error. The physical memory goes with its last holder.
    ///
    /// Work that was given [`DeviceMemory::pointer`] has to be done: a driver may end it with an error otherwise.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuMemUnmap")]
    pub fn unmap(self) -> Result<(), Error> {
        // Every chunk, also after an error.
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
