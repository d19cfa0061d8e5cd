//! Memory pools: stream-ordered memory, and pools that other processes import.
//!
//! A [`Pool`] that was created with a handle type is exported once. Then each [`PoolBuffer`] of it is exported as 64
//! bytes, [`PoolPointerData`]. The importer imports the pool as an [`ImportedPool`] and opens pointers in it.
#![allow(unsafe_code)] // Calls the driver, and owns the descriptors that it creates.

mod buffer;
mod import;
mod imports;
mod teardown;

pub use buffer::{LARGEST_EXPORT, PoolBuffer};
pub use import::{ImportedPool, ImportedPoolBuffer};

pub use crate::handle::PoolPointerData;

use std::ffi::c_void;
use std::os::fd::OwnedFd;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::check;
use crate::resource::{Owned, Raw, Resource};
use crate::sys::{
    CUmemAccess_flags, CUmemAllocationHandleType, CUmemAllocationType, CUmemFabricHandle, CUmemLocation,
    CUmemPool_attribute, CUmemPoolHandle_st, CUmemPoolProps, CUmemoryPool,
};
use crate::vmm::{Access, FabricHandle, HandleTypes};
use crate::{Device, Error};
use teardown::Teardown;

/// A pool from which this process allocates. Clones refer to the same pool.
#[derive(Clone, Debug)]
pub struct Pool {
    handle: Arc<Owned<Handle>>,
    /// The pool's number in tickets.
    number: u64,
}

/// A pool, created here or imported.
#[derive(Debug)]
struct Handle {
    device: Device,
    raw: Raw<CUmemPoolHandle_st>,
    origin: Origin,
}

#[derive(Debug)]
enum Origin {
    /// The device's default pool, which belongs to the driver.
    Default,
    Created(Teardown),
    Imported,
}

impl Resource for Handle {
    const NAME: &'static str = "Pool";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let is_ready = match &self.origin {
            Origin::Default => false,
            Origin::Created(teardown) => teardown.wait()?,
            Origin::Imported => true,
        };
        if !is_ready {
            return Ok(());
        }
        // SAFETY: the pool is not used again: memory allocated or opened in it would still hold it, and every free of
        // such memory is done.
        let answer = unsafe { self.device.driver().calls()?.cuMemPoolDestroy(self.raw.0) };
        check("cuMemPoolDestroy", answer, || self.device.passed())
    }
}

impl Handle {
    /// Returns what the end of the pool waits for, if this process created the pool.
    const fn teardown(&self) -> Option<&Teardown> {
        match &self.origin {
            Origin::Created(teardown) => Some(teardown),
            Origin::Default | Origin::Imported => None,
        }
    }

    /// `cuMemPoolSetAccess`.
    fn set_access(&self, device: Device, access: Access) -> Result<(), Error> {
        let (driver, description) = (self.device.driver().calls()?, access.of(device));
        // SAFETY: the pool is live, and the description is a local.
        let answer = unsafe { driver.cuMemPoolSetAccess(self.raw.0, &description, 1) };
        check("cuMemPoolSetAccess", answer, || format!("{access:?} for {}", device.passed()))
    }

    /// `cuMemPoolGetAccess`.
    fn access(&self, device: Device) -> Result<Access, Error> {
        let (driver, mut flags) = (self.device.driver().calls()?, CUmemAccess_flags(0));
        let mut location = CUmemLocation::device(device.raw());
        // SAFETY: the pool is live, the output and the location are locals.
        let answer = unsafe { driver.cuMemPoolGetAccess(&mut flags, self.raw.0, &mut location) };
        check("cuMemPoolGetAccess", answer, || device.passed())?;
        Ok(Access::from_flags(flags))
    }

    /// `cuMemPoolGetAttribute` for a 64-bit attribute.
    fn attribute(&self, attribute: CUmemPool_attribute) -> Result<u64, Error> {
        let mut value = 0_u64;
        let output = (&raw mut value).cast::<c_void>();
        // SAFETY: the pool is live, and the output is a local of the attribute's type.
        let answer = unsafe { self.device.driver().calls()?.cuMemPoolGetAttribute(self.raw.0, attribute, output) };
        check("cuMemPoolGetAttribute", answer, || format!("attribute {}", attribute.0))?;
        Ok(value)
    }
}

impl Pool {
    /// `cuMemPoolCreate`: creates a pool of a device's memory. `maximum` is its largest size in bytes; with `None` or 0
    /// the driver chooses one.
    ///
    /// Ask [`fabric::probe`](crate::fabric::probe) before creating a pool with [`HandleTypes::FABRIC`]. Without an IMEX
    /// channel a driver creates the pool, refuses to export it, and crashes when it is destroyed (H200, driver
    /// 580.159.04). Such a pool is therefore destroyed only if [`Pool::export_fabric`] has succeeded. Otherwise it stays
    /// until the process ends, and the drop hook gets [`Error::NeverExported`].
    ///
    /// # Errors
    /// [`Error::Refused`] if the device does not support pools with these handle types.
    #[doc(alias = "cuMemPoolCreate")]
    pub fn new(device: Device, handle_types: HandleTypes, maximum: Option<usize>) -> Result<Self, Error> {
        let properties = CUmemPoolProps {
            allocType: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: handle_types.raw(),
            location: CUmemLocation::device(device.raw()),
            maxSize: maximum.unwrap_or(0),
            ..Default::default()
        };
        let mut raw = ptr::null_mut();
        // SAFETY: the output and the properties are locals.
        let answer = unsafe { device.driver().calls()?.cuMemPoolCreate(&mut raw, &properties) };
        check("cuMemPoolCreate", answer, || format!("handle types {:#x}, {}", handle_types.raw().0, device.passed()))?;
        Ok(Self::hold(device, raw, Origin::Created(Teardown::of_pool_for(handle_types))))
    }

    /// `cuDeviceGetDefaultMemPool`: returns the device's default pool, which `cuMemAllocAsync` uses unless another pool
    /// is made current. It cannot be exported.
    ///
    /// # Errors
    /// [`Error::Refused`] if the device does not support pools.
    #[doc(alias = "cuDeviceGetDefaultMemPool")]
    pub fn default_of(device: Device) -> Result<Self, Error> {
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local.
        let answer = unsafe { device.driver().calls()?.cuDeviceGetDefaultMemPool(&mut raw, device.raw()) };
        check("cuDeviceGetDefaultMemPool", answer, || device.passed())?;
        Ok(Self::hold(device, raw, Origin::Default))
    }

    fn hold(device: Device, raw: CUmemoryPool, origin: Origin) -> Self {
        static POOLS: AtomicU64 = AtomicU64::new(1);
        let handle = Arc::new(Owned::new(Handle { device, raw: Raw(raw), origin }));
        Self { handle, number: POOLS.fetch_add(1, Ordering::Relaxed) }
    }

    /// Returns a number that no other pool of this process has or has had.
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// Returns the device that the pool's memory is on.
    #[must_use]
    pub fn device(&self) -> Device {
        self.handle.device
    }

    /// Returns the raw pool, which is valid as long as this value or a clone of it exists.
    #[must_use]
    pub fn raw(&self) -> CUmemoryPool {
        self.handle.raw.0
    }

    /// `cuDeviceSetMemPool`: makes `cuMemAllocAsync` in this process use the pool, until another pool is made current.
    ///
    /// The pool is then never destroyed: other code, which this crate does not know of, may have memory of it at any
    /// time. It stays until the process ends, even if another pool is made current.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuDeviceSetMemPool")]
    pub fn make_current(&self) -> Result<(), Error> {
        let device = self.device();
        let driver = device.driver().calls()?;
        if let Some(teardown) = self.handle.teardown() {
            teardown.keep();
        }
        // SAFETY: the pool is live, and stays so.
        check("cuDeviceSetMemPool", unsafe { driver.cuDeviceSetMemPool(device.raw(), self.raw()) }, || device.passed())
    }

    /// `cuMemPoolSetAccess`: sets another device's access to the pool's memory, in this process. The pool's own device
    /// can always read and write, and this cannot be revoked.
    ///
    /// # Errors
    /// [`Error::Refused`] if the devices are not peers, or if `device` is the pool's own.
    #[doc(alias = "cuMemPoolSetAccess")]
    pub fn set_access(&self, device: Device, access: Access) -> Result<(), Error> {
        self.handle.set_access(device, access)
    }

    /// `cuMemPoolGetAccess`: returns a device's access to the pool's memory, in this process.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemPoolGetAccess")]
    pub fn access(&self, device: Device) -> Result<Access, Error> {
        self.handle.access(device)
    }

    /// `CU_MEMPOOL_ATTR_USED_MEM_CURRENT`: returns how many bytes are in use.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "CU_MEMPOOL_ATTR_USED_MEM_CURRENT")]
    pub fn used(&self) -> Result<u64, Error> {
        self.handle.attribute(CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)
    }

    /// `CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT`: returns how many bytes the pool holds, in use or not.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT")]
    pub fn reserved(&self) -> Result<u64, Error> {
        self.handle.attribute(CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
    }

    /// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`: sets how many bytes the pool keeps when a stream, an event or the context
    /// is synchronised. In a new pool this is 0: unused memory goes back to the system.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD")]
    pub fn set_release_threshold(&self, bytes: u64) -> Result<(), Error> {
        let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        let mut value = bytes;
        let (driver, input) = (self.device().driver().calls()?, (&raw mut value).cast::<c_void>());
        // SAFETY: the pool is live, and the value is a local of the attribute's type.
        let answer = unsafe { driver.cuMemPoolSetAttribute(self.raw(), attribute, input) };
        check("cuMemPoolSetAttribute", answer, || format!("RELEASE_THRESHOLD {bytes}"))
    }

    /// `cuMemPoolTrimTo`: releases memory to the system until the pool holds the given number of bytes. A pool that was
    /// exported keeps its memory.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemPoolTrimTo")]
    pub fn trim_to(&self, bytes: usize) -> Result<(), Error> {
        // SAFETY: the pool is live.
        let answer = unsafe { self.device().driver().calls()?.cuMemPoolTrimTo(self.raw(), bytes) };
        check("cuMemPoolTrimTo", answer, || format!("{bytes} bytes"))
    }

    /// `cuMemPoolExportToShareableHandle`: exports the pool as a file descriptor. Afterwards its pointers can be
    /// exported.
    ///
    /// # Errors
    /// [`Error::Refused`] if the pool was created without [`HandleTypes::POSIX_FILE_DESCRIPTOR`].
    #[doc(alias = "cuMemPoolExportToShareableHandle")]
    pub fn export(&self) -> Result<OwnedFd, Error> {
        crate::vmm::export_descriptor(|output| {
            self.export_as(output, CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        })
    }

    /// `cuMemPoolExportToShareableHandle`: exports the pool as a fabric handle. Afterwards its pointers can be
    /// exported.
    ///
    /// # Errors
    /// [`Error::Refused`] if the pool was created without [`HandleTypes::FABRIC`], or if this process has no IMEX channel.
    #[doc(alias = "cuMemPoolExportToShareableHandle")]
    pub fn export_fabric(&self) -> Result<FabricHandle, Error> {
        let mut handle = CUmemFabricHandle::default();
        self.export_as((&raw mut handle).cast(), CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC)?;
        if let Some(teardown) = self.handle.teardown() {
            teardown.exported_as_fabric();
        }
        Ok(FabricHandle::from_bytes(handle.data))
    }

    /// Exports the pool to an output that has room for a handle of this type.
    fn export_as(&self, output: *mut c_void, handle_type: CUmemAllocationHandleType) -> Result<(), Error> {
        let driver = self.device().driver().calls()?;
        // SAFETY: the pool is live, and the output has room.
        let answer = unsafe { driver.cuMemPoolExportToShareableHandle(output, self.raw(), handle_type, 0) };
        check("cuMemPoolExportToShareableHandle", answer, || format!("handle type {:#x}", handle_type.0))
    }

    /// `cuStreamSynchronize`, `cuMemPoolDestroy`: destroys the pool as dropping does, and returns the error.
    ///
    /// While clones of the pool or memory from it exist, this does nothing: the last of them destroys the pool. It first
    /// waits for the streams in which memory of the pool was freed. If such a stream never continues, this does not
    /// return.
    ///
    /// A pool that was made current ([`Pool::make_current`]), or whose memory could not be freed, is not destroyed.
    ///
    /// # Errors
    /// [`Error::NeverExported`] if the pool was created for fabric handles and never exported as one;
    /// [`Error::Refused`] with the driver's error code. If work of a stream failed, the pool is not destroyed.
    #[doc(alias = "cuStreamSynchronize")]
    #[doc(alias = "cuMemPoolDestroy")]
    pub fn destroy(self) -> Result<(), Error> {
        Arc::into_inner(self.handle).map_or(Ok(()), Owned::close)
    }
}
