//! What one process does for itself, on the reference driver or the one that `CUDA_IPC_DRIVER` names.
//!
//! On a machine with one GPU: `-- --skip two_devices`.

#[path = "../common/mod.rs"]
mod common;

mod device;
mod fork;
mod memory;
mod mirror;
mod module;
mod pool;
mod refusals;
mod stream;
mod two_devices;
mod vmm;
