//! Linear device memory.
#![allow(unsafe_code)] // Calls the driver.

use std::ops::Deref;

use crate::context::Entered;
use crate::error::check;
use crate::resource::{Owned, Resource};
use crate::stream::default_stream;
use crate::sys::CUdeviceptr;
use crate::{Context, Error, Stream};

/// Device memory, whoever owns it: what a [`DeviceBuffer`] and an [`ImportedBuffer`](crate::ImportedBuffer) have in
/// common.
///
/// Device memory is shared by nature, so writing takes `&self`: streams and other processes write it too. Whoever
/// reads while another writes gets some mixture of bytes; order comes from streams and events.
#[derive(Debug)]
pub struct DeviceMemory {
    pub(crate) context: Context,
    pub(crate) pointer: CUdeviceptr,
    pub(crate) size: usize,
}

impl DeviceMemory {
    /// The context in which the memory is mapped.
    #[must_use]
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// The first byte's address, for kernels and for libraries of others. It is good as long as this value.
    #[must_use]
    pub const fn pointer(&self) -> CUdeviceptr {
        self.pointer
    }

    /// How many bytes there are.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// `cuMemcpyDtoH`: read bytes, after what was enqueued in the default stream.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] where the memory is too small; [`Error::Refused`] with what the driver answered.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), Error> {
        let pointer = self.at(offset, bytes.len())?;
        let driver = self.context.enter()?;
        // SAFETY: `bytes` can be written, and so much memory is there to be read.
        let answer = unsafe { driver.cuMemcpyDtoH(bytes.as_mut_ptr().cast(), pointer, bytes.len()) };
        check("cuMemcpyDtoH", answer, || self.passed(offset, bytes.len()))
    }

    /// `cuMemcpyHtoD`: write bytes, after what was enqueued in the default stream, and wait until they are there: from
    /// then on other processes see them.
    ///
    /// # Errors
    /// As [`DeviceMemory::read`].
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        let pointer = self.at(offset, bytes.len())?;
        let driver = self.context.enter()?;
        // SAFETY: `bytes` can be read, and so much memory is there to be written.
        let answer = unsafe { driver.cuMemcpyHtoD(pointer, bytes.as_ptr().cast(), bytes.len()) };
        check("cuMemcpyHtoD", answer, || self.passed(offset, bytes.len()))?;
        finish(&driver)
    }

    /// `cuMemsetD8`: set every byte, as [`DeviceMemory::write`] does.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    pub fn fill(&self, byte: u8) -> Result<(), Error> {
        let driver = self.context.enter()?;
        // SAFETY: so much memory is there to be written.
        let answer = unsafe { driver.cuMemsetD8(self.pointer, byte, self.size) };
        check("cuMemsetD8", answer, || self.passed(0, self.size))?;
        finish(&driver)
    }

    /// `cuMemsetD8Async`: set every byte, in the order of a stream.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    ///
    /// # Safety
    /// The memory is neither freed nor closed before the stream has done this.
    pub unsafe fn fill_async(&self, byte: u8, stream: &Stream) -> Result<(), Error> {
        let driver = stream.context().enter()?;
        // SAFETY: so much memory is there to be written, and the caller keeps it there until it is.
        let answer = unsafe { driver.cuMemsetD8Async(self.pointer, byte, self.size, stream.raw()) };
        check("cuMemsetD8Async", answer, || self.passed(0, self.size))
    }

    /// The address of a part.
    fn at(&self, offset: usize, length: usize) -> Result<CUdeviceptr, Error> {
        match offset.checked_add(length) {
            Some(end) if end <= self.size => Ok(self.pointer + offset as CUdeviceptr),
            _ => Err(Error::OutOfBounds { offset, length, size: self.size }),
        }
    }

    fn passed(&self, offset: usize, length: usize) -> String {
        format!("{length} bytes at offset {offset} of the {} at {:#x}", self.size, self.pointer)
    }
}

/// Wait for what a call of the default stream began. The driver returns from some while the device is still writing,
/// and nothing says that a mapping which is closed then stays until the device is done.
fn finish(driver: &Entered<'_>) -> Result<(), Error> {
    // SAFETY: the stream is the current context's own.
    check("cuStreamSynchronize", unsafe { driver.cuStreamSynchronize(default_stream()) }, String::new)
}

/// Memory that this process allocated.
#[derive(Debug)]
pub struct DeviceBuffer(Owned<Allocation>);

#[derive(Debug)]
struct Allocation(DeviceMemory);

impl Resource for Allocation {
    const NAME: &'static str = "DeviceBuffer";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let DeviceMemory { context, pointer, size } = &self.0;
        let driver = context.enter()?;
        // SAFETY: the memory is of `cuMemAlloc`, and not used again.
        check("cuMemFree", unsafe { driver.cuMemFree(*pointer) }, || format!("{pointer:#x} of {size} bytes"))
    }
}

impl DeviceBuffer {
    /// `cuMemAlloc`: so many bytes, whose contents are not defined.
    ///
    /// # Errors
    /// [`Error::Refused`] where the size is 0, or more than the device has left.
    pub fn new(context: &Context, size: usize) -> Result<Self, Error> {
        let driver = context.enter()?;
        let mut pointer = 0;
        // SAFETY: the output is a local.
        check("cuMemAlloc", unsafe { driver.cuMemAlloc(&mut pointer, size) }, || format!("{size} bytes"))?;
        Ok(Self(Owned::new(Allocation(DeviceMemory { context: context.clone(), pointer, size }))))
    }

    /// `cuMemFree`: what dropping does, and the error.
    ///
    /// Whoever imported the memory has promised to have closed it before.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered, which may be an error of work enqueued earlier.
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
