//! Driver resources, each of which has one owner and is given back to the driver once.
#![allow(unsafe_code)] // Handles cross threads, and are given back once.

use std::ops::Deref;

use crate::drop_hook::report;
use crate::{Error, fork};

/// A driver handle: an address that only the driver dereferences.
#[derive(Debug)]
pub(crate) struct Raw<T>(pub(crate) *mut T);

impl<T> Clone for Raw<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Raw<T> {}

// Relies on: the driver and the kernel.
// SAFETY: the pointer is never dereferenced here, and the driver accepts its handles from any thread.
unsafe impl<T> Send for Raw<T> {}
// SAFETY: as above; the driver itself synchronises calls from several threads.
unsafe impl<T> Sync for Raw<T> {}

/// A resource that must be given back to the driver.
pub(crate) trait Resource {
    /// The name of the public type.
    const NAME: &'static str;

    /// Gives the resource back.
    ///
    /// # Safety
    /// This must be called only once, and nothing may use the resource afterwards.
    unsafe fn give_back(&self) -> Result<(), Error>;
}

// Relies on: correct raw calls.
/// The only owner of a resource.
#[derive(Debug)]
pub(crate) struct Owned<R: Resource> {
    pub(crate) resource: R,
    is_given_back: bool,
}

impl<R: Resource> Owned<R> {
    pub(crate) const fn new(resource: R) -> Self {
        Self { resource, is_given_back: false }
    }

    /// Gives up the ownership: the resource is not given back, and the caller is responsible for it.
    pub(crate) fn relinquish(mut self) {
        self.is_given_back = true;
    }

    /// Gives the resource back and returns the driver's error.
    ///
    /// Even after an error, the resource counts as given back. It is not known whether the driver still holds it, and a
    /// second call could hit a resource that has taken its place.
    pub(crate) fn close(mut self) -> Result<(), Error> {
        self.is_given_back = true;
        fork::check()?;
        // SAFETY: `Drop` does not give it back again, and `self` ends here.
        unsafe { self.resource.give_back() }
    }
}

impl<R: Resource> Drop for Owned<R> {
    fn drop(&mut self) {
        // Only the parent may give back what a forked child inherits.
        if self.is_given_back || fork::is_child() {
            return;
        }
        // SAFETY: the resource was not given back before, and `self` ends here.
        if let Err(error) = unsafe { self.resource.give_back() } {
            report(R::NAME, error);
        }
    }
}

impl<R: Resource> Deref for Owned<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.resource
    }
}
