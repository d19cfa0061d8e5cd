//! Work that waits: for events, for numbers, for another process.
//!
//! One test at a time: while work of a context waits, a driver may let whoever frees memory in it wait too, and with
//! that every other call.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/peer.rs"]
mod peer;

mod events;
mod numbers;
mod values;

use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_ipc::DeviceMemory;

/// A multiple of 2 MiB: memory that shares its block with nothing.
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
