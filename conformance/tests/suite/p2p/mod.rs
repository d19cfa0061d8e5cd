//! Peer access between devices and contexts.

mod attribute;
mod copy;
mod disable;
mod enable;
