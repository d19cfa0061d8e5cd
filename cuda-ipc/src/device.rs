//! Devices and their properties.
#![allow(unsafe_code)] // Calls the driver.

use std::ffi::c_char;

use crate::error::check;
use crate::sys::{CUdevice, CUdevice_attribute, CUuuid};
use crate::{Driver, Error};

/// A device that this process sees.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    driver: Driver,
    raw: CUdevice,
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        // A process has only one driver, so the drivers are equal.
        self.raw == other.raw
    }
}

impl Eq for Device {}

impl Device {
    pub(crate) const fn new(driver: Driver, raw: CUdevice) -> Self {
        Self { driver, raw }
    }

    /// Returns the driver that the device belongs to.
    #[must_use]
    pub const fn driver(self) -> Driver {
        self.driver
    }

    /// Returns the raw device.
    #[must_use]
    pub const fn raw(self) -> CUdevice {
        self.raw
    }

    /// `cuDeviceGetName`: returns the product's name.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuDeviceGetName")]
    pub fn name(self) -> Result<String, Error> {
        let mut name: [c_char; 256] = [0; 256];
        // SAFETY: the output is a local of the length that is passed.
        let answer = unsafe { self.driver.calls()?.cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, self.raw) };
        check("cuDeviceGetName", answer, || self.passed())?;
        Ok(text(&name))
    }

    /// `cuDeviceGetUuid`: returns the UUID, which identifies the device in every process.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuDeviceGetUuid")]
    pub fn uuid(self) -> Result<[u8; 16], Error> {
        let mut uuid = CUuuid { bytes: [0; 16] };
        // SAFETY: the output is a local.
        let answer = unsafe { self.driver.calls()?.cuDeviceGetUuid(&mut uuid, self.raw) };
        check("cuDeviceGetUuid", answer, || self.passed())?;
        Ok(uuid.bytes.map(|byte| byte as u8))
    }

    /// `cuDeviceGetPCIBusId`: returns the device's address on the PCI bus, such as `0000:3B:00.0`.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuDeviceGetPCIBusId")]
    pub fn pci_bus_id(self) -> Result<String, Error> {
        let mut place: [c_char; 32] = [0; 32];
        // SAFETY: the output is a local of the length that is passed.
        let answer =
            unsafe { self.driver.calls()?.cuDeviceGetPCIBusId(place.as_mut_ptr(), place.len() as i32, self.raw) };
        check("cuDeviceGetPCIBusId", answer, || self.passed())?;
        Ok(text(&place))
    }

    /// `cuDeviceTotalMem`: returns the size of the device's memory, in bytes.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuDeviceTotalMem")]
    pub fn total_memory(self) -> Result<usize, Error> {
        let mut bytes = 0;
        // SAFETY: the output is a local.
        let answer = unsafe { self.driver.calls()?.cuDeviceTotalMem(&mut bytes, self.raw) };
        check("cuDeviceTotalMem", answer, || self.passed())?;
        Ok(bytes)
    }

    /// `cuDeviceGetAttribute`: returns one attribute, as the driver's number.
    ///
    /// # Errors
    /// [`Error::Refused`] if the driver does not know the attribute.
    #[doc(alias = "cuDeviceGetAttribute")]
    pub fn attribute(self, attribute: CUdevice_attribute) -> Result<i32, Error> {
        let mut value = 0;
        // SAFETY: the output is a local.
        let answer = unsafe { self.driver.calls()?.cuDeviceGetAttribute(&mut value, attribute, self.raw) };
        check("cuDeviceGetAttribute", answer, || format!("attribute {}, {}", attribute.0, self.passed()))?;
        Ok(value)
    }

    pub(crate) fn passed(self) -> String {
        format!("device {}", self.raw)
    }
}

/// Returns the text before the NUL.
fn text(characters: &[c_char]) -> String {
    let bytes: Vec<u8> = characters.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
