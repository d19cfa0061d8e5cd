//! The access of kernels to memory.
#![allow(unsafe_code)] // Calls the driver.

use crate::error::check;
use crate::memory::DeviceMemory;
use crate::sys::{CUmemAccess_flags, CUpointer_attribute, CUresult};
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

    /// `cuPointerGetAttribute`: returns the access of a context's kernels.
    fn access_of(&self, context: &Context) -> Result<Access, Error> {
        use CUpointer_attribute as A;
        let driver = context.enter()?;
        let ask = |attribute| {
            let mut value = 0_u64;
            // SAFETY: the output has room for both attributes. The address is looked up and not dereferenced.
            let answer = unsafe { driver.cuPointerGetAttribute((&raw mut value).cast(), attribute, self.pointer) };
            (value, answer)
        };
        // Whether kernels of the context reach the memory. For linear memory and pools only this attribute tells.
        let (_, answer) = ask(A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER);
        if answer == Ok(CUresult::CUDA_ERROR_INVALID_VALUE) {
            return Ok(Access::None);
        }
        check("cuPointerGetAttribute", answer, || format!("DEVICE_POINTER of {:#x}", self.pointer))?;
        // What they may do with it. Of memory that is not mapped, an H200 always says that it can be read and written.
        let (flags, answer) = ask(A::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS);
        check("cuPointerGetAttribute", answer, || format!("ACCESS_FLAGS of {:#x}", self.pointer))?;
        // The attribute is 32 bits wide, and its flags have the values of `CUmemAccess_flags`.
        Ok(Access::from_flags(CUmemAccess_flags(flags as u32)))
    }
}
