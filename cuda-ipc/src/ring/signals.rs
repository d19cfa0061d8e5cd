//! What says that a slot is filled or free: a number that a stream writes, or an event and a number.
#![allow(unsafe_code)] // Opens events of the other process.

use super::hello::{Line, Order};
use crate::event::InterprocessEvent;
use crate::ipc::ImportedEvent;
use crate::memory::DeviceSlice;
use crate::stream::ScopedStream;
use crate::{Context, Error};

/// How the streams of one side tell the other side that their work is done.
#[derive(Debug)]
pub(super) enum Signals {
    /// By writing the number.
    Values,
    /// By an event of each slot. The host stores the number when the event is recorded.
    Events(Events),
}

#[derive(Debug)]
pub(super) struct Events {
    ours: Vec<InterprocessEvent>,
    theirs: Vec<ImportedEvent>,
}

/// Signals whose events were not exchanged yet.
pub(super) struct NewSignals(Option<(Context, Vec<InterprocessEvent>)>);

impl NewSignals {
    pub(super) fn new(order: Order, context: &Context, slots: usize) -> Result<Self, Error> {
        Ok(Self(match order {
            Order::Values => None,
            Order::Events => {
                let events = (0..slots).map(|_| InterprocessEvent::new(context)).collect::<Result<_, _>>()?;
                Some((context.clone(), events))
            }
        }))
    }

    pub(super) fn send(&self, line: &Line<'_>) -> Result<(), Error> {
        let events = self.0.iter().flat_map(|(_, events)| events);
        events.into_iter().try_for_each(|event| line.send_parcel(&event.share()?))
    }

    /// Receives and opens the other side's events.
    ///
    /// # Safety
    /// As [`ImportedEvent::open`], if the order is by events.
    pub(super) unsafe fn receive(&self, line: &Line<'_>) -> Result<Vec<ImportedEvent>, Error> {
        let Some((context, ours)) = &self.0 else { return Ok(Vec::new()) };
        let open = |_| {
            // SAFETY: the caller makes the same promise.
            unsafe { line.receive_parcel()?.open_event(context) }
        };
        ours.iter().map(open).collect()
    }

    /// Takes the events that were received.
    pub(super) fn with(self, theirs: Vec<ImportedEvent>) -> Signals {
        self.0.map_or(Signals::Values, |(_, ours)| Signals::Events(Events { ours, theirs }))
    }
}

impl Signals {
    /// Makes a stream tell that its work in a slot is done. Returns whether the host must store the number too.
    pub(super) fn enqueue<'scope>(
        &'scope self,
        stream: ScopedStream<'scope, '_>,
        slot: usize,
        place: DeviceSlice<'scope, u32>,
        number: u32,
    ) -> Result<bool, Error> {
        match self {
            Self::Values => stream.write_value(place, number).map(|()| false),
            Self::Events(events) => stream.record(&events.ours[slot]).map(|()| true),
        }
    }

    /// Returns whether the other side's work in a slot is done, whose number is there.
    pub(super) fn is_theirs_done(&self, slot: usize) -> Result<bool, Error> {
        match self {
            Self::Values => Ok(true),
            Self::Events(events) => events.theirs[slot].query(),
        }
    }

    /// Returns whether this side's work in a slot is done, whose number is there.
    pub(super) fn is_ours_done(&self, slot: usize) -> Result<bool, Error> {
        match self {
            Self::Values => Ok(true),
            Self::Events(events) => events.ours[slot].query(),
        }
    }

    /// Closes the other side's events.
    pub(super) fn close_theirs(&mut self) {
        if let Self::Events(events) = self {
            events.theirs.clear();
        }
    }

    /// Keeps this side's events until the process ends, because the other side may still use them.
    pub(super) fn keep_ours(&mut self) {
        if let Self::Events(events) = self {
            std::mem::forget(std::mem::take(&mut events.ours));
        }
    }
}
