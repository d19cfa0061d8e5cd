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
    #[inline]
    pub(super) fn add(&mut self, stream: &'scope Stream) {
        for place in &mut self.first {
            match place {
                Some(known) if known.is(stream) => return,
                Some(_) => {}
                None => return *place = Some(stream),
            }
        }
        self.add_other(stream);
    }

    #[cold]
    fn add_other(&mut self, stream: &'scope Stream) {
        if !self.others.iter().any(|known| known.is(stream)) {
            self.others.push(stream);
        }
    }

    /// Calls a function for each stream, in order.
    #[inline]
    pub(super) fn each(&self, mut call: impl FnMut(&'scope Stream)) {
        for place in &self.first {
            match place {
                Some(stream) => call(stream),
                None => return,
            }
        }
        self.others.iter().copied().for_each(call);
    }
}
