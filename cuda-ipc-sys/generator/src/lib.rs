//! From CUDA's headers to the bindings of cuda-ipc-sys: types and constants by bindgen, the function tables by what
//! `functions.toml` and `runtime.toml` name.

mod bindings;
mod documentation;
mod exceptions;
mod functions;
#[cfg(feature = "cli")]
pub mod headers;
mod merge;

use std::path::Path;

use anyhow::{Result, bail};

pub use exceptions::{Exception, exceptions};
pub use functions::{Function, Interface};
pub use merge::merge;

const HEADER: &str = "// Written by cuda-ipc-sys/generator: change that, then run it.\n";

/// What CUDA calls the two processors that the bindings have to be equal for.
pub const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

/// A file of `cuda-ipc-sys/src`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The path below `src`.
    pub path: &'static str,
    /// What is in it.
    pub text: String,
}

/// The generated files, from the headers in a folder, as a C compiler for `target` reads them.
///
/// # Errors
/// Where the folder has no cuda.h, or bindgen cannot read what it has, or a function is not declared.
pub fn generate(include: &Path, target: &str) -> Result<Vec<Source>> {
    let found = read(include, target)?;
    found.check_complete()?;
    found.write()
}

fn read(include: &Path, target: &str) -> Result<bindings::Bindings> {
    if !include.join("cuda.h").is_file() {
        bail!("{} holds no cuda.h: give the include folder of a CUDA toolkit", include.display());
    }
    bindings::read(include, target)
}
