#![doc = include_str!("../README.md")]

mod attempt;
mod driver;
mod environment;
mod error;
mod handle;
mod image;
mod library;
mod names;
mod result;
pub mod runtime;
mod table;
mod version;

pub use attempt::{Attempt, Cause};
pub use driver::*;
pub use error::{Error, LoadError, MissingSymbol};
pub use library::{CudaLibrary, DRIVER_VARIABLE, RUNTIME_VARIABLE};
pub use version::{CudaVersion, EarlierName, Symbol};
