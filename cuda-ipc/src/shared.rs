//! Shared buffers: a size and a context are enough to share memory, without `unsafe`.

use std::ops::{Deref, RangeBounds};

use crate::memory::DeviceMemory;
use crate::memory::range::resolve;
use crate::parcel::Parcel;
use crate::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use crate::{Context, Error};

/// Device memory that other processes of this machine can map: virtual memory that is shared by descriptors.
///
/// The importer maps it with [`Parcel::map`], which needs no promise. The kernel keeps the physical memory as long as a
/// process has it mapped or holds a descriptor of it. So either side may end first, also by SIGKILL.
///
/// ```no_run
/// use cuda_ipc::transport::Connection;
/// use cuda_ipc::{Context, Error, Parcel, SharedBuffer};
///
/// fn export(context: &Context, importer: &Connection) -> Result<(), Error> {
///     let buffer = SharedBuffer::new(context, 4096)?;
///     buffer.write(0, &[1.0_f32, 2.0, 3.0])?;
///     buffer.share()?.send(importer)
/// }
///
/// fn import(exporter: &Connection) -> Result<[f32; 3], Error> {
///     let parcel = Parcel::receive(exporter)?;
///     let memory = parcel.map(&parcel.context()?)?;
///     let mut values = [0.0; 3];
///     memory.read(0, &mut values)?;
///     Ok(values)
/// }
/// ```
///
/// Memory is mapped in whole multiples of [`granularity`], which is 2 MiB on most devices. The importer's view ends
/// where the buffer ends, but a hostile importer can map the rest up to the next multiple too. It belongs to this buffer
/// and holds nothing else.
#[derive(Debug)]
pub struct SharedBuffer {
    /// The first bytes of the mapping, as many as were asked for.
    memory: DeviceMemory,
    mapping: Mapping,
}

impl SharedBuffer {
    /// `cuMemCreate`, `cuMemAddressReserve`, `cuMemMap`, `cuMemSetAccess`: allocates memory on the context's device,
    /// which can read and write it. The contents are unspecified until they are written.
    ///
    /// `size` is in bytes and may be any number except 0. The allocation is rounded up to a multiple of the granularity.
    ///
    /// # Errors
    /// [`Error::Refused`] with `INVALID_VALUE` if the size is 0, with `OUT_OF_MEMORY` if the device has less free
    /// memory, and with `NOT_SUPPORTED` or `NOT_PERMITTED` if the device has no virtual memory or no descriptors of it.
    #[doc(alias = "cuMemCreate")]
    #[doc(alias = "cuMemAddressReserve")]
    #[doc(alias = "cuMemMap")]
    #[doc(alias = "cuMemSetAccess")]
    pub fn new(context: &Context, size: usize) -> Result<Self, Error> {
        let types = HandleTypes::POSIX_FILE_DESCRIPTOR;
        let unit = granularity(context.device(), types)?;
        // A size above the last multiple is passed on as it is, and the driver refuses it.
        let whole = size.checked_next_multiple_of(unit).unwrap_or(size);
        let allocation = Allocation::new(context.device(), whole, types)?;
        let mapping = Mapping::new(context, &[&allocation], Access::ReadWrite)?;
        let memory = mapping.sub(0, size)?;
        Ok(Self { memory, mapping })
    }

    /// `cuMemExportToShareableHandle`: makes a parcel with which other processes map the buffer for reading and
    /// writing. The same parcel can be sent to several processes.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemExportToShareableHandle")]
    pub fn share(&self) -> Result<Parcel, Error> {
        self.mapping.share(..self.memory.size(), Access::ReadWrite)
    }

    /// `cuMemExportToShareableHandle`: makes a parcel with which other processes map the buffer for reading only.
    ///
    /// This is a request that importers with this crate obey. Nothing stops a hostile one from mapping the descriptor
    /// for writing.
    ///
    /// # Errors
    /// As [`SharedBuffer::share`].
    #[doc(alias = "cuMemExportToShareableHandle")]
    pub fn share_for_reading(&self) -> Result<Parcel, Error> {
        self.mapping.share(..self.memory.size(), Access::Read)
    }

    /// `cuMemExportToShareableHandle`: makes a parcel with which other processes map a part of the buffer, with the given
    /// access. The range is in bytes.
    ///
    /// Neither the range nor [`Access::Read`] protects the memory: a hostile importer can map the whole buffer for
    /// writing.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] if the range goes beyond the buffer; [`Error::ReversedRange`]; as [`SharedBuffer::share`].
    #[doc(alias = "cuMemExportToShareableHandle")]
    pub fn share_part(&self, range: impl RangeBounds<usize>, access: Access) -> Result<Parcel, Error> {
        let (offset, length) = resolve(range, self.memory.size())?;
        // The mapping is longer than the buffer.
        let part = self.memory.sub(offset, length)?;
        self.mapping.share(offset..offset + part.size(), access)
    }

    /// Returns the mapping, to set another device's access or to share it in other ways. It is as long as the
    /// allocation, which may be longer than the buffer.
    #[must_use]
    pub const fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// `cuMemUnmap`: gives the buffer up as dropping does, and returns the error. Importers keep the memory.
    ///
    /// Work that was given [`DeviceMemory::pointer`] must be complete.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemUnmap")]
    pub fn free(self) -> Result<(), Error> {
        self.mapping.unmap()
    }
}

impl Deref for SharedBuffer {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        &self.memory
    }
}
