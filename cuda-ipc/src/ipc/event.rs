//! Legacy event handles.
#![allow(unsafe_code)] // Calls the driver, and opens what other processes made.

use std::ops::Deref;
use std::ptr;

use crate::error::check;
use crate::event::{Event, InterprocessEvent};
use crate::resource::Owned;
use crate::sys::CUipcEventHandle;
use crate::{Context, Error};

use super::EventHandle;

impl InterprocessEvent {
    /// `cuIpcGetEventHandle`: the handle with which other processes open this event.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuIpcGetEventHandle")]
    pub fn ipc_handle(&self) -> Result<EventHandle, Error> {
        let driver = self.context().enter()?;
        let mut handle = CUipcEventHandle::default();
        // SAFETY: the output is a local, and the event is live.
        check("cuIpcGetEventHandle", unsafe { driver.cuIpcGetEventHandle(&mut handle, self.raw()) }, String::new)?;
        Ok(EventHandle(handle))
    }
}

/// An event of another process. It has no handle of its own to pass on.
#[derive(Debug)]
pub struct ImportedEvent(Owned<Event>);

impl ImportedEvent {
    /// `cuIpcOpenEventHandle`: an event of another process, to wait for and to record.
    ///
    /// # Errors
    /// [`Error::Refused`], among others: `INVALID_CONTEXT` in the process that exported, `MAP_FAILED` where the bytes
    /// are no handle.
    ///
    /// # Safety
    /// The caller promises that
    /// - `handle` is what `cuIpcGetEventHandle` gave to another process of this machine, with no bit changed;
    /// - until the value is closed or dropped, that process does not destroy the event: CUDA leaves it undefined what
    ///   an import does after that.
    #[doc(alias = "cuIpcOpenEventHandle")]
    pub unsafe fn open(context: &Context, handle: &EventHandle) -> Result<Self, Error> {
        let driver = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local; the caller promises the handle.
        let answer = unsafe { driver.cuIpcOpenEventHandle(&mut raw, handle.0) };
        check("cuIpcOpenEventHandle", answer, || format!("{:?}", handle.0))?;
        Ok(Self(Owned::new(Event::new(context, raw))))
    }

    /// `cuEventDestroy`: what dropping does, and the error. The exporter's event is not touched.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuEventDestroy")]
    pub fn close(self) -> Result<(), Error> {
        self.0.close()
    }
}

impl Deref for ImportedEvent {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.0
    }
}
