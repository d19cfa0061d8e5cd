//! What can go wrong between two processes.

use std::fmt;
use std::io;

use rustix::io::Errno;

use super::{Address, PeerCredentials};

/// Which way a message went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the peer.
    Sending,
    /// From the peer.
    Receiving,
}

/// Why a connection was not made, or a message not sent or received.
#[derive(Debug)]
#[non_exhaustive]
pub enum TransportError {
    /// No socket can have this name.
    #[non_exhaustive]
    BadAddress {
        /// The name.
        address: Address,
    },
    /// Another process listens there.
    #[non_exhaustive]
    InUse {
        /// Where.
        address: Address,
    },
    /// There is something at the path, which is no socket and therefore stays.
    #[non_exhaustive]
    NotASocket {
        /// The path.
        address: Address,
    },
    /// Nobody listens there.
    #[non_exhaustive]
    NobodyListens {
        /// Where.
        address: Address,
    },
    /// The peer is of another user than was required.
    #[non_exhaustive]
    OtherUser {
        /// The peer.
        peer: PeerCredentials,
        /// The user that was required.
        required: u32,
    },
    /// The time was over.
    #[non_exhaustive]
    TimedOut {
        /// What was waited for.
        waiting_for: &'static str,
    },
    /// The peer closed its end or died, and this was not in the middle of a message.
    Closed,
    /// The peer closed its end or died in the middle of a message.
    #[non_exhaustive]
    Interrupted {
        /// Which way the message went.
        direction: Direction,
    },
    /// An earlier message was half sent or half received, so that nobody knows where the next one begins.
    #[non_exhaustive]
    Unusable {
        /// Which way that message went: this way, no other one can.
        direction: Direction,
    },
    /// The message is longer than the connection's limits allow.
    #[non_exhaustive]
    TooLong {
        /// Which way it went.
        direction: Direction,
        /// Its length in bytes.
        length: u64,
        /// The most bytes that a message may have.
        limit: usize,
    },
    /// The message has more descriptors than the connection's limits allow, or than it announced.
    #[non_exhaustive]
    TooManyDescriptors {
        /// Which way it went.
        direction: Direction,
        /// How many there are, or at least are.
        count: usize,
        /// The most that there may be.
        limit: usize,
    },
    /// This process could not take all descriptors of a message, all of which are closed again. The connection goes on
    /// with the next message.
    #[non_exhaustive]
    DescriptorsLost {
        /// How many there were.
        announced: usize,
    },
    /// The message came with fewer descriptors than it announced.
    #[non_exhaustive]
    DescriptorsMissing {
        /// How many came.
        received: usize,
        /// How many should have.
        announced: usize,
    },
    /// What came is no message of this protocol.
    OtherProtocol,
    /// A system call failed.
    #[non_exhaustive]
    System {
        /// The call.
        call: &'static str,
        /// Its error.
        source: io::Error,
    },
}

impl TransportError {
    /// An error of a system call as `map_err` takes it.
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
                write!(f, "{address:?} names no socket: a name has 1 to 107 bytes, and a path no zero byte")
            }
            Self::InUse { address } => {
                write!(f, "{address}: another listener is there: end it, or choose another name")
            }
            Self::NotASocket { address } => {
                write!(f, "{address} is there and is no socket: remove it, or choose another path")
            }
            Self::NobodyListens { address: Address::Path(path) } => {
                write!(f, "{}: nobody listens: start the process that does, and share the folder", path.display())
            }
            Self::NobodyListens { address } => {
                write!(f, "{address}: nobody listens: start the process that does, in the same network namespace")
            }
            Self::OtherUser { peer, required } => {
                write!(f, "the peer (process {}) is of user {}, and must be of user {required}", peer.pid, peer.uid)
            }
            Self::TimedOut { waiting_for } => write!(f, "the time was over while waiting for {waiting_for}"),
            Self::Closed => write!(f, "the peer closed the connection, or died"),
            Self::Interrupted { direction } => {
                write!(f, "the peer closed the connection, or died, while a message was {direction}: connect anew")
            }
            Self::Unusable { direction } => {
                write!(f, "no message can be {direction} after one that was only half {direction}: connect anew")
            }
            Self::TooLong { direction, length, limit } => {
                write!(f, "a message to be {direction} has {length} bytes, and the connection's limit is {limit}")
            }
            Self::TooManyDescriptors { direction, count, limit } => {
                write!(f, "a message to be {direction} has {count} descriptors, and there may be {limit}")
            }
            Self::DescriptorsLost { announced } => write!(
                f,
                "not all of the {announced} descriptors of a message could be received: raise the limit of open files \
                 (RLIMIT_NOFILE)"
            ),
            Self::DescriptorsMissing { received, announced } => {
                write!(f, "a message announced {announced} descriptors and came with {received}: is the peer sound?")
            }
            Self::OtherProtocol => write!(f, "the peer does not speak this protocol: is it of another version?"),
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
            "more descriptors of this user are on their way than RLIMIT_NOFILE allows: wait until the peer has received"
        }
        Errno::MFILE => "close descriptors, or raise the limit of open files (RLIMIT_NOFILE)",
        Errno::ACCESS => "the folder must be searchable, and the socket's file writable, for this user",
        _ => return None,
    })
}
