//! Messages of bytes and descriptors between two processes.

#[path = "../common/peer.rs"]
mod peer;

mod addresses;
mod death;
mod descriptors;
mod hostile;
mod messages;
mod raw;
mod signals;
mod timeouts;
