//! Tickets: the message that the owner of memory or of an event sends to the processes that import it.
//!
//! A driver trusts the handles it opens. Some handles with one changed bit still open, as memory that nobody meant to
//! share. A handle alone says neither how much was shared, nor on which device, nor whether it is still the same
//! allocation. A [`Ticket`] contains the handle and this information, as bytes that are all covered by a checksum.
//!
//! ```
//! use cuda_ipc::sys::CudaVersion;
//! use cuda_ipc::ticket::{Contents, Handle, Ticket, TicketError};
//! use cuda_ipc::ExporterIdentity;
//! use cuda_ipc::ipc::MemHandle;
//!
//! # fn main() -> Result<(), TicketError> {
//! # let process = cuda_ipc::ProcessIdentity { pid: 7, pid_namespace: 1, start_time: 2, boot_id: [3; 16] };
//! # let (exporter, handle) = (ExporterIdentity { process, nonce: [6; 16] }, MemHandle::from_bytes([4; 64]));
//! let ticket = Ticket::new(Contents {
//!     exporter, // ExporterIdentity::current
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
//! The checksum finds accidental changes. Over a transport that others can write to, use the methods that the feature
//! `mac` adds: `Ticket::to_sealed_bytes` and `Ticket::from_sealed_bytes`, with a key that both processes have.
//!
//! # Layout
//! Version 2. Numbers are little-endian, and there is no padding between the fields.
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 8 | `CUDA-IPC` |
//! | 8 | 2 | format version: 2 |
//! | 10 | 2 | flags: bit 0 is 1 if the ticket is sealed; the other bits are 0 |
//! | 12 | 4 | length of the whole ticket |
//! | 16 | 16 | UUID of the device |
//! | 32 | 16 | exporter: nonce |
//! | 48 | 16 | exporter: boot |
//! | 64 | 8 | exporter: PID namespace |
//! | 72 | 8 | exporter: start time |
//! | 80 | 4 | exporter: PID |
//! | 84 | 4 | CUDA version of the exporter's driver |
//! | 88 | 8 | generation of the allocation |
//! | 96 | 8 | size of the allocation |
//! | 104 | 8 | offset of the shared part |
//! | 112 | 8 | length of the shared part |
//! | 120 | 4 | kind of the handle |
//! | 124 | | the handle |
//! | | 32 | only if sealed: HMAC-SHA256 of all preceding bytes |
//! | | 4 | CRC-32 (IEEE 802.3) of all preceding bytes |
//!
//! The first four fields stay the same in every version. Version 1 had no nonce, so it did not distinguish a process from
//! the program that it executes later. It is refused.
//!
//! | kind | handle |
//! |---|---|
//! | 1, legacy memory | `CUipcMemHandle` (64) |
//! | 2, event | `CUipcEventHandle` (64) |
//! | 3, physical memory, descriptors | granularity (8), access (4): 1 read, 3 read and write; number of chunks (4); for each chunk: size (8), index of the descriptor (2) |
//! | 4, physical memory, fabric handles | granularity (8), access (4), number of chunks (4); for each chunk: size (8), `CUmemFabricHandle` (64) |
//! | 5, pointer of a pool imported earlier | the exporter's number for the pool (8), `CUmemPoolPtrExportData` (64) |
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

use crate::ExporterIdentity;

/// The information that an importer needs: valid [`Contents`], which can be read but not changed.
///
/// A ticket is plain data and owns nothing: the memory or event that it names may no longer exist when it is opened.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Ticket(Contents);

impl Ticket {
    /// The length of the longest ticket in bytes: a sealed one with [`MAX_CHUNKS`] fabric handles.
    pub const MAX_LENGTH: usize = envelope::MAX_LENGTH;

    /// Makes a ticket from these contents.
    ///
    /// # Errors
    /// [`TicketError`] with the rule that they break. The rules are those of [`Contents`] and of its handle.
    pub fn new(contents: Contents) -> Result<Self, TicketError> {
        contents.check()?;
        Ok(Self(contents))
    }

    /// Reads a ticket from its bytes.
    ///
    /// The bytes may be anything: the result is a ticket or an error. Each ticket has exactly one representation, so
    /// that [`Ticket::to_bytes`] returns the same bytes.
    ///
    /// # Errors
    /// [`TicketError`] with the reason. A sealed ticket is an error, because its seal would not be checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TicketError> {
        match envelope::open(bytes)? {
            (Seal::Unsealed, bytes) => Self::new(layout::read(envelope::contents(bytes)?)?),
            (Seal::Sealed, _) => Err(TicketError::Sealed),
        }
    }

    /// Reads a ticket from bytes that begin with it, and returns what follows.
    pub(crate) fn from_prefix(bytes: &[u8]) -> Result<(Self, &[u8]), TicketError> {
        let (ticket, rest) = envelope::split(bytes)?;
        Ok((Self::from_bytes(ticket)?, rest))
    }

    /// Returns the bytes to send, at most [`Ticket::MAX_LENGTH`].
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        envelope::close(envelope::begin(Seal::Unsealed, &self.0))
    }

    /// Returns how many descriptors must be sent with the ticket: one more than its highest index.
    #[must_use]
    pub fn descriptor_count(&self) -> usize {
        self.0.handle.descriptors().into_iter().max().map_or(0, |highest| usize::from(highest) + 1)
    }

    /// Returns whether `exporter` made the ticket. In that process drivers refuse legacy handles and events, and the
    /// original value exists already.
    #[must_use]
    pub fn is_from(&self, exporter: &ExporterIdentity) -> bool {
        self.0.exporter == *exporter
    }

    /// Returns the contents, which can be changed and made into a new ticket.
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
