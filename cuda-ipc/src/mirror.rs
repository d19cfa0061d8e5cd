//! Host copies of values in device memory: a [`Mirror`] is written back at the end, and a [`Snapshot`] is not.
//!
//! Both keep their values in a `Vec`, or in any host memory that dereferences to a slice. Copies of a
//! [`PinnedBuffer`](crate::host::PinnedBuffer) are faster.

use std::ops::{Deref, DerefMut, RangeBounds};
use std::thread::panicking;

use bytemuck::allocation::try_zeroed_vec;
use bytemuck::{AnyBitPattern, NoUninit};
use rustix::io::Errno;

use crate::drop_hook::report;
use crate::memory::{DeviceMemory, DeviceSlice};
use crate::vmm::Access;
use crate::{Error, fork};

/// A host copy of values in device memory. [`Mirror::flush`] writes the values back, and so does dropping.
///
/// All values are written back, and only if they were borrowed mutably: a mirror that was only read writes nothing.
/// Others may write to the memory in the meantime. The last write wins; use streams and events to order the writes.
///
/// If a panic drops a mirror, the mirror writes nothing, because perhaps only some of its values were changed. A mirror
/// that is made after the panic has begun, in the `Drop` of another value, writes its values.
#[derive(Debug)]
pub struct Mirror<'memory, T: NoUninit, S: DerefMut<Target = [T]> = Vec<T>> {
    memory: DeviceSlice<'memory, T>,
    values: S,
    is_changed: bool,
    /// Whether the thread was unwinding when the mirror was made.
    was_panicking: bool,
}

/// A host copy of values in device memory that is never written back. It suits memory that this process may only read.
#[derive(Debug)]
pub struct Snapshot<'memory, T, S: DerefMut<Target = [T]> = Vec<T>> {
    memory: DeviceSlice<'memory, T>,
    values: S,
}

impl DeviceMemory {
    /// `cuMemcpyDtoH`: copies the values in a range to the host, where they can be read, changed and written back. The
    /// range counts values.
    ///
    /// # Errors
    /// As [`DeviceMemory::slice`] and [`DeviceSlice::mirror`].
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn mirror<T: AnyBitPattern + NoUninit>(&self, range: impl RangeBounds<usize>) -> Result<Mirror<'_, T>, Error> {
        self.slice(range)?.mirror()
    }

    /// `cuMemcpyDtoH`: copies the values in a range to the host, where they can be read. The range counts values.
    ///
    /// # Errors
    /// As [`DeviceMemory::slice`] and [`DeviceSlice::snapshot`].
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn snapshot<T: AnyBitPattern>(&self, range: impl RangeBounds<usize>) -> Result<Snapshot<'_, T>, Error> {
        self.slice(range)?.snapshot()
    }
}

/// Allocates host memory. The size may be another process's choice, so too large a size is an error.
fn zeroed<T: AnyBitPattern>(length: usize) -> Result<Vec<T>, Error> {
    try_zeroed_vec(length).map_err(|()| Error::system("malloc")(Errno::NOMEM))
}

impl<'memory, T: AnyBitPattern> DeviceSlice<'memory, T> {
    /// `cuMemcpyDtoH`: copies the values to the host, where they can be read, changed and written back.
    ///
    /// # Errors
    /// [`Error::NoAccess`] if the memory can only be read; [`Error::System`] if the host has too little memory, for
    /// example because an exporter chose a large size; [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn mirror(self) -> Result<Mirror<'memory, T>, Error>
    where
        T: NoUninit,
    {
        self.mirror_in(zeroed(self.len())?)
    }

    /// `cuMemcpyDtoH`: makes a mirror as [`mirror`](Self::mirror) does, in host memory of the caller. That memory must
    /// have the slice's length.
    ///
    /// # Errors
    /// As [`DeviceSlice::mirror`], and [`Error::Length`].
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn mirror_in<S: DerefMut<Target = [T]>>(self, mut memory: S) -> Result<Mirror<'memory, T, S>, Error>
    where
        T: NoUninit,
    {
        self.read(&mut memory)?;
        self.require_writable()?;
        Ok(Mirror { memory: self, values: memory, is_changed: false, was_panicking: panicking() })
    }

    /// `cuMemcpyDtoH`: copies the values to the host, where they can be read.
    ///
    /// # Errors
    /// [`Error::System`] if the host has too little memory; [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn snapshot(self) -> Result<Snapshot<'memory, T>, Error> {
        self.snapshot_in(zeroed(self.len())?)
    }

    /// `cuMemcpyDtoH`: makes a snapshot as [`snapshot`](Self::snapshot) does, in host memory of the caller. That memory
    /// must have the slice's length.
    ///
    /// # Errors
    /// As [`DeviceSlice::snapshot`], and [`Error::Length`].
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn snapshot_in<S: DerefMut<Target = [T]>>(self, mut memory: S) -> Result<Snapshot<'memory, T, S>, Error> {
        self.read(&mut memory)?;
        Ok(Snapshot { memory: self, values: memory })
    }
}

impl<'memory, T: NoUninit> DeviceSlice<'memory, T> {
    /// Makes a mirror that begins with values of the caller: nothing is read. The mirror counts as changed, so its
    /// values are written even if they are not borrowed mutably.
    ///
    /// # Errors
    /// [`Error::Length`] if the lengths differ; [`Error::NoAccess`] if the memory can only be read.
    pub fn mirror_with<S: DerefMut<Target = [T]>>(self, values: S) -> Result<Mirror<'memory, T, S>, Error> {
        self.require_writable()?;
        self.require_length(values.len())?;
        Ok(Mirror { memory: self, values, is_changed: true, was_panicking: panicking() })
    }

    /// Returns an error if writing back would fail for want of access.
    fn require_writable(self) -> Result<(), Error> {
        self.memory().require_access(self.memory().context(), Access::ReadWrite)
    }
}

impl<T: NoUninit, S: DerefMut<Target = [T]>> Mirror<'_, T, S> {
    /// `cuMemcpyHtoD`: writes back the values if they were changed, and returns the error.
    ///
    /// The mirror can still be used. After an error it still counts as changed.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemcpyHtoD")]
    pub fn flush(&mut self) -> Result<(), Error> {
        if self.is_changed {
            self.memory.write(&self.values)?;
            self.is_changed = false;
        }
        Ok(())
    }

    /// Forgets all changes: what was changed until now is not written back, unless it is changed again.
    pub fn discard(&mut self) {
        self.is_changed = false;
    }
}

impl<T: AnyBitPattern + NoUninit, S: DerefMut<Target = [T]>> Mirror<'_, T, S> {
    /// `cuMemcpyDtoH`: replaces the values with those that the memory has now. All changes are lost.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn refresh(&mut self) -> Result<(), Error> {
        self.memory.read(&mut self.values)?;
        self.is_changed = false;
        Ok(())
    }
}

impl<T: NoUninit> Mirror<'_, T> {
    /// Returns the values of the mirror, and writes nothing back.
    #[must_use]
    pub fn into_values(mut self) -> Vec<T> {
        self.discard();
        std::mem::take(&mut self.values)
    }
}

impl<T: NoUninit, S: DerefMut<Target = [T]>> Deref for Mirror<'_, T, S> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<T: NoUninit, S: DerefMut<Target = [T]>> DerefMut for Mirror<'_, T, S> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.is_changed = true;
        &mut self.values
    }
}

impl<T: NoUninit, S: DerefMut<Target = [T]>> Drop for Mirror<'_, T, S> {
    fn drop(&mut self) {
        // A forked child has its own copy of the mirror, but the device memory is its parent's. Other processes see the
        // memory, so a change that a panic interrupted is not written either.
        if fork::is_child() || panicking() && !self.was_panicking {
            return;
        }
        if let Err(error) = self.flush() {
            report("Mirror", error);
        }
    }
}

impl<T: AnyBitPattern, S: DerefMut<Target = [T]>> Snapshot<'_, T, S> {
    /// `cuMemcpyDtoH`: replaces the values with those that the memory has now.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn refresh(&mut self) -> Result<(), Error> {
        self.memory.read(&mut self.values)
    }
}

impl<T, S: DerefMut<Target = [T]>> Snapshot<'_, T, S> {
    /// Returns the host memory with the values.
    #[must_use]
    pub fn into_values(self) -> S {
        self.values
    }
}

impl<T, S: DerefMut<Target = [T]>> Deref for Snapshot<'_, T, S> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An exporter chooses the size of its memory, and must not be able to end an importer by that.
    #[test]
    fn host_memory_that_cannot_be_had_is_an_error() {
        let error = zeroed::<u64>(isize::MAX as usize / size_of::<u64>()).unwrap_err();
        assert!(matches!(error, Error::System(_)), "{error}");
        assert!(error.hint().is_some_and(|hint| hint.contains("RLIMIT_AS")), "{error}");
    }
}
