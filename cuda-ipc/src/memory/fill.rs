//! Fills in the order of a stream.
#![allow(unsafe_code)] // Calls the driver.

use bytemuck::NoUninit;

use crate::error::check;
use crate::memory::DeviceSlice;
use crate::sys::CUdeviceptr;
use crate::vmm::Access;
use crate::{Error, Stream};

impl<T: NoUninit> DeviceSlice<'_, T> {
    /// `cuMemsetD8Async`, `cuMemsetD16Async`, `cuMemsetD32Async`: sets every value, in the order of a stream.
    ///
    /// # Safety
    /// The memory must not be freed or closed before the stream has done this.
    pub(crate) unsafe fn fill_async(self, value: T, stream: &Stream) -> Result<(), Error> {
        const { assert!(matches!(size_of::<T>(), 1 | 2 | 4), "memory is filled with values of 1, 2 or 4 bytes") };
        let (pointer, count) = (self.pointer(), self.len());
        if !pointer.is_multiple_of(size_of::<T>() as CUdeviceptr) {
            return Err(Error::Misaligned { pointer, alignment: size_of::<T>() });
        }
        if self.memory().context() != stream.context() {
            // The fill may be a kernel, and one without access ends the work of the process.
            self.memory().require_access(stream.context(), Access::ReadWrite)?;
        }
        let driver = stream.context().enter()?;
        // In each call, the device memory has that many values.
        let (function, answer) = match *bytemuck::bytes_of(&value) {
            [byte] => {
                // SAFETY: the caller keeps the memory until it is filled.
                let answer = unsafe { driver.cuMemsetD8Async(pointer, byte, count, stream.handle()) };
                ("cuMemsetD8Async", answer)
            }
            [a, b] => {
                let number = u16::from_ne_bytes([a, b]);
                // SAFETY: as above, and the pointer is aligned.
                let answer = unsafe { driver.cuMemsetD16Async(pointer, number, count, stream.handle()) };
                ("cuMemsetD16Async", answer)
            }
            [a, b, c, d] => {
                let number = u32::from_ne_bytes([a, b, c, d]);
                // SAFETY: as above.
                let answer = unsafe { driver.cuMemsetD32Async(pointer, number, count, stream.handle()) };
                ("cuMemsetD32Async", answer)
            }
            // The assertion excludes other sizes.
            _ => return Ok(()),
        };
        check(function, answer, || self.memory().passed(self.offset(), self.size()))
    }
}
