//! Peer access between devices and contexts.

mod attribute;
mod enable;
