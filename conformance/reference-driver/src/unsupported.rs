//! Functions of the table that are not written yet: multicast, fabric, shared pools and handles, dma-buf, external
//! memory, capture, logs. They answer `CUDA_ERROR_NOT_SUPPORTED` whatever they are given.

macro_rules! unsupported {
    ($($name:ident),* $(,)?) => {$(
        /// Takes no arguments, whatever the caller passes: they are the caller's to clean up.
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> ::cuda_ipc_sys::CUresult {
            $crate::answer::NOT_SUPPORTED
        }
    )*};
}

unsupported! {
    cuDeviceGetFabricClusterUuid,
    cuDeviceGetCliqueCount,
    cuDeviceGetCliqueInfo,
    cuDeviceGetP2PAtomicCapabilities,
    cuStreamBeginCapture_v2,
    cuStreamEndCapture,
    cuStreamIsCapturing,
    cuMemGetHandleForAddressRange,
    cuMemExportToShareableHandle,
    cuMemImportFromShareableHandle,
    cuMulticastCreate,
    cuMulticastAddDevice,
    cuMulticastBindMem,
    cuMulticastBindAddr,
    cuMulticastUnbind,
    cuMulticastGetGranularity,
    cuMemPoolGetAccess,
    cuMemPoolSetAccess,
    cuMemGetDefaultMemPool,
    cuMemGetMemPool,
    cuMemSetMemPool,
    cuMemPoolExportToShareableHandle,
    cuMemPoolImportFromShareableHandle,
    cuMemPoolExportPointer,
    cuMemPoolImportPointer,
    cuImportExternalMemory,
    cuDestroyExternalMemory,
    cuGraphAddEventRecordNode,
    cuGraphAddEventWaitNode,
    cuLogsRegisterCallback,
    cuLogsUnregisterCallback,
}
