//! The state of a consumer: which message is next, and how many are held.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::RingError;
use super::layout::Layout;
use super::side::{Over, Side, Waited};
use crate::Error;

#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) side: Side,
    next: Cell<u64>,
    /// The number of messages that were received and not released.
    held: Cell<usize>,
}

/// A message that was received, as its header says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) sequence: u64,
    pub(super) length: usize,
    pub(super) kind: u32,
}

impl Incoming {
    pub(super) fn new(side: Side) -> Self {
        let next = Cell::new(side.layout().first());
        Self { side, next, held: Cell::new(0) }
    }

    pub(super) fn next(&self) -> u64 {
        self.next.get()
    }

    /// Waits for the next message, and receives it. The result is `None` if the producer has closed the ring.
    pub(super) fn receive(&self, limit: Duration) -> Result<Option<Header>, Error> {
        let (sequence, slots) = (self.next.get(), self.side.layout().slots());
        // The producer has no slot for another message if all are held. But it may have ended.
        let waited = if self.held.get() >= slots {
            self.side.is_over()?.map(Waited::Over).ok_or(RingError::AllHeld { slots })?
        } else {
            self.side.wait(limit, || self.is_filled(sequence))?
        };
        match waited {
            Waited::Ready => {}
            Waited::TimedOut => return Err(RingError::NoMessage { message: sequence, waited: limit }.into()),
            Waited::Over(Over::Closed) => return Ok(None),
            Waited::Over(Over::Died) => {
                let last_good = sequence.checked_sub(1).filter(|last| *last >= self.side.layout().first());
                return Err(RingError::ProducerDied { last_good }.into());
            }
        }
        let header = self.read_header(sequence)?;
        self.check_number(sequence)?;
        self.next.set(sequence + 1);
        self.held.set(self.held.get() + 1);
        Ok(Some(header))
    }

    pub(super) fn released(&self) {
        self.held.set(self.held.get() - 1);
    }

    fn is_filled(&self, sequence: u64) -> Result<bool, Error> {
        let slot = self.side.layout().slot_of(sequence);
        self.side.was_told(slot, Layout::header(slot).0, Layout::number(sequence))
    }

    /// Reads what the producer wrote, which may be anything.
    fn read_header(&self, sequence: u64) -> Result<Header, Error> {
        let place = Layout::header(self.side.layout().slot_of(sequence));
        let load = |places: [usize; 2]| {
            let [low, high] = places.map(|place| self.side.word(place).map(|word| word.load(Ordering::Relaxed)));
            Ok::<_, Error>(u64::from(low?) | u64::from(high?) << 32)
        };
        let kind = self.side.word(place.kind())?.load(Ordering::Relaxed);
        let (length, found) = (load(place.length())?, load(place.sequence())?);
        let slot_size = self.side.layout().slot_size();
        match usize::try_from(length) {
            Ok(length) if length <= slot_size && found == sequence => Ok(Header { sequence, length, kind }),
            _ => Err(RingError::BadHeader { message: sequence, found, length, slot_size }.into()),
        }
    }

    /// Compares the number beside the slot, if there is one.
    fn check_number(&self, sequence: u64) -> Result<(), Error> {
        let Some(beside) = self.side.number_beside(sequence)? else { return Ok(()) };
        let (mut found, expected) = ([0], Layout::number(sequence));
        beside.read(&mut found)?;
        let [found] = found;
        if found == expected {
            return Ok(());
        }
        Err(RingError::OutOfSequence { message: sequence, expected, found }.into())
    }
}
