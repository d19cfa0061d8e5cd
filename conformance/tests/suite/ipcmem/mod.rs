//! Legacy memory handles.

mod capture;
mod close;
mod free;
mod get;
mod many;
mod open;
mod versions;
