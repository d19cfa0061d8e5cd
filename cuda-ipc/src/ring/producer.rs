//! The producer's side of a ring.
#![allow(unsafe_code)] // One function requires a promise about events.

use std::time::Duration;

use super::hello::{Line, Offer, Order};
use super::outgoing::Outgoing;
use super::side::Side;
use super::{OpenOptions, Role, Slot};
use crate::transport::Connection;
use crate::{Context, Error};

/// The side of a ring that sends messages. See [the module](super).
///
/// Dropping it without [`Producer::close`] tells the consumer that the producer died.
#[derive(Debug)]
pub struct Producer(Outgoing);

impl Producer {
    /// `cuMemMap`, `cuMemHostRegister`: opens the ring that the process at the other end creates with
    /// [`Consumer::create`](super::Consumer::create). The call waits for that process, at most for a minute.
    ///
    /// The consumer chooses the properties of the ring. If the slots are on the producer's device, this call allocates
    /// them: up to 1 GiB. [`Producer::open_with`] sets other limits. The context's device uses the slots. Afterwards the connection is free for other messages. The ring keeps a
    /// duplicate of its descriptor to learn of the consumer's death.
    ///
    /// # Errors
    /// [`Error::Ring`] if the ring needs too much memory of this side ([`TooMuchMemory`]) or is ordered by events
    /// ([`OtherOrder`]), or if the other process opens a ring too ([`SameRole`]), sends something else, or is late
    /// ([`NotMade`]); [`Error::Transport`]; [`Error::Pages`];
    /// [`Error::Ticket`]; [`Error::Liveness`]; [`Error::OwnTicket`] if both sides are in one process;
    /// [`Error::Refused`] with the driver's error code, for example if the two devices are not peers.
    ///
    /// [`TooMuchMemory`]: super::RingError::TooMuchMemory
    /// [`OtherOrder`]: super::RingError::OtherOrder
    /// [`SameRole`]: super::RingError::SameRole
    /// [`NotMade`]: super::RingError::NotMade
    #[doc(alias = "cuMemMap")]
    #[doc(alias = "cuMemHostRegister")]
    pub fn open(connection: &Connection, context: &Context) -> Result<Self, Error> {
        Self::open_with(connection, context, OpenOptions::new())
    }

    /// Opens a ring as [`Producer::open`] does, with other limits.
    ///
    /// # Errors
    /// As [`Producer::open`].
    #[doc(alias = "cuMemMap")]
    #[doc(alias = "cuMemHostRegister")]
    pub fn open_with(connection: &Connection, context: &Context, options: OpenOptions) -> Result<Self, Error> {
        // SAFETY: no event is opened.
        unsafe { Self::open_by(connection, context, options, Order::Values) }
    }

    /// `cuIpcOpenEventHandle`: opens a ring as [`Producer::open_with`] does, if it is ordered by events
    /// ([`Consumer::create_with_events`](super::Consumer::create_with_events)).
    ///
    /// # Errors
    /// As [`Producer::open`]; [`Error::Refused`] if the process has too many interprocess events.
    ///
    /// # Safety
    /// As [`Consumer::create_with_events`](super::Consumer::create_with_events).
    #[doc(alias = "cuIpcOpenEventHandle")]
    pub unsafe fn open_with_events(
        connection: &Connection,
        context: &Context,
        options: OpenOptions,
    ) -> Result<Self, Error> {
        // SAFETY: the caller makes the same promise.
        unsafe { Self::open_by(connection, context, options, Order::Events) }
    }

    /// # Safety
    /// As [`Producer::open_with_events`], if the order is by events.
    unsafe fn open_by(
        connection: &Connection,
        context: &Context,
        options: OpenOptions,
        order: Order,
    ) -> Result<Self, Error> {
        let offer = Offer { order, most_bytes: options.most_bytes as u64 };
        let line = Line::new(connection, Role::Producer, options.limit);
        // SAFETY: the caller makes the same promise.
        unsafe { Side::open(&line, context, offer) }.map(|side| Self(Outgoing::new(side)))
    }

    /// Waits until a slot is free, at most for `limit`, and returns it. [`Duration::MAX`] sets no limit, and
    /// [`Duration::ZERO`] does not wait.
    ///
    /// The slots are used in turn, so the call waits for the one whose message is the oldest. If it is free, the call
    /// makes one system call every 10 ms, and calls the driver only if the ring is ordered by events. A call that must
    /// wait spins for a short time ([`Producer::set_spin`]), and then sleeps and looks in turns.
    ///
    /// # Errors
    /// [`Error::Ring`] with [`NoFreeSlot`] if the time is up, [`ConsumerDied`], [`ConsumerClosed`], or
    /// [`AlreadyReserved`] if the previous slot was neither committed nor dropped; [`Error::Refused`] if the ring is
    /// ordered by events, and the driver refuses to look.
    ///
    /// [`NoFreeSlot`]: super::RingError::NoFreeSlot
    /// [`ConsumerDied`]: super::RingError::ConsumerDied
    /// [`ConsumerClosed`]: super::RingError::ConsumerClosed
    /// [`AlreadyReserved`]: super::RingError::AlreadyReserved
    pub fn reserve(&self, limit: Duration) -> Result<Slot<'_>, Error> {
        self.0.reserve(limit).map(|sequence| Slot::new(&self.0, sequence))
    }

    /// Returns the sequence number of the next message.
    #[must_use]
    pub fn next_sequence(&self) -> u64 {
        self.0.next()
    }

    /// Returns the number of messages that this side has committed and the consumer has not released yet.
    ///
    /// # Errors
    /// [`Error::Forked`]; [`Error::Refused`] with the error of the work, if the ring is ordered by events.
    pub fn unreleased(&self) -> Result<usize, Error> {
        self.0.unreleased()
    }

    /// Returns the size of a slot in bytes.
    #[must_use]
    pub const fn slot_size(&self) -> usize {
        self.0.side.layout().slot_size()
    }

    /// Returns the number of slots.
    #[must_use]
    pub const fn slots(&self) -> usize {
        self.0.side.layout().slots()
    }

    /// Sets how long a call that must wait spins before it sleeps. A new ring spins for 50 µs. Spinning uses a whole
    /// core. A call that sleeps looks again after 10 µs, and later every 100 µs.
    pub fn set_spin(&self, time: Duration) {
        self.0.side.set_spin(time);
    }

    /// Closes the ring: the consumer receives all messages, and then [`Consumer::next`](super::Consumer::next) returns
    /// `None`. The call does not wait for the consumer, and the process may end afterwards. If the ring is ordered by
    /// events, see [`Consumer::create_with_events`](super::Consumer::create_with_events).
    ///
    /// # Errors
    /// [`Error::Ring`] with [`RingError::Unfinished`](super::RingError::Unfinished) if the work of a message failed.
    /// The consumer is then told that the producer died.
    pub fn close(self) -> Result<(), Error> {
        self.0.require_all_done()?;
        self.0.side.close();
        Ok(())
    }
}
