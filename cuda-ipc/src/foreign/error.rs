//! The errors of values that other code made.

use thiserror::Error;

use crate::error::Advice;

/// The reason why a value of other code cannot be used by this crate, or a value of this crate by other code.
#[derive(Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ForeignError {
    /// The driver says that the stream belongs to another context than the one that was passed.
    #[error("the stream belongs to another context{}", self.advice())]
    OtherContext,
    /// `CU_STREAM_PER_THREAD` is another stream in each thread, and a value can move to another thread.
    #[error("the per-thread default stream is not one stream{}", self.advice())]
    PerThreadStream,
    /// Other code is capturing the stream into a graph, which could run the work after all that it uses is gone.
    #[error("the stream is being captured into a graph{}", self.advice())]
    Capturing,
    /// Other code recorded the event in a stream that it is capturing into a graph. A stream that waited for the event
    /// would be captured too.
    #[error("the event was recorded in a stream that is being captured into a graph{}", self.advice())]
    CapturedEvent,
    /// A default stream belongs to its context, so it cannot be taken over.
    #[error("a default stream belongs to its context{}", self.advice())]
    DefaultStream,
    /// The other code calls another driver library, whose handles are invalid here.
    #[error("the other code uses another driver library{}", self.advice())]
    OtherDriver,
    /// Only a primary context can have several owners.
    #[error("the context is not the primary context of its device{}", self.advice())]
    NotPrimary,
    /// The memory is on another device than the context that was passed.
    #[non_exhaustive]
    #[error("the memory is on device {found}, and the context on device {expected}{}", self.advice())]
    OtherDevice {
        /// The ordinal of the device that has the memory.
        found: i32,
        /// The ordinal of the context's device.
        expected: i32,
    },
}

impl ForeignError {
    /// Returns what to do about the error, if that is known. The error's message ends with it.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::OtherContext => "pass the context in which the stream was created",
            Self::PerThreadStream => "create a stream, or use the legacy default stream",
            Self::Capturing => "end the capture first, or use another stream",
            Self::CapturedEvent => "end the capture first, or wait for another event",
            Self::DefaultStream => "use Stream::default_of",
            Self::OtherDriver => "load the driver under one name: cudarc loads libcuda.so or libcuda.so.1",
            Self::NotPrimary => "use Context::primary for what both sides use",
            Self::OtherDevice { .. } => "pass a context of the device that has the memory",
        })
    }

    fn advice(&self) -> Advice {
        Advice(self.hint())
    }
}
