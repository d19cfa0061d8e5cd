//! Who a process is, whether it lives, and whether it still holds what it was given.

#[path = "../common/peer.rs"]
mod peer;

mod identity;
mod lease;
mod process;
