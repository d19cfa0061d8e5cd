//! The streams that a scope waits for.

use std::cell::Cell;

use crate::Stream;

/// How many streams a scope remembers without an allocation.
const FIRST: usize = 4;

/// Which streams of a scope may have work of that scope: a bit for each place, of which the last is for all places from
/// there on.
#[derive(Debug, Default)]
pub(super) struct Busy(Cell<u64>);

impl Busy {
    #[inline]
    pub(super) fn add(&self, place: usize) {
        self.0.set(self.0.get() | Self::bit(place));
    }

    pub(super) fn has(&self, place: usize) -> bool {
        self.0.get() & Self::bit(place) != 0
    }

    #[inline]
    const fn bit(place: usize) -> u64 {
        const LAST: usize = u64::BITS as usize - 1;
        1 << if place < LAST { place } else { LAST }
    }
}

/// Streams, each once, in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Streams<'scope> {
    first: [Option<&'scope Stream>; FIRST],
    /// Empty unless all of the first ones are used.
    others: Vec<&'scope Stream>,
}

impl<'scope> Streams<'scope> {
    /// Adds a stream, and returns its place.
    #[inline]
    pub(super) fn add(&mut self, stream: &'scope Stream) -> usize {
        for (place, known) in self.first.iter_mut().enumerate() {
            match known {
                Some(known) if known.is(stream) => return place,
                Some(_) => {}
                None => {
                    *known = Some(stream);
                    return place;
                }
            }
        }
        self.add_other(stream)
    }

    #[cold]
    fn add_other(&mut self, stream: &'scope Stream) -> usize {
        let known = self.others.iter().position(|known| known.is(stream));
        FIRST
            + known.unwrap_or_else(|| {
                self.others.push(stream);
                self.others.len() - 1
            })
    }

    /// Calls a function for each stream and its place, in order.
    #[inline]
    pub(super) fn each(&self, mut call: impl FnMut(usize, &'scope Stream)) {
        for (place, stream) in self.first.iter().enumerate() {
            match stream {
                Some(stream) => call(place, stream),
                None => return,
            }
        }
        self.others.iter().enumerate().for_each(|(place, stream)| call(FIRST + place, stream));
    }
}
