//! The messages of a role: first a greeting, then an answer to each call. Each call has a number, which its answer
//! carries: a role that answers twice would otherwise put every later answer off by one, unnoticed.

use std::fmt;
use std::time::Duration;

use cuda_ipc_sys::{CUresult, MissingSymbol};
use serde::{Deserialize, Serialize};

use crate::log;

/// The hidden first argument of a role's process.
pub(crate) const ROLE_ARGUMENT: &str = "--conformance-role";

/// The last argument of a role's process that does not call `cuInit`.
pub(crate) const UNINITIALISED_ARGUMENT: &str = "uninitialised";

/// The prefix of the argument that names a user by number: the role becomes that user.
pub(crate) const USER_ARGUMENT: &str = "user=";

/// The first message of a role.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Greeting {
    /// The driver is loaded. A context is current, unless the role does not call `cuInit`.
    Ready,
    /// The driver does not exist or does not start.
    NoDriver(String),
    /// The driver works, but the role has no usable device or cannot become the requested user.
    NoDevice(String),
}

/// The reason why a call returned no output.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Refused {
    /// The driver or the runtime returned an error code.
    Driver {
        /// The function.
        function: String,
        /// The code.
        code: u32,
        /// What the driver's log said in this step since the refusal before.
        log: Vec<String>,
    },
    /// The driver does not have the function.
    Missing(String),
    /// The system does not let the role do this.
    Unsupported(String),
    /// What the driver gave cannot be used, although it returned no error.
    Unusable(String),
    /// The role failed outside the driver.
    Role(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Driver { function, code, .. } => write!(f, "{function} returned {}", CUresult(*code)),
            Self::Missing(message) | Self::Unsupported(message) | Self::Unusable(message) | Self::Role(message) => {
                f.write_str(message)
            }
        }
    }
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
        Ok(code) => Err(Refused::Driver { function: function.to_owned(), code: code.0, log: log::take() }),
        Err(missing) => Err(Refused::Missing(missing.to_string())),
    }
}

/// Encodes the answer to a call.
pub(crate) fn encode<T: Serialize>(answer: &Result<T, Refused>) -> Vec<u8> {
    postcard::to_stdvec(answer).unwrap_or_else(|error| {
        let refused: Result<(), _> = Err(Refused::Role(format!("the role cannot encode its answer: {error}")));
        postcard::to_stdvec(&refused).unwrap_or_default()
    })
}

/// What stands before an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Envelope {
    /// The number of the call.
    pub number: u64,
    /// How long the role was in the call.
    pub took: Duration,
}

/// Encodes a call with its number, which its answer will carry.
pub(crate) fn numbered(number: u64, call: &impl Serialize) -> postcard::Result<Vec<u8>> {
    postcard::to_stdvec(&(number, call))
}

/// Splits a call into its number and its encoding.
pub(crate) fn number(call: &[u8]) -> postcard::Result<(u64, &[u8])> {
    postcard::take_from_bytes(call)
}

impl Envelope {
    /// Puts an encoded answer into this envelope.
    pub(crate) fn seal(&self, answer: &[u8]) -> Vec<u8> {
        let mut sealed = postcard::to_stdvec(self).unwrap_or_default();
        sealed.extend(answer);
        sealed
    }

    /// Takes an encoded answer out of its envelope.
    pub(crate) fn open(sealed: &[u8]) -> postcard::Result<(Self, &[u8])> {
        postcard::take_from_bytes(sealed)
    }
}
