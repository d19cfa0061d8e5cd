//! Physical memory, created here or imported.
#![allow(unsafe_code)] // Calls the driver, and owns the descriptors that it creates.

use std::ffi::c_void;
use std::ops::{BitOr, Deref};
use std::os::fd::{BorrowedFd, FromRawFd as _, OwnedFd, RawFd};
use std::sync::Arc;

use rustix::io::{FdFlags, fcntl_setfd};

use crate::error::check;
use crate::os_handle::OsHandle;
use crate::resource::{Owned, Resource};
use crate::sys::{
    CUmemAllocationGranularity_flags, CUmemAllocationHandleType, CUmemAllocationProp, CUmemAllocationType,
    CUmemFabricHandle, CUmemGenericAllocationHandle, CUmemLocation,
};
use crate::vmm::FabricHandle;
use crate::{Device, Driver, Error};

/// A set of handle types. Memory can be exported only as the types that it was created with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HandleTypes(CUmemAllocationHandleType);

impl HandleTypes {
    /// `CU_MEM_HANDLE_TYPE_NONE`: the memory stays in this process.
    #[doc(alias = "CU_MEM_HANDLE_TYPE_NONE")]
    pub const NONE: Self = Self(CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE);
    /// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`: for processes of this machine.
    #[doc(alias = "CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR")]
    pub const POSIX_FILE_DESCRIPTOR: Self = Self(CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    /// `CU_MEM_HANDLE_TYPE_FABRIC`: for processes of every machine of the NVLink fabric.
    #[doc(alias = "CU_MEM_HANDLE_TYPE_FABRIC")]
    pub const FABRIC: Self = Self(CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC);

    /// Returns the raw set.
    #[must_use]
    pub const fn raw(self) -> CUmemAllocationHandleType {
        self.0
    }

    /// Returns whether all types of another set are in this one.
    pub(crate) const fn contain(self, other: Self) -> bool {
        self.0.0 & other.0.0 == other.0.0
    }
}

impl BitOr for HandleTypes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

fn properties(device: Device, handle_types: HandleTypes) -> CUmemAllocationProp {
    CUmemAllocationProp {
        type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: handle_types.0,
        location: CUmemLocation::device(device.raw()),
        ..Default::default()
    }
}

/// `cuMemGetAllocationGranularity` with `CU_MEM_ALLOC_GRANULARITY_RECOMMENDED`: returns the granularity, of which sizes
/// must be multiples.
///
/// # Errors
/// [`Error::Refused`] with the driver's error code.
#[doc(alias = "cuMemGetAllocationGranularity")]
#[doc(alias = "CU_MEM_ALLOC_GRANULARITY_RECOMMENDED")]
pub fn granularity(device: Device, handle_types: HandleTypes) -> Result<usize, Error> {
    let (mut granularity, properties) = (0, properties(device, handle_types));
    let option = CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED;
    // SAFETY: the output and the properties are locals.
    let answer =
        unsafe { device.driver().calls()?.cuMemGetAllocationGranularity(&mut granularity, &properties, option) };
    check("cuMemGetAllocationGranularity", answer, || device.passed())?;
    Ok(granularity)
}

/// Physical memory, created by this process or another: the common part of [`Allocation`] and [`ImportedAllocation`].
/// Clones refer to the same memory.
#[derive(Clone, Debug)]
pub struct Physical(Arc<Owned<Handle>>);

#[derive(Debug)]
struct Handle {
    driver: Driver,
    raw: CUmemGenericAllocationHandle,
    size: usize,
    /// `None` if another process created the memory.
    created: Option<Created>,
}

#[derive(Clone, Copy, Debug)]
struct Created {
    device: Device,
    granularity: usize,
}

impl Resource for Handle {
    const NAME: &'static str = "Physical";

    unsafe fn give_back(&self) -> Result<(), Error> {
        // SAFETY: the handle is released once, and not used again: a mapping would still hold it.
        let answer = unsafe { self.driver.calls()?.cuMemRelease(self.raw) };
        check("cuMemRelease", answer, || format!("handle {:#x}", self.raw))
    }
}

impl Physical {
    fn hold(driver: Driver, raw: CUmemGenericAllocationHandle, size: usize, created: Option<Created>) -> Self {
        Self(Arc::new(Owned::new(Handle { driver, raw, size, created })))
    }

    /// Returns the memory as an allocation, if this process created it.
    pub(super) fn as_allocation(&self) -> Option<Allocation> {
        self.0.created.map(|created| Allocation { physical: self.clone(), created })
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// Returns the raw handle, which is valid as long as this value or a clone of it exists.
    #[must_use]
    pub fn raw(&self) -> CUmemGenericAllocationHandle {
        self.0.raw
    }

    pub(crate) fn driver(&self) -> Driver {
        self.0.driver
    }
}

/// Physical memory that this process created.
#[derive(Clone, Debug)]
pub struct Allocation {
    physical: Physical,
    created: Created,
}

impl Allocation {
    /// `cuMemCreate`: creates physical memory on a device, with undefined contents. It has no address until it is
    /// mapped.
    ///
    /// # Errors
    /// [`Error::Refused`] if the size is not a multiple of the [`granularity`], if it is more than the device has left,
    /// or if the device does not support the handle types. For fabric handles, [`fabric::probe`](crate::fabric::probe)
    /// says why.
    #[doc(alias = "cuMemCreate")]
    pub fn new(device: Device, size: usize, handle_types: HandleTypes) -> Result<Self, Error> {
        let granularity = granularity(device, handle_types)?;
        let (mut handle, properties) = (0, properties(device, handle_types));
        let driver = device.driver();
        // SAFETY: the output and the properties are locals.
        let answer = unsafe { driver.calls()?.cuMemCreate(&mut handle, size, &properties, 0) };
        check("cuMemCreate", answer, || {
            format!(
                "{size} bytes, granularity {granularity}, handle types {:#x}, {}",
                handle_types.0.0,
                device.passed()
            )
        })?;
        let created = Created { device, granularity };
        Ok(Self { physical: Physical::hold(driver, handle, size, Some(created)), created })
    }

    /// Returns the device that the memory is on.
    #[must_use]
    pub const fn device(&self) -> Device {
        self.created.device
    }

    /// Returns the granularity, of which the size is a multiple.
    #[must_use]
    pub const fn granularity(&self) -> usize {
        self.created.granularity
    }

    /// `cuMemExportToShareableHandle`: exports the memory as a file descriptor, which keeps the memory alive as long as
    /// the descriptor is open in any process. The descriptor is close-on-exec.
    ///
    /// # Errors
    /// [`Error::Refused`] if the memory was created without [`HandleTypes::POSIX_FILE_DESCRIPTOR`].
    #[doc(alias = "cuMemExportToShareableHandle")]
    pub fn export(&self) -> Result<OwnedFd, Error> {
        export_descriptor(|output| self.export_as(output, HandleTypes::POSIX_FILE_DESCRIPTOR))
    }

    /// `cuMemExportToShareableHandle`: exports the memory as a fabric handle.
    ///
    /// # Errors
    /// [`Error::Refused`] if the memory was created without [`HandleTypes::FABRIC`].
    #[doc(alias = "cuMemExportToShareableHandle")]
    pub fn export_fabric(&self) -> Result<FabricHandle, Error> {
        let mut handle = CUmemFabricHandle::default();
        self.export_as((&raw mut handle).cast(), HandleTypes::FABRIC)?;
        Ok(FabricHandle(handle))
    }

    /// Exports the memory to an output that has room for a handle of this type.
    fn export_as(&self, output: *mut c_void, handle_type: HandleTypes) -> Result<(), Error> {
        let driver = self.physical.driver().calls()?;
        // SAFETY: the handle is live, and the output has room.
        let answer = unsafe { driver.cuMemExportToShareableHandle(output, self.raw(), handle_type.0, 0) };
        check("cuMemExportToShareableHandle", answer, || format!("handle type {:#x}", handle_type.0.0))
    }
}

/// Returns the descriptor that an export writes, and makes it close-on-exec.
pub(crate) fn export_descriptor(export: impl FnOnce(*mut c_void) -> Result<(), Error>) -> Result<OwnedFd, Error> {
    let mut descriptor: RawFd = -1;
    export((&raw mut descriptor).cast())?;
    // SAFETY: the driver opened the descriptor for this process, and nothing else owns it.
    let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
    // Drivers set close-on-exec for memory but not for pools.
    fcntl_setfd(&descriptor, FdFlags::CLOEXEC).map_err(Error::system("fcntl(F_SETFD)"))?;
    Ok(descriptor)
}

impl Deref for Allocation {
    type Target = Physical;

    fn deref(&self) -> &Physical {
        &self.physical
    }
}

/// Physical memory that another process created. Only that process can export it.
#[derive(Clone, Debug)]
pub struct ImportedAllocation(Physical);

impl ImportedAllocation {
    /// `cuMemImportFromShareableHandle`: imports memory from a file descriptor that another process exported. The
    /// caller passes the size, because the descriptor does not contain it. The descriptor is not needed afterwards.
    ///
    /// This is safe for any descriptor: the kernel knows what it refers to, and imported memory lives until it is
    /// released here. Mapping fails if the size is larger than the memory's. If it is smaller, mapping fails, or maps
    /// only that many bytes.
    ///
    /// # Errors
    /// [`Error::Refused`] if the descriptor does not refer to memory.
    #[doc(alias = "cuMemImportFromShareableHandle")]
    // Relies on: the driver and the kernel.
    pub fn import(driver: Driver, descriptor: BorrowedFd<'_>, size: usize) -> Result<Self, Error> {
        let handle = OsHandle::new(descriptor)?;
        // SAFETY: for this type of handle the pointer is not dereferenced; the descriptor is open.
        unsafe { Self::import_as(driver, handle.pointer(), HandleTypes::POSIX_FILE_DESCRIPTOR, size) }
    }

    /// `cuMemImportFromShareableHandle`: imports memory of the given size from a fabric handle.
    ///
    /// # Errors
    /// [`Error::Refused`] if the fabric does not reach the memory: [`fabric::probe`](crate::fabric::probe) says why.
    ///
    /// # Safety
    /// The bytes are those that the driver gave the exporting process, unaltered: it is not known what a driver does
    /// with other bytes.
    #[doc(alias = "cuMemImportFromShareableHandle")]
    pub unsafe fn import_fabric(driver: Driver, handle: &FabricHandle, size: usize) -> Result<Self, Error> {
        let mut handle = handle.0;
        // SAFETY: for this type of handle the pointer leads to its bytes, which the caller vouches for.
        unsafe { Self::import_as(driver, (&raw mut handle).cast(), HandleTypes::FABRIC, size) }
    }

    /// # Safety
    /// `os_handle` is a handle of type `handle_type`.
    unsafe fn import_as(
        driver: Driver,
        os_handle: *mut c_void,
        handle_type: HandleTypes,
        size: usize,
    ) -> Result<Self, Error> {
        let mut handle = 0;
        // SAFETY: the output is a local; the caller promises the handle.
        let answer = unsafe { driver.calls()?.cuMemImportFromShareableHandle(&mut handle, os_handle, handle_type.0) };
        check("cuMemImportFromShareableHandle", answer, || format!("handle type {:#x}", handle_type.0.0))?;
        let import = Self(Physical::hold(driver, handle, size, None));
        import.require_properties()?;
        Ok(import)
    }

    /// `cuMemGetAllocationPropertiesFromHandle`: returns an error unless the import has the properties of memory. A
    /// multicast object is exported and imported in the same way, but has no such properties. The effect of ordinary
    /// reads and writes at its addresses is undefined.
    fn require_properties(&self) -> Result<(), Error> {
        let mut properties = CUmemAllocationProp::default();
        // SAFETY: the output is a local, and the handle is live.
        let answer =
            unsafe { self.driver().calls()?.cuMemGetAllocationPropertiesFromHandle(&mut properties, self.raw()) };
        check("cuMemGetAllocationPropertiesFromHandle", answer, || format!("import {:#x}", self.raw()))
    }
}

impl Deref for ImportedAllocation {
    type Target = Physical;

    fn deref(&self) -> &Physical {
        &self.0
    }
}
