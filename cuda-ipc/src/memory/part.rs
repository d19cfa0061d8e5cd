//! Parts of device memory.

use std::ops::{Deref, RangeBounds};

use crate::Error;
use crate::memory::range::resolve;
use crate::memory::{DeviceMemory, DeviceSlice};

/// A part of device memory, for code that should use no more than that. It borrows the memory. Offset 0 is the
/// beginning of the part.
#[derive(Debug)]
pub struct Part<'memory> {
    whole: &'memory DeviceMemory,
    memory: DeviceMemory,
}

impl DeviceMemory {
    /// Returns a part of the memory. The range counts bytes.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`]; [`Error::ReversedRange`].
    pub fn part(&self, range: impl RangeBounds<usize>) -> Result<Part<'_>, Error> {
        let (offset, length) = resolve(range, self.size())?;
        Ok(Part { whole: self, memory: self.sub(offset, length)? })
    }
}

impl<'memory> Part<'memory> {
    /// Returns a view of the values in a range, as [`DeviceMemory::slice`] does. The view borrows the whole memory and
    /// may outlive the part.
    ///
    /// # Errors
    /// As [`DeviceMemory::slice`].
    pub fn slice<T>(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'memory, T>, Error> {
        Ok(self.memory.slice(range)?.within(self.whole))
    }
}

impl Deref for Part<'_> {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        &self.memory
    }
}
