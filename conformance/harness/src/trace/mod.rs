//! The trace of a run: every driver call with its arguments and outputs, and what the case expected of it.
//!
//! If [`VARIABLE`] names a file, the runner and its roles append one JSON line for each [`Event`], in the order in which
//! they happen. `conformance report` turns the trace of a case into a C program. Without the variable, nothing is
//! recorded.

mod call;
mod event;
mod extent;
mod writer;

pub(crate) use call::*;
pub use event::{Argument, Bytes, Call, Comparison, Event, Expectation, Namespace, Place};
pub(crate) use writer::{
    awaited_change, case_began, case_ended, closed, descriptor, discarded, expect, is_on, unique_id, unread, write,
};
#[doc(hidden)]
pub use writer::{check, computed, condition};

/// The environment variable that names the file.
pub const VARIABLE: &str = "CONFORMANCE_TRACE";

/// The environment variable that tells a role the number of its PID namespace.
pub(crate) const NAMESPACE_VARIABLE: &str = "CONFORMANCE_TRACE_NAMESPACE";
