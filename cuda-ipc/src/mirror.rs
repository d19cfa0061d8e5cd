//! A host copy of a range of device memory, which is written back at the end.

use std::ops::{Deref, DerefMut, Range};

use bytemuck::Pod;

use crate::drop_hook::report;
use crate::memory::DeviceMemory;
use crate::{Error, fork};

/// A slice with a host copy of values in device memory. [`Mirror::flush`] writes the slice back, and so does dropping.
///
/// It is written back as a whole, and only if it was borrowed mutably: a mirror that was only read writes nothing.
/// Others may write to the memory in the meantime. The last write wins; use streams and events to order the writes.
#[derive(Debug)]
pub struct Mirror<'memory, T: Pod> {
    memory: &'memory DeviceMemory,
    offset: usize,
    values: Vec<T>,
    is_changed: bool,
}

impl DeviceMemory {
    /// `cuMemcpyDtoH`: copies the values in a range of bytes to the host, where they can be read, changed and written
    /// back.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] if the memory is too small, or if the range does not hold a whole number of values;
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn mirror<T: Pod>(&self, range: Range<usize>) -> Result<Mirror<'_, T>, Error> {
        let (offset, length) = (range.start, range.end.saturating_sub(range.start));
        self.at(offset, length)?;
        let count = match size_of::<T>() {
            size if size > 0 && length.is_multiple_of(size) => length / size,
            _ => return Err(Error::OutOfBounds { offset, length, size: self.size() }),
        };
        let mut values = vec![T::zeroed(); count];
        self.read(offset, &mut values)?;
        Ok(Mirror { memory: self, offset, values, is_changed: false })
    }
}

impl<T: Pod> Mirror<'_, T> {
    /// `cuMemcpyHtoD`: writes back the values if they were changed, and returns the error.
    ///
    /// The mirror can still be used. After an error it still counts as changed.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemcpyHtoD")]
    pub fn flush(&mut self) -> Result<(), Error> {
        if self.is_changed {
            self.memory.write(self.offset, &self.values)?;
            self.is_changed = false;
        }
        Ok(())
    }

    /// `cuMemcpyDtoH`: replaces the values with those that the memory has now. All changes are lost.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn refresh(&mut self) -> Result<(), Error> {
        self.memory.read(self.offset, &mut self.values)?;
        self.is_changed = false;
        Ok(())
    }

    /// Returns the values of the mirror, and writes nothing back.
    #[must_use]
    pub fn into_values(mut self) -> Vec<T> {
        self.is_changed = false;
        std::mem::take(&mut self.values)
    }
}

impl<T: Pod> Deref for Mirror<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<T: Pod> DerefMut for Mirror<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.is_changed = true;
        &mut self.values
    }
}

impl<T: Pod> Drop for Mirror<'_, T> {
    fn drop(&mut self) {
        // A forked child has its own copy of the mirror, but the device memory is its parent's: write nothing.
        if fork::is_child() {
            return;
        }
        if let Err(error) = self.flush() {
            report("Mirror", error);
        }
    }
}
