//! Contexts, and making them current.
#![allow(unsafe_code)] // Calls the driver.

use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr;
use std::sync::Arc;

use crate::drop_hook::{Unlocked, report};
use crate::error::check;
use crate::foreign::AnyOwner;
use crate::resource::{Owned, Raw, Resource};
use crate::sys::{self, CUcontext, CUctx_st};
use crate::{Device, Driver, Error, fork};

// Relies on: no reset of the primary context.
/// A context of a device: the primary one, or a separate one. Clones share the context, and every value that was
/// created in it holds a clone.
#[derive(Clone, Debug)]
pub struct Context(Arc<Owned<Held>>);

#[derive(Debug)]
struct Held {
    device: Device,
    raw: Raw<CUctx_st>,
    origin: Origin,
}

#[derive(Debug)]
pub(crate) enum Origin {
    Primary,
    Created,
    /// Other code owns the context. The field keeps it alive, and is dropped with the last clone.
    Foreign(#[expect(dead_code, reason = "it is only dropped")] Unlocked<AnyOwner>),
}

impl Resource for Held {
    const NAME: &'static str = "Context";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let driver = self.device.driver().calls()?;
        match &self.origin {
            Origin::Primary => {
                // SAFETY: `Context::primary` took the reference. Every value that was created in the context kept this
                // one alive, so all of them are gone.
                let answer = unsafe { driver.cuDevicePrimaryCtxRelease(self.device.raw()) };
                check("cuDevicePrimaryCtxRelease", answer, || self.device.passed())
            }
            Origin::Created => {
                // SAFETY: `Context::new` created it. As above, every value that was created in the context is gone.
                check("cuCtxDestroy", unsafe { driver.cuCtxDestroy(self.raw.0) }, || self.device.passed())
            }
            Origin::Foreign(_) => Ok(()),
        }
    }
}

impl Context {
    /// `cuDevicePrimaryCtxRetain`: retains the primary context of a device, which the runtime and most libraries use.
    ///
    /// The driver creates the context if nothing has retained it yet. It does not become current.
    ///
    /// # Errors
    /// [`Error::Refused`], for example if the device's memory is exhausted.
    #[doc(alias = "cuDevicePrimaryCtxRetain")]
    pub fn primary(device: Device) -> Result<Self, Error> {
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local.
        let answer = unsafe { device.driver().calls()?.cuDevicePrimaryCtxRetain(&mut raw, device.raw()) };
        check("cuDevicePrimaryCtxRetain", answer, || device.passed())?;
        Ok(Self::hold(device, raw, Origin::Primary))
    }

    /// `cuDevicePrimaryCtxGetState`: retains the primary context of a device, if anything has retained it already.
    #[cfg(feature = "dlpack")]
    pub(crate) fn active_primary(device: Device) -> Result<Option<Self>, Error> {
        let (mut flags, mut is_active) = (0, 0);
        // SAFETY: the outputs are locals.
        let answer =
            unsafe { device.driver().calls()?.cuDevicePrimaryCtxGetState(device.raw(), &mut flags, &mut is_active) };
        check("cuDevicePrimaryCtxGetState", answer, || device.passed())?;
        if is_active == 0 { Ok(None) } else { Self::primary(device).map(Some) }
    }

    /// `cuCtxCreate` with flags 0: creates a context beside the primary one. It does not become current.
    ///
    /// Usually [`Context::primary`] is the better choice. The runtime and most libraries use only the primary context.
    /// Each context costs memory, and a legacy handle that is open in one context of a device cannot be opened in
    /// another.
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
        // `cuCtxCreate` has made the context current: pop it.
        drop(Entered { driver, pushed: true, stays_here: PhantomData });
        Ok(context)
    }

    pub(crate) fn hold(device: Device, raw: CUcontext, origin: Origin) -> Self {
        Self(Arc::new(Owned::new(Held { device, raw: Raw(raw), origin })))
    }

    /// Returns the device of the context.
    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Returns the driver that the context belongs to.
    #[must_use]
    pub fn driver(&self) -> Driver {
        self.0.device.driver()
    }

    /// Returns the raw context, which is valid as long as this value or a clone of it exists.
    #[must_use]
    pub fn raw(&self) -> CUcontext {
        self.0.raw.0
    }

    /// `cuCtxSynchronize`: waits until all work that was enqueued in the context is done.
    ///
    /// # Errors
    /// [`Error::Refused`] with the error of the device's work, if the work failed.
    #[doc(alias = "cuCtxSynchronize")]
    pub fn synchronize(&self) -> Result<(), Error> {
        let driver = self.enter()?;
        // SAFETY: a context is current.
        check("cuCtxSynchronize", unsafe { driver.cuCtxSynchronize() }, String::new)
    }

    /// `cuMemGetInfo`: returns the free bytes and the total bytes of the device's memory.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemGetInfo")]
    pub fn memory_info(&self) -> Result<(usize, usize), Error> {
        let driver = self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the outputs are locals.
        check("cuMemGetInfo", unsafe { driver.cuMemGetInfo(&mut free, &mut total) }, String::new)?;
        Ok((free, total))
    }

    /// `cuCtxPushCurrent`, `cuCtxPopCurrent`: runs a function with this context current in the calling thread, so that
    /// it can call other libraries. Afterwards the previous context is current again, even after a panic.
    ///
    /// The function must leave the thread's stack of contexts as it found it. cudarc does not always do so: it makes a
    /// context current, also when it drops a value.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code. In that case the function was not called.
    #[doc(alias = "cuCtxPushCurrent")]
    #[doc(alias = "cuCtxPopCurrent")]
    pub fn within<T>(&self, run: impl FnOnce() -> T) -> Result<T, Error> {
        let _entered = self.enter()?;
        Ok(run())
    }

    /// `cuDevicePrimaryCtxRelease` or `cuCtxDestroy`: releases the context as dropping does, and returns the error.
    ///
    /// This does nothing while there are clones, or values that were created in the context. Dropping the last of them
    /// releases the context.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuDevicePrimaryCtxRelease")]
    #[doc(alias = "cuCtxDestroy")]
    pub fn release(self) -> Result<(), Error> {
        Arc::into_inner(self.0).map_or(Ok(()), Owned::close)
    }

    /// Makes the context current until the guard is dropped.
    #[inline]
    pub(crate) fn enter(&self) -> Result<Entered<'_>, Error> {
        // SAFETY: the context lives, since this value holds it and the guard borrows the value.
        unsafe { Entered::push(self.driver(), self.raw()) }
    }

    /// Gives up a context that this value alone holds, and that is its own to release: returns the raw context, and does
    /// not release it.
    pub(crate) fn relinquish(self) -> Result<CUcontext, Self> {
        let held = Arc::try_unwrap(self.0).map_err(Self)?;
        if matches!(held.origin, Origin::Foreign(_)) {
            return Err(Self(Arc::new(held)));
        }
        let raw = held.raw.0;
        held.relinquish();
        Ok(raw)
    }
}

impl PartialEq for Context {
    fn eq(&self, other: &Self) -> bool {
        self.raw() == other.raw()
    }
}

impl Eq for Context {}

/// The driver's functions while a context is current. Dropping it makes the previous context current again.
pub(crate) struct Entered<'context> {
    driver: &'static sys::Driver,
    pushed: bool,
    /// Borrows the context, and keeps the guard in its thread.
    stays_here: PhantomData<(&'context Context, *const ())>,
}

impl Entered<'_> {
    /// Makes a context current until the guard is dropped.
    ///
    /// # Safety
    /// The context must live at least as long as the guard.
    #[inline]
    pub(crate) unsafe fn push(driver: Driver, raw: CUcontext) -> Result<Self, Error> {
        let driver = driver.calls()?;
        let mut current = ptr::null_mut();
        // SAFETY: the output is a local.
        check("cuCtxGetCurrent", unsafe { driver.cuCtxGetCurrent(&mut current) }, String::new)?;
        let pushed = current != raw;
        if pushed {
            // SAFETY: the caller promises that the context lives.
            check("cuCtxPushCurrent", unsafe { driver.cuCtxPushCurrent(raw) }, String::new)?;
        }
        Ok(Entered { driver, pushed, stays_here: PhantomData })
    }
}

impl Deref for Entered<'_> {
    type Target = sys::Driver;

    fn deref(&self) -> &sys::Driver {
        self.driver
    }
}

impl Drop for Entered<'_> {
    #[inline]
    fn drop(&mut self) {
        // A child that was forked in the meantime cannot call the driver, and its stack of contexts has no use.
        if !self.pushed || fork::is_child() {
            return;
        }
        let mut popped = ptr::null_mut();
        // SAFETY: the output is a local. Guards end in reverse order, so this pops the context that this guard pushed.
        let answer = unsafe { self.driver.cuCtxPopCurrent(&mut popped) };
        if let Err(error) = check("cuCtxPopCurrent", answer, String::new) {
            report(Held::NAME, error);
        }
    }
}
