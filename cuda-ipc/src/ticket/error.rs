//! The errors of tickets.

use std::fmt;

use super::{FORMAT_VERSION, MAX_CHUNKS};

/// The reason why bytes or contents are not a valid ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TicketError {
    /// The bytes do not begin like a ticket.
    NoTicket,
    /// The ticket has the format of another release.
    #[non_exhaustive]
    OtherVersion {
        /// The version of the format.
        version: u16,
    },
    /// The bytes end before the ticket does.
    #[non_exhaustive]
    Truncated {
        /// The number of bytes present.
        present: usize,
        /// The length of the ticket, or the least possible length if that field is missing too.
        length: usize,
    },
    /// The ticket is followed by other bytes.
    #[non_exhaustive]
    TrailingBytes {
        /// The number of bytes present.
        present: usize,
        /// The length of the ticket.
        length: usize,
    },
    /// The bytes were altered.
    #[non_exhaustive]
    Checksum {
        /// The checksum that the bytes end with.
        stated: u32,
        /// The checksum computed from the bytes.
        computed: u32,
    },
    /// Flags are set that this version of the format does not define.
    #[non_exhaustive]
    ReservedBits {
        /// All flags.
        flags: u16,
    },
    /// The contents are longer or shorter than the ticket's length says.
    WrongLength,
    /// The ticket is sealed, but was read without a key.
    Sealed,
    /// The ticket is not sealed, but was read with a key.
    Unsealed,
    /// The ticket was sealed with another key, or was altered without the key.
    WrongSeal,
    /// The kind of the handle is unknown.
    #[non_exhaustive]
    UnknownKind {
        /// The number of the kind.
        kind: u32,
    },
    /// The access is unknown.
    #[non_exhaustive]
    UnknownAccess {
        /// The number of the access.
        access: u32,
    },
    /// The ticket of an event has a size, an offset, a length or a generation.
    EventWithMemory,
    /// The shared part is empty.
    NothingShared,
    /// The shared part is not within the allocation.
    #[non_exhaustive]
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
    Granularity {
        /// The granularity.
        granularity: u64,
    },
    /// The ticket has no chunks, or too many.
    #[non_exhaustive]
    ChunkCount {
        /// The number of chunks.
        count: usize,
    },
    /// A chunk is empty, or its size is not a multiple of the granularity.
    #[non_exhaustive]
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
    ChunkSum {
        /// The size of all chunks in bytes.
        sum: u128,
        /// The size of the allocation in bytes.
        size: u64,
    },
    /// Two chunks name the same descriptor.
    #[non_exhaustive]
    DescriptorTwice {
        /// The descriptor's index.
        index: u16,
    },
}

impl fmt::Display for TicketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTicket => f.write_str(
                "not a ticket, because the bytes do not begin with CUDA-IPC: check that this is the right message",
            ),
            Self::OtherVersion { version } => write!(
                f,
                "the ticket has format version {version}, but this release of cuda-ipc reads version \
                 {FORMAT_VERSION}: use the same release in both processes"
            ),
            Self::Truncated { present, length } => write!(
                f,
                "the ticket is truncated: {present} of at least {length} bytes: receive the whole message; a buffer of \
                 Ticket::MAX_LENGTH bytes is always large enough"
            ),
            Self::TrailingBytes { present, length } => {
                write!(f, "the ticket ends after {length} of {present} bytes: pass the bytes of one ticket only")
            }
            Self::Checksum { stated, computed } => write!(
                f,
                "the ticket's checksum does not match (stated {stated:08x}, computed {computed:08x}): the bytes were \
                 altered, send them again"
            ),
            Self::ReservedBits { flags } => write!(
                f,
                "the ticket has flags {flags:#06x}, but format version {FORMAT_VERSION} defines only 0x0001: it was \
                 not written by cuda-ipc"
            ),
            Self::WrongLength => {
                f.write_str("the ticket's contents do not have the length it states: it was not written by cuda-ipc")
            }
            Self::Sealed => f.write_str(
                "the ticket is sealed: read it with Ticket::from_sealed_bytes (feature `mac`) and the exporter's key",
            ),
            Self::Unsealed => f.write_str(
                "the ticket is not sealed, but a key was given: the exporter must use Ticket::to_sealed_bytes; if it \
                 does, the ticket was replaced in transit",
            ),
            Self::WrongSeal => f.write_str(
                "the ticket's seal does not match this key: give both processes the same key; if they have it, the \
                 ticket was altered in transit",
            ),
            Self::UnknownKind { kind } => {
                write!(f, "the ticket has unknown handle kind {kind}: it was not written by cuda-ipc")
            }
            Self::UnknownAccess { access } => write!(
                f,
                "the ticket has unknown access {access}; expected 1 (read) or 3 (read and write): share the memory \
                 with one of these"
            ),
            Self::EventWithMemory => f.write_str(
                "the ticket of an event has a generation, size, offset or length: an event has no memory, so set all \
                 four to 0",
            ),
            Self::NothingShared => f.write_str("the ticket shares 0 bytes: give the length of the part to share"),
            Self::OutOfAllocation { offset, length, size } => write!(
                f,
                "the ticket shares {length} bytes at offset {offset}, which are not within the allocation of {size} \
                 bytes: count the offset from the base that cuMemGetAddressRange returns"
            ),
            Self::Granularity { granularity } => write!(
                f,
                "the ticket's granularity {granularity} is not a power of two: use the granularity that \
                 cuMemGetAllocationGranularity returns"
            ),
            Self::ChunkCount { count } => {
                write!(f, "the ticket has {count} chunks: 1 to {MAX_CHUNKS} can be shared with one ticket")
            }
            Self::ChunkSize { chunk, size, granularity } => write!(
                f,
                "the ticket's chunk {chunk} has {size} bytes: give the size that was passed to cuMemCreate, a multiple \
                 of the granularity {granularity}"
            ),
            Self::ChunkSum { sum, size } => write!(
                f,
                "the ticket's chunks have {sum} bytes, but the allocation has {size}: list each of its chunks once"
            ),
            Self::DescriptorTwice { index } => {
                write!(f, "two chunks of the ticket name descriptor {index}: give each chunk a descriptor of its own")
            }
        }
    }
}

impl std::error::Error for TicketError {}
