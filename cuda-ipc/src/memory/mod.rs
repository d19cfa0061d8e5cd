//! Device memory, and copies from and to it.
#![allow(unsafe_code)] // Calls the driver.

mod buffer;
mod kind;

use bytemuck::Pod;

pub use buffer::DeviceBuffer;
pub use kind::MemoryKind;

use crate::context::Entered;
use crate::error::check;
use crate::stream::default_stream;
use crate::sys::{CUdeviceptr, CUpointer_attribute};
use crate::{Context, Error, Stream};

/// Device memory, whoever owns it: what buffers, imports and mappings have in common.
///
/// Device memory is shared by nature, so writing takes `&self`: streams and other processes write it too. Whoever
/// reads while another writes gets some mixture of bytes, which is why values are plain old data ([`Pod`]); order comes
/// from streams and events. Offsets and sizes are in bytes.
#[derive(Debug)]
pub struct DeviceMemory {
    context: Context,
    pointer: CUdeviceptr,
    size: usize,
}

impl DeviceMemory {
    pub(crate) const fn new(context: Context, pointer: CUdeviceptr, size: usize) -> Self {
        Self { context, pointer, size }
    }

    /// The context in which copies of the memory run.
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

    /// `cuMemcpyDtoH`: read values, after what was enqueued in the default stream.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] where the memory is too small; [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn read<T: Pod>(&self, offset: usize, values: &mut [T]) -> Result<(), Error> {
        let length = size_of_val(values);
        let pointer = self.at(offset, length)?;
        let driver = self.context.enter()?;
        // SAFETY: `values` can be written and have no wrong bytes, and so much memory is there to be read.
        let answer = unsafe { driver.cuMemcpyDtoH(values.as_mut_ptr().cast(), pointer, length) };
        check("cuMemcpyDtoH", answer, || self.passed(offset, length))
    }

    /// `cuMemcpyHtoD`: write values, after what was enqueued in the default stream, and wait until they are there: from
    /// then on other processes see them.
    ///
    /// # Errors
    /// As [`DeviceMemory::read`].
    #[doc(alias = "cuMemcpyHtoD")]
    pub fn write<T: Pod>(&self, offset: usize, values: &[T]) -> Result<(), Error> {
        let length = size_of_val(values);
        let pointer = self.at(offset, length)?;
        let driver = self.context.enter()?;
        // SAFETY: `values` can be read and have no gaps, and so much memory is there to be written.
        let answer = unsafe { driver.cuMemcpyHtoD(pointer, values.as_ptr().cast(), length) };
        check("cuMemcpyHtoD", answer, || self.passed(offset, length))?;
        finish(&driver)
    }

    /// `cuMemsetD8`: set every byte, as [`DeviceMemory::write`] does.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuMemsetD8")]
    pub fn fill(&self, byte: u8) -> Result<(), Error> {
        let driver = self.context.enter()?;
        // SAFETY: so much memory is there to be written.
        let answer = unsafe { driver.cuMemsetD8(self.pointer, byte, self.size) };
        check("cuMemsetD8", answer, || self.passed(0, self.size))?;
        finish(&driver)
    }

    /// `cuMemcpyPeerAsync`, `cuStreamSynchronize`: copy from other device memory, on this device or another, as
    /// [`DeviceMemory::write`] does.
    ///
    /// # Errors
    /// As [`DeviceMemory::read`], for either memory.
    pub fn copy_from(&self, offset: usize, from: &Self, from_offset: usize, length: usize) -> Result<(), Error> {
        let stream = Stream::default_of(&self.context);
        // SAFETY: both memories are there until the stream is done, which is waited for.
        unsafe { self.copy_from_async(offset, from, from_offset, length, &stream)? };
        stream.synchronize()
    }

    /// `cuMemcpyDtoHAsync`: read values, in the order of a stream.
    ///
    /// Only into memory of the host that the driver knows (pinned, or registered) does it return before the copy is
    /// done. Into other memory, such as that of a `Vec`, it waits for all that the stream does before, too.
    ///
    /// # Errors
    /// As [`DeviceMemory::read`].
    ///
    /// # Safety
    /// Until the stream has done this, the memory is neither freed nor closed, and nobody uses `values`.
    #[doc(alias = "cuMemcpyDtoHAsync")]
    pub unsafe fn read_async<T: Pod>(&self, offset: usize, values: &mut [T], stream: &Stream) -> Result<(), Error> {
        let length = size_of_val(values);
        let pointer = self.at(offset, length)?;
        let driver = stream.context().enter()?;
        // SAFETY: so much memory is there to be read, and the caller keeps both until it is.
        let answer = unsafe { driver.cuMemcpyDtoHAsync(values.as_mut_ptr().cast(), pointer, length, stream.raw()) };
        check("cuMemcpyDtoHAsync", answer, || self.passed(offset, length))
    }

    /// `cuMemcpyHtoDAsync`: write values, in the order of a stream.
    ///
    /// Of memory of the host that the driver does not know (neither pinned nor registered) the driver first makes a
    /// copy of its own, for which it may wait.
    ///
    /// # Errors
    /// As [`DeviceMemory::read`].
    ///
    /// # Safety
    /// Until the stream has done this, the memory is neither freed nor closed, and nobody changes `values`.
    #[doc(alias = "cuMemcpyHtoDAsync")]
    pub unsafe fn write_async<T: Pod>(&self, offset: usize, values: &[T], stream: &Stream) -> Result<(), Error> {
        let length = size_of_val(values);
        let pointer = self.at(offset, length)?;
        let driver = stream.context().enter()?;
        // SAFETY: so much memory is there to be written, and the caller keeps both until it is.
        let answer = unsafe { driver.cuMemcpyHtoDAsync(pointer, values.as_ptr().cast(), length, stream.raw()) };
        check("cuMemcpyHtoDAsync", answer, || self.passed(offset, length))
    }

    /// `cuMemsetD8Async`: set every byte, in the order of a stream.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    ///
    /// # Safety
    /// The memory is neither freed nor closed before the stream has done this.
    #[doc(alias = "cuMemsetD8Async")]
    pub unsafe fn fill_async(&self, byte: u8, stream: &Stream) -> Result<(), Error> {
        let driver = stream.context().enter()?;
        // SAFETY: so much memory is there to be written, and the caller keeps it there until it is.
        let answer = unsafe { driver.cuMemsetD8Async(self.pointer, byte, self.size, stream.raw()) };
        check("cuMemsetD8Async", answer, || self.passed(0, self.size))
    }

    /// `cuMemcpyPeerAsync`: copy from other device memory, on this device or another, in the order of a stream.
    ///
    /// # Errors
    /// As [`DeviceMemory::read`], for either memory.
    ///
    /// # Safety
    /// Neither memory is freed or closed before the stream has done this.
    #[doc(alias = "cuMemcpyPeerAsync")]
    pub unsafe fn copy_from_async(
        &self,
        offset: usize,
        from: &Self,
        from_offset: usize,
        length: usize,
        stream: &Stream,
    ) -> Result<(), Error> {
        let (to_pointer, from_pointer) = (self.at(offset, length)?, from.at(from_offset, length)?);
        let driver = stream.context().enter()?;
        let (to, from_context) = (self.context.raw(), from.context.raw());
        // SAFETY: so much memory is there in both contexts, and the caller keeps it there until it is copied.
        let answer =
            unsafe { driver.cuMemcpyPeerAsync(to_pointer, to, from_pointer, from_context, length, stream.raw()) };
        check("cuMemcpyPeerAsync", answer, || self.copied(offset, from, from_offset, length))
    }

    /// `cuPointerGetAttribute` with `CU_POINTER_ATTRIBUTE_BUFFER_ID`: a number that no other allocation of this process
    /// has, nor has had. It tells new memory from old at the same address.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuPointerGetAttribute")]
    #[doc(alias = "CU_POINTER_ATTRIBUTE_BUFFER_ID")]
    pub fn buffer_id(&self) -> Result<u64, Error> {
        let driver = self.context.enter()?;
        let (mut id, attribute) = (0_u64, CUpointer_attribute::CU_POINTER_ATTRIBUTE_BUFFER_ID);
        // SAFETY: the output is a local of the attribute's type. The address is looked up and not followed.
        let answer = unsafe { driver.cuPointerGetAttribute((&raw mut id).cast(), attribute, self.pointer) };
        check("cuPointerGetAttribute", answer, || format!("BUFFER_ID of {:#x}", self.pointer))?;
        Ok(id)
    }

    /// The address of a part.
    pub(crate) fn at(&self, offset: usize, length: usize) -> Result<CUdeviceptr, Error> {
        match offset.checked_add(length) {
            Some(end) if end <= self.size => Ok(self.pointer + offset as CUdeviceptr),
            _ => Err(Error::OutOfBounds { offset, length, size: self.size }),
        }
    }

    /// The address of a number, which the device wants to be a multiple of the number's size.
    pub(crate) fn number_at(&self, offset: usize, size: usize) -> Result<CUdeviceptr, Error> {
        match self.at(offset, size)? {
            pointer if pointer.is_multiple_of(size as CUdeviceptr) => Ok(pointer),
            pointer => Err(Error::Misaligned { pointer, alignment: size }),
        }
    }

    pub(crate) fn passed(&self, offset: usize, length: usize) -> String {
        format!("{length} bytes at offset {offset} of the {} at {:#x}", self.size, self.pointer)
    }

    fn copied(&self, offset: usize, from: &Self, from_offset: usize, length: usize) -> String {
        format!("to {}, from offset {from_offset} of {:#x}", self.passed(offset, length), from.pointer)
    }
}

/// `cuMemGetAddressRange`: where the allocation begins that an address lies in, and its bytes.
///
/// A legacy handle names the whole allocation; what an importer has to be told beside it is how far into it the shared
/// part begins.
///
/// # Errors
/// [`Error::Refused`] where the driver knows no allocation there.
#[doc(alias = "cuMemGetAddressRange")]
pub fn allocation_of(context: &Context, pointer: CUdeviceptr) -> Result<(CUdeviceptr, usize), Error> {
    let driver = context.enter()?;
    let (mut base, mut size) = (0, 0);
    // SAFETY: the outputs are locals. The address is looked up and not followed.
    let answer = unsafe { driver.cuMemGetAddressRange(&mut base, &mut size, pointer) };
    check("cuMemGetAddressRange", answer, || format!("pointer {pointer:#x}"))?;
    Ok((base, size))
}

/// Wait for what a call of the default stream began. The driver returns from some while the device is still writing,
/// and nothing says that a mapping which is closed then stays until the device is done.
fn finish(driver: &Entered<'_>) -> Result<(), Error> {
    // SAFETY: the stream is the current context's own.
    check("cuStreamSynchronize", unsafe { driver.cuStreamSynchronize(default_stream()) }, String::new)
}
