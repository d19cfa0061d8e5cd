//! The error type of this crate.

use std::time::Duration;
use std::{fmt, io, sync::Arc};

use thiserror::Error;

use crate::protocol::{LONGEST_NAME, Refusal, VERSION};

/// The reason why a call failed.
///
/// `{:?}` writes the message too, so that a `main` that returns the error prints what to do.
#[derive(Clone, Error)]
#[non_exhaustive]
pub enum Error {
    /// The driver refused a call, or no connection was made.
    #[error(transparent)]
    Cuda(#[from] cuda_ipc::Error),
    /// The store refused the request. The connection goes on, unless the store does not serve this client at all.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The daemon has ended or was killed. Memory that this process holds stays readable; everything else is lost.
    #[error("the store is gone: start it again, and connect again. Memory that is held here stays readable")]
    StoreGone,
    /// The daemon did not reply in time. The client cannot be used any more.
    #[non_exhaustive]
    #[error("the store did not reply within {waited:?}: check whether it still runs, and connect again")]
    TimedOut {
        /// The time that passed.
        waited: Duration,
    },
    /// No object got the name in time.
    #[non_exhaustive]
    #[error("no object got the name {name:?} within {waited:?}: check whether its writer still runs, or wait longer")]
    NotNamed {
        /// The name.
        name: String,
        /// The time limit.
        waited: Duration,
    },
    /// A name is empty or too long.
    #[non_exhaustive]
    #[error("a name has 1 to {LONGEST_NAME} bytes, and this one has {length}: use another name")]
    BadName {
        /// The length of the name.
        length: usize,
    },
    /// The reply does not belong to this version of the protocol, so what listens there may not be a store.
    #[error(
        "the reply does not belong to version {VERSION} of the store's protocol: check which program listens there"
    )]
    BadReply,
    /// A system call failed.
    #[non_exhaustive]
    #[error("{call}: {source}")]
    System {
        /// The call.
        call: &'static str,
        /// The error that it returned.
        source: Arc<io::Error>,
    },
}

impl Error {
    pub(crate) fn system<E: Into<io::Error>>(call: &'static str) -> impl Fn(E) -> Self {
        move |error| Self::System { call, source: Arc::new(error.into()) }
    }

    /// Returns why the store refused the request, if it did.
    #[must_use]
    pub const fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
