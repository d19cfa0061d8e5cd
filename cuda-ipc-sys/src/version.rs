//! CUDA versions, and the functions that are asked for by them.

use std::ffi::CStr;
use std::fmt;

/// A CUDA version as the driver counts it: 1000 × major + 10 × minor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CudaVersion(pub u32);

impl CudaVersion {
    /// The major version, 12 of 12.4.
    #[must_use]
    pub const fn major(self) -> u32 {
        self.0 / 1000
    }

    /// The minor version, 4 of 12.4.
    #[must_use]
    pub const fn minor(self) -> u32 {
        self.0 % 1000 / 10
    }
}

impl fmt::Display for CudaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major(), self.minor())
    }
}

impl fmt::Debug for CudaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A function of the tables: base name, version and exported name.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    /// The name in the documentation, which `cuGetProcAddress` takes.
    pub name: &'static CStr,
    /// What the library exports this version as, which `dlsym` takes.
    pub exported: &'static CStr,
    /// The version whose signature these bindings hold.
    pub since: CudaVersion,
}
