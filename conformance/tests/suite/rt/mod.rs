//! The runtime's twins of the calls for legacy handles.

mod codes;
mod free;
mod initialisation;
mod interoperation;
mod reset;
