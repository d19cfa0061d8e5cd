//! The error type of this module.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::ProcessIdentity;
use crate::error::{Advice, SystemError};

/// The reason why another process could not be watched, why a wait for it ended too early, or why no file was leased.
#[derive(Clone, Error)]
#[non_exhaustive]
pub enum LivenessError {
    /// The process was still alive when the time was up.
    #[non_exhaustive]
    #[error("the process is still alive after {waited:?}")]
    StillAlive {
        /// The time limit.
        waited: Duration,
    },
    /// An importer, or a tenant of a [`FileLease`](super::FileLease), still held the memory when the time was up.
    #[non_exhaustive]
    #[error(
        "after {waited:?} an importer still holds the memory, or this process has not dropped its own tenancy{}",
        self.advice()
    )]
    StillHeld {
        /// The time limit.
        waited: Duration,
    },
    /// The process belongs to another machine, or to an earlier boot of this machine.
    #[non_exhaustive]
    #[error("{identity} does not belong to the current boot of this machine{}", self.advice())]
    OtherBoot {
        /// The process.
        identity: ProcessIdentity,
    },
    /// The process belongs to another PID namespace, so its PID means another process here, or none.
    #[non_exhaustive]
    #[error("{identity} is not in this process's PID namespace{}", self.advice())]
    OtherNamespace {
        /// The process.
        identity: ProcessIdentity,
    },
    /// The parcel has a lease already. Its importers would not hold another one.
    #[error("the parcel has a lease already{}", self.advice())]
    HasLease,
    /// The descriptor is not the write end of a pipe.
    #[error("the descriptor is not the write end of a pipe{}", self.advice())]
    NotATenancy,
    /// There was no file at the path when the time was up.
    #[non_exhaustive]
    #[error("{}: no file after {waited:?}{}", .path.display(), self.advice())]
    NoFile {
        /// The path.
        path: PathBuf,
        /// The time limit.
        waited: Duration,
    },
    /// No living process owned the file at the path when the time was up. The process that made the file has ended, or
    /// somebody copied the file.
    #[non_exhaustive]
    #[error(
        "{}: no living process owns the file, and none came within {waited:?}{}",
        .path.display(), self.advice()
    )]
    Abandoned {
        /// The path.
        path: PathBuf,
        /// The time limit.
        waited: Duration,
    },
    /// Another process owns the file at the path, or is just making it.
    #[non_exhaustive]
    #[error("{}: another process owns this file{}", .path.display(), self.advice())]
    InUse {
        /// The path.
        path: PathBuf,
    },
    /// A system call failed.
    #[error(transparent)]
    System(#[from] SystemError),
}

impl LivenessError {
    /// Returns a function for `map_err` that wraps the error of a system call.
    pub(super) fn system<E: Into<io::Error>>(call: &'static str) -> impl Fn(E) -> Self {
        move |error| SystemError::new(call, error).into()
    }

    /// Returns what to do about the error, if that is known. The error's message ends with it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::StillAlive { .. } => return None,
            Self::StillHeld { .. } => "do not free it yet",
            Self::OtherBoot { .. } => "watch it on its own machine",
            Self::OtherNamespace { .. } => "watch the peer of a connection instead",
            Self::HasLease => "use that one, or share the memory again for another parcel",
            Self::NotATenancy => "the exporter must send its Tenancy",
            Self::NoFile { .. } => "start the owner, and give both the same path",
            Self::Abandoned { .. } => "start the owner, which replaces the file",
            Self::InUse { .. } => "end it, or choose another path",
            Self::System(error) => return error.hint(),
        })
    }

    fn advice(&self) -> Advice {
        Advice(self.hint())
    }
}
