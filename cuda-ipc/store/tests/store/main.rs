//! A store in a process of its own, on the driver that `CUDA_IPC_DRIVER` names or else on the reference driver. Other
//! clients are this executable, started again in their own role.

#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../tests/common/fork.rs"]
mod forked;
#[allow(dead_code, reason = "these tests launch some of them")]
#[path = "../../../tests/common/kernels.rs"]
mod kernels;
#[path = "../../../tests/common/peer.rs"]
mod peer;
#[path = "../common/server.rs"]
mod server;

mod cached;
mod clean;
mod command;
mod death;
mod fork;
mod hooks;
mod hostile;
mod life;
mod limits;
mod names;
mod versions;
mod waits;

use cuda_ipc::DeviceMemory;
use cuda_ipc_store::{Client, Error, ObjectId, Refusal};

use common::context;

/// A number of bytes. The granularity does not divide it.
const SIZE: usize = 5000;

fn pattern(seed: u8) -> Vec<u8> {
    (0..SIZE).map(|index| (index as u8).wrapping_mul(31) ^ (index >> 8) as u8 ^ seed).collect()
}

fn contents(memory: &DeviceMemory) -> Vec<u8> {
    let mut bytes = vec![0; memory.size()];
    memory.read(0, &mut bytes).unwrap();
    bytes
}

/// Creates a sealed object with a pattern.
fn sealed(store: &Client, seed: u8) -> ObjectId {
    let draft = store.create(&context(), SIZE).unwrap();
    draft.write(0, &pattern(seed)).unwrap();
    draft.seal().unwrap()
}

/// Returns why the store refused a request.
fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> Refusal {
    result.unwrap_err().refusal().expect("the store refused").clone()
}
