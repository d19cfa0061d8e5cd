//! The errors of connections.

use std::fmt;
use std::io;

use rustix::io::Errno;

use super::{Address, PeerCredentials};

/// The direction of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the peer.
    Sending,
    /// From the peer.
    Receiving,
}

/// The reason why a connection was not made, or a message not sent or received.
#[derive(Debug)]
#[non_exhaustive]
pub enum TransportError {
    /// No socket can have this address.
    #[non_exhaustive]
    BadAddress {
        /// The address.
        address: Address,
    },
    /// Another process has a listener at the address.
    #[non_exhaustive]
    InUse {
        /// The address.
        address: Address,
    },
    /// The file at the path is not a socket, and was therefore not replaced.
    #[non_exhaustive]
    NotASocket {
        /// The path.
        address: Address,
    },
    /// There is no listener at the address.
    #[non_exhaustive]
    NobodyListens {
        /// The address.
        address: Address,
    },
    /// The peer does not belong to the required user.
    #[non_exhaustive]
    OtherUser {
        /// The peer.
        peer: PeerCredentials,
        /// The required user.
        required: u32,
    },
    /// The call timed out.
    #[non_exhaustive]
    TimedOut {
        /// What the call was waiting for.
        waiting_for: &'static str,
    },
    /// The peer closed its end or died, but not in the middle of a message.
    Closed,
    /// The peer closed its end or died in the middle of a message.
    #[non_exhaustive]
    Interrupted {
        /// The direction of the message.
        direction: Direction,
    },
    /// An earlier message was only partly sent or received, so the beginning of the next one cannot be found.
    #[non_exhaustive]
    Unusable {
        /// The direction of that message, in which no other message can be transferred.
        direction: Direction,
    },
    /// The message is longer than the connection's limits allow.
    #[non_exhaustive]
    TooLong {
        /// The direction of the message.
        direction: Direction,
        /// The length of the message in bytes.
        length: u64,
        /// The largest length of a message in bytes.
        limit: usize,
    },
    /// The message has more descriptors than the connection's limits allow, or than it announced.
    #[non_exhaustive]
    TooManyDescriptors {
        /// The direction of the message.
        direction: Direction,
        /// The number of descriptors, or a lower bound of it.
        count: usize,
        /// The largest number of descriptors.
        limit: usize,
    },
    /// This process could not receive all descriptors of a message. Those that it received are closed again. The
    /// connection continues with the next message.
    #[non_exhaustive]
    DescriptorsLost {
        /// The number of descriptors that the message announced.
        announced: usize,
    },
    /// The message came with fewer descriptors than it announced.
    #[non_exhaustive]
    DescriptorsMissing {
        /// The number of descriptors that came.
        received: usize,
        /// The number of descriptors that the message announced.
        announced: usize,
    },
    /// The peer sent something that is not a message of this protocol.
    OtherProtocol,
    /// A system call failed.
    #[non_exhaustive]
    System {
        /// The name of the call.
        call: &'static str,
        /// The error of the call.
        source: io::Error,
    },
}

impl TransportError {
    /// Returns a function that makes a `System` error, for `map_err`.
    pub(super) fn system<E: Into<io::Error>>(call: &'static str) -> impl Fn(E) -> Self {
        move |error| Self::System { call, source: error.into() }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sending => "sent",
            Self::Receiving => "received",
        })
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadAddress { address } => {
                write!(f, "{address:?} is not a valid socket address: use 1 to 107 bytes, and no zero byte in a path")
            }
            Self::InUse { address } => {
                write!(f, "{address}: another listener has this address: end it, or choose another address")
            }
            Self::NotASocket { address } => {
                write!(f, "{address} exists and is not a socket: remove it, or choose another path")
            }
            Self::NobodyListens { address: Address::Path(path) } => {
                write!(f, "{}: no process listens here: start the listener and share the folder", path.display())
            }
            Self::NobodyListens { address } => {
                write!(f, "{address}: no process listens here: start the listener in the same network namespace")
            }
            Self::OtherUser { peer, required } => {
                write!(f, "the peer (process {}) belongs to user {}, expected user {required}", peer.pid, peer.uid)
            }
            Self::TimedOut { waiting_for } => write!(f, "timed out while waiting for {waiting_for}"),
            Self::Closed => write!(f, "the peer closed the connection or died"),
            Self::Interrupted { direction } => {
                write!(f, "the peer closed the connection or died while a message was being {direction}: connect again")
            }
            Self::Unusable { direction } => {
                write!(f, "no message can be {direction} after one that was only partly {direction}: connect again")
            }
            Self::TooLong { direction, length, limit } => {
                write!(f, "a message to be {direction} has {length} bytes, but the connection's limit is {limit}")
            }
            Self::TooManyDescriptors { direction, count, limit } => {
                write!(f, "a message to be {direction} has {count} descriptors, but at most {limit} are allowed")
            }
            Self::DescriptorsLost { announced } => write!(
                f,
                "not all of the {announced} descriptors of a message could be received: raise the limit of open files \
                 (RLIMIT_NOFILE)"
            ),
            Self::DescriptorsMissing { received, announced } => {
                write!(f, "a message announced {announced} descriptors but came with {received}: check the peer")
            }
            Self::OtherProtocol => {
                write!(f, "the peer does not speak this protocol: use the same version of cuda-ipc in both processes")
            }
            Self::System { call, source } => {
                write!(f, "{call}: {source}")?;
                hint(source).map_or(Ok(()), |hint| write!(f, ": {hint}"))
            }
        }
    }
}

impl std::error::Error for TransportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System { source, .. } => Some(source),
            _ => None,
        }
    }
}

fn hint(error: &io::Error) -> Option<&'static str> {
    Some(match Errno::from_io_error(error)? {
        Errno::TOOMANYREFS => {
            "more descriptors of this user are in transit than RLIMIT_NOFILE allows: wait until the peer receives some"
        }
        Errno::MFILE => "close descriptors, or raise the limit of open files (RLIMIT_NOFILE)",
        Errno::ACCESS => "the folder must be searchable, and the socket's file writable, for this user",
        _ => return None,
    })
}
