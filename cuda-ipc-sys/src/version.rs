//! CUDA versions, and the functions that are looked up by version.

use std::ffi::CStr;
use std::fmt;

/// A CUDA version as the driver encodes it: 1000 × major + 10 × minor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CudaVersion(pub u32);

impl CudaVersion {
    /// Returns the major version: 12 for 12.4.
    #[must_use]
    pub const fn major(self) -> u32 {
        self.0 / 1000
    }

    /// Returns the minor version: 4 for 12.4.
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

/// A function of the driver's or the runtime's table: base name, version and exported name.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    /// The name in the documentation, for `cuGetProcAddress`.
    pub name: &'static CStr,
    /// The name that the library exports for this version, for `dlsym`.
    pub exported: &'static CStr,
    /// The CUDA version whose signature is bound.
    pub since: CudaVersion,
}
