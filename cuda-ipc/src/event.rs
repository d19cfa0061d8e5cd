//! Events: recording them, and waiting for them.
#![allow(unsafe_code)] // Calls the driver.

use std::ops::Deref;
use std::ptr;
use std::time::{Duration, Instant};

use crate::deadline::Pauses;
use crate::error::{check, is_done};
use crate::liveness::{LivenessError, ProcessWatch, Tenancy};
use crate::resource::{Owned, Raw, Resource};
use crate::sys::{CUevent, CUevent_flags, CUevent_st};
use crate::{Context, Error, Stream};

/// A marker in a stream. It stands for the work that was enqueued before it. [`InterprocessEvent`] and
/// [`ImportedEvent`](crate::ipc::ImportedEvent) both dereference to it.
///
/// A wait is for the latest record at the time of the call, whichever process recorded it. Before the first record, a
/// wait has no effect.
#[derive(Debug)]
pub struct Event {
    context: Context,
    raw: Raw<CUevent_st>,
    is_foreign: bool,
}

impl Resource for Event {
    const NAME: &'static str = "Event";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let driver = self.context.enter()?;
        // SAFETY: the event is live and not used again. Work that already waits for it continues to wait.
        check("cuEventDestroy", unsafe { driver.cuEventDestroy(self.raw.0) }, String::new)
    }
}

impl Event {
    pub(crate) fn new(context: &Context, raw: CUevent) -> Self {
        Self { context: context.clone(), raw: Raw(raw), is_foreign: false }
    }

    pub(crate) fn of_other_code(context: &Context, raw: CUevent) -> Self {
        Self { is_foreign: true, ..Self::new(context, raw) }
    }

    /// Returns whether other code may have recorded the event in a capture. The driver refuses that for interprocess
    /// events, which all others are.
    pub(crate) const fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    /// Returns the context that the event belongs to.
    #[must_use]
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the raw event, which is valid as long as this value exists.
    #[must_use]
    pub const fn raw(&self) -> CUevent {
        self.raw.0
    }

    /// `cuEventRecord`: records the event in a stream. From then on it stands for all work that was enqueued there
    /// before. On an H100 with driver 580.159.04, the stream then waits until the event's earlier record in another
    /// stream, or in another process, is complete. So use an event for each stream.
    ///
    /// # Errors
    /// [`Error::Refused`] if the stream belongs to another context; [`Error::Foreign`] if other code is capturing it.
    #[doc(alias = "cuEventRecord")]
    pub fn record(&self, stream: &Stream) -> Result<(), Error> {
        // A stream that waited for the event would be captured too.
        stream.require_no_capture()?;
        let driver = stream.context().enter()?;
        // SAFETY: both handles are live.
        check("cuEventRecord", unsafe { driver.cuEventRecord(self.raw(), stream.handle()) }, String::new)
    }

    /// `cuEventQuery`: returns whether the recorded work is done.
    ///
    /// # Errors
    /// [`Error::Refused`] with the error of the work, if the work failed.
    #[doc(alias = "cuEventQuery")]
    pub fn query(&self) -> Result<bool, Error> {
        let driver = self.context.enter()?;
        // SAFETY: the event is live.
        is_done("cuEventQuery", unsafe { driver.cuEventQuery(self.raw()) })
    }

    /// `cuEventSynchronize`: waits until the recorded work is done.
    ///
    /// If the process that recorded the event exits or is killed before its work is done, this does not return (seen on
    /// an H200). If that can happen, use [`Event::synchronize_within`].
    ///
    /// # Errors
    /// [`Error::Refused`] with the error of the work, if the work failed.
    #[doc(alias = "cuEventSynchronize")]
    pub fn synchronize(&self) -> Result<(), Error> {
        let driver = self.context.enter()?;
        // SAFETY: the event is live.
        check("cuEventSynchronize", unsafe { driver.cuEventSynchronize(self.raw()) }, String::new)
    }

    /// `cuEventQuery` in a loop: waits until the recorded work is done, the time is up, or the process that does it has
    /// died.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if the time is up; [`Error::PeerDied`] if the process died before the work was done;
    /// [`Error::Refused`] with the error of the work, if the work failed; [`Error::Liveness`] if the process could not
    /// be watched.
    #[doc(alias = "cuEventQuery")]
    pub fn synchronize_within(&self, time: Duration, process: &impl Awaited) -> Result<(), Error> {
        let (deadline, mut pauses) = (Instant::now().checked_add(time), Pauses::default());
        while !self.query()? {
            let left = deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Err(Error::TimedOut { waited: time });
            }
            // The work may have been done before the process died.
            if process.dies_within(pauses.next().min(left))? {
                return if self.query()? { Ok(()) } else { Err(Error::PeerDied) };
            }
        }
        Ok(())
    }
}

/// A process whose work is awaited, for example because it records an event or writes a number, and which may die before
/// that: a way to learn that it has died.
pub trait Awaited {
    /// Waits at most `time` for the process to die, and returns whether it has died.
    ///
    /// # Errors
    /// [`Error::Liveness`] if the kernel has no memory left.
    fn dies_within(&self, time: Duration) -> Result<bool, Error>;
}

impl Awaited for ProcessWatch {
    fn dies_within(&self, time: Duration) -> Result<bool, Error> {
        died(self.wait(time))
    }
}

impl Awaited for Tenancy {
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

/// An event of this process that other processes can open. It cannot measure time.
#[derive(Debug)]
pub struct InterprocessEvent(Owned<Event>);

impl InterprocessEvent {
    /// `cuEventCreate`: creates an event with the flags `CU_EVENT_INTERPROCESS` and `CU_EVENT_DISABLE_TIMING`. The
    /// first flag requires the second.
    ///
    /// # Errors
    /// [`Error::Refused`], for example if the process has as many interprocess events as the driver allows.
    #[doc(alias = "cuEventCreate")]
    #[doc(alias = "CU_EVENT_INTERPROCESS")]
    #[doc(alias = "CU_EVENT_DISABLE_TIMING")]
    pub fn new(context: &Context) -> Result<Self, Error> {
        let flags = CUevent_flags::CU_EVENT_INTERPROCESS | CUevent_flags::CU_EVENT_DISABLE_TIMING;
        let driver = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local.
        check("cuEventCreate", unsafe { driver.cuEventCreate(&mut raw, flags.0) }, || format!("flags {}", flags.0))?;
        Ok(Self::hold(Owned::new(Event::new(context, raw))))
    }

    /// Makes a value of an event, which it destroys.
    pub(crate) const fn hold(event: Owned<Event>) -> Self {
        Self(event)
    }

    /// Gives up the event: returns the raw event, and does not destroy it.
    pub(crate) fn relinquish(self) -> CUevent {
        let raw = self.raw();
        self.0.relinquish();
        raw
    }

    /// `cuEventDestroy`: destroys the event as dropping does, and returns the error.
    ///
    /// Importers must have closed the event before: [`ImportedEvent::open`](crate::ipc::ImportedEvent::open) requires
    /// that promise.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
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
