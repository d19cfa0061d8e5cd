//! Legacy memory handles.

mod capture;
mod close;
mod get;
mod many;
mod open;
pub(crate) mod pointer_kind;
mod versions;
