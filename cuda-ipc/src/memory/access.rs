//! The access of kernels to memory.
#![allow(unsafe_code)] // Calls the driver.

use crate::error::check;
use crate::memory::DeviceMemory;
use crate::sys::{CUmemAccess_flags, CUpointer_attribute};
use crate::vmm::Access;
use crate::{Context, Error};

impl DeviceMemory {
    /// Returns an error unless kernels of a context have this access to the memory. A kernel that lacks access ends all
    /// work of the process on its device.
    ///
    /// The driver is asked only if the answer can vary: for memory of another context, and for mapped or pool memory.
    ///
    /// # Errors
    /// [`Error::NoAccess`]; [`Error::Refused`] with the driver's error code.
    pub(crate) fn require_access(&self, context: &Context, wanted: Access) -> Result<(), Error> {
        if !self.access_varies && self.context == *context {
            return Ok(());
        }
        let found = self.access_of(context)?;
        if found.includes(wanted) {
            return Ok(());
        }
        Err(Error::NoAccess { device: context.device().raw(), pointer: self.pointer, found, wanted })
    }

    /// `cuPointerGetAttribute` with `CU_POINTER_ATTRIBUTE_ACCESS_FLAGS`: returns the access of a context's device.
    fn access_of(&self, context: &Context) -> Result<Access, Error> {
        let driver = context.enter()?;
        let (mut flags, attribute) = (0_u32, CUpointer_attribute::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS);
        // SAFETY: the output is a local of the attribute's type. The address is looked up and not dereferenced.
        let answer = unsafe { driver.cuPointerGetAttribute((&raw mut flags).cast(), attribute, self.pointer) };
        check("cuPointerGetAttribute", answer, || format!("ACCESS_FLAGS of {:#x}", self.pointer))?;
        // The attribute's flags have the values of `CUmemAccess_flags`.
        Ok(Access::from_flags(CUmemAccess_flags(flags)))
    }
}
