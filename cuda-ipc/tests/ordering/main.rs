//! Work that waits for events, for values in memory, or for another process.
//!
//! The tests run one at a time. While work of a context waits, a driver may block a call that frees memory in that
//! context, and with it every other call.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/peer.rs"]
mod peer;

mod events;
mod numbers;
mod values;

use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_ipc::DeviceMemory;

/// A multiple of 2 MiB, so the memory shares its block with no other allocation.
const SIZE: usize = 4 << 20;

fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn contents(memory: &DeviceMemory) -> Vec<u8> {
    let mut bytes = vec![0; memory.size()];
    memory.read(0, &mut bytes).unwrap();
    bytes
}
