// Written by cuda-ipc-sys/generator: change that, then run it.

use core::ffi::c_void;
#[allow(unused_imports)]
use crate::driver::bindings::*;
use crate::{CudaVersion, MissingSymbol, Symbol};
use crate::runtime::{Runtime, bindings::*};
/**The CUDA version of the runtime, as 1000 × major + 10 × minor.

[`cudaRuntimeGetVersion`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART____VERSION.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`runtimeVersion` must be valid for writing.*/
pub type PFN_cudaRuntimeGetVersion = unsafe extern "C" fn(
    runtimeVersion: *mut ::core::ffi::c_int,
) -> cudaError_t;
/**The newest CUDA version that the installed driver serves; 0 where there is no driver.

[`cudaDriverGetVersion`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART____VERSION.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`driverVersion` must be valid for writing.*/
pub type PFN_cudaDriverGetVersion = unsafe extern "C" fn(
    driverVersion: *mut ::core::ffi::c_int,
) -> cudaError_t;
/**The enumerator's name of a result code, as a string that the runtime keeps.

[`cudaGetErrorName`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: none of its own.

# Safety
Nothing beyond the arguments' types: the runtime checks their values.*/
pub type PFN_cudaGetErrorName = unsafe extern "C" fn(
    error: cudaError_t,
) -> *const ::core::ffi::c_char;
/**A sentence about a result code, as a string that the runtime keeps.

[`cudaGetErrorString`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: none of its own.

# Safety
Nothing beyond the arguments' types: the runtime checks their values.*/
pub type PFN_cudaGetErrorString = unsafe extern "C" fn(
    error: cudaError_t,
) -> *const ::core::ffi::c_char;
/**The last error of this thread, which it then forgets.

[`cudaGetLastError`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorMissingConfiguration`](cudaError::cudaErrorMissingConfiguration), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorInitializationError`](cudaError::cudaErrorInitializationError), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure), [`cudaErrorLaunchTimeout`](cudaError::cudaErrorLaunchTimeout), [`cudaErrorLaunchOutOfResources`](cudaError::cudaErrorLaunchOutOfResources), [`cudaErrorInvalidDeviceFunction`](cudaError::cudaErrorInvalidDeviceFunction), [`cudaErrorInvalidConfiguration`](cudaError::cudaErrorInvalidConfiguration), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidPitchValue`](cudaError::cudaErrorInvalidPitchValue), [`cudaErrorInvalidSymbol`](cudaError::cudaErrorInvalidSymbol), [`cudaErrorUnmapBufferObjectFailed`](cudaError::cudaErrorUnmapBufferObjectFailed), [`cudaErrorInvalidDevicePointer`](cudaError::cudaErrorInvalidDevicePointer), [`cudaErrorInvalidTexture`](cudaError::cudaErrorInvalidTexture), [`cudaErrorInvalidTextureBinding`](cudaError::cudaErrorInvalidTextureBinding), [`cudaErrorInvalidChannelDescriptor`](cudaError::cudaErrorInvalidChannelDescriptor), [`cudaErrorInvalidMemcpyDirection`](cudaError::cudaErrorInvalidMemcpyDirection), [`cudaErrorInvalidFilterSetting`](cudaError::cudaErrorInvalidFilterSetting), [`cudaErrorInvalidNormSetting`](cudaError::cudaErrorInvalidNormSetting), [`cudaErrorUnknown`](cudaError::cudaErrorUnknown), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorInsufficientDriver`](cudaError::cudaErrorInsufficientDriver), [`cudaErrorNoDevice`](cudaError::cudaErrorNoDevice), [`cudaErrorSetOnActiveProcess`](cudaError::cudaErrorSetOnActiveProcess), [`cudaErrorStartupFailure`](cudaError::cudaErrorStartupFailure), [`cudaErrorInvalidPtx`](cudaError::cudaErrorInvalidPtx), [`cudaErrorUnsupportedPtxVersion`](cudaError::cudaErrorUnsupportedPtxVersion), [`cudaErrorNoKernelImageForDevice`](cudaError::cudaErrorNoKernelImageForDevice), [`cudaErrorJitCompilerNotFound`](cudaError::cudaErrorJitCompilerNotFound), [`cudaErrorJitCompilationDisabled`](cudaError::cudaErrorJitCompilationDisabled).

# Safety
Nothing beyond the arguments' types: the runtime checks their values.*/
pub type PFN_cudaGetLastError = unsafe extern "C" fn() -> cudaError_t;
/**The last error of this thread, which it keeps.

[`cudaPeekAtLastError`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorMissingConfiguration`](cudaError::cudaErrorMissingConfiguration), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorInitializationError`](cudaError::cudaErrorInitializationError), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure), [`cudaErrorLaunchTimeout`](cudaError::cudaErrorLaunchTimeout), [`cudaErrorLaunchOutOfResources`](cudaError::cudaErrorLaunchOutOfResources), [`cudaErrorInvalidDeviceFunction`](cudaError::cudaErrorInvalidDeviceFunction), [`cudaErrorInvalidConfiguration`](cudaError::cudaErrorInvalidConfiguration), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidPitchValue`](cudaError::cudaErrorInvalidPitchValue), [`cudaErrorInvalidSymbol`](cudaError::cudaErrorInvalidSymbol), [`cudaErrorUnmapBufferObjectFailed`](cudaError::cudaErrorUnmapBufferObjectFailed), [`cudaErrorInvalidDevicePointer`](cudaError::cudaErrorInvalidDevicePointer), [`cudaErrorInvalidTexture`](cudaError::cudaErrorInvalidTexture), [`cudaErrorInvalidTextureBinding`](cudaError::cudaErrorInvalidTextureBinding), [`cudaErrorInvalidChannelDescriptor`](cudaError::cudaErrorInvalidChannelDescriptor), [`cudaErrorInvalidMemcpyDirection`](cudaError::cudaErrorInvalidMemcpyDirection), [`cudaErrorInvalidFilterSetting`](cudaError::cudaErrorInvalidFilterSetting), [`cudaErrorInvalidNormSetting`](cudaError::cudaErrorInvalidNormSetting), [`cudaErrorUnknown`](cudaError::cudaErrorUnknown), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorInsufficientDriver`](cudaError::cudaErrorInsufficientDriver), [`cudaErrorNoDevice`](cudaError::cudaErrorNoDevice), [`cudaErrorSetOnActiveProcess`](cudaError::cudaErrorSetOnActiveProcess), [`cudaErrorStartupFailure`](cudaError::cudaErrorStartupFailure), [`cudaErrorInvalidPtx`](cudaError::cudaErrorInvalidPtx), [`cudaErrorUnsupportedPtxVersion`](cudaError::cudaErrorUnsupportedPtxVersion), [`cudaErrorNoKernelImageForDevice`](cudaError::cudaErrorNoKernelImageForDevice), [`cudaErrorJitCompilerNotFound`](cudaError::cudaErrorJitCompilerNotFound), [`cudaErrorJitCompilationDisabled`](cudaError::cudaErrorJitCompilationDisabled).

# Safety
Nothing beyond the arguments' types: the runtime checks their values.*/
pub type PFN_cudaPeekAtLastError = unsafe extern "C" fn() -> cudaError_t;
/**How many devices this process sees.

[`cudaGetDeviceCount`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: none of its own.

# Safety
`count` must be valid for writing.*/
pub type PFN_cudaGetDeviceCount = unsafe extern "C" fn(
    count: *mut ::core::ffi::c_int,
) -> cudaError_t;
/**Makes a device this thread's current one, and its primary context current.

[`cudaSetDevice`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), `cudaErrorDeviceUnavailable`.

# Safety
Nothing beyond the arguments' types: the runtime checks their values.*/
pub type PFN_cudaSetDevice = unsafe extern "C" fn(
    device: ::core::ffi::c_int,
) -> cudaError_t;
/**This thread's current device.

[`cudaGetDevice`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), `cudaErrorDeviceUnavailable`.

# Safety
`device` must be valid for writing.*/
pub type PFN_cudaGetDevice = unsafe extern "C" fn(
    device: *mut ::core::ffi::c_int,
) -> cudaError_t;
/**One attribute of a device.

[`cudaDeviceGetAttribute`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`value` must be valid for writing.*/
pub type PFN_cudaDeviceGetAttribute = unsafe extern "C" fn(
    value: *mut ::core::ffi::c_int,
    attr: cudaDeviceAttr,
    device: ::core::ffi::c_int,
) -> cudaError_t;
/**The device at a PCI address.

[`cudaDeviceGetByPCIBusId`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice).

# Safety
`device` must be valid for writing, and `pciBusId` a C string.*/
pub type PFN_cudaDeviceGetByPCIBusId = unsafe extern "C" fn(
    device: *mut ::core::ffi::c_int,
    pciBusId: *const ::core::ffi::c_char,
) -> cudaError_t;
/**A device's PCI address.

[`cudaDeviceGetPCIBusId`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice).

# Safety
`pciBusId` must be valid for writing `len` bytes.*/
pub type PFN_cudaDeviceGetPCIBusId = unsafe extern "C" fn(
    pciBusId: *mut ::core::ffi::c_char,
    len: ::core::ffi::c_int,
    device: ::core::ffi::c_int,
) -> cudaError_t;
/**Waits for all work of the current device.

[`cudaDeviceSynchronize`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorStreamCaptureUnsupported`](cudaError::cudaErrorStreamCaptureUnsupported).

# Safety
Nothing beyond the arguments' types: the runtime checks their values.*/
pub type PFN_cudaDeviceSynchronize = unsafe extern "C" fn() -> cudaError_t;
/**Destroys everything that this process has on the current device.

[`cudaDeviceReset`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: none of its own.

# Safety
No other thread may use the device, and nothing that was made on it may be used afterwards: memory, streams,
events, pools, modules and what was opened from other processes.*/
pub type PFN_cudaDeviceReset = unsafe extern "C" fn() -> cudaError_t;
/**Whether one device can reach the memory of another.

[`cudaDeviceCanAccessPeer`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__PEER.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice).

# Safety
`canAccessPeer` must be valid for writing.*/
pub type PFN_cudaDeviceCanAccessPeer = unsafe extern "C" fn(
    canAccessPeer: *mut ::core::ffi::c_int,
    device: ::core::ffi::c_int,
    peerDevice: ::core::ffi::c_int,
) -> cudaError_t;
/**Lets the current device reach the allocations of another one.

[`cudaDeviceEnablePeerAccess`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__PEER.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorPeerAccessAlreadyEnabled`](cudaError::cudaErrorPeerAccessAlreadyEnabled), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
Nothing beyond the arguments' types: the runtime checks their values.*/
pub type PFN_cudaDeviceEnablePeerAccess = unsafe extern "C" fn(
    peerDevice: ::core::ffi::c_int,
    flags: ::core::ffi::c_uint,
) -> cudaError_t;
/**Ends what cudaDeviceEnablePeerAccess began.

[`cudaDeviceDisablePeerAccess`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__PEER.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorPeerAccessNotEnabled`](cudaError::cudaErrorPeerAccessNotEnabled), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice).

# Safety
No work that still runs may reach memory of `peerDevice` from the current device.*/
pub type PFN_cudaDeviceDisablePeerAccess = unsafe extern "C" fn(
    peerDevice: ::core::ffi::c_int,
) -> cudaError_t;
/**One attribute of the link between two devices.

[`cudaDeviceGetP2PAttribute`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`value` must be valid for writing.*/
pub type PFN_cudaDeviceGetP2PAttribute = unsafe extern "C" fn(
    value: *mut ::core::ffi::c_int,
    attr: cudaDeviceP2PAttr,
    srcDevice: ::core::ffi::c_int,
    dstDevice: ::core::ffi::c_int,
) -> cudaError_t;
/**Allocates memory on the current device.

[`cudaMalloc`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorExternalDevice`](cudaError::cudaErrorExternalDevice).

# Safety
`devPtr` must be valid for writing.*/
pub type PFN_cudaMalloc = unsafe extern "C" fn(
    devPtr: *mut *mut ::core::ffi::c_void,
    size: usize,
) -> cudaError_t;
/**Frees what cudaMalloc, cudaMallocManaged or a pool allocated; memory that was opened from another process is closed by cudaIpcCloseMemHandle instead.

[`cudaFree`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`devPtr` must be null or come from such a call, and not be freed yet. No work that still runs may use the
memory, and nothing may use it afterwards; every process that opened or imported it must have given it back
before.*/
pub type PFN_cudaFree = unsafe extern "C" fn(
    devPtr: *mut ::core::ffi::c_void,
) -> cudaError_t;
/**Allocates memory that the host and every device reach at one address.

[`cudaMallocManaged`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`devPtr` must be valid for writing.*/
pub type PFN_cudaMallocManaged = unsafe extern "C" fn(
    devPtr: *mut *mut ::core::ffi::c_void,
    size: usize,
    flags: ::core::ffi::c_uint,
) -> cudaError_t;
/**Allocates page-locked host memory.

[`cudaMallocHost`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorExternalDevice`](cudaError::cudaErrorExternalDevice).

# Safety
`ptr` must be valid for writing.*/
pub type PFN_cudaMallocHost = unsafe extern "C" fn(
    ptr: *mut *mut ::core::ffi::c_void,
    size: usize,
) -> cudaError_t;
/**Allocates page-locked host memory with flags.

[`cudaHostAlloc`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorExternalDevice`](cudaError::cudaErrorExternalDevice).

# Safety
`pHost` must be valid for writing.*/
pub type PFN_cudaHostAlloc = unsafe extern "C" fn(
    pHost: *mut *mut ::core::ffi::c_void,
    size: usize,
    flags: ::core::ffi::c_uint,
) -> cudaError_t;
/**Page-locks host memory that something else allocated.

[`cudaHostRegister`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorHostMemoryAlreadyRegistered`](cudaError::cudaErrorHostMemoryAlreadyRegistered), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorExternalDevice`](cudaError::cudaErrorExternalDevice).

# Safety
`ptr` must lead to `size` bytes that stay mapped until cudaHostUnregister.*/
pub type PFN_cudaHostRegister = unsafe extern "C" fn(
    ptr: *mut ::core::ffi::c_void,
    size: usize,
    flags: ::core::ffi::c_uint,
) -> cudaError_t;
/**Ends what cudaHostRegister began.

[`cudaHostUnregister`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorHostMemoryNotRegistered`](cudaError::cudaErrorHostMemoryNotRegistered).

# Safety
`ptr` must come from cudaHostRegister. No work that still runs may use the memory.*/
pub type PFN_cudaHostUnregister = unsafe extern "C" fn(
    ptr: *mut ::core::ffi::c_void,
) -> cudaError_t;
/**Frees page-locked host memory.

[`cudaFreeHost`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`ptr` must be null or come from cudaMallocHost or cudaHostAlloc. No work that still runs may use the memory, and
nothing may use it afterwards.*/
pub type PFN_cudaFreeHost = unsafe extern "C" fn(
    ptr: *mut ::core::ffi::c_void,
) -> cudaError_t;
/**The free and the whole memory of the current device, in bytes.

[`cudaMemGetInfo`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure).

# Safety
`free` and `total` must be valid for writing.*/
pub type PFN_cudaMemGetInfo = unsafe extern "C" fn(
    free: *mut usize,
    total: *mut usize,
) -> cudaError_t;
/**Copies bytes between host and device memory.

[`cudaMemcpy`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DRIVER.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: none of its own.

# Safety
`src` must lead to `count` bytes that can be read and `dst` to as many that can be written, on the sides that
`kind` says; where one of them is host memory, nothing else may write it meanwhile.*/
pub type PFN_cudaMemcpy = unsafe extern "C" fn(
    dst: *mut ::core::ffi::c_void,
    src: *const ::core::ffi::c_void,
    count: usize,
    kind: cudaMemcpyKind,
) -> cudaError_t;
/**Copies bytes in a stream.

[`cudaMemcpyAsync`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidMemcpyDirection`](cudaError::cudaErrorInvalidMemcpyDirection).

# Safety
As for cudaMemcpy, from the call until the stream has passed the copy; `stream` must be the default stream or a
stream that was not destroyed.*/
pub type PFN_cudaMemcpyAsync = unsafe extern "C" fn(
    dst: *mut ::core::ffi::c_void,
    src: *const ::core::ffi::c_void,
    count: usize,
    kind: cudaMemcpyKind,
    stream: cudaStream_t,
) -> cudaError_t;
/**Copies bytes between two devices.

[`cudaMemcpyPeer`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice).

# Safety
`src` must lead to `count` bytes on `srcDevice`, and `dst` to as many on `dstDevice`.*/
pub type PFN_cudaMemcpyPeer = unsafe extern "C" fn(
    dst: *mut ::core::ffi::c_void,
    dstDevice: ::core::ffi::c_int,
    src: *const ::core::ffi::c_void,
    srcDevice: ::core::ffi::c_int,
    count: usize,
) -> cudaError_t;
/**Copies bytes between two devices in a stream.

[`cudaMemcpyPeerAsync`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice).

# Safety
As for cudaMemcpyPeer, from the call until the stream has passed the copy; `stream` must be the default stream
or a stream that was not destroyed.*/
pub type PFN_cudaMemcpyPeerAsync = unsafe extern "C" fn(
    dst: *mut ::core::ffi::c_void,
    dstDevice: ::core::ffi::c_int,
    src: *const ::core::ffi::c_void,
    srcDevice: ::core::ffi::c_int,
    count: usize,
    stream: cudaStream_t,
) -> cudaError_t;
/**Sets bytes of device memory to a value.

[`cudaMemset`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`devPtr` must lead to `count` bytes that can be written.*/
pub type PFN_cudaMemset = unsafe extern "C" fn(
    devPtr: *mut ::core::ffi::c_void,
    value: ::core::ffi::c_int,
    count: usize,
) -> cudaError_t;
/**Sets bytes of device memory to a value in a stream.

[`cudaMemsetAsync`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
As for cudaMemset, from the call until the stream has passed it; `stream` must be the default stream or a stream
that was not destroyed.*/
pub type PFN_cudaMemsetAsync = unsafe extern "C" fn(
    devPtr: *mut ::core::ffi::c_void,
    value: ::core::ffi::c_int,
    count: usize,
    stream: cudaStream_t,
) -> cudaError_t;
/**What kind of memory a pointer leads to, and whose.

[`cudaPointerGetAttributes`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__UNIFIED.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`attributes` must be valid for writing. `ptr` may be any address: it is looked up, and not read.*/
pub type PFN_cudaPointerGetAttributes = unsafe extern "C" fn(
    attributes: *mut cudaPointerAttributes,
    ptr: *const ::core::ffi::c_void,
) -> cudaError_t;
/**Creates a stream on the current device.

[`cudaStreamCreateWithFlags`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorExternalDevice`](cudaError::cudaErrorExternalDevice).

# Safety
`pStream` must be valid for writing.*/
pub type PFN_cudaStreamCreateWithFlags = unsafe extern "C" fn(
    pStream: *mut cudaStream_t,
    flags: ::core::ffi::c_uint,
) -> cudaError_t;
/**Destroys a stream; its work goes on to the end.

[`cudaStreamDestroy`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle).

# Safety
`stream` must be a stream that was not destroyed, and not be used afterwards.*/
pub type PFN_cudaStreamDestroy = unsafe extern "C" fn(
    stream: cudaStream_t,
) -> cudaError_t;
/**Waits for the work of a stream.

[`cudaStreamSynchronize`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle).

# Safety
`stream` must be the default stream or a stream that was not destroyed.*/
pub type PFN_cudaStreamSynchronize = unsafe extern "C" fn(
    stream: cudaStream_t,
) -> cudaError_t;
/**Whether a stream's work is done.

[`cudaStreamQuery`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorNotReady`](cudaError::cudaErrorNotReady), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle).

# Safety
`stream` must be the default stream or a stream that was not destroyed.*/
pub type PFN_cudaStreamQuery = unsafe extern "C" fn(stream: cudaStream_t) -> cudaError_t;
/**Has a stream wait for an event.

[`cudaStreamWaitEvent`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle).

# Safety
`stream` must be the default stream or a stream that was not destroyed, and `event` must be an event that was
not destroyed. An event of another process that ends before it completes the event leaves the stream waiting.*/
pub type PFN_cudaStreamWaitEvent = unsafe extern "C" fn(
    stream: cudaStream_t,
    event: cudaEvent_t,
    flags: ::core::ffi::c_uint,
) -> cudaError_t;
/**Creates an event; with cudaEventInterprocess and cudaEventDisableTiming one that can be exported.

[`cudaEventCreateWithFlags`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EVENT.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation).

# Safety
`event` must be valid for writing.*/
pub type PFN_cudaEventCreateWithFlags = unsafe extern "C" fn(
    event: *mut cudaEvent_t,
    flags: ::core::ffi::c_uint,
) -> cudaError_t;
/**Destroys an event.

[`cudaEventDestroy`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EVENT.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure).

# Safety
`event` must be an event that was not destroyed, and not be used afterwards, in this process or, where it was
exported, by one that opened it.*/
pub type PFN_cudaEventDestroy = unsafe extern "C" fn(event: cudaEvent_t) -> cudaError_t;
/**Records an event in a stream.

[`cudaEventRecord`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EVENT.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure).

# Safety
`event` must be an event that was not destroyed, and `stream` must be the default stream or a stream that was
not destroyed.*/
pub type PFN_cudaEventRecord = unsafe extern "C" fn(
    event: cudaEvent_t,
    stream: cudaStream_t,
) -> cudaError_t;
/**Whether what an event recorded is done.

[`cudaEventQuery`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EVENT.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorNotReady`](cudaError::cudaErrorNotReady), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure).

# Safety
`event` must be an event that was not destroyed.*/
pub type PFN_cudaEventQuery = unsafe extern "C" fn(event: cudaEvent_t) -> cudaError_t;
/**Waits for what an event recorded.

[`cudaEventSynchronize`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EVENT.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure).

# Safety
`event` must be an event that was not destroyed.*/
pub type PFN_cudaEventSynchronize = unsafe extern "C" fn(
    event: cudaEvent_t,
) -> cudaError_t;
/**The time between two events, in milliseconds.

[`cudaEventElapsedTime`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EVENT.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorNotReady`](cudaError::cudaErrorNotReady), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure), [`cudaErrorUnknown`](cudaError::cudaErrorUnknown).

# Safety
`ms` must be valid for writing, and `start` and `end` must be events that were not destroyed.*/
pub type PFN_cudaEventElapsedTime = unsafe extern "C" fn(
    ms: *mut f32,
    start: cudaEvent_t,
    end: cudaEvent_t,
) -> cudaError_t;
/**Exports memory of cudaMalloc: the handle names the whole allocation that a pointer lies in.

[`cudaIpcGetMemHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorMapBufferObjectFailed`](cudaError::cudaErrorMapBufferObjectFailed), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`handle` must be valid for writing. `devPtr` may be any address: the runtime refuses what it cannot export.
Whoever gets the bytes can change the memory at any time, so no reference of Rust may be made to it while it is
shared.*/
pub type PFN_cudaIpcGetMemHandle = unsafe extern "C" fn(
    handle: *mut cudaIpcMemHandle_t,
    devPtr: *mut ::core::ffi::c_void,
) -> cudaError_t;
/**Maps another process's memory at the start of its allocation, initialising the current device where it is not yet.

[`cudaIpcOpenMemHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorMapBufferObjectFailed`](cudaError::cudaErrorMapBufferObjectFailed), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorDeviceUninitialized`](cudaError::cudaErrorDeviceUninitialized), [`cudaErrorTooManyPeers`](cudaError::cudaErrorTooManyPeers), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`devPtr` must be valid for writing. `handle` must be what cudaIpcGetMemHandle gave an exporter that is trusted:
altered bytes may open too, and lead to other memory. Another process may change or free what lies there at any
time, so no reference of Rust may be made to it.*/
pub type PFN_cudaIpcOpenMemHandle = unsafe extern "C" fn(
    devPtr: *mut *mut ::core::ffi::c_void,
    handle: cudaIpcMemHandle_t,
    flags: ::core::ffi::c_uint,
) -> cudaError_t;
/**Gives back one open; the last one unmaps.

[`cudaIpcCloseMemHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorMapBufferObjectFailed`](cudaError::cudaErrorMapBufferObjectFailed), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`devPtr` must come from cudaIpcOpenMemHandle. No work that still runs in this process may use the memory, and
after the last close nothing may.*/
pub type PFN_cudaIpcCloseMemHandle = unsafe extern "C" fn(
    devPtr: *mut ::core::ffi::c_void,
) -> cudaError_t;
/**Exports an event that was created with cudaEventInterprocess.

[`cudaIpcGetEventHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorMapBufferObjectFailed`](cudaError::cudaErrorMapBufferObjectFailed), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`handle` must be valid for writing, and `event` must be an event that was not destroyed.*/
pub type PFN_cudaIpcGetEventHandle = unsafe extern "C" fn(
    handle: *mut cudaIpcEventHandle_t,
    event: cudaEvent_t,
) -> cudaError_t;
/**Opens another process's event.

[`cudaIpcOpenEventHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorMapBufferObjectFailed`](cudaError::cudaErrorMapBufferObjectFailed), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorDeviceUninitialized`](cudaError::cudaErrorDeviceUninitialized).

# Safety
`event` must be valid for writing. The exporter must not destroy the event while it is used here, and `handle`
must be as its exporter made it.*/
pub type PFN_cudaIpcOpenEventHandle = unsafe extern "C" fn(
    event: *mut cudaEvent_t,
    handle: cudaIpcEventHandle_t,
) -> cudaError_t;
/**The pool that every process has for a device.

[`cudaDeviceGetDefaultMemPool`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported).

# Safety
`memPool` must be valid for writing.*/
pub type PFN_cudaDeviceGetDefaultMemPool = unsafe extern "C" fn(
    memPool: *mut cudaMemPool_t,
    device: ::core::ffi::c_int,
) -> cudaError_t;
/**The pool that cudaMallocAsync takes memory from.

[`cudaDeviceGetMemPool`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported).

# Safety
`memPool` must be valid for writing.*/
pub type PFN_cudaDeviceGetMemPool = unsafe extern "C" fn(
    memPool: *mut cudaMemPool_t,
    device: ::core::ffi::c_int,
) -> cudaError_t;
/**Chooses the pool that cudaMallocAsync takes memory from.

[`cudaDeviceSetMemPool`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported).

# Safety
`memPool` must be a pool that was not destroyed.*/
pub type PFN_cudaDeviceSetMemPool = unsafe extern "C" fn(
    device: ::core::ffi::c_int,
    memPool: cudaMemPool_t,
) -> cudaError_t;
/**Allocates from the current pool, in the order of a stream.

[`cudaMallocAsync`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), `cudaErrorOutOfMemory`.

# Safety
`devPtr` must be valid for writing, and `hStream` must be the default stream or a stream that was not destroyed.
The memory may be used by work that comes after the call in that stream, or in another that waits for it.*/
pub type PFN_cudaMallocAsync = unsafe extern "C" fn(
    devPtr: *mut *mut ::core::ffi::c_void,
    size: usize,
    hStream: cudaStream_t,
) -> cudaError_t;
/**Frees stream-ordered memory in the order of a stream; for memory that was imported, this process's import of it.

[`cudaFreeAsync`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported).

# Safety
`devPtr` must come from a stream-ordered allocation or an import, and not be freed yet. `hStream` must be the
default stream or a stream that was not destroyed. No work may use the memory that is not ordered before the
call; an import must be freed, in stream order, before its exporter's allocation is.*/
pub type PFN_cudaFreeAsync = unsafe extern "C" fn(
    devPtr: *mut ::core::ffi::c_void,
    hStream: cudaStream_t,
) -> cudaError_t;
/**Allocates from a given pool, in the order of a stream.

[`cudaMallocFromPoolAsync`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), `cudaErrorOutOfMemory`.

# Safety
`ptr` must be valid for writing, `memPool` must be a pool that was not destroyed, and `stream` must be the
default stream or a stream that was not destroyed. The memory may be used by work that comes after the call in
that stream, or in another that waits for it.*/
pub type PFN_cudaMallocFromPoolAsync = unsafe extern "C" fn(
    ptr: *mut *mut ::core::ffi::c_void,
    size: usize,
    memPool: cudaMemPool_t,
    stream: cudaStream_t,
) -> cudaError_t;
/**Creates a memory pool.

[`cudaMemPoolCreate`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported).

# Safety
`memPool` must be valid for writing, and `poolProps` lead to properties whose reserved bytes are zero.*/
pub type PFN_cudaMemPoolCreate = unsafe extern "C" fn(
    memPool: *mut cudaMemPool_t,
    poolProps: *const cudaMemPoolProps,
) -> cudaError_t;
/**Destroys a pool; its memory lives on until it is freed.

[`cudaMemPoolDestroy`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`memPool` must be a pool that was not destroyed, and not be used afterwards.*/
pub type PFN_cudaMemPoolDestroy = unsafe extern "C" fn(
    memPool: cudaMemPool_t,
) -> cudaError_t;
/**Releases memory that a pool holds beyond a size and does not need.

[`cudaMemPoolTrimTo`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`memPool` must be a pool that was not destroyed.*/
pub type PFN_cudaMemPoolTrimTo = unsafe extern "C" fn(
    memPool: cudaMemPool_t,
    minBytesToKeep: usize,
) -> cudaError_t;
/**Sets an attribute of a pool.

[`cudaMemPoolSetAttribute`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`memPool` must be a pool that was not destroyed, and `value` lead to what the attribute is: an `int` or a 64-bit
integer.*/
pub type PFN_cudaMemPoolSetAttribute = unsafe extern "C" fn(
    memPool: cudaMemPool_t,
    attr: cudaMemPoolAttr,
    value: *mut ::core::ffi::c_void,
) -> cudaError_t;
/**Reads an attribute of a pool.

[`cudaMemPoolGetAttribute`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`memPool` must be a pool that was not destroyed, and `value` be valid for writing what the attribute is: an
`int` or a 64-bit integer.*/
pub type PFN_cudaMemPoolGetAttribute = unsafe extern "C" fn(
    memPool: cudaMemPool_t,
    attr: cudaMemPoolAttr,
    value: *mut ::core::ffi::c_void,
) -> cudaError_t;
/**Says which devices may reach a pool's memory.

[`cudaMemPoolSetAccess`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported).

# Safety
`memPool` must be a pool that was not destroyed, and `descList` lead to `count` descriptions. No work that still
runs may use the memory from a device that loses access.*/
pub type PFN_cudaMemPoolSetAccess = unsafe extern "C" fn(
    memPool: cudaMemPool_t,
    descList: *const cudaMemAccessDesc,
    count: usize,
) -> cudaError_t;
/**Whether a place may reach a pool's memory.

[`cudaMemPoolGetAccess`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: none of its own.

# Safety
`flags` must be valid for writing, `memPool` must be a pool that was not destroyed, and `location` lead to a
place.*/
pub type PFN_cudaMemPoolGetAccess = unsafe extern "C" fn(
    flags: *mut cudaMemAccessFlags,
    memPool: cudaMemPool_t,
    location: *mut cudaMemLocation,
) -> cudaError_t;
/**Exports a pool, as a file descriptor or a fabric handle.

[`cudaMemPoolExportToShareableHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), `cudaErrorOutOfMemory`.

# Safety
`shareableHandle` must be valid for writing what `handleType` says: an `int` for a file descriptor, which is
then the caller's to close, or 64 bytes for a fabric handle; `memPool` must be a pool that was not destroyed.*/
pub type PFN_cudaMemPoolExportToShareableHandle = unsafe extern "C" fn(
    shareableHandle: *mut ::core::ffi::c_void,
    memPool: cudaMemPool_t,
    handleType: cudaMemAllocationHandleType,
    flags: ::core::ffi::c_uint,
) -> cudaError_t;
/**Imports another process's pool.

[`cudaMemPoolImportFromShareableHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), `cudaErrorOutOfMemory`.

# Safety
`memPool` must be valid for writing. For a file descriptor, `shareableHandle` is its number itself, cast to a
pointer, and the descriptor stays the caller's; for a fabric handle it leads to 64 bytes as their exporter made
them. Another process may change or free what lies there at any time, so no reference of Rust may be made to
it.*/
pub type PFN_cudaMemPoolImportFromShareableHandle = unsafe extern "C" fn(
    memPool: *mut cudaMemPool_t,
    shareableHandle: *mut ::core::ffi::c_void,
    handleType: cudaMemAllocationHandleType,
    flags: ::core::ffi::c_uint,
) -> cudaError_t;
/**Exports one allocation of an exported pool, for a process that imported the pool.

[`cudaMemPoolExportPointer`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), `cudaErrorOutOfMemory`.

# Safety
`exportData` must be valid for writing, and `ptr` come from a pool that can be exported.*/
pub type PFN_cudaMemPoolExportPointer = unsafe extern "C" fn(
    exportData: *mut cudaMemPoolPtrExportData,
    ptr: *mut ::core::ffi::c_void,
) -> cudaError_t;
/**Maps an allocation of an imported pool.

[`cudaMemPoolImportPointer`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
Documented codes: `CUDA_ERROR_INVALID_VALUE`, `CUDA_ERROR_NOT_INITIALIZED`, `CUDA_ERROR_OUT_OF_MEMORY`.

# Safety
`ptr` must be valid for writing, `memPool` must be a pool that was not destroyed, and `exportData` lead to data
as its exporter made it. The exporter must not free the memory while it is used here, and it is not to be used
before the work that the exporter ordered its allocation after. Another process may change or free what lies
there at any time, so no reference of Rust may be made to it.*/
pub type PFN_cudaMemPoolImportPointer = unsafe extern "C" fn(
    ptr: *mut *mut ::core::ffi::c_void,
    memPool: cudaMemPool_t,
    exportData: *mut cudaMemPoolPtrExportData,
) -> cudaError_t;
///Every function of the runtime that these bindings know: its name, its version and what it is exported as.
pub const SYMBOLS: [Symbol; 67usize] = [
    Symbol {
        name: c"cudaRuntimeGetVersion",
        exported: c"cudaRuntimeGetVersion",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaDriverGetVersion",
        exported: c"cudaDriverGetVersion",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaGetErrorName",
        exported: c"cudaGetErrorName",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaGetErrorString",
        exported: c"cudaGetErrorString",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaGetLastError",
        exported: c"cudaGetLastError",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaPeekAtLastError",
        exported: c"cudaPeekAtLastError",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaGetDeviceCount",
        exported: c"cudaGetDeviceCount",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaSetDevice",
        exported: c"cudaSetDevice",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaGetDevice",
        exported: c"cudaGetDevice",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaDeviceGetAttribute",
        exported: c"cudaDeviceGetAttribute",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaDeviceGetByPCIBusId",
        exported: c"cudaDeviceGetByPCIBusId",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaDeviceGetPCIBusId",
        exported: c"cudaDeviceGetPCIBusId",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaDeviceSynchronize",
        exported: c"cudaDeviceSynchronize",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaDeviceReset",
        exported: c"cudaDeviceReset",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaDeviceCanAccessPeer",
        exported: c"cudaDeviceCanAccessPeer",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaDeviceEnablePeerAccess",
        exported: c"cudaDeviceEnablePeerAccess",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaDeviceDisablePeerAccess",
        exported: c"cudaDeviceDisablePeerAccess",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaDeviceGetP2PAttribute",
        exported: c"cudaDeviceGetP2PAttribute",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMalloc",
        exported: c"cudaMalloc",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaFree",
        exported: c"cudaFree",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMallocManaged",
        exported: c"cudaMallocManaged",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMallocHost",
        exported: c"cudaMallocHost",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaHostAlloc",
        exported: c"cudaHostAlloc",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaHostRegister",
        exported: c"cudaHostRegister",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaHostUnregister",
        exported: c"cudaHostUnregister",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaFreeHost",
        exported: c"cudaFreeHost",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemGetInfo",
        exported: c"cudaMemGetInfo",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemcpy",
        exported: c"cudaMemcpy",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemcpyAsync",
        exported: c"cudaMemcpyAsync",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemcpyPeer",
        exported: c"cudaMemcpyPeer",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemcpyPeerAsync",
        exported: c"cudaMemcpyPeerAsync",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemset",
        exported: c"cudaMemset",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemsetAsync",
        exported: c"cudaMemsetAsync",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaPointerGetAttributes",
        exported: c"cudaPointerGetAttributes",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaStreamCreateWithFlags",
        exported: c"cudaStreamCreateWithFlags",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaStreamDestroy",
        exported: c"cudaStreamDestroy",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaStreamSynchronize",
        exported: c"cudaStreamSynchronize",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaStreamQuery",
        exported: c"cudaStreamQuery",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaStreamWaitEvent",
        exported: c"cudaStreamWaitEvent",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaEventCreateWithFlags",
        exported: c"cudaEventCreateWithFlags",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaEventDestroy",
        exported: c"cudaEventDestroy",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaEventRecord",
        exported: c"cudaEventRecord",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaEventQuery",
        exported: c"cudaEventQuery",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaEventSynchronize",
        exported: c"cudaEventSynchronize",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaEventElapsedTime",
        exported: c"cudaEventElapsedTime",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaIpcGetMemHandle",
        exported: c"cudaIpcGetMemHandle",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaIpcOpenMemHandle",
        exported: c"cudaIpcOpenMemHandle",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaIpcCloseMemHandle",
        exported: c"cudaIpcCloseMemHandle",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaIpcGetEventHandle",
        exported: c"cudaIpcGetEventHandle",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaIpcOpenEventHandle",
        exported: c"cudaIpcOpenEventHandle",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaDeviceGetDefaultMemPool",
        exported: c"cudaDeviceGetDefaultMemPool",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaDeviceGetMemPool",
        exported: c"cudaDeviceGetMemPool",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaDeviceSetMemPool",
        exported: c"cudaDeviceSetMemPool",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMallocAsync",
        exported: c"cudaMallocAsync",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaFreeAsync",
        exported: c"cudaFreeAsync",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMallocFromPoolAsync",
        exported: c"cudaMallocFromPoolAsync",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemPoolCreate",
        exported: c"cudaMemPoolCreate",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemPoolDestroy",
        exported: c"cudaMemPoolDestroy",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemPoolTrimTo",
        exported: c"cudaMemPoolTrimTo",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemPoolSetAttribute",
        exported: c"cudaMemPoolSetAttribute",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemPoolGetAttribute",
        exported: c"cudaMemPoolGetAttribute",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemPoolSetAccess",
        exported: c"cudaMemPoolSetAccess",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemPoolGetAccess",
        exported: c"cudaMemPoolGetAccess",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemPoolExportToShareableHandle",
        exported: c"cudaMemPoolExportToShareableHandle",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemPoolImportFromShareableHandle",
        exported: c"cudaMemPoolImportFromShareableHandle",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemPoolExportPointer",
        exported: c"cudaMemPoolExportPointer",
        since: CudaVersion(11080u32),
    },
    Symbol {
        name: c"cudaMemPoolImportPointer",
        exported: c"cudaMemPoolImportPointer",
        since: CudaVersion(11080u32),
    },
];
///The functions of one runtime; `None` where it does not have one.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_snake_case)]
pub struct Functions {
    ///See [`Runtime::cudaRuntimeGetVersion`].
    pub cudaRuntimeGetVersion: Option<PFN_cudaRuntimeGetVersion>,
    ///See [`Runtime::cudaDriverGetVersion`].
    pub cudaDriverGetVersion: Option<PFN_cudaDriverGetVersion>,
    ///See [`Runtime::cudaGetErrorName`].
    pub cudaGetErrorName: Option<PFN_cudaGetErrorName>,
    ///See [`Runtime::cudaGetErrorString`].
    pub cudaGetErrorString: Option<PFN_cudaGetErrorString>,
    ///See [`Runtime::cudaGetLastError`].
    pub cudaGetLastError: Option<PFN_cudaGetLastError>,
    ///See [`Runtime::cudaPeekAtLastError`].
    pub cudaPeekAtLastError: Option<PFN_cudaPeekAtLastError>,
    ///See [`Runtime::cudaGetDeviceCount`].
    pub cudaGetDeviceCount: Option<PFN_cudaGetDeviceCount>,
    ///See [`Runtime::cudaSetDevice`].
    pub cudaSetDevice: Option<PFN_cudaSetDevice>,
    ///See [`Runtime::cudaGetDevice`].
    pub cudaGetDevice: Option<PFN_cudaGetDevice>,
    ///See [`Runtime::cudaDeviceGetAttribute`].
    pub cudaDeviceGetAttribute: Option<PFN_cudaDeviceGetAttribute>,
    ///See [`Runtime::cudaDeviceGetByPCIBusId`].
    pub cudaDeviceGetByPCIBusId: Option<PFN_cudaDeviceGetByPCIBusId>,
    ///See [`Runtime::cudaDeviceGetPCIBusId`].
    pub cudaDeviceGetPCIBusId: Option<PFN_cudaDeviceGetPCIBusId>,
    ///See [`Runtime::cudaDeviceSynchronize`].
    pub cudaDeviceSynchronize: Option<PFN_cudaDeviceSynchronize>,
    ///See [`Runtime::cudaDeviceReset`].
    pub cudaDeviceReset: Option<PFN_cudaDeviceReset>,
    ///See [`Runtime::cudaDeviceCanAccessPeer`].
    pub cudaDeviceCanAccessPeer: Option<PFN_cudaDeviceCanAccessPeer>,
    ///See [`Runtime::cudaDeviceEnablePeerAccess`].
    pub cudaDeviceEnablePeerAccess: Option<PFN_cudaDeviceEnablePeerAccess>,
    ///See [`Runtime::cudaDeviceDisablePeerAccess`].
    pub cudaDeviceDisablePeerAccess: Option<PFN_cudaDeviceDisablePeerAccess>,
    ///See [`Runtime::cudaDeviceGetP2PAttribute`].
    pub cudaDeviceGetP2PAttribute: Option<PFN_cudaDeviceGetP2PAttribute>,
    ///See [`Runtime::cudaMalloc`].
    pub cudaMalloc: Option<PFN_cudaMalloc>,
    ///See [`Runtime::cudaFree`].
    pub cudaFree: Option<PFN_cudaFree>,
    ///See [`Runtime::cudaMallocManaged`].
    pub cudaMallocManaged: Option<PFN_cudaMallocManaged>,
    ///See [`Runtime::cudaMallocHost`].
    pub cudaMallocHost: Option<PFN_cudaMallocHost>,
    ///See [`Runtime::cudaHostAlloc`].
    pub cudaHostAlloc: Option<PFN_cudaHostAlloc>,
    ///See [`Runtime::cudaHostRegister`].
    pub cudaHostRegister: Option<PFN_cudaHostRegister>,
    ///See [`Runtime::cudaHostUnregister`].
    pub cudaHostUnregister: Option<PFN_cudaHostUnregister>,
    ///See [`Runtime::cudaFreeHost`].
    pub cudaFreeHost: Option<PFN_cudaFreeHost>,
    ///See [`Runtime::cudaMemGetInfo`].
    pub cudaMemGetInfo: Option<PFN_cudaMemGetInfo>,
    ///See [`Runtime::cudaMemcpy`].
    pub cudaMemcpy: Option<PFN_cudaMemcpy>,
    ///See [`Runtime::cudaMemcpyAsync`].
    pub cudaMemcpyAsync: Option<PFN_cudaMemcpyAsync>,
    ///See [`Runtime::cudaMemcpyPeer`].
    pub cudaMemcpyPeer: Option<PFN_cudaMemcpyPeer>,
    ///See [`Runtime::cudaMemcpyPeerAsync`].
    pub cudaMemcpyPeerAsync: Option<PFN_cudaMemcpyPeerAsync>,
    ///See [`Runtime::cudaMemset`].
    pub cudaMemset: Option<PFN_cudaMemset>,
    ///See [`Runtime::cudaMemsetAsync`].
    pub cudaMemsetAsync: Option<PFN_cudaMemsetAsync>,
    ///See [`Runtime::cudaPointerGetAttributes`].
    pub cudaPointerGetAttributes: Option<PFN_cudaPointerGetAttributes>,
    ///See [`Runtime::cudaStreamCreateWithFlags`].
    pub cudaStreamCreateWithFlags: Option<PFN_cudaStreamCreateWithFlags>,
    ///See [`Runtime::cudaStreamDestroy`].
    pub cudaStreamDestroy: Option<PFN_cudaStreamDestroy>,
    ///See [`Runtime::cudaStreamSynchronize`].
    pub cudaStreamSynchronize: Option<PFN_cudaStreamSynchronize>,
    ///See [`Runtime::cudaStreamQuery`].
    pub cudaStreamQuery: Option<PFN_cudaStreamQuery>,
    ///See [`Runtime::cudaStreamWaitEvent`].
    pub cudaStreamWaitEvent: Option<PFN_cudaStreamWaitEvent>,
    ///See [`Runtime::cudaEventCreateWithFlags`].
    pub cudaEventCreateWithFlags: Option<PFN_cudaEventCreateWithFlags>,
    ///See [`Runtime::cudaEventDestroy`].
    pub cudaEventDestroy: Option<PFN_cudaEventDestroy>,
    ///See [`Runtime::cudaEventRecord`].
    pub cudaEventRecord: Option<PFN_cudaEventRecord>,
    ///See [`Runtime::cudaEventQuery`].
    pub cudaEventQuery: Option<PFN_cudaEventQuery>,
    ///See [`Runtime::cudaEventSynchronize`].
    pub cudaEventSynchronize: Option<PFN_cudaEventSynchronize>,
    ///See [`Runtime::cudaEventElapsedTime`].
    pub cudaEventElapsedTime: Option<PFN_cudaEventElapsedTime>,
    ///See [`Runtime::cudaIpcGetMemHandle`].
    pub cudaIpcGetMemHandle: Option<PFN_cudaIpcGetMemHandle>,
    ///See [`Runtime::cudaIpcOpenMemHandle`].
    pub cudaIpcOpenMemHandle: Option<PFN_cudaIpcOpenMemHandle>,
    ///See [`Runtime::cudaIpcCloseMemHandle`].
    pub cudaIpcCloseMemHandle: Option<PFN_cudaIpcCloseMemHandle>,
    ///See [`Runtime::cudaIpcGetEventHandle`].
    pub cudaIpcGetEventHandle: Option<PFN_cudaIpcGetEventHandle>,
    ///See [`Runtime::cudaIpcOpenEventHandle`].
    pub cudaIpcOpenEventHandle: Option<PFN_cudaIpcOpenEventHandle>,
    ///See [`Runtime::cudaDeviceGetDefaultMemPool`].
    pub cudaDeviceGetDefaultMemPool: Option<PFN_cudaDeviceGetDefaultMemPool>,
    ///See [`Runtime::cudaDeviceGetMemPool`].
    pub cudaDeviceGetMemPool: Option<PFN_cudaDeviceGetMemPool>,
    ///See [`Runtime::cudaDeviceSetMemPool`].
    pub cudaDeviceSetMemPool: Option<PFN_cudaDeviceSetMemPool>,
    ///See [`Runtime::cudaMallocAsync`].
    pub cudaMallocAsync: Option<PFN_cudaMallocAsync>,
    ///See [`Runtime::cudaFreeAsync`].
    pub cudaFreeAsync: Option<PFN_cudaFreeAsync>,
    ///See [`Runtime::cudaMallocFromPoolAsync`].
    pub cudaMallocFromPoolAsync: Option<PFN_cudaMallocFromPoolAsync>,
    ///See [`Runtime::cudaMemPoolCreate`].
    pub cudaMemPoolCreate: Option<PFN_cudaMemPoolCreate>,
    ///See [`Runtime::cudaMemPoolDestroy`].
    pub cudaMemPoolDestroy: Option<PFN_cudaMemPoolDestroy>,
    ///See [`Runtime::cudaMemPoolTrimTo`].
    pub cudaMemPoolTrimTo: Option<PFN_cudaMemPoolTrimTo>,
    ///See [`Runtime::cudaMemPoolSetAttribute`].
    pub cudaMemPoolSetAttribute: Option<PFN_cudaMemPoolSetAttribute>,
    ///See [`Runtime::cudaMemPoolGetAttribute`].
    pub cudaMemPoolGetAttribute: Option<PFN_cudaMemPoolGetAttribute>,
    ///See [`Runtime::cudaMemPoolSetAccess`].
    pub cudaMemPoolSetAccess: Option<PFN_cudaMemPoolSetAccess>,
    ///See [`Runtime::cudaMemPoolGetAccess`].
    pub cudaMemPoolGetAccess: Option<PFN_cudaMemPoolGetAccess>,
    ///See [`Runtime::cudaMemPoolExportToShareableHandle`].
    pub cudaMemPoolExportToShareableHandle: Option<
        PFN_cudaMemPoolExportToShareableHandle,
    >,
    ///See [`Runtime::cudaMemPoolImportFromShareableHandle`].
    pub cudaMemPoolImportFromShareableHandle: Option<
        PFN_cudaMemPoolImportFromShareableHandle,
    >,
    ///See [`Runtime::cudaMemPoolExportPointer`].
    pub cudaMemPoolExportPointer: Option<PFN_cudaMemPoolExportPointer>,
    ///See [`Runtime::cudaMemPoolImportPointer`].
    pub cudaMemPoolImportPointer: Option<PFN_cudaMemPoolImportPointer>,
}
impl Functions {
    /// A table from the address of each function, in the order of [`SYMBOLS`].
    ///
    /// # Safety
    /// Each address must be null or a function with the signature of that symbol's version.
    #[must_use]
    pub const unsafe fn from_addresses(addresses: &[*const c_void; 67usize]) -> &Self {
        unsafe { &*core::ptr::from_ref(addresses).cast() }
    }
}
#[allow(non_snake_case, clippy::too_many_arguments)]
impl Runtime {
    /**The CUDA version of the runtime, as 1000 × major + 10 × minor.

[`cudaRuntimeGetVersion`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART____VERSION.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`runtimeVersion` must be valid for writing.*/
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
    /**The newest CUDA version that the installed driver serves; 0 where there is no driver.

[`cudaDriverGetVersion`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART____VERSION.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`driverVersion` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaDriverGetVersion(
        &self,
        driverVersion: *mut ::core::ffi::c_int,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaDriverGetVersion {
            Some(function) => Ok(unsafe { function(driverVersion) }),
            None => Err(self.missing(&SYMBOLS[1usize])),
        }
    }
    /**The enumerator's name of a result code, as a string that the runtime keeps.

[`cudaGetErrorName`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: none of its own.

# Safety
Nothing beyond the arguments' types: the runtime checks their values.*/
    #[inline]
    pub unsafe fn cudaGetErrorName(
        &self,
        error: cudaError_t,
    ) -> Result<*const ::core::ffi::c_char, MissingSymbol> {
        match self.functions().cudaGetErrorName {
            Some(function) => Ok(unsafe { function(error) }),
            None => Err(self.missing(&SYMBOLS[2usize])),
        }
    }
    /**A sentence about a result code, as a string that the runtime keeps.

[`cudaGetErrorString`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: none of its own.

# Safety
Nothing beyond the arguments' types: the runtime checks their values.*/
    #[inline]
    pub unsafe fn cudaGetErrorString(
        &self,
        error: cudaError_t,
    ) -> Result<*const ::core::ffi::c_char, MissingSymbol> {
        match self.functions().cudaGetErrorString {
            Some(function) => Ok(unsafe { function(error) }),
            None => Err(self.missing(&SYMBOLS[3usize])),
        }
    }
    /**The last error of this thread, which it then forgets.

[`cudaGetLastError`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorMissingConfiguration`](cudaError::cudaErrorMissingConfiguration), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorInitializationError`](cudaError::cudaErrorInitializationError), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure), [`cudaErrorLaunchTimeout`](cudaError::cudaErrorLaunchTimeout), [`cudaErrorLaunchOutOfResources`](cudaError::cudaErrorLaunchOutOfResources), [`cudaErrorInvalidDeviceFunction`](cudaError::cudaErrorInvalidDeviceFunction), [`cudaErrorInvalidConfiguration`](cudaError::cudaErrorInvalidConfiguration), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidPitchValue`](cudaError::cudaErrorInvalidPitchValue), [`cudaErrorInvalidSymbol`](cudaError::cudaErrorInvalidSymbol), [`cudaErrorUnmapBufferObjectFailed`](cudaError::cudaErrorUnmapBufferObjectFailed), [`cudaErrorInvalidDevicePointer`](cudaError::cudaErrorInvalidDevicePointer), [`cudaErrorInvalidTexture`](cudaError::cudaErrorInvalidTexture), [`cudaErrorInvalidTextureBinding`](cudaError::cudaErrorInvalidTextureBinding), [`cudaErrorInvalidChannelDescriptor`](cudaError::cudaErrorInvalidChannelDescriptor), [`cudaErrorInvalidMemcpyDirection`](cudaError::cudaErrorInvalidMemcpyDirection), [`cudaErrorInvalidFilterSetting`](cudaError::cudaErrorInvalidFilterSetting), [`cudaErrorInvalidNormSetting`](cudaError::cudaErrorInvalidNormSetting), [`cudaErrorUnknown`](cudaError::cudaErrorUnknown), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorInsufficientDriver`](cudaError::cudaErrorInsufficientDriver), [`cudaErrorNoDevice`](cudaError::cudaErrorNoDevice), [`cudaErrorSetOnActiveProcess`](cudaError::cudaErrorSetOnActiveProcess), [`cudaErrorStartupFailure`](cudaError::cudaErrorStartupFailure), [`cudaErrorInvalidPtx`](cudaError::cudaErrorInvalidPtx), [`cudaErrorUnsupportedPtxVersion`](cudaError::cudaErrorUnsupportedPtxVersion), [`cudaErrorNoKernelImageForDevice`](cudaError::cudaErrorNoKernelImageForDevice), [`cudaErrorJitCompilerNotFound`](cudaError::cudaErrorJitCompilerNotFound), [`cudaErrorJitCompilationDisabled`](cudaError::cudaErrorJitCompilationDisabled).

# Safety
Nothing beyond the arguments' types: the runtime checks their values.*/
    #[inline]
    pub unsafe fn cudaGetLastError(&self) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaGetLastError {
            Some(function) => Ok(unsafe { function() }),
            None => Err(self.missing(&SYMBOLS[4usize])),
        }
    }
    /**The last error of this thread, which it keeps.

[`cudaPeekAtLastError`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorMissingConfiguration`](cudaError::cudaErrorMissingConfiguration), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorInitializationError`](cudaError::cudaErrorInitializationError), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure), [`cudaErrorLaunchTimeout`](cudaError::cudaErrorLaunchTimeout), [`cudaErrorLaunchOutOfResources`](cudaError::cudaErrorLaunchOutOfResources), [`cudaErrorInvalidDeviceFunction`](cudaError::cudaErrorInvalidDeviceFunction), [`cudaErrorInvalidConfiguration`](cudaError::cudaErrorInvalidConfiguration), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidPitchValue`](cudaError::cudaErrorInvalidPitchValue), [`cudaErrorInvalidSymbol`](cudaError::cudaErrorInvalidSymbol), [`cudaErrorUnmapBufferObjectFailed`](cudaError::cudaErrorUnmapBufferObjectFailed), [`cudaErrorInvalidDevicePointer`](cudaError::cudaErrorInvalidDevicePointer), [`cudaErrorInvalidTexture`](cudaError::cudaErrorInvalidTexture), [`cudaErrorInvalidTextureBinding`](cudaError::cudaErrorInvalidTextureBinding), [`cudaErrorInvalidChannelDescriptor`](cudaError::cudaErrorInvalidChannelDescriptor), [`cudaErrorInvalidMemcpyDirection`](cudaError::cudaErrorInvalidMemcpyDirection), [`cudaErrorInvalidFilterSetting`](cudaError::cudaErrorInvalidFilterSetting), [`cudaErrorInvalidNormSetting`](cudaError::cudaErrorInvalidNormSetting), [`cudaErrorUnknown`](cudaError::cudaErrorUnknown), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorInsufficientDriver`](cudaError::cudaErrorInsufficientDriver), [`cudaErrorNoDevice`](cudaError::cudaErrorNoDevice), [`cudaErrorSetOnActiveProcess`](cudaError::cudaErrorSetOnActiveProcess), [`cudaErrorStartupFailure`](cudaError::cudaErrorStartupFailure), [`cudaErrorInvalidPtx`](cudaError::cudaErrorInvalidPtx), [`cudaErrorUnsupportedPtxVersion`](cudaError::cudaErrorUnsupportedPtxVersion), [`cudaErrorNoKernelImageForDevice`](cudaError::cudaErrorNoKernelImageForDevice), [`cudaErrorJitCompilerNotFound`](cudaError::cudaErrorJitCompilerNotFound), [`cudaErrorJitCompilationDisabled`](cudaError::cudaErrorJitCompilationDisabled).

# Safety
Nothing beyond the arguments' types: the runtime checks their values.*/
    #[inline]
    pub unsafe fn cudaPeekAtLastError(&self) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaPeekAtLastError {
            Some(function) => Ok(unsafe { function() }),
            None => Err(self.missing(&SYMBOLS[5usize])),
        }
    }
    /**How many devices this process sees.

[`cudaGetDeviceCount`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: none of its own.

# Safety
`count` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaGetDeviceCount(
        &self,
        count: *mut ::core::ffi::c_int,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaGetDeviceCount {
            Some(function) => Ok(unsafe { function(count) }),
            None => Err(self.missing(&SYMBOLS[6usize])),
        }
    }
    /**Makes a device this thread's current one, and its primary context current.

[`cudaSetDevice`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), `cudaErrorDeviceUnavailable`.

# Safety
Nothing beyond the arguments' types: the runtime checks their values.*/
    #[inline]
    pub unsafe fn cudaSetDevice(
        &self,
        device: ::core::ffi::c_int,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaSetDevice {
            Some(function) => Ok(unsafe { function(device) }),
            None => Err(self.missing(&SYMBOLS[7usize])),
        }
    }
    /**This thread's current device.

[`cudaGetDevice`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), `cudaErrorDeviceUnavailable`.

# Safety
`device` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaGetDevice(
        &self,
        device: *mut ::core::ffi::c_int,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaGetDevice {
            Some(function) => Ok(unsafe { function(device) }),
            None => Err(self.missing(&SYMBOLS[8usize])),
        }
    }
    /**One attribute of a device.

[`cudaDeviceGetAttribute`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`value` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaDeviceGetAttribute(
        &self,
        value: *mut ::core::ffi::c_int,
        attr: cudaDeviceAttr,
        device: ::core::ffi::c_int,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaDeviceGetAttribute {
            Some(function) => Ok(unsafe { function(value, attr, device) }),
            None => Err(self.missing(&SYMBOLS[9usize])),
        }
    }
    /**The device at a PCI address.

[`cudaDeviceGetByPCIBusId`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice).

# Safety
`device` must be valid for writing, and `pciBusId` a C string.*/
    #[inline]
    pub unsafe fn cudaDeviceGetByPCIBusId(
        &self,
        device: *mut ::core::ffi::c_int,
        pciBusId: *const ::core::ffi::c_char,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaDeviceGetByPCIBusId {
            Some(function) => Ok(unsafe { function(device, pciBusId) }),
            None => Err(self.missing(&SYMBOLS[10usize])),
        }
    }
    /**A device's PCI address.

[`cudaDeviceGetPCIBusId`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice).

# Safety
`pciBusId` must be valid for writing `len` bytes.*/
    #[inline]
    pub unsafe fn cudaDeviceGetPCIBusId(
        &self,
        pciBusId: *mut ::core::ffi::c_char,
        len: ::core::ffi::c_int,
        device: ::core::ffi::c_int,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaDeviceGetPCIBusId {
            Some(function) => Ok(unsafe { function(pciBusId, len, device) }),
            None => Err(self.missing(&SYMBOLS[11usize])),
        }
    }
    /**Waits for all work of the current device.

[`cudaDeviceSynchronize`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorStreamCaptureUnsupported`](cudaError::cudaErrorStreamCaptureUnsupported).

# Safety
Nothing beyond the arguments' types: the runtime checks their values.*/
    #[inline]
    pub unsafe fn cudaDeviceSynchronize(&self) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaDeviceSynchronize {
            Some(function) => Ok(unsafe { function() }),
            None => Err(self.missing(&SYMBOLS[12usize])),
        }
    }
    /**Destroys everything that this process has on the current device.

[`cudaDeviceReset`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: none of its own.

# Safety
No other thread may use the device, and nothing that was made on it may be used afterwards: memory, streams,
events, pools, modules and what was opened from other processes.*/
    #[inline]
    pub unsafe fn cudaDeviceReset(&self) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaDeviceReset {
            Some(function) => Ok(unsafe { function() }),
            None => Err(self.missing(&SYMBOLS[13usize])),
        }
    }
    /**Whether one device can reach the memory of another.

[`cudaDeviceCanAccessPeer`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__PEER.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice).

# Safety
`canAccessPeer` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaDeviceCanAccessPeer(
        &self,
        canAccessPeer: *mut ::core::ffi::c_int,
        device: ::core::ffi::c_int,
        peerDevice: ::core::ffi::c_int,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaDeviceCanAccessPeer {
            Some(function) => Ok(unsafe { function(canAccessPeer, device, peerDevice) }),
            None => Err(self.missing(&SYMBOLS[14usize])),
        }
    }
    /**Lets the current device reach the allocations of another one.

[`cudaDeviceEnablePeerAccess`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__PEER.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorPeerAccessAlreadyEnabled`](cudaError::cudaErrorPeerAccessAlreadyEnabled), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
Nothing beyond the arguments' types: the runtime checks their values.*/
    #[inline]
    pub unsafe fn cudaDeviceEnablePeerAccess(
        &self,
        peerDevice: ::core::ffi::c_int,
        flags: ::core::ffi::c_uint,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaDeviceEnablePeerAccess {
            Some(function) => Ok(unsafe { function(peerDevice, flags) }),
            None => Err(self.missing(&SYMBOLS[15usize])),
        }
    }
    /**Ends what cudaDeviceEnablePeerAccess began.

[`cudaDeviceDisablePeerAccess`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__PEER.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorPeerAccessNotEnabled`](cudaError::cudaErrorPeerAccessNotEnabled), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice).

# Safety
No work that still runs may reach memory of `peerDevice` from the current device.*/
    #[inline]
    pub unsafe fn cudaDeviceDisablePeerAccess(
        &self,
        peerDevice: ::core::ffi::c_int,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaDeviceDisablePeerAccess {
            Some(function) => Ok(unsafe { function(peerDevice) }),
            None => Err(self.missing(&SYMBOLS[16usize])),
        }
    }
    /**One attribute of the link between two devices.

[`cudaDeviceGetP2PAttribute`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`value` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaDeviceGetP2PAttribute(
        &self,
        value: *mut ::core::ffi::c_int,
        attr: cudaDeviceP2PAttr,
        srcDevice: ::core::ffi::c_int,
        dstDevice: ::core::ffi::c_int,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaDeviceGetP2PAttribute {
            Some(function) => Ok(unsafe { function(value, attr, srcDevice, dstDevice) }),
            None => Err(self.missing(&SYMBOLS[17usize])),
        }
    }
    /**Allocates memory on the current device.

[`cudaMalloc`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorExternalDevice`](cudaError::cudaErrorExternalDevice).

# Safety
`devPtr` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaMalloc(
        &self,
        devPtr: *mut *mut ::core::ffi::c_void,
        size: usize,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMalloc {
            Some(function) => Ok(unsafe { function(devPtr, size) }),
            None => Err(self.missing(&SYMBOLS[18usize])),
        }
    }
    /**Frees what cudaMalloc, cudaMallocManaged or a pool allocated; memory that was opened from another process is closed by cudaIpcCloseMemHandle instead.

[`cudaFree`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`devPtr` must be null or come from such a call, and not be freed yet. No work that still runs may use the
memory, and nothing may use it afterwards; every process that opened or imported it must have given it back
before.*/
    #[inline]
    pub unsafe fn cudaFree(
        &self,
        devPtr: *mut ::core::ffi::c_void,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaFree {
            Some(function) => Ok(unsafe { function(devPtr) }),
            None => Err(self.missing(&SYMBOLS[19usize])),
        }
    }
    /**Allocates memory that the host and every device reach at one address.

[`cudaMallocManaged`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`devPtr` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaMallocManaged(
        &self,
        devPtr: *mut *mut ::core::ffi::c_void,
        size: usize,
        flags: ::core::ffi::c_uint,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMallocManaged {
            Some(function) => Ok(unsafe { function(devPtr, size, flags) }),
            None => Err(self.missing(&SYMBOLS[20usize])),
        }
    }
    /**Allocates page-locked host memory.

[`cudaMallocHost`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorExternalDevice`](cudaError::cudaErrorExternalDevice).

# Safety
`ptr` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaMallocHost(
        &self,
        ptr: *mut *mut ::core::ffi::c_void,
        size: usize,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMallocHost {
            Some(function) => Ok(unsafe { function(ptr, size) }),
            None => Err(self.missing(&SYMBOLS[21usize])),
        }
    }
    /**Allocates page-locked host memory with flags.

[`cudaHostAlloc`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorExternalDevice`](cudaError::cudaErrorExternalDevice).

# Safety
`pHost` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaHostAlloc(
        &self,
        pHost: *mut *mut ::core::ffi::c_void,
        size: usize,
        flags: ::core::ffi::c_uint,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaHostAlloc {
            Some(function) => Ok(unsafe { function(pHost, size, flags) }),
            None => Err(self.missing(&SYMBOLS[22usize])),
        }
    }
    /**Page-locks host memory that something else allocated.

[`cudaHostRegister`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorHostMemoryAlreadyRegistered`](cudaError::cudaErrorHostMemoryAlreadyRegistered), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorExternalDevice`](cudaError::cudaErrorExternalDevice).

# Safety
`ptr` must lead to `size` bytes that stay mapped until cudaHostUnregister.*/
    #[inline]
    pub unsafe fn cudaHostRegister(
        &self,
        ptr: *mut ::core::ffi::c_void,
        size: usize,
        flags: ::core::ffi::c_uint,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaHostRegister {
            Some(function) => Ok(unsafe { function(ptr, size, flags) }),
            None => Err(self.missing(&SYMBOLS[23usize])),
        }
    }
    /**Ends what cudaHostRegister began.

[`cudaHostUnregister`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorHostMemoryNotRegistered`](cudaError::cudaErrorHostMemoryNotRegistered).

# Safety
`ptr` must come from cudaHostRegister. No work that still runs may use the memory.*/
    #[inline]
    pub unsafe fn cudaHostUnregister(
        &self,
        ptr: *mut ::core::ffi::c_void,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaHostUnregister {
            Some(function) => Ok(unsafe { function(ptr) }),
            None => Err(self.missing(&SYMBOLS[24usize])),
        }
    }
    /**Frees page-locked host memory.

[`cudaFreeHost`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`ptr` must be null or come from cudaMallocHost or cudaHostAlloc. No work that still runs may use the memory, and
nothing may use it afterwards.*/
    #[inline]
    pub unsafe fn cudaFreeHost(
        &self,
        ptr: *mut ::core::ffi::c_void,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaFreeHost {
            Some(function) => Ok(unsafe { function(ptr) }),
            None => Err(self.missing(&SYMBOLS[25usize])),
        }
    }
    /**The free and the whole memory of the current device, in bytes.

[`cudaMemGetInfo`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure).

# Safety
`free` and `total` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaMemGetInfo(
        &self,
        free: *mut usize,
        total: *mut usize,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemGetInfo {
            Some(function) => Ok(unsafe { function(free, total) }),
            None => Err(self.missing(&SYMBOLS[26usize])),
        }
    }
    /**Copies bytes between host and device memory.

[`cudaMemcpy`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DRIVER.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: none of its own.

# Safety
`src` must lead to `count` bytes that can be read and `dst` to as many that can be written, on the sides that
`kind` says; where one of them is host memory, nothing else may write it meanwhile.*/
    #[inline]
    pub unsafe fn cudaMemcpy(
        &self,
        dst: *mut ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        count: usize,
        kind: cudaMemcpyKind,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemcpy {
            Some(function) => Ok(unsafe { function(dst, src, count, kind) }),
            None => Err(self.missing(&SYMBOLS[27usize])),
        }
    }
    /**Copies bytes in a stream.

[`cudaMemcpyAsync`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidMemcpyDirection`](cudaError::cudaErrorInvalidMemcpyDirection).

# Safety
As for cudaMemcpy, from the call until the stream has passed the copy; `stream` must be the default stream or a
stream that was not destroyed.*/
    #[inline]
    pub unsafe fn cudaMemcpyAsync(
        &self,
        dst: *mut ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        count: usize,
        kind: cudaMemcpyKind,
        stream: cudaStream_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemcpyAsync {
            Some(function) => Ok(unsafe { function(dst, src, count, kind, stream) }),
            None => Err(self.missing(&SYMBOLS[28usize])),
        }
    }
    /**Copies bytes between two devices.

[`cudaMemcpyPeer`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice).

# Safety
`src` must lead to `count` bytes on `srcDevice`, and `dst` to as many on `dstDevice`.*/
    #[inline]
    pub unsafe fn cudaMemcpyPeer(
        &self,
        dst: *mut ::core::ffi::c_void,
        dstDevice: ::core::ffi::c_int,
        src: *const ::core::ffi::c_void,
        srcDevice: ::core::ffi::c_int,
        count: usize,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemcpyPeer {
            Some(function) => {
                Ok(unsafe { function(dst, dstDevice, src, srcDevice, count) })
            }
            None => Err(self.missing(&SYMBOLS[29usize])),
        }
    }
    /**Copies bytes between two devices in a stream.

[`cudaMemcpyPeerAsync`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice).

# Safety
As for cudaMemcpyPeer, from the call until the stream has passed the copy; `stream` must be the default stream
or a stream that was not destroyed.*/
    #[inline]
    pub unsafe fn cudaMemcpyPeerAsync(
        &self,
        dst: *mut ::core::ffi::c_void,
        dstDevice: ::core::ffi::c_int,
        src: *const ::core::ffi::c_void,
        srcDevice: ::core::ffi::c_int,
        count: usize,
        stream: cudaStream_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemcpyPeerAsync {
            Some(function) => {
                Ok(unsafe { function(dst, dstDevice, src, srcDevice, count, stream) })
            }
            None => Err(self.missing(&SYMBOLS[30usize])),
        }
    }
    /**Sets bytes of device memory to a value.

[`cudaMemset`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`devPtr` must lead to `count` bytes that can be written.*/
    #[inline]
    pub unsafe fn cudaMemset(
        &self,
        devPtr: *mut ::core::ffi::c_void,
        value: ::core::ffi::c_int,
        count: usize,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemset {
            Some(function) => Ok(unsafe { function(devPtr, value, count) }),
            None => Err(self.missing(&SYMBOLS[31usize])),
        }
    }
    /**Sets bytes of device memory to a value in a stream.

[`cudaMemsetAsync`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
As for cudaMemset, from the call until the stream has passed it; `stream` must be the default stream or a stream
that was not destroyed.*/
    #[inline]
    pub unsafe fn cudaMemsetAsync(
        &self,
        devPtr: *mut ::core::ffi::c_void,
        value: ::core::ffi::c_int,
        count: usize,
        stream: cudaStream_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemsetAsync {
            Some(function) => Ok(unsafe { function(devPtr, value, count, stream) }),
            None => Err(self.missing(&SYMBOLS[32usize])),
        }
    }
    /**What kind of memory a pointer leads to, and whose.

[`cudaPointerGetAttributes`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__UNIFIED.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`attributes` must be valid for writing. `ptr` may be any address: it is looked up, and not read.*/
    #[inline]
    pub unsafe fn cudaPointerGetAttributes(
        &self,
        attributes: *mut cudaPointerAttributes,
        ptr: *const ::core::ffi::c_void,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaPointerGetAttributes {
            Some(function) => Ok(unsafe { function(attributes, ptr) }),
            None => Err(self.missing(&SYMBOLS[33usize])),
        }
    }
    /**Creates a stream on the current device.

[`cudaStreamCreateWithFlags`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorExternalDevice`](cudaError::cudaErrorExternalDevice).

# Safety
`pStream` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaStreamCreateWithFlags(
        &self,
        pStream: *mut cudaStream_t,
        flags: ::core::ffi::c_uint,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaStreamCreateWithFlags {
            Some(function) => Ok(unsafe { function(pStream, flags) }),
            None => Err(self.missing(&SYMBOLS[34usize])),
        }
    }
    /**Destroys a stream; its work goes on to the end.

[`cudaStreamDestroy`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle).

# Safety
`stream` must be a stream that was not destroyed, and not be used afterwards.*/
    #[inline]
    pub unsafe fn cudaStreamDestroy(
        &self,
        stream: cudaStream_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaStreamDestroy {
            Some(function) => Ok(unsafe { function(stream) }),
            None => Err(self.missing(&SYMBOLS[35usize])),
        }
    }
    /**Waits for the work of a stream.

[`cudaStreamSynchronize`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle).

# Safety
`stream` must be the default stream or a stream that was not destroyed.*/
    #[inline]
    pub unsafe fn cudaStreamSynchronize(
        &self,
        stream: cudaStream_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaStreamSynchronize {
            Some(function) => Ok(unsafe { function(stream) }),
            None => Err(self.missing(&SYMBOLS[36usize])),
        }
    }
    /**Whether a stream's work is done.

[`cudaStreamQuery`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorNotReady`](cudaError::cudaErrorNotReady), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle).

# Safety
`stream` must be the default stream or a stream that was not destroyed.*/
    #[inline]
    pub unsafe fn cudaStreamQuery(
        &self,
        stream: cudaStream_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaStreamQuery {
            Some(function) => Ok(unsafe { function(stream) }),
            None => Err(self.missing(&SYMBOLS[37usize])),
        }
    }
    /**Has a stream wait for an event.

[`cudaStreamWaitEvent`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle).

# Safety
`stream` must be the default stream or a stream that was not destroyed, and `event` must be an event that was
not destroyed. An event of another process that ends before it completes the event leaves the stream waiting.*/
    #[inline]
    pub unsafe fn cudaStreamWaitEvent(
        &self,
        stream: cudaStream_t,
        event: cudaEvent_t,
        flags: ::core::ffi::c_uint,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaStreamWaitEvent {
            Some(function) => Ok(unsafe { function(stream, event, flags) }),
            None => Err(self.missing(&SYMBOLS[38usize])),
        }
    }
    /**Creates an event; with cudaEventInterprocess and cudaEventDisableTiming one that can be exported.

[`cudaEventCreateWithFlags`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EVENT.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation).

# Safety
`event` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaEventCreateWithFlags(
        &self,
        event: *mut cudaEvent_t,
        flags: ::core::ffi::c_uint,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaEventCreateWithFlags {
            Some(function) => Ok(unsafe { function(event, flags) }),
            None => Err(self.missing(&SYMBOLS[39usize])),
        }
    }
    /**Destroys an event.

[`cudaEventDestroy`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EVENT.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure).

# Safety
`event` must be an event that was not destroyed, and not be used afterwards, in this process or, where it was
exported, by one that opened it.*/
    #[inline]
    pub unsafe fn cudaEventDestroy(
        &self,
        event: cudaEvent_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaEventDestroy {
            Some(function) => Ok(unsafe { function(event) }),
            None => Err(self.missing(&SYMBOLS[40usize])),
        }
    }
    /**Records an event in a stream.

[`cudaEventRecord`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EVENT.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure).

# Safety
`event` must be an event that was not destroyed, and `stream` must be the default stream or a stream that was
not destroyed.*/
    #[inline]
    pub unsafe fn cudaEventRecord(
        &self,
        event: cudaEvent_t,
        stream: cudaStream_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaEventRecord {
            Some(function) => Ok(unsafe { function(event, stream) }),
            None => Err(self.missing(&SYMBOLS[41usize])),
        }
    }
    /**Whether what an event recorded is done.

[`cudaEventQuery`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EVENT.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorNotReady`](cudaError::cudaErrorNotReady), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure).

# Safety
`event` must be an event that was not destroyed.*/
    #[inline]
    pub unsafe fn cudaEventQuery(
        &self,
        event: cudaEvent_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaEventQuery {
            Some(function) => Ok(unsafe { function(event) }),
            None => Err(self.missing(&SYMBOLS[42usize])),
        }
    }
    /**Waits for what an event recorded.

[`cudaEventSynchronize`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EVENT.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure).

# Safety
`event` must be an event that was not destroyed.*/
    #[inline]
    pub unsafe fn cudaEventSynchronize(
        &self,
        event: cudaEvent_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaEventSynchronize {
            Some(function) => Ok(unsafe { function(event) }),
            None => Err(self.missing(&SYMBOLS[43usize])),
        }
    }
    /**The time between two events, in milliseconds.

[`cudaEventElapsedTime`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EVENT.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorNotReady`](cudaError::cudaErrorNotReady), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorLaunchFailure`](cudaError::cudaErrorLaunchFailure), [`cudaErrorUnknown`](cudaError::cudaErrorUnknown).

# Safety
`ms` must be valid for writing, and `start` and `end` must be events that were not destroyed.*/
    #[inline]
    pub unsafe fn cudaEventElapsedTime(
        &self,
        ms: *mut f32,
        start: cudaEvent_t,
        end: cudaEvent_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaEventElapsedTime {
            Some(function) => Ok(unsafe { function(ms, start, end) }),
            None => Err(self.missing(&SYMBOLS[44usize])),
        }
    }
    /**Exports memory of cudaMalloc: the handle names the whole allocation that a pointer lies in.

[`cudaIpcGetMemHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorMapBufferObjectFailed`](cudaError::cudaErrorMapBufferObjectFailed), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`handle` must be valid for writing. `devPtr` may be any address: the runtime refuses what it cannot export.
Whoever gets the bytes can change the memory at any time, so no reference of Rust may be made to it while it is
shared.*/
    #[inline]
    pub unsafe fn cudaIpcGetMemHandle(
        &self,
        handle: *mut cudaIpcMemHandle_t,
        devPtr: *mut ::core::ffi::c_void,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaIpcGetMemHandle {
            Some(function) => Ok(unsafe { function(handle, devPtr) }),
            None => Err(self.missing(&SYMBOLS[45usize])),
        }
    }
    /**Maps another process's memory at the start of its allocation, initialising the current device where it is not yet.

[`cudaIpcOpenMemHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorMapBufferObjectFailed`](cudaError::cudaErrorMapBufferObjectFailed), [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorDeviceUninitialized`](cudaError::cudaErrorDeviceUninitialized), [`cudaErrorTooManyPeers`](cudaError::cudaErrorTooManyPeers), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`devPtr` must be valid for writing. `handle` must be what cudaIpcGetMemHandle gave an exporter that is trusted:
altered bytes may open too, and lead to other memory. Another process may change or free what lies there at any
time, so no reference of Rust may be made to it.*/
    #[inline]
    pub unsafe fn cudaIpcOpenMemHandle(
        &self,
        devPtr: *mut *mut ::core::ffi::c_void,
        handle: cudaIpcMemHandle_t,
        flags: ::core::ffi::c_uint,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaIpcOpenMemHandle {
            Some(function) => Ok(unsafe { function(devPtr, handle, flags) }),
            None => Err(self.missing(&SYMBOLS[46usize])),
        }
    }
    /**Gives back one open; the last one unmaps.

[`cudaIpcCloseMemHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorMapBufferObjectFailed`](cudaError::cudaErrorMapBufferObjectFailed), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`devPtr` must come from cudaIpcOpenMemHandle. No work that still runs in this process may use the memory, and
after the last close nothing may.*/
    #[inline]
    pub unsafe fn cudaIpcCloseMemHandle(
        &self,
        devPtr: *mut ::core::ffi::c_void,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaIpcCloseMemHandle {
            Some(function) => Ok(unsafe { function(devPtr) }),
            None => Err(self.missing(&SYMBOLS[47usize])),
        }
    }
    /**Exports an event that was created with cudaEventInterprocess.

[`cudaIpcGetEventHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidResourceHandle`](cudaError::cudaErrorInvalidResourceHandle), [`cudaErrorMemoryAllocation`](cudaError::cudaErrorMemoryAllocation), [`cudaErrorMapBufferObjectFailed`](cudaError::cudaErrorMapBufferObjectFailed), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`handle` must be valid for writing, and `event` must be an event that was not destroyed.*/
    #[inline]
    pub unsafe fn cudaIpcGetEventHandle(
        &self,
        handle: *mut cudaIpcEventHandle_t,
        event: cudaEvent_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaIpcGetEventHandle {
            Some(function) => Ok(unsafe { function(handle, event) }),
            None => Err(self.missing(&SYMBOLS[48usize])),
        }
    }
    /**Opens another process's event.

[`cudaIpcOpenEventHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorMapBufferObjectFailed`](cudaError::cudaErrorMapBufferObjectFailed), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorDeviceUninitialized`](cudaError::cudaErrorDeviceUninitialized).

# Safety
`event` must be valid for writing. The exporter must not destroy the event while it is used here, and `handle`
must be as its exporter made it.*/
    #[inline]
    pub unsafe fn cudaIpcOpenEventHandle(
        &self,
        event: *mut cudaEvent_t,
        handle: cudaIpcEventHandle_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaIpcOpenEventHandle {
            Some(function) => Ok(unsafe { function(event, handle) }),
            None => Err(self.missing(&SYMBOLS[49usize])),
        }
    }
    /**The pool that every process has for a device.

[`cudaDeviceGetDefaultMemPool`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported).

# Safety
`memPool` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaDeviceGetDefaultMemPool(
        &self,
        memPool: *mut cudaMemPool_t,
        device: ::core::ffi::c_int,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaDeviceGetDefaultMemPool {
            Some(function) => Ok(unsafe { function(memPool, device) }),
            None => Err(self.missing(&SYMBOLS[50usize])),
        }
    }
    /**The pool that cudaMallocAsync takes memory from.

[`cudaDeviceGetMemPool`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported).

# Safety
`memPool` must be valid for writing.*/
    #[inline]
    pub unsafe fn cudaDeviceGetMemPool(
        &self,
        memPool: *mut cudaMemPool_t,
        device: ::core::ffi::c_int,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaDeviceGetMemPool {
            Some(function) => Ok(unsafe { function(memPool, device) }),
            None => Err(self.missing(&SYMBOLS[51usize])),
        }
    }
    /**Chooses the pool that cudaMallocAsync takes memory from.

[`cudaDeviceSetMemPool`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorInvalidDevice`](cudaError::cudaErrorInvalidDevice), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported).

# Safety
`memPool` must be a pool that was not destroyed.*/
    #[inline]
    pub unsafe fn cudaDeviceSetMemPool(
        &self,
        device: ::core::ffi::c_int,
        memPool: cudaMemPool_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaDeviceSetMemPool {
            Some(function) => Ok(unsafe { function(device, memPool) }),
            None => Err(self.missing(&SYMBOLS[52usize])),
        }
    }
    /**Allocates from the current pool, in the order of a stream.

[`cudaMallocAsync`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), `cudaErrorOutOfMemory`.

# Safety
`devPtr` must be valid for writing, and `hStream` must be the default stream or a stream that was not destroyed.
The memory may be used by work that comes after the call in that stream, or in another that waits for it.*/
    #[inline]
    pub unsafe fn cudaMallocAsync(
        &self,
        devPtr: *mut *mut ::core::ffi::c_void,
        size: usize,
        hStream: cudaStream_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMallocAsync {
            Some(function) => Ok(unsafe { function(devPtr, size, hStream) }),
            None => Err(self.missing(&SYMBOLS[53usize])),
        }
    }
    /**Frees stream-ordered memory in the order of a stream; for memory that was imported, this process's import of it.

[`cudaFreeAsync`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported).

# Safety
`devPtr` must come from a stream-ordered allocation or an import, and not be freed yet. `hStream` must be the
default stream or a stream that was not destroyed. No work may use the memory that is not ordered before the
call; an import must be freed, in stream order, before its exporter's allocation is.*/
    #[inline]
    pub unsafe fn cudaFreeAsync(
        &self,
        devPtr: *mut ::core::ffi::c_void,
        hStream: cudaStream_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaFreeAsync {
            Some(function) => Ok(unsafe { function(devPtr, hStream) }),
            None => Err(self.missing(&SYMBOLS[54usize])),
        }
    }
    /**Allocates from a given pool, in the order of a stream.

[`cudaMallocFromPoolAsync`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported), `cudaErrorOutOfMemory`.

# Safety
`ptr` must be valid for writing, `memPool` must be a pool that was not destroyed, and `stream` must be the
default stream or a stream that was not destroyed. The memory may be used by work that comes after the call in
that stream, or in another that waits for it.*/
    #[inline]
    pub unsafe fn cudaMallocFromPoolAsync(
        &self,
        ptr: *mut *mut ::core::ffi::c_void,
        size: usize,
        memPool: cudaMemPool_t,
        stream: cudaStream_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMallocFromPoolAsync {
            Some(function) => Ok(unsafe { function(ptr, size, memPool, stream) }),
            None => Err(self.missing(&SYMBOLS[55usize])),
        }
    }
    /**Creates a memory pool.

[`cudaMemPoolCreate`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported).

# Safety
`memPool` must be valid for writing, and `poolProps` lead to properties whose reserved bytes are zero.*/
    #[inline]
    pub unsafe fn cudaMemPoolCreate(
        &self,
        memPool: *mut cudaMemPool_t,
        poolProps: *const cudaMemPoolProps,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemPoolCreate {
            Some(function) => Ok(unsafe { function(memPool, poolProps) }),
            None => Err(self.missing(&SYMBOLS[56usize])),
        }
    }
    /**Destroys a pool; its memory lives on until it is freed.

[`cudaMemPoolDestroy`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`memPool` must be a pool that was not destroyed, and not be used afterwards.*/
    #[inline]
    pub unsafe fn cudaMemPoolDestroy(
        &self,
        memPool: cudaMemPool_t,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemPoolDestroy {
            Some(function) => Ok(unsafe { function(memPool) }),
            None => Err(self.missing(&SYMBOLS[57usize])),
        }
    }
    /**Releases memory that a pool holds beyond a size and does not need.

[`cudaMemPoolTrimTo`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`memPool` must be a pool that was not destroyed.*/
    #[inline]
    pub unsafe fn cudaMemPoolTrimTo(
        &self,
        memPool: cudaMemPool_t,
        minBytesToKeep: usize,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemPoolTrimTo {
            Some(function) => Ok(unsafe { function(memPool, minBytesToKeep) }),
            None => Err(self.missing(&SYMBOLS[58usize])),
        }
    }
    /**Sets an attribute of a pool.

[`cudaMemPoolSetAttribute`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`memPool` must be a pool that was not destroyed, and `value` lead to what the attribute is: an `int` or a 64-bit
integer.*/
    #[inline]
    pub unsafe fn cudaMemPoolSetAttribute(
        &self,
        memPool: cudaMemPool_t,
        attr: cudaMemPoolAttr,
        value: *mut ::core::ffi::c_void,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemPoolSetAttribute {
            Some(function) => Ok(unsafe { function(memPool, attr, value) }),
            None => Err(self.missing(&SYMBOLS[59usize])),
        }
    }
    /**Reads an attribute of a pool.

[`cudaMemPoolGetAttribute`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue).

# Safety
`memPool` must be a pool that was not destroyed, and `value` be valid for writing what the attribute is: an
`int` or a 64-bit integer.*/
    #[inline]
    pub unsafe fn cudaMemPoolGetAttribute(
        &self,
        memPool: cudaMemPool_t,
        attr: cudaMemPoolAttr,
        value: *mut ::core::ffi::c_void,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemPoolGetAttribute {
            Some(function) => Ok(unsafe { function(memPool, attr, value) }),
            None => Err(self.missing(&SYMBOLS[60usize])),
        }
    }
    /**Says which devices may reach a pool's memory.

[`cudaMemPoolSetAccess`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), [`cudaErrorNotSupported`](cudaError::cudaErrorNotSupported).

# Safety
`memPool` must be a pool that was not destroyed, and `descList` lead to `count` descriptions. No work that still
runs may use the memory from a device that loses access.*/
    #[inline]
    pub unsafe fn cudaMemPoolSetAccess(
        &self,
        memPool: cudaMemPool_t,
        descList: *const cudaMemAccessDesc,
        count: usize,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemPoolSetAccess {
            Some(function) => Ok(unsafe { function(memPool, descList, count) }),
            None => Err(self.missing(&SYMBOLS[61usize])),
        }
    }
    /**Whether a place may reach a pool's memory.

[`cudaMemPoolGetAccess`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: none of its own.

# Safety
`flags` must be valid for writing, `memPool` must be a pool that was not destroyed, and `location` lead to a
place.*/
    #[inline]
    pub unsafe fn cudaMemPoolGetAccess(
        &self,
        flags: *mut cudaMemAccessFlags,
        memPool: cudaMemPool_t,
        location: *mut cudaMemLocation,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemPoolGetAccess {
            Some(function) => Ok(unsafe { function(flags, memPool, location) }),
            None => Err(self.missing(&SYMBOLS[62usize])),
        }
    }
    /**Exports a pool, as a file descriptor or a fabric handle.

[`cudaMemPoolExportToShareableHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), `cudaErrorOutOfMemory`.

# Safety
`shareableHandle` must be valid for writing what `handleType` says: an `int` for a file descriptor, which is
then the caller's to close, or 64 bytes for a fabric handle; `memPool` must be a pool that was not destroyed.*/
    #[inline]
    pub unsafe fn cudaMemPoolExportToShareableHandle(
        &self,
        shareableHandle: *mut ::core::ffi::c_void,
        memPool: cudaMemPool_t,
        handleType: cudaMemAllocationHandleType,
        flags: ::core::ffi::c_uint,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemPoolExportToShareableHandle {
            Some(function) => {
                Ok(unsafe { function(shareableHandle, memPool, handleType, flags) })
            }
            None => Err(self.missing(&SYMBOLS[63usize])),
        }
    }
    /**Imports another process's pool.

[`cudaMemPoolImportFromShareableHandle`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), `cudaErrorOutOfMemory`.

# Safety
`memPool` must be valid for writing. For a file descriptor, `shareableHandle` is its number itself, cast to a
pointer, and the descriptor stays the caller's; for a fabric handle it leads to 64 bytes as their exporter made
them. Another process may change or free what lies there at any time, so no reference of Rust may be made to
it.*/
    #[inline]
    pub unsafe fn cudaMemPoolImportFromShareableHandle(
        &self,
        memPool: *mut cudaMemPool_t,
        shareableHandle: *mut ::core::ffi::c_void,
        handleType: cudaMemAllocationHandleType,
        flags: ::core::ffi::c_uint,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemPoolImportFromShareableHandle {
            Some(function) => {
                Ok(unsafe { function(memPool, shareableHandle, handleType, flags) })
            }
            None => Err(self.missing(&SYMBOLS[64usize])),
        }
    }
    /**Exports one allocation of an exported pool, for a process that imported the pool.

[`cudaMemPoolExportPointer`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: [`cudaErrorInvalidValue`](cudaError::cudaErrorInvalidValue), `cudaErrorOutOfMemory`.

# Safety
`exportData` must be valid for writing, and `ptr` come from a pool that can be exported.*/
    #[inline]
    pub unsafe fn cudaMemPoolExportPointer(
        &self,
        exportData: *mut cudaMemPoolPtrExportData,
        ptr: *mut ::core::ffi::c_void,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemPoolExportPointer {
            Some(function) => Ok(unsafe { function(exportData, ptr) }),
            None => Err(self.missing(&SYMBOLS[65usize])),
        }
    }
    /**Maps an allocation of an imported pool.

[`cudaMemPoolImportPointer`](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html) in C; this signature since CUDA 11.8.

# Errors
[`MissingSymbol`] where this runtime does not have the function. Documented codes: `CUDA_ERROR_INVALID_VALUE`, `CUDA_ERROR_NOT_INITIALIZED`, `CUDA_ERROR_OUT_OF_MEMORY`.

# Safety
`ptr` must be valid for writing, `memPool` must be a pool that was not destroyed, and `exportData` lead to data
as its exporter made it. The exporter must not free the memory while it is used here, and it is not to be used
before the work that the exporter ordered its allocation after. Another process may change or free what lies
there at any time, so no reference of Rust may be made to it.*/
    #[inline]
    pub unsafe fn cudaMemPoolImportPointer(
        &self,
        ptr: *mut *mut ::core::ffi::c_void,
        memPool: cudaMemPool_t,
        exportData: *mut cudaMemPoolPtrExportData,
    ) -> Result<cudaError_t, MissingSymbol> {
        match self.functions().cudaMemPoolImportPointer {
            Some(function) => Ok(unsafe { function(ptr, memPool, exportData) }),
            None => Err(self.missing(&SYMBOLS[66usize])),
        }
    }
}
