//! Physical memory: created here, or imported.
#![allow(unsafe_code)] // Calls the driver, and takes the descriptors that it makes.

use std::ffi::c_void;
use std::ops::{BitOr, Deref};
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};
use std::ptr;
use std::sync::Arc;

use rustix::io::{FdFlags, fcntl_setfd};

use crate::error::check;
use crate::resource::{Owned, Resource};
use crate::sys::{
    CUmemAllocationGranularity_flags, CUmemAllocationHandleType, CUmemAllocationProp, CUmemAllocationType,
    CUmemFabricHandle, CUmemGenericAllocationHandle, CUmemLocation,
};
use crate::vmm::FabricHandle;
use crate::{Device, Driver, Error};

/// The kinds of handle that memory can be exported as, which has to be said when it is created: a set.
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

    /// The raw set.
    #[must_use]
    pub const fn raw(self) -> CUmemAllocationHandleType {
        self.0
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

/// `cuMemGetAllocationGranularity` with `CU_MEM_ALLOC_GRANULARITY_RECOMMENDED`: what sizes have to be multiples of.
///
/// # Errors
/// [`Error::Refused`] with what the driver answered.
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

/// Physical memory, whoever created it: what an [`Allocation`] and an [`ImportedAllocation`] have in common. Clones are
/// the same memory.
#[derive(Clone, Debug)]
pub struct Physical(Arc<Owned<Handle>>);

#[derive(Debug)]
struct Handle {
    driver: Driver,
    raw: CUmemGenericAllocationHandle,
    size: usize,
    /// Nothing where another process created it.
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
        // SAFETY: the handle is released once, and not used again; its mappings held it.
        let answer = unsafe { self.driver.calls()?.cuMemRelease(self.raw) };
        check("cuMemRelease", answer, || format!("handle {:#x}", self.raw))
    }
}

impl Physical {
    fn hold(driver: Driver, raw: CUmemGenericAllocationHandle, size: usize, created: Option<Created>) -> Self {
        Self(Arc::new(Owned::new(Handle { driver, raw, size, created })))
    }

    /// The memory as its creator has it, where that is this process.
    pub(super) fn as_allocation(&self) -> Option<Allocation> {
        self.0.created.map(|created| Allocation { physical: self.clone(), created })
    }

    /// How many bytes there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// The raw handle, which lives as long as this value or a clone of it.
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
    /// `cuMemCreate`: physical memory of a device, whose contents are not defined. It has no address until it is
    /// mapped.
    ///
    /// # Errors
    /// [`Error::Refused`] where the size is no multiple of the [`granularity`], more than the device has left, or the
    /// device gives no such handles: [`fabric::probe`](crate::fabric::probe) says why.
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

    /// The device that the memory is on.
    #[must_use]
    pub const fn device(&self) -> Device {
        self.created.device
    }

    /// What the size is a multiple of.
    #[must_use]
    pub const fn granularity(&self) -> usize {
        self.created.granularity
    }

    /// `cuMemExportToShareableHandle` as a file descriptor, which keeps the memory as long as it is open, in whatever
    /// process. It is close-on-exec.
    ///
    /// # Errors
    /// [`Error::Refused`] where the memory was created without [`HandleTypes::POSIX_FILE_DESCRIPTOR`].
    #[doc(alias = "cuMemExportToShareableHandle")]
    pub fn export(&self) -> Result<OwnedFd, Error> {
        export_descriptor(|output| self.export_as(output, HandleTypes::POSIX_FILE_DESCRIPTOR))
    }

    /// `cuMemExportToShareableHandle` as a fabric handle.
    ///
    /// # Errors
    /// [`Error::Refused`] where the memory was created without [`HandleTypes::FABRIC`].
    #[doc(alias = "cuMemExportToShareableHandle")]
    pub fn export_fabric(&self) -> Result<FabricHandle, Error> {
        let mut handle = CUmemFabricHandle::default();
        self.export_as((&raw mut handle).cast(), HandleTypes::FABRIC)?;
        Ok(FabricHandle(handle))
    }

    /// The output has room for a handle of that one type.
    fn export_as(&self, output: *mut c_void, handle_type: HandleTypes) -> Result<(), Error> {
        let driver = self.physical.driver().calls()?;
        // SAFETY: the handle is live, and the output has room.
        let answer = unsafe { driver.cuMemExportToShareableHandle(output, self.raw(), handle_type.0, 0) };
        check("cuMemExportToShareableHandle", answer, || format!("handle type {:#x}", handle_type.0.0))
    }
}

/// The descriptor that an export writes, close-on-exec.
pub(crate) fn export_descriptor(export: impl FnOnce(*mut c_void) -> Result<(), Error>) -> Result<OwnedFd, Error> {
    let mut descriptor: RawFd = -1;
    export((&raw mut descriptor).cast())?;
    // SAFETY: the driver has opened it for us.
    let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
    // Drivers set it for memory and not for pools.
    fcntl_setfd(&descriptor, FdFlags::CLOEXEC).map_err(Error::system("fcntl(F_SETFD)"))?;
    Ok(descriptor)
}

impl Deref for Allocation {
    type Target = Physical;

    fn deref(&self) -> &Physical {
        &self.physical
    }
}

/// Physical memory that another process created. It cannot be exported again: only the process that created it does.
#[derive(Clone, Debug)]
pub struct ImportedAllocation(Physical);

impl ImportedAllocation {
    /// `cuMemImportFromShareableHandle`: the memory behind a file descriptor that another process exported, and its
    /// size, which the descriptor does not tell. The descriptor is no longer needed afterwards.
    ///
    /// This is safe whatever the descriptor is: the kernel knows what stands behind it, and memory that is imported
    /// lives until it is given back here. A size above the memory's is refused when it is mapped; one below it is too, or
    /// maps that much.
    ///
    /// # Errors
    /// [`Error::Refused`] where the descriptor is of something else.
    #[doc(alias = "cuMemImportFromShareableHandle")]
    pub fn import(driver: Driver, descriptor: BorrowedFd<'_>, size: usize) -> Result<Self, Error> {
        let number = descriptor.as_raw_fd();
        // The number itself, as an address.
        let os_handle = ptr::without_provenance_mut(number as usize);
        // SAFETY: for this type of handle the pointer is not followed; the descriptor is open.
        unsafe { Self::import_as(driver, os_handle, HandleTypes::POSIX_FILE_DESCRIPTOR, size) }
    }

    /// `cuMemImportFromShareableHandle`: the memory behind a fabric handle, and its size.
    ///
    /// # Errors
    /// [`Error::Refused`] where the fabric does not reach it: [`fabric::probe`](crate::fabric::probe) says why.
    ///
    /// # Safety
    /// The bytes are what the exporting process got from the driver, unaltered: nothing is known of what a driver does
    /// with others.
    #[doc(alias = "cuMemImportFromShareableHandle")]
    pub unsafe fn import_fabric(driver: Driver, handle: &FabricHandle, size: usize) -> Result<Self, Error> {
        let mut handle = handle.0;
        // SAFETY: for this type of handle the pointer is to its bytes, which the caller vouches for.
        unsafe { Self::import_as(driver, (&raw mut handle).cast(), HandleTypes::FABRIC, size) }
    }

    /// # Safety
    /// `os_handle` is a handle of that one type.
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

    /// `cuMemGetAllocationPropertiesFromHandle`: memory has them. A multicast object, which is exported and imported in
    /// the same way, has none; and what ordinary reads and writes do at its addresses is undefined.
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
