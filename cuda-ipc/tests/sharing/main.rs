//! Two processes share memory and events, on the driver that `CUDA_IPC_DRIVER` names or else on the reference driver.
//! The other process is this executable, started again in its own role.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/peer.rs"]
mod peer;

mod cache;
mod images;
mod lease;
mod legacy;
mod orders;
mod parcels;
mod pool;
mod shared_buffer;
mod two_devices;
mod virtual_memory;

use cuda_ipc::DeviceMemory;

/// A multiple of 2 MiB, so the memory shares its block with no other allocation.
const SIZE: usize = 4 << 20;

fn pattern(seed: u8) -> Vec<u8> {
    (0..SIZE).map(|index| (index as u8).wrapping_mul(31) ^ (index >> 8) as u8 ^ seed).collect()
}

fn contents(memory: &DeviceMemory) -> Vec<u8> {
    let mut bytes = vec![0; memory.size()];
    memory.read(0, &mut bytes).unwrap();
    bytes
}
