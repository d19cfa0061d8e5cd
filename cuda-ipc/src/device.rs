//! Devices.
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
        // A process has one driver.
        self.raw == other.raw
    }
}

impl Eq for Device {}

impl Device {
    pub(crate) const fn new(driver: Driver, raw: CUdevice) -> Self {
        Self { driver, raw }
    }

    /// The driver it belongs to.
    #[must_use]
    pub const fn driver(self) -> Driver {
        self.driver
    }

    /// The raw device.
    #[must_use]
    pub const fn raw(self) -> CUdevice {
        self.raw
    }

    /// `cuDeviceGetName`: the product's name.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuDeviceGetName")]
    pub fn name(self) -> Result<String, Error> {
        let mut name: [c_char; 256] = [0; 256];
        // SAFETY: the output is a local of the length that is passed.
        let answer = unsafe { self.driver.calls()?.cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, self.raw) };
        check("cuDeviceGetName", answer, || self.passed())?;
        Ok(text(&name))
    }

    /// `cuDeviceGetUuid`: what names the device in every process.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuDeviceGetUuid")]
    pub fn uuid(self) -> Result<[u8; 16], Error> {
        let mut uuid = CUuuid { bytes: [0; 16] };
        // SAFETY: the output is a local.
        let answer = unsafe { self.driver.calls()?.cuDeviceGetUuid(&mut uuid, self.raw) };
        check("cuDeviceGetUuid", answer, || self.passed())?;
        Ok(uuid.bytes.map(|byte| byte.cast_unsigned()))
    }

    /// `cuDeviceGetPCIBusId`: its place on the PCI bus, such as `0000:3B:00.0`.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuDeviceGetPCIBusId")]
    pub fn pci_bus_id(self) -> Result<String, Error> {
        let mut place: [c_char; 32] = [0; 32];
        // SAFETY: the output is a local of the length that is passed.
        let answer =
            unsafe { self.driver.calls()?.cuDeviceGetPCIBusId(place.as_mut_ptr(), place.len() as i32, self.raw) };
        check("cuDeviceGetPCIBusId", answer, || self.passed())?;
        Ok(text(&place))
    }

    /// `cuDeviceTotalMem`: the bytes of memory that the device has.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuDeviceTotalMem")]
    pub fn total_memory(self) -> Result<usize, Error> {
        let mut bytes = 0;
        // SAFETY: the output is a local.
        let answer = unsafe { self.driver.calls()?.cuDeviceTotalMem(&mut bytes, self.raw) };
        check("cuDeviceTotalMem", answer, || self.passed())?;
        Ok(bytes)
    }

    /// `cuDeviceGetAttribute`: one attribute, as the number that the driver gives.
    ///
    /// # Errors
    /// [`Error::Refused`] where the driver does not know the attribute.
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

/// What stands before the NUL.
fn text(characters: &[c_char]) -> String {
    let bytes: Vec<u8> = characters.iter().take_while(|c| **c != 0).map(|c| c.cast_unsigned()).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
