//! Functions that are exported and not written: they answer CUDA_ERROR_NOT_SUPPORTED, whatever their arguments. Each has
//! its reason.

use crate::answer::NOT_SUPPORTED;
use crate::process::state;

/// The arguments need no names: in the C calling conventions of Linux the caller clears them away.
macro_rules! unsupported {
    ($($name:ident)*) => {
        entry_points! {$(
            fn $name() {
                let _state = state()?;
                Err(NOT_SUPPORTED)
            }
        )*}
    };
}

// They came with CUDA 13.4, and this driver serves 13.0: nobody gets them by version.
unsupported! { cuDeviceGetFabricClusterUuid cuDeviceGetCliqueCount cuDeviceGetCliqueInfo }

// The graphs of this driver are built node by node; no rule of inter-process memory needs a recorded stream.
unsupported! { cuStreamBeginCapture_v2 cuStreamEndCapture }

// External memory comes from other interfaces, of which there are none here.
unsupported! { cuImportExternalMemory cuDestroyExternalMemory }

// The driver keeps no log.
unsupported! { cuLogsRegisterCallback cuLogsUnregisterCallback }
