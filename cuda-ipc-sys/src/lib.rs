#![doc = include_str!("../README.md")]

mod driver;
mod elf;
mod environment;
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
