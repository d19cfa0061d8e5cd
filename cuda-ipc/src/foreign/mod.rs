//! Uses contexts, streams, events and memory that other code made, and hands ours to other code.
//!
//! | resource | take over | borrow | hand over |
//! |---|---|---|---|
//! | context | [`Context::from_raw`] | [`Context::borrow_raw`] | [`Context::into_raw`] |
//! | stream | [`Stream::from_raw`] | [`Stream::borrow_raw`] | [`Stream::into_raw`] |
//! | event | [`InterprocessEvent::from_raw`] | [`ForeignEvent::borrow_raw`] | [`InterprocessEvent::into_raw`] |
//! | memory | [`DeviceBuffer::from_raw`] | [`ForeignMemory::borrow_raw`] | [`DeviceBuffer::into_raw`] |
//!
//! Dropping a value that was taken over releases the resource. Dropping a borrowed value does not. Instead, a borrowed
//! value holds an *owner*: a value of the other code, such as an `Arc`, that keeps the resource alive. The owner is
//! dropped after the last use. To let other code borrow a value of this crate, pass it what the method `raw` or
//! `pointer` returns, and keep the value.
//!
//! Every call that takes a raw handle is `unsafe`. The features `cudarc` and `dlpack` have conversions that know the
//! types of the other side, most of which are safe: [the guide](crate::guide::beside).
#![allow(unsafe_code)] // Takes raw handles, and drops owners.

mod context;
#[cfg(feature = "cudarc")]
mod cudarc;
#[cfg(feature = "dlpack")]
pub mod dlpack;
mod error;
mod event;
mod memory;
mod stream;

use std::any::Any;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::panic::RefUnwindSafe;

#[cfg(feature = "cudarc")]
pub use self::cudarc::CudarcSlice;
pub use error::ForeignError;
pub use event::ForeignEvent;
pub use memory::ForeignMemory;

use crate::fork;
#[cfg(doc)]
use crate::{Context, DeviceBuffer, Stream, event::InterprocessEvent};

/// What keeps a resource of other code alive. It is dropped with the resource's last use, but not in a forked child,
/// where it still belongs to the parent.
pub(crate) struct Owner<O>(ManuallyDrop<O>);

/// An owner of any type, for values whose clones share it.
pub(crate) type AnyOwner = Owner<Box<dyn Any + Send + Sync>>;

// It is only dropped, so no one sees what a panic left in it. Values stay usable around `catch_unwind` this way.
impl RefUnwindSafe for AnyOwner {}

impl<O> Owner<O> {
    pub(crate) const fn new(owner: O) -> Self {
        Self(ManuallyDrop::new(owner))
    }

    pub(crate) fn into_inner(self) -> O {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is not used or dropped afterwards.
        unsafe { ManuallyDrop::take(&mut this.0) }
    }
}

impl<O> Drop for Owner<O> {
    fn drop(&mut self) {
        if !fork::is_child() {
            // SAFETY: `self` ends here.
            unsafe { ManuallyDrop::drop(&mut self.0) }
        }
    }
}

impl<O> Deref for Owner<O> {
    type Target = O;

    fn deref(&self) -> &O {
        &self.0
    }
}

impl<O> fmt::Debug for Owner<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Owner({})", std::any::type_name::<O>())
    }
}
