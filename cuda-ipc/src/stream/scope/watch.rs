//! Scopes that do not wait for a process that has died.
#![allow(unsafe_code)] // Releases waits, by writing the numbers that streams wait for.

use std::cell::RefCell;
use std::thread::sleep;
use std::time::Duration;

use crate::deadline::Pauses;
use crate::drop_hook::report;
use crate::event::Awaited;
use crate::memory::{DeviceMemory, DeviceSlice};
use crate::stream::settle::settle;
use crate::stream::value::{StreamValue, WaitValue};
use crate::{Error, Stream};

/// After a death, the watch ends with so many failed questions in a row whether a stream is done.
const MOST_QUESTIONS: u32 = 100;

/// The pause after a look at the waits that ended none, which is a few calls for each wait.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// A process for which the streams of a scope wait, and those waits.
pub(super) struct Watch<'scope> {
    process: &'scope dyn Awaited,
    waits: RefCell<Vec<Wait<'scope>>>,
}

impl<'scope> Watch<'scope> {
    pub(super) const fn new(process: &'scope dyn Awaited) -> Self {
        Self { process, waits: RefCell::new(Vec::new()) }
    }

    /// Remembers a wait, so that it can be ended.
    pub(super) fn remember<N: StreamValue>(
        &self,
        waiting: &'scope Stream,
        number: DeviceSlice<'scope, N>,
        condition: WaitValue,
        value: N,
    ) {
        let (memory, offset) = (number.memory(), number.offset());
        let (value, is_wide) = (value.into(), size_of::<N>() == size_of::<u64>());
        self.waits.borrow_mut().push(Wait { waiting, memory, offset, condition, value, is_wide });
    }

    /// Waits until a stream's work is over, as [`settle`] does. If the process dies while the stream waits for it, ends
    /// the waits.
    pub(super) fn settle(&self, stream: &Stream, is_busy: bool) -> Result<(), Error> {
        let watched = self.watch(stream);
        // Whatever came of watching, only this tells that the work is over.
        settle(stream, is_busy)?;
        watched
    }

    /// Watches until the stream is done. It goes on after an error, because the stream may still wait for the process.
    fn watch(&self, stream: &Stream) -> Result<(), Error> {
        let (mut pauses, mut first, mut questions) = (Pauses::default(), None, 0);
        let (mut is_dead, mut has_ended_any, mut is_reported) = (false, false, false);
        loop {
            match stream.is_done() {
                Ok(true) => break,
                Ok(false) => questions = 0,
                // A capture of other code forbids the question, which is asked until the capture ends.
                Err(error) if error.is_of_capture() => {}
                Err(error) => {
                    questions += 1;
                    let is_over = error.ends_work() || is_dead && questions >= MOST_QUESTIONS;
                    first.get_or_insert(error);
                    if is_over {
                        break;
                    }
                }
            }
            if is_dead {
                // Several waits for one number may need different values, each of which the next one overwrites.
                let mut ends_one = false;
                for wait in self.waits.borrow().iter() {
                    match wait.end() {
                        Ok(has_ended) => ends_one |= has_ended,
                        Err(error) => {
                            // At once, because the scope may wait for ever after it.
                            if !is_reported {
                                report("Scope", error.clone());
                                is_reported = true;
                            }
                            first.get_or_insert(error);
                        }
                    }
                }
                has_ended_any |= ends_one;
                sleep(if ends_one { pauses.next() } else { BETWEEN_LOOKS });
                continue;
            }
            let pause = pauses.next();
            match self.process.dies_within(pause) {
                // The work may have been done before the process died, so the stream is asked again.
                Ok(dies) => is_dead = dies,
                Err(error) => {
                    first.get_or_insert(error);
                    sleep(pause);
                }
            }
        }
        match first {
            _ if !has_ended_any => first.map_or(Ok(()), Err),
            Some(error) if !is_reported => {
                report("Scope", error);
                Err(Error::PeerDied)
            }
            _ => Err(Error::PeerDied),
        }
    }
}

/// A wait for a number.
struct Wait<'scope> {
    waiting: &'scope Stream,
    memory: &'scope DeviceMemory,
    offset: usize,
    condition: WaitValue,
    value: u64,
    /// Whether the number has 64 bits and not 32.
    is_wide: bool,
}

impl Wait<'_> {
    /// Writes a number that ends the wait, unless the number in memory does, and returns whether it was written.
    fn end(&self) -> Result<bool, Error> {
        // A stream of its own: the scope's streams wait, and the default stream may wait for them.
        let stream = Stream::non_blocking(self.waiting.context())?;
        if self.is_wide { self.end_in(&stream, self.value) } else { self.end_in(&stream, self.value as u32) }
    }

    fn end_in<N: StreamValue>(&self, stream: &Stream, value: N) -> Result<bool, Error> {
        let mut number = [N::zeroed()];
        // SAFETY: the scope has borrowed the memory, and `settle` waits for the copy.
        let read = unsafe { self.memory.read_async(self.offset, &mut number, stream) };
        settle(stream, true)?;
        read?;
        if value.is_met_by(number[0], self.condition) {
            return Ok(false);
        }
        // SAFETY: as above.
        let written = unsafe { value.write(stream, self.memory, self.offset) };
        settle(stream, true)?;
        written.map(|()| true)
    }
}
