//! Events.
#![allow(unsafe_code)] // Calls the driver.

use std::ops::Deref;
use std::ptr;

use crate::error::{check, is_done};
use crate::resource::{Owned, Raw, Resource};
use crate::sys::{CUevent, CUevent_flags, CUevent_st};
use crate::{Context, Error, Stream};

/// A mark in a stream's order, wherever it was made: what an [`InterprocessEvent`] and an
/// [`ImportedEvent`](crate::ipc::ImportedEvent) have in common.
///
/// What is awaited is the latest record at the moment of the call, by whichever process; before any there is nothing
/// to wait for.
#[derive(Debug)]
pub struct Event {
    context: Context,
    raw: Raw<CUevent_st>,
}

impl Resource for Event {
    const NAME: &'static str = "Event";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let driver = self.context.enter()?;
        // SAFETY: the event is live and not used again. What waits for it goes on waiting.
        check("cuEventDestroy", unsafe { driver.cuEventDestroy(self.raw.0) }, String::new)
    }
}

impl Event {
    pub(crate) fn new(context: &Context, raw: CUevent) -> Self {
        Self { context: context.clone(), raw: Raw(raw) }
    }

    /// The context it belongs to.
    #[must_use]
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// The raw event, which lives as long as this value.
    #[must_use]
    pub const fn raw(&self) -> CUevent {
        self.raw.0
    }

    /// `cuEventRecord`: mark the place that a stream has come to; the event then stands for all that was enqueued
    /// before.
    ///
    /// # Errors
    /// [`Error::Refused`] where the stream belongs to another context.
    pub fn record(&self, stream: &Stream) -> Result<(), Error> {
        let driver = stream.context().enter()?;
        // SAFETY: both handles are live.
        check("cuEventRecord", unsafe { driver.cuEventRecord(self.raw(), stream.raw()) }, String::new)
    }

    /// `cuEventQuery`: whether what was recorded is done.
    ///
    /// # Errors
    /// [`Error::Refused`] with the error of the work, where it failed.
    pub fn query(&self) -> Result<bool, Error> {
        let driver = self.context.enter()?;
        // SAFETY: the event is live.
        is_done("cuEventQuery", unsafe { driver.cuEventQuery(self.raw()) })
    }

    /// `cuEventSynchronize`: wait until what was recorded is done.
    ///
    /// If the process that recorded is killed before its work is done, this does not return (seen on an H200). Where
    /// that matters, [`Event::query`] with a deadline.
    ///
    /// # Errors
    /// [`Error::Refused`] with the error of the work, where it failed.
    pub fn synchronize(&self) -> Result<(), Error> {
        let driver = self.context.enter()?;
        // SAFETY: the event is live.
        check("cuEventSynchronize", unsafe { driver.cuEventSynchronize(self.raw()) }, String::new)
    }
}

/// An event of this process that others can open. It measures no time.
#[derive(Debug)]
pub struct InterprocessEvent(Owned<Event>);

impl InterprocessEvent {
    /// `cuEventCreate` with `CU_EVENT_INTERPROCESS` and `CU_EVENT_DISABLE_TIMING`, of which the first asks for the
    /// second.
    ///
    /// # Errors
    /// [`Error::Refused`], for example where the process has as many as the driver gives.
    pub fn new(context: &Context) -> Result<Self, Error> {
        let flags = CUevent_flags::CU_EVENT_INTERPROCESS | CUevent_flags::CU_EVENT_DISABLE_TIMING;
        let driver = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local.
        check("cuEventCreate", unsafe { driver.cuEventCreate(&mut raw, flags.0) }, || format!("flags {}", flags.0))?;
        Ok(Self(Owned::new(Event::new(context, raw))))
    }

    /// `cuEventDestroy`: what dropping does, and the error.
    ///
    /// Whoever imported the event has promised to have closed it before.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    pub fn destroy(self) -> Result<(), Error> {
        self.0.close()
    }
}

impl Deref for InterprocessEvent {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.0
    }
}
