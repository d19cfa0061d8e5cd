//! Linear memory of this process.
#![allow(unsafe_code)] // Calls the driver.

use std::ops::Deref;

use crate::error::check;
use crate::memory::DeviceMemory;
use crate::resource::{Owned, Resource};
use crate::sys::CUdeviceptr;
use crate::{Context, Error};

/// Device memory that this process allocated.
#[derive(Debug)]
pub struct DeviceBuffer(Owned<Allocation>);

#[derive(Debug)]
struct Allocation(DeviceMemory);

impl Resource for Allocation {
    const NAME: &'static str = "DeviceBuffer";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let memory = &self.0;
        let driver = memory.context().enter()?;
        // SAFETY: the memory comes from `cuMemAlloc`, and is not used again.
        let answer = unsafe { driver.cuMemFree(memory.pointer()) };
        check("cuMemFree", answer, || format!("{:#x} of {} bytes", memory.pointer(), memory.size()))
    }
}

impl DeviceBuffer {
    /// `cuMemAlloc`: allocates `size` bytes, whose contents are undefined.
    ///
    /// If the memory will be exported with a legacy handle, use a multiple of 2 MiB. Smaller allocations share a block,
    /// and a process that opens one of them can reach the others in that block.
    ///
    /// # Errors
    /// [`Error::Refused`] if the size is 0, or larger than the free memory of the device.
    #[doc(alias = "cuMemAlloc")]
    pub fn new(context: &Context, size: usize) -> Result<Self, Error> {
        let driver = context.enter()?;
        let mut pointer = 0;
        // SAFETY: the output is a local.
        check("cuMemAlloc", unsafe { driver.cuMemAlloc(&mut pointer, size) }, || format!("{size} bytes"))?;
        Ok(Self::hold(DeviceMemory::new(context.clone(), pointer, size)))
    }

    /// Makes a buffer of memory from `cuMemAlloc`, which it frees.
    pub(crate) const fn hold(memory: DeviceMemory) -> Self {
        Self(Owned::new(Allocation(memory)))
    }

    /// Gives up the memory: returns its address, and does not free it.
    pub(crate) fn relinquish(self) -> CUdeviceptr {
        let pointer = self.pointer();
        self.0.relinquish();
        pointer
    }

    /// `cuMemFree`: frees the memory as dropping does, and returns the error.
    ///
    /// Importers must have closed the memory before: [`ImportedBuffer::open`](crate::ipc::ImportedBuffer::open)
    /// requires that promise.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code, which may be the error of work that was enqueued earlier.
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
