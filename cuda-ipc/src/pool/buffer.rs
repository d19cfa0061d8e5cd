//! Memory allocated from a pool.
#![allow(unsafe_code)] // Calls the driver.

use std::ops::Deref;

use crate::error::check;
use crate::memory::DeviceMemory;
use crate::pool::{Pool, PoolPointerData};
use crate::resource::{Owned, Resource};
use crate::sys::CUmemPoolPtrExportData;
use crate::{Error, Stream};

/// The size in bytes of the largest pool buffer that can be exported: 127 chunks of 32 MiB.
///
/// An importer of larger memory can crash inside the driver. On an H200 with driver 580.159.04, importing 5600 MiB
/// ended in SIGSEGV, and so did importing 5248 MiB that began inside a chunk. Others report the cause: while the driver
/// imports a pointer, it has room for only 128 chunks on the stack. Memory that does not begin at a chunk boundary lies
/// in one chunk more than its size suggests. Virtual memory has no such limit.
pub const LARGEST_EXPORT: usize = 127 * (32 << 20);

/// Memory that this process allocated from a pool. It is freed in the order of the stream in which it was allocated.
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
        // A graph would run the free later, and perhaps again.
        let driver = self.stream.require_no_capture().and_then(|()| self.stream.context().enter());
        let freed = driver.and_then(|driver| {
            let pointer = self.memory.pointer();
            // SAFETY: the memory belongs to the pool and is not used again; the stream is live.
            let answer = unsafe { driver.cuMemFreeAsync(pointer, self.stream.handle()) };
            check("cuMemFreeAsync", answer, || format!("{pointer:#x} of {} bytes", self.memory.size()))
        });
        if let Some(teardown) = self.pool.handle.teardown() {
            match &freed {
                Ok(()) => teardown.freed_in(&self.stream),
                Err(_) => teardown.keep(),
            }
        }
        freed
    }
}

impl PoolBuffer {
    /// `cuMemAllocFromPoolAsync`, `cuStreamSynchronize`: allocates the given number of bytes, with undefined contents.
    /// When this returns, every stream and process can use them.
    ///
    /// # Errors
    /// [`Error::Refused`] if the size is more than the pool and the device have left. For size 0, a driver returns an
    /// error or memory at address 0 (an H200 does the latter), which cannot be exported. [`Error::Foreign`] if other code
    /// is capturing the stream into a graph.
    #[doc(alias = "cuMemAllocFromPoolAsync")]
    #[doc(alias = "cuStreamSynchronize")]
    pub fn new(pool: &Pool, size: usize, stream: &Stream) -> Result<Self, Error> {
        // SAFETY: no other code has the address before the stream is synchronised.
        let buffer = unsafe { Self::new_async(pool, size, stream)? };
        stream.synchronize()?;
        Ok(buffer)
    }

    /// `cuMemAllocFromPoolAsync`: allocates the given number of bytes in stream order. Work that is enqueued in the
    /// stream from now on can use them.
    ///
    /// # Errors
    /// As [`PoolBuffer::new`].
    ///
    /// # Safety
    /// Nothing else uses the memory before the stream has reached the allocation. The methods that read, write and fill
    /// without a stream do not wait for a [`Stream::non_blocking`] stream.
    #[doc(alias = "cuMemAllocFromPoolAsync")]
    pub unsafe fn new_async(pool: &Pool, size: usize, stream: &Stream) -> Result<Self, Error> {
        stream.require_no_capture()?;
        let driver = stream.context().enter()?;
        let mut pointer = 0;
        // SAFETY: the output is a local, pool and stream are live.
        let answer = unsafe { driver.cuMemAllocFromPoolAsync(&mut pointer, size, pool.raw(), stream.handle()) };
        check("cuMemAllocFromPoolAsync", answer, || format!("{size} bytes"))?;
        let memory = DeviceMemory::with_varying_access(stream.context().clone(), pointer, size);
        Ok(Self(Owned::new(Allocation { memory, stream: stream.clone(), pool: pool.clone() })))
    }

    /// Returns the pool from which the memory was allocated.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.0.pool
    }

    /// `cuMemPoolExportPointer`: returns the bytes with which processes that imported the pool open this buffer. The
    /// pool must have been exported before.
    ///
    /// # Errors
    /// [`Error::TooLarge`] above [`LARGEST_EXPORT`]; [`Error::Refused`] if the pool was not exported.
    #[doc(alias = "cuMemPoolExportPointer")]
    pub fn export(&self) -> Result<PoolPointerData, Error> {
        if self.size() > LARGEST_EXPORT {
            return Err(Error::TooLarge { size: self.size(), largest: LARGEST_EXPORT });
        }
        let (driver, mut data) = (self.context().enter()?, CUmemPoolPtrExportData::default());
        // SAFETY: the output is a local. The address is looked up and not dereferenced.
        let answer = unsafe { driver.cuMemPoolExportPointer(&mut data, self.pointer()) };
        check("cuMemPoolExportPointer", answer, || format!("{:#x}", self.pointer()))?;
        Ok(PoolPointerData(data))
    }

    /// `cuMemFreeAsync`: frees the memory as dropping does, in stream order, and returns the error.
    ///
    /// It returns before the stream has reached the free. The stream and the pool live at least until then.
    ///
    /// Work of other streams on the memory must be complete before, and importers must have closed it: they promised
    /// this when they opened it.
    ///
    /// If other code is capturing the stream into a graph, the memory is never freed, and its pool never destroyed. The
    /// same is true if the value is dropped then.
    ///
    /// # Errors
    /// [`Error::Foreign`] if other code is capturing the stream; [`Error::Refused`] with the driver's error code.
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
