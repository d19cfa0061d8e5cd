//! Tests within one process, on the driver that `CUDA_IPC_DRIVER` names or else on the reference driver.
//!
//! On a machine with one GPU, run them with `-- --skip two_devices`.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/fork.rs"]
mod forked;

mod device;
mod fork;
mod memory;
mod mirror;
mod module;
mod pool;
mod refusals;
mod slices;
mod stream;
mod two_devices;
mod vmm;
