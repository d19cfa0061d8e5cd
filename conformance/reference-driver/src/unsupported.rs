//! Functions that are exported but not implemented.

use crate::answer::NOT_SUPPORTED;
use crate::process::state;

/// The arguments need no names: in the C calling conventions of Linux, the caller removes them.
macro_rules! unsupported {
    ($($reason:literal: $($name:ident)*;)*) => {
        /// The functions that are exported but return CUDA_ERROR_NOT_SUPPORTED for any arguments: the exported name,
        /// and why the function is not implemented.
        pub const UNSUPPORTED: &[(&str, &str)] = &[$($((stringify!($name), $reason)),*),*];

        entry_points! {$($(
            fn $name() {
                let _state = state()?;
                Err(NOT_SUPPORTED)
            }
        )*)*}
    };
}

unsupported! {
    "external memory comes from other APIs, which this driver does not have":
        cuImportExternalMemory cuDestroyExternalMemory;
}
