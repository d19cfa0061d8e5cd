//! The errors of connections.

use std::fmt;
use std::io;

use thiserror::Error;

use super::{Address, PeerCredentials};
use crate::error::{Advice, SystemError};

/// The direction of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the peer.
    Sending,
    /// From the peer.
    Receiving,
}

/// What is missing at an address where no process listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum Missing {
    /// The folder of the path.
    #[error("its folder does not exist")]
    Folder,
    /// The file at the path.
    #[error("the file does not exist")]
    File,
    /// The process that made the file: it has ended, and has left the file behind.
    #[error("the process that made the file has ended")]
    Process,
    /// The call of `listen`, by the process that has the socket.
    #[error("the process that has the socket does not listen yet")]
    Listen,
    /// A process that listens at the abstract name.
    #[error("no process has the name")]
    Name,
}

/// The reason why a connection was not made, or a message not sent or received.
#[derive(Clone, Error)]
#[non_exhaustive]
pub enum TransportError {
    /// No socket can have this address.
    #[non_exhaustive]
    #[error("{address:?} is not a valid socket address{}", self.advice())]
    BadAddress {
        /// The address.
        address: Address,
    },
    /// Another process has a listener at the address, or is just making one.
    #[non_exhaustive]
    #[error("{address}: another listener has this address{}", self.advice())]
    InUse {
        /// The address.
        address: Address,
    },
    /// The file at the path is not a socket. It was not replaced, and cannot be connected to.
    #[non_exhaustive]
    #[error("{address} exists and is not a socket{}", self.advice())]
    NotASocket {
        /// The path.
        address: Address,
    },
    /// There is no listener at the address.
    #[non_exhaustive]
    #[error("{address}: no process listens here, because {missing}{}", self.advice())]
    NobodyListens {
        /// The address.
        address: Address,
        /// What is missing there.
        missing: Missing,
    },
    /// The peer does not belong to the required user.
    #[non_exhaustive]
    #[error(
        "the peer (process {}) belongs to user {}, expected user {required}{}",
        .peer.pid, .peer.uid, self.advice()
    )]
    OtherUser {
        /// The peer.
        peer: PeerCredentials,
        /// The required user.
        required: u32,
    },
    /// The call timed out.
    #[non_exhaustive]
    #[error("timed out while waiting for {waiting_for}{}", self.advice())]
    TimedOut {
        /// What the call was waiting for.
        waiting_for: &'static str,
    },
    /// One end has called [`Connection::finish`](super::Connection::finish): an orderly end, after which nothing is
    /// lost.
    ///
    /// While receiving, it is the peer that has finished, and every message that it sent was received. While sending,
    /// it is this end.
    #[non_exhaustive]
    #[error("{}{}", finished(*direction), self.advice())]
    Finished {
        /// The direction in which no other message is transferred.
        direction: Direction,
    },
    /// The peer closed its end without finishing, or died, but not in the middle of a message.
    #[non_exhaustive]
    #[error("no message can be {direction}, because the peer closed the connection or died{}", self.advice())]
    Closed {
        /// The direction of the message.
        direction: Direction,
    },
    /// The peer closed its end or died in the middle of a message.
    #[non_exhaustive]
    #[error("the peer closed the connection or died while a message was being {direction}{}", self.advice())]
    Interrupted {
        /// The direction of the message.
        direction: Direction,
    },
    /// An earlier message was only partly sent or received, so the beginning of the next one cannot be found.
    #[non_exhaustive]
    #[error("no message can be {direction} after one that was only partly {direction}{}", self.advice())]
    Unusable {
        /// The direction of that message, in which no other message can be transferred.
        direction: Direction,
        /// Whether that message was [`Interrupted`](Self::Interrupted).
        is_disconnected: bool,
    },
    /// The message is longer than the connection's limits allow.
    #[non_exhaustive]
    #[error(
        "a message to be {direction} has {length} bytes, but the connection's limit is {limit}{}",
        self.advice()
    )]
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
    #[error(
        "a message to be {direction} has {count} descriptors, but at most {limit} are allowed{}",
        self.advice()
    )]
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
    #[error("not all of the {announced} descriptors of a message could be received{}", self.advice())]
    DescriptorsLost {
        /// The number of descriptors that the message announced.
        announced: usize,
    },
    /// The message came with fewer descriptors than it announced.
    #[non_exhaustive]
    #[error("a message announced {announced} descriptors but came with {received}{}", self.advice())]
    DescriptorsMissing {
        /// The number of descriptors that came.
        received: usize,
        /// The number of descriptors that the message announced.
        announced: usize,
    },
    /// The peer sent something that is not a message of this protocol.
    #[error("the peer does not speak this protocol{}", self.advice())]
    OtherProtocol,
    /// No rank of a group can have this number.
    #[non_exhaustive]
    #[error("there is no rank {rank} in a group of {size}{}", self.advice())]
    BadRank {
        /// The rank.
        rank: usize,
        /// The number of ranks.
        size: usize,
    },
    /// No group can have so many ranks.
    #[non_exhaustive]
    #[error("a group of {size} ranks is too large, because it can have {most}{}", self.advice())]
    GroupTooLarge {
        /// The number of ranks.
        size: usize,
        /// The largest number that a group can have.
        most: usize,
    },
    /// Another process has this rank of the group.
    #[non_exhaustive]
    #[error("{address}: another process has rank {rank}{}", self.advice())]
    RankTaken {
        /// The rank.
        rank: usize,
        /// Where the rank listens.
        address: Address,
    },
    /// Two ranks of a group disagree about the number of ranks.
    #[non_exhaustive]
    #[error("rank {rank} has joined a group of {size} ranks, expected {expected}{}", self.advice())]
    OtherSize {
        /// The other rank.
        rank: usize,
        /// The number of ranks that the other rank has in mind.
        size: usize,
        /// The number of ranks that this process has in mind.
        expected: usize,
    },
    /// Some ranks of a group did not come, or did not take a step, before the time was up.
    #[non_exhaustive]
    #[error("timed out while waiting for {}{}", List(.ranks), self.advice())]
    RanksMissing {
        /// The ranks, in their order.
        ranks: Vec<usize>,
    },
    /// A rank of a group has died, or has left it without [`Group::finish`](super::Group::finish).
    #[non_exhaustive]
    #[error("rank {rank} of the group has died, or has left it without finishing{}", self.advice())]
    RankDied {
        /// The rank.
        rank: usize,
    },
    /// A rank of a group sent something else than the message of this step.
    #[non_exhaustive]
    #[error("rank {rank} of the group takes another step than this process{}", self.advice())]
    OutOfStep {
        /// The rank.
        rank: usize,
    },
    /// A system call failed.
    #[error(transparent)]
    System(#[from] SystemError),
}

impl TransportError {
    /// Returns a function for `map_err` that wraps the error of a system call.
    pub(super) fn system<E: Into<io::Error>>(call: &'static str) -> impl Fn(E) -> Self {
        move |error| SystemError::new(call, error).into()
    }

    /// Returns whether the peer has closed its end or died. To go on, connect again.
    ///
    /// It is false after an orderly end ([`TransportError::Finished`]), and if no connection was made.
    #[must_use]
    pub const fn is_disconnected(&self) -> bool {
        match self {
            Self::Closed { .. } | Self::Interrupted { .. } | Self::RankDied { .. } => true,
            Self::Unusable { is_disconnected, .. } => *is_disconnected,
            Self::BadAddress { .. }
            | Self::InUse { .. }
            | Self::NotASocket { .. }
            | Self::NobodyListens { .. }
            | Self::OtherUser { .. }
            | Self::TimedOut { .. }
            | Self::Finished { .. }
            | Self::TooLong { .. }
            | Self::TooManyDescriptors { .. }
            | Self::DescriptorsLost { .. }
            | Self::DescriptorsMissing { .. }
            | Self::OtherProtocol
            | Self::BadRank { .. }
            | Self::GroupTooLarge { .. }
            | Self::RankTaken { .. }
            | Self::OtherSize { .. }
            | Self::RanksMissing { .. }
            | Self::OutOfStep { .. }
            | Self::System(_) => false,
        }
    }

    /// Returns what to do about the error, if that is known. The error's message ends with it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::BadAddress { .. } => "use 1 to 107 bytes, and no zero byte in a path",
            Self::InUse { .. } => "end it, or choose another address",
            Self::NotASocket { .. } => "choose another path, or remove it if nobody needs it",
            Self::NobodyListens { missing, .. } => match missing {
                Missing::Folder => "create the folder, or share it with this container",
                Missing::File => "start the listener, and share the folder if one of the two is in a container",
                Missing::Process => "start the listener again, which replaces the file",
                Missing::Listen => "wait until it listens, or check the process",
                Missing::Name => "start the listener in the same network namespace",
            },
            Self::OtherUser { .. } => "start the peer as that user",
            Self::TimedOut { .. } => "check whether the other process still works, or wait longer",
            Self::Finished { direction: Direction::Receiving } => "finish this end too",
            Self::Finished { direction: Direction::Sending } => "connect again to send more",
            Self::Closed { direction: Direction::Sending } => "receive what it sent before, then make a new connection",
            Self::Closed { .. } | Self::Interrupted { .. } | Self::Unusable { .. } => {
                "connect again, or accept the next connection"
            }
            Self::TooLong { .. } => {
                "send less at once, or raise the limit at both ends with Connection::set_limits; that of a group is fixed"
            }
            Self::TooManyDescriptors { .. } => {
                "send fewer at once, or raise the limit at both ends with Connection::set_limits; that of a group is fixed"
            }
            Self::DescriptorsLost { .. } => "raise the limit of open files (RLIMIT_NOFILE)",
            Self::DescriptorsMissing { .. } => "check the peer",
            Self::OtherProtocol => "use the same version of cuda-ipc in both processes",
            Self::BadRank { .. } => "count the ranks from 0",
            Self::GroupTooLarge { .. } => "use several groups",
            Self::RankTaken { .. } => "end it, give each process a rank of its own, or choose another path",
            Self::OtherSize { .. } => "give all processes the same number of ranks",
            Self::RanksMissing { .. } => "check whether they were started and still work, or wait longer",
            Self::RankDied { .. } => "start all ranks again",
            Self::OutOfStep { .. } => "call the same methods in the same order in every rank",
            Self::System(error) => return error.hint(),
        })
    }

    fn advice(&self) -> Advice {
        Advice(self.hint())
    }
}

const fn finished(direction: Direction) -> &'static str {
    match direction {
        Direction::Receiving => "the peer has finished, and every message that it sent was received",
        Direction::Sending => "no message can be sent, because this end has finished",
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

/// Writes ranks: `rank 1`, or `ranks 1, 3 and 4`.
struct List<'ranks>(&'ranks [usize]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("no rank"),
            [only] => write!(f, "rank {only}"),
            [first, between @ .., last] => {
                write!(f, "ranks {first}")?;
                between.iter().try_for_each(|rank| write!(f, ", {rank}"))?;
                write!(f, " and {last}")
            }
        }
    }
}
