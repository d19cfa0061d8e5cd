//! Raw contexts.

use crate::context::{Entered, Origin};
use crate::drop_hook::Unlocked;
use crate::error::check;
use crate::foreign::AnyOwner;
use crate::sys::CUcontext;
use crate::{Context, Device, Driver, Error};

impl Context {
    /// `cuCtxGetDevice`: takes over a context from `cuCtxCreate`. Dropping the value destroys the context.
    ///
    /// For a primary context, use [`Context::primary`], which retains it once more.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code. The context then still belongs to the caller.
    ///
    /// # Safety
    /// The caller promises that
    /// - `raw` is a live context that `cuCtxCreate` of this driver's library returned, and not a primary context;
    /// - nothing else destroys it;
    /// - other code no longer uses it, or anything that was created in it, when the last clone of the value is dropped.
    #[doc(alias = "cuCtxGetDevice")]
    pub unsafe fn from_raw(driver: Driver, raw: CUcontext) -> Result<Self, Error> {
        // SAFETY: the caller promises that the context lives.
        Ok(Self::hold(unsafe { device_of(driver, raw)? }, raw, Origin::Created))
    }

    /// `cuCtxGetDevice`: borrows a context of other code, primary or not. Dropping the value does not release it.
    ///
    /// `owner` is dropped with the last clone of the value. Everything that is created in the context holds a clone.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    ///
    /// # Safety
    /// The caller promises that
    /// - `raw` is a live context of this driver's library;
    /// - it is not destroyed, reset or released for the last time before `owner` is dropped.
    #[doc(alias = "cuCtxGetDevice")]
    pub unsafe fn borrow_raw<O>(driver: Driver, raw: CUcontext, owner: O) -> Result<Self, Error>
    where
        O: Send + Sync + 'static,
    {
        // SAFETY: the caller promises that the context lives.
        let device = unsafe { device_of(driver, raw)? };
        Ok(Self::hold(device, raw, Origin::Foreign(Unlocked::new(AnyOwner::new(Box::new(owner))))))
    }

    /// Hands the context over: returns the raw context, which this crate no longer releases.
    ///
    /// The caller releases it: with `cuDevicePrimaryCtxRelease` if it is a primary context, otherwise with
    /// `cuCtxDestroy`.
    ///
    /// # Errors
    /// The value itself, if the context is borrowed, or is still in use: by a clone, or by a value that was created in
    /// it.
    pub fn into_raw(self) -> Result<CUcontext, Self> {
        self.relinquish()
    }
}

/// `cuCtxGetDevice`: returns the device of a context.
///
/// # Safety
/// The context must live.
unsafe fn device_of(driver: Driver, raw: CUcontext) -> Result<Device, Error> {
    // SAFETY: the caller promises that the context lives.
    let entered = unsafe { Entered::push(driver, raw)? };
    let mut device = 0;
    // SAFETY: the output is a local.
    check("cuCtxGetDevice", unsafe { entered.cuCtxGetDevice(&mut device) }, String::new)?;
    Ok(Device::new(driver, device))
}
