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
    pub fn name(self) -> Result<String, Error> {
        let mut name: [c_char; 256] = [0; 256];
        // SAFETY: the output is a local of the length that is passed.
        let answer = unsafe { self.driver.raw().cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, self.raw) };
        check("cuDeviceGetName", answer, || self.passed())?;
        let bytes: Vec<u8> = name.iter().take_while(|byte| **byte != 0).map(|byte| byte.cast_unsigned()).collect();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// `cuDeviceGetUuid`: what names the device in every process.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    pub fn uuid(self) -> Result<[u8; 16], Error> {
        let mut uuid = CUuuid { bytes: [0; 16] };
        // SAFETY: the output is a local.
        check("cuDeviceGetUuid", unsafe { self.driver.raw().cuDeviceGetUuid(&mut uuid, self.raw) }, || self.passed())?;
        Ok(uuid.bytes.map(|byte| byte.cast_unsigned()))
    }

    /// `cuDeviceGetAttribute`: one attribute, as the number that the driver gives.
    ///
    /// # Errors
    /// [`Error::Refused`] where the driver does not know the attribute.
    pub fn attribute(self, attribute: CUdevice_attribute) -> Result<i32, Error> {
        let mut value = 0;
        // SAFETY: the output is a local.
        let answer = unsafe { self.driver.raw().cuDeviceGetAttribute(&mut value, attribute, self.raw) };
        check("cuDeviceGetAttribute", answer, || format!("attribute {}, {}", attribute.0, self.passed()))?;
        Ok(value)
    }

    pub(crate) fn passed(self) -> String {
        format!("device {}", self.raw)
    }
}
