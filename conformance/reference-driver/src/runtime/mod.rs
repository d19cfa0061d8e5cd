//! The runtime in the same library: the functions of `cuda_ipc_sys::runtime`, each a thin twin of the driver's.
//!
//! What it adds is what the documentation of the runtime adds: it initialises by itself, it remembers the last error
//! of a thread, and it numbers errors in its own enumeration. Pointers, streams, events and pools are the driver's,
//! and so are its structures, under other names: the functions here take them as the driver's.

use cuda_ipc_sys::{CUmemAccessDesc, CUmemLocation, CUmemPoolProps, runtime};

#[macro_use]
mod answer;

mod context;
mod copy;
mod device;
mod error;
mod event;
mod host;
mod ipc;
mod memory;
mod peer;
mod pointer;
mod pool;
mod stream;

const _: () = {
    assert!(size_of::<runtime::cudaMemPoolProps>() == size_of::<CUmemPoolProps>());
    assert!(size_of::<runtime::cudaMemAccessDesc>() == size_of::<CUmemAccessDesc>());
    assert!(size_of::<runtime::cudaMemLocation>() == size_of::<CUmemLocation>());
};
