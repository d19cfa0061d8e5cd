//! Result codes as errors that print their names.

use std::error::Error;
use std::fmt;

use crate::CUresult;
use crate::runtime::cudaError;

macro_rules! result_code {
    ($code:ident, $success:ident, $not_ready:literal, $path:literal) => {
        /// The compiler warns if a code is not used:
        ///
        /// ```compile_fail
        /// #![deny(unused_must_use)]
        #[doc = concat!("fn call() -> ", $path, " { ", $path, "::", stringify!($success), " }")]
        /// call();
        /// ```
        ///
        /// `let _ =` ignores it on purpose:
        ///
        /// ```
        /// #![deny(unused_must_use)]
        #[doc = concat!("fn call() -> ", $path, " { ", $path, "::", stringify!($success), " }")]
        /// let _ = call();
        /// ```
        impl $code {
            #[doc = concat!("Returns `Ok` for `", stringify!($success), "`, otherwise the code itself as the error.")]
            ///
            #[doc = concat!("`", $not_ready, "` counts as an error here, so the caller of a query must check for it.")]
            ///
            /// # Errors
            #[doc = concat!("The code, if it is not `", stringify!($success), "`.")]
            #[inline]
            pub const fn result(self) -> Result<(), Self> {
                if self.0 == Self::$success.0 { Ok(()) } else { Err(self) }
            }
        }

        impl fmt::Display for $code {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.name() {
                    Some(name) => write!(f, "{name} ({})", self.0),
                    None => write!(f, "CUDA error {}, which has no name in these bindings", self.0),
                }
            }
        }

        impl fmt::Debug for $code {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl Error for $code {}
    };
}

result_code!(CUresult, CUDA_SUCCESS, "CUDA_ERROR_NOT_READY", "cuda_ipc_sys::CUresult");
result_code!(cudaError, cudaSuccess, "cudaErrorNotReady", "cuda_ipc_sys::runtime::cudaError");
