//! Device memory, and copies to and from it.
#![allow(unsafe_code)] // Calls the driver.

mod access;
mod buffer;
mod fill;
mod kind;
mod part;
pub(crate) mod range;
mod slice;

use bytemuck::{AnyBitPattern, NoUninit};

pub use buffer::DeviceBuffer;
pub use kind::MemoryKind;
pub(crate) use kind::type_of;
pub use part::Part;
pub use slice::DeviceSlice;

use crate::error::check;
use crate::stream::settle::settle;
use crate::sys::{CUdeviceptr, CUpointer_attribute};
use crate::{Context, Error, Stream};

/// Device memory, whoever owns it. Buffers, imports and mappings dereference to it.
///
/// Writing takes `&self`, because device memory is shared by nature: streams and other processes write to it too. A
/// read during a write returns some mixture of bytes. So a value that is read must be valid with any bytes
/// ([`AnyBitPattern`]), and a value that is written must have no padding ([`NoUninit`]). Numbers and arrays of
/// numbers implement both. [`DeviceSlice`] shows how to derive them for a structure. Use streams and events to order reads and writes.
///
/// Offsets and sizes are in bytes. A [`DeviceSlice`] is a typed view, whose ranges count values.
#[derive(Debug)]
pub struct DeviceMemory {
    context: Context,
    pointer: CUdeviceptr,
    size: usize,
    /// Whether the access of the context's device can be set, as that to mapped memory and to pools.
    access_varies: bool,
}

impl DeviceMemory {
    pub(crate) const fn new(context: Context, pointer: CUdeviceptr, size: usize) -> Self {
        Self { context, pointer, size, access_varies: false }
    }

    /// Returns memory to which the access of a device can be set, its own device included.
    pub(crate) const fn with_varying_access(context: Context, pointer: CUdeviceptr, size: usize) -> Self {
        Self { context, pointer, size, access_varies: true }
    }

    /// Returns a part as memory of its own. The caller ensures that the memory outlives it.
    pub(crate) fn sub(&self, offset: usize, length: usize) -> Result<Self, Error> {
        let pointer = self.at(offset, length)?;
        Ok(Self { context: self.context.clone(), pointer, size: length, access_varies: self.access_varies })
    }

    /// Returns the context in which copies of the memory run.
    #[must_use]
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the address of the first byte, for kernels and for other libraries. It is valid as long as this value
    /// exists.
    #[must_use]
    pub const fn pointer(&self) -> CUdeviceptr {
        self.pointer
    }

    /// Returns the size in bytes.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// `cuMemcpyDtoH`: reads values, from the byte at `offset` on. It waits for earlier work of the context in the
    /// default stream and in streams from [`Stream::new`], but not in streams from [`Stream::non_blocking`].
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] if the memory is too small; [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn read<T: AnyBitPattern>(&self, offset: usize, values: &mut [T]) -> Result<(), Error> {
        let length = size_of_val(values);
        let pointer = self.at(offset, length)?;
        let driver = self.context.enter()?;
        // SAFETY: `values` can be written and accept any bytes, and the device memory has that many bytes at `pointer`.
        let answer = unsafe { driver.cuMemcpyDtoH(values.as_mut_ptr().cast(), pointer, length) };
        check("cuMemcpyDtoH", answer, || self.passed(offset, length))
    }

    /// `cuMemcpyHtoD`: writes values, from the byte at `offset` on, and waits until they are there. From then on other
    /// processes see them. It waits for earlier work as [`DeviceMemory::read`] does.
    ///
    /// # Errors
    /// As [`DeviceMemory::read`].
    #[doc(alias = "cuMemcpyHtoD")]
    pub fn write<T: NoUninit>(&self, offset: usize, values: &[T]) -> Result<(), Error> {
        let length = size_of_val(values);
        let pointer = self.at(offset, length)?;
        let driver = self.context.enter()?;
        // SAFETY: `values` can be read and have no padding, and the device memory has that many bytes at `pointer`.
        let answer = unsafe { driver.cuMemcpyHtoD(pointer, values.as_ptr().cast(), length) };
        check("cuMemcpyHtoD", answer, || self.passed(offset, length))?;
        finish(&self.context)
    }

    /// `cuMemsetD8`: sets every byte of the memory, and waits as [`DeviceMemory::write`] does.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemsetD8")]
    pub fn fill(&self, byte: u8) -> Result<(), Error> {
        let driver = self.context.enter()?;
        // SAFETY: the device memory has `size` bytes.
        let answer = unsafe { driver.cuMemsetD8(self.pointer, byte, self.size) };
        check("cuMemsetD8", answer, || self.passed(0, self.size))?;
        finish(&self.context)
    }

    /// `cuMemcpyPeerAsync`, `cuStreamSynchronize`: copies `length` bytes from other device memory, on this device or
    /// another, and waits as [`DeviceMemory::write`] does. `offset` is the place in this memory, and `from_offset` the
    /// place in the other, both in bytes.
    ///
    /// If two mappings have the same physical memory at different addresses, a copy between them can overlap unnoticed.
    /// The result is then a mixture of the bytes.
    ///
    /// # Errors
    /// As [`DeviceMemory::read`], for either memory; [`Error::Overlap`] if the addresses overlap.
    pub fn copy_from(&self, offset: usize, from: &Self, from_offset: usize, length: usize) -> Result<(), Error> {
        let stream = Stream::default_of(&self.context);
        // SAFETY: both memories are valid until the copy is done, because `settle` waits for it.
        unsafe { self.copy_from_async(offset, from, from_offset, length, &stream)? };
        settle(&stream, true)
    }

    /// `cuMemcpyDtoHAsync`: reads values, in the order of a stream.
    ///
    /// It returns before the copy is done only if `values` is host memory that the driver knows (pinned or registered).
    /// For other memory, such as that of a `Vec`, it waits for the copy and for all earlier work of the stream. It also
    /// waits if this memory is host memory, such as that of [`SharedPages`](crate::host::SharedPages).
    ///
    /// # Errors
    /// As [`DeviceMemory::read`].
    ///
    /// # Safety
    /// Until the stream has completed the copy, even if this returns an error:
    /// - the device memory is neither freed nor closed;
    /// - the host memory that `values` refers to stays allocated, although the borrow ends when this returns, and nothing
    ///   else reads or writes it.
    #[doc(alias = "cuMemcpyDtoHAsync")]
    pub unsafe fn read_async<T: AnyBitPattern>(
        &self,
        offset: usize,
        values: &mut [T],
        stream: &Stream,
    ) -> Result<(), Error> {
        let length = size_of_val(values);
        let pointer = self.at(offset, length)?;
        let driver = stream.context().enter()?;
        // SAFETY: the device memory has that many bytes at `pointer`, and the caller keeps both sides valid until the
        // copy is done.
        let answer = unsafe { driver.cuMemcpyDtoHAsync(values.as_mut_ptr().cast(), pointer, length, stream.handle()) };
        check("cuMemcpyDtoHAsync", answer, || self.passed(offset, length))
    }

    /// `cuMemcpyHtoDAsync`: writes values, in the order of a stream.
    ///
    /// If `values` is host memory that the driver does not know (neither pinned nor registered), the driver first makes
    /// a copy of its own, for which it may wait. If this memory is host memory too, such as that of
    /// [`SharedPages`](crate::host::SharedPages), the call waits for the copy and for all earlier work of the stream.
    ///
    /// # Errors
    /// As [`DeviceMemory::read`].
    ///
    /// # Safety
    /// Until the stream has completed the copy, even if this returns an error:
    /// - the device memory is neither freed nor closed;
    /// - the host memory that `values` refers to stays allocated, although the borrow ends when this returns, and nothing
    ///   writes to it. Others may read it.
    #[doc(alias = "cuMemcpyHtoDAsync")]
    pub unsafe fn write_async<T: NoUninit>(&self, offset: usize, values: &[T], stream: &Stream) -> Result<(), Error> {
        let length = size_of_val(values);
        let pointer = self.at(offset, length)?;
        let driver = stream.context().enter()?;
        // SAFETY: the device memory has that many bytes at `pointer`, and the caller keeps both sides valid until the
        // copy is done.
        let answer = unsafe { driver.cuMemcpyHtoDAsync(pointer, values.as_ptr().cast(), length, stream.handle()) };
        check("cuMemcpyHtoDAsync", answer, || self.passed(offset, length))
    }

    /// `cuMemsetD8Async`: sets every byte, in the order of a stream.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    ///
    /// # Safety
    /// The memory must not be freed or closed before the stream has done this.
    #[doc(alias = "cuMemsetD8Async")]
    pub unsafe fn fill_async(&self, byte: u8, stream: &Stream) -> Result<(), Error> {
        let driver = stream.context().enter()?;
        // SAFETY: the device memory has `size` bytes, and the caller keeps it until they are set.
        let answer = unsafe { driver.cuMemsetD8Async(self.pointer, byte, self.size, stream.handle()) };
        check("cuMemsetD8Async", answer, || self.passed(0, self.size))
    }

    /// `cuMemcpyPeerAsync`: copies from other device memory, on this device or another, in the order of a stream.
    ///
    /// If both are host memory, such as that of [`SharedPages`](crate::host::SharedPages), the call waits for the copy
    /// and for all earlier work of the stream.
    ///
    /// # Errors
    /// As [`DeviceMemory::copy_from`].
    ///
    /// # Safety
    /// Neither memory may be freed or closed before the stream has done this.
    #[doc(alias = "cuMemcpyPeerAsync")]
    #[inline]
    pub unsafe fn copy_from_async(
        &self,
        offset: usize,
        from: &Self,
        from_offset: usize,
        length: usize,
        stream: &Stream,
    ) -> Result<(), Error> {
        let (to_pointer, from_pointer) = (self.at(offset, length)?, from.at(from_offset, length)?);
        // All memory that a process can address, of every device, has addresses of its own.
        if to_pointer.abs_diff(from_pointer) < length as CUdeviceptr {
            return Err(Error::Overlap { to: to_pointer, from: from_pointer, length });
        }
        let driver = stream.context().enter()?;
        let (to, from_context) = (self.context.raw(), from.context.raw());
        // SAFETY: both memories have that many bytes at their pointers, which do not overlap, and the caller keeps them
        // valid until the copy is done.
        let answer =
            unsafe { driver.cuMemcpyPeerAsync(to_pointer, to, from_pointer, from_context, length, stream.handle()) };
        check("cuMemcpyPeerAsync", answer, || self.copied(offset, from, from_offset, length))
    }

    /// `cuPointerGetAttribute` with `CU_POINTER_ATTRIBUTE_BUFFER_ID`: returns a number that no other allocation of this
    /// process has or has had. It distinguishes new memory from old memory at the same address.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuPointerGetAttribute")]
    #[doc(alias = "CU_POINTER_ATTRIBUTE_BUFFER_ID")]
    pub fn buffer_id(&self) -> Result<u64, Error> {
        let driver = self.context.enter()?;
        let (mut id, attribute) = (0_u64, CUpointer_attribute::CU_POINTER_ATTRIBUTE_BUFFER_ID);
        // SAFETY: the output is a local of the attribute's type. The address is looked up and not dereferenced.
        let answer = unsafe { driver.cuPointerGetAttribute((&raw mut id).cast(), attribute, self.pointer) };
        check("cuPointerGetAttribute", answer, || format!("BUFFER_ID of {:#x}", self.pointer))?;
        Ok(id)
    }

    /// Returns the address of a part, if the part is within the memory.
    #[inline]
    pub(crate) fn at(&self, offset: usize, length: usize) -> Result<CUdeviceptr, Error> {
        match offset.checked_add(length) {
            Some(end) if end <= self.size => Ok(self.pointer + offset as CUdeviceptr),
            _ => Err(Error::OutOfBounds { offset, length, size: self.size }),
        }
    }

    /// Returns the address of a number. The device requires it to be a multiple of the number's size.
    pub(crate) fn number_at(&self, offset: usize, size: usize) -> Result<CUdeviceptr, Error> {
        match self.at(offset, size)? {
            pointer if pointer.is_multiple_of(size as CUdeviceptr) => Ok(pointer),
            pointer => Err(Error::Misaligned { pointer, alignment: size }),
        }
    }

    pub(crate) fn passed(&self, offset: usize, length: usize) -> String {
        format!("{length} bytes at offset {offset} of {} bytes at {:#x}", self.size, self.pointer)
    }

    fn copied(&self, offset: usize, from: &Self, from_offset: usize, length: usize) -> String {
        format!("to {}, from offset {from_offset} of the memory at {:#x}", self.passed(offset, length), from.pointer)
    }
}

/// `cuMemGetAddressRange`: returns the first address and the size of the allocation that contains an address.
///
/// A legacy handle names the whole allocation. So an importer must also know the offset of the shared part in the
/// allocation.
///
/// # Errors
/// [`Error::Refused`] if the driver knows no allocation at that address.
#[doc(alias = "cuMemGetAddressRange")]
pub fn allocation_of(context: &Context, pointer: CUdeviceptr) -> Result<(CUdeviceptr, usize), Error> {
    let driver = context.enter()?;
    let (mut base, mut size) = (0, 0);
    // SAFETY: the outputs are locals. The address is looked up and not dereferenced.
    let answer = unsafe { driver.cuMemGetAddressRange(&mut base, &mut size, pointer) };
    check("cuMemGetAddressRange", answer, || format!("pointer {pointer:#x}"))?;
    Ok((base, size))
}

/// Waits for work that a call began in the default stream. Some calls return while the device is still writing, and
/// CUDA does not promise that a mapping closed at that time stays valid until the device is done.
fn finish(context: &Context) -> Result<(), Error> {
    settle(&Stream::default_of(context), true)
}
