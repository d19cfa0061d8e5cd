//! The driver.
#![allow(unsafe_code)] // Calls the driver.

use std::ffi::CString;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use cuda_ipc_sys::{CudaVersion, LoadError};

use crate::error::check;
use crate::{Device, Error, fork, sys};

/// The CUDA driver of this process, loaded and initialised.
///
/// A process has one: handles of one library mean nothing to another.
#[derive(Clone, Copy, Debug)]
pub struct Driver(&'static sys::Driver);

static LOADED: Mutex<Option<Driver>> = Mutex::new(None);

impl Driver {
    /// `cuInit`: the process's driver, loaded on the first call.
    ///
    /// It is the one that [`Driver::load_from`] loaded, or else the system's, or the one that the environment variable
    /// `CUDA_IPC_DRIVER` names.
    ///
    /// # Errors
    /// [`Error::Load`] with every name that was tried; [`Error::Refused`] where no device is visible;
    /// [`Error::Forked`] in a child of a process that used the driver before it forked.
    pub fn get() -> Result<Self, Error> {
        Self::load(None, sys::Driver::get)
    }

    /// `cuInit`: the same with a library by path (or by name, through the loader's search).
    ///
    /// # Errors
    /// As [`Driver::get`], and [`Error::OtherDriver`] where this process has a driver that was loaded under another
    /// name.
    ///
    /// # Safety
    /// The library is a CUDA driver: its code runs as it is loaded, and its functions are taken for those of their names.
    pub unsafe fn load_from(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        // SAFETY: the caller promises the library.
        let load = || unsafe { sys::Driver::load_from(path) };
        // It stays loaded as long as the process lives, and so does what describes it.
        Self::load(Some(path), || Ok(Box::leak(Box::new(load()?))))
    }

    fn load(
        path: Option<&Path>,
        load: impl FnOnce() -> Result<&'static sys::Driver, LoadError>,
    ) -> Result<Self, Error> {
        // First of all: in a child another thread of the parent may hold the lock for ever.
        fork::check()?;
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
        fork::watch();
        *loaded = Some(driver);
        Ok(driver)
    }

    /// The name or path that was loaded.
    #[must_use]
    pub fn path(self) -> &'static Path {
        self.0.path()
    }

    /// `cuDriverGetVersion`: the newest CUDA version that the driver serves.
    #[must_use]
    pub const fn version(self) -> CudaVersion {
        self.0.version()
    }

    /// The raw functions.
    #[must_use]
    pub const fn raw(self) -> &'static sys::Driver {
        self.0
    }

    /// The raw functions, where this process may call them.
    pub(crate) fn calls(self) -> Result<&'static sys::Driver, Error> {
        fork::check()?;
        Ok(self.0)
    }

    /// `cuDeviceGetCount`: how many devices this process sees.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    pub fn device_count(self) -> Result<usize, Error> {
        let mut count = 0;
        // SAFETY: the output is a local.
        check("cuDeviceGetCount", unsafe { self.calls()?.cuDeviceGetCount(&mut count) }, String::new)?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// `cuDeviceGet`: the device at an ordinal of this process.
    ///
    /// Ordinals differ between processes; [`Device::uuid`] does not.
    ///
    /// # Errors
    /// [`Error::Refused`] where there is no such device.
    pub fn device(self, ordinal: usize) -> Result<Device, Error> {
        let (mut device, number) = (0, i32::try_from(ordinal).unwrap_or(i32::MAX));
        // SAFETY: the output is a local.
        let answer = unsafe { self.calls()?.cuDeviceGet(&mut device, number) };
        check("cuDeviceGet", answer, || format!("ordinal {ordinal}"))?;
        Ok(Device::new(self, device))
    }

    /// `cuDeviceGetCount`, `cuDeviceGet`: every device that this process sees, in the order of the ordinals.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    pub fn devices(self) -> Result<Vec<Device>, Error> {
        (0..self.device_count()?).map(|ordinal| self.device(ordinal)).collect()
    }

    /// `cuDeviceGetUuid` of each device: the one with this UUID, where this process sees it.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    pub fn device_by_uuid(self, uuid: [u8; 16]) -> Result<Option<Device>, Error> {
        for device in self.devices()? {
            if device.uuid()? == uuid {
                return Ok(Some(device));
            }
        }
        Ok(None)
    }

    /// `cuDeviceGetByPCIBusId`: the device at a place of the PCI bus, such as `0000:3b:00.0`.
    ///
    /// # Errors
    /// [`Error::Refused`] where this process sees no device there, or the text names no place.
    pub fn device_by_pci_bus_id(self, place: &str) -> Result<Device, Error> {
        // What follows a NUL the driver would not see.
        let text = CString::new(place).unwrap_or_default();
        let mut device = 0;
        // SAFETY: the output is a local, and the text ends with NUL.
        let answer = unsafe { self.calls()?.cuDeviceGetByPCIBusId(&mut device, text.as_ptr()) };
        check("cuDeviceGetByPCIBusId", answer, || format!("{place:?}"))?;
        Ok(Device::new(self, device))
    }
}
