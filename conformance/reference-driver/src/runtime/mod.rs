//! The CUDA runtime: functions of `cuda_ipc_sys::runtime`, each a thin wrapper of the driver's. The library of
//! `reference-runtime` exports their names.
//!
//! It adds what the documentation of the runtime adds: it initialises itself, it remembers the last error of a thread,
//! and it has its own enumeration of errors. Pointers, streams, events and pools are those of the driver. The
//! structures have the driver's layout under other names, so the functions here take the driver's types.

use cuda_ipc_sys::{CUmemAccessDesc, CUmemLocation, CUmemPoolProps, runtime};

#[macro_use]
mod answer;

mod context;
mod copy;
mod device;
mod error;
mod event;
mod graph;
mod host;
mod ipc;
mod library;
mod memory;
mod peer;
mod pointer;
mod pool;
mod properties;
mod registration;
mod stream;
mod unsupported;

/// The id of the table of these functions, for `cuGetExportTable`.
pub(crate) const TABLE: [u8; 16] = *b"reference-driver";

pub(crate) use answer::table;
pub use unsupported::UNSUPPORTED_OF_RUNTIME;

const _: () = {
    assert!(size_of::<runtime::cudaMemPoolProps>() == size_of::<CUmemPoolProps>());
    assert!(size_of::<runtime::cudaMemAccessDesc>() == size_of::<CUmemAccessDesc>());
    assert!(size_of::<runtime::cudaMemLocation>() == size_of::<CUmemLocation>());
};
