//! Messages of bytes and descriptors between two processes.

#[path = "../common/peer.rs"]
mod peer;

mod addresses;
mod death;
mod descriptors;
mod ending;
mod group;
mod hostile;
mod messages;
mod polling;
mod raw;
mod signals;
mod timeouts;
mod waiting;
