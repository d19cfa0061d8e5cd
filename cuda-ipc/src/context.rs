//! Contexts, and which one is current.
#![allow(unsafe_code)] // Calls the driver.

use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr;
use std::sync::Arc;

use crate::drop_hook::report;
use crate::error::check;
use crate::resource::{Owned, Raw, Resource};
use crate::sys::{self, CUcontext, CUctx_st};
use crate::{Device, Driver, Error};

/// A reference on a device's primary context. Clones share it, and everything made in the context holds one.
#[derive(Clone, Debug)]
pub struct Context(Arc<Owned<Primary>>);

#[derive(Debug)]
struct Primary {
    device: Device,
    raw: Raw<CUctx_st>,
}

impl Resource for Primary {
    const NAME: &'static str = "Context";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let Self { device, .. } = self;
        // SAFETY: `Context::primary` took the reference; everything that was made in the context is gone, since it
        // held this value.
        let answer = unsafe { device.driver().raw().cuDevicePrimaryCtxRelease(device.raw()) };
        check("cuDevicePrimaryCtxRelease", answer, || device.passed())
    }
}

impl Context {
    /// `cuDevicePrimaryCtxRetain`: the context of a device that the runtime and most libraries use.
    ///
    /// It is created where nobody else has retained it yet, and does not become current.
    ///
    /// # Errors
    /// [`Error::Refused`], for example where the device's memory is exhausted.
    pub fn primary(device: Device) -> Result<Self, Error> {
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local.
        let answer = unsafe { device.driver().raw().cuDevicePrimaryCtxRetain(&mut raw, device.raw()) };
        check("cuDevicePrimaryCtxRetain", answer, || device.passed())?;
        Ok(Self(Arc::new(Owned::new(Primary { device, raw: Raw(raw) }))))
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// The driver it belongs to.
    #[must_use]
    pub fn driver(&self) -> Driver {
        self.0.device.driver()
    }

    /// The raw context, which lives as long as this value or a clone of it.
    #[must_use]
    pub fn raw(&self) -> CUcontext {
        self.0.raw.0
    }

    /// `cuCtxSynchronize`: wait until everything is done that was enqueued in the context.
    ///
    /// # Errors
    /// [`Error::Refused`] with the error of the device's work, where it failed.
    pub fn synchronize(&self) -> Result<(), Error> {
        let driver = self.enter()?;
        // SAFETY: a context is current.
        check("cuCtxSynchronize", unsafe { driver.cuCtxSynchronize() }, String::new)
    }

    /// `cuDevicePrimaryCtxRelease`: give the reference back, as dropping does, and see the error.
    ///
    /// While clones live, or anything that was made in the context, this does nothing: the last one gives it back.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    pub fn release(self) -> Result<(), Error> {
        Arc::into_inner(self.0).map_or(Ok(()), Owned::close)
    }

    /// Make the context current until the guard is dropped.
    pub(crate) fn enter(&self) -> Result<Entered<'_>, Error> {
        let driver = self.driver().raw();
        // SAFETY: the context lives, since this value holds a reference on it.
        check("cuCtxPushCurrent", unsafe { driver.cuCtxPushCurrent(self.raw()) }, String::new)?;
        Ok(Entered { driver, stays_here: PhantomData })
    }
}

/// The driver's functions while a context is current; the end restores the one that was.
pub(crate) struct Entered<'context> {
    driver: &'static sys::Driver,
    /// It borrows the context, and stays in its thread.
    stays_here: PhantomData<(&'context Context, *const ())>,
}

impl Deref for Entered<'_> {
    type Target = sys::Driver;

    fn deref(&self) -> &sys::Driver {
        self.driver
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut popped = ptr::null_mut();
        // SAFETY: the output is a local. What is popped is what `enter` pushed: guards end in the reverse order, and
        // no code of others runs within.
        let answer = unsafe { self.driver.cuCtxPopCurrent(&mut popped) };
        if let Err(error) = check("cuCtxPopCurrent", answer, String::new) {
            report(Primary::NAME, error);
        }
    }
}
