//! The messages between a client and a daemon. PROTOCOL.md describes them for authors of other clients.

mod bytes;
mod refusal;
mod reply;
mod request;
mod status;

pub(crate) use bytes::is_name;
pub use refusal::{Counted, Refusal};
pub(crate) use reply::{LARGEST_PAGE, MOST_NAMES, MOST_USERS, Reply};
pub(crate) use request::Request;
pub use status::{ObjectStatus, Status, UserStatus};

use cuda_ipc::transport::Limits;

/// The version of the protocol. A daemon and a client must have the same.
pub const VERSION: u16 = 1;

/// The largest number of bytes in a name.
pub const LONGEST_NAME: usize = 255;

/// The largest message, in either direction. The kernel takes a message of this size whole or not at all, so the daemon
/// never has to wait in the middle of one.
pub(crate) const LIMITS: Limits = Limits { bytes: 32 << 10, descriptors: 1 };

/// Bytes that are not a message of this version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;
