//! What can go wrong when asking who lives.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::ProcessIdentity;

/// Why a question about another process has no answer, or not the one that was waited for.
#[derive(Debug)]
#[non_exhaustive]
pub enum LivenessError {
    /// The process still lived when the time was over.
    #[non_exhaustive]
    StillAlive {
        /// How long was waited.
        waited: Duration,
    },
    /// An importer still held the memory when the time was over.
    #[non_exhaustive]
    StillHeld {
        /// How long was waited.
        waited: Duration,
    },
    /// The process is of another machine, or of this one before it was started anew.
    #[non_exhaustive]
    OtherBoot {
        /// The process.
        identity: ProcessIdentity,
    },
    /// The process is of another PID namespace, where its number means something else.
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
        /// Its error.
        source: io::Error,
    },
}

impl LivenessError {
    /// An error of a system call as `map_err` takes it.
    pub(super) fn system<E: Into<io::Error>>(call: &'static str) -> impl Fn(E) -> Self {
        move |error| Self::System { call, source: error.into() }
    }
}

impl fmt::Display for LivenessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StillAlive { waited } => write!(f, "the process still lives after {waited:?}"),
            Self::StillHeld { waited } => write!(
                f,
                "after {waited:?} an importer still holds the memory, or this process has not dropped its own Tenancy: \
                 do not free it yet"
            ),
            Self::OtherBoot { identity } => {
                write!(f, "{identity} is not of this machine, or from before it was started anew: ask on its own")
            }
            Self::OtherNamespace { identity } => write!(
                f,
                "{identity} has no such number in this process's PID namespace: watch the peer of a connection instead"
            ),
            Self::NotATenancy => {
                write!(f, "the descriptor is not the write end of a pipe: the exporter sends its Tenancy's")
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
