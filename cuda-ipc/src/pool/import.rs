//! Pools imported from other processes.
#![allow(unsafe_code)] // Calls the driver, and opens handles of other processes.

use std::ops::Deref;
use std::os::fd::BorrowedFd;
use std::ptr;
use std::sync::Arc;

use crate::error::check;
use crate::known::Known;
use crate::memory::{DeviceMemory, allocation_of};
use crate::os_handle::OsHandle;
use crate::pool::imports::Imports;
use crate::pool::{Handle, Origin, PoolPointerData};
use crate::resource::{Owned, Raw, Resource};
use crate::sys::{CUdeviceptr, CUmemAllocationHandleType, CUmemFabricHandle, CUmemPoolPtrExportData};
use crate::vmm::{Access, FabricHandle};
use crate::{Context, Device, Error, ExporterIdentity};

/// A pool of another process. Its pointers can be opened here, but nothing can be allocated from it. Clones refer to
/// the same pool.
///
/// A pointer must not be imported twice: the driver returns the same address for both imports, and the first free
/// unmaps both. So a second open of a pointer shares the first import.
#[derive(Clone, Debug)]
pub struct ImportedPool(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    pool: Owned<Handle>,
    imports: Imports<[u8; 64], Owned<Import>>,
}

/// An exporter, and the exporter's number for a pool.
type Name = (ExporterIdentity, u64);

impl ImportedPool {
    /// Returns the pool of this name if it is open already, and otherwise imports it. Two imports of a pool would allow
    /// two imports of one pointer.
    pub(crate) fn known(name: Name, import: impl FnOnce() -> Result<Self, Error>) -> Result<Self, Error> {
        static OPEN: Known<Name, Shared> = Known::new();
        OPEN.get_or_make(name, || import().map(|pool| pool.0)).map(Self)
    }

    /// `cuMemPoolImportFromShareableHandle`: imports a pool from a file descriptor that another process exported. The
    /// descriptor is not needed afterwards.
    ///
    /// `device` is the device that the pool's memory is on, as this process sees it. That device can use the memory at
    /// once, others after [`ImportedPool::set_access`].
    ///
    /// This is safe for any descriptor: the kernel knows what it refers to.
    ///
    /// # Errors
    /// [`Error::Refused`] if the descriptor is not a pool's.
    #[doc(alias = "cuMemPoolImportFromShareableHandle")]
    pub fn import(device: Device, descriptor: BorrowedFd<'_>) -> Result<Self, Error> {
        let handle = OsHandle::new(descriptor)?;
        let handle_type = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        // SAFETY: for this type of handle the pointer is not dereferenced; the descriptor is open.
        unsafe { Self::import_as(device, handle.pointer(), handle_type) }
    }

    /// `cuMemPoolImportFromShareableHandle`: imports a pool from a fabric handle.
    ///
    /// # Errors
    /// [`Error::Refused`] if the fabric does not reach the pool: [`fabric::probe`](crate::fabric::probe) says why.
    ///
    /// # Safety
    /// The bytes are those that the driver gave the exporting process, unaltered: it is not known what a driver does
    /// with other bytes.
    #[doc(alias = "cuMemPoolImportFromShareableHandle")]
    pub unsafe fn import_fabric(device: Device, handle: &FabricHandle) -> Result<Self, Error> {
        let mut handle = CUmemFabricHandle { data: handle.to_bytes() };
        let handle_type = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC;
        // SAFETY: for this type of handle the pointer leads to its bytes, which the caller vouches for.
        unsafe { Self::import_as(device, (&raw mut handle).cast(), handle_type) }
    }

    /// # Safety
    /// `os_handle` is a handle of type `handle_type`.
    unsafe fn import_as(
        device: Device,
        os_handle: *mut std::ffi::c_void,
        handle_type: CUmemAllocationHandleType,
    ) -> Result<Self, Error> {
        let (driver, mut raw) = (device.driver().calls()?, ptr::null_mut());
        // SAFETY: the output is a local; the caller promises the handle.
        let answer = unsafe { driver.cuMemPoolImportFromShareableHandle(&mut raw, os_handle, handle_type, 0) };
        check("cuMemPoolImportFromShareableHandle", answer, || format!("handle type {:#x}", handle_type.0))?;
        let pool = Owned::new(Handle { device, raw: Raw(raw), origin: Origin::Imported });
        Ok(Self(Arc::new(Shared { pool, imports: Imports::new() })))
    }

    /// `cuMemPoolSetAccess`: sets a device's access to the pool's memory, in this process.
    ///
    /// # Errors
    /// [`Error::Refused`] if the devices are not peers, or if `device` is the pool's own.
    #[doc(alias = "cuMemPoolSetAccess")]
    pub fn set_access(&self, device: Device, access: Access) -> Result<(), Error> {
        self.0.pool.set_access(device, access)
    }

    /// `cuMemPoolGetAccess`: returns a device's access to the pool's memory, in this process.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemPoolGetAccess")]
    pub fn access(&self, device: Device) -> Result<Access, Error> {
        self.0.pool.access(device)
    }

    /// `cuMemPoolImportPointer`: maps memory of the pool, or shares the import if the pointer is open already. Copies
    /// run in this context, or in the context in which the pointer was opened first.
    ///
    /// The memory extends from the pointer to the end of the range that `cuMemGetAddressRange` returns.
    ///
    /// # Errors
    /// [`Error::Refused`] if the bytes do not name memory of this pool; [`Error::NoAccess`] if the context's device has no
    /// access to the pool.
    ///
    /// # Safety
    /// The caller promises that
    /// - `pointer` is what `cuMemPoolExportPointer` returned in another process, with no bit changed, for memory no
    ///   larger than [`LARGEST_EXPORT`](crate::pool::LARGEST_EXPORT);
    /// - nothing else in this process has this memory open, or opens it before the last clone of the returned value is
    ///   closed or dropped: no other import of the same pool (another [`ImportedPool`], or a parcel), no other library and
    ///   no raw call. The driver returns one address for all imports, and the first close of any of them unmaps it;
    /// - the exporting process has seen the allocation complete in its stream, and does not free the memory before the
    ///   returned value is closed or dropped;
    /// - work that was given [`DeviceMemory::pointer`] is complete before the last clone is closed or dropped.
    #[doc(alias = "cuMemPoolImportPointer")]
    pub unsafe fn open(&self, context: &Context, pointer: &PoolPointerData) -> Result<ImportedPoolBuffer, Error> {
        let key = pointer.to_bytes();
        // First of all: a forked child frees nothing, so it could wait below for ever.
        let driver = context.enter()?;
        let mut has_size = Ok(());
        let import = self.0.imports.get_or_import::<Error>(key, || {
            let (mut pointer, mut data) = (0, CUmemPoolPtrExportData::from_bytes(key));
            // SAFETY: the output and the data are locals, the pool is live; the caller promises the bytes.
            let answer = unsafe { driver.cuMemPoolImportPointer(&mut pointer, self.0.pool.raw.0, &mut data) };
            check("cuMemPoolImportPointer", answer, String::new)?;
            // The memory begins at the pointer, which may lie inside its allocation.
            let size = allocation_of(context, pointer).map_err(|error| self.without_access(context, pointer, error));
            let size = size.map(|(base, size)| size.saturating_sub(pointer.abs_diff(base) as usize));
            let memory = DeviceMemory::with_varying_access(context.clone(), pointer, *size.as_ref().unwrap_or(&0));
            has_size = size.map(drop);
            Ok(Owned::new(Import { memory, key, pool: self.clone() }))
        })?;
        // If the size is unknown, `import` is dropped here, outside the lock that its drop takes.
        has_size.map(|()| ImportedPoolBuffer(import))
    }

    /// Returns the error for memory whose range the driver does not know: it knows none in a context of a device without
    /// access to the pool.
    fn without_access(&self, context: &Context, pointer: CUdeviceptr, error: Error) -> Error {
        let (device, wanted) = (context.device(), Access::ReadWrite);
        match self.access(device) {
            Ok(found) if found != wanted => Error::NoAccess { device: device.raw(), pointer, found, wanted },
            _ => error,
        }
    }

    /// `cuMemPoolDestroy`: closes the pool as dropping does, and returns the error.
    ///
    /// While clones of the pool or memory opened in it exist, this does nothing: the last of them closes the pool.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemPoolDestroy")]
    pub fn close(self) -> Result<(), Error> {
        Arc::into_inner(self.0).map_or(Ok(()), |shared| shared.pool.close())
    }
}

/// Memory of another process's pool, mapped in this process. Clones refer to the same mapping.
#[derive(Clone, Debug)]
pub struct ImportedPoolBuffer(Arc<Owned<Import>>);

#[derive(Debug)]
struct Import {
    memory: DeviceMemory,
    key: [u8; 64],
    pool: ImportedPool,
}

impl Resource for Import {
    const NAME: &'static str = "ImportedPoolBuffer";

    unsafe fn give_back(&self) -> Result<(), Error> {
        self.pool.0.imports.give_back(&self.key, || {
            let driver = self.memory.context().enter()?;
            let pointer = self.memory.pointer();
            // SAFETY: the address comes from `cuMemPoolImportPointer` and is not used again. The caller of `open` promised
            // that this process has no other import there, which this would unmap too.
            check("cuMemFree", unsafe { driver.cuMemFree(pointer) }, || format!("import {pointer:#x}"))
        })
    }
}

impl ImportedPoolBuffer {
    /// `cuMemFree`: closes the memory as dropping does, and returns the error. The exporter's memory is not freed.
    ///
    /// While clones exist, this does nothing: the last one closes the memory.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemFree")]
    pub fn close(self) -> Result<(), Error> {
        Arc::into_inner(self.0).map_or(Ok(()), Owned::close)
    }
}

impl Deref for ImportedPoolBuffer {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        &self.0.memory
    }
}
