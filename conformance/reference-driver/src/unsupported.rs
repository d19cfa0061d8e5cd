//! Functions that are exported and not written: they answer CUDA_ERROR_NOT_SUPPORTED, whatever their arguments.

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

unsupported! {
    cuDeviceGetFabricClusterUuid
    cuDeviceGetCliqueCount
    cuDeviceGetCliqueInfo
    cuDeviceGetP2PAtomicCapabilities
    cuStreamBeginCapture_v2
    cuStreamEndCapture
    cuMemGetHandleForAddressRange
    cuMemPoolExportToShareableHandle
    cuMemPoolImportFromShareableHandle
    cuMemPoolExportPointer
    cuMemPoolImportPointer
    cuImportExternalMemory
    cuDestroyExternalMemory
    cuLogsRegisterCallback
    cuLogsUnregisterCallback
}
