//! The calls that a role can perform: one message per call, grouped by resource.
//!
//! Each definition contains three things: the message, what the role does with it, and the method of
//! [`Role`] that sends it. Its name is the driver's name in snake case without `cu`. The runtime's calls
//! keep their `cuda`.

use std::fmt;
use std::os::fd::BorrowedFd;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::message::{Refused, encode};
use crate::role::Session;
use crate::{Pending, Role, Stop, log};

pub mod checkpoint;
pub mod context;
pub mod descriptor;
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
pub mod planted;
pub mod pointer;
pub mod pool;
pub mod process;
pub mod rows;
pub mod runtime;
pub mod stream;
pub mod usage;
pub mod vmm;

macro_rules! resources {
    ($($module:ident as $variant:ident),*) => {
        /// A call of any resource.
        #[derive(Serialize, Deserialize)]
        #[allow(missing_docs)]
        pub enum AnyCall {
            $($variant($module::Call),)*
        }

        $(impl From<$module::Call> for AnyCall {
            fn from(call: $module::Call) -> Self {
                Self::$variant(call)
            }
        })*

        /// Prints the call as a case writes it, without its resource.
        impl fmt::Debug for AnyCall {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant(call) => call.fmt(f),)*
                }
            }
        }

        impl AnyCall {
            /// Returns the names of all calls, as steps have them.
            #[doc(hidden)]
            pub fn names() -> impl Iterator<Item = &'static str> {
                [$($module::Call::NAMES),*].into_iter().flatten().copied()
            }

            /// Returns the first sentence of a call's documentation, by its name.
            #[doc(hidden)]
            pub fn about(name: &str) -> Option<String> {
                let all = [$(($module::Call::NAMES, $module::Call::DOCUMENTATION)),*];
                let mut all = all.into_iter().flat_map(|(names, texts)| names.iter().zip(texts));
                let lines = all.find(|(known, _)| **known == name)?.1.iter().map(|line| line.trim());
                let text = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
                let sentence = text.split_once(". ").map_or(&*text, |(sentence, _)| sentence);
                Some(sentence.trim_end_matches('.').to_owned())
            }

            /// Performs the call in a role. Returns the encoded answer.
            pub(crate) fn perform(self, session: &mut Session) -> Vec<u8> {
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
    descriptor as Descriptor,
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
    planted as Planted,
    pointer as PointerAttribute,
    pool as MemoryPool,
    process as Process,
    rows as Rows,
    runtime as Runtime,
    stream as Stream,
    usage as Usage,
    vmm as Vmm
);

/// Performs an encoded call in a role. Returns the encoded answer.
pub(crate) fn perform(call: &[u8], session: &mut Session) -> Vec<u8> {
    // What the driver said of earlier steps, perhaps of other cases, is no part of this one.
    log::take();
    match postcard::from_bytes::<AnyCall>(call) {
        Ok(call) => call.perform(session),
        Err(error) => encode::<()>(&Err(Refused::Role(format!("the role cannot decode a call: {error}")))),
    }
}

impl Role {
    /// Performs a call and sends descriptors with it, of which the role gets copies.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn perform_with<T: DeserializeOwned + fmt::Debug>(
        &self,
        call: impl Into<AnyCall>,
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<T, Stop> {
        self.send(&call.into(), descriptors)?;
        self.answer()
    }

    /// Sends a call without waiting for its answer: some rules need another role to act while this one is in a call.
    ///
    /// # Errors
    /// [`Stop`], if the process has ended.
    pub fn begin<T>(&self, call: impl Into<AnyCall>) -> Result<Pending<T>, Stop> {
        self.send(&call.into(), &[])?;
        Ok(self.pending())
    }

    /// Makes the process exit like a program that returns from `main`, and waits until it has ended.
    ///
    /// # Errors
    /// [`Stop`], if it does not end, or a signal or another exit code than 0 ends it.
    pub fn exit(&self) -> Result<(), Stop> {
        self.send(&AnyCall::from(process::Call::exit_normally { code: 0 }), &[])?;
        self.finish_exit()
    }

    /// Makes the process replace its program by the same one, and waits until that has started its driver. The process id
    /// stays, and everything that the process held is gone.
    ///
    /// # Errors
    /// [`Stop`], if the new program does not start.
    pub fn exec(&self) -> Result<(), Stop> {
        self.await_new_program(&AnyCall::from(process::Call::exec_itself {}))
    }

    /// Makes the process call `_exit`, and waits until it has ended.
    ///
    /// # Errors
    /// [`Stop`], if it does not end, or a signal or another exit code than 0 ends it.
    pub fn exit_at_once(&self) -> Result<(), Stop> {
        self.send(&AnyCall::from(process::Call::exit_without_handlers { code: 0 }), &[])?;
        self.finish_exit()
    }
}
