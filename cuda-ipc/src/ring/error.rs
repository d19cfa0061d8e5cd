//! The errors of rings.

use std::time::Duration;

use thiserror::Error;

use crate::error::Advice;

/// The reason why a ring was not made, or why a message was not sent or received.
///
/// Messages are named by their sequence numbers.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RingError {
    /// No ring can have these properties.
    #[non_exhaustive]
    #[error("a ring cannot have {slots} slots of {slot_size} bytes and begin at message {first}{}", self.advice())]
    BadOptions {
        /// The number of slots.
        slots: usize,
        /// The size of a slot in bytes.
        slot_size: usize,
        /// The sequence number of the first message.
        first: u64,
    },
    /// Both processes create a ring, or both open one.
    #[non_exhaustive]
    #[error("the other process is the {role} of the ring too{}", self.advice())]
    SameRole {
        /// What both processes are: `consumer` or `producer`.
        role: &'static str,
    },
    /// The other process did not do its part of making the ring in time.
    #[non_exhaustive]
    #[error("the other process did not do its part as the {other} of the ring within {waited:?}{}", self.advice())]
    NotMade {
        /// What the other process has to be: `consumer` or `producer`.
        other: &'static str,
        /// The time limit.
        waited: Duration,
    },
    /// The consumer wants more memory on the producer's device than the producer accepts. Nothing was allocated.
    #[non_exhaustive]
    #[error(
        "the consumer wants slots of {wanted} bytes in all on the producer's device, and the producer accepts {allowed}{}",
        self.advice()
    )]
    TooMuchMemory {
        /// The number of the slots times their size, in bytes.
        wanted: u64,
        /// The most bytes that the producer accepts.
        allowed: u64,
    },
    /// The other process sent a message that is not a part of making a ring.
    #[error("the other process sent a message that is not a part of making a ring{}", self.advice())]
    OtherMessage,
    /// The other process orders the ring by events, or by stream values, and this process by the other.
    #[non_exhaustive]
    #[error("the other process orders the ring by {found}; expected {expected}{}", self.advice())]
    OtherOrder {
        /// What the other process orders the ring by.
        found: &'static str,
        /// What this process orders it by.
        expected: &'static str,
    },
    /// The other process shared less memory than the ring needs.
    #[non_exhaustive]
    #[error("the other process shared {found} bytes for the slots; expected {expected}{}", self.advice())]
    TooSmall {
        /// The size of the memory in bytes.
        found: usize,
        /// The size that the ring needs, in bytes.
        expected: usize,
    },
    /// The time limit passed before a message came.
    #[non_exhaustive]
    #[error("message {message} did not come within {waited:?}{}", self.advice())]
    NoMessage {
        /// The awaited message.
        message: u64,
        /// The time limit.
        waited: Duration,
    },
    /// The time limit passed before a slot became free.
    #[non_exhaustive]
    #[error("no slot became free for message {message} within {waited:?}{}", self.advice())]
    NoFreeSlot {
        /// The message that needs the slot.
        message: u64,
        /// The time limit.
        waited: Duration,
    },
    /// The producer died, or dropped the ring without closing it. All messages up to `last_good` were received, and no
    /// later one ever will be.
    #[non_exhaustive]
    #[error("the producer died, or dropped the ring without closing it, after {}{}", last(*last_good), self.advice())]
    ProducerDied {
        /// The last message that was received, or nothing if there was none.
        last_good: Option<u64>,
    },
    /// The consumer died, or dropped the ring without closing it.
    #[non_exhaustive]
    #[error("the consumer died, or dropped the ring without closing it, after it had released {}{}",
        last(*last_released), self.advice())]
    ConsumerDied {
        /// The last message that it had released, together with all messages before, or nothing if there was none.
        last_released: Option<u64>,
    },
    /// The consumer closed the ring.
    #[non_exhaustive]
    #[error("the consumer closed the ring after it had released {}{}", last(*last_released), self.advice())]
    ConsumerClosed {
        /// The last message that it had released, together with all messages before, or nothing if there was none.
        last_released: Option<u64>,
    },
    /// The message is longer than a slot.
    #[non_exhaustive]
    #[error("a message of {length} bytes is longer than a slot of {slot_size} bytes{}", self.advice())]
    TooLong {
        /// The length of the message in bytes.
        length: usize,
        /// The size of a slot in bytes.
        slot_size: usize,
    },
    /// The producer has reserved a slot, and has neither committed nor dropped it.
    #[error("a slot is reserved already{}", self.advice())]
    AlreadyReserved,
    /// This process holds the messages of all slots, so the producer has no slot for another.
    #[non_exhaustive]
    #[error("the messages in all {slots} slots are held by this process{}", self.advice())]
    AllHeld {
        /// The number of slots.
        slots: usize,
    },
    /// The producer wrote a header that no message can have: the process is faulty or hostile.
    #[non_exhaustive]
    #[error("the header of message {message} says that it is message {found}, of {length} bytes in a slot of \
        {slot_size}{}", self.advice())]
    BadHeader {
        /// The expected message.
        message: u64,
        /// The sequence number in the header.
        found: u64,
        /// The length in the header, in bytes.
        length: u64,
        /// The size of a slot in bytes.
        slot_size: usize,
    },
    /// The number beside a slot is not that of its message, so the device's writes did not arrive in order.
    #[non_exhaustive]
    #[error("the number beside the slot of message {message} is {found:#x}; expected {expected:#x}{}", self.advice())]
    OutOfSequence {
        /// The message.
        message: u64,
        /// The number of the message.
        expected: u32,
        /// The number in device memory.
        found: u32,
    },
    /// A message was committed, and its scope has ended, but its work is not done. So the ring cannot be closed in an
    /// orderly way.
    #[non_exhaustive]
    #[error("message {message} was committed, but its work was not done{}", self.advice())]
    Unfinished {
        /// The first such message.
        message: u64,
    },
}

impl RingError {
    /// Returns what to do about the error, if that is known. The error's message ends with it.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::BadOptions { .. } => {
                "use 1 to 4096 slots of at least 1 byte, a size that the device can have, and numbers below 2^63"
            }
            Self::OtherMessage => {
                "call Consumer::create at one end and Producer::open at the other, of the same version"
            }
            Self::SameRole { .. } => "call Consumer::create at one end and Producer::open at the other",
            Self::NotMade { .. } => "check the other process, or wait longer: Options::within, OpenOptions::within",
            Self::TooMuchMemory { .. } => {
                "make a smaller ring, or accept more in the producer: OpenOptions::most_bytes"
            }
            Self::OtherOrder { .. } => {
                "use create and open at the two ends, or create_with_events and open_with_events"
            }
            Self::TooSmall { .. } | Self::BadHeader { .. } => "check the other process",
            Self::NoMessage { .. } => "check whether the producer still works, or wait longer",
            Self::NoFreeSlot { .. } => {
                "check whether the consumer still works and releases its messages, or wait longer"
            }
            Self::ProducerDied { .. } | Self::ConsumerDied { .. } | Self::ConsumerClosed { .. } => {
                "drop the ring, and make another one over a new connection"
            }
            Self::TooLong { .. } => "make a ring of larger slots, or send several messages",
            Self::AlreadyReserved => "commit it or drop it first; after `mem::forget` of it, make another ring",
            Self::AllHeld { .. } => "release one first, or make a ring of more slots",
            Self::OutOfSequence { .. } => "check the driver",
            Self::Unfinished { .. } => "check the error of the scope",
        })
    }

    /// Returns whether the process at the other side died or dropped the ring.
    pub(crate) const fn is_disconnected(&self) -> bool {
        matches!(self, Self::ProducerDied { .. } | Self::ConsumerDied { .. })
    }

    const fn advice(&self) -> Advice {
        Advice(self.hint())
    }
}

fn last(message: Option<u64>) -> String {
    message.map_or_else(|| "no message".to_owned(), |message| format!("message {message}"))
}
