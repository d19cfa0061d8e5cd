//! Legacy event handles.
#![allow(unsafe_code)] // Calls the driver, and opens handles of other processes.

use std::ops::Deref;
use std::ptr;

use crate::error::check;
use crate::event::{Event, InterprocessEvent};
use crate::resource::Owned;
use crate::sys::CUipcEventHandle;
use crate::{Context, Error};

use super::EventHandle;

impl InterprocessEvent {
    /// `cuIpcGetEventHandle`: returns the handle with which other processes open this event.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuIpcGetEventHandle")]
    pub fn ipc_handle(&self) -> Result<EventHandle, Error> {
        let driver = self.context().enter()?;
        let mut handle = CUipcEventHandle::default();
        // SAFETY: the output is a local, and the event is live.
        check("cuIpcGetEventHandle", unsafe { driver.cuIpcGetEventHandle(&mut handle, self.raw()) }, String::new)?;
        Ok(EventHandle(handle))
    }
}

/// An event of another process. It cannot be exported again.
#[derive(Debug)]
pub struct ImportedEvent(Owned<Event>);

impl ImportedEvent {
    /// `cuIpcOpenEventHandle`: opens an event of another process, to wait for it or to record it.
    ///
    /// # Errors
    /// [`Error::Refused`], for example with `INVALID_CONTEXT` in the process that exported the event, or `MAP_FAILED`
    /// if the bytes are not a handle.
    ///
    /// # Safety
    /// The caller promises that
    /// - `handle` is what `cuIpcGetEventHandle` returned to another process of this machine, with no bit changed;
    /// - that process does not destroy the event before the value is closed or dropped: CUDA does not define what an
    ///   import does after that.
    #[doc(alias = "cuIpcOpenEventHandle")]
    pub unsafe fn open(context: &Context, handle: &EventHandle) -> Result<Self, Error> {
        let driver = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local; the caller promises that the handle is genuine.
        let answer = unsafe { driver.cuIpcOpenEventHandle(&mut raw, handle.0) };
        check("cuIpcOpenEventHandle", answer, || format!("{:?}", handle.0))?;
        Ok(Self(Owned::new(Event::new(context, raw))))
    }

    /// `cuEventDestroy`: closes the import as dropping does, and returns the error. The exporter's event is not
    /// affected.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
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
