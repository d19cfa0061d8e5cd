//! What the driver hands out once and takes back once.
#![allow(unsafe_code)] // Handles cross threads, and are given back once.

use std::ops::Deref;

use crate::drop_hook::report;
use crate::{Error, fork};

/// A handle of the driver's: an address that nobody follows but the driver.
#[derive(Debug)]
pub(crate) struct Raw<T>(pub(crate) *mut T);

impl<T> Clone for Raw<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Raw<T> {}

// SAFETY: the pointer is never followed here, and the driver takes its handles from any thread.
unsafe impl<T> Send for Raw<T> {}
// SAFETY: as above; the driver orders calls of several threads itself.
unsafe impl<T> Sync for Raw<T> {}

/// Something that has to be given back to the driver.
pub(crate) trait Resource {
    /// The public type's name.
    const NAME: &'static str;

    /// Give it back.
    ///
    /// # Safety
    /// This is called once, and nothing uses the resource afterwards.
    unsafe fn give_back(&self) -> Result<(), Error>;
}

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

    /// Give the resource back and return the driver's error. It counts as given back then, too: whether the driver
    /// still holds it is not known, and asking twice could hit what has taken its place.
    pub(crate) fn close(mut self) -> Result<(), Error> {
        self.is_given_back = true;
        fork::check()?;
        // SAFETY: `Drop` will not do it again, and `self` ends here.
        unsafe { self.resource.give_back() }
    }
}

impl<R: Resource> Drop for Owned<R> {
    fn drop(&mut self) {
        // What a forked child inherits is its parent's to give back.
        if self.is_given_back || fork::is_child() {
            return;
        }
        // SAFETY: it was not given back before, and `self` ends here.
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
