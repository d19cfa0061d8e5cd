//! The consumer's side of a ring.
#![allow(unsafe_code)] // One function requires a promise about events.

use std::time::Duration;

use super::hello::{Hello, Line, Order};
use super::incoming::Incoming;
use super::side::Side;
use super::{Message, Options, Role};
use crate::transport::Connection;
use crate::{Context, Error};

/// The side of a ring that receives messages. See [the module](super).
///
/// Dropping it without [`Consumer::close`] tells the producer that the consumer died.
#[derive(Debug)]
pub struct Consumer(Incoming);

impl Consumer {
    /// `cuMemCreate`, `cuMemHostRegister`: creates a ring to the process at the other end of a connection, which must
    /// call [`Producer::open`](super::Producer::open). The call waits for that process, at most for
    /// [`Options::within`].
    ///
    /// The context's device uses the slots. Afterwards the connection is free for other messages. The ring keeps a
    /// duplicate of its descriptor to learn of the producer's death.
    ///
    /// # Errors
    /// [`Error::Ring`] if no ring can have these options ([`BadOptions`]), if the producer does not accept them
    /// ([`TooMuchMemory`], [`OtherOrder`]), or if the other process creates a ring too ([`SameRole`]), sends something
    /// else, or is late ([`NotMade`]); [`Error::Transport`]; [`Error::Ticket`]; [`Error::Liveness`]; [`Error::System`]; [`Error::Refused`] with the
    /// driver's error code, for example if the device has too little free memory or the two devices are not peers.
    ///
    /// [`BadOptions`]: super::RingError::BadOptions
    /// [`TooMuchMemory`]: super::RingError::TooMuchMemory
    /// [`OtherOrder`]: super::RingError::OtherOrder
    /// [`SameRole`]: super::RingError::SameRole
    /// [`NotMade`]: super::RingError::NotMade
    #[doc(alias = "cuMemCreate")]
    #[doc(alias = "cuMemHostRegister")]
    pub fn create(connection: &Connection, context: &Context, options: Options) -> Result<Self, Error> {
        // SAFETY: no event is opened.
        unsafe { Self::create_by(connection, context, options, Order::Values) }
    }

    /// `cuIpcOpenEventHandle`: creates a ring as [`Consumer::create`] does, but ordered by interprocess events: one of
    /// each side for each slot. The other side must call
    /// [`Producer::open_with_events`](super::Producer::open_with_events).
    ///
    /// This is for devices that have no stream values, and for comparison: on an H200 stream values are faster. All
    /// streams that messages and slots are taken into must belong to `context`. When a side ends, it destroys its
    /// events if the other side has ended before. Otherwise it keeps them until the process ends.
    ///
    /// # Errors
    /// As [`Consumer::create`]; [`Error::Refused`] if the process has too many interprocess events.
    ///
    /// # Safety
    /// The caller promises that
    /// - the other process makes the ring with this crate, and nobody else can write to the connection: the
    ///   driver trusts the bytes of event handles;
    /// - the other process does not end before this side is closed or dropped. If that process can be killed, the
    ///   caller relies on the driver to let its events be queried. An H200 did (driver 580.159.04), but CUDA does not
    ///   define it.
    #[doc(alias = "cuIpcOpenEventHandle")]
    pub unsafe fn create_with_events(
        connection: &Connection,
        context: &Context,
        options: Options,
    ) -> Result<Self, Error> {
        // SAFETY: the caller makes the same promise.
        unsafe { Self::create_by(connection, context, options, Order::Events) }
    }

    /// # Safety
    /// As [`Consumer::create_with_events`], if the order is by events.
    unsafe fn create_by(
        connection: &Connection,
        context: &Context,
        options: Options,
        order: Order,
    ) -> Result<Self, Error> {
        let (layout, placement) = (options.layout()?, options.placement);
        let hello = Hello { layout, placement, order, is_numbered: options.is_numbered };
        let line = Line::new(connection, Role::Consumer, options.limit);
        // SAFETY: the caller makes the same promise.
        unsafe { Side::create(&line, context, hello) }.map(|side| Self(Incoming::new(side)))
    }

    /// Waits for the next message, at most for `limit`, and returns it. [`Duration::MAX`] sets no limit, and
    /// [`Duration::ZERO`] does not wait. The result is `None` if the producer has closed the ring and this side has
    /// received all messages.
    ///
    /// The message is complete when the call returns: any work that is enqueued afterwards, in any stream, sees it. If
    /// it is complete already, the call makes no system call. It calls the driver only if the ring is ordered by events
    /// or [numbered](Options::numbered). A call that must wait spins for a short time ([`Consumer::set_spin`]), and
    /// then sleeps and looks in turns.
    ///
    /// # Errors
    /// [`Error::Ring`] with [`NoMessage`] if the time is up, [`ProducerDied`], [`AllHeld`] if this process holds the
    /// messages of all slots and the producer lives, [`BadHeader`] or [`OutOfSequence`]; [`Error::Refused`] if the ring is ordered by events
    /// or numbered, and the driver refuses to look.
    ///
    /// [`NoMessage`]: super::RingError::NoMessage
    /// [`ProducerDied`]: super::RingError::ProducerDied
    /// [`AllHeld`]: super::RingError::AllHeld
    /// [`BadHeader`]: super::RingError::BadHeader
    /// [`OutOfSequence`]: super::RingError::OutOfSequence
    pub fn next(&self, limit: Duration) -> Result<Option<Message<'_>>, Error> {
        Ok(self.0.receive(limit)?.map(|header| Message::new(&self.0, header)))
    }

    /// Returns the sequence number of the next message.
    #[must_use]
    pub fn next_sequence(&self) -> u64 {
        self.0.next()
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

    /// Closes the ring. A producer that still sends gets
    /// [`RingError::ConsumerClosed`](super::RingError::ConsumerClosed).
    pub fn close(self) {
        self.0.side.close();
    }
}
