//! The state of a producer: which message is next, and whether its slot is free.

use std::cell::Cell;
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

use super::RingError;
use super::layout::Layout;
use super::side::{LOOK, Over, Side, Waited};
use crate::Error;

#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) side: Side,
    next: Cell<u64>,
    is_reserved: Cell<bool>,
    last_look: Cell<Instant>,
}

impl Outgoing {
    pub(super) fn new(side: Side) -> Self {
        let next = Cell::new(side.layout().first());
        Self { side, next, is_reserved: Cell::new(false), last_look: Cell::new(Instant::now()) }
    }

    pub(super) fn next(&self) -> u64 {
        self.next.get()
    }

    /// Waits for the slot of the next message, reserves it, and returns the sequence number of the message.
    pub(super) fn reserve(&self, limit: Duration) -> Result<u64, Error> {
        if self.is_reserved.get() {
            return Err(RingError::AlreadyReserved.into());
        }
        let sequence = self.next.get();
        self.look()?;
        match self.side.wait(limit, || self.is_free(sequence))? {
            Waited::Ready => {}
            Waited::TimedOut => return Err(RingError::NoFreeSlot { message: sequence, waited: limit }.into()),
            Waited::Over(over) => return Err(self.over(over)?.into()),
        }
        self.is_reserved.set(true);
        Ok(sequence)
    }

    /// Takes the reserved slot back, used or not.
    pub(super) fn end_reservation(&self) {
        self.is_reserved.set(false);
    }

    /// Goes on to the next message.
    pub(super) fn committed(&self) {
        self.next.set(self.next.get() + 1);
    }

    /// Returns the messages that may still be in their slots and were not released.
    pub(super) fn unreleased(&self) -> Result<usize, Error> {
        let mut unreleased = 0;
        for sequence in self.side.layout().before(self.next.get()) {
            unreleased += usize::from(!self.is_released(sequence)?);
        }
        Ok(unreleased)
    }

    /// Returns an error if the work of a message is not done.
    pub(super) fn require_all_done(&self) -> Result<(), Error> {
        let layout = self.side.layout();
        for sequence in layout.before(self.next.get()) {
            let (slot, number) = (layout.slot_of(sequence), Layout::number(sequence));
            if !self.side.has_told(slot, Layout::header(slot).0, number)? {
                return Err(RingError::Unfinished { message: sequence }.into());
            }
        }
        Ok(())
    }

    /// Looks from time to time whether the consumer lives.
    fn look(&self) -> Result<(), Error> {
        if self.last_look.get().elapsed() < LOOK {
            return Ok(());
        }
        self.last_look.set(Instant::now());
        self.side.is_over().map(drop)
    }

    fn is_free(&self, sequence: u64) -> Result<bool, Error> {
        let layout = self.side.layout();
        let slot = layout.slot_of(sequence);
        self.side.was_told(slot, Layout::freed(slot), layout.number_before(sequence))
    }

    /// Returns whether the consumer has released a message that may still be in its slot.
    fn is_released(&self, sequence: u64) -> Result<bool, Error> {
        let slot = self.side.layout().slot_of(sequence);
        self.side.was_told(slot, Layout::freed(slot), Layout::number(sequence))
    }

    /// Returns the error for the consumer's end.
    fn over(&self, over: Over) -> Result<RingError, Error> {
        let (next, layout) = (self.next.get(), self.side.layout());
        let mut released = layout.before(next).start;
        while released < next && self.is_released(released)? {
            released += 1;
        }
        let last_released = released.checked_sub(1).filter(|last| *last >= layout.first());
        Ok(match over {
            Over::Closed => RingError::ConsumerClosed { last_released },
            Over::Died => RingError::ConsumerDied { last_released },
        })
    }

    /// Writes the header of a message. It is seen after the number that the side tells afterwards.
    pub(super) fn write_header(&self, sequence: u64, length: usize, kind: u32) -> Result<(), Error> {
        let slot_size = self.side.layout().slot_size();
        if length > slot_size {
            return Err(RingError::TooLong { length, slot_size }.into());
        }
        let header = Layout::header(self.side.layout().slot_of(sequence));
        let store = |places: [usize; 2], value: u64| {
            self.side.word(places[0])?.store(value as u32, Ordering::Relaxed);
            self.side.word(places[1])?.store((value >> 32) as u32, Ordering::Relaxed);
            Ok::<_, Error>(())
        };
        store(header.length(), length as u64)?;
        store(header.sequence(), sequence)?;
        self.side.word(header.kind())?.store(kind, Ordering::Relaxed);
        fence(Ordering::Release);
        Ok(())
    }
}
