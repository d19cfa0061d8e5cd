//! Pools of other processes.
#![allow(unsafe_code)] // Calls the driver, and opens what other processes made.

use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::ptr;
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};

use crate::error::check;
use crate::memory::{DeviceMemory, allocation_of};
use crate::pool::{Handle, PoolPointerData};
use crate::resource::{Owned, Raw, Resource};
use crate::sys::{CUmemAllocationHandleType, CUmemFabricHandle, CUmemPoolPtrExportData};
use crate::vmm::{Access, FabricHandle};
use crate::{Context, Device, Error, ProcessIdentity};

/// A pool of another process: pointers of it are opened here, nothing is allocated. Clones are the same pool.
///
/// The driver must not import a pointer twice: it gives one address for both, and the first free unmaps it. So a
/// pointer that is open already is shared.
#[derive(Clone, Debug)]
pub struct ImportedPool(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    pool: Owned<Handle>,
    /// What is open, or being given back.
    open: Mutex<HashMap<[u8; 64], Weak<Owned<Import>>>>,
    /// Something was given back.
    given_back: Condvar,
}

/// An exporter, and its number of a pool.
type Name = (ProcessIdentity, u64);

impl ImportedPool {
    /// The pool of that name that is open already, or what `import` makes of it: imported twice, its pointers would be.
    pub(crate) fn known(name: Name, import: impl FnOnce() -> Result<Self, Error>) -> Result<Self, Error> {
        static OPEN: Mutex<BTreeMap<Name, Weak<Shared>>> = Mutex::new(BTreeMap::new());
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = open.get(&name).and_then(Weak::upgrade) {
            return Ok(Self(pool));
        }
        let pool = import()?;
        open.retain(|_, pool| pool.strong_count() > 0);
        open.insert(name, Arc::downgrade(&pool.0));
        Ok(pool)
    }

    /// `cuMemPoolImportFromShareableHandle`: the pool behind a file descriptor that another process exported. The
    /// descriptor is no longer needed afterwards.
    ///
    /// `device` is where the pool's memory is, as this process sees it. That device may use the memory at once, others
    /// after [`ImportedPool::set_access`].
    ///
    /// This is safe whatever the descriptor is: the kernel knows what stands behind it.
    ///
    /// # Errors
    /// [`Error::Refused`] where the descriptor is of something else.
    #[doc(alias = "cuMemPoolImportFromShareableHandle")]
    pub fn import(device: Device, descriptor: BorrowedFd<'_>) -> Result<Self, Error> {
        // The number itself, as an address.
        let os_handle = ptr::without_provenance_mut(descriptor.as_raw_fd() as usize);
        let handle_type = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        // SAFETY: for this type of handle the pointer is not followed; the descriptor is open.
        unsafe { Self::import_as(device, os_handle, handle_type) }
    }

    /// `cuMemPoolImportFromShareableHandle`: the pool behind a fabric handle.
    ///
    /// # Errors
    /// [`Error::Refused`] where the fabric does not reach it: [`fabric::probe`](crate::fabric::probe) says why.
    ///
    /// # Safety
    /// The bytes are what the exporting process got from the driver, unaltered: nothing is known of what a driver does
    /// with others.
    #[doc(alias = "cuMemPoolImportFromShareableHandle")]
    pub unsafe fn import_fabric(device: Device, handle: &FabricHandle) -> Result<Self, Error> {
        let mut handle = CUmemFabricHandle { data: handle.to_bytes() };
        let handle_type = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC;
        // SAFETY: for this type of handle the pointer is to its bytes, which the caller vouches for.
        unsafe { Self::import_as(device, (&raw mut handle).cast(), handle_type) }
    }

    /// # Safety
    /// `os_handle` is a handle of that one type.
    unsafe fn import_as(
        device: Device,
        os_handle: *mut std::ffi::c_void,
        handle_type: CUmemAllocationHandleType,
    ) -> Result<Self, Error> {
        let (driver, mut raw) = (device.driver().calls()?, ptr::null_mut());
        // SAFETY: the output is a local; the caller promises the handle.
        let answer = unsafe { driver.cuMemPoolImportFromShareableHandle(&mut raw, os_handle, handle_type, 0) };
        check("cuMemPoolImportFromShareableHandle", answer, || format!("handle type {:#x}", handle_type.0))?;
        let pool = Owned::new(Handle { device, raw: Raw(raw), is_default: false });
        Ok(Self(Arc::new(Shared { pool, open: Mutex::default(), given_back: Condvar::new() })))
    }

    /// `cuMemPoolSetAccess`: what a device may do with the pool's memory, in this process.
    ///
    /// # Errors
    /// [`Error::Refused`] where the devices are no peers, or it is the pool's own.
    #[doc(alias = "cuMemPoolSetAccess")]
    pub fn set_access(&self, device: Device, access: Access) -> Result<(), Error> {
        self.0.pool.set_access(device, access)
    }

    /// `cuMemPoolGetAccess`: what a device may do with the pool's memory, in this process.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuMemPoolGetAccess")]
    pub fn access(&self, device: Device) -> Result<Access, Error> {
        self.0.pool.access(device)
    }

    /// `cuMemPoolImportPointer`: map memory of the pool, or share it where it is open already. Copies run in this
    /// context, or in the one in which it was opened first.
    ///
    /// The size is what `cuMemGetAddressRange` says of the mapping.
    ///
    /// # Errors
    /// [`Error::Refused`] where the bytes are none of this pool's.
    ///
    /// # Safety
    /// The caller promises that
    /// - `pointer` is what `cuMemPoolExportPointer` gave to another process, with no bit changed, of memory no larger
    ///   than [`LARGEST_EXPORT`](crate::pool::LARGEST_EXPORT);
    /// - the same memory is open in no other import of the pool: this one shares what is open in it, and knows nothing of
    ///   another, whose first close unmaps both;
    /// - that process has seen the allocation done in its stream, and does not free it before the value is closed or
    ///   dropped;
    /// - no other `ImportedPool` of this pool has the pointer open: the driver would give one address for both, and the
    ///   first close would unmap both (parcels share one import of a pool);
    /// - work that was given [`DeviceMemory::pointer`] is done before the last clone is closed or dropped.
    #[doc(alias = "cuMemPoolImportPointer")]
    pub unsafe fn open(&self, context: &Context, pointer: &PoolPointerData) -> Result<ImportedPoolBuffer, Error> {
        let key = pointer.to_bytes();
        // First of all: in a forked child nobody gives anything back.
        let driver = context.enter()?;
        let mut open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(import) = open.get(&key) {
            if let Some(import) = import.upgrade() {
                return Ok(ImportedPoolBuffer(import));
            }
            // Another thread is giving it back. Imported now it would be unmapped with it.
            open = self.0.given_back.wait(open).unwrap_or_else(PoisonError::into_inner);
        }
        let (mut pointer, mut data) = (0, CUmemPoolPtrExportData::from_bytes(key));
        // SAFETY: the output and the data are locals, the pool is live; the caller promises the bytes.
        let answer = unsafe { driver.cuMemPoolImportPointer(&mut pointer, self.0.pool.raw.0, &mut data) };
        check("cuMemPoolImportPointer", answer, String::new)?;
        // The memory begins at the pointer, which may lie in its allocation.
        let size =
            allocation_of(context, pointer).map(|(base, size)| size.saturating_sub(pointer.abs_diff(base) as usize));
        let memory = DeviceMemory::new(context.clone(), pointer, *size.as_ref().unwrap_or(&0));
        let import = Arc::new(Owned::new(Import { memory, key, pool: self.clone() }));
        open.insert(key, Arc::downgrade(&import));
        // Should the size be unknown, the import is given back, which takes the lock.
        drop(open);
        size.map(|_| ImportedPoolBuffer(import))
    }

    /// `cuMemPoolDestroy`: what dropping does, and the error.
    ///
    /// While clones live, or memory that was opened in it, this does nothing: the last one destroys it.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuMemPoolDestroy")]
    pub fn close(self) -> Result<(), Error> {
        Arc::into_inner(self.0).map_or(Ok(()), |shared| shared.pool.close())
    }
}

/// Memory of another process's pool, mapped here. Clones are the same mapping.
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
        let freed = self.memory.context().enter().and_then(|driver| {
            let pointer = self.memory.pointer();
            // SAFETY: the address is of `cuMemPoolImportPointer`, by the only import of this pointer, and not used
            // again.
            check("cuMemFree", unsafe { driver.cuMemFree(pointer) }, || format!("import {pointer:#x}"))
        });
        self.pool.0.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
        self.pool.0.given_back.notify_all();
        freed
    }
}

impl ImportedPoolBuffer {
    /// `cuMemFree`: what dropping does, and the error. The exporter's memory stays.
    ///
    /// While clones live this does nothing: the last one gives it back.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
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
