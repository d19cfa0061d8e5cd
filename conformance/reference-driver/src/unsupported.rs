//! Functions that are exported and not written.

use crate::answer::NOT_SUPPORTED;
use crate::process::state;

/// The arguments need no names: in the C calling conventions of Linux the caller clears them away.
macro_rules! unsupported {
    ($($reason:literal: $($name:ident)*;)*) => {
        /// What is exported and answers CUDA_ERROR_NOT_SUPPORTED, whatever its arguments: the exported name, and why it
        /// is not written.
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
    "they came with CUDA 13.4, and this driver serves 13.0: nobody gets them by version":
        cuDeviceGetFabricClusterUuid cuDeviceGetCliqueCount cuDeviceGetCliqueInfo;
    "graphs are built node by node here, and no rule of inter-process memory needs a recorded stream":
        cuStreamBeginCapture_v2 cuStreamEndCapture;
    "external memory comes from other interfaces, of which there are none here":
        cuImportExternalMemory cuDestroyExternalMemory;
}
