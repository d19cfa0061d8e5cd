//! Legacy memory handles.

mod capture;
mod close;
mod get;
mod many;
mod open;
mod versions;
