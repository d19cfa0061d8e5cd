//! Legacy memory handles.

mod close;
mod get;
mod open;
mod pointer_kind;
