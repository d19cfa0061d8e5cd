//! Host memory that the driver allocates for fast copies.
#![allow(unsafe_code)] // Calls the driver, and refers to its memory.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::{ptr, slice};

use bytemuck::Zeroable;

use crate::error::check;
use crate::resource::{Owned, Raw, Resource};
use crate::sys::{CU_MEMHOSTALLOC_PORTABLE, CUdeviceptr};
use crate::{Context, Error, fork};

/// Values in page-locked host memory. It is like a `Box<[T]>`, but copies between it and a device run while the program
/// goes on.
///
/// It dereferences to a slice, so every function of this crate that takes a slice can use it:
/// [`DeviceMemory::read`](crate::DeviceMemory::read), copies in scopes, mirrors and others. The driver copies other
/// host memory through memory of its own, and some calls wait for that. The memory is pinned for every context of this
/// process.
///
/// Do not pass the slice to copies of cudarc such as `memcpy_dtoh`: with pinned memory they return before the copy is
/// done, and the slice changes while it is borrowed.
///
/// In a forked child the slice is empty, because the driver may keep the memory from the child.
pub struct PinnedBuffer<T: Copy> {
    /// Nothing if there are no bytes.
    memory: Option<Owned<Pinned>>,
    length: usize,
    values: PhantomData<T>,
}

#[derive(Debug)]
struct Pinned {
    context: Context,
    address: Raw<c_void>,
}

impl Resource for Pinned {
    const NAME: &'static str = "PinnedBuffer";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let driver = self.context.enter()?;
        // SAFETY: the memory comes from `cuMemHostAlloc`, and is not used again.
        check("cuMemFreeHost", unsafe { driver.cuMemFreeHost(self.address.0) }, || format!("{:p}", self.address.0))
    }
}

impl<T: Copy> PinnedBuffer<T> {
    /// `cuMemHostAlloc`: allocates `length` values whose bytes are 0. This is slow, so keep the buffer.
    ///
    /// # Errors
    /// [`Error::Refused`] with `OUT_OF_MEMORY` if so much memory cannot be locked in RAM; [`Error::Misaligned`] if values
    /// of this type need an alignment that the driver does not give. CUDA promises none; small buffers of an H200 were at
    /// multiples of 512 bytes.
    #[doc(alias = "cuMemHostAlloc")]
    #[doc(alias = "cuMemAllocHost")]
    pub fn new(context: &Context, length: usize) -> Result<Self, Error>
    where
        T: Zeroable,
    {
        Self::allocate(context, length, |_| ())
    }

    /// `cuMemHostAlloc`: allocates a copy of values.
    ///
    /// # Errors
    /// As [`PinnedBuffer::new`].
    #[doc(alias = "cuMemHostAlloc")]
    pub fn copy_of(context: &Context, values: &[T]) -> Result<Self, Error> {
        // SAFETY: the new memory has that many aligned values, and is not part of the others.
        Self::allocate(context, values.len(), |memory| unsafe {
            ptr::copy_nonoverlapping(values.as_ptr(), memory, values.len());
        })
    }

    /// Allocates zeroed memory and initializes it. Its bytes may be no valid values before that.
    fn allocate(context: &Context, length: usize, initialize: impl FnOnce(*mut T)) -> Result<Self, Error> {
        let driver = context.enter()?;
        // A size above `usize::MAX` is passed on as that, and the driver refuses it.
        let size = length.saturating_mul(size_of::<T>());
        if size == 0 {
            return Ok(Self { memory: None, length, values: PhantomData });
        }
        let mut address = ptr::null_mut();
        // SAFETY: the output is a local.
        let answer = unsafe { driver.cuMemHostAlloc(&mut address, size, CU_MEMHOSTALLOC_PORTABLE) };
        check("cuMemHostAlloc", answer, || format!("{size} bytes, PORTABLE"))?;
        let memory = Owned::new(Pinned { context: context.clone(), address: Raw(address) });
        let values = address.cast::<T>();
        if !values.is_aligned() {
            return Err(Error::Misaligned { pointer: address.addr() as CUdeviceptr, alignment: align_of::<T>() });
        }
        // SAFETY: the memory has `size` bytes and is new. CUDA does not promise what it contains.
        unsafe { ptr::write_bytes(address.cast::<u8>(), 0, size) };
        initialize(values);
        Ok(Self { memory: Some(memory), length, values: PhantomData })
    }

    /// Returns the first value and the number of values. A forked child has none.
    fn raw(&self) -> (*mut T, usize) {
        match &self.memory {
            Some(_) if fork::is_child() => (ptr::dangling_mut(), 0),
            Some(memory) => (memory.address.0.cast(), self.length),
            None => (ptr::dangling_mut(), self.length),
        }
    }

    /// `cuMemFreeHost`: frees the memory as dropping does, and returns the error.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code, which may be the error of work that was enqueued earlier.
    #[doc(alias = "cuMemFreeHost")]
    pub fn free(self) -> Result<(), Error> {
        self.memory.map_or(Ok(()), Owned::close)
    }
}

// Relies on: other libraries that take slices.
impl<T: Copy> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let (values, length) = self.raw();
        // SAFETY: the memory has that many initialized values, lives as long as this value, and is borrowed with it.
        unsafe { slice::from_raw_parts(values, length) }
    }
}

impl<T: Copy> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let (values, length) = self.raw();
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { slice::from_raw_parts_mut(values, length) }
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PinnedBuffer").field(&&**self).finish()
    }
}
