//! `CUresult` as a value that names itself.

use std::error::Error;
use std::fmt;

use crate::CUresult;

impl CUresult {
    /// `Ok` for `CUDA_SUCCESS`, the code itself as the error for everything else.
    ///
    /// `CUDA_ERROR_NOT_READY` counts as an error here: a query's caller asks for it by name.
    ///
    /// # Errors
    /// The code, where it is not `CUDA_SUCCESS`.
    #[inline]
    pub const fn result(self) -> Result<(), Self> {
        if self.0 == Self::CUDA_SUCCESS.0 { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for CUresult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "CUDA error {}, which these bindings have no name for", self.0),
        }
    }
}

impl fmt::Debug for CUresult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for CUresult {}
