//! Streams: queues of work for a device, and scopes in which safe code enqueues work.
#![allow(unsafe_code)] // Calls the driver.

mod capture;
mod scope;
pub(crate) mod settle;
mod value;

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{check, is_done};
use crate::event::Event;
use crate::foreign::AnyOwner;
use crate::resource::{Owned, Raw, Resource};
use crate::sys::{CUevent_wait_flags, CUstream, CUstream_flags, CUstream_st};
use crate::{Context, Error};

pub use scope::{Scope, ScopedStream, scope, scope_watching};
pub use value::{StreamValue, WaitValue};

/// `CU_STREAM_LEGACY`, a cast in the header: the default stream of the current context.
pub(crate) const fn default_stream() -> CUstream {
    ptr::without_provenance_mut(1)
}

/// A queue of work for a device. Clones refer to the same queue.
#[derive(Clone, Debug)]
pub struct Stream(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// The context's own stream, which always exists.
    Default(Context),
    Created(Arc<Owned<Held>>),
}

#[derive(Debug)]
struct Held {
    /// If other code owns the stream: what keeps it alive. Dropped before the context, because it may destroy the stream.
    owner: Option<AnyOwner>,
    context: Context,
    raw: Raw<CUstream_st>,
    /// Whether other code may know the stream, and so may be capturing it.
    is_known: AtomicBool,
}

impl Resource for Held {
    const NAME: &'static str = "Stream";

    unsafe fn give_back(&self) -> Result<(), Error> {
        if self.owner.is_some() {
            return Ok(());
        }
        let driver = self.context.enter()?;
        // SAFETY: the stream is live and not used again. The driver still completes its work.
        check("cuStreamDestroy", unsafe { driver.cuStreamDestroy(self.raw.0) }, String::new)
    }
}

impl Stream {
    /// `CU_STREAM_LEGACY`: returns the context's default stream, in which calls that take no stream run.
    #[doc(alias = "CU_STREAM_LEGACY")]
    #[must_use]
    pub fn default_of(context: &Context) -> Self {
        Self(Kind::Default(context.clone()))
    }

    /// `cuStreamCreate` with `CU_STREAM_DEFAULT`: creates a stream that synchronises with the default stream.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuStreamCreate")]
    #[doc(alias = "CU_STREAM_DEFAULT")]
    pub fn new(context: &Context) -> Result<Self, Error> {
        Self::create(context, CUstream_flags::CU_STREAM_DEFAULT)
    }

    /// `cuStreamCreate` with `CU_STREAM_NON_BLOCKING`: creates a stream that does not wait for the default stream. The
    /// default stream does not wait for it either.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuStreamCreate")]
    #[doc(alias = "CU_STREAM_NON_BLOCKING")]
    pub fn non_blocking(context: &Context) -> Result<Self, Error> {
        Self::create(context, CUstream_flags::CU_STREAM_NON_BLOCKING)
    }

    fn create(context: &Context, flags: CUstream_flags) -> Result<Self, Error> {
        let driver = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local.
        let answer = unsafe { driver.cuStreamCreate(&mut raw, flags.0) };
        check("cuStreamCreate", answer, || format!("flags {}", flags.0))?;
        Ok(Self::hold(context, raw, None))
    }

    /// Makes a stream of a raw one, which it destroys unless there is an owner.
    pub(crate) fn hold(context: &Context, raw: CUstream, owner: Option<AnyOwner>) -> Self {
        let (context, is_known) = (context.clone(), AtomicBool::new(owner.is_some()));
        Self(Kind::Created(Arc::new(Owned::new(Held { owner, context, raw: Raw(raw), is_known }))))
    }

    /// Notes that other code may know the stream from now on. The driver is then asked before each call whether the
    /// stream is being captured.
    pub(crate) fn make_known(&self) {
        if let Kind::Created(created) = &self.0 {
            created.is_known.store(true, Ordering::Relaxed);
        }
    }

    /// Gives up a stream that this value alone holds, and that is its own to destroy: returns the raw stream, and does
    /// not destroy it.
    pub(crate) fn relinquish(self) -> Result<CUstream, Self> {
        let Kind::Created(created) = self.0 else { return Err(self) };
        let held = Arc::try_unwrap(created).map_err(|created| Self(Kind::Created(created)))?;
        if held.owner.is_some() {
            return Err(Self(Kind::Created(Arc::new(held))));
        }
        let raw = held.raw.0;
        held.relinquish();
        Ok(raw)
    }

    /// Returns the context that the stream belongs to.
    #[inline]
    #[must_use]
    pub fn context(&self) -> &Context {
        match &self.0 {
            Kind::Default(context) => context,
            Kind::Created(created) => &created.context,
        }
    }

    /// Returns whether two values are the same stream.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.handle() == other.handle() && self.context() == other.context()
    }

    /// Returns the raw stream, which is valid as long as this value exists.
    ///
    /// Other code may then capture the stream. So calls that enqueue work in it ask the driver from now on whether it is
    /// being captured, which takes about 15 ns.
    #[must_use]
    pub fn raw(&self) -> CUstream {
        self.make_known();
        self.handle()
    }

    /// Returns the raw stream to this crate.
    #[inline]
    pub(crate) fn handle(&self) -> CUstream {
        match &self.0 {
            Kind::Default(_) => default_stream(),
            Kind::Created(created) => created.raw.0,
        }
    }

    /// `cuStreamWaitEvent`: makes later work of the stream wait for the work that the event has captured at this
    /// moment.
    ///
    /// # Errors
    /// [`Error::EventOfAnotherContext`]; [`Error::Foreign`] if other code is capturing the stream, or recorded the event
    /// in a capture; [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuStreamWaitEvent")]
    pub fn wait(&self, event: &Event) -> Result<(), Error> {
        // An H200 crashes if the event is an interprocess event. An event of other code may be one.
        if event.context() != self.context() {
            return Err(Error::EventOfAnotherContext);
        }
        self.require_no_capture()?;
        if event.is_foreign() {
            self.require_no_captured_event(event)?;
        }
        let driver = self.context().enter()?;
        let flags = CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT.0;
        // SAFETY: both handles are live.
        check("cuStreamWaitEvent", unsafe { driver.cuStreamWaitEvent(self.handle(), event.raw(), flags) }, String::new)
    }

    /// `cuStreamQuery`: returns whether all enqueued work is complete.
    ///
    /// # Errors
    /// [`Error::Refused`] with the error of the stream's work, if it failed.
    #[doc(alias = "cuStreamQuery")]
    pub fn query(&self) -> Result<bool, Error> {
        let driver = self.context().enter()?;
        // SAFETY: the stream is live.
        is_done("cuStreamQuery", unsafe { driver.cuStreamQuery(self.handle()) })
    }

    /// `cuStreamSynchronize`: waits until all enqueued work is complete.
    ///
    /// # Errors
    /// [`Error::Refused`] with the error of the stream's work, if it failed.
    #[doc(alias = "cuStreamSynchronize")]
    pub fn synchronize(&self) -> Result<(), Error> {
        let driver = self.context().enter()?;
        // SAFETY: the stream is live.
        check("cuStreamSynchronize", unsafe { driver.cuStreamSynchronize(self.handle()) }, String::new)
    }

    /// `cuStreamDestroy`: destroys the stream as dropping does, and returns the error. Enqueued work still completes.
    ///
    /// While clones exist, this does nothing: the last one destroys the stream. A pool whose memory was freed in the
    /// stream can hold a clone. A default stream belongs to its context and is not destroyed.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuStreamDestroy")]
    pub fn destroy(self) -> Result<(), Error> {
        match self.0 {
            Kind::Default(_) => Ok(()),
            Kind::Created(created) => Arc::into_inner(created).map_or(Ok(()), Owned::close),
        }
    }
}
