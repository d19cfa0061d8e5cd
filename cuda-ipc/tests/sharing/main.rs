//! Two processes share memory and events, on the reference driver or the one that `CUDA_IPC_DRIVER` names. The other
//! process is this executable again, in a role of its own.
//!
//! On a machine with one GPU: `-- --skip two_devices`.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/peer.rs"]
mod peer;

mod cache;
mod lease;
mod legacy;
mod orders;
mod parcels;
mod pool;
mod virtual_memory;

use cuda_ipc::DeviceMemory;

/// A multiple of 2 MiB: memory that shares its block with nothing.
const SIZE: usize = 4 << 20;

fn pattern(seed: u8) -> Vec<u8> {
    (0..SIZE).map(|index| (index as u8).wrapping_mul(31) ^ (index >> 8) as u8 ^ seed).collect()
}

fn contents(memory: &DeviceMemory) -> Vec<u8> {
    let mut bytes = vec![0; memory.size()];
    memory.read(0, &mut bytes).unwrap();
    bytes
}
