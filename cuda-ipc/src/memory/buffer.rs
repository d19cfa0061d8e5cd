//! Linear memory of this process.
#![allow(unsafe_code)] // Calls the driver.

use std::ops::Deref;

use crate::error::check;
use crate::memory::DeviceMemory;
use crate::resource::{Owned, Resource};
use crate::{Context, Error};

/// Memory that this process allocated.
#[derive(Debug)]
pub struct DeviceBuffer(Owned<Allocation>);

#[derive(Debug)]
struct Allocation(DeviceMemory);

impl Resource for Allocation {
    const NAME: &'static str = "DeviceBuffer";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let memory = &self.0;
        let driver = memory.context().enter()?;
        // SAFETY: the memory is of `cuMemAlloc`, and not used again.
        let answer = unsafe { driver.cuMemFree(memory.pointer()) };
        check("cuMemFree", answer, || format!("{:#x} of {} bytes", memory.pointer(), memory.size()))
    }
}

impl DeviceBuffer {
    /// `cuMemAlloc`: so many bytes, whose contents are not defined.
    ///
    /// Memory that is to be exported with a legacy handle should be a multiple of 2 MiB: smaller allocations share a
    /// block, and whoever opens one can reach the others in it.
    ///
    /// # Errors
    /// [`Error::Refused`] where the size is 0, or more than the device has left.
    #[doc(alias = "cuMemAlloc")]
    pub fn new(context: &Context, size: usize) -> Result<Self, Error> {
        let driver = context.enter()?;
        let mut pointer = 0;
        // SAFETY: the output is a local.
        check("cuMemAlloc", unsafe { driver.cuMemAlloc(&mut pointer, size) }, || format!("{size} bytes"))?;
        Ok(Self(Owned::new(Allocation(DeviceMemory::new(context.clone(), pointer, size)))))
    }

    /// `cuMemFree`: what dropping does, and the error.
    ///
    /// Whoever imported the memory has promised to have closed it before.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered, which may be an error of work enqueued earlier.
    #[doc(alias = "cuMemFree")]
    pub fn free(self) -> Result<(), Error> {
        self.0.close()
    }
}

impl Deref for DeviceBuffer {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        &self.0.0
    }
}
