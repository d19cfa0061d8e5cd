//! The CUDA driver library of this process.
#![allow(unsafe_code)] // Calls the driver.

use std::ffi::CString;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use cuda_ipc_sys::{CudaVersion, LoadError};

use crate::error::check;
use crate::{Device, Error, fork, sys};

/// The CUDA driver of this process, loaded and initialised.
///
/// A process has only one, because a handle of one driver library is invalid in another.
#[derive(Clone, Copy, Debug)]
pub struct Driver(&'static sys::Driver);

// Relies on: no call while the process ends.
static LOADED: Mutex<Option<Driver>> = Mutex::new(None);

impl Driver {
    /// `cuInit`: returns the driver of this process, which the first call loads and initialises.
    ///
    /// This is the driver that [`Driver::load_from`] loaded. Otherwise it is the one that the environment variable
    /// `CUDA_IPC_DRIVER` names, if the process was started with it ([`DRIVER_VARIABLE`](sys::DRIVER_VARIABLE)), or else
    /// the system's.
    ///
    /// # Errors
    /// [`Error::Load`] with every name that was tried; [`Error::Refused`] if no device is visible; [`Error::Forked`] in
    /// a child of a process that used the driver before it forked.
    #[doc(alias = "cuInit")]
    pub fn get() -> Result<Self, Error> {
        Self::load(None, sys::Driver::get)
    }

    /// `cuInit`: returns the driver of this process, which the first call loads from a path, or by a name for which the
    /// loader searches.
    ///
    /// # Errors
    /// As [`Driver::get`]; [`Error::OtherDriver`] if this process has already loaded a driver under another path or
    /// name.
    ///
    /// # Safety
    /// The file must be a CUDA driver. Loading it runs its code, and its functions are called with the signatures that
    /// CUDA declares for their names.
    #[doc(alias = "cuInit")]
    pub unsafe fn load_from(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        // The library stays loaded as long as the process lives, so its function table is never freed either.
        // SAFETY: the caller promises that the file is a CUDA driver.
        Self::load(Some(path), || Ok(Box::leak(Box::new(unsafe { sys::Driver::load_from(path)? }))))
    }

    // Relies on: the loaded library.
    fn load(
        path: Option<&Path>,
        load: impl FnOnce() -> Result<&'static sys::Driver, LoadError>,
    ) -> Result<Self, Error> {
        // First of all: in a forked child, a lock that another thread of the parent held is never released.
        fork::check()?;
        // A child that is forked meanwhile finds the lock held, and the driver half-way through its initialization.
        // Dropped after the lock.
        let using = fork::Using::begin();
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let driver = match (*loaded, path) {
            (Some(driver), Some(path)) if driver.path() != path => {
                return Err(Error::OtherDriver { loaded: driver.path().to_owned(), wanted: path.to_owned() });
            }
            (Some(driver), _) => return Ok(driver),
            (None, _) => Self(load()?),
        };
        // SAFETY: the call has no preconditions.
        check("cuInit", unsafe { driver.0.cuInit(0) }, String::new)?;
        *loaded = Some(driver);
        // From now on the process uses the driver.
        std::mem::forget(using);
        Ok(driver)
    }

    /// Returns the name or path under which the driver was loaded.
    #[must_use]
    pub fn path(self) -> &'static Path {
        self.0.path()
    }

    /// `cuDriverGetVersion`: returns the newest CUDA version that the driver supports.
    #[doc(alias = "cuDriverGetVersion")]
    #[must_use]
    pub const fn version(self) -> CudaVersion {
        self.0.version()
    }

    /// Returns the table of raw functions.
    #[must_use]
    pub const fn raw(self) -> &'static sys::Driver {
        self.0
    }

    /// Returns the table of raw functions, unless this process is a forked child, which may not call them.
    #[inline]
    pub(crate) fn calls(self) -> Result<&'static sys::Driver, Error> {
        fork::check()?;
        Ok(self.0)
    }

    /// `cuDeviceGetCount`: returns the number of devices that this process sees.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuDeviceGetCount")]
    pub fn device_count(self) -> Result<usize, Error> {
        let mut count = 0;
        // SAFETY: the output is a local.
        check("cuDeviceGetCount", unsafe { self.calls()?.cuDeviceGetCount(&mut count) }, String::new)?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// `cuDeviceGet`: returns the device with an ordinal of this process.
    ///
    /// The same ordinal can be another device in another process. [`Device::uuid`] is the same in every process.
    ///
    /// # Errors
    /// [`Error::Refused`] if there is no such device.
    #[doc(alias = "cuDeviceGet")]
    pub fn device(self, ordinal: usize) -> Result<Device, Error> {
        let (mut device, number) = (0, i32::try_from(ordinal).unwrap_or(i32::MAX));
        // SAFETY: the output is a local.
        let answer = unsafe { self.calls()?.cuDeviceGet(&mut device, number) };
        check("cuDeviceGet", answer, || format!("ordinal {ordinal}"))?;
        Ok(Device::new(self, device))
    }

    /// `cuDeviceGetCount`, `cuDeviceGet`: returns every device that this process sees, in the order of the ordinals.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuDeviceGetCount")]
    #[doc(alias = "cuDeviceGet")]
    pub fn devices(self) -> Result<Vec<Device>, Error> {
        (0..self.device_count()?).map(|ordinal| self.device(ordinal)).collect()
    }

    /// `cuDeviceGetUuid` of each device: returns the device with this UUID, or `None` if this process does not see it.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuDeviceGetUuid")]
    pub fn device_by_uuid(self, uuid: [u8; 16]) -> Result<Option<Device>, Error> {
        for device in self.devices()? {
            if device.uuid()? == uuid {
                return Ok(Some(device));
            }
        }
        Ok(None)
    }

    /// `cuDeviceGetByPCIBusId`: returns the device at an address of the PCI bus, such as `0000:3b:00.0`.
    ///
    /// # Errors
    /// [`Error::Refused`] if this process sees no device at that address, or if the text is not an address.
    #[doc(alias = "cuDeviceGetByPCIBusId")]
    pub fn device_by_pci_bus_id(self, place: &str) -> Result<Device, Error> {
        // The driver would not see the text after a NUL, so a text that contains one is replaced by an empty text.
        let text = CString::new(place).unwrap_or_default();
        let mut device = 0;
        // SAFETY: the output is a local, and the text ends with NUL.
        let answer = unsafe { self.calls()?.cuDeviceGetByPCIBusId(&mut device, text.as_ptr()) };
        check("cuDeviceGetByPCIBusId", answer, || format!("{place:?}"))?;
        Ok(Device::new(self, device))
    }
}
