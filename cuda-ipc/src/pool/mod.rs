//! Memory pools: stream-ordered memory, and pools that other processes import.
//!
//! A [`Pool`] that was created with a handle type is exported once; then each [`PoolBuffer`] of it is exported as 64
//! bytes, [`PoolPointerData`]. The importer makes an [`ImportedPool`] and opens pointers in it.
#![allow(unsafe_code)] // Calls the driver, and takes the descriptors that it makes.

mod buffer;
mod import;

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

/// A pool that this process allocates from. Clones are the same pool.
#[derive(Clone, Debug)]
pub struct Pool {
    handle: Arc<Owned<Handle>>,
    /// What tickets call it.
    number: u64,
}

/// A pool, created here or imported.
#[derive(Debug)]
struct Handle {
    device: Device,
    raw: Raw<CUmemPoolHandle_st>,
    /// A device's default pool is the driver's own.
    is_default: bool,
}

impl Resource for Handle {
    const NAME: &'static str = "Pool";

    unsafe fn give_back(&self) -> Result<(), Error> {
        if self.is_default {
            return Ok(());
        }
        // SAFETY: the pool is not used again: what was allocated or opened in it held it.
        let answer = unsafe { self.device.driver().calls()?.cuMemPoolDestroy(self.raw.0) };
        check("cuMemPoolDestroy", answer, || self.device.passed())
    }
}

impl Handle {
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

    /// `cuMemPoolGetAttribute` of an attribute of 64 bits.
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
    /// `cuMemPoolCreate`: a pool of a device's memory, which grows to a maximum, or without one.
    ///
    /// # Errors
    /// [`Error::Refused`] where the device gives no pools, or none with such handles.
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
        Ok(Self::hold(device, raw, false))
    }

    /// `cuDeviceGetDefaultMemPool`: the pool that `cuMemAllocAsync` uses unless another is made current. It cannot be
    /// exported.
    ///
    /// # Errors
    /// [`Error::Refused`] where the device gives no pools.
    #[doc(alias = "cuDeviceGetDefaultMemPool")]
    pub fn default_of(device: Device) -> Result<Self, Error> {
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local.
        let answer = unsafe { device.driver().calls()?.cuDeviceGetDefaultMemPool(&mut raw, device.raw()) };
        check("cuDeviceGetDefaultMemPool", answer, || device.passed())?;
        Ok(Self::hold(device, raw, true))
    }

    fn hold(device: Device, raw: CUmemoryPool, is_default: bool) -> Self {
        static POOLS: AtomicU64 = AtomicU64::new(1);
        let handle = Arc::new(Owned::new(Handle { device, raw: Raw(raw), is_default }));
        Self { handle, number: POOLS.fetch_add(1, Ordering::Relaxed) }
    }

    /// What no other pool of this process has, nor has had.
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// The device that the memory is on.
    #[must_use]
    pub fn device(&self) -> Device {
        self.handle.device
    }

    /// The raw pool, which lives as long as this value or a clone of it.
    #[must_use]
    pub fn raw(&self) -> CUmemoryPool {
        self.handle.raw.0
    }

    /// `cuDeviceSetMemPool`: let `cuMemAllocAsync` of this process use the pool, until another is made current or this
    /// one ends.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuDeviceSetMemPool")]
    pub fn make_current(&self) -> Result<(), Error> {
        let device = self.device();
        // SAFETY: the pool is live. When it is destroyed, the driver takes the device's default pool again.
        let answer = unsafe { device.driver().calls()?.cuDeviceSetMemPool(device.raw(), self.raw()) };
        check("cuDeviceSetMemPool", answer, || device.passed())
    }

    /// `cuMemPoolSetAccess`: what another device may do with the pool's memory, in this process. Its own device always
    /// reads and writes it, and cannot lose that.
    ///
    /// # Errors
    /// [`Error::Refused`] where the devices are no peers, or it is the pool's own.
    #[doc(alias = "cuMemPoolSetAccess")]
    pub fn set_access(&self, device: Device, access: Access) -> Result<(), Error> {
        self.handle.set_access(device, access)
    }

    /// `cuMemPoolGetAccess`: what a device may do with the pool's memory, in this process.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuMemPoolGetAccess")]
    pub fn access(&self, device: Device) -> Result<Access, Error> {
        self.handle.access(device)
    }

    /// `CU_MEMPOOL_ATTR_USED_MEM_CURRENT`: the bytes in use.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "CU_MEMPOOL_ATTR_USED_MEM_CURRENT")]
    pub fn used(&self) -> Result<u64, Error> {
        self.handle.attribute(CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)
    }

    /// `CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT`: the bytes that the pool holds, in use or not.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT")]
    pub fn reserved(&self) -> Result<u64, Error> {
        self.handle.attribute(CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
    }

    /// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`: how many bytes the pool keeps when a stream or the context is synchronised.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD")]
    pub fn set_release_threshold(&self, bytes: u64) -> Result<(), Error> {
        let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        let mut value = bytes;
        let (driver, input) = (self.device().driver().calls()?, (&raw mut value).cast::<c_void>());
        // SAFETY: the pool is live, and the value is a local of the attribute's type.
        let answer = unsafe { driver.cuMemPoolSetAttribute(self.raw(), attribute, input) };
        check("cuMemPoolSetAttribute", answer, || format!("RELEASE_THRESHOLD {bytes}"))
    }

    /// `cuMemPoolTrimTo`: give memory back to the system until the pool holds so many bytes. A pool that was exported
    /// keeps it.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuMemPoolTrimTo")]
    pub fn trim_to(&self, bytes: usize) -> Result<(), Error> {
        // SAFETY: the pool is live.
        let answer = unsafe { self.device().driver().calls()?.cuMemPoolTrimTo(self.raw(), bytes) };
        check("cuMemPoolTrimTo", answer, || format!("{bytes} bytes"))
    }

    /// `cuMemPoolExportToShareableHandle` as a file descriptor. Pointers can be exported from here on.
    ///
    /// # Errors
    /// [`Error::Refused`] where the pool was created without [`HandleTypes::POSIX_FILE_DESCRIPTOR`].
    #[doc(alias = "cuMemPoolExportToShareableHandle")]
    pub fn export(&self) -> Result<OwnedFd, Error> {
        crate::vmm::export_descriptor(|output| {
            self.export_as(output, CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        })
    }

    /// `cuMemPoolExportToShareableHandle` as a fabric handle. Pointers can be exported from here on.
    ///
    /// # Errors
    /// [`Error::Refused`] where the pool was created without [`HandleTypes::FABRIC`].
    #[doc(alias = "cuMemPoolExportToShareableHandle")]
    pub fn export_fabric(&self) -> Result<FabricHandle, Error> {
        let mut handle = CUmemFabricHandle::default();
        self.export_as((&raw mut handle).cast(), CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC)?;
        Ok(FabricHandle::from_bytes(handle.data))
    }

    /// The output has room for a handle of that one type.
    fn export_as(&self, output: *mut c_void, handle_type: CUmemAllocationHandleType) -> Result<(), Error> {
        let driver = self.device().driver().calls()?;
        // SAFETY: the pool is live, and the output has room.
        let answer = unsafe { driver.cuMemPoolExportToShareableHandle(output, self.raw(), handle_type, 0) };
        check("cuMemPoolExportToShareableHandle", answer, || format!("handle type {:#x}", handle_type.0))
    }

    /// `cuMemPoolDestroy`: what dropping does, and the error.
    ///
    /// While clones live, or memory of the pool, this does nothing: the last one destroys it.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuMemPoolDestroy")]
    pub fn destroy(self) -> Result<(), Error> {
        Arc::into_inner(self.handle).map_or(Ok(()), Owned::close)
    }
}
