//! Typed views of device memory.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use bytemuck::{AnyBitPattern, NoUninit};

use crate::Error;
use crate::memory::DeviceMemory;
use crate::memory::range::resolve;
use crate::sys::CUdeviceptr;

/// Values in device memory: what `&[T]` is for host memory. Ranges and lengths count values.
///
/// A slice borrows the memory, can be copied, and never gives out a reference: the device and other processes may write
/// to the memory at any time. Values are copied to the host if any bytes are a valid value ([`AnyBitPattern`]), and from
/// the host if they have no padding ([`NoUninit`]). A structure of your own has both with `repr(C)`, `Clone`, `Copy` and
/// the derives `Pod` and `Zeroable` of the crate [`bytemuck`] (feature `derive`).
///
/// ```no_run
/// # fn of(context: &cuda_ipc::Context) -> Result<(), cuda_ipc::Error> {
/// let buffer = cuda_ipc::DeviceBuffer::new(context, 4096)?;
/// let (header, rows) = (buffer.part(..64)?, buffer.part(64..)?);
/// let rows = rows.slice::<[f32; 4]>(..)?;
/// assert_eq!(rows.len(), 252);
/// rows.part(..2)?.write(&[[1.0; 4], [2.0; 4]])?;
/// # Ok(())
/// # }
/// ```
pub struct DeviceSlice<'memory, T> {
    memory: &'memory DeviceMemory,
    /// The offset of the first value in the memory, in bytes.
    offset: usize,
    length: usize,
    /// The slice gives out values and no references, so it can cross threads whatever `T` is.
    values: PhantomData<fn() -> T>,
}

impl DeviceMemory {
    /// Returns a view of the values in a range. The range counts values from the beginning of the memory. An open end
    /// stands for the last whole value.
    ///
    /// For values that begin elsewhere, take a [`part`](DeviceMemory::part) first. Values of 0 bytes do not compile.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`]; [`Error::ReversedRange`]; [`Error::Misaligned`] if the first value is not at a multiple
    /// of its alignment.
    pub fn slice<T>(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, T>, Error> {
        const { assert!(size_of::<T>() > 0, "values of 0 bytes have no place in memory") };
        let whole = DeviceSlice { memory: self, offset: 0, length: self.size() / size_of::<T>(), values: PhantomData };
        let slice = whole.part(range)?;
        match slice.pointer() {
            pointer if pointer.is_multiple_of(align_of::<T>() as CUdeviceptr) => Ok(slice),
            pointer => Err(Error::Misaligned { pointer, alignment: align_of::<T>() }),
        }
    }
}

impl<'memory, T> DeviceSlice<'memory, T> {
    /// Returns the memory that the slice is a view of.
    #[must_use]
    pub const fn memory(self) -> &'memory DeviceMemory {
        self.memory
    }

    /// Returns the address of the first value. It is valid as long as the memory exists.
    #[must_use]
    pub const fn pointer(self) -> CUdeviceptr {
        self.memory.pointer() + self.offset as CUdeviceptr
    }

    /// Returns the number of values.
    #[must_use]
    pub const fn len(self) -> usize {
        self.length
    }

    /// Returns whether the slice has no values.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.length == 0
    }

    /// Returns the same values as a view of memory that contains the slice's memory.
    pub(super) fn within(self, whole: &DeviceMemory) -> DeviceSlice<'_, T> {
        let offset = (self.pointer() - whole.pointer()) as usize;
        DeviceSlice { memory: whole, offset, length: self.length, values: PhantomData }
    }

    /// Returns the offset of the first value in the memory, in bytes.
    pub(crate) const fn offset(self) -> usize {
        self.offset
    }

    /// Returns the size in bytes.
    pub(crate) const fn size(self) -> usize {
        self.length * size_of::<T>()
    }

    /// Returns a view of some of the values. The range counts values.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`], in bytes; [`Error::ReversedRange`].
    pub fn part(self, range: impl RangeBounds<usize>) -> Result<Self, Error> {
        let (start, length) = resolve(range, self.length)?;
        match start.checked_add(length) {
            Some(end) if end <= self.length => {
                Ok(Self { offset: self.offset + start * size_of::<T>(), length, ..self })
            }
            _ => Err(self.out_of_bounds(start, length)),
        }
    }

    const fn out_of_bounds(self, start: usize, length: usize) -> Error {
        let size = size_of::<T>();
        Error::OutOfBounds {
            offset: start.saturating_mul(size),
            length: length.saturating_mul(size),
            size: self.size(),
        }
    }

    /// Returns a view of one value, such as a counter that streams write and wait for.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`], in bytes.
    pub fn value(self, index: usize) -> Result<Self, Error> {
        // The range `usize::MAX..=usize::MAX` has no end that is a number, and so no length.
        if index < self.length { self.part(index..=index) } else { Err(self.out_of_bounds(index, 1)) }
    }

    /// Returns views of the values before an index and of the others.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`], in bytes.
    pub fn split_at(self, index: usize) -> Result<(Self, Self), Error> {
        Ok((self.part(..index)?, self.part(index..)?))
    }

    /// Returns an error unless the slice has this length.
    pub(crate) fn require_length(self, expected: usize) -> Result<(), Error> {
        if self.length == expected { Ok(()) } else { Err(Error::Length { found: self.length, expected }) }
    }
}

impl<T: AnyBitPattern> DeviceSlice<'_, T> {
    /// `cuMemcpyDtoH`: reads the values, as [`DeviceMemory::read`] does.
    ///
    /// # Errors
    /// [`Error::Length`] if the lengths differ; [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn read(self, values: &mut [T]) -> Result<(), Error> {
        self.require_length(values.len())?;
        self.memory.read(self.offset, values)
    }
}

impl<T: NoUninit> DeviceSlice<'_, T> {
    /// `cuMemcpyHtoD`: writes the values, and waits as [`DeviceMemory::write`] does.
    ///
    /// # Errors
    /// As [`DeviceSlice::read`].
    #[doc(alias = "cuMemcpyHtoD")]
    pub fn write(self, values: &[T]) -> Result<(), Error> {
        self.require_length(values.len())?;
        self.memory.write(self.offset, values)
    }
}

// Derived, these would require the same of `T`.
impl<T> Clone for DeviceSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DeviceSlice<'_, T> {}

impl<T> fmt::Debug for DeviceSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { length, .. } = self;
        write!(f, "DeviceSlice({length} × {} at {:#x})", std::any::type_name::<T>(), self.pointer())
    }
}
