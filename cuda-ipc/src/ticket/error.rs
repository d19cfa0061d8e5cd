//! The errors of tickets.

use thiserror::Error;

use super::{FORMAT_VERSION, MAX_CHUNKS};
use crate::error::Advice;

/// The reason why bytes or contents are not a valid ticket.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TicketError {
    /// The bytes do not begin like a ticket.
    #[error("not a ticket, because the bytes do not begin with CUDA-IPC{}", self.advice())]
    NoTicket,
    /// The ticket has the format of another release.
    #[non_exhaustive]
    #[error(
        "the ticket has format version {version}, which {} release of cuda-ipc wrote; this release reads version \
         {FORMAT_VERSION}{}",
        if is_older(*version) { "an older" } else { "a newer" },
        self.advice()
    )]
    OtherVersion {
        /// The version of the format.
        version: u16,
    },
    /// The bytes end before the ticket does.
    #[non_exhaustive]
    #[error("the ticket is truncated: {present} of at least {length} bytes{}", self.advice())]
    Truncated {
        /// The number of bytes present.
        present: usize,
        /// The length of the ticket, or the least possible length if that field is missing too.
        length: usize,
    },
    /// The ticket is followed by other bytes.
    #[non_exhaustive]
    #[error("the ticket ends after {length} of {present} bytes{}", self.advice())]
    TrailingBytes {
        /// The number of bytes present.
        present: usize,
        /// The length of the ticket.
        length: usize,
    },
    /// The bytes were altered.
    #[non_exhaustive]
    #[error("the ticket's checksum does not match (stated {stated:08x}, computed {computed:08x}){}", self.advice())]
    Checksum {
        /// The checksum that the bytes end with.
        stated: u32,
        /// The checksum computed from the bytes.
        computed: u32,
    },
    /// Flags are set that this version of the format does not define.
    #[non_exhaustive]
    #[error(
        "the ticket has flags {flags:#06x}, but format version {FORMAT_VERSION} defines only 0x0001{}",
        self.advice()
    )]
    ReservedBits {
        /// All flags.
        flags: u16,
    },
    /// The contents are longer or shorter than the ticket's length says.
    #[error("the ticket's contents do not have the length it states{}", self.advice())]
    WrongLength,
    /// The ticket is sealed, but was read without a key.
    #[error("the ticket is sealed{}", self.advice())]
    Sealed,
    /// The ticket is not sealed, but was read with a key.
    #[error("the ticket is not sealed, but a key was given{}", self.advice())]
    Unsealed,
    /// The ticket was sealed with another key, or was altered without the key.
    #[error("the ticket's seal does not match this key{}", self.advice())]
    WrongSeal,
    /// The message beside the ticket has no seal, or it was sealed with another key or beside another ticket, or it was
    /// altered.
    #[error("the message beside the ticket is not sealed with this key{}", self.advice())]
    MessageSeal,
    /// The kind of the handle is unknown.
    #[non_exhaustive]
    #[error("the ticket has unknown handle kind {kind}{}", self.advice())]
    UnknownKind {
        /// The number of the kind.
        kind: u32,
    },
    /// The access is unknown.
    #[non_exhaustive]
    #[error("the ticket has unknown access {access}; expected 1 (read) or 3 (read and write){}", self.advice())]
    UnknownAccess {
        /// The number of the access.
        access: u32,
    },
    /// The ticket of an event has a size, an offset, a length or a generation.
    #[error("the ticket of an event has a generation, size, offset or length{}", self.advice())]
    EventWithMemory,
    /// The shared part is empty.
    #[error("the ticket shares 0 bytes{}", self.advice())]
    NothingShared,
    /// The shared part is not within the allocation.
    #[non_exhaustive]
    #[error(
        "the ticket shares {length} bytes at offset {offset}, which are not within the allocation of {size} bytes{}",
        self.advice()
    )]
    OutOfAllocation {
        /// The offset of the part in bytes.
        offset: u64,
        /// The length of the part in bytes.
        length: u64,
        /// The size of the allocation in bytes.
        size: u64,
    },
    /// The granularity is not a power of two.
    #[non_exhaustive]
    #[error("the ticket's granularity {granularity} is not a power of two{}", self.advice())]
    Granularity {
        /// The granularity.
        granularity: u64,
    },
    /// The ticket has no chunks, or too many.
    #[non_exhaustive]
    #[error("the ticket has {count} chunks{}", self.advice())]
    ChunkCount {
        /// The number of chunks.
        count: usize,
    },
    /// A chunk is empty, or its size is not a multiple of the granularity.
    #[non_exhaustive]
    #[error(
        "the ticket's chunk {chunk} has {size} bytes; expected a nonzero multiple of {granularity}{}",
        self.advice()
    )]
    ChunkSize {
        /// The chunk's number, from 0.
        chunk: usize,
        /// The size of the chunk in bytes.
        size: u64,
        /// The granularity.
        granularity: u64,
    },
    /// The sizes of the chunks do not add up to the size of the allocation.
    #[non_exhaustive]
    #[error("the ticket's chunks have {sum} bytes, but the allocation has {size}{}", self.advice())]
    ChunkSum {
        /// The size of all chunks in bytes.
        sum: u128,
        /// The size of the allocation in bytes.
        size: u64,
    },
    /// Two chunks name the same descriptor.
    #[non_exhaustive]
    #[error("two chunks of the ticket name descriptor {index}{}", self.advice())]
    DescriptorTwice {
        /// The descriptor's index.
        index: u16,
    },
}

const fn is_older(version: u16) -> bool {
    version < FORMAT_VERSION
}

impl TicketError {
    /// Returns what to do about the error. The error's message ends with it.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoTicket => "receive in the order in which the other process sends",
            Self::OtherVersion { version } if is_older(*version) => "update cuda-ipc in the exporter",
            Self::OtherVersion { .. } => "update cuda-ipc in this program",
            Self::Truncated { .. } => {
                "receive the whole message; a buffer of Ticket::MAX_LENGTH bytes is always large enough"
            }
            Self::TrailingBytes { .. } => {
                "pass the bytes of one ticket only, or receive the message beside it with Parcel::receive_with"
            }
            Self::Checksum { .. } => "the bytes were altered, send them again",
            Self::ReservedBits { .. } | Self::WrongLength | Self::UnknownKind { .. } => {
                "it was not written by cuda-ipc"
            }
            Self::Sealed => "read it with Ticket::from_sealed_bytes (feature `mac`) and the exporter's key",
            Self::Unsealed => {
                "the exporter must use Ticket::to_sealed_bytes; if it does, the ticket was replaced in transit"
            }
            Self::WrongSeal => "give both processes the same key; if they have it, the ticket was altered in transit",
            Self::MessageSeal => {
                "the exporter must use Parcel::send_sealed_with; if it does, the message was altered in transit"
            }
            Self::UnknownAccess { .. } => "share the memory with one of these",
            Self::EventWithMemory => "an event has no memory, so set all four to 0",
            Self::NothingShared => "give the length of the part to share",
            Self::OutOfAllocation { .. } => "count the offset from the base that cuMemGetAddressRange returns",
            Self::Granularity { .. } => "use the granularity that cuMemGetAllocationGranularity returns",
            Self::ChunkCount { .. } => "1 to 4096 can be shared with one ticket",
            Self::ChunkSize { .. } => "give the size that was passed to cuMemCreate",
            Self::ChunkSum { .. } => "list each of its chunks once",
            Self::DescriptorTwice { .. } => "give each chunk a descriptor of its own",
        })
    }

    // The hint of `ChunkCount` contains the number.
    const _CHUNKS: () = assert!(MAX_CHUNKS == 4096);

    const fn advice(&self) -> Advice {
        Advice(self.hint())
    }
}
