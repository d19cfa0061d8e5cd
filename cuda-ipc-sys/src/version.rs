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

/// A function of the driver's or the runtime's table, with its base name, version and exported names.
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
    /// What older libraries call the function, with the same signature, if they have it.
    pub earlier: Option<EarlierName>,
}

/// The name of a function in libraries that are older than [`Symbol::since`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EarlierName {
    /// The name that such a library exports.
    pub exported: &'static CStr,
    /// The name that it exports for the per-thread default stream, if it has one.
    pub per_thread: Option<&'static CStr>,
    /// The first CUDA version with that name.
    pub since: CudaVersion,
}

impl Symbol {
    /// A function that is exported by its name in the documentation.
    pub(crate) const fn new(name: &'static CStr, since: u32) -> Self {
        Self { name, exported: name, per_thread: None, since: CudaVersion(since), earlier: None }
    }

    pub(crate) const fn exported_as(self, exported: &'static CStr) -> Self {
        Self { exported, ..self }
    }

    pub(crate) const fn per_thread_as(self, name: &'static CStr) -> Self {
        Self { per_thread: Some(name), ..self }
    }

    pub(crate) const fn earlier_as(
        self,
        exported: &'static CStr,
        per_thread: Option<&'static CStr>,
        since: u32,
    ) -> Self {
        Self { earlier: Some(EarlierName { exported, per_thread, since: CudaVersion(since) }), ..self }
    }

    /// Returns the oldest CUDA version that has the function with the bound signature.
    #[must_use]
    pub const fn first(&self) -> CudaVersion {
        match self.earlier {
            Some(earlier) => earlier.since,
            None => self.since,
        }
    }

    /// Returns the name that the newest library exports for a default stream.
    pub(crate) fn exported_for(&self, stream: DefaultStream) -> &'static CStr {
        for_stream(self.exported, self.per_thread, stream)
    }

    /// Returns the name that a library of a CUDA version exports for a default stream, or `None` if that version does not
    /// have the function with the bound signature.
    pub(crate) fn exported_by(&self, version: CudaVersion, stream: DefaultStream) -> Option<&'static CStr> {
        if self.since <= version {
            return Some(self.exported_for(stream));
        }
        let earlier = self.earlier.filter(|earlier| earlier.since <= version)?;
        Some(for_stream(earlier.exported, earlier.per_thread, stream))
    }
}

fn for_stream(exported: &'static CStr, per_thread: Option<&'static CStr>, stream: DefaultStream) -> &'static CStr {
    match (stream, per_thread) {
        (DefaultStream::PerThread, Some(name)) => name,
        _ => exported,
    }
}
