//! The streams that a scope waits for.

use crate::Stream;

/// How many streams a scope remembers without an allocation.
const FIRST: usize = 4;

/// Streams, each once, in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Streams<'scope> {
    first: [Option<&'scope Stream>; FIRST],
    /// Empty unless all of the first ones are used.
    others: Vec<&'scope Stream>,
}

impl<'scope> Streams<'scope> {
    pub(super) fn add(&mut self, stream: &'scope Stream) {
        if self.iter().any(|known| known.is(stream)) {
            return;
        }
        match self.first.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(stream),
            None => self.others.push(stream),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'scope Stream> {
        self.first.iter().flatten().chain(&self.others).copied()
    }
}
