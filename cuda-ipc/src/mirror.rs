//! A copy on the host of a range of device memory, written back when it is done with.

use std::ops::{Deref, DerefMut, Range};

use bytemuck::Pod;

use crate::drop_hook::report;
use crate::memory::DeviceMemory;
use crate::{Error, fork};

/// Values of device memory, copied to the host: a slice that [`Mirror::flush`] writes back, or dropping.
///
/// It is written back as a whole, and only where it was borrowed mutably: a mirror that was only read writes nothing.
/// Others may write the memory meanwhile; who writes last wins, and order comes from streams and events.
#[derive(Debug)]
pub struct Mirror<'memory, T: Pod> {
    memory: &'memory DeviceMemory,
    offset: usize,
    values: Vec<T>,
    is_changed: bool,
}

impl DeviceMemory {
    /// `cuMemcpyDtoH`: the values in a range of bytes, to be read, changed and written back.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] where the memory is too small, or the range holds no whole number of values;
    /// [`Error::Refused`] with what the driver answered.
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
    /// `cuMemcpyHtoD`: write back what was changed, and see the error. The mirror goes on; after an error it still
    /// counts as changed.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuMemcpyHtoD")]
    pub fn flush(&mut self) -> Result<(), Error> {
        if self.is_changed {
            self.memory.write(self.offset, &self.values)?;
            self.is_changed = false;
        }
        Ok(())
    }

    /// `cuMemcpyDtoH`: take the values that the memory has now, in place of all changes.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn refresh(&mut self) -> Result<(), Error> {
        self.memory.read(self.offset, &mut self.values)?;
        self.is_changed = false;
        Ok(())
    }

    /// Write nothing back: the values as they are here.
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
        // In a forked child the copy is its own, and the memory its parent's.
        if fork::is_child() {
            return;
        }
        if let Err(error) = self.flush() {
            report("Mirror", error);
        }
    }
}
