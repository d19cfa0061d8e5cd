//! The program `ipc_ring`: its output, its exit codes, and the death of each rank at each step.
//!
//! This is a target of its own, so that no other program delays the ranks while a test measures how soon they end.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/peer.rs"]
mod peer;
#[path = "../common/program.rs"]
mod program;

mod death;
mod output;

/// What each rank shares, in words.
const WORDS: usize = 1 << 20;
