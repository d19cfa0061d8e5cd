//! The properties of a ring, which its consumer chooses, and what a producer accepts.

use std::time::Duration;

use super::RingError;
use super::layout::Layout;

/// How long the making of a ring takes at most, unless the caller sets another limit.
const LIMIT: Duration = Duration::from_secs(60);

/// The device on which the slots of a ring are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// On the consumer's device: the producer pushes its data there, and the consumer needs no copy. On one GPU this is
    /// the faster placement, because only the producer's process has to use the GPU.
    Consumer,
    /// On the producer's device: the consumer pulls the data from there.
    Producer,
}

/// The properties of a ring.
///
/// ```
/// use cuda_ipc::ring::{Options, Placement};
///
/// let options = Options::new(1 << 20).slots(4).placement(Placement::Producer);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub(super) slots: usize,
    pub(super) slot_size: usize,
    pub(super) placement: Placement,
    pub(super) first: u64,
    pub(super) is_numbered: bool,
    pub(super) limit: Duration,
}

impl Options {
    /// Returns the properties of a ring of 8 slots of `slot_size` bytes each, on the consumer's device.
    #[must_use]
    pub const fn new(slot_size: usize) -> Self {
        Self { slots: 8, slot_size, placement: Placement::Consumer, first: 0, is_numbered: false, limit: LIMIT }
    }

    /// Sets the number of slots: 1 to 4096. The producer can be ahead of the consumer by this number of messages. A ring
    /// by events needs an event of each process for each slot, of which an H200 gives a process 4096 in all.
    #[must_use]
    pub const fn slots(self, slots: usize) -> Self {
        Self { slots, ..self }
    }

    /// Sets the device on which the slots are. A producer allocates 1 GiB at most, unless its
    /// [`OpenOptions::most_bytes`] says otherwise.
    #[must_use]
    pub const fn placement(self, placement: Placement) -> Self {
        Self { placement, ..self }
    }

    /// Sets the sequence number of the first message. A ring that replaces another one can continue its numbers.
    #[must_use]
    pub const fn first(self, sequence: u64) -> Self {
        Self { first: sequence, ..self }
    }

    /// Makes the producer's stream also write the lower 32 bits of each sequence number, plus 1, to device memory
    /// beside the slot. [`Consumer::next`](super::Consumer::next) reads this number and compares it, and kernels can
    /// ([`Message::number`](super::Message::number)).
    ///
    /// This checks for each message that the writes of the producer's device arrive in order. It is meant for tests,
    /// because the read costs the consumer about 10 µs a message, and on one GPU a context switch.
    #[must_use]
    pub const fn numbered(self) -> Self {
        Self { is_numbered: true, ..self }
    }

    /// Sets how long [`Consumer::create`](super::Consumer::create) waits for the producer, in all. Without it, that is a
    /// minute. [`Duration::MAX`] sets no limit. A timeout of the connection can end the call before.
    #[must_use]
    pub const fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    pub(super) fn layout(&self) -> Result<Layout, RingError> {
        let bad = RingError::BadOptions { slots: self.slots, slot_size: self.slot_size, first: self.first };
        Layout::new(self.slots, self.slot_size, self.first).ok_or(bad)
    }
}

/// What a producer accepts when it opens a ring. The consumer chooses the properties of the ring.
///
/// ```no_run
/// use std::time::Duration;
///
/// use cuda_ipc::ring::{OpenOptions, Producer};
/// use cuda_ipc::transport::Connection;
/// use cuda_ipc::{Context, Error};
///
/// fn open(consumer: &Connection, context: &Context) -> Result<Producer, Error> {
///     let options = OpenOptions::new().most_bytes(64 << 20).within(Duration::from_secs(5));
///     Producer::open_with(consumer, context, options)
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct OpenOptions {
    pub(super) most_bytes: usize,
    pub(super) limit: Duration,
}

impl OpenOptions {
    /// Returns what [`Producer::open`](super::Producer::open) accepts: up to 1 GiB of slots on the producer's device, in a
    /// ring that is made within a minute.
    #[must_use]
    pub const fn new() -> Self {
        Self { most_bytes: 1 << 30, limit: LIMIT }
    }

    /// Sets how many bytes the slots have at most, if they are on the producer's device: their number times their size.
    /// A consumer that asks for more gets [`RingError::TooMuchMemory`], as the producer does, and nothing is allocated.
    /// With 0, only the consumer's device can have the slots.
    #[must_use]
    pub const fn most_bytes(self, bytes: usize) -> Self {
        Self { most_bytes: bytes, ..self }
    }

    /// Sets how long the call waits for the consumer, in all. [`Duration::MAX`] sets no limit. A timeout of the
    /// connection can end the call before.
    #[must_use]
    pub const fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self::new()
    }
}
