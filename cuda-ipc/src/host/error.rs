//! The errors of shared pages.

use thiserror::Error;

use crate::error::Advice;

/// The reason why a descriptor or a message does not give shared pages.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PagesError {
    /// The length is 0.
    #[error("shared pages cannot have 0 numbers{}", self.advice())]
    Empty,
    /// The message is another one than [`SharedPages::send`](super::SharedPages::send) sends for these numbers.
    #[non_exhaustive]
    #[error("the message is not that of shared pages of {expected}{}", self.advice())]
    OtherMessage {
        /// The type of the numbers.
        expected: &'static str,
    },
    /// The descriptor is not a memfd, or it is a memfd of huge pages, which can run out while they are used.
    #[error("the descriptor is not a memfd of ordinary pages{}", self.advice())]
    NotAMemfd,
    /// A process can still change the size of the memfd, and accesses beyond its end would kill this process.
    #[non_exhaustive]
    #[error("the memfd has the seals {seals:#x}, so its size can change{}", self.advice())]
    Unsealed {
        /// `F_GET_SEALS`: the seals of the memfd.
        seals: u32,
    },
    /// The memfd has another size than the numbers need.
    #[non_exhaustive]
    #[error("the memfd has {found} bytes; expected {expected}{}", self.advice())]
    OtherSize {
        /// The size of the memfd, in bytes.
        found: u64,
        /// The size of the numbers, in bytes.
        expected: u64,
    },
}

impl PagesError {
    /// Returns what to do about the error. The error's message ends with it.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Empty => "give the number of values",
            Self::OtherMessage { .. } => {
                "receive in the order in which the other process sends, with the same type of numbers"
            }
            Self::NotAMemfd => "send the pages with SharedPages::send",
            Self::Unsealed { .. } => "set F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL, as SharedPages::new does",
            Self::OtherSize { .. } => "both processes must use the same length and the same type of numbers",
        })
    }

    const fn advice(&self) -> Advice {
        Advice(self.hint())
    }
}
