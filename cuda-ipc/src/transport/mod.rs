//! Messages of bytes and descriptors between two processes of one machine.
//!
//! A [`Connection`] is a Unix stream socket. Each message arrives whole or not at all: its bytes, and duplicates of its
//! descriptors (`SCM_RIGHTS`), such as those of exported memory. One process has a [`Listener`] at an [`Address`] and
//! the other connects to it. Or a process makes a [`pair`](Connection::pair) and gives one end to its child.
//!
//! ```
//! # fn main() -> Result<(), cuda_ipc::transport::TransportError> {
//! use std::os::fd::AsFd;
//! use std::time::Duration;
//!
//! use cuda_ipc::transport::Connection;
//!
//! let (mut exporter, mut importer) = Connection::pair()?;
//! exporter.set_timeout(Some(Duration::from_secs(5)));
//! importer.set_timeout(Some(Duration::from_secs(5)));
//!
//! let file = std::io::stderr();
//! exporter.send(b"a ticket", &[file.as_fd()])?;
//! let message = importer.receive()?;
//! assert_eq!((&*message.bytes, message.descriptors.len()), (&b"a ticket"[..], 1));
//! # Ok(())
//! # }
//! ```
//!
//! A process that has nothing more to send calls [`Connection::finish`]. Its peer receives everything that was sent,
//! and then [`TransportError::Finished`]. If the process is killed instead, the peer receives what was sent, and then
//! an error for which [`TransportError::is_disconnected`] is true.
//!
//! More than two processes form a [`Group`].
//!
//! Every process that can connect can send. Check a peer with [`Connection::peer_credentials`] before you trust it; the
//! size of its messages is bounded by [`Limits`].

mod address;
mod connect;
mod connection;
mod credentials;
mod error;
mod group;
mod incoming;
mod listener;
mod outgoing;
mod path_lock;
mod probe;
pub(crate) mod socket_options;

pub use address::Address;
pub use connection::{Connection, Limits, Message};
pub use credentials::PeerCredentials;
pub use error::{Direction, Missing, TransportError};
pub use group::Group;
pub use listener::Listener;

/// `SCM_MAX_FD`: the largest number of descriptors that the kernel transfers with one `sendmsg`.
const BATCH: usize = 253;

/// The header of a message, or the end of the messages: the kind with the version of the protocol, the number of
/// descriptors (`u32`), and the number of bytes that follow (`u64`). Both numbers are little-endian, and 0 at the end.
///
/// The first batch of descriptors is sent with this header. Each further batch is sent with a zero byte between the
/// header and the message's bytes: the kernel transfers descriptors only with at least one byte, and at most [`BATCH`]
/// of them at a time.
enum Header {
    Message { descriptors: u32, bytes: u64 },
    End,
}

impl Header {
    const LENGTH: usize = 16;
    const MESSAGE: [u8; 4] = *b"CIM\x01";
    const END: [u8; 4] = *b"CIE\x01";

    fn to_bytes(&self) -> [u8; Self::LENGTH] {
        let (kind, descriptors, length) = match self {
            Self::Message { descriptors, bytes } => (Self::MESSAGE, *descriptors, *bytes),
            Self::End => (Self::END, 0, 0),
        };
        let mut bytes = [0; Self::LENGTH];
        bytes[..4].copy_from_slice(&kind);
        bytes[4..8].copy_from_slice(&descriptors.to_le_bytes());
        bytes[8..].copy_from_slice(&length.to_le_bytes());
        bytes
    }

    /// Returns `None` if the bytes are not a header of this version of the protocol.
    fn from_bytes(bytes: [u8; Self::LENGTH]) -> Option<Self> {
        let (kind, numbers) = bytes.split_first_chunk()?;
        let (descriptors, length) = numbers.split_first_chunk()?;
        let (descriptors, bytes) = (u32::from_le_bytes(*descriptors), u64::from_le_bytes(*length.first_chunk()?));
        match (*kind, descriptors, bytes) {
            (Self::MESSAGE, descriptors, bytes) => Some(Self::Message { descriptors, bytes }),
            (Self::END, 0, 0) => Some(Self::End),
            _ => None,
        }
    }
}
