//! Events.
#![allow(unsafe_code)] // Calls the driver.

use std::ops::Deref;
use std::ptr;
use std::time::{Duration, Instant};

use crate::error::{check, is_done};
use crate::liveness::{LivenessError, ProcessWatch, Tenancy};
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
    #[doc(alias = "cuEventRecord")]
    pub fn record(&self, stream: &Stream) -> Result<(), Error> {
        let driver = stream.context().enter()?;
        // SAFETY: both handles are live.
        check("cuEventRecord", unsafe { driver.cuEventRecord(self.raw(), stream.raw()) }, String::new)
    }

    /// `cuEventQuery`: whether what was recorded is done.
    ///
    /// # Errors
    /// [`Error::Refused`] with the error of the work, where it failed.
    #[doc(alias = "cuEventQuery")]
    pub fn query(&self) -> Result<bool, Error> {
        let driver = self.context.enter()?;
        // SAFETY: the event is live.
        is_done("cuEventQuery", unsafe { driver.cuEventQuery(self.raw()) })
    }

    /// `cuEventSynchronize`: wait until what was recorded is done.
    ///
    /// If the process that recorded is killed before its work is done, this does not return (seen on an H200). Where
    /// that matters, [`Event::synchronize_within`].
    ///
    /// # Errors
    /// [`Error::Refused`] with the error of the work, where it failed.
    #[doc(alias = "cuEventSynchronize")]
    pub fn synchronize(&self) -> Result<(), Error> {
        let driver = self.context.enter()?;
        // SAFETY: the event is live.
        check("cuEventSynchronize", unsafe { driver.cuEventSynchronize(self.raw()) }, String::new)
    }

    /// `cuEventQuery` until it says yes: wait until what was recorded is done, no longer than a time, and no longer than
    /// the exporter lives.
    ///
    /// Work that the exporter had enqueued, and that is not done when it has died, is lost to this wait.
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::ExporterDied`]; [`Error::Refused`] with the error of the work, where it failed.
    #[doc(alias = "cuEventQuery")]
    pub fn synchronize_within(&self, time: Duration, exporter: &impl Exporter) -> Result<(), Error> {
        // Work of a device takes some microseconds or very long: each question waits a little longer for the next.
        const FIRST_PAUSE: Duration = Duration::from_micros(10);
        const LONGEST_PAUSE: Duration = Duration::from_millis(1);
        let deadline = Instant::now().checked_add(time);
        let mut pause = FIRST_PAUSE;
        while !self.query()? {
            let left = deadline.map_or(LONGEST_PAUSE, |deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Err(Error::TimedOut { waited: time });
            }
            // The work may have been done before the exporter died.
            if exporter.dies_within(pause.min(left))? {
                return if self.query()? { Ok(()) } else { Err(Error::ExporterDied) };
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        Ok(())
    }
}

/// What tells whether the process lives that is to record an event, or to do the work before it.
pub trait Exporter {
    /// Wait until it has died, no longer than this: whether it has.
    ///
    /// # Errors
    /// [`Error::Liveness`] where the kernel has no memory left.
    fn dies_within(&self, time: Duration) -> Result<bool, Error>;
}

impl Exporter for ProcessWatch {
    fn dies_within(&self, time: Duration) -> Result<bool, Error> {
        died(self.wait(time))
    }
}

impl Exporter for Tenancy {
    fn dies_within(&self, time: Duration) -> Result<bool, Error> {
        died(self.wait_for_exporter(time))
    }
}

fn died(waited: Result<(), LivenessError>) -> Result<bool, Error> {
    match waited {
        Ok(()) => Ok(true),
        Err(LivenessError::StillAlive { .. }) => Ok(false),
        Err(error) => Err(error.into()),
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
    #[doc(alias = "cuEventCreate")]
    #[doc(alias = "CU_EVENT_INTERPROCESS")]
    #[doc(alias = "CU_EVENT_DISABLE_TIMING")]
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
    #[doc(alias = "cuEventDestroy")]
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
