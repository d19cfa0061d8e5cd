//! The runtime's counterparts of the calls for legacy handles.

mod codes;
mod free;
mod initialisation;
mod interoperation;
mod reset;
