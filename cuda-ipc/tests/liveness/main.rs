//! The identity of a process, whether it is alive, and whether it still holds shared memory.

#[path = "../common/peer.rs"]
mod peer;

mod file;
mod identity;
mod lease;
mod process;
