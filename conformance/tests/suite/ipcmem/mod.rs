//! Legacy memory handles.

mod close;
mod get;
mod open;
pub(crate) mod pointer_kind;
