//! Streams that other code captures into a graph. What is enqueued then runs whenever the graph is launched, which may be
//! after all that it uses is gone. This crate captures no streams.
#![allow(unsafe_code)] // Calls the driver.

use std::sync::atomic::Ordering;

use super::{Kind, Stream};
use crate::error::check;
use crate::event::Event;
use crate::foreign::ForeignError;
use crate::sys::{CUresult, CUstreamCaptureMode, CUstreamCaptureStatus};
use crate::{Context, Error};

impl Stream {
    // Relies on: captures that do not begin during a call.
    /// `cuStreamIsCapturing`: returns an error if the stream is being captured. The driver is asked only about streams that
    /// other code may know.
    ///
    /// A default stream is not captured itself. But the driver refuses to use it while a stream is captured that it would
    /// have to wait for, which counts as the same here.
    #[inline]
    pub(crate) fn require_no_capture(&self) -> Result<(), Error> {
        if self.is_known() { self.require_no_foreign_capture() } else { Ok(()) }
    }

    /// Returns whether other code is capturing the stream, as far as the driver can be asked.
    #[inline]
    pub(super) fn is_captured(&self) -> bool {
        self.is_known() && matches!(self.require_no_foreign_capture(), Err(Error::Foreign(ForeignError::Capturing)))
    }

    /// Returns whether other code may know the stream.
    #[inline]
    fn is_known(&self) -> bool {
        match &self.0 {
            Kind::Default(_) => true,
            Kind::Created(created) => created.is_known.load(Ordering::Relaxed),
        }
    }

    /// The rest of [`Stream::require_no_capture`], for a stream that other code may know.
    #[cold]
    #[inline(never)]
    fn require_no_foreign_capture(&self) -> Result<(), Error> {
        let driver = self.context().enter()?;
        let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
        // SAFETY: the stream is live, and the output is a local.
        let answer = unsafe { driver.cuStreamIsCapturing(self.handle(), &mut status) };
        let is_implicit = answer == Ok(CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        if is_implicit || status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE {
            return Err(ForeignError::Capturing.into());
        }
        check("cuStreamIsCapturing", answer, String::new)
    }

    /// `cuEventQuery`: returns an error if an event was recorded in a capture, which this stream would join if it waited
    /// for the event. The driver then makes that capture invalid.
    #[cold]
    pub(super) fn require_no_captured_event(&self, event: &Event) -> Result<(), Error> {
        // Another thread may record the event in a capture before the stream waits for it.
        self.make_known();
        match heedless(self.context(), || event.query()) {
            Err(error) if error.code() == Some(CUresult::CUDA_ERROR_CAPTURED_EVENT) => {
                Err(ForeignError::CapturedEvent.into())
            }
            answer => answer.map(drop),
        }
    }

    /// Waits as [`Stream::synchronize`] does, also while other code captures other streams in a way that forbids this.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        self.despite_captures(Self::synchronize)
    }

    /// Asks as [`Stream::query`] does, also while other code captures other streams in a way that forbids this.
    pub(crate) fn is_done(&self) -> Result<bool, Error> {
        self.despite_captures(Self::query)
    }

    /// Calls again if a capture forbids the call. The first call has made that capture invalid, as any other wait of the
    /// process would.
    fn despite_captures<T>(&self, call: fn(&Self) -> Result<T, Error>) -> Result<T, Error> {
        match call(self) {
            Err(error) if error.code() == Some(CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) => {
                heedless(self.context(), || call(self))
            }
            answer => answer,
        }
    }
}

impl Context {
    /// `cuCtxSynchronize`: waits as [`Context::synchronize`] does, also while other code captures streams, if the driver
    /// permits it at all.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        heedless(self, || self.synchronize())
    }
}

impl Error {
    /// Whether the driver refused a call because of a capture of other code. It does not once the capture has ended.
    pub(super) fn is_of_capture(&self) -> bool {
        let codes = [CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT];
        self.code().is_some_and(|code| codes.contains(&code))
    }
}

/// `cuThreadExchangeStreamCaptureMode`: runs a function to which captures of other streams forbid nothing, and which does
/// not make them invalid.
#[cold]
fn heedless<T>(context: &Context, run: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let driver = context.enter()?;
    let mut mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    let mut exchange = || {
        // SAFETY: the argument is a local, which gets the thread's mode so far.
        let answer = unsafe { driver.cuThreadExchangeStreamCaptureMode(&mut mode) };
        check("cuThreadExchangeStreamCaptureMode", answer, String::new)
    };
    exchange()?;
    let answer = run();
    exchange()?;
    answer
}
