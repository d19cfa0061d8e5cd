//! Peer access between devices and contexts.

mod attribute;
mod disable;
mod enable;
