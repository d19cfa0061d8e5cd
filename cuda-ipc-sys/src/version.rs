//! CUDA versions, and the functions that are looked up by version.

use std::ffi::CStr;
use std::fmt;

use crate::table::DefaultStream;

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
#[non_exhaustive]
pub struct Symbol {
    /// The name in the documentation, for `cuGetProcAddress`.
    pub name: &'static CStr,
    /// The name that the library exports for this version, for `dlsym`.
    pub exported: &'static CStr,
    /// The name that the library exports for the per-thread default stream, if it has one.
    pub per_thread: Option<&'static CStr>,
    /// The CUDA version whose signature is bound.
    pub since: CudaVersion,
}

impl Symbol {
    /// A function that is exported by its name in the documentation.
    pub(crate) const fn new(name: &'static CStr, since: u32) -> Self {
        Self { name, exported: name, per_thread: None, since: CudaVersion(since) }
    }

    pub(crate) const fn exported_as(self, exported: &'static CStr) -> Self {
        Self { exported, ..self }
    }

    pub(crate) const fn per_thread_as(self, name: &'static CStr) -> Self {
        Self { per_thread: Some(name), ..self }
    }

    /// Returns the name that the library exports for a default stream.
    pub(crate) fn exported_for(&self, stream: DefaultStream) -> &'static CStr {
        match (stream, self.per_thread) {
            (DefaultStream::PerThread, Some(name)) => name,
            _ => self.exported,
        }
    }
}
