// Written by cuda-ipc-sys/generator: change that, then run it.

use core::ffi::c_void;
#[allow(unused_imports)]
use crate::driver::bindings::*;
use crate::{CudaVersion, MissingSymbol, Symbol};
use crate::runtime::{Runtime, bindings::*};
/**x

[`cudaRuntimeGetVersion`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART____VERSION.html) in C; this signature since CUDA 2.2.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
*/
pub type PFN_cudaRuntimeGetVersion = unsafe extern "C" fn(
    runtimeVersion: *mut ::core::ffi::c_int,
) -> cudaError_t;
/**x

[`cudaIpcGetMemHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 4.1.

# Errors
Documented codes: [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorMapBufferObjectFailed`](cudaError::cudaErrorMapBufferObjectFailed), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
*/
pub type PFN_cudaIpcGetMemHandle = unsafe extern "C" fn(
    handle: *mut cudaIpcMemHandle_t,
    devPtr: *mut ::core::ffi::c_void,
) -> cudaError_t;
/**x

[`cudaMemPoolCreate`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported).

# Safety
*/
pub type PFN_cudaMemPoolCreate = unsafe extern "C" fn(
    memPool: *mut cudaMemPool_t,
    poolProps: *const cudaMemPoolProps,
) -> cudaError_t;
/**x

[`cudaMemPoolExportPointer`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorOutOfMemory`](cudaError::cudaErrorOutOfMemory).

# Safety
*/
pub type PFN_cudaMemPoolExportPointer = unsafe extern "C" fn(
    exportData: *mut cudaMemPoolPtrExportData,
    ptr: *mut ::core::ffi::c_void,
) -> cudaError_t;
/**x

[`cudaIpcGetEventHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 4.1.

# Errors
Documented codes: [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorMapBufferObjectFailed`](cudaError::cudaErrorMapBufferObjectFailed), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
*/
pub type PFN_cudaIpcGetEventHandle = unsafe extern "C" fn(
    handle: *mut cudaIpcEventHandle_t,
    event: cudaEvent_t,
) -> cudaError_t;
/**x

[`cudaGetErrorName`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 6.5.

# Errors
Documented codes: none of its own.

# Safety
*/
pub type PFN_cudaGetErrorName = unsafe extern "C" fn(
    error: cudaError_t,
) -> *const ::core::ffi::c_char;
/**x

[`cudaPointerGetAttributes`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__UNIFIED.html) in C; this signature since CUDA 6.5.

# Errors
Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
*/
pub type PFN_cudaPointerGetAttributes = unsafe extern "C" fn(
    attributes: *mut cudaPointerAttributes,
    ptr: *const ::core::ffi::c_void,
) -> cudaError_t;
///Every function of the runtime that these bindings know: its name, its version and what it is exported as.
pub const SYMBOLS: [Symbol; 7usize] = [
    Symbol {
        name: c"cudaRuntimeGetVersion",
        exported: c"cudaRuntimeGetVersion",
        since: CudaVersion(2020u32),
    },
    Symbol {
        name: c"cudaIpcGetMemHandle",
        exported: c"cudaIpcGetMemHandle",
        since: CudaVersion(4010u32),
    },
    Symbol {
        name: c"cudaMemPoolCreate",
        exported: c"cudaMemPoolCreate",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cudaMemPoolExportPointer",
        exported: c"cudaMemPoolExportPointer",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cudaIpcGetEventHandle",
        exported: c"cudaIpcGetEventHandle",
        since: CudaVersion(4010u32),
    },
    Symbol {
        name: c"cudaGetErrorName",
        exported: c"cudaGetErrorName",
        since: CudaVersion(6050u32),
    },
    Symbol {
        name: c"cudaPointerGetAttributes",
        exported: c"cudaPointerGetAttributes",
        since: CudaVersion(6050u32),
    },
];
///The functions of one runtime; `None` where it does not have one.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_snake_case)]
pub struct Functions {
    ///See [`Runtime::cudaRuntimeGetVersion`].
    pub cudaRuntimeGetVersion: Option<PFN_cudaRuntimeGetVersion>,
    ///See [`Runtime::cudaIpcGetMemHandle`].
    pub cudaIpcGetMemHandle: Option<PFN_cudaIpcGetMemHandle>,
    ///See [`Runtime::cudaMemPoolCreate`].
    pub cudaMemPoolCreate: Option<PFN_cudaMemPoolCreate>,
    ///See [`Runtime::cudaMemPoolExportPointer`].
    pub cudaMemPoolExportPointer: Option<PFN_cudaMemPoolExportPointer>,
    ///See [`Runtime::cudaIpcGetEventHandle`].
    pub cudaIpcGetEventHandle: Option<PFN_cudaIpcGetEventHandle>,
    ///See [`Runtime::cudaGetErrorName`].
    pub cudaGetErrorName: Option<PFN_cudaGetErrorName>,
    ///See [`Runtime::cudaPointerGetAttributes`].
    pub cudaPointerGetAttributes: Option<PFN_cudaPointerGetAttributes>,
}
impl Functions {
    /// A table from the address of each function, in the order of [`SYMBOLS`].
    ///
    /// # Safety
    /// Each address must be null or a function with the signature of that symbol's version.
    #[must_use]
    pub const unsafe fn from_addresses(addresses: &[*const c_void; 7usize]) -> &Self {
        unsafe { &*core::ptr::from_ref(addresses).cast() }
    }
}
#[allow(non_snake_case, clippy::too_many_arguments)]
impl Runtime {
    /**x

[`cudaRuntimeGetVersion`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART____VERSION.html) in C; this signature since CUDA 2.2.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
*/
    #[inline]
    pub unsafe fn cudaRuntimeGetVersion(
        &self,
        runtimeVersion: *mut ::core::ffi::c_int,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaRuntimeGetVersion {
            Some(function) => Ok(unsafe { function(runtimeVersion) }),
            None => Err(self.missing(&SYMBOLS[0usize])),
        }
    }
    /**x

[`cudaIpcGetMemHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 4.1.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorMapBufferObjectFailed`](cudaError::cudaErrorMapBufferObjectFailed), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
*/
    #[inline]
    pub unsafe fn cudaIpcGetMemHandle(
        &self,
        handle: *mut cudaIpcMemHandle_t,
        devPtr: *mut ::core::ffi::c_void,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaIpcGetMemHandle {
            Some(function) => Ok(unsafe { function(handle, devPtr) }),
            None => Err(self.missing(&SYMBOLS[1usize])),
        }
    }
    /**x

[`cudaMemPoolCreate`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported).

# Safety
*/
    #[inline]
    pub unsafe fn cudaMemPoolCreate(
        &self,
        memPool: *mut cudaMemPool_t,
        poolProps: *const cudaMemPoolProps,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemPoolCreate {
            Some(function) => Ok(unsafe { function(memPool, poolProps) }),
            None => Err(self.missing(&SYMBOLS[2usize])),
        }
    }
    /**x

[`cudaMemPoolExportPointer`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorOutOfMemory`](cudaError::cudaErrorOutOfMemory).

# Safety
*/
    #[inline]
    pub unsafe fn cudaMemPoolExportPointer(
        &self,
        exportData: *mut cudaMemPoolPtrExportData,
        ptr: *mut ::core::ffi::c_void,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemPoolExportPointer {
            Some(function) => Ok(unsafe { function(exportData, ptr) }),
            None => Err(self.missing(&SYMBOLS[3usize])),
        }
    }
    /**x

[`cudaIpcGetEventHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 4.1.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorMapBufferObjectFailed`](cudaError::cudaErrorMapBufferObjectFailed), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
*/
    #[inline]
    pub unsafe fn cudaIpcGetEventHandle(
        &self,
        handle: *mut cudaIpcEventHandle_t,
        event: cudaEvent_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaIpcGetEventHandle {
            Some(function) => Ok(unsafe { function(handle, event) }),
            None => Err(self.missing(&SYMBOLS[4usize])),
        }
    }
    /**x

[`cudaGetErrorName`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 6.5.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: none of its own.

# Safety
*/
    #[inline]
    pub unsafe fn cudaGetErrorName(
        &self,
        error: cudaError_t,
    ) -> Result<*const ::core::ffi::c_char, MissingSymbol> {
        match self.functions().cudaGetErrorName {
            Some(function) => Ok(unsafe { function(error) }),
            None => Err(self.missing(&SYMBOLS[5usize])),
        }
    }
    /**x

[`cudaPointerGetAttributes`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__UNIFIED.html) in C; this signature since CUDA 6.5.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
*/
    #[inline]
    pub unsafe fn cudaPointerGetAttributes(
        &self,
        attributes: *mut cudaPointerAttributes,
        ptr: *const ::core::ffi::c_void,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaPointerGetAttributes {
            Some(function) => Ok(unsafe { function(attributes, ptr) }),
            None => Err(self.missing(&SYMBOLS[6usize])),
        }
    }
}
