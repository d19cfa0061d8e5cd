//! Functions of the runtime that are exported but not implemented, so that programs which link them can be loaded.

use super::answer::NOT_SUPPORTED;

/// The arguments need no names: in the C calling conventions of Linux, the caller removes them.
macro_rules! unsupported {
    ($($reason:literal: $($name:ident)*;)*) => {
        /// The functions that return cudaErrorNotSupported for any arguments, and why each is not implemented.
        pub const UNSUPPORTED_OF_RUNTIME: &[(&str, &str)] = &[$($((stringify!($name), $reason)),*),*];

        runtime_calls! {$($(
            initialised fn $name() {
                Err(NOT_SUPPORTED)
            }
        )*)*}
    };
}

unsupported! {
    "code of others is not loaded, so its kernels have no attributes":
        cudaFuncGetAttributes cudaFuncSetAttribute cudaKernelSetAttributeForDevice
        cudaOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags;
    "code of others is not loaded, so its variables have no memory":
        cudaGetSymbolAddress cudaMemcpyToSymbol cudaLibraryGetManaged cudaLibraryGetUnifiedFunction;
    "graphs are captured, or built with the driver's functions":
        cudaGraphAddNode cudaGraphConditionalHandleCreate cudaGraphNodeGetDependencies cudaGraphRetainUserObject
        cudaStreamBeginCaptureToGraph cudaStreamUpdateCaptureDependencies cudaUserObjectCreate cudaUserObjectRelease;
    "memory of graphs is not counted":
        cudaDeviceGetGraphMemAttribute cudaDeviceSetGraphMemAttribute;
    "a stream does not keep its priority, since each stream has a thread of its own":
        cudaStreamGetPriority;
}
