//! Tickets: what travels from the process that owns memory or an event to those that import it.
//!
//! A driver trusts the handles it opens: with a bit changed on the way, some still open, as memory that nobody meant to
//! share. And a handle alone says neither how much was shared, nor on which device, nor whether it is still the same
//! allocation. So what travels is a [`Ticket`]: the handle and all that, as bytes of which each is under a checksum.
//!
//! ```
//! use cuda_ipc::sys::CudaVersion;
//! use cuda_ipc::ticket::{Contents, Handle, Ticket, TicketError};
//! use cuda_ipc::ProcessIdentity;
//! use cuda_ipc::ipc::MemHandle;
//!
//! # fn main() -> Result<(), TicketError> {
//! # let (identity, handle) = (
//! #     ProcessIdentity { pid: 7, pid_namespace: 1, start_time: 2, boot_id: [3; 16] },
//! #     MemHandle::from_bytes([4; 64]),
//! # );
//! let ticket = Ticket::new(Contents {
//!     exporter: identity,
//!     device: [5; 16], // Device::uuid
//!     driver: CudaVersion(13000),
//!     generation: 42,
//!     size: 2 << 20,
//!     offset: 4096,
//!     length: 65536,
//!     handle: Handle::LegacyMemory(handle),
//! })?;
//! let bytes = ticket.to_bytes();
//!
//! // In another process:
//! let ticket = Ticket::from_bytes(&bytes)?;
//! assert_eq!((ticket.offset, ticket.length), (4096, 65536));
//! # Ok(())
//! # }
//! ```
//!
//! The checksum finds accidents. Over a transport that others can write to, use what the feature `mac` adds:
//! `Ticket::to_sealed_bytes` and `Ticket::from_sealed_bytes`, with a key that both processes have.
//!
//! # Layout
//! Version 1. Numbers are little-endian, and nothing lies between the fields.
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 8 | `CUDA-IPC` |
//! | 8 | 2 | format version: 1 |
//! | 10 | 2 | flags: bit 0 where the ticket is sealed; the other bits are 0 |
//! | 12 | 4 | length of the whole ticket |
//! | 16 | 16 | UUID of the device |
//! | 32 | 16 | exporter: boot |
//! | 48 | 8 | exporter: PID namespace |
//! | 56 | 8 | exporter: start time |
//! | 64 | 4 | exporter: PID |
//! | 68 | 4 | CUDA version of the exporter's driver |
//! | 72 | 8 | generation of the allocation |
//! | 80 | 8 | size of the allocation |
//! | 88 | 8 | offset of the part that is shared |
//! | 96 | 8 | length of that part |
//! | 104 | 4 | kind of the handle |
//! | 108 | | the handle |
//! | | 32 | sealed: HMAC-SHA256 of all bytes before |
//! | | 4 | CRC-32 (of IEEE 802.3) of all bytes before |
//!
//! | kind | handle |
//! |---|---|
//! | 1, legacy memory | `CUipcMemHandle` (64) |
//! | 2, event | `CUipcEventHandle` (64) |
//! | 3, physical memory, descriptors | granularity (8), access (4): 1 read, 3 read and write; number of chunks (4); of each chunk: size (8), index of the descriptor (2) |
//! | 4, physical memory, fabric handles | the same, but of each chunk: size (8), `CUmemFabricHandle` (64) |
//! | 5, pointer of a pool imported earlier | the exporter's number of the pool (8), `CUmemPoolPtrExportData` (64) |
//! | 6, pointer and descriptor of its pool | as 5, then the index of the descriptor (2) |
//! | 7, pointer and fabric handle of its pool | as 5, then `CUmemFabricHandle` (64) |

mod contents;
mod debug;
mod envelope;
mod error;
mod handle;
mod layout;
#[cfg(feature = "mac")]
mod seal;
#[cfg(feature = "serde")]
mod serialize;

use std::ops::Deref;

pub use contents::Contents;
pub use envelope::FORMAT_VERSION;
use envelope::Seal;
pub use error::TicketError;
pub use handle::{Chunk, Chunks, Handle, MAX_CHUNKS, PhysicalMemory, PoolHandle, PoolPointer};
#[cfg(feature = "mac")]
pub use seal::Key;

use crate::ProcessIdentity;

/// What an importer needs to know: [`Contents`] that keep the rules, to be read and not changed.
///
/// It is plain data and owns nothing: whatever it names may be gone when it is opened.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Ticket(Contents);

impl Ticket {
    /// The length of the longest ticket, sealed and with [`MAX_CHUNKS`] fabric handles: no message has to be longer.
    pub const MAX_LENGTH: usize = envelope::MAX_LENGTH;

    /// A ticket of these contents.
    ///
    /// # Errors
    /// [`TicketError`] with the rule that they break: those of [`Contents`] and of its handle.
    pub fn new(contents: Contents) -> Result<Self, TicketError> {
        contents.check()?;
        Ok(Self(contents))
    }

    /// The ticket that the bytes are.
    ///
    /// Any bytes are a ticket or an error. A ticket is written in one way only: [`Ticket::to_bytes`] gives the bytes
    /// back.
    ///
    /// # Errors
    /// [`TicketError`] with what is wrong. A sealed ticket is refused: whoever seals wants the seal to be looked at.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TicketError> {
        match envelope::open(bytes)? {
            (Seal::Unsealed, bytes) => Self::new(layout::read(envelope::contents(bytes)?)?),
            (Seal::Sealed, _) => Err(TicketError::Sealed),
        }
    }

    /// The bytes to send, at most [`Ticket::MAX_LENGTH`].
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        envelope::close(envelope::begin(Seal::Unsealed, &self.0))
    }

    /// How many descriptors have to travel beside the ticket: one more than the highest index in it.
    #[must_use]
    pub fn descriptor_count(&self) -> usize {
        self.0.handle.descriptors().into_iter().max().map_or(0, |highest| usize::from(highest) + 1)
    }

    /// Whether this is the process that exported. Drivers refuse legacy handles and events there: such a ticket stands
    /// for a value that the process already has.
    #[must_use]
    pub fn is_from(&self, process: &ProcessIdentity) -> bool {
        self.0.exporter == *process
    }

    /// The contents, to be changed and made a ticket again.
    #[must_use]
    pub fn into_contents(self) -> Contents {
        self.0
    }
}

impl Deref for Ticket {
    type Target = Contents;

    fn deref(&self) -> &Contents {
        &self.0
    }
}

impl TryFrom<&[u8]> for Ticket {
    type Error = TicketError;

    fn try_from(bytes: &[u8]) -> Result<Self, TicketError> {
        Self::from_bytes(bytes)
    }
}

impl TryFrom<Contents> for Ticket {
    type Error = TicketError;

    fn try_from(contents: Contents) -> Result<Self, TicketError> {
        Self::new(contents)
    }
}
