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
//! `REFERENCE_DRIVER_FABRIC` is what the machine has of a fabric: `absent`, `no-channel` (as an H200 comes), `channel`
//! (the one of the user; `channel:NUMBER` names another) or `not-ready`. `CUDA_VISIBLE_DEVICES` works as it does for a
//! real driver.
//!
//! The functions of `cuda_ipc_sys::SYMBOLS` are exported, and nothing more is claimed. Those of the module
//! `unsupported` answer `CUDA_ERROR_NOT_SUPPORTED`.

// The exported functions have C's names.
#![allow(non_snake_case)]

#[macro_use]
mod answer;

mod block;
mod context;
mod copy;
mod device;
mod environment;
mod error;
mod event;
mod fabric;
mod graph;
mod handle;
mod host;
mod ipc;
mod kernel;
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
mod shareable;
mod shared_event;
mod stream;
mod unsupported;
mod value;
mod vmm;
