//! What both sides of a ring have: the memory, the numbers, and waiting for the other side.

use std::cell::Cell;
use std::ops::Deref;
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::hello::{Hello, Line, Offer};
use super::layout::Layout;
use super::signals::{NewSignals, Signals};
use super::{Placement, RingError, Role};
use crate::deadline::{Deadline, Pauses};
use crate::event::Awaited as _;
use crate::host::SharedPages;
use crate::liveness::ProcessWatch;
use crate::memory::DeviceSlice;
use crate::parcel::ImportedMemory;
use crate::stream::ScopedStream;
use crate::{Context, DeviceMemory, Error, SharedBuffer};

// States of a side. Any other number, which only a faulty process writes, is like `GONE`.
const OPEN: u32 = 0;
const CLOSED: u32 = 1;
const GONE: u32 = 2;

/// Spinning for longer wastes a core, and a shorter time is less than a GPU needs for a small message.
const SPIN: Duration = Duration::from_micros(50);
/// How often a side that does not sleep asks whether the other side lives.
pub(super) const LOOK: Duration = Duration::from_millis(10);
/// The longest sleep. A longer one would delay messages that take longer than the time of spinning.
const LONGEST_PAUSE: Duration = Duration::from_micros(100);

/// How the other side ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    Closed,
    Died,
}

/// The result of waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    Ready,
    TimedOut,
    Over(Over),
}

#[derive(Debug)]
pub(super) struct Side {
    role: Role,
    layout: Layout,
    /// The slots and the numbers beside them, which are parts of the memory.
    slots: Vec<DeviceMemory>,
    numbers: Vec<DeviceMemory>,
    _memory: Memory,
    pages: SharedPages<u32>,
    signals: Signals,
    other: ProcessWatch,
    spin: Cell<Duration>,
    /// How the other side ended, once that was told.
    over: Cell<Option<Over>>,
    is_closed: bool,
}

#[derive(Debug)]
enum Memory {
    Ours(SharedBuffer),
    Theirs(ImportedMemory),
}

impl Deref for Memory {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        match self {
            Self::Ours(memory) => memory,
            Self::Theirs(memory) => memory,
        }
    }
}

impl Memory {
    fn ours(context: &Context, layout: &Layout) -> Result<SharedBuffer, Error> {
        SharedBuffer::new(context, layout.size())
    }

    /// Receives the memory of the other side, which may have any size.
    fn receive(line: &Line<'_>, context: &Context, layout: &Layout) -> Result<Self, Error> {
        let memory = line.receive_parcel()?.map(context)?;
        let (found, expected) = (memory.size(), layout.size());
        if found < expected {
            return Err(RingError::TooSmall { found, expected }.into());
        }
        Ok(Self::Theirs(memory))
    }
}

impl Side {
    /// Makes the consumer's side.
    ///
    /// # Safety
    /// As [`ImportedEvent::open`](crate::ipc::ImportedEvent::open), if the order is by events.
    #[allow(unsafe_code)] // The caller's promise is passed on.
    pub(super) unsafe fn create(line: &Line<'_>, context: &Context, hello: Hello) -> Result<Self, Error> {
        let layout = hello.layout;
        let other = ProcessWatch::by_hang_up(line.connection)?;
        let pages = SharedPages::new(context, layout.words())?;
        for slot in 0..layout.slots() {
            let number = layout.number_before(layout.first_of(slot));
            for place in [Layout::header(slot).0, Layout::freed(slot)] {
                pages.store(place, &[number])?;
            }
        }
        // All that can fail comes before the producer waits for it.
        let signals = NewSignals::new(hello.order, context, layout.slots())?;
        let ours = match hello.placement {
            Placement::Consumer => Some(Memory::ours(context, &layout)?),
            Placement::Producer => None,
        };
        let parcel = ours.as_ref().map(SharedBuffer::share).transpose()?;
        let meet = || {
            line.say_hello(&hello, &pages)?;
            parcel.iter().try_for_each(|parcel| line.send_parcel(parcel))?;
            signals.send(line)?;
            let memory = ours.map_or_else(|| Memory::receive(line, context, &layout), |ours| Ok(Memory::Ours(ours)))?;
            // SAFETY: the caller makes the same promise.
            let theirs = unsafe { signals.receive(line)? };
            line.receive_ready()?;
            Ok::<_, Error>((memory, signals.with(theirs)))
        };
        let (memory, signals) = meet().inspect_err(|_| {
            // The producer may be late, and still open the ring: this process may keep the connection, so nothing else
            // tells it. In a forked child there are no pages.
            let _ = pages.store(Layout::state(Role::Consumer), &[GONE]);
        })?;
        Self::of(Role::Consumer, hello, memory, pages, signals, other)
    }

    /// Makes the producer's side.
    ///
    /// # Safety
    /// As [`ImportedEvent::open`](crate::ipc::ImportedEvent::open), if the order is by events.
    #[allow(unsafe_code)] // The caller's promise is passed on.
    pub(super) unsafe fn open(line: &Line<'_>, context: &Context, offer: Offer) -> Result<Self, Error> {
        let other = ProcessWatch::by_hang_up(line.connection)?;
        let (hello, pages) = line.say_offer(offer)?;
        let layout = hello.layout;
        let pages = SharedPages::import(context, pages.as_fd(), layout.words())?;
        let signals = NewSignals::new(offer.order, context, layout.slots())?;
        let (memory, parcel) = match hello.placement {
            Placement::Consumer => (Memory::receive(line, context, &layout)?, None),
            Placement::Producer => {
                let ours = Memory::ours(context, &layout)?;
                let parcel = ours.share()?;
                (Memory::Ours(ours), Some(parcel))
            }
        };
        parcel.iter().try_for_each(|parcel| line.send_parcel(parcel))?;
        // The consumer sends all its events before it receives. The socket has no room for those of many slots, so both
        // sides would wait for each other if this side sent first too.
        // SAFETY: the caller makes the same promise.
        let theirs = unsafe { signals.receive(line)? };
        signals.send(line)?;
        let side = Self::of(Role::Producer, hello, memory, pages, signals.with(theirs), other)?;
        line.send_ready()?;
        Ok(side)
    }

    fn of(
        role: Role,
        hello: Hello,
        memory: Memory,
        pages: SharedPages<u32>,
        signals: Signals,
        other: ProcessWatch,
    ) -> Result<Self, Error> {
        let layout = hello.layout;
        let slots = (0..layout.slots()).map(|slot| memory.sub(layout.slot(slot), layout.slot_size()));
        let slots = slots.collect::<Result<_, _>>()?;
        let numbered = if hello.is_numbered { layout.slots() } else { 0 };
        let numbers = (0..numbered).map(|slot| memory.sub(layout.number_beside(slot), size_of::<u32>()));
        let numbers = numbers.collect::<Result<_, _>>()?;
        let (spin, over) = (Cell::new(SPIN), Cell::new(None));
        Ok(Self { role, layout, slots, numbers, _memory: memory, pages, signals, other, spin, over, is_closed: false })
    }

    pub(super) const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the memory of a message's slot.
    pub(super) fn slot(&self, sequence: u64) -> &DeviceMemory {
        &self.slots[self.layout.slot_of(sequence)]
    }

    /// Returns the number beside a message's slot, if there are such numbers.
    pub(super) fn number_beside(&self, sequence: u64) -> Result<Option<DeviceSlice<'_, u32>>, Error> {
        self.numbers.get(self.layout.slot_of(sequence)).map(|number| number.slice(..)).transpose()
    }

    pub(super) fn set_spin(&self, time: Duration) {
        self.spin.set(time);
    }

    /// Returns a word of the pages.
    pub(super) fn word(&self, place: usize) -> Result<&AtomicU32, Error> {
        // In a forked child there are none.
        self.pages.numbers().get(place).ok_or(Error::Forked)
    }

    /// Makes a stream tell the other side that its work in a message's slot is done.
    pub(super) fn tell<'scope>(
        &'scope self,
        stream: ScopedStream<'scope, '_>,
        sequence: u64,
        place: usize,
    ) -> Result<(), Error> {
        let (slot, number) = (self.layout.slot_of(sequence), Layout::number(sequence));
        let in_pages = self.pages.memory().slice(..)?.value(place)?;
        if self.signals.enqueue(stream, slot, in_pages, number)? {
            self.word(place)?.store(number, Ordering::Release);
        }
        Ok(())
    }

    /// Tells the other side that all work in a message's slot is done.
    pub(super) fn tell_now(&self, sequence: u64, place: usize) -> Result<(), Error> {
        self.word(place)?.store(Layout::number(sequence), Ordering::Release);
        Ok(())
    }

    /// Returns whether the other side has told that its work is done.
    pub(super) fn was_told(&self, slot: usize, place: usize, number: u32) -> Result<bool, Error> {
        Ok(self.word(place)?.load(Ordering::Acquire) == number && self.signals.is_theirs_done(slot)?)
    }

    /// Returns whether the other side can know that this side's work is done.
    pub(super) fn has_told(&self, slot: usize, place: usize, number: u32) -> Result<bool, Error> {
        Ok(self.word(place)?.load(Ordering::Acquire) == number && self.signals.is_ours_done(slot)?)
    }

    /// Returns how the other side has ended, as it says itself.
    fn said_over(&self) -> Result<Option<Over>, Error> {
        Ok(match self.word(Layout::state(self.role.other()))?.load(Ordering::Acquire) {
            OPEN => None,
            CLOSED => Some(Over::Closed),
            _ => Some(Over::Died),
        })
    }

    /// Returns how the other side has ended. This asks the kernel.
    pub(super) fn is_over(&self) -> Result<Option<Over>, Error> {
        if self.over.get().is_none() {
            let has_died = self.other.dies_within(Duration::ZERO)?;
            // It may have closed the ring before it died.
            self.over.set(self.said_over()?.or(has_died.then_some(Over::Died)));
        }
        Ok(self.over.get())
    }

    /// Waits until something is ready, the time is up, or the other side has ended. What was ready before that end
    /// counts as ready. After that end was told, nothing is ready any more: work of a dead process may still arrive.
    pub(super) fn wait(&self, limit: Duration, ready: impl Fn() -> Result<bool, Error>) -> Result<Waited, Error> {
        if let Some(over) = self.over.get() {
            return Ok(Waited::Over(over));
        }
        if ready()? {
            return Ok(Waited::Ready);
        }
        let deadline = Deadline::after(Some(limit));
        if self.spin(limit, &ready)? {
            return Ok(Waited::Ready);
        }
        let (mut pauses, mut has_died) = (Pauses::default(), false);
        loop {
            // In this order: it may have closed the ring before it died, and what comes after its end is not ready.
            let over = self.said_over()?.or(has_died.then_some(Over::Died));
            if ready()? {
                return Ok(Waited::Ready);
            }
            if let Some(over) = over {
                self.over.set(Some(over));
                return Ok(Waited::Over(over));
            }
            let left = deadline.left().unwrap_or(Duration::MAX);
            // Without time left too: a caller that never waits learns of the death.
            has_died = self.other.dies_within(pauses.next().min(LONGEST_PAUSE).min(left))?;
            if left.is_zero() && !has_died {
                return Ok(Waited::TimedOut);
            }
        }
    }

    /// Asks again and again for a short time, in which no sleep would end. Stops early if the other side has ended.
    fn spin(&self, limit: Duration, ready: impl Fn() -> Result<bool, Error>) -> Result<bool, Error> {
        const ROUND: u32 = 16;
        let (begin, limit) = (Instant::now(), self.spin.get().min(limit));
        let mut next_look = LOOK;
        loop {
            let time = begin.elapsed();
            if time >= limit || self.said_over()?.is_some() {
                return Ok(false);
            }
            if time >= next_look {
                next_look = time + LOOK;
                if self.other.dies_within(Duration::ZERO)? {
                    return Ok(false);
                }
            }
            for _ in 0..ROUND {
                if ready()? {
                    return Ok(true);
                }
                std::hint::spin_loop();
            }
        }
    }

    /// Tells the other side that the ring is closed. Otherwise dropping this value says that the side is gone.
    pub(super) fn close(mut self) {
        self.is_closed = true;
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // The other side destroys its events once it knows of the end.
        self.signals.close_theirs();
        // In a forked child there are no words: the ring is its parent's.
        if let Ok(state) = self.word(Layout::state(self.role)) {
            state.store(if self.is_closed { CLOSED } else { GONE }, Ordering::Release);
        }
        if !matches!(self.is_over(), Ok(Some(_))) {
            self.signals.keep_ours();
        }
    }
}
