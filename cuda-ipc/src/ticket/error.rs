//! Why something is no ticket.

use std::fmt;

use super::{FORMAT_VERSION, MAX_CHUNKS};

/// Why bytes or contents are no ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TicketError {
    /// The bytes do not begin as tickets do.
    NoTicket,
    /// The format is of another release.
    #[non_exhaustive]
    OtherVersion {
        /// The version of the format.
        version: u16,
    },
    /// The ticket goes on after the bytes end.
    #[non_exhaustive]
    Truncated {
        /// The bytes that are there.
        present: usize,
        /// The bytes that the ticket has, or has at least where that part is missing too.
        length: usize,
    },
    /// The bytes go on after the ticket ends.
    #[non_exhaustive]
    TrailingBytes {
        /// The bytes that are there.
        present: usize,
        /// The bytes that the ticket has.
        length: usize,
    },
    /// The bytes were altered.
    #[non_exhaustive]
    Checksum {
        /// The checksum that they end with.
        stated: u32,
        /// The checksum that they have.
        computed: u32,
    },
    /// Flags are set that this version of the format does not have.
    #[non_exhaustive]
    ReservedBits {
        /// All flags.
        flags: u16,
    },
    /// The contents are longer or shorter than the ticket's length has it.
    WrongLength,
    /// The ticket is sealed, and was read without a key.
    Sealed,
    /// The ticket is not sealed, and was read with a key.
    Unsealed,
    /// The ticket was sealed with another key, or altered by someone who does not have it.
    WrongSeal,
    /// There is no such kind of handle.
    #[non_exhaustive]
    UnknownKind {
        /// The number of the kind.
        kind: u32,
    },
    /// There is no such access.
    #[non_exhaustive]
    UnknownAccess {
        /// The number of the access.
        access: u32,
    },
    /// An event has sizes or a generation.
    EventWithMemory,
    /// The part that is shared is empty.
    NothingShared,
    /// The part that is shared is not within the allocation.
    #[non_exhaustive]
    OutOfAllocation {
        /// Where the part begins.
        offset: u64,
        /// The bytes of the part.
        length: u64,
        /// The bytes of the allocation.
        size: u64,
    },
    /// The granularity is not a power of two.
    #[non_exhaustive]
    Granularity {
        /// The granularity.
        granularity: u64,
    },
    /// There are no chunks, or too many.
    #[non_exhaustive]
    ChunkCount {
        /// How many there are.
        count: usize,
    },
    /// A chunk is empty, or its size not a multiple of the granularity.
    #[non_exhaustive]
    ChunkSize {
        /// Which chunk, from 0.
        chunk: usize,
        /// The bytes of the chunk.
        size: u64,
        /// The granularity.
        granularity: u64,
    },
    /// The chunks do not make up the allocation.
    #[non_exhaustive]
    ChunkSum {
        /// The bytes of all chunks.
        sum: u128,
        /// The bytes of the allocation.
        size: u64,
    },
    /// Two chunks are to be imported from one descriptor.
    #[non_exhaustive]
    DescriptorTwice {
        /// The descriptor's index.
        index: u16,
    },
}

impl fmt::Display for TicketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTicket => f.write_str("no ticket: the bytes begin otherwise; is this the right message?"),
            Self::OtherVersion { version } => write!(
                f,
                "a ticket of format version {version}, where this release of cuda-ipc reads version {FORMAT_VERSION}: \
                 use one release in both processes"
            ),
            Self::Truncated { present, length } => write!(
                f,
                "{present} bytes of a ticket that has {length} or more: receive the whole message, for which a buffer \
                 of Ticket::MAX_LENGTH is enough"
            ),
            Self::TrailingBytes { present, length } => {
                write!(f, "{present} bytes, where the ticket ends after {length}: pass the bytes of one ticket only")
            }
            Self::Checksum { stated, computed } => write!(
                f,
                "the ticket's checksum is {computed:08x} and should be {stated:08x}: the bytes were altered, send them \
                 again"
            ),
            Self::ReservedBits { flags } => write!(
                f,
                "the ticket has flags {flags:#06x}, of which format version {FORMAT_VERSION} knows only 0x0001: it was \
                 not written by cuda-ipc"
            ),
            Self::WrongLength => {
                f.write_str("the ticket's contents do not have the length that it states: it was not written by cuda-ipc")
            }
            Self::Sealed => f.write_str(
                "the ticket is sealed: read it with Ticket::from_sealed_bytes (feature `mac`) and the exporter's key",
            ),
            Self::Unsealed => f.write_str(
                "the ticket is not sealed, as one with this key has to be: let the exporter use Ticket::to_sealed_bytes, \
                 and suspect the transport if it does",
            ),
            Self::WrongSeal => f.write_str(
                "the ticket's seal is not of this key: give both processes the same, and suspect the transport if they \
                 have it",
            ),
            Self::UnknownKind { kind } => {
                write!(f, "the ticket's handle is of kind {kind}, which there is not: it was not written by cuda-ipc")
            }
            Self::UnknownAccess { access } => write!(
                f,
                "the ticket asks for access {access}, which is neither 1 (read) nor 3 (read and write): share the \
                 memory for one of them"
            ),
            Self::EventWithMemory => f.write_str(
                "the ticket of an event has a size or a generation: an event has no memory, so leave all of them 0",
            ),
            Self::NothingShared => f.write_str("the ticket shares 0 bytes: give the length of the part to share"),
            Self::OutOfAllocation { offset, length, size } => write!(
                f,
                "the ticket shares {length} bytes at offset {offset}, which are not within an allocation of {size}: \
                 count from the allocation's base, as cuMemGetAddressRange gives it"
            ),
            Self::Granularity { granularity } => write!(
                f,
                "the ticket's granularity is {granularity}, which is no power of two: \
                 cuMemGetAllocationGranularity gives it"
            ),
            Self::ChunkCount { count } => {
                write!(f, "the ticket has {count} chunks: 1 to {MAX_CHUNKS} can be shared with one ticket")
            }
            Self::ChunkSize { chunk, size, granularity } => write!(
                f,
                "the ticket's chunk {chunk} has {size} bytes: give the size that cuMemCreate took, a multiple of the \
                 granularity {granularity}"
            ),
            Self::ChunkSum { sum, size } => write!(
                f,
                "the ticket's chunks have {sum} bytes and the allocation {size}: name every chunk of it, each once"
            ),
            Self::DescriptorTwice { index } => write!(
                f,
                "two chunks of the ticket name descriptor {index}: each chunk is imported from a descriptor of its own"
            ),
        }
    }
}

impl std::error::Error for TicketError {}
