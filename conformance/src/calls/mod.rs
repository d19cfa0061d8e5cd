//! The calls that a role can perform: one message for each, by resource.
//!
//! A definition gives three things at once: the message, what the role does with it, and the method of
//! [`Role`](crate::Role) that sends it. The name is the driver's, without `cu`, in Rust's case; the runtime's calls keep
//! their `cuda`.

use cuda_ipc_sys::{CUresult, MissingSymbol};
use serde::{Deserialize, Serialize};

use crate::role::session::Session;

pub mod checkpoint;
pub mod context;
pub mod device;
pub mod error;
pub mod event;
pub mod fork;
pub mod graph;
pub mod ipc;
pub mod many;
pub mod memory;
pub mod module;
pub mod multicast;
pub mod pointer;
pub mod pool;
pub mod process;
pub mod runtime;
pub mod stream;
pub mod types;
pub mod vmm;

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

pub(crate) fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, Refused> {
    postcard::to_stdvec(value).map_err(|error| Refused::Role(format!("cannot encode an answer: {error}")))
}

macro_rules! resources {
    ($($module:ident as $variant:ident),*) => {
        /// A call of any resource.
        #[derive(Debug, Serialize, Deserialize)]
        #[allow(missing_docs)]
        pub enum AnyCall {
            $($variant($module::Call),)*
        }

        $(impl From<$module::Call> for AnyCall {
            fn from(call: $module::Call) -> Self {
                Self::$variant(call)
            }
        })*

        impl AnyCall {
            /// What the role does, and the encoded output.
            pub(crate) fn perform(self, session: &mut Session) -> Result<Vec<u8>, Refused> {
                match self {
                    $(Self::$variant(call) => call.perform(session),)*
                }
            }
        }
    };
}

resources!(
    checkpoint as Checkpoint,
    context as Context,
    device as Device,
    error as Error,
    event as Event,
    fork as Fork,
    graph as Graph,
    ipc as Ipc,
    many as Many,
    memory as Memory,
    module as Module,
    multicast as Multicast,
    pointer as PointerAttribute,
    pool as MemoryPool,
    process as Process,
    runtime as Runtime,
    stream as Stream,
    vmm as Vmm
);
