//! Raw bindings to the part of the CUDA driver that shares memory and events between processes.
//!
//! One set of bindings serves CUDA 11.8 to 13: the structures of this part of the driver have not changed, and each
//! function is asked for at the version whose signature is bound. Nothing but rustc is needed to build, and no CUDA
//! has to be installed: the driver is loaded when [`Driver::get`] is first called.
//!
//! ```no_run
//! use cuda_ipc_sys::{CUipcMemHandle, Driver};
//!
//! fn export(pointer: cuda_ipc_sys::CUdeviceptr) -> Result<CUipcMemHandle, Box<dyn std::error::Error>> {
//!     let driver = Driver::get()?;
//!     let mut handle = CUipcMemHandle::default();
//!     // SAFETY: `handle` is valid for writing; the driver itself refuses a pointer that it cannot export.
//!     unsafe { driver.cuIpcGetMemHandle(&mut handle, pointer)? }.result()?;
//!     Ok(handle)
//! }
//! ```
//!
//! A call has two ways to fail, and they stay apart: the installed driver may not have the function
//! ([`MissingSymbol`]), and the driver may refuse the call ([`CUresult`]).

mod driver;
mod elf;
mod error;
mod handle;
mod library;
mod result;
pub mod runtime;
mod version;

pub use driver::*;
pub use error::{Attempt, Cause, LoadError, MissingSymbol};
pub use library::{CudaLibrary, DRIVER_VARIABLE, RUNTIME_VARIABLE};
pub use version::{CudaVersion, Symbol};
