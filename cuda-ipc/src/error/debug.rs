//! How errors look in `{:?}`: as in `{}`.
//!
//! A `main` that returns an error prints it with `Debug`, and so do `unwrap` and `expect`. That is where most users first
//! meet an error, and only the message says what to do.

use std::fmt;

use super::{Error, SystemError};
use crate::foreign::ForeignError;
use crate::host::PagesError;
use crate::liveness::LivenessError;
use crate::ring::RingError;
use crate::ticket::TicketError;
use crate::transport::TransportError;

macro_rules! debug_as_message {
    ($($(#[$attribute:meta])* $error:ty),* $(,)?) => {$(
        $(#[$attribute])*
        impl fmt::Debug for $error {
            /// Writes the message.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}

debug_as_message!(
    Error,
    ForeignError,
    LivenessError,
    PagesError,
    RingError,
    SystemError,
    #[cfg(feature = "dlpack")]
    crate::foreign::dlpack::TensorError,
    TicketError,
    TransportError,
);
