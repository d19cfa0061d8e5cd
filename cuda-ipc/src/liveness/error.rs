//! The error type of this module.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::ProcessIdentity;

/// The reason why another process could not be watched, or why a wait for it ended too early.
#[derive(Debug)]
#[non_exhaustive]
pub enum LivenessError {
    /// The process was still alive when the time was up.
    #[non_exhaustive]
    StillAlive {
        /// The time limit.
        waited: Duration,
    },
    /// An importer still held the memory when the time was up.
    #[non_exhaustive]
    StillHeld {
        /// The time limit.
        waited: Duration,
    },
    /// The process belongs to another machine, or to an earlier boot of this machine.
    #[non_exhaustive]
    OtherBoot {
        /// The process.
        identity: ProcessIdentity,
    },
    /// The process belongs to another PID namespace, so its PID means another process here, or none.
    #[non_exhaustive]
    OtherNamespace {
        /// The process.
        identity: ProcessIdentity,
    },
    /// The descriptor is not the write end of a pipe.
    NotATenancy,
    /// A system call failed.
    #[non_exhaustive]
    System {
        /// The call, or the file that was read.
        call: &'static str,
        /// The error that the call returned.
        source: io::Error,
    },
}

impl LivenessError {
    /// Returns a function for `map_err` that wraps the error of a system call.
    pub(super) fn system<E: Into<io::Error>>(call: &'static str) -> impl Fn(E) -> Self {
        move |error| Self::System { call, source: error.into() }
    }
}

impl fmt::Display for LivenessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StillAlive { waited } => write!(f, "the process is still alive after {waited:?}"),
            Self::StillHeld { waited } => write!(
                f,
                "after {waited:?} an importer still holds the memory, or this process has not dropped its own Tenancy: \
                 do not free it yet"
            ),
            Self::OtherBoot { identity } => {
                write!(f, "{identity} does not belong to the current boot of this machine: watch it on its own machine")
            }
            Self::OtherNamespace { identity } => {
                write!(f, "{identity} is not in this process's PID namespace: watch the peer of a connection instead")
            }
            Self::NotATenancy => {
                write!(f, "the descriptor is not the write end of a pipe: the exporter must send its Tenancy")
            }
            Self::System { call, source } => write!(f, "{call}: {source}"),
        }
    }
}

impl std::error::Error for LivenessError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System { source, .. } => Some(source),
            _ => None,
        }
    }
}
