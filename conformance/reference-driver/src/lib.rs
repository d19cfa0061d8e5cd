//! A CUDA driver in software: an executable reading of what CUDA's documentation says about inter-process memory.
//!
//! Programs load the library as their `libcuda`. Device memory lies in memfds, which gives it the documented lifetime:
//! it lives until the last process that maps it is gone, and a killed process leaves nothing behind. Each stream is a
//! thread, and interprocess events lie in shared memory. Kernels are those of the `kernels` package, executed on the
//! CPU.
//!
//! Where the documentation is silent, the driver returns what an H200 with driver 580.159.04 returns, unless that would
//! be unsound.
//!
//! # Environment
//!
//! - `REFERENCE_DRIVER_PROFILE`: the machine to imitate, a name of [`PROFILES`]; `h200` by default.
//! - `REFERENCE_DRIVER_DEVICES`: the number of devices, 1 by default.
//! - `REFERENCE_DRIVER_MEMORY`: the bytes of each device, 16 GiB by default.
//! - `REFERENCE_DRIVER_MACHINE`: the name of the simulated machine, `0` by default. Processes with the same name share
//!   the devices.
//! - `REFERENCE_DRIVER_TOPOLOGY`: restricted pairs of devices. The devices of a pair are not peers (`0-1:none`) or have
//!   no native atomic operations between them (`0-1:no-atomics`).
//! - `REFERENCE_DRIVER_FABRIC`: the state of the fabric: `absent`, `no-channel` (the default), `channel`, `channel:7`
//!   or `not-ready`.
//! - `REFERENCE_DRIVER_VERSION`: the CUDA version to serve, from 11.8 to 13.5; 13.0 by default.
//! - `REFERENCE_DRIVER_NOTES`: `off` hides the notes, on standard error, that say why the driver refuses a call that
//!   succeeds on a GPU.
//! - `REFERENCE_DRIVER_FAULT`: the name of a bug that the driver has: see [`Fault`]. None by default.
//! - `CUDA_VISIBLE_DEVICES`: works as it does for a real driver.
//!
//! An empty variable counts as unset. If a value is invalid or the name of a `REFERENCE_DRIVER_` variable is unknown,
//! the driver prints the variable, the value and what it expects, and `cuInit` returns `CUDA_ERROR_INVALID_VALUE`.
//!
//! # Functions
//!
//! The library exports those functions of `cuda_ipc_sys::SYMBOLS` that `tests/exports.txt` lists. It exports nothing else.
//! The functions of [`UNSUPPORTED`] return `CUDA_ERROR_NOT_SUPPORTED`. The functions of its own `libcudart` are here too,
//! but the library of the package `reference-runtime` exports their names. Those of [`UNSUPPORTED_OF_RUNTIME`] return
//! `cudaErrorNotSupported`.

// The exported functions have the names of the C API.
#![allow(non_snake_case)]

#[macro_use]
mod answer;
#[macro_use]
mod fault;

mod account;
mod block;
mod capture;
mod cluster;
mod context;
mod copy;
mod device;
mod dma_buf;
mod environment;
mod error;
mod event;
mod fill;
mod graph;
mod handle;
mod health;
mod host;
mod inside;
mod ipc;
mod kernel;
mod leak;
mod library;
mod log;
mod machine_lock;
mod memfd;
mod memory;
mod module;
mod multicast;
mod order;
mod peer;
mod piece;
mod pointer;
mod pool;
mod proc_address;
mod process;
mod profile;
mod ptx;
mod range;
mod runtime;
mod seen;
mod shared_event;
mod stream;
mod tools;
mod topology;
mod unsupported;
mod value;
mod version;
mod visible;
mod vmm;

pub use fault::{Fault, faults};
pub use profile::{PROFILES, Profile};
pub use runtime::UNSUPPORTED_OF_RUNTIME;
pub use unsupported::UNSUPPORTED;
