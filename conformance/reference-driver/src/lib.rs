//! A CUDA driver in software: what the documentation says about inter-process memory, made executable.
//!
//! Programs load the library as their `libcuda`. Device memory is memory of memfds, so that it has the lifetime that
//! the documentation promises: it lives until the last process that maps it is gone, and nothing is left behind when
//! a process is killed. Streams are threads, events that cross processes lie in shared memory, and kernels are the
//! ones of the `kernels` package, performed on the CPU. Where the documentation is silent, the answers are those of
//! an H200 with driver 580.159.04, except where that would be unsound.
//!
//! The environment: `REFERENCE_DRIVER_DEVICES` is the number of devices (1), `REFERENCE_DRIVER_MEMORY` the bytes of
//! each (16 GiB), and `REFERENCE_DRIVER_MACHINE` a name: processes that give the same one share the devices.
//! `CUDA_VISIBLE_DEVICES` works as it does for a real driver. `REFERENCE_DRIVER_TOPOLOGY` names pairs of devices that are
//! no peers (`0-1:none`) or have no atomic operations between them (`0-1:no-atomics`), `REFERENCE_DRIVER_FABRIC` the state
//! of the fabric: `absent`, `no-channel` (which it is otherwise), `channel` or `not-ready`. `REFERENCE_DRIVER_VERSION` is
//! the CUDA version to serve, from 11.8 to 13.0.
//!
//! The functions of `cuda_ipc_sys::SYMBOLS` are exported, and nothing more is claimed. Those of
//! [`UNSUPPORTED`] answer `CUDA_ERROR_NOT_SUPPORTED`. Those of `cuda_ipc_sys::runtime::SYMBOLS` are exported too, so that
//! the library is a `libcudart` on itself: a real one asks for much that is not here.

// The exported functions have C's names.
#![allow(non_snake_case)]

#[macro_use]
mod answer;

mod account;
mod block;
mod context;
mod copy;
mod device;
mod dma_buf;
mod environment;
mod error;
mod event;
mod graph;
mod handle;
mod health;
mod host;
mod ipc;
mod kernel;
mod log;
mod memfd;
mod memory;
mod module;
mod multicast;
mod peer;
mod piece;
mod pointer;
mod pool;
mod proc_address;
mod process;
mod range;
mod runtime;
mod shared_event;
mod stream;
mod topology;
mod unsupported;
mod value;
mod version;
mod visible;
mod vmm;

pub use unsupported::UNSUPPORTED;
