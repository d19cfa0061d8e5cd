//! Memory of a pool.
#![allow(unsafe_code)] // Calls the driver.

use std::ops::Deref;

use crate::error::check;
use crate::memory::DeviceMemory;
use crate::pool::{Pool, PoolPointerData};
use crate::resource::{Owned, Resource};
use crate::sys::CUmemPoolPtrExportData;
use crate::{Error, Stream};

/// The largest buffer of a pool that is exported, in bytes: 127 chunks of 32 MiB.
///
/// Drivers up to 580 at least keep room for 128 chunks on the stack while they import a pointer, write past it for
/// larger memory, and crash from 5249 MiB on; memory that does not begin at a chunk has one more than its size says.
/// Virtual memory has no such limit.
pub const LARGEST_EXPORT: usize = 127 * (32 << 20);

/// Memory that this process allocated from a pool. It is given back in the order of the stream that it was allocated in.
#[derive(Debug)]
pub struct PoolBuffer(Owned<Allocation>);

#[derive(Debug)]
struct Allocation {
    memory: DeviceMemory,
    stream: Stream,
    pool: Pool,
}

impl Resource for Allocation {
    const NAME: &'static str = "PoolBuffer";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let driver = self.stream.context().enter()?;
        let pointer = self.memory.pointer();
        // SAFETY: the memory is the pool's, and not used again; the stream is live.
        let answer = unsafe { driver.cuMemFreeAsync(pointer, self.stream.raw()) };
        check("cuMemFreeAsync", answer, || format!("{pointer:#x} of {} bytes", self.memory.size()))
    }
}

impl PoolBuffer {
    /// `cuMemAllocFromPoolAsync`, `cuStreamSynchronize`: so many bytes, whose contents are not defined. They are there
    /// when this returns, for every stream and process.
    ///
    /// # Errors
    /// [`Error::Refused`] where the size is 0, or more than pool and device have left.
    #[doc(alias = "cuMemAllocFromPoolAsync")]
    #[doc(alias = "cuStreamSynchronize")]
    pub fn new(pool: &Pool, size: usize, stream: &Stream) -> Result<Self, Error> {
        // SAFETY: nobody else knows the memory before the stream is done.
        let buffer = unsafe { Self::new_async(pool, size, stream)? };
        stream.synchronize()?;
        Ok(buffer)
    }

    /// `cuMemAllocFromPoolAsync`: so many bytes, which are there for what is enqueued in the stream from now on.
    ///
    /// # Errors
    /// As [`PoolBuffer::new`].
    ///
    /// # Safety
    /// Nobody else uses the memory before the stream has come to this: the methods that read, write and fill without a
    /// stream do not wait for one that is [`Stream::non_blocking`].
    #[doc(alias = "cuMemAllocFromPoolAsync")]
    pub unsafe fn new_async(pool: &Pool, size: usize, stream: &Stream) -> Result<Self, Error> {
        let driver = stream.context().enter()?;
        let mut pointer = 0;
        // SAFETY: the output is a local, pool and stream are live.
        let answer = unsafe { driver.cuMemAllocFromPoolAsync(&mut pointer, size, pool.raw(), stream.raw()) };
        check("cuMemAllocFromPoolAsync", answer, || format!("{size} bytes"))?;
        let memory = DeviceMemory::new(stream.context().clone(), pointer, size);
        Ok(Self(Owned::new(Allocation { memory, stream: stream.clone(), pool: pool.clone() })))
    }

    /// The pool that the memory is of.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.0.pool
    }

    /// `cuMemPoolExportPointer`: what those need that imported the pool. The pool has to be exported before.
    ///
    /// # Errors
    /// [`Error::TooLarge`] above [`LARGEST_EXPORT`]; [`Error::Refused`] where the pool was not exported.
    #[doc(alias = "cuMemPoolExportPointer")]
    pub fn export(&self) -> Result<PoolPointerData, Error> {
        if self.size() > LARGEST_EXPORT {
            return Err(Error::TooLarge { size: self.size(), largest: LARGEST_EXPORT });
        }
        let (driver, mut data) = (self.context().enter()?, CUmemPoolPtrExportData::default());
        // SAFETY: the output is a local. The address is looked up and not followed.
        let answer = unsafe { driver.cuMemPoolExportPointer(&mut data, self.pointer()) };
        check("cuMemPoolExportPointer", answer, || format!("{:#x}", self.pointer()))?;
        Ok(PoolPointerData(data))
    }

    /// `cuMemFreeAsync`: what dropping does, and the error. It is done in the order of the stream.
    ///
    /// What other streams do with the memory has to be done before; and whoever imported it has promised to have
    /// closed it.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuMemFreeAsync")]
    pub fn free(self) -> Result<(), Error> {
        self.0.close()
    }
}

impl Deref for PoolBuffer {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        &self.0.memory
    }
}
