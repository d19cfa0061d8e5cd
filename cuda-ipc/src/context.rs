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
use crate::{Device, Driver, Error, fork};

/// A context: a device's primary one, or one of its own. Clones share it, and everything made in the context holds one.
#[derive(Clone, Debug)]
pub struct Context(Arc<Owned<Held>>);

#[derive(Debug)]
struct Held {
    device: Device,
    raw: Raw<CUctx_st>,
    origin: Origin,
}

#[derive(Clone, Copy, Debug)]
enum Origin {
    Primary,
    Created,
}

impl Resource for Held {
    const NAME: &'static str = "Context";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let driver = self.device.driver().calls()?;
        match self.origin {
            Origin::Primary => {
                // SAFETY: `Context::primary` took the reference; everything that was made in the context is gone,
                // since it held this value.
                let answer = unsafe { driver.cuDevicePrimaryCtxRelease(self.device.raw()) };
                check("cuDevicePrimaryCtxRelease", answer, || self.device.passed())
            }
            Origin::Created => {
                // SAFETY: `Context::new` created it; everything that was made in the context is gone, as above.
                check("cuCtxDestroy", unsafe { driver.cuCtxDestroy(self.raw.0) }, || self.device.passed())
            }
        }
    }
}

impl Context {
    /// `cuDevicePrimaryCtxRetain`: the context of a device that the runtime and most libraries use.
    ///
    /// It is created where nobody else has retained it yet, and does not become current.
    ///
    /// # Errors
    /// [`Error::Refused`], for example where the device's memory is exhausted.
    #[doc(alias = "cuDevicePrimaryCtxRetain")]
    pub fn primary(device: Device) -> Result<Self, Error> {
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local.
        let answer = unsafe { device.driver().calls()?.cuDevicePrimaryCtxRetain(&mut raw, device.raw()) };
        check("cuDevicePrimaryCtxRetain", answer, || device.passed())?;
        Ok(Self::hold(device, raw, Origin::Primary))
    }

    /// `cuCtxCreate` with flags 0: a context beside the primary one. It does not become current.
    ///
    /// Rarely what one wants: the runtime and most libraries know the primary context only, each context costs memory,
    /// and a handle that is open in one context of a device cannot be opened in another.
    ///
    /// # Errors
    /// As [`Context::primary`].
    #[doc(alias = "cuCtxCreate")]
    pub fn new(device: Device) -> Result<Self, Error> {
        let driver = device.driver().calls()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local.
        check("cuCtxCreate", unsafe { driver.cuCtxCreate(&mut raw, 0, device.raw()) }, || device.passed())?;
        let context = Self::hold(device, raw, Origin::Created);
        // The driver made it current.
        drop(Entered { driver, pushed: true, stays_here: PhantomData });
        Ok(context)
    }

    fn hold(device: Device, raw: CUcontext, origin: Origin) -> Self {
        Self(Arc::new(Owned::new(Held { device, raw: Raw(raw), origin })))
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
    #[doc(alias = "cuCtxSynchronize")]
    pub fn synchronize(&self) -> Result<(), Error> {
        let driver = self.enter()?;
        // SAFETY: a context is current.
        check("cuCtxSynchronize", unsafe { driver.cuCtxSynchronize() }, String::new)
    }

    /// `cuMemGetInfo`: the bytes of the device's memory that are free, and those that it has.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuMemGetInfo")]
    pub fn memory_info(&self) -> Result<(usize, usize), Error> {
        let driver = self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the outputs are locals.
        check("cuMemGetInfo", unsafe { driver.cuMemGetInfo(&mut free, &mut total) }, String::new)?;
        Ok((free, total))
    }

    /// `cuCtxPushCurrent`, `cuCtxPopCurrent`: run something with this context current in the calling thread, for calls
    /// of other libraries. What was current before is current afterwards, also after a panic.
    ///
    /// Whatever runs there has to leave the thread's stack of contexts as it found it.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered; nothing has run then.
    #[doc(alias = "cuCtxPushCurrent")]
    #[doc(alias = "cuCtxPopCurrent")]
    pub fn within<T>(&self, run: impl FnOnce() -> T) -> Result<T, Error> {
        let _entered = self.enter()?;
        Ok(run())
    }

    /// `cuDevicePrimaryCtxRelease` or `cuCtxDestroy`: what dropping does, and the error.
    ///
    /// While clones live, or anything that was made in the context, this does nothing: the last one gives it back.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuDevicePrimaryCtxRelease")]
    #[doc(alias = "cuCtxDestroy")]
    pub fn release(self) -> Result<(), Error> {
        Arc::into_inner(self.0).map_or(Ok(()), Owned::close)
    }

    /// Make the context current until the guard is dropped.
    pub(crate) fn enter(&self) -> Result<Entered<'_>, Error> {
        let driver = self.driver().calls()?;
        let mut current = ptr::null_mut();
        // SAFETY: the output is a local.
        check("cuCtxGetCurrent", unsafe { driver.cuCtxGetCurrent(&mut current) }, String::new)?;
        let pushed = current != self.raw();
        if pushed {
            // SAFETY: the context lives, since this value holds it.
            check("cuCtxPushCurrent", unsafe { driver.cuCtxPushCurrent(self.raw()) }, String::new)?;
        }
        Ok(Entered { driver, pushed, stays_here: PhantomData })
    }
}

impl PartialEq for Context {
    fn eq(&self, other: &Self) -> bool {
        self.raw() == other.raw()
    }
}

impl Eq for Context {}

/// The driver's functions while a context is current; the end restores the one that was.
pub(crate) struct Entered<'context> {
    driver: &'static sys::Driver,
    pushed: bool,
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
        // A child that was forked meanwhile has no driver, and its stack of contexts is nobody's.
        if !self.pushed || fork::is_child() {
            return;
        }
        let mut popped = ptr::null_mut();
        // SAFETY: the output is a local. What is popped is what was pushed: guards end in the reverse order.
        let answer = unsafe { self.driver.cuCtxPopCurrent(&mut popped) };
        if let Err(error) = check("cuCtxPopCurrent", answer, String::new) {
            report(Held::NAME, error);
        }
    }
}
