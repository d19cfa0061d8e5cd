//! What a role says: first whether it is ready, then the answer to each call.

use cuda_ipc_sys::{CUresult, MissingSymbol};
use serde::{Deserialize, Serialize};

/// The hidden first argument of a role's process.
pub(crate) const ROLE_ARGUMENT: &str = "--conformance-role";

/// The last argument of a role's process that does not call `cuInit`.
pub(crate) const UNINITIALISED_ARGUMENT: &str = "uninitialised";

/// What the number of a user follows, in an argument of a role that is to become that user.
pub(crate) const USER_ARGUMENT: &str = "user=";

/// What the runner is told first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Greeting {
    /// The driver is loaded and a context is current.
    Ready,
    /// There is no driver, or it does not start.
    NoDriver(String),
    /// The driver works, and there is no device for this role, or it cannot be what it should.
    NoDevice(String),
}

/// Why a call brought no output.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Refused {
    /// The driver, or the runtime, answered with an error code.
    Driver {
        /// The function.
        function: String,
        /// The code.
        code: u32,
    },
    /// The driver does not have the function.
    Missing(String),
    /// The role could not do its own part.
    Role(String),
}

impl From<std::io::Error> for Refused {
    fn from(error: std::io::Error) -> Self {
        Self::Role(error.to_string())
    }
}

impl From<rustix::io::Errno> for Refused {
    fn from(error: rustix::io::Errno) -> Self {
        Self::Role(error.to_string())
    }
}

pub(crate) fn answered(function: &str, answer: Result<CUresult, MissingSymbol>) -> Result<(), Refused> {
    match answer {
        Ok(CUresult::CUDA_SUCCESS) => Ok(()),
        Ok(code) => Err(Refused::Driver { function: function.to_owned(), code: code.0 }),
        Err(missing) => Err(Refused::Missing(missing.to_string())),
    }
}

/// Encodes the answer to a call.
pub(crate) fn encode<T: Serialize>(answer: &Result<T, Refused>) -> Vec<u8> {
    postcard::to_stdvec(answer).unwrap_or_else(|error| {
        let refused: Result<(), _> = Err(Refused::Role(format!("cannot encode an answer: {error}")));
        postcard::to_stdvec(&refused).unwrap_or_default()
    })
}
