// Written by cuda-ipc-sys/generator: change that, then run it.

use core::ffi::c_void;
#[allow(unused_imports)]
use crate::driver::bindings::*;
use crate::{CudaVersion, MissingSymbol, Symbol};
use crate::driver::Driver;
/**Initialises the driver in this process; every other call but the version and the error names needs it.

[`cuInit`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__INITIALIZE.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_SYSTEM_DRIVER_MISMATCH`](CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH), [`CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE`](CUresult::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE).

# Safety
Nothing beyond the arguments' types: the driver checks their values.*/
pub type PFN_cuInit = unsafe extern "C" fn(Flags: ::core::ffi::c_uint) -> CUresult;
/**The newest CUDA version that the installed driver serves, as 1000 × major + 10 × minor.

[`cuDriverGetVersion`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VERSION.html) in C; this signature since CUDA 2.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`driverVersion` must be valid for writing.*/
pub type PFN_cuDriverGetVersion = unsafe extern "C" fn(
    driverVersion: *mut ::core::ffi::c_int,
) -> CUresult;
/**The enumerator's name of a result code.

[`cuGetErrorName`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__ERROR.html) in C; this signature since CUDA 6.0.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pStr` must be valid for writing. The string that it is set to is the driver's, and lasts as long as the driver
is loaded.*/
pub type PFN_cuGetErrorName = unsafe extern "C" fn(
    error: CUresult,
    pStr: *mut *const ::core::ffi::c_char,
) -> CUresult;
/**A sentence about a result code.

[`cuGetErrorString`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__ERROR.html) in C; this signature since CUDA 6.0.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pStr` must be valid for writing. The string that it is set to is the driver's, and lasts as long as the driver
is loaded.*/
pub type PFN_cuGetErrorString = unsafe extern "C" fn(
    error: CUresult,
    pStr: *mut *const ::core::ffi::c_char,
) -> CUresult;
/**Finds a driver function by base name and the CUDA version whose signature the caller wants.

[`cuGetProcAddress`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DRIVER__ENTRY__POINT.html) in C; exported as `cuGetProcAddress_v2`; this signature since CUDA 12.0.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`symbol` must lead to a C string, `pfn` must be valid for writing, and `symbolFound` valid for writing or null.
The address is to be called as the function that the documentation of that version declares.*/
pub type PFN_cuGetProcAddress = unsafe extern "C" fn(
    symbol: *const ::core::ffi::c_char,
    pfn: *mut *mut ::core::ffi::c_void,
    driverVersion: ::core::ffi::c_int,
    flags: cuuint64_t,
    symbolFound: *mut CUdriverProcAddressQueryResult,
) -> CUresult;
/**The device at an ordinal.

[`cuDeviceGet`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`device` must be valid for writing.*/
pub type PFN_cuDeviceGet = unsafe extern "C" fn(
    device: *mut CUdevice,
    ordinal: ::core::ffi::c_int,
) -> CUresult;
/**How many devices this process sees.

[`cuDeviceGetCount`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`count` must be valid for writing.*/
pub type PFN_cuDeviceGetCount = unsafe extern "C" fn(
    count: *mut ::core::ffi::c_int,
) -> CUresult;
/**A device's product name.

[`cuDeviceGetName`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`name` must be valid for writing `len` bytes.*/
pub type PFN_cuDeviceGetName = unsafe extern "C" fn(
    name: *mut ::core::ffi::c_char,
    len: ::core::ffi::c_int,
    dev: CUdevice,
) -> CUresult;
/**A device's UUID; that of the MIG instance where MIG is on.

[`cuDeviceGetUuid`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; exported as `cuDeviceGetUuid_v2`; this signature since CUDA 11.4.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`uuid` must be valid for writing.*/
pub type PFN_cuDeviceGetUuid = unsafe extern "C" fn(
    uuid: *mut CUuuid,
    dev: CUdevice,
) -> CUresult;
/**A device's memory in bytes.

[`cuDeviceTotalMem`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; exported as `cuDeviceTotalMem_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`bytes` must be valid for writing.*/
pub type PFN_cuDeviceTotalMem = unsafe extern "C" fn(
    bytes: *mut usize,
    dev: CUdevice,
) -> CUresult;
/**One attribute of a device.

[`cuDeviceGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`pi` must be valid for writing.*/
pub type PFN_cuDeviceGetAttribute = unsafe extern "C" fn(
    pi: *mut ::core::ffi::c_int,
    attrib: CUdevice_attribute,
    dev: CUdevice,
) -> CUresult;
/**The device at a PCI address.

[`cuDeviceGetByPCIBusId`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.1.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`dev` must be valid for writing, and `pciBusId` must lead to a C string.*/
pub type PFN_cuDeviceGetByPCIBusId = unsafe extern "C" fn(
    dev: *mut CUdevice,
    pciBusId: *const ::core::ffi::c_char,
) -> CUresult;
/**A device's PCI address.

[`cuDeviceGetPCIBusId`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.1.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`pciBusId` must be valid for writing `len` bytes.*/
pub type PFN_cuDeviceGetPCIBusId = unsafe extern "C" fn(
    pciBusId: *mut ::core::ffi::c_char,
    len: ::core::ffi::c_int,
    dev: CUdevice,
) -> CUresult;
/**The UUID of the NVLink cluster that a device belongs to; zero where it is in none.

[`cuDeviceGetFabricClusterUuid`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CLIQUE.html) in C; this signature since CUDA 13.4.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`uuid` must be valid for writing.*/
pub type PFN_cuDeviceGetFabricClusterUuid = unsafe extern "C" fn(
    uuid: *mut CUuuid,
    dev: CUdevice,
) -> CUresult;
/**How many fabric cliques a device belongs to.

[`cuDeviceGetCliqueCount`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CLIQUE.html) in C; this signature since CUDA 13.4.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`count` must be valid for writing.*/
pub type PFN_cuDeviceGetCliqueCount = unsafe extern "C" fn(
    count: *mut usize,
    dev: CUdevice,
) -> CUresult;
/**The fabric cliques that a device belongs to.

[`cuDeviceGetCliqueInfo`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CLIQUE.html) in C; this signature since CUDA 13.4.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`count` must be valid for reading and writing, and `cliqueInfo` for writing as many entries as it says.*/
pub type PFN_cuDeviceGetCliqueInfo = unsafe extern "C" fn(
    cliqueInfo: *mut CUcliqueInfo,
    count: *mut usize,
    dev: CUdevice,
) -> CUresult;
/**Whether one device can reach the memory of another.

[`cuDeviceCanAccessPeer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in C; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`canAccessPeer` must be valid for writing.*/
pub type PFN_cuDeviceCanAccessPeer = unsafe extern "C" fn(
    canAccessPeer: *mut ::core::ffi::c_int,
    dev: CUdevice,
    peerDev: CUdevice,
) -> CUresult;
/**One attribute of the link between two devices.

[`cuDeviceGetP2PAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in C; this signature since CUDA 8.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`value` must be valid for writing.*/
pub type PFN_cuDeviceGetP2PAttribute = unsafe extern "C" fn(
    value: *mut ::core::ffi::c_int,
    attrib: CUdevice_P2PAttribute,
    srcDevice: CUdevice,
    dstDevice: CUdevice,
) -> CUresult;
/**Which atomic operations work across the link between two devices.

[`cuDeviceGetP2PAtomicCapabilities`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in C; this signature since CUDA 13.0.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`operations` must lead to `count` operations, and `capabilities` be valid for writing as many words.*/
pub type PFN_cuDeviceGetP2PAtomicCapabilities = unsafe extern "C" fn(
    capabilities: *mut ::core::ffi::c_uint,
    operations: *const CUatomicOperation,
    count: ::core::ffi::c_uint,
    srcDevice: CUdevice,
    dstDevice: CUdevice,
) -> CUresult;
/**Lets the current context reach the allocations of a peer context.

[`cuCtxEnablePeerAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in C; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`](CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED), [`CUDA_ERROR_TOO_MANY_PEERS`](CUresult::CUDA_ERROR_TOO_MANY_PEERS), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_PEER_ACCESS_UNSUPPORTED`](CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`peerContext` must be a context that was not destroyed.*/
pub type PFN_cuCtxEnablePeerAccess = unsafe extern "C" fn(
    peerContext: CUcontext,
    Flags: ::core::ffi::c_uint,
) -> CUresult;
/**Ends what cuCtxEnablePeerAccess began.

[`cuCtxDisablePeerAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in C; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_PEER_ACCESS_NOT_ENABLED`](CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT).

# Safety
`peerContext` must be a context that was not destroyed. No work that still runs in the current context may reach
its memory.*/
pub type PFN_cuCtxDisablePeerAccess = unsafe extern "C" fn(
    peerContext: CUcontext,
) -> CUresult;
/**Takes a reference on a device's primary context, creating it where it is not yet active.

[`cuDevicePrimaryCtxRetain`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html) in C; this signature since CUDA 7.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_UNKNOWN`](CUresult::CUDA_ERROR_UNKNOWN).

# Safety
`pctx` must be valid for writing.*/
pub type PFN_cuDevicePrimaryCtxRetain = unsafe extern "C" fn(
    pctx: *mut CUcontext,
    dev: CUdevice,
) -> CUresult;
/**Gives a reference on the primary context back.

[`cuDevicePrimaryCtxRelease`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html) in C; exported as `cuDevicePrimaryCtxRelease_v2`; this signature since CUDA 11.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT).

# Safety
The reference must be one that cuDevicePrimaryCtxRetain gave. After the last one the context and all that was
made in it must not be used.*/
pub type PFN_cuDevicePrimaryCtxRelease = unsafe extern "C" fn(dev: CUdevice) -> CUresult;
/**Destroys everything in a device's primary context.

[`cuDevicePrimaryCtxReset`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html) in C; exported as `cuDevicePrimaryCtxReset_v2`; this signature since CUDA 11.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE`](CUresult::CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE).

# Safety
No other part of the process may use the context, and what was made in it must not be used afterwards: memory,
streams, events, modules and what was opened from other processes.*/
pub type PFN_cuDevicePrimaryCtxReset = unsafe extern "C" fn(dev: CUdevice) -> CUresult;
/**The flags of the primary context and whether it is active.

[`cuDevicePrimaryCtxGetState`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html) in C; this signature since CUDA 7.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`flags` and `active` must be valid for writing.*/
pub type PFN_cuDevicePrimaryCtxGetState = unsafe extern "C" fn(
    dev: CUdevice,
    flags: *mut ::core::ffi::c_uint,
    active: *mut ::core::ffi::c_int,
) -> CUresult;
/**Creates a context on a device and makes it current.

[`cuCtxCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; exported as `cuCtxCreate_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_UNKNOWN`](CUresult::CUDA_ERROR_UNKNOWN).

# Safety
`pctx` must be valid for writing.*/
pub type PFN_cuCtxCreate = unsafe extern "C" fn(
    pctx: *mut CUcontext,
    flags: ::core::ffi::c_uint,
    dev: CUdevice,
) -> CUresult;
/**Destroys a created context with what it owns.

[`cuCtxDestroy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; exported as `cuCtxDestroy_v2`; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`ctx` must be a context that was not destroyed, and be current to no other thread. It and what was made in it
must not be used afterwards.*/
pub type PFN_cuCtxDestroy = unsafe extern "C" fn(ctx: CUcontext) -> CUresult;
/**Makes a context current in this thread, above the one that was.

[`cuCtxPushCurrent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; exported as `cuCtxPushCurrent_v2`; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`ctx` must be a context that was not destroyed. It must stay so while it is current.*/
pub type PFN_cuCtxPushCurrent = unsafe extern "C" fn(ctx: CUcontext) -> CUresult;
/**Takes the current context off this thread's stack.

[`cuCtxPopCurrent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; exported as `cuCtxPopCurrent_v2`; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT).

# Safety
`pctx` must be valid for writing.*/
pub type PFN_cuCtxPopCurrent = unsafe extern "C" fn(pctx: *mut CUcontext) -> CUresult;
/**Replaces this thread's current context; null leaves none.

[`cuCtxSetCurrent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT).

# Safety
`ctx` must be null or a context that was not destroyed. It must stay so while it is current.*/
pub type PFN_cuCtxSetCurrent = unsafe extern "C" fn(ctx: CUcontext) -> CUresult;
/**This thread's current context, or null.

[`cuCtxGetCurrent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED).

# Safety
`pctx` must be valid for writing.*/
pub type PFN_cuCtxGetCurrent = unsafe extern "C" fn(pctx: *mut CUcontext) -> CUresult;
/**The device of the current context.

[`cuCtxGetDevice`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`device` must be valid for writing.*/
pub type PFN_cuCtxGetDevice = unsafe extern "C" fn(device: *mut CUdevice) -> CUresult;
/**Waits until the current context has nothing left to do.

[`cuCtxSynchronize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`](CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED).

# Safety
Nothing beyond the arguments' types: the driver checks their values.*/
pub type PFN_cuCtxSynchronize = unsafe extern "C" fn() -> CUresult;
/**The flags of the current context.

[`cuCtxGetFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 7.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`flags` must be valid for writing.*/
pub type PFN_cuCtxGetFlags = unsafe extern "C" fn(
    flags: *mut ::core::ffi::c_uint,
) -> CUresult;
/**Replaces the flags of the current context, CU_CTX_SYNC_MEMOPS among them.

[`cuCtxSetFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 12.1.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
Nothing beyond the arguments' types: the driver checks their values.*/
pub type PFN_cuCtxSetFlags = unsafe extern "C" fn(
    flags: ::core::ffi::c_uint,
) -> CUresult;
/**The API version that a context was created with.

[`cuCtxGetApiVersion`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_UNKNOWN`](CUresult::CUDA_ERROR_UNKNOWN).

# Safety
`ctx` must be null or a context that was not destroyed. `version` must be valid for writing.*/
pub type PFN_cuCtxGetApiVersion = unsafe extern "C" fn(
    ctx: CUcontext,
    version: *mut ::core::ffi::c_uint,
) -> CUresult;
/**Records everything a context has enqueued into an event.

[`cuCtxRecordEvent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 12.5.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`](CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED).

# Safety
`hCtx` must be a context that was not destroyed, and `hEvent` must be an event that was not destroyed.*/
pub type PFN_cuCtxRecordEvent = unsafe extern "C" fn(
    hCtx: CUcontext,
    hEvent: CUevent,
) -> CUresult;
/**Loads PTX or device code from memory into the current context.

[`cuModuleLoadData`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_PTX`](CUresult::CUDA_ERROR_INVALID_PTX), [`CUDA_ERROR_UNSUPPORTED_PTX_VERSION`](CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_NO_BINARY_FOR_GPU`](CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU), [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`](CUresult::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND), [`CUDA_ERROR_SHARED_OBJECT_INIT_FAILED`](CUresult::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED), [`CUDA_ERROR_JIT_COMPILER_NOT_FOUND`](CUresult::CUDA_ERROR_JIT_COMPILER_NOT_FOUND).

# Safety
`module` must be valid for writing. `image` must lead to a whole cubin, fatbin or C string of PTX. Its code is
run as it is: it has to be trusted.*/
pub type PFN_cuModuleLoadData = unsafe extern "C" fn(
    module: *mut CUmodule,
    image: *const ::core::ffi::c_void,
) -> CUresult;
/**Unloads a module.

[`cuModuleUnload`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED).

# Safety
`hmod` must be a module that was not unloaded, and not be used afterwards. No kernel of it may still run, and
its functions and globals must not be used afterwards.*/
pub type PFN_cuModuleUnload = unsafe extern "C" fn(hmod: CUmodule) -> CUresult;
/**A kernel of a module by its entry name.

[`cuModuleGetFunction`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_FOUND`](CUresult::CUDA_ERROR_NOT_FOUND).

# Safety
`hfunc` must be valid for writing, `hmod` must be a module that was not unloaded, and `name` must lead to a C
string.*/
pub type PFN_cuModuleGetFunction = unsafe extern "C" fn(
    hfunc: *mut CUfunction,
    hmod: CUmodule,
    name: *const ::core::ffi::c_char,
) -> CUresult;
/**Address and size of a module's global variable.

[`cuModuleGetGlobal`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in C; exported as `cuModuleGetGlobal_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_FOUND`](CUresult::CUDA_ERROR_NOT_FOUND).

# Safety
`dptr` and `bytes` must be valid for writing, or one of the two null; `hmod` must be a module that was not
unloaded, and `name` must lead to a C string.*/
pub type PFN_cuModuleGetGlobal = unsafe extern "C" fn(
    dptr: *mut CUdeviceptr,
    bytes: *mut usize,
    hmod: CUmodule,
    name: *const ::core::ffi::c_char,
) -> CUresult;
/**Launches a kernel into a stream.

[`cuLaunchKernel`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in C; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_INVALID_IMAGE`](CUresult::CUDA_ERROR_INVALID_IMAGE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_LAUNCH_FAILED`](CUresult::CUDA_ERROR_LAUNCH_FAILED), [`CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`](CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES), [`CUDA_ERROR_LAUNCH_TIMEOUT`](CUresult::CUDA_ERROR_LAUNCH_TIMEOUT), [`CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING`](CUresult::CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING), [`CUDA_ERROR_SHARED_OBJECT_INIT_FAILED`](CUresult::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED), [`CUDA_ERROR_NOT_FOUND`](CUresult::CUDA_ERROR_NOT_FOUND).

# Safety
`f` must be a function of a module that is loaded. `hStream` must be null, a predefined stream or one that was
not destroyed. `kernelParams` must lead to a pointer for each parameter, each to a value of that parameter's
type, or `extra` to the list that takes its place. The kernel runs with those values until the stream has passed
it: what it reads and writes must be valid that long, and unused by others.*/
pub type PFN_cuLaunchKernel = unsafe extern "C" fn(
    f: CUfunction,
    gridDimX: ::core::ffi::c_uint,
    gridDimY: ::core::ffi::c_uint,
    gridDimZ: ::core::ffi::c_uint,
    blockDimX: ::core::ffi::c_uint,
    blockDimY: ::core::ffi::c_uint,
    blockDimZ: ::core::ffi::c_uint,
    sharedMemBytes: ::core::ffi::c_uint,
    hStream: CUstream,
    kernelParams: *mut *mut ::core::ffi::c_void,
    extra: *mut *mut ::core::ffi::c_void,
) -> CUresult;
/**Launches a kernel with launch attributes.

[`cuLaunchKernelEx`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in C; this signature since CUDA 11.6.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_INVALID_IMAGE`](CUresult::CUDA_ERROR_INVALID_IMAGE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_LAUNCH_FAILED`](CUresult::CUDA_ERROR_LAUNCH_FAILED), [`CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`](CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES), [`CUDA_ERROR_LAUNCH_TIMEOUT`](CUresult::CUDA_ERROR_LAUNCH_TIMEOUT), [`CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING`](CUresult::CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING), [`CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE`](CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE), [`CUDA_ERROR_SHARED_OBJECT_INIT_FAILED`](CUresult::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED), [`CUDA_ERROR_NOT_FOUND`](CUresult::CUDA_ERROR_NOT_FOUND).

# Safety
`config` must lead to a configuration whose stream was not destroyed and whose `attrs` lead to `numAttrs`
attributes; for the rest as for cuLaunchKernel.*/
pub type PFN_cuLaunchKernelEx = unsafe extern "C" fn(
    config: *const CUlaunchConfig,
    f: CUfunction,
    kernelParams: *mut *mut ::core::ffi::c_void,
    extra: *mut *mut ::core::ffi::c_void,
) -> CUresult;
/**Creates a stream in the current context.

[`cuStreamCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_EXTERNAL_DEVICE`](CUresult::CUDA_ERROR_EXTERNAL_DEVICE).

# Safety
`phStream` must be valid for writing.*/
pub type PFN_cuStreamCreate = unsafe extern "C" fn(
    phStream: *mut CUstream,
    Flags: ::core::ffi::c_uint,
) -> CUresult;
/**Creates a stream with a priority.

[`cuStreamCreateWithPriority`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 5.5.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_EXTERNAL_DEVICE`](CUresult::CUDA_ERROR_EXTERNAL_DEVICE).

# Safety
`phStream` must be valid for writing.*/
pub type PFN_cuStreamCreateWithPriority = unsafe extern "C" fn(
    phStream: *mut CUstream,
    flags: ::core::ffi::c_uint,
    priority: ::core::ffi::c_int,
) -> CUresult;
/**Destroys a stream; its pending work still completes.

[`cuStreamDestroy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; exported as `cuStreamDestroy_v2`; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`hStream` must be a stream that was created and not destroyed, and not be used afterwards.*/
pub type PFN_cuStreamDestroy = unsafe extern "C" fn(hStream: CUstream) -> CUresult;
/**Whether a stream's work is done.

[`cuStreamQuery`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_NOT_READY`](CUresult::CUDA_ERROR_NOT_READY).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed.*/
pub type PFN_cuStreamQuery = unsafe extern "C" fn(hStream: CUstream) -> CUresult;
/**Waits until a stream's work is done.

[`cuStreamSynchronize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed.*/
pub type PFN_cuStreamSynchronize = unsafe extern "C" fn(hStream: CUstream) -> CUresult;
/**Holds a stream until the work an event captured is done.

[`cuStreamWaitEvent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed, and `hEvent` must be an event that
was not destroyed. An event of another process that ends before the event completes leaves the stream waiting.*/
pub type PFN_cuStreamWaitEvent = unsafe extern "C" fn(
    hStream: CUstream,
    hEvent: CUevent,
    Flags: ::core::ffi::c_uint,
) -> CUresult;
/**The context of a stream.

[`cuStreamGetCtx`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 9.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed, and `pctx` must be valid for writing.*/
pub type PFN_cuStreamGetCtx = unsafe extern "C" fn(
    hStream: CUstream,
    pctx: *mut CUcontext,
) -> CUresult;
/**Begins to record a stream's calls into a graph instead of executing them.

[`cuStreamBeginCapture`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; exported as `cuStreamBeginCapture_v2`; this signature since CUDA 10.1.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed.*/
pub type PFN_cuStreamBeginCapture = unsafe extern "C" fn(
    hStream: CUstream,
    mode: CUstreamCaptureMode,
) -> CUresult;
/**Ends a capture and returns its graph.

[`cuStreamEndCapture`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 10.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD`](CUresult::CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed, and `phGraph` must be valid for
writing.*/
pub type PFN_cuStreamEndCapture = unsafe extern "C" fn(
    hStream: CUstream,
    phGraph: *mut CUgraph,
) -> CUresult;
/**Whether a stream is capturing.

[`cuStreamIsCapturing`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 10.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_STREAM_CAPTURE_IMPLICIT`](CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed, and `captureStatus` must be valid for
writing.*/
pub type PFN_cuStreamIsCapturing = unsafe extern "C" fn(
    hStream: CUstream,
    captureStatus: *mut CUstreamCaptureStatus,
) -> CUresult;
/**Enqueues a write of 32 bits to device memory.

[`cuStreamWriteValue32`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html) in C; exported as `cuStreamWriteValue32_v2`; this signature since CUDA 11.7.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`stream` must be null, a predefined stream or one that was not destroyed. `addr` must be aligned and lead to 4
bytes that may be written, from the call until the stream has passed it.*/
pub type PFN_cuStreamWriteValue32 = unsafe extern "C" fn(
    stream: CUstream,
    addr: CUdeviceptr,
    value: cuuint32_t,
    flags: ::core::ffi::c_uint,
) -> CUresult;
/**Enqueues a write of 64 bits to device memory.

[`cuStreamWriteValue64`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html) in C; exported as `cuStreamWriteValue64_v2`; this signature since CUDA 11.7.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`stream` must be null, a predefined stream or one that was not destroyed. `addr` must be aligned and lead to 8
bytes that may be written, from the call until the stream has passed it.*/
pub type PFN_cuStreamWriteValue64 = unsafe extern "C" fn(
    stream: CUstream,
    addr: CUdeviceptr,
    value: cuuint64_t,
    flags: ::core::ffi::c_uint,
) -> CUresult;
/**Holds a stream until 32 bits of device memory meet a condition.

[`cuStreamWaitValue32`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html) in C; exported as `cuStreamWaitValue32_v2`; this signature since CUDA 11.7.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`stream` must be null, a predefined stream or one that was not destroyed. `addr` must be aligned and lead to 4
bytes that may be read, from the call until the stream has passed it. A value that never comes leaves the stream
waiting.*/
pub type PFN_cuStreamWaitValue32 = unsafe extern "C" fn(
    stream: CUstream,
    addr: CUdeviceptr,
    value: cuuint32_t,
    flags: ::core::ffi::c_uint,
) -> CUresult;
/**Holds a stream until 64 bits of device memory meet a condition.

[`cuStreamWaitValue64`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html) in C; exported as `cuStreamWaitValue64_v2`; this signature since CUDA 11.7.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`stream` must be null, a predefined stream or one that was not destroyed. `addr` must be aligned and lead to 8
bytes that may be read, from the call until the stream has passed it. A value that never comes leaves the stream
waiting.*/
pub type PFN_cuStreamWaitValue64 = unsafe extern "C" fn(
    stream: CUstream,
    addr: CUdeviceptr,
    value: cuuint64_t,
    flags: ::core::ffi::c_uint,
) -> CUresult;
/**Enqueues a call of a host function.

[`cuLaunchHostFunc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in C; this signature since CUDA 10.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed. `fn_` must be a function that may be
called once with `userData` on a thread of the driver's, must not unwind and must make no CUDA call; both must
be valid from the call until the stream has passed it.*/
pub type PFN_cuLaunchHostFunc = unsafe extern "C" fn(
    hStream: CUstream,
    fn_: CUhostFn,
    userData: *mut ::core::ffi::c_void,
) -> CUresult;
/**Creates an event; CU_EVENT_INTERPROCESS needs CU_EVENT_DISABLE_TIMING beside it.

[`cuEventCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`phEvent` must be valid for writing.*/
pub type PFN_cuEventCreate = unsafe extern "C" fn(
    phEvent: *mut CUevent,
    Flags: ::core::ffi::c_uint,
) -> CUresult;
/**Destroys an event, without waiting for it.

[`cuEventDestroy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in C; exported as `cuEventDestroy_v2`; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`hEvent` must be an event that was not destroyed, and not be used afterwards. Where it was exported, no process
that opened it may use it afterwards.*/
pub type PFN_cuEventDestroy = unsafe extern "C" fn(hEvent: CUevent) -> CUresult;
/**Captures what a stream has enqueued into an event.

[`cuEventRecord`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`hEvent` must be an event that was not destroyed, and `hStream` must be null, a predefined stream or one that
was not destroyed.*/
pub type PFN_cuEventRecord = unsafe extern "C" fn(
    hEvent: CUevent,
    hStream: CUstream,
) -> CUresult;
/**Whether the work an event captured is done.

[`cuEventQuery`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_READY`](CUresult::CUDA_ERROR_NOT_READY).

# Safety
`hEvent` must be an event that was not destroyed.*/
pub type PFN_cuEventQuery = unsafe extern "C" fn(hEvent: CUevent) -> CUresult;
/**Waits until the work an event captured is done.

[`cuEventSynchronize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`hEvent` must be an event that was not destroyed.*/
pub type PFN_cuEventSynchronize = unsafe extern "C" fn(hEvent: CUevent) -> CUresult;
/**Milliseconds between two timed events.

[`cuEventElapsedTime`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_NOT_READY`](CUresult::CUDA_ERROR_NOT_READY), [`CUDA_ERROR_UNKNOWN`](CUresult::CUDA_ERROR_UNKNOWN).

# Safety
`pMilliseconds` must be valid for writing. `hStart` and `hEnd` must be events that were not destroyed.*/
pub type PFN_cuEventElapsedTime = unsafe extern "C" fn(
    pMilliseconds: *mut f32,
    hStart: CUevent,
    hEnd: CUevent,
) -> CUresult;
/**Exports an allocation of cuMemAlloc as 64 bytes that other processes can open.

[`cuIpcGetMemHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.1.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_MAP_FAILED`](CUresult::CUDA_ERROR_MAP_FAILED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pHandle` must be valid for writing. `dptr` may be any address: the driver refuses what it cannot export.
Whoever gets the bytes can change the memory at any time, so no reference of Rust may be made to it while it is
shared.*/
pub type PFN_cuIpcGetMemHandle = unsafe extern "C" fn(
    pHandle: *mut CUipcMemHandle,
    dptr: CUdeviceptr,
) -> CUresult;
/**Maps memory that another process exported; opening again counts a reference.

[`cuIpcOpenMemHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuIpcOpenMemHandle_v2`; this signature since CUDA 11.0.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_MAP_FAILED`](CUresult::CUDA_ERROR_MAP_FAILED), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_TOO_MANY_PEERS`](CUresult::CUDA_ERROR_TOO_MANY_PEERS), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pdptr` must be valid for writing. The handle must be what cuIpcGetMemHandle gave an exporter that is trusted:
altered bytes may open too, and lead to other memory. Another process may change or free what lies there at any
time, so no reference of Rust may be made to it.*/
pub type PFN_cuIpcOpenMemHandle = unsafe extern "C" fn(
    pdptr: *mut CUdeviceptr,
    handle: CUipcMemHandle,
    Flags: ::core::ffi::c_uint,
) -> CUresult;
/**Gives back one open; the last one unmaps.

[`cuIpcCloseMemHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.1.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_MAP_FAILED`](CUresult::CUDA_ERROR_MAP_FAILED), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`dptr` must come from cuIpcOpenMemHandle. No work that still runs in this process may use the memory, and after
the last close nothing may.*/
pub type PFN_cuIpcCloseMemHandle = unsafe extern "C" fn(dptr: CUdeviceptr) -> CUresult;
/**Exports an interprocess event as 64 bytes that other processes can open.

[`cuIpcGetEventHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.1.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_MAP_FAILED`](CUresult::CUDA_ERROR_MAP_FAILED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pHandle` must be valid for writing, and `event` must be an event that was not destroyed.*/
pub type PFN_cuIpcGetEventHandle = unsafe extern "C" fn(
    pHandle: *mut CUipcEventHandle,
    event: CUevent,
) -> CUresult;
/**Opens an event that another process exported; destroy it with cuEventDestroy.

[`cuIpcOpenEventHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.1.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_MAP_FAILED`](CUresult::CUDA_ERROR_MAP_FAILED), [`CUDA_ERROR_PEER_ACCESS_UNSUPPORTED`](CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`phEvent` must be valid for writing. The handle must be as its exporter made it, and the exporter must not
destroy the event while it is used here.*/
pub type PFN_cuIpcOpenEventHandle = unsafe extern "C" fn(
    phEvent: *mut CUevent,
    handle: CUipcEventHandle,
) -> CUresult;
/**Free and total bytes of the current context's device.

[`cuMemGetInfo`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemGetInfo_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`free` and `total` must be valid for writing.*/
pub type PFN_cuMemGetInfo = unsafe extern "C" fn(
    free: *mut usize,
    total: *mut usize,
) -> CUresult;
/**Allocates device memory.

[`cuMemAlloc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemAlloc_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_EXTERNAL_DEVICE`](CUresult::CUDA_ERROR_EXTERNAL_DEVICE).

# Safety
`dptr` must be valid for writing.*/
pub type PFN_cuMemAlloc = unsafe extern "C" fn(
    dptr: *mut CUdeviceptr,
    bytesize: usize,
) -> CUresult;
/**Allocates device memory with padded rows.

[`cuMemAllocPitch`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemAllocPitch_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`dptr` and `pPitch` must be valid for writing.*/
pub type PFN_cuMemAllocPitch = unsafe extern "C" fn(
    dptr: *mut CUdeviceptr,
    pPitch: *mut usize,
    WidthInBytes: usize,
    Height: usize,
    ElementSizeBytes: ::core::ffi::c_uint,
) -> CUresult;
/**Frees device memory.

[`cuMemFree`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemFree_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`dptr` must come from an allocation or pool import of this process, or an allocation node that no node of its
own graph frees, and not be freed yet; what cuIpcOpenMemHandle opened or cuMemMap mapped has calls of its own.
No work that still runs may use the memory, and nothing may use it afterwards; the free of a pool's allocation
does not wait. Every process that opened or imported the memory must have given it back before.*/
pub type PFN_cuMemFree = unsafe extern "C" fn(dptr: CUdeviceptr) -> CUresult;
/**Base and size of the allocation that holds a pointer.

[`cuMemGetAddressRange`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemGetAddressRange_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_NOT_FOUND`](CUresult::CUDA_ERROR_NOT_FOUND), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pbase` and `psize` must be valid for writing or null. `dptr` may be any address: it is looked up, and not read.*/
pub type PFN_cuMemGetAddressRange = unsafe extern "C" fn(
    pbase: *mut CUdeviceptr,
    psize: *mut usize,
    dptr: CUdeviceptr,
) -> CUresult;
/**Exports an address range as a dma-buf descriptor.

[`cuMemGetHandleForAddressRange`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 11.7.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`handle` must be valid for writing what `handleType` says: an `int` for a dma-buf descriptor, which is then the
caller's to close. The memory must stay allocated while the handle is in use.*/
pub type PFN_cuMemGetHandleForAddressRange = unsafe extern "C" fn(
    handle: *mut ::core::ffi::c_void,
    dptr: CUdeviceptr,
    size: usize,
    handleType: CUmemRangeHandleType,
    flags: ::core::ffi::c_ulonglong,
) -> CUresult;
/**Allocates page-locked host memory.

[`cuMemAllocHost`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemAllocHost_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_EXTERNAL_DEVICE`](CUresult::CUDA_ERROR_EXTERNAL_DEVICE).

# Safety
`pp` must be valid for writing.*/
pub type PFN_cuMemAllocHost = unsafe extern "C" fn(
    pp: *mut *mut ::core::ffi::c_void,
    bytesize: usize,
) -> CUresult;
/**Frees page-locked host memory.

[`cuMemFreeHost`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 2.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`p` must come from cuMemAllocHost or cuMemHostAlloc and not be freed yet. No work that still runs may use the
memory, and nothing may use it afterwards.*/
pub type PFN_cuMemFreeHost = unsafe extern "C" fn(
    p: *mut ::core::ffi::c_void,
) -> CUresult;
/**Allocates page-locked host memory with flags.

[`cuMemHostAlloc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 2.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_EXTERNAL_DEVICE`](CUresult::CUDA_ERROR_EXTERNAL_DEVICE).

# Safety
`pp` must be valid for writing.*/
pub type PFN_cuMemHostAlloc = unsafe extern "C" fn(
    pp: *mut *mut ::core::ffi::c_void,
    bytesize: usize,
    Flags: ::core::ffi::c_uint,
) -> CUresult;
/**The device's address of mapped host memory.

[`cuMemHostGetDevicePointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemHostGetDevicePointer_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pdptr` must be valid for writing, and `p` must lead into page-locked memory.*/
pub type PFN_cuMemHostGetDevicePointer = unsafe extern "C" fn(
    pdptr: *mut CUdeviceptr,
    p: *mut ::core::ffi::c_void,
    Flags: ::core::ffi::c_uint,
) -> CUresult;
/**Page-locks host memory that the caller allocated.

[`cuMemHostRegister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LOGS.html) in C; exported as `cuMemHostRegister_v2`; this signature since CUDA 6.5.

# Errors
Documented codes: none of its own.

# Safety
`p` must lead to `bytesize` bytes that stay mapped until cuMemHostUnregister.*/
pub type PFN_cuMemHostRegister = unsafe extern "C" fn(
    p: *mut ::core::ffi::c_void,
    bytesize: usize,
    Flags: ::core::ffi::c_uint,
) -> CUresult;
/**Ends what cuMemHostRegister began.

[`cuMemHostUnregister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED`](CUresult::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED).

# Safety
`p` must come from cuMemHostRegister. No work that still runs may use the memory.*/
pub type PFN_cuMemHostUnregister = unsafe extern "C" fn(
    p: *mut ::core::ffi::c_void,
) -> CUresult;
/**Allocates managed memory, which migrates between host and device.

[`cuMemAllocManaged`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 6.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`dptr` must be valid for writing.*/
pub type PFN_cuMemAllocManaged = unsafe extern "C" fn(
    dptr: *mut CUdeviceptr,
    bytesize: usize,
    flags: ::core::ffi::c_uint,
) -> CUresult;
/**One attribute of a pointer.

[`cuPointerGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in C; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`data` must be valid for writing a value of the attribute's type. `ptr` may be any address: it is looked up, and
not read.*/
pub type PFN_cuPointerGetAttribute = unsafe extern "C" fn(
    data: *mut ::core::ffi::c_void,
    attribute: CUpointer_attribute,
    ptr: CUdeviceptr,
) -> CUresult;
/**Several attributes of a pointer; unknown pointers give nulls, not an error.

[`cuPointerGetAttributes`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in C; this signature since CUDA 7.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`attributes` must lead to `numAttributes` attributes, and `data` to as many pointers, each valid for writing a
value of its attribute's type. `ptr` may be any address: it is looked up, and not read.*/
pub type PFN_cuPointerGetAttributes = unsafe extern "C" fn(
    numAttributes: ::core::ffi::c_uint,
    attributes: *mut CUpointer_attribute,
    data: *mut *mut ::core::ffi::c_void,
    ptr: CUdeviceptr,
) -> CUresult;
/**Sets an attribute of a pointer.

[`cuPointerSetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in C; this signature since CUDA 6.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`value` must lead to a value of the attribute's type. `ptr` may be any address: it is looked up, and not
written.*/
pub type PFN_cuPointerSetAttribute = unsafe extern "C" fn(
    value: *const ::core::ffi::c_void,
    attribute: CUpointer_attribute,
    ptr: CUdeviceptr,
) -> CUresult;
/**Copies between any two addresses that the driver knows.

[`cuMemcpy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`src` must lead to `ByteCount` bytes that can be read, and `dst` to as many that can be written; where one of
them is host memory, nothing else may write it meanwhile, nor read what is written.*/
pub type PFN_cuMemcpy = unsafe extern "C" fn(
    dst: CUdeviceptr,
    src: CUdeviceptr,
    ByteCount: usize,
) -> CUresult;
/**Copies from host to device.

[`cuMemcpyHtoD`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemcpyHtoD_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`srcHost` must lead to `ByteCount` bytes that can be read, and `dstDevice` to as many that can be written.
Nothing may write the host memory meanwhile.*/
pub type PFN_cuMemcpyHtoD = unsafe extern "C" fn(
    dstDevice: CUdeviceptr,
    srcHost: *const ::core::ffi::c_void,
    ByteCount: usize,
) -> CUresult;
/**Copies from device to host.

[`cuMemcpyDtoH`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemcpyDtoH_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`srcDevice` must lead to `ByteCount` bytes that can be read, and `dstHost` to as many that can be written.
Nothing else may read or write the host memory meanwhile.*/
pub type PFN_cuMemcpyDtoH = unsafe extern "C" fn(
    dstHost: *mut ::core::ffi::c_void,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
) -> CUresult;
/**Copies between device addresses.

[`cuMemcpyDtoD`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemcpyDtoD_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`srcDevice` must lead to `ByteCount` bytes that can be read, and `dstDevice` to as many that can be written.*/
pub type PFN_cuMemcpyDtoD = unsafe extern "C" fn(
    dstDevice: CUdeviceptr,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
) -> CUresult;
/**Copies between the memory of two contexts.

[`cuMemcpyPeer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`srcDevice` must lead to `ByteCount` bytes in `srcContext`, and `dstDevice` to as many in `dstContext`. Neither
context may be destroyed.*/
pub type PFN_cuMemcpyPeer = unsafe extern "C" fn(
    dstDevice: CUdeviceptr,
    dstContext: CUcontext,
    srcDevice: CUdeviceptr,
    srcContext: CUcontext,
    ByteCount: usize,
) -> CUresult;
/**Enqueues a copy between any two addresses.

[`cuMemcpyAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`src` must lead to `ByteCount` bytes that can be read, and `dst` to as many that can be written, from the call
until the stream has passed it; so long, nothing else may write host memory among them, nor read what is
written. `hStream` must be null, a predefined stream or one that was not destroyed.*/
pub type PFN_cuMemcpyAsync = unsafe extern "C" fn(
    dst: CUdeviceptr,
    src: CUdeviceptr,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult;
/**Enqueues a copy from host to device.

[`cuMemcpyHtoDAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemcpyHtoDAsync_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`srcHost` must lead to `ByteCount` bytes that can be read, and `dstDevice` to as many that can be written, from
the call until the stream has passed it; so long, nothing may write the host memory. `hStream` must be null, a
predefined stream or one that was not destroyed.*/
pub type PFN_cuMemcpyHtoDAsync = unsafe extern "C" fn(
    dstDevice: CUdeviceptr,
    srcHost: *const ::core::ffi::c_void,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult;
/**Enqueues a copy from device to host.

[`cuMemcpyDtoHAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemcpyDtoHAsync_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`srcDevice` must lead to `ByteCount` bytes that can be read, and `dstHost` to as many that can be written, from
the call until the stream has passed it; so long, nothing else may read or write the host memory. `hStream` must
be null, a predefined stream or one that was not destroyed.*/
pub type PFN_cuMemcpyDtoHAsync = unsafe extern "C" fn(
    dstHost: *mut ::core::ffi::c_void,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult;
/**Enqueues a copy between device addresses.

[`cuMemcpyDtoDAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemcpyDtoDAsync_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`srcDevice` must lead to `ByteCount` bytes that can be read, and `dstDevice` to as many that can be written,
from the call until the stream has passed it. `hStream` must be null, a predefined stream or one that was not
destroyed.*/
pub type PFN_cuMemcpyDtoDAsync = unsafe extern "C" fn(
    dstDevice: CUdeviceptr,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult;
/**Enqueues a copy between the memory of two contexts.

[`cuMemcpyPeerAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`srcDevice` must lead to `ByteCount` bytes in `srcContext`, and `dstDevice` to as many in `dstContext`, from the
call until the stream has passed it. Neither context may be destroyed. `hStream` must be null, a predefined
stream or one that was not destroyed.*/
pub type PFN_cuMemcpyPeerAsync = unsafe extern "C" fn(
    dstDevice: CUdeviceptr,
    dstContext: CUcontext,
    srcDevice: CUdeviceptr,
    srcContext: CUcontext,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult;
/**Fills device memory with a byte.

[`cuMemsetD8`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemsetD8_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`dstDevice` must lead to `N` bytes that can be written.*/
pub type PFN_cuMemsetD8 = unsafe extern "C" fn(
    dstDevice: CUdeviceptr,
    uc: ::core::ffi::c_uchar,
    N: usize,
) -> CUresult;
/**Fills device memory with a 32-bit word.

[`cuMemsetD32`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemsetD32_v2`; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`dstDevice` must lead to `N` words of 32 bits, aligned, that can be written.*/
pub type PFN_cuMemsetD32 = unsafe extern "C" fn(
    dstDevice: CUdeviceptr,
    ui: ::core::ffi::c_uint,
    N: usize,
) -> CUresult;
/**Enqueues a fill with a byte.

[`cuMemsetD8Async`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`dstDevice` must lead to `N` bytes that can be written, from the call until the stream has passed it. `hStream`
must be null, a predefined stream or one that was not destroyed.*/
pub type PFN_cuMemsetD8Async = unsafe extern "C" fn(
    dstDevice: CUdeviceptr,
    uc: ::core::ffi::c_uchar,
    N: usize,
    hStream: CUstream,
) -> CUresult;
/**Enqueues a fill with a 32-bit word.

[`cuMemsetD32Async`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 3.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`dstDevice` must lead to `N` words of 32 bits, aligned, that can be written, from the call until the stream has
passed it. `hStream` must be null, a predefined stream or one that was not destroyed.*/
pub type PFN_cuMemsetD32Async = unsafe extern "C" fn(
    dstDevice: CUdeviceptr,
    ui: ::core::ffi::c_uint,
    N: usize,
    hStream: CUstream,
) -> CUresult;
/**Reserves a range of addresses.

[`cuMemAddressReserve`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`ptr` must be valid for writing.*/
pub type PFN_cuMemAddressReserve = unsafe extern "C" fn(
    ptr: *mut CUdeviceptr,
    size: usize,
    alignment: usize,
    addr: CUdeviceptr,
    flags: ::core::ffi::c_ulonglong,
) -> CUresult;
/**Gives a reserved range back.

[`cuMemAddressFree`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`ptr` and `size` must be a whole reservation, without a mapping in it, and the addresses must not be used
afterwards.*/
pub type PFN_cuMemAddressFree = unsafe extern "C" fn(
    ptr: CUdeviceptr,
    size: usize,
) -> CUresult;
/**Allocates physical memory without an address.

[`cuMemCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`handle` must be valid for writing, and `prop` must lead to properties whose reserved bytes are zero.*/
pub type PFN_cuMemCreate = unsafe extern "C" fn(
    handle: *mut CUmemGenericAllocationHandle,
    size: usize,
    prop: *const CUmemAllocationProp,
    flags: ::core::ffi::c_ulonglong,
) -> CUresult;
/**Gives an allocation handle back; the memory lives as long as anything maps or shares it.

[`cuMemRelease`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`handle` must be an allocation's or a multicast object's that was not released, once for each create, import and
retain, and not be used afterwards. Mappings of the memory stay.*/
pub type PFN_cuMemRelease = unsafe extern "C" fn(
    handle: CUmemGenericAllocationHandle,
) -> CUresult;
/**Maps physical memory into a reserved range.

[`cuMemMap`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_ILLEGAL_STATE`](CUresult::CUDA_ERROR_ILLEGAL_STATE).

# Safety
`ptr` and `size` must lie in a reservation of this process, and `handle` be an allocation's or a multicast
object's that was not released. What is mapped must be seen as shared memory wherever it is mapped twice or
imported: no reference of Rust may be made to it.*/
pub type PFN_cuMemMap = unsafe extern "C" fn(
    ptr: CUdeviceptr,
    size: usize,
    offset: usize,
    handle: CUmemGenericAllocationHandle,
    flags: ::core::ffi::c_ulonglong,
) -> CUresult;
/**Unmaps whole mappings.

[`cuMemUnmap`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`ptr` and `size` must cover whole mappings. No work that still runs may use the memory, and nothing may use it
afterwards.*/
pub type PFN_cuMemUnmap = unsafe extern "C" fn(
    ptr: CUdeviceptr,
    size: usize,
) -> CUresult;
/**Sets which locations may reach a mapped range, and how.

[`cuMemSetAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`desc` must lead to `count` descriptions. No work that still runs may use the memory from a place that loses
access.*/
pub type PFN_cuMemSetAccess = unsafe extern "C" fn(
    ptr: CUdeviceptr,
    size: usize,
    desc: *const CUmemAccessDesc,
    count: usize,
) -> CUresult;
/**The access that a location has at an address.

[`cuMemGetAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`flags` must be valid for writing, and `location` must lead to a place.*/
pub type PFN_cuMemGetAccess = unsafe extern "C" fn(
    flags: *mut ::core::ffi::c_ulonglong,
    location: *const CUmemLocation,
    ptr: CUdeviceptr,
) -> CUresult;
/**Exports an allocation handle as a file descriptor or fabric handle.

[`cuMemExportToShareableHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`shareableHandle` must be valid for writing what `handleType` says: an `int` for a file descriptor, which is
then the caller's to close, or 64 bytes for a fabric handle. `handle` must be an allocation's or a multicast
object's that was not released.*/
pub type PFN_cuMemExportToShareableHandle = unsafe extern "C" fn(
    shareableHandle: *mut ::core::ffi::c_void,
    handle: CUmemGenericAllocationHandle,
    handleType: CUmemAllocationHandleType,
    flags: ::core::ffi::c_ulonglong,
) -> CUresult;
/**Imports what cuMemExportToShareableHandle exported.

[`cuMemImportFromShareableHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`handle` must be valid for writing. For a file descriptor, `osHandle` is its number itself, cast to a pointer,
and the descriptor stays the caller's; for a fabric handle it leads to 64 bytes as their exporter made them.
Another process may change or free what lies there at any time, so no reference of Rust may be made to it.*/
pub type PFN_cuMemImportFromShareableHandle = unsafe extern "C" fn(
    handle: *mut CUmemGenericAllocationHandle,
    osHandle: *mut ::core::ffi::c_void,
    shHandleType: CUmemAllocationHandleType,
) -> CUresult;
/**The granularity of sizes and addresses for given properties.

[`cuMemGetAllocationGranularity`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`granularity` must be valid for writing, and `prop` must lead to properties.*/
pub type PFN_cuMemGetAllocationGranularity = unsafe extern "C" fn(
    granularity: *mut usize,
    prop: *const CUmemAllocationProp,
    option: CUmemAllocationGranularity_flags,
) -> CUresult;
/**The properties an allocation was made with.

[`cuMemGetAllocationPropertiesFromHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`prop` must be valid for writing, and `handle` must be an allocation's that was not released.*/
pub type PFN_cuMemGetAllocationPropertiesFromHandle = unsafe extern "C" fn(
    prop: *mut CUmemAllocationProp,
    handle: CUmemGenericAllocationHandle,
) -> CUresult;
/**The allocation handle behind a mapped address, with a reference of its own.

[`cuMemRetainAllocationHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 11.0.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`handle` must be valid for writing. `addr` may be any address: it is looked up, and not read.*/
pub type PFN_cuMemRetainAllocationHandle = unsafe extern "C" fn(
    handle: *mut CUmemGenericAllocationHandle,
    addr: *mut ::core::ffi::c_void,
) -> CUresult;
/**Creates a multicast object over several devices.

[`cuMulticastCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in C; this signature since CUDA 12.1.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`mcHandle` must be valid for writing, and `prop` must lead to properties.*/
pub type PFN_cuMulticastCreate = unsafe extern "C" fn(
    mcHandle: *mut CUmemGenericAllocationHandle,
    prop: *const CUmulticastObjectProp,
) -> CUresult;
/**Adds a device to a multicast object.

[`cuMulticastAddDevice`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in C; this signature since CUDA 12.1.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`mcHandle` must be a multicast object's that was not released.*/
pub type PFN_cuMulticastAddDevice = unsafe extern "C" fn(
    mcHandle: CUmemGenericAllocationHandle,
    dev: CUdevice,
) -> CUresult;
/**Binds an allocation handle to a multicast object.

[`cuMulticastBindMem`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in C; this signature since CUDA 12.1.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_SYSTEM_NOT_READY`](CUresult::CUDA_ERROR_SYSTEM_NOT_READY), [`CUDA_ERROR_ILLEGAL_STATE`](CUresult::CUDA_ERROR_ILLEGAL_STATE), [`CUDA_ERROR_MULTICAST_RESOURCE_FULL`](CUresult::CUDA_ERROR_MULTICAST_RESOURCE_FULL).

# Safety
`mcHandle` and `memHandle` must be a multicast object's and an allocation's that were not released.*/
pub type PFN_cuMulticastBindMem = unsafe extern "C" fn(
    mcHandle: CUmemGenericAllocationHandle,
    mcOffset: usize,
    memHandle: CUmemGenericAllocationHandle,
    memOffset: usize,
    size: usize,
    flags: ::core::ffi::c_ulonglong,
) -> CUresult;
/**Binds mapped memory to a multicast object.

[`cuMulticastBindAddr`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in C; this signature since CUDA 12.1.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_SYSTEM_NOT_READY`](CUresult::CUDA_ERROR_SYSTEM_NOT_READY), [`CUDA_ERROR_ILLEGAL_STATE`](CUresult::CUDA_ERROR_ILLEGAL_STATE), [`CUDA_ERROR_MULTICAST_RESOURCE_FULL`](CUresult::CUDA_ERROR_MULTICAST_RESOURCE_FULL).

# Safety
`mcHandle` must be a multicast object's that was not released, and `memptr` lead to `size` bytes that are
mapped.*/
pub type PFN_cuMulticastBindAddr = unsafe extern "C" fn(
    mcHandle: CUmemGenericAllocationHandle,
    mcOffset: usize,
    memptr: CUdeviceptr,
    size: usize,
    flags: ::core::ffi::c_ulonglong,
) -> CUresult;
/**Ends a binding to a multicast object.

[`cuMulticastUnbind`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in C; this signature since CUDA 12.1.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`mcHandle` must be a multicast object's that was not released. No work that still runs may use the range through
the object.*/
pub type PFN_cuMulticastUnbind = unsafe extern "C" fn(
    mcHandle: CUmemGenericAllocationHandle,
    dev: CUdevice,
    mcOffset: usize,
    size: usize,
) -> CUresult;
/**The granularity of sizes and offsets of a multicast object.

[`cuMulticastGetGranularity`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in C; this signature since CUDA 12.1.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`granularity` must be valid for writing, and `prop` must lead to properties.*/
pub type PFN_cuMulticastGetGranularity = unsafe extern "C" fn(
    granularity: *mut usize,
    prop: *const CUmulticastObjectProp,
    option: CUmulticastGranularity_flags,
) -> CUresult;
/**Creates a memory pool.

[`cuMemPoolCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`pool` must be valid for writing, and `poolProps` must lead to properties whose reserved bytes are zero.*/
pub type PFN_cuMemPoolCreate = unsafe extern "C" fn(
    pool: *mut CUmemoryPool,
    poolProps: *const CUmemPoolProps,
) -> CUresult;
/**Destroys a pool; its live allocations stay until they are freed.

[`cuMemPoolDestroy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pool` must be a pool that was not destroyed, and not be used afterwards.*/
pub type PFN_cuMemPoolDestroy = unsafe extern "C" fn(pool: CUmemoryPool) -> CUresult;
/**Gives a pool's unused memory back to the system.

[`cuMemPoolTrimTo`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pool` must be a pool that was not destroyed.*/
pub type PFN_cuMemPoolTrimTo = unsafe extern "C" fn(
    pool: CUmemoryPool,
    minBytesToKeep: usize,
) -> CUresult;
/**One attribute of a pool.

[`cuMemPoolGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pool` must be a pool that was not destroyed, and `value` must be valid for writing what the attribute is: an
`int` or a 64-bit integer.*/
pub type PFN_cuMemPoolGetAttribute = unsafe extern "C" fn(
    pool: CUmemoryPool,
    attr: CUmemPool_attribute,
    value: *mut ::core::ffi::c_void,
) -> CUresult;
/**Sets an attribute of a pool.

[`cuMemPoolSetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pool` must be a pool that was not destroyed, and `value` must lead to what the attribute is: an `int` or a
64-bit integer.*/
pub type PFN_cuMemPoolSetAttribute = unsafe extern "C" fn(
    pool: CUmemoryPool,
    attr: CUmemPool_attribute,
    value: *mut ::core::ffi::c_void,
) -> CUresult;
/**The access that a location has to a pool's memory.

[`cuMemPoolGetAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: none of its own.

# Safety
`flags` must be valid for writing, `memPool` must be a pool that was not destroyed, and `location` must lead to
a place.*/
pub type PFN_cuMemPoolGetAccess = unsafe extern "C" fn(
    flags: *mut CUmemAccess_flags,
    memPool: CUmemoryPool,
    location: *mut CUmemLocation,
) -> CUresult;
/**Sets which devices may reach a pool's memory.

[`cuMemPoolSetAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`pool` must be a pool that was not destroyed, and `map` must lead to `count` descriptions. No work that still
runs may use the memory from a device that loses access.*/
pub type PFN_cuMemPoolSetAccess = unsafe extern "C" fn(
    pool: CUmemoryPool,
    map: *const CUmemAccessDesc,
    count: usize,
) -> CUresult;
/**A device's default pool.

[`cuDeviceGetDefaultMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`pool_out` must be valid for writing.*/
pub type PFN_cuDeviceGetDefaultMemPool = unsafe extern "C" fn(
    pool_out: *mut CUmemoryPool,
    dev: CUdevice,
) -> CUresult;
/**A device's current pool.

[`cuDeviceGetMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pool` must be valid for writing.*/
pub type PFN_cuDeviceGetMemPool = unsafe extern "C" fn(
    pool: *mut CUmemoryPool,
    dev: CUdevice,
) -> CUresult;
/**Makes a pool a device's current one.

[`cuDeviceSetMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pool` must be a pool that was not destroyed.*/
pub type PFN_cuDeviceSetMemPool = unsafe extern "C" fn(
    dev: CUdevice,
    pool: CUmemoryPool,
) -> CUresult;
/**The default pool of a location and allocation type.

[`cuMemGetDefaultMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 13.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`pool_out` must be valid for writing, and `location` must lead to a place.*/
pub type PFN_cuMemGetDefaultMemPool = unsafe extern "C" fn(
    pool_out: *mut CUmemoryPool,
    location: *mut CUmemLocation,
    type_: CUmemAllocationType,
) -> CUresult;
/**The current pool of a location and allocation type.

[`cuMemGetMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 13.0.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`pool_out` must be valid for writing, and `location` must lead to a place.*/
pub type PFN_cuMemGetMemPool = unsafe extern "C" fn(
    pool_out: *mut CUmemoryPool,
    location: *mut CUmemLocation,
    type_: CUmemAllocationType,
) -> CUresult;
/**Makes a pool the current one of a location and allocation type.

[`cuMemSetMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 13.0.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`location` must lead to a place, and `pool` must be a pool that was not destroyed and stay so while it is
chosen.*/
pub type PFN_cuMemSetMemPool = unsafe extern "C" fn(
    location: *mut CUmemLocation,
    type_: CUmemAllocationType,
    pool: CUmemoryPool,
) -> CUresult;
/**Enqueues an allocation from the device's current pool.

[`cuMemAllocAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`dptr` must be valid for writing, and `hStream` must be null, a predefined stream or one that was not destroyed.
The memory may be used by work that comes after the call in that stream, or in another that waits for it.*/
pub type PFN_cuMemAllocAsync = unsafe extern "C" fn(
    dptr: *mut CUdeviceptr,
    bytesize: usize,
    hStream: CUstream,
) -> CUresult;
/**Enqueues an allocation from a pool.

[`cuMemAllocFromPoolAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`dptr` must be valid for writing, `pool` must be a pool that was not destroyed, and `hStream` must be null, a
predefined stream or one that was not destroyed. The memory may be used by work that comes after the call in
that stream, or in another that waits for it.*/
pub type PFN_cuMemAllocFromPoolAsync = unsafe extern "C" fn(
    dptr: *mut CUdeviceptr,
    bytesize: usize,
    pool: CUmemoryPool,
    hStream: CUstream,
) -> CUresult;
/**Enqueues a free.

[`cuMemFreeAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`dptr` must come from a stream-ordered allocation, a pool import, or an allocation node that no node of its own
graph frees, and not be freed yet. `hStream` must be null, a predefined stream or one that was not destroyed. No
work may use the memory that is not ordered before the call; an import must be freed, in stream order, before
its exporter's allocation is.*/
pub type PFN_cuMemFreeAsync = unsafe extern "C" fn(
    dptr: CUdeviceptr,
    hStream: CUstream,
) -> CUresult;
/**Exports a pool as a file descriptor or fabric handle.

[`cuMemPoolExportToShareableHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`handle_out` must be valid for writing what `handleType` says: an `int` for a file descriptor, which is then the
caller's to close, or 64 bytes for a fabric handle. `pool` must be a pool that was not destroyed.*/
pub type PFN_cuMemPoolExportToShareableHandle = unsafe extern "C" fn(
    handle_out: *mut ::core::ffi::c_void,
    pool: CUmemoryPool,
    handleType: CUmemAllocationHandleType,
    flags: ::core::ffi::c_ulonglong,
) -> CUresult;
/**Imports a pool that another process exported.

[`cuMemPoolImportFromShareableHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`pool_out` must be valid for writing. For a file descriptor, `handle` is its number itself, cast to a pointer,
and the descriptor stays the caller's; for a fabric handle it leads to 64 bytes as their exporter made them.
Another process may change or free what lies there at any time, so no reference of Rust may be made to it.*/
pub type PFN_cuMemPoolImportFromShareableHandle = unsafe extern "C" fn(
    pool_out: *mut CUmemoryPool,
    handle: *mut ::core::ffi::c_void,
    handleType: CUmemAllocationHandleType,
    flags: ::core::ffi::c_ulonglong,
) -> CUresult;
/**Exports an allocation of a shared pool as 64 bytes.

[`cuMemPoolExportPointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`shareData_out` must be valid for writing, and `ptr` must come from a pool that can be exported.*/
pub type PFN_cuMemPoolExportPointer = unsafe extern "C" fn(
    shareData_out: *mut CUmemPoolPtrExportData,
    ptr: CUdeviceptr,
) -> CUresult;
/**Imports an allocation of an imported pool.

[`cuMemPoolImportPointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`ptr_out` must be valid for writing, `pool` must be a pool that was not destroyed, and `shareData` must lead to
data as its exporter made it. The exporter must not free the memory while it is used here, and it is not to be
used before the work that the exporter ordered its allocation after. Another process may change or free what
lies there at any time, so no reference of Rust may be made to it.*/
pub type PFN_cuMemPoolImportPointer = unsafe extern "C" fn(
    ptr_out: *mut CUdeviceptr,
    pool: CUmemoryPool,
    shareData: *mut CUmemPoolPtrExportData,
) -> CUresult;
/**Imports memory that another API exported.

[`cuImportExternalMemory`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXTRES__INTEROP.html) in C; this signature since CUDA 10.0.

# Errors
Documented codes: [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_OPERATING_SYSTEM`](CUresult::CUDA_ERROR_OPERATING_SYSTEM).

# Safety
`extMem_out` must be valid for writing. `memHandleDesc` must lead to a description of memory as its exporter
made it. A file descriptor in it becomes the driver's where the call succeeds, and must not be used or closed
afterwards. Another process may change or free what lies there at any time, so no reference of Rust may be made
to it.*/
pub type PFN_cuImportExternalMemory = unsafe extern "C" fn(
    extMem_out: *mut CUexternalMemory,
    memHandleDesc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
) -> CUresult;
/**Gives imported external memory back.

[`cuDestroyExternalMemory`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXTRES__INTEROP.html) in C; this signature since CUDA 10.0.

# Errors
Documented codes: [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`extMem` must be an import that was not destroyed, with every mapping of it freed, and not be used afterwards.*/
pub type PFN_cuDestroyExternalMemory = unsafe extern "C" fn(
    extMem: CUexternalMemory,
) -> CUresult;
/**Creates an empty graph.

[`cuGraphCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 10.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`phGraph` must be valid for writing.*/
pub type PFN_cuGraphCreate = unsafe extern "C" fn(
    phGraph: *mut CUgraph,
    flags: ::core::ffi::c_uint,
) -> CUresult;
/**Destroys a graph.

[`cuGraphDestroy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 10.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`hGraph` must be a graph that was not destroyed, and not be used afterwards.*/
pub type PFN_cuGraphDestroy = unsafe extern "C" fn(hGraph: CUgraph) -> CUresult;
/**Adds a node that allocates memory when it runs.

[`cuGraphAddMemAllocNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 11.4.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`phGraphNode` must be valid for writing, and `hGraph` must be a graph that was not destroyed. `dependencies`
must lead to `numDependencies` nodes of that graph, or be null where there are none. `nodeParams` must be valid
for reading and writing, since it gets the address, and its `accessDescs` lead to `accessDescCount`
descriptions.*/
pub type PFN_cuGraphAddMemAllocNode = unsafe extern "C" fn(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    nodeParams: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
) -> CUresult;
/**Adds a node that frees memory when it runs.

[`cuGraphAddMemFreeNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 11.4.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`phGraphNode` must be valid for writing, and `hGraph` must be a graph that was not destroyed. `dependencies`
must lead to `numDependencies` nodes of that graph, or be null where there are none. `dptr` must come from a
node that allocates, and no node may use it that is not ordered before.*/
pub type PFN_cuGraphAddMemFreeNode = unsafe extern "C" fn(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    dptr: CUdeviceptr,
) -> CUresult;
/**Adds a node that records an event.

[`cuGraphAddEventRecordNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 11.1.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`phGraphNode` must be valid for writing, and `hGraph` must be a graph that was not destroyed. `dependencies`
must lead to `numDependencies` nodes of that graph, or be null where there are none. `event` must be an event
that was not destroyed, and stay so while the graph can run.*/
pub type PFN_cuGraphAddEventRecordNode = unsafe extern "C" fn(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    event: CUevent,
) -> CUresult;
/**Adds a node that waits for an event.

[`cuGraphAddEventWaitNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 11.1.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`phGraphNode` must be valid for writing, and `hGraph` must be a graph that was not destroyed. `dependencies`
must lead to `numDependencies` nodes of that graph, or be null where there are none. `event` must be an event
that was not destroyed, and stay so while the graph can run.*/
pub type PFN_cuGraphAddEventWaitNode = unsafe extern "C" fn(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    event: CUevent,
) -> CUresult;
/**Makes an executable graph.

[`cuGraphInstantiateWithFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 11.4.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`phGraphExec` must be valid for writing, and `hGraph` must be a graph that was not destroyed.*/
pub type PFN_cuGraphInstantiateWithFlags = unsafe extern "C" fn(
    phGraphExec: *mut CUgraphExec,
    hGraph: CUgraph,
    flags: ::core::ffi::c_ulonglong,
) -> CUresult;
/**Launches an executable graph into a stream.

[`cuGraphLaunch`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 10.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`hGraph` must be an executable graph that was not destroyed, and `hStream` must be null, a predefined stream or
one that was not destroyed. What its nodes use must be valid until the stream has passed them.*/
pub type PFN_cuGraphLaunch = unsafe extern "C" fn(
    hGraph: CUgraphExec,
    hStream: CUstream,
) -> CUresult;
/**Destroys an executable graph.

[`cuGraphExecDestroy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 10.0.

# Errors
Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`hGraphExec` must be an executable graph that was not destroyed, and not be used afterwards.*/
pub type PFN_cuGraphExecDestroy = unsafe extern "C" fn(
    hGraphExec: CUgraphExec,
) -> CUresult;
/**Has the driver hand its log lines to a function.

[`cuLogsRegisterCallback`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LOGS.html) in C; this signature since CUDA 12.9.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`callbackFunc` must be a function that may be called with `userData` from any thread until it is unregistered,
and must not unwind or make a CUDA call. `callback` must be valid for writing or null.*/
pub type PFN_cuLogsRegisterCallback = unsafe extern "C" fn(
    callbackFunc: CUlogsCallback,
    userData: *mut ::core::ffi::c_void,
    callback: *mut CUlogsCallbackHandle,
) -> CUresult;
/**Ends what cuLogsRegisterCallback began.

[`cuLogsUnregisterCallback`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LOGS.html) in C; this signature since CUDA 12.9.

# Errors
Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`callback` must be a registration that was not ended.*/
pub type PFN_cuLogsUnregisterCallback = unsafe extern "C" fn(
    callback: CUlogsCallbackHandle,
) -> CUresult;
///Every function of the driver that these bindings know: its name, its version and what it is exported as.
pub const SYMBOLS: [Symbol; 151usize] = [
    Symbol {
        name: c"cuInit",
        exported: c"cuInit",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuDriverGetVersion",
        exported: c"cuDriverGetVersion",
        since: CudaVersion(2020u32),
    },
    Symbol {
        name: c"cuGetErrorName",
        exported: c"cuGetErrorName",
        since: CudaVersion(6000u32),
    },
    Symbol {
        name: c"cuGetErrorString",
        exported: c"cuGetErrorString",
        since: CudaVersion(6000u32),
    },
    Symbol {
        name: c"cuGetProcAddress",
        exported: c"cuGetProcAddress_v2",
        since: CudaVersion(12000u32),
    },
    Symbol {
        name: c"cuDeviceGet",
        exported: c"cuDeviceGet",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuDeviceGetCount",
        exported: c"cuDeviceGetCount",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuDeviceGetName",
        exported: c"cuDeviceGetName",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuDeviceGetUuid",
        exported: c"cuDeviceGetUuid_v2",
        since: CudaVersion(11040u32),
    },
    Symbol {
        name: c"cuDeviceTotalMem",
        exported: c"cuDeviceTotalMem_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuDeviceGetAttribute",
        exported: c"cuDeviceGetAttribute",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuDeviceGetByPCIBusId",
        exported: c"cuDeviceGetByPCIBusId",
        since: CudaVersion(4010u32),
    },
    Symbol {
        name: c"cuDeviceGetPCIBusId",
        exported: c"cuDeviceGetPCIBusId",
        since: CudaVersion(4010u32),
    },
    Symbol {
        name: c"cuDeviceGetFabricClusterUuid",
        exported: c"cuDeviceGetFabricClusterUuid",
        since: CudaVersion(13040u32),
    },
    Symbol {
        name: c"cuDeviceGetCliqueCount",
        exported: c"cuDeviceGetCliqueCount",
        since: CudaVersion(13040u32),
    },
    Symbol {
        name: c"cuDeviceGetCliqueInfo",
        exported: c"cuDeviceGetCliqueInfo",
        since: CudaVersion(13040u32),
    },
    Symbol {
        name: c"cuDeviceCanAccessPeer",
        exported: c"cuDeviceCanAccessPeer",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuDeviceGetP2PAttribute",
        exported: c"cuDeviceGetP2PAttribute",
        since: CudaVersion(8000u32),
    },
    Symbol {
        name: c"cuDeviceGetP2PAtomicCapabilities",
        exported: c"cuDeviceGetP2PAtomicCapabilities",
        since: CudaVersion(13000u32),
    },
    Symbol {
        name: c"cuCtxEnablePeerAccess",
        exported: c"cuCtxEnablePeerAccess",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuCtxDisablePeerAccess",
        exported: c"cuCtxDisablePeerAccess",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuDevicePrimaryCtxRetain",
        exported: c"cuDevicePrimaryCtxRetain",
        since: CudaVersion(7000u32),
    },
    Symbol {
        name: c"cuDevicePrimaryCtxRelease",
        exported: c"cuDevicePrimaryCtxRelease_v2",
        since: CudaVersion(11000u32),
    },
    Symbol {
        name: c"cuDevicePrimaryCtxReset",
        exported: c"cuDevicePrimaryCtxReset_v2",
        since: CudaVersion(11000u32),
    },
    Symbol {
        name: c"cuDevicePrimaryCtxGetState",
        exported: c"cuDevicePrimaryCtxGetState",
        since: CudaVersion(7000u32),
    },
    Symbol {
        name: c"cuCtxCreate",
        exported: c"cuCtxCreate_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuCtxDestroy",
        exported: c"cuCtxDestroy_v2",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuCtxPushCurrent",
        exported: c"cuCtxPushCurrent_v2",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuCtxPopCurrent",
        exported: c"cuCtxPopCurrent_v2",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuCtxSetCurrent",
        exported: c"cuCtxSetCurrent",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuCtxGetCurrent",
        exported: c"cuCtxGetCurrent",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuCtxGetDevice",
        exported: c"cuCtxGetDevice",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuCtxSynchronize",
        exported: c"cuCtxSynchronize",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuCtxGetFlags",
        exported: c"cuCtxGetFlags",
        since: CudaVersion(7000u32),
    },
    Symbol {
        name: c"cuCtxSetFlags",
        exported: c"cuCtxSetFlags",
        since: CudaVersion(12010u32),
    },
    Symbol {
        name: c"cuCtxGetApiVersion",
        exported: c"cuCtxGetApiVersion",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuCtxRecordEvent",
        exported: c"cuCtxRecordEvent",
        since: CudaVersion(12050u32),
    },
    Symbol {
        name: c"cuModuleLoadData",
        exported: c"cuModuleLoadData",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuModuleUnload",
        exported: c"cuModuleUnload",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuModuleGetFunction",
        exported: c"cuModuleGetFunction",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuModuleGetGlobal",
        exported: c"cuModuleGetGlobal_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuLaunchKernel",
        exported: c"cuLaunchKernel",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuLaunchKernelEx",
        exported: c"cuLaunchKernelEx",
        since: CudaVersion(11060u32),
    },
    Symbol {
        name: c"cuStreamCreate",
        exported: c"cuStreamCreate",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuStreamCreateWithPriority",
        exported: c"cuStreamCreateWithPriority",
        since: CudaVersion(5050u32),
    },
    Symbol {
        name: c"cuStreamDestroy",
        exported: c"cuStreamDestroy_v2",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuStreamQuery",
        exported: c"cuStreamQuery",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuStreamSynchronize",
        exported: c"cuStreamSynchronize",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuStreamWaitEvent",
        exported: c"cuStreamWaitEvent",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuStreamGetCtx",
        exported: c"cuStreamGetCtx",
        since: CudaVersion(9020u32),
    },
    Symbol {
        name: c"cuStreamBeginCapture",
        exported: c"cuStreamBeginCapture_v2",
        since: CudaVersion(10010u32),
    },
    Symbol {
        name: c"cuStreamEndCapture",
        exported: c"cuStreamEndCapture",
        since: CudaVersion(10000u32),
    },
    Symbol {
        name: c"cuStreamIsCapturing",
        exported: c"cuStreamIsCapturing",
        since: CudaVersion(10000u32),
    },
    Symbol {
        name: c"cuStreamWriteValue32",
        exported: c"cuStreamWriteValue32_v2",
        since: CudaVersion(11070u32),
    },
    Symbol {
        name: c"cuStreamWriteValue64",
        exported: c"cuStreamWriteValue64_v2",
        since: CudaVersion(11070u32),
    },
    Symbol {
        name: c"cuStreamWaitValue32",
        exported: c"cuStreamWaitValue32_v2",
        since: CudaVersion(11070u32),
    },
    Symbol {
        name: c"cuStreamWaitValue64",
        exported: c"cuStreamWaitValue64_v2",
        since: CudaVersion(11070u32),
    },
    Symbol {
        name: c"cuLaunchHostFunc",
        exported: c"cuLaunchHostFunc",
        since: CudaVersion(10000u32),
    },
    Symbol {
        name: c"cuEventCreate",
        exported: c"cuEventCreate",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuEventDestroy",
        exported: c"cuEventDestroy_v2",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuEventRecord",
        exported: c"cuEventRecord",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuEventQuery",
        exported: c"cuEventQuery",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuEventSynchronize",
        exported: c"cuEventSynchronize",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuEventElapsedTime",
        exported: c"cuEventElapsedTime",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuIpcGetMemHandle",
        exported: c"cuIpcGetMemHandle",
        since: CudaVersion(4010u32),
    },
    Symbol {
        name: c"cuIpcOpenMemHandle",
        exported: c"cuIpcOpenMemHandle_v2",
        since: CudaVersion(11000u32),
    },
    Symbol {
        name: c"cuIpcCloseMemHandle",
        exported: c"cuIpcCloseMemHandle",
        since: CudaVersion(4010u32),
    },
    Symbol {
        name: c"cuIpcGetEventHandle",
        exported: c"cuIpcGetEventHandle",
        since: CudaVersion(4010u32),
    },
    Symbol {
        name: c"cuIpcOpenEventHandle",
        exported: c"cuIpcOpenEventHandle",
        since: CudaVersion(4010u32),
    },
    Symbol {
        name: c"cuMemGetInfo",
        exported: c"cuMemGetInfo_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemAlloc",
        exported: c"cuMemAlloc_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemAllocPitch",
        exported: c"cuMemAllocPitch_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemFree",
        exported: c"cuMemFree_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemGetAddressRange",
        exported: c"cuMemGetAddressRange_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemGetHandleForAddressRange",
        exported: c"cuMemGetHandleForAddressRange",
        since: CudaVersion(11070u32),
    },
    Symbol {
        name: c"cuMemAllocHost",
        exported: c"cuMemAllocHost_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemFreeHost",
        exported: c"cuMemFreeHost",
        since: CudaVersion(2000u32),
    },
    Symbol {
        name: c"cuMemHostAlloc",
        exported: c"cuMemHostAlloc",
        since: CudaVersion(2020u32),
    },
    Symbol {
        name: c"cuMemHostGetDevicePointer",
        exported: c"cuMemHostGetDevicePointer_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemHostRegister",
        exported: c"cuMemHostRegister_v2",
        since: CudaVersion(6050u32),
    },
    Symbol {
        name: c"cuMemHostUnregister",
        exported: c"cuMemHostUnregister",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuMemAllocManaged",
        exported: c"cuMemAllocManaged",
        since: CudaVersion(6000u32),
    },
    Symbol {
        name: c"cuPointerGetAttribute",
        exported: c"cuPointerGetAttribute",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuPointerGetAttributes",
        exported: c"cuPointerGetAttributes",
        since: CudaVersion(7000u32),
    },
    Symbol {
        name: c"cuPointerSetAttribute",
        exported: c"cuPointerSetAttribute",
        since: CudaVersion(6000u32),
    },
    Symbol {
        name: c"cuMemcpy",
        exported: c"cuMemcpy",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuMemcpyHtoD",
        exported: c"cuMemcpyHtoD_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemcpyDtoH",
        exported: c"cuMemcpyDtoH_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemcpyDtoD",
        exported: c"cuMemcpyDtoD_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemcpyPeer",
        exported: c"cuMemcpyPeer",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuMemcpyAsync",
        exported: c"cuMemcpyAsync",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuMemcpyHtoDAsync",
        exported: c"cuMemcpyHtoDAsync_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemcpyDtoHAsync",
        exported: c"cuMemcpyDtoHAsync_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemcpyDtoDAsync",
        exported: c"cuMemcpyDtoDAsync_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemcpyPeerAsync",
        exported: c"cuMemcpyPeerAsync",
        since: CudaVersion(4000u32),
    },
    Symbol {
        name: c"cuMemsetD8",
        exported: c"cuMemsetD8_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemsetD32",
        exported: c"cuMemsetD32_v2",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemsetD8Async",
        exported: c"cuMemsetD8Async",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemsetD32Async",
        exported: c"cuMemsetD32Async",
        since: CudaVersion(3020u32),
    },
    Symbol {
        name: c"cuMemAddressReserve",
        exported: c"cuMemAddressReserve",
        since: CudaVersion(10020u32),
    },
    Symbol {
        name: c"cuMemAddressFree",
        exported: c"cuMemAddressFree",
        since: CudaVersion(10020u32),
    },
    Symbol {
        name: c"cuMemCreate",
        exported: c"cuMemCreate",
        since: CudaVersion(10020u32),
    },
    Symbol {
        name: c"cuMemRelease",
        exported: c"cuMemRelease",
        since: CudaVersion(10020u32),
    },
    Symbol {
        name: c"cuMemMap",
        exported: c"cuMemMap",
        since: CudaVersion(10020u32),
    },
    Symbol {
        name: c"cuMemUnmap",
        exported: c"cuMemUnmap",
        since: CudaVersion(10020u32),
    },
    Symbol {
        name: c"cuMemSetAccess",
        exported: c"cuMemSetAccess",
        since: CudaVersion(10020u32),
    },
    Symbol {
        name: c"cuMemGetAccess",
        exported: c"cuMemGetAccess",
        since: CudaVersion(10020u32),
    },
    Symbol {
        name: c"cuMemExportToShareableHandle",
        exported: c"cuMemExportToShareableHandle",
        since: CudaVersion(10020u32),
    },
    Symbol {
        name: c"cuMemImportFromShareableHandle",
        exported: c"cuMemImportFromShareableHandle",
        since: CudaVersion(10020u32),
    },
    Symbol {
        name: c"cuMemGetAllocationGranularity",
        exported: c"cuMemGetAllocationGranularity",
        since: CudaVersion(10020u32),
    },
    Symbol {
        name: c"cuMemGetAllocationPropertiesFromHandle",
        exported: c"cuMemGetAllocationPropertiesFromHandle",
        since: CudaVersion(10020u32),
    },
    Symbol {
        name: c"cuMemRetainAllocationHandle",
        exported: c"cuMemRetainAllocationHandle",
        since: CudaVersion(11000u32),
    },
    Symbol {
        name: c"cuMulticastCreate",
        exported: c"cuMulticastCreate",
        since: CudaVersion(12010u32),
    },
    Symbol {
        name: c"cuMulticastAddDevice",
        exported: c"cuMulticastAddDevice",
        since: CudaVersion(12010u32),
    },
    Symbol {
        name: c"cuMulticastBindMem",
        exported: c"cuMulticastBindMem",
        since: CudaVersion(12010u32),
    },
    Symbol {
        name: c"cuMulticastBindAddr",
        exported: c"cuMulticastBindAddr",
        since: CudaVersion(12010u32),
    },
    Symbol {
        name: c"cuMulticastUnbind",
        exported: c"cuMulticastUnbind",
        since: CudaVersion(12010u32),
    },
    Symbol {
        name: c"cuMulticastGetGranularity",
        exported: c"cuMulticastGetGranularity",
        since: CudaVersion(12010u32),
    },
    Symbol {
        name: c"cuMemPoolCreate",
        exported: c"cuMemPoolCreate",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuMemPoolDestroy",
        exported: c"cuMemPoolDestroy",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuMemPoolTrimTo",
        exported: c"cuMemPoolTrimTo",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuMemPoolGetAttribute",
        exported: c"cuMemPoolGetAttribute",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuMemPoolSetAttribute",
        exported: c"cuMemPoolSetAttribute",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuMemPoolGetAccess",
        exported: c"cuMemPoolGetAccess",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuMemPoolSetAccess",
        exported: c"cuMemPoolSetAccess",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuDeviceGetDefaultMemPool",
        exported: c"cuDeviceGetDefaultMemPool",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuDeviceGetMemPool",
        exported: c"cuDeviceGetMemPool",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuDeviceSetMemPool",
        exported: c"cuDeviceSetMemPool",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuMemGetDefaultMemPool",
        exported: c"cuMemGetDefaultMemPool",
        since: CudaVersion(13000u32),
    },
    Symbol {
        name: c"cuMemGetMemPool",
        exported: c"cuMemGetMemPool",
        since: CudaVersion(13000u32),
    },
    Symbol {
        name: c"cuMemSetMemPool",
        exported: c"cuMemSetMemPool",
        since: CudaVersion(13000u32),
    },
    Symbol {
        name: c"cuMemAllocAsync",
        exported: c"cuMemAllocAsync",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuMemAllocFromPoolAsync",
        exported: c"cuMemAllocFromPoolAsync",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuMemFreeAsync",
        exported: c"cuMemFreeAsync",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuMemPoolExportToShareableHandle",
        exported: c"cuMemPoolExportToShareableHandle",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuMemPoolImportFromShareableHandle",
        exported: c"cuMemPoolImportFromShareableHandle",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuMemPoolExportPointer",
        exported: c"cuMemPoolExportPointer",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuMemPoolImportPointer",
        exported: c"cuMemPoolImportPointer",
        since: CudaVersion(11020u32),
    },
    Symbol {
        name: c"cuImportExternalMemory",
        exported: c"cuImportExternalMemory",
        since: CudaVersion(10000u32),
    },
    Symbol {
        name: c"cuDestroyExternalMemory",
        exported: c"cuDestroyExternalMemory",
        since: CudaVersion(10000u32),
    },
    Symbol {
        name: c"cuGraphCreate",
        exported: c"cuGraphCreate",
        since: CudaVersion(10000u32),
    },
    Symbol {
        name: c"cuGraphDestroy",
        exported: c"cuGraphDestroy",
        since: CudaVersion(10000u32),
    },
    Symbol {
        name: c"cuGraphAddMemAllocNode",
        exported: c"cuGraphAddMemAllocNode",
        since: CudaVersion(11040u32),
    },
    Symbol {
        name: c"cuGraphAddMemFreeNode",
        exported: c"cuGraphAddMemFreeNode",
        since: CudaVersion(11040u32),
    },
    Symbol {
        name: c"cuGraphAddEventRecordNode",
        exported: c"cuGraphAddEventRecordNode",
        since: CudaVersion(11010u32),
    },
    Symbol {
        name: c"cuGraphAddEventWaitNode",
        exported: c"cuGraphAddEventWaitNode",
        since: CudaVersion(11010u32),
    },
    Symbol {
        name: c"cuGraphInstantiateWithFlags",
        exported: c"cuGraphInstantiateWithFlags",
        since: CudaVersion(11040u32),
    },
    Symbol {
        name: c"cuGraphLaunch",
        exported: c"cuGraphLaunch",
        since: CudaVersion(10000u32),
    },
    Symbol {
        name: c"cuGraphExecDestroy",
        exported: c"cuGraphExecDestroy",
        since: CudaVersion(10000u32),
    },
    Symbol {
        name: c"cuLogsRegisterCallback",
        exported: c"cuLogsRegisterCallback",
        since: CudaVersion(12090u32),
    },
    Symbol {
        name: c"cuLogsUnregisterCallback",
        exported: c"cuLogsUnregisterCallback",
        since: CudaVersion(12090u32),
    },
];
///The functions of one driver; `None` where it does not have one.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_snake_case)]
pub struct Functions {
    ///See [`Driver::cuInit`].
    pub cuInit: Option<PFN_cuInit>,
    ///See [`Driver::cuDriverGetVersion`].
    pub cuDriverGetVersion: Option<PFN_cuDriverGetVersion>,
    ///See [`Driver::cuGetErrorName`].
    pub cuGetErrorName: Option<PFN_cuGetErrorName>,
    ///See [`Driver::cuGetErrorString`].
    pub cuGetErrorString: Option<PFN_cuGetErrorString>,
    ///See [`Driver::cuGetProcAddress`].
    pub cuGetProcAddress: Option<PFN_cuGetProcAddress>,
    ///See [`Driver::cuDeviceGet`].
    pub cuDeviceGet: Option<PFN_cuDeviceGet>,
    ///See [`Driver::cuDeviceGetCount`].
    pub cuDeviceGetCount: Option<PFN_cuDeviceGetCount>,
    ///See [`Driver::cuDeviceGetName`].
    pub cuDeviceGetName: Option<PFN_cuDeviceGetName>,
    ///See [`Driver::cuDeviceGetUuid`].
    pub cuDeviceGetUuid: Option<PFN_cuDeviceGetUuid>,
    ///See [`Driver::cuDeviceTotalMem`].
    pub cuDeviceTotalMem: Option<PFN_cuDeviceTotalMem>,
    ///See [`Driver::cuDeviceGetAttribute`].
    pub cuDeviceGetAttribute: Option<PFN_cuDeviceGetAttribute>,
    ///See [`Driver::cuDeviceGetByPCIBusId`].
    pub cuDeviceGetByPCIBusId: Option<PFN_cuDeviceGetByPCIBusId>,
    ///See [`Driver::cuDeviceGetPCIBusId`].
    pub cuDeviceGetPCIBusId: Option<PFN_cuDeviceGetPCIBusId>,
    ///See [`Driver::cuDeviceGetFabricClusterUuid`].
    pub cuDeviceGetFabricClusterUuid: Option<PFN_cuDeviceGetFabricClusterUuid>,
    ///See [`Driver::cuDeviceGetCliqueCount`].
    pub cuDeviceGetCliqueCount: Option<PFN_cuDeviceGetCliqueCount>,
    ///See [`Driver::cuDeviceGetCliqueInfo`].
    pub cuDeviceGetCliqueInfo: Option<PFN_cuDeviceGetCliqueInfo>,
    ///See [`Driver::cuDeviceCanAccessPeer`].
    pub cuDeviceCanAccessPeer: Option<PFN_cuDeviceCanAccessPeer>,
    ///See [`Driver::cuDeviceGetP2PAttribute`].
    pub cuDeviceGetP2PAttribute: Option<PFN_cuDeviceGetP2PAttribute>,
    ///See [`Driver::cuDeviceGetP2PAtomicCapabilities`].
    pub cuDeviceGetP2PAtomicCapabilities: Option<PFN_cuDeviceGetP2PAtomicCapabilities>,
    ///See [`Driver::cuCtxEnablePeerAccess`].
    pub cuCtxEnablePeerAccess: Option<PFN_cuCtxEnablePeerAccess>,
    ///See [`Driver::cuCtxDisablePeerAccess`].
    pub cuCtxDisablePeerAccess: Option<PFN_cuCtxDisablePeerAccess>,
    ///See [`Driver::cuDevicePrimaryCtxRetain`].
    pub cuDevicePrimaryCtxRetain: Option<PFN_cuDevicePrimaryCtxRetain>,
    ///See [`Driver::cuDevicePrimaryCtxRelease`].
    pub cuDevicePrimaryCtxRelease: Option<PFN_cuDevicePrimaryCtxRelease>,
    ///See [`Driver::cuDevicePrimaryCtxReset`].
    pub cuDevicePrimaryCtxReset: Option<PFN_cuDevicePrimaryCtxReset>,
    ///See [`Driver::cuDevicePrimaryCtxGetState`].
    pub cuDevicePrimaryCtxGetState: Option<PFN_cuDevicePrimaryCtxGetState>,
    ///See [`Driver::cuCtxCreate`].
    pub cuCtxCreate: Option<PFN_cuCtxCreate>,
    ///See [`Driver::cuCtxDestroy`].
    pub cuCtxDestroy: Option<PFN_cuCtxDestroy>,
    ///See [`Driver::cuCtxPushCurrent`].
    pub cuCtxPushCurrent: Option<PFN_cuCtxPushCurrent>,
    ///See [`Driver::cuCtxPopCurrent`].
    pub cuCtxPopCurrent: Option<PFN_cuCtxPopCurrent>,
    ///See [`Driver::cuCtxSetCurrent`].
    pub cuCtxSetCurrent: Option<PFN_cuCtxSetCurrent>,
    ///See [`Driver::cuCtxGetCurrent`].
    pub cuCtxGetCurrent: Option<PFN_cuCtxGetCurrent>,
    ///See [`Driver::cuCtxGetDevice`].
    pub cuCtxGetDevice: Option<PFN_cuCtxGetDevice>,
    ///See [`Driver::cuCtxSynchronize`].
    pub cuCtxSynchronize: Option<PFN_cuCtxSynchronize>,
    ///See [`Driver::cuCtxGetFlags`].
    pub cuCtxGetFlags: Option<PFN_cuCtxGetFlags>,
    ///See [`Driver::cuCtxSetFlags`].
    pub cuCtxSetFlags: Option<PFN_cuCtxSetFlags>,
    ///See [`Driver::cuCtxGetApiVersion`].
    pub cuCtxGetApiVersion: Option<PFN_cuCtxGetApiVersion>,
    ///See [`Driver::cuCtxRecordEvent`].
    pub cuCtxRecordEvent: Option<PFN_cuCtxRecordEvent>,
    ///See [`Driver::cuModuleLoadData`].
    pub cuModuleLoadData: Option<PFN_cuModuleLoadData>,
    ///See [`Driver::cuModuleUnload`].
    pub cuModuleUnload: Option<PFN_cuModuleUnload>,
    ///See [`Driver::cuModuleGetFunction`].
    pub cuModuleGetFunction: Option<PFN_cuModuleGetFunction>,
    ///See [`Driver::cuModuleGetGlobal`].
    pub cuModuleGetGlobal: Option<PFN_cuModuleGetGlobal>,
    ///See [`Driver::cuLaunchKernel`].
    pub cuLaunchKernel: Option<PFN_cuLaunchKernel>,
    ///See [`Driver::cuLaunchKernelEx`].
    pub cuLaunchKernelEx: Option<PFN_cuLaunchKernelEx>,
    ///See [`Driver::cuStreamCreate`].
    pub cuStreamCreate: Option<PFN_cuStreamCreate>,
    ///See [`Driver::cuStreamCreateWithPriority`].
    pub cuStreamCreateWithPriority: Option<PFN_cuStreamCreateWithPriority>,
    ///See [`Driver::cuStreamDestroy`].
    pub cuStreamDestroy: Option<PFN_cuStreamDestroy>,
    ///See [`Driver::cuStreamQuery`].
    pub cuStreamQuery: Option<PFN_cuStreamQuery>,
    ///See [`Driver::cuStreamSynchronize`].
    pub cuStreamSynchronize: Option<PFN_cuStreamSynchronize>,
    ///See [`Driver::cuStreamWaitEvent`].
    pub cuStreamWaitEvent: Option<PFN_cuStreamWaitEvent>,
    ///See [`Driver::cuStreamGetCtx`].
    pub cuStreamGetCtx: Option<PFN_cuStreamGetCtx>,
    ///See [`Driver::cuStreamBeginCapture`].
    pub cuStreamBeginCapture: Option<PFN_cuStreamBeginCapture>,
    ///See [`Driver::cuStreamEndCapture`].
    pub cuStreamEndCapture: Option<PFN_cuStreamEndCapture>,
    ///See [`Driver::cuStreamIsCapturing`].
    pub cuStreamIsCapturing: Option<PFN_cuStreamIsCapturing>,
    ///See [`Driver::cuStreamWriteValue32`].
    pub cuStreamWriteValue32: Option<PFN_cuStreamWriteValue32>,
    ///See [`Driver::cuStreamWriteValue64`].
    pub cuStreamWriteValue64: Option<PFN_cuStreamWriteValue64>,
    ///See [`Driver::cuStreamWaitValue32`].
    pub cuStreamWaitValue32: Option<PFN_cuStreamWaitValue32>,
    ///See [`Driver::cuStreamWaitValue64`].
    pub cuStreamWaitValue64: Option<PFN_cuStreamWaitValue64>,
    ///See [`Driver::cuLaunchHostFunc`].
    pub cuLaunchHostFunc: Option<PFN_cuLaunchHostFunc>,
    ///See [`Driver::cuEventCreate`].
    pub cuEventCreate: Option<PFN_cuEventCreate>,
    ///See [`Driver::cuEventDestroy`].
    pub cuEventDestroy: Option<PFN_cuEventDestroy>,
    ///See [`Driver::cuEventRecord`].
    pub cuEventRecord: Option<PFN_cuEventRecord>,
    ///See [`Driver::cuEventQuery`].
    pub cuEventQuery: Option<PFN_cuEventQuery>,
    ///See [`Driver::cuEventSynchronize`].
    pub cuEventSynchronize: Option<PFN_cuEventSynchronize>,
    ///See [`Driver::cuEventElapsedTime`].
    pub cuEventElapsedTime: Option<PFN_cuEventElapsedTime>,
    ///See [`Driver::cuIpcGetMemHandle`].
    pub cuIpcGetMemHandle: Option<PFN_cuIpcGetMemHandle>,
    ///See [`Driver::cuIpcOpenMemHandle`].
    pub cuIpcOpenMemHandle: Option<PFN_cuIpcOpenMemHandle>,
    ///See [`Driver::cuIpcCloseMemHandle`].
    pub cuIpcCloseMemHandle: Option<PFN_cuIpcCloseMemHandle>,
    ///See [`Driver::cuIpcGetEventHandle`].
    pub cuIpcGetEventHandle: Option<PFN_cuIpcGetEventHandle>,
    ///See [`Driver::cuIpcOpenEventHandle`].
    pub cuIpcOpenEventHandle: Option<PFN_cuIpcOpenEventHandle>,
    ///See [`Driver::cuMemGetInfo`].
    pub cuMemGetInfo: Option<PFN_cuMemGetInfo>,
    ///See [`Driver::cuMemAlloc`].
    pub cuMemAlloc: Option<PFN_cuMemAlloc>,
    ///See [`Driver::cuMemAllocPitch`].
    pub cuMemAllocPitch: Option<PFN_cuMemAllocPitch>,
    ///See [`Driver::cuMemFree`].
    pub cuMemFree: Option<PFN_cuMemFree>,
    ///See [`Driver::cuMemGetAddressRange`].
    pub cuMemGetAddressRange: Option<PFN_cuMemGetAddressRange>,
    ///See [`Driver::cuMemGetHandleForAddressRange`].
    pub cuMemGetHandleForAddressRange: Option<PFN_cuMemGetHandleForAddressRange>,
    ///See [`Driver::cuMemAllocHost`].
    pub cuMemAllocHost: Option<PFN_cuMemAllocHost>,
    ///See [`Driver::cuMemFreeHost`].
    pub cuMemFreeHost: Option<PFN_cuMemFreeHost>,
    ///See [`Driver::cuMemHostAlloc`].
    pub cuMemHostAlloc: Option<PFN_cuMemHostAlloc>,
    ///See [`Driver::cuMemHostGetDevicePointer`].
    pub cuMemHostGetDevicePointer: Option<PFN_cuMemHostGetDevicePointer>,
    ///See [`Driver::cuMemHostRegister`].
    pub cuMemHostRegister: Option<PFN_cuMemHostRegister>,
    ///See [`Driver::cuMemHostUnregister`].
    pub cuMemHostUnregister: Option<PFN_cuMemHostUnregister>,
    ///See [`Driver::cuMemAllocManaged`].
    pub cuMemAllocManaged: Option<PFN_cuMemAllocManaged>,
    ///See [`Driver::cuPointerGetAttribute`].
    pub cuPointerGetAttribute: Option<PFN_cuPointerGetAttribute>,
    ///See [`Driver::cuPointerGetAttributes`].
    pub cuPointerGetAttributes: Option<PFN_cuPointerGetAttributes>,
    ///See [`Driver::cuPointerSetAttribute`].
    pub cuPointerSetAttribute: Option<PFN_cuPointerSetAttribute>,
    ///See [`Driver::cuMemcpy`].
    pub cuMemcpy: Option<PFN_cuMemcpy>,
    ///See [`Driver::cuMemcpyHtoD`].
    pub cuMemcpyHtoD: Option<PFN_cuMemcpyHtoD>,
    ///See [`Driver::cuMemcpyDtoH`].
    pub cuMemcpyDtoH: Option<PFN_cuMemcpyDtoH>,
    ///See [`Driver::cuMemcpyDtoD`].
    pub cuMemcpyDtoD: Option<PFN_cuMemcpyDtoD>,
    ///See [`Driver::cuMemcpyPeer`].
    pub cuMemcpyPeer: Option<PFN_cuMemcpyPeer>,
    ///See [`Driver::cuMemcpyAsync`].
    pub cuMemcpyAsync: Option<PFN_cuMemcpyAsync>,
    ///See [`Driver::cuMemcpyHtoDAsync`].
    pub cuMemcpyHtoDAsync: Option<PFN_cuMemcpyHtoDAsync>,
    ///See [`Driver::cuMemcpyDtoHAsync`].
    pub cuMemcpyDtoHAsync: Option<PFN_cuMemcpyDtoHAsync>,
    ///See [`Driver::cuMemcpyDtoDAsync`].
    pub cuMemcpyDtoDAsync: Option<PFN_cuMemcpyDtoDAsync>,
    ///See [`Driver::cuMemcpyPeerAsync`].
    pub cuMemcpyPeerAsync: Option<PFN_cuMemcpyPeerAsync>,
    ///See [`Driver::cuMemsetD8`].
    pub cuMemsetD8: Option<PFN_cuMemsetD8>,
    ///See [`Driver::cuMemsetD32`].
    pub cuMemsetD32: Option<PFN_cuMemsetD32>,
    ///See [`Driver::cuMemsetD8Async`].
    pub cuMemsetD8Async: Option<PFN_cuMemsetD8Async>,
    ///See [`Driver::cuMemsetD32Async`].
    pub cuMemsetD32Async: Option<PFN_cuMemsetD32Async>,
    ///See [`Driver::cuMemAddressReserve`].
    pub cuMemAddressReserve: Option<PFN_cuMemAddressReserve>,
    ///See [`Driver::cuMemAddressFree`].
    pub cuMemAddressFree: Option<PFN_cuMemAddressFree>,
    ///See [`Driver::cuMemCreate`].
    pub cuMemCreate: Option<PFN_cuMemCreate>,
    ///See [`Driver::cuMemRelease`].
    pub cuMemRelease: Option<PFN_cuMemRelease>,
    ///See [`Driver::cuMemMap`].
    pub cuMemMap: Option<PFN_cuMemMap>,
    ///See [`Driver::cuMemUnmap`].
    pub cuMemUnmap: Option<PFN_cuMemUnmap>,
    ///See [`Driver::cuMemSetAccess`].
    pub cuMemSetAccess: Option<PFN_cuMemSetAccess>,
    ///See [`Driver::cuMemGetAccess`].
    pub cuMemGetAccess: Option<PFN_cuMemGetAccess>,
    ///See [`Driver::cuMemExportToShareableHandle`].
    pub cuMemExportToShareableHandle: Option<PFN_cuMemExportToShareableHandle>,
    ///See [`Driver::cuMemImportFromShareableHandle`].
    pub cuMemImportFromShareableHandle: Option<PFN_cuMemImportFromShareableHandle>,
    ///See [`Driver::cuMemGetAllocationGranularity`].
    pub cuMemGetAllocationGranularity: Option<PFN_cuMemGetAllocationGranularity>,
    ///See [`Driver::cuMemGetAllocationPropertiesFromHandle`].
    pub cuMemGetAllocationPropertiesFromHandle: Option<
        PFN_cuMemGetAllocationPropertiesFromHandle,
    >,
    ///See [`Driver::cuMemRetainAllocationHandle`].
    pub cuMemRetainAllocationHandle: Option<PFN_cuMemRetainAllocationHandle>,
    ///See [`Driver::cuMulticastCreate`].
    pub cuMulticastCreate: Option<PFN_cuMulticastCreate>,
    ///See [`Driver::cuMulticastAddDevice`].
    pub cuMulticastAddDevice: Option<PFN_cuMulticastAddDevice>,
    ///See [`Driver::cuMulticastBindMem`].
    pub cuMulticastBindMem: Option<PFN_cuMulticastBindMem>,
    ///See [`Driver::cuMulticastBindAddr`].
    pub cuMulticastBindAddr: Option<PFN_cuMulticastBindAddr>,
    ///See [`Driver::cuMulticastUnbind`].
    pub cuMulticastUnbind: Option<PFN_cuMulticastUnbind>,
    ///See [`Driver::cuMulticastGetGranularity`].
    pub cuMulticastGetGranularity: Option<PFN_cuMulticastGetGranularity>,
    ///See [`Driver::cuMemPoolCreate`].
    pub cuMemPoolCreate: Option<PFN_cuMemPoolCreate>,
    ///See [`Driver::cuMemPoolDestroy`].
    pub cuMemPoolDestroy: Option<PFN_cuMemPoolDestroy>,
    ///See [`Driver::cuMemPoolTrimTo`].
    pub cuMemPoolTrimTo: Option<PFN_cuMemPoolTrimTo>,
    ///See [`Driver::cuMemPoolGetAttribute`].
    pub cuMemPoolGetAttribute: Option<PFN_cuMemPoolGetAttribute>,
    ///See [`Driver::cuMemPoolSetAttribute`].
    pub cuMemPoolSetAttribute: Option<PFN_cuMemPoolSetAttribute>,
    ///See [`Driver::cuMemPoolGetAccess`].
    pub cuMemPoolGetAccess: Option<PFN_cuMemPoolGetAccess>,
    ///See [`Driver::cuMemPoolSetAccess`].
    pub cuMemPoolSetAccess: Option<PFN_cuMemPoolSetAccess>,
    ///See [`Driver::cuDeviceGetDefaultMemPool`].
    pub cuDeviceGetDefaultMemPool: Option<PFN_cuDeviceGetDefaultMemPool>,
    ///See [`Driver::cuDeviceGetMemPool`].
    pub cuDeviceGetMemPool: Option<PFN_cuDeviceGetMemPool>,
    ///See [`Driver::cuDeviceSetMemPool`].
    pub cuDeviceSetMemPool: Option<PFN_cuDeviceSetMemPool>,
    ///See [`Driver::cuMemGetDefaultMemPool`].
    pub cuMemGetDefaultMemPool: Option<PFN_cuMemGetDefaultMemPool>,
    ///See [`Driver::cuMemGetMemPool`].
    pub cuMemGetMemPool: Option<PFN_cuMemGetMemPool>,
    ///See [`Driver::cuMemSetMemPool`].
    pub cuMemSetMemPool: Option<PFN_cuMemSetMemPool>,
    ///See [`Driver::cuMemAllocAsync`].
    pub cuMemAllocAsync: Option<PFN_cuMemAllocAsync>,
    ///See [`Driver::cuMemAllocFromPoolAsync`].
    pub cuMemAllocFromPoolAsync: Option<PFN_cuMemAllocFromPoolAsync>,
    ///See [`Driver::cuMemFreeAsync`].
    pub cuMemFreeAsync: Option<PFN_cuMemFreeAsync>,
    ///See [`Driver::cuMemPoolExportToShareableHandle`].
    pub cuMemPoolExportToShareableHandle: Option<PFN_cuMemPoolExportToShareableHandle>,
    ///See [`Driver::cuMemPoolImportFromShareableHandle`].
    pub cuMemPoolImportFromShareableHandle: Option<
        PFN_cuMemPoolImportFromShareableHandle,
    >,
    ///See [`Driver::cuMemPoolExportPointer`].
    pub cuMemPoolExportPointer: Option<PFN_cuMemPoolExportPointer>,
    ///See [`Driver::cuMemPoolImportPointer`].
    pub cuMemPoolImportPointer: Option<PFN_cuMemPoolImportPointer>,
    ///See [`Driver::cuImportExternalMemory`].
    pub cuImportExternalMemory: Option<PFN_cuImportExternalMemory>,
    ///See [`Driver::cuDestroyExternalMemory`].
    pub cuDestroyExternalMemory: Option<PFN_cuDestroyExternalMemory>,
    ///See [`Driver::cuGraphCreate`].
    pub cuGraphCreate: Option<PFN_cuGraphCreate>,
    ///See [`Driver::cuGraphDestroy`].
    pub cuGraphDestroy: Option<PFN_cuGraphDestroy>,
    ///See [`Driver::cuGraphAddMemAllocNode`].
    pub cuGraphAddMemAllocNode: Option<PFN_cuGraphAddMemAllocNode>,
    ///See [`Driver::cuGraphAddMemFreeNode`].
    pub cuGraphAddMemFreeNode: Option<PFN_cuGraphAddMemFreeNode>,
    ///See [`Driver::cuGraphAddEventRecordNode`].
    pub cuGraphAddEventRecordNode: Option<PFN_cuGraphAddEventRecordNode>,
    ///See [`Driver::cuGraphAddEventWaitNode`].
    pub cuGraphAddEventWaitNode: Option<PFN_cuGraphAddEventWaitNode>,
    ///See [`Driver::cuGraphInstantiateWithFlags`].
    pub cuGraphInstantiateWithFlags: Option<PFN_cuGraphInstantiateWithFlags>,
    ///See [`Driver::cuGraphLaunch`].
    pub cuGraphLaunch: Option<PFN_cuGraphLaunch>,
    ///See [`Driver::cuGraphExecDestroy`].
    pub cuGraphExecDestroy: Option<PFN_cuGraphExecDestroy>,
    ///See [`Driver::cuLogsRegisterCallback`].
    pub cuLogsRegisterCallback: Option<PFN_cuLogsRegisterCallback>,
    ///See [`Driver::cuLogsUnregisterCallback`].
    pub cuLogsUnregisterCallback: Option<PFN_cuLogsUnregisterCallback>,
}
impl Functions {
    /// A table from the address of each function, in the order of [`SYMBOLS`].
    ///
    /// # Safety
    /// Each address must be null or a function with the signature of that symbol's version.
    #[must_use]
    pub const unsafe fn from_addresses(addresses: &[*const c_void; 151usize]) -> &Self {
        unsafe { &*core::ptr::from_ref(addresses).cast() }
    }
}
#[allow(non_snake_case, clippy::too_many_arguments)]
impl Driver {
    /**Initialises the driver in this process; every other call but the version and the error names needs it.

[`cuInit`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__INITIALIZE.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_SYSTEM_DRIVER_MISMATCH`](CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH), [`CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE`](CUresult::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE).

# Safety
Nothing beyond the arguments' types: the driver checks their values.*/
    #[inline]
    pub unsafe fn cuInit(
        &self,
        Flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuInit {
            Some(function) => Ok(unsafe { function(Flags) }),
            None => Err(self.missing(&SYMBOLS[0usize])),
        }
    }
    /**The newest CUDA version that the installed driver serves, as 1000 × major + 10 × minor.

[`cuDriverGetVersion`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VERSION.html) in C; this signature since CUDA 2.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`driverVersion` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuDriverGetVersion(
        &self,
        driverVersion: *mut ::core::ffi::c_int,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDriverGetVersion {
            Some(function) => Ok(unsafe { function(driverVersion) }),
            None => Err(self.missing(&SYMBOLS[1usize])),
        }
    }
    /**The enumerator's name of a result code.

[`cuGetErrorName`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__ERROR.html) in C; this signature since CUDA 6.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pStr` must be valid for writing. The string that it is set to is the driver's, and lasts as long as the driver
is loaded.*/
    #[inline]
    pub unsafe fn cuGetErrorName(
        &self,
        error: CUresult,
        pStr: *mut *const ::core::ffi::c_char,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuGetErrorName {
            Some(function) => Ok(unsafe { function(error, pStr) }),
            None => Err(self.missing(&SYMBOLS[2usize])),
        }
    }
    /**A sentence about a result code.

[`cuGetErrorString`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__ERROR.html) in C; this signature since CUDA 6.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pStr` must be valid for writing. The string that it is set to is the driver's, and lasts as long as the driver
is loaded.*/
    #[inline]
    pub unsafe fn cuGetErrorString(
        &self,
        error: CUresult,
        pStr: *mut *const ::core::ffi::c_char,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuGetErrorString {
            Some(function) => Ok(unsafe { function(error, pStr) }),
            None => Err(self.missing(&SYMBOLS[3usize])),
        }
    }
    /**Finds a driver function by base name and the CUDA version whose signature the caller wants.

[`cuGetProcAddress`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DRIVER__ENTRY__POINT.html) in C; exported as `cuGetProcAddress_v2`; this signature since CUDA 12.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`symbol` must lead to a C string, `pfn` must be valid for writing, and `symbolFound` valid for writing or null.
The address is to be called as the function that the documentation of that version declares.*/
    #[doc(alias = "cuGetProcAddress_v2")]
    #[inline]
    pub unsafe fn cuGetProcAddress(
        &self,
        symbol: *const ::core::ffi::c_char,
        pfn: *mut *mut ::core::ffi::c_void,
        driverVersion: ::core::ffi::c_int,
        flags: cuuint64_t,
        symbolFound: *mut CUdriverProcAddressQueryResult,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuGetProcAddress {
            Some(function) => {
                Ok(unsafe { function(symbol, pfn, driverVersion, flags, symbolFound) })
            }
            None => Err(self.missing(&SYMBOLS[4usize])),
        }
    }
    /**The device at an ordinal.

[`cuDeviceGet`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`device` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuDeviceGet(
        &self,
        device: *mut CUdevice,
        ordinal: ::core::ffi::c_int,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceGet {
            Some(function) => Ok(unsafe { function(device, ordinal) }),
            None => Err(self.missing(&SYMBOLS[5usize])),
        }
    }
    /**How many devices this process sees.

[`cuDeviceGetCount`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`count` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuDeviceGetCount(
        &self,
        count: *mut ::core::ffi::c_int,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceGetCount {
            Some(function) => Ok(unsafe { function(count) }),
            None => Err(self.missing(&SYMBOLS[6usize])),
        }
    }
    /**A device's product name.

[`cuDeviceGetName`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`name` must be valid for writing `len` bytes.*/
    #[inline]
    pub unsafe fn cuDeviceGetName(
        &self,
        name: *mut ::core::ffi::c_char,
        len: ::core::ffi::c_int,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceGetName {
            Some(function) => Ok(unsafe { function(name, len, dev) }),
            None => Err(self.missing(&SYMBOLS[7usize])),
        }
    }
    /**A device's UUID; that of the MIG instance where MIG is on.

[`cuDeviceGetUuid`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; exported as `cuDeviceGetUuid_v2`; this signature since CUDA 11.4.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`uuid` must be valid for writing.*/
    #[doc(alias = "cuDeviceGetUuid_v2")]
    #[inline]
    pub unsafe fn cuDeviceGetUuid(
        &self,
        uuid: *mut CUuuid,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceGetUuid {
            Some(function) => Ok(unsafe { function(uuid, dev) }),
            None => Err(self.missing(&SYMBOLS[8usize])),
        }
    }
    /**A device's memory in bytes.

[`cuDeviceTotalMem`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; exported as `cuDeviceTotalMem_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`bytes` must be valid for writing.*/
    #[doc(alias = "cuDeviceTotalMem_v2")]
    #[inline]
    pub unsafe fn cuDeviceTotalMem(
        &self,
        bytes: *mut usize,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceTotalMem {
            Some(function) => Ok(unsafe { function(bytes, dev) }),
            None => Err(self.missing(&SYMBOLS[9usize])),
        }
    }
    /**One attribute of a device.

[`cuDeviceGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`pi` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuDeviceGetAttribute(
        &self,
        pi: *mut ::core::ffi::c_int,
        attrib: CUdevice_attribute,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceGetAttribute {
            Some(function) => Ok(unsafe { function(pi, attrib, dev) }),
            None => Err(self.missing(&SYMBOLS[10usize])),
        }
    }
    /**The device at a PCI address.

[`cuDeviceGetByPCIBusId`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`dev` must be valid for writing, and `pciBusId` must lead to a C string.*/
    #[inline]
    pub unsafe fn cuDeviceGetByPCIBusId(
        &self,
        dev: *mut CUdevice,
        pciBusId: *const ::core::ffi::c_char,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceGetByPCIBusId {
            Some(function) => Ok(unsafe { function(dev, pciBusId) }),
            None => Err(self.missing(&SYMBOLS[11usize])),
        }
    }
    /**A device's PCI address.

[`cuDeviceGetPCIBusId`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`pciBusId` must be valid for writing `len` bytes.*/
    #[inline]
    pub unsafe fn cuDeviceGetPCIBusId(
        &self,
        pciBusId: *mut ::core::ffi::c_char,
        len: ::core::ffi::c_int,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceGetPCIBusId {
            Some(function) => Ok(unsafe { function(pciBusId, len, dev) }),
            None => Err(self.missing(&SYMBOLS[12usize])),
        }
    }
    /**The UUID of the NVLink cluster that a device belongs to; zero where it is in none.

[`cuDeviceGetFabricClusterUuid`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CLIQUE.html) in C; this signature since CUDA 13.4.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`uuid` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuDeviceGetFabricClusterUuid(
        &self,
        uuid: *mut CUuuid,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceGetFabricClusterUuid {
            Some(function) => Ok(unsafe { function(uuid, dev) }),
            None => Err(self.missing(&SYMBOLS[13usize])),
        }
    }
    /**How many fabric cliques a device belongs to.

[`cuDeviceGetCliqueCount`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CLIQUE.html) in C; this signature since CUDA 13.4.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`count` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuDeviceGetCliqueCount(
        &self,
        count: *mut usize,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceGetCliqueCount {
            Some(function) => Ok(unsafe { function(count, dev) }),
            None => Err(self.missing(&SYMBOLS[14usize])),
        }
    }
    /**The fabric cliques that a device belongs to.

[`cuDeviceGetCliqueInfo`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CLIQUE.html) in C; this signature since CUDA 13.4.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`count` must be valid for reading and writing, and `cliqueInfo` for writing as many entries as it says.*/
    #[inline]
    pub unsafe fn cuDeviceGetCliqueInfo(
        &self,
        cliqueInfo: *mut CUcliqueInfo,
        count: *mut usize,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceGetCliqueInfo {
            Some(function) => Ok(unsafe { function(cliqueInfo, count, dev) }),
            None => Err(self.missing(&SYMBOLS[15usize])),
        }
    }
    /**Whether one device can reach the memory of another.

[`cuDeviceCanAccessPeer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in C; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`canAccessPeer` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuDeviceCanAccessPeer(
        &self,
        canAccessPeer: *mut ::core::ffi::c_int,
        dev: CUdevice,
        peerDev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceCanAccessPeer {
            Some(function) => Ok(unsafe { function(canAccessPeer, dev, peerDev) }),
            None => Err(self.missing(&SYMBOLS[16usize])),
        }
    }
    /**One attribute of the link between two devices.

[`cuDeviceGetP2PAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in C; this signature since CUDA 8.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`value` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuDeviceGetP2PAttribute(
        &self,
        value: *mut ::core::ffi::c_int,
        attrib: CUdevice_P2PAttribute,
        srcDevice: CUdevice,
        dstDevice: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceGetP2PAttribute {
            Some(function) => {
                Ok(unsafe { function(value, attrib, srcDevice, dstDevice) })
            }
            None => Err(self.missing(&SYMBOLS[17usize])),
        }
    }
    /**Which atomic operations work across the link between two devices.

[`cuDeviceGetP2PAtomicCapabilities`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in C; this signature since CUDA 13.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`operations` must lead to `count` operations, and `capabilities` be valid for writing as many words.*/
    #[inline]
    pub unsafe fn cuDeviceGetP2PAtomicCapabilities(
        &self,
        capabilities: *mut ::core::ffi::c_uint,
        operations: *const CUatomicOperation,
        count: ::core::ffi::c_uint,
        srcDevice: CUdevice,
        dstDevice: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceGetP2PAtomicCapabilities {
            Some(function) => {
                Ok(unsafe {
                    function(capabilities, operations, count, srcDevice, dstDevice)
                })
            }
            None => Err(self.missing(&SYMBOLS[18usize])),
        }
    }
    /**Lets the current context reach the allocations of a peer context.

[`cuCtxEnablePeerAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in C; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`](CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED), [`CUDA_ERROR_TOO_MANY_PEERS`](CUresult::CUDA_ERROR_TOO_MANY_PEERS), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_PEER_ACCESS_UNSUPPORTED`](CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`peerContext` must be a context that was not destroyed.*/
    #[inline]
    pub unsafe fn cuCtxEnablePeerAccess(
        &self,
        peerContext: CUcontext,
        Flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuCtxEnablePeerAccess {
            Some(function) => Ok(unsafe { function(peerContext, Flags) }),
            None => Err(self.missing(&SYMBOLS[19usize])),
        }
    }
    /**Ends what cuCtxEnablePeerAccess began.

[`cuCtxDisablePeerAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in C; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_PEER_ACCESS_NOT_ENABLED`](CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT).

# Safety
`peerContext` must be a context that was not destroyed. No work that still runs in the current context may reach
its memory.*/
    #[inline]
    pub unsafe fn cuCtxDisablePeerAccess(
        &self,
        peerContext: CUcontext,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuCtxDisablePeerAccess {
            Some(function) => Ok(unsafe { function(peerContext) }),
            None => Err(self.missing(&SYMBOLS[20usize])),
        }
    }
    /**Takes a reference on a device's primary context, creating it where it is not yet active.

[`cuDevicePrimaryCtxRetain`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html) in C; this signature since CUDA 7.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_UNKNOWN`](CUresult::CUDA_ERROR_UNKNOWN).

# Safety
`pctx` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuDevicePrimaryCtxRetain(
        &self,
        pctx: *mut CUcontext,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDevicePrimaryCtxRetain {
            Some(function) => Ok(unsafe { function(pctx, dev) }),
            None => Err(self.missing(&SYMBOLS[21usize])),
        }
    }
    /**Gives a reference on the primary context back.

[`cuDevicePrimaryCtxRelease`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html) in C; exported as `cuDevicePrimaryCtxRelease_v2`; this signature since CUDA 11.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT).

# Safety
The reference must be one that cuDevicePrimaryCtxRetain gave. After the last one the context and all that was
made in it must not be used.*/
    #[doc(alias = "cuDevicePrimaryCtxRelease_v2")]
    #[inline]
    pub unsafe fn cuDevicePrimaryCtxRelease(
        &self,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDevicePrimaryCtxRelease {
            Some(function) => Ok(unsafe { function(dev) }),
            None => Err(self.missing(&SYMBOLS[22usize])),
        }
    }
    /**Destroys everything in a device's primary context.

[`cuDevicePrimaryCtxReset`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html) in C; exported as `cuDevicePrimaryCtxReset_v2`; this signature since CUDA 11.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE`](CUresult::CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE).

# Safety
No other part of the process may use the context, and what was made in it must not be used afterwards: memory,
streams, events, modules and what was opened from other processes.*/
    #[doc(alias = "cuDevicePrimaryCtxReset_v2")]
    #[inline]
    pub unsafe fn cuDevicePrimaryCtxReset(
        &self,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDevicePrimaryCtxReset {
            Some(function) => Ok(unsafe { function(dev) }),
            None => Err(self.missing(&SYMBOLS[23usize])),
        }
    }
    /**The flags of the primary context and whether it is active.

[`cuDevicePrimaryCtxGetState`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html) in C; this signature since CUDA 7.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`flags` and `active` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuDevicePrimaryCtxGetState(
        &self,
        dev: CUdevice,
        flags: *mut ::core::ffi::c_uint,
        active: *mut ::core::ffi::c_int,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDevicePrimaryCtxGetState {
            Some(function) => Ok(unsafe { function(dev, flags, active) }),
            None => Err(self.missing(&SYMBOLS[24usize])),
        }
    }
    /**Creates a context on a device and makes it current.

[`cuCtxCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; exported as `cuCtxCreate_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_UNKNOWN`](CUresult::CUDA_ERROR_UNKNOWN).

# Safety
`pctx` must be valid for writing.*/
    #[doc(alias = "cuCtxCreate_v2")]
    #[inline]
    pub unsafe fn cuCtxCreate(
        &self,
        pctx: *mut CUcontext,
        flags: ::core::ffi::c_uint,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuCtxCreate {
            Some(function) => Ok(unsafe { function(pctx, flags, dev) }),
            None => Err(self.missing(&SYMBOLS[25usize])),
        }
    }
    /**Destroys a created context with what it owns.

[`cuCtxDestroy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; exported as `cuCtxDestroy_v2`; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`ctx` must be a context that was not destroyed, and be current to no other thread. It and what was made in it
must not be used afterwards.*/
    #[doc(alias = "cuCtxDestroy_v2")]
    #[inline]
    pub unsafe fn cuCtxDestroy(
        &self,
        ctx: CUcontext,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuCtxDestroy {
            Some(function) => Ok(unsafe { function(ctx) }),
            None => Err(self.missing(&SYMBOLS[26usize])),
        }
    }
    /**Makes a context current in this thread, above the one that was.

[`cuCtxPushCurrent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; exported as `cuCtxPushCurrent_v2`; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`ctx` must be a context that was not destroyed. It must stay so while it is current.*/
    #[doc(alias = "cuCtxPushCurrent_v2")]
    #[inline]
    pub unsafe fn cuCtxPushCurrent(
        &self,
        ctx: CUcontext,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuCtxPushCurrent {
            Some(function) => Ok(unsafe { function(ctx) }),
            None => Err(self.missing(&SYMBOLS[27usize])),
        }
    }
    /**Takes the current context off this thread's stack.

[`cuCtxPopCurrent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; exported as `cuCtxPopCurrent_v2`; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT).

# Safety
`pctx` must be valid for writing.*/
    #[doc(alias = "cuCtxPopCurrent_v2")]
    #[inline]
    pub unsafe fn cuCtxPopCurrent(
        &self,
        pctx: *mut CUcontext,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuCtxPopCurrent {
            Some(function) => Ok(unsafe { function(pctx) }),
            None => Err(self.missing(&SYMBOLS[28usize])),
        }
    }
    /**Replaces this thread's current context; null leaves none.

[`cuCtxSetCurrent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT).

# Safety
`ctx` must be null or a context that was not destroyed. It must stay so while it is current.*/
    #[inline]
    pub unsafe fn cuCtxSetCurrent(
        &self,
        ctx: CUcontext,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuCtxSetCurrent {
            Some(function) => Ok(unsafe { function(ctx) }),
            None => Err(self.missing(&SYMBOLS[29usize])),
        }
    }
    /**This thread's current context, or null.

[`cuCtxGetCurrent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED).

# Safety
`pctx` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuCtxGetCurrent(
        &self,
        pctx: *mut CUcontext,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuCtxGetCurrent {
            Some(function) => Ok(unsafe { function(pctx) }),
            None => Err(self.missing(&SYMBOLS[30usize])),
        }
    }
    /**The device of the current context.

[`cuCtxGetDevice`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`device` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuCtxGetDevice(
        &self,
        device: *mut CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuCtxGetDevice {
            Some(function) => Ok(unsafe { function(device) }),
            None => Err(self.missing(&SYMBOLS[31usize])),
        }
    }
    /**Waits until the current context has nothing left to do.

[`cuCtxSynchronize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`](CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED).

# Safety
Nothing beyond the arguments' types: the driver checks their values.*/
    #[inline]
    pub unsafe fn cuCtxSynchronize(&self) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuCtxSynchronize {
            Some(function) => Ok(unsafe { function() }),
            None => Err(self.missing(&SYMBOLS[32usize])),
        }
    }
    /**The flags of the current context.

[`cuCtxGetFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 7.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`flags` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuCtxGetFlags(
        &self,
        flags: *mut ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuCtxGetFlags {
            Some(function) => Ok(unsafe { function(flags) }),
            None => Err(self.missing(&SYMBOLS[33usize])),
        }
    }
    /**Replaces the flags of the current context, CU_CTX_SYNC_MEMOPS among them.

[`cuCtxSetFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 12.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
Nothing beyond the arguments' types: the driver checks their values.*/
    #[inline]
    pub unsafe fn cuCtxSetFlags(
        &self,
        flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuCtxSetFlags {
            Some(function) => Ok(unsafe { function(flags) }),
            None => Err(self.missing(&SYMBOLS[34usize])),
        }
    }
    /**The API version that a context was created with.

[`cuCtxGetApiVersion`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_UNKNOWN`](CUresult::CUDA_ERROR_UNKNOWN).

# Safety
`ctx` must be null or a context that was not destroyed. `version` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuCtxGetApiVersion(
        &self,
        ctx: CUcontext,
        version: *mut ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuCtxGetApiVersion {
            Some(function) => Ok(unsafe { function(ctx, version) }),
            None => Err(self.missing(&SYMBOLS[35usize])),
        }
    }
    /**Records everything a context has enqueued into an event.

[`cuCtxRecordEvent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in C; this signature since CUDA 12.5.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`](CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED).

# Safety
`hCtx` must be a context that was not destroyed, and `hEvent` must be an event that was not destroyed.*/
    #[inline]
    pub unsafe fn cuCtxRecordEvent(
        &self,
        hCtx: CUcontext,
        hEvent: CUevent,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuCtxRecordEvent {
            Some(function) => Ok(unsafe { function(hCtx, hEvent) }),
            None => Err(self.missing(&SYMBOLS[36usize])),
        }
    }
    /**Loads PTX or device code from memory into the current context.

[`cuModuleLoadData`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_PTX`](CUresult::CUDA_ERROR_INVALID_PTX), [`CUDA_ERROR_UNSUPPORTED_PTX_VERSION`](CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_NO_BINARY_FOR_GPU`](CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU), [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`](CUresult::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND), [`CUDA_ERROR_SHARED_OBJECT_INIT_FAILED`](CUresult::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED), [`CUDA_ERROR_JIT_COMPILER_NOT_FOUND`](CUresult::CUDA_ERROR_JIT_COMPILER_NOT_FOUND).

# Safety
`module` must be valid for writing. `image` must lead to a whole cubin, fatbin or C string of PTX. Its code is
run as it is: it has to be trusted.*/
    #[inline]
    pub unsafe fn cuModuleLoadData(
        &self,
        module: *mut CUmodule,
        image: *const ::core::ffi::c_void,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuModuleLoadData {
            Some(function) => Ok(unsafe { function(module, image) }),
            None => Err(self.missing(&SYMBOLS[37usize])),
        }
    }
    /**Unloads a module.

[`cuModuleUnload`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED).

# Safety
`hmod` must be a module that was not unloaded, and not be used afterwards. No kernel of it may still run, and
its functions and globals must not be used afterwards.*/
    #[inline]
    pub unsafe fn cuModuleUnload(
        &self,
        hmod: CUmodule,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuModuleUnload {
            Some(function) => Ok(unsafe { function(hmod) }),
            None => Err(self.missing(&SYMBOLS[38usize])),
        }
    }
    /**A kernel of a module by its entry name.

[`cuModuleGetFunction`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_FOUND`](CUresult::CUDA_ERROR_NOT_FOUND).

# Safety
`hfunc` must be valid for writing, `hmod` must be a module that was not unloaded, and `name` must lead to a C
string.*/
    #[inline]
    pub unsafe fn cuModuleGetFunction(
        &self,
        hfunc: *mut CUfunction,
        hmod: CUmodule,
        name: *const ::core::ffi::c_char,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuModuleGetFunction {
            Some(function) => Ok(unsafe { function(hfunc, hmod, name) }),
            None => Err(self.missing(&SYMBOLS[39usize])),
        }
    }
    /**Address and size of a module's global variable.

[`cuModuleGetGlobal`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in C; exported as `cuModuleGetGlobal_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_FOUND`](CUresult::CUDA_ERROR_NOT_FOUND).

# Safety
`dptr` and `bytes` must be valid for writing, or one of the two null; `hmod` must be a module that was not
unloaded, and `name` must lead to a C string.*/
    #[doc(alias = "cuModuleGetGlobal_v2")]
    #[inline]
    pub unsafe fn cuModuleGetGlobal(
        &self,
        dptr: *mut CUdeviceptr,
        bytes: *mut usize,
        hmod: CUmodule,
        name: *const ::core::ffi::c_char,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuModuleGetGlobal {
            Some(function) => Ok(unsafe { function(dptr, bytes, hmod, name) }),
            None => Err(self.missing(&SYMBOLS[40usize])),
        }
    }
    /**Launches a kernel into a stream.

[`cuLaunchKernel`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in C; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_INVALID_IMAGE`](CUresult::CUDA_ERROR_INVALID_IMAGE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_LAUNCH_FAILED`](CUresult::CUDA_ERROR_LAUNCH_FAILED), [`CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`](CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES), [`CUDA_ERROR_LAUNCH_TIMEOUT`](CUresult::CUDA_ERROR_LAUNCH_TIMEOUT), [`CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING`](CUresult::CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING), [`CUDA_ERROR_SHARED_OBJECT_INIT_FAILED`](CUresult::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED), [`CUDA_ERROR_NOT_FOUND`](CUresult::CUDA_ERROR_NOT_FOUND).

# Safety
`f` must be a function of a module that is loaded. `hStream` must be null, a predefined stream or one that was
not destroyed. `kernelParams` must lead to a pointer for each parameter, each to a value of that parameter's
type, or `extra` to the list that takes its place. The kernel runs with those values until the stream has passed
it: what it reads and writes must be valid that long, and unused by others.*/
    #[inline]
    pub unsafe fn cuLaunchKernel(
        &self,
        f: CUfunction,
        gridDimX: ::core::ffi::c_uint,
        gridDimY: ::core::ffi::c_uint,
        gridDimZ: ::core::ffi::c_uint,
        blockDimX: ::core::ffi::c_uint,
        blockDimY: ::core::ffi::c_uint,
        blockDimZ: ::core::ffi::c_uint,
        sharedMemBytes: ::core::ffi::c_uint,
        hStream: CUstream,
        kernelParams: *mut *mut ::core::ffi::c_void,
        extra: *mut *mut ::core::ffi::c_void,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuLaunchKernel {
            Some(function) => {
                Ok(unsafe {
                    function(
                        f,
                        gridDimX,
                        gridDimY,
                        gridDimZ,
                        blockDimX,
                        blockDimY,
                        blockDimZ,
                        sharedMemBytes,
                        hStream,
                        kernelParams,
                        extra,
                    )
                })
            }
            None => Err(self.missing(&SYMBOLS[41usize])),
        }
    }
    /**Launches a kernel with launch attributes.

[`cuLaunchKernelEx`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in C; this signature since CUDA 11.6.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_INVALID_IMAGE`](CUresult::CUDA_ERROR_INVALID_IMAGE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_LAUNCH_FAILED`](CUresult::CUDA_ERROR_LAUNCH_FAILED), [`CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`](CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES), [`CUDA_ERROR_LAUNCH_TIMEOUT`](CUresult::CUDA_ERROR_LAUNCH_TIMEOUT), [`CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING`](CUresult::CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING), [`CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE`](CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE), [`CUDA_ERROR_SHARED_OBJECT_INIT_FAILED`](CUresult::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED), [`CUDA_ERROR_NOT_FOUND`](CUresult::CUDA_ERROR_NOT_FOUND).

# Safety
`config` must lead to a configuration whose stream was not destroyed and whose `attrs` lead to `numAttrs`
attributes; for the rest as for cuLaunchKernel.*/
    #[inline]
    pub unsafe fn cuLaunchKernelEx(
        &self,
        config: *const CUlaunchConfig,
        f: CUfunction,
        kernelParams: *mut *mut ::core::ffi::c_void,
        extra: *mut *mut ::core::ffi::c_void,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuLaunchKernelEx {
            Some(function) => Ok(unsafe { function(config, f, kernelParams, extra) }),
            None => Err(self.missing(&SYMBOLS[42usize])),
        }
    }
    /**Creates a stream in the current context.

[`cuStreamCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_EXTERNAL_DEVICE`](CUresult::CUDA_ERROR_EXTERNAL_DEVICE).

# Safety
`phStream` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuStreamCreate(
        &self,
        phStream: *mut CUstream,
        Flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuStreamCreate {
            Some(function) => Ok(unsafe { function(phStream, Flags) }),
            None => Err(self.missing(&SYMBOLS[43usize])),
        }
    }
    /**Creates a stream with a priority.

[`cuStreamCreateWithPriority`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 5.5.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_EXTERNAL_DEVICE`](CUresult::CUDA_ERROR_EXTERNAL_DEVICE).

# Safety
`phStream` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuStreamCreateWithPriority(
        &self,
        phStream: *mut CUstream,
        flags: ::core::ffi::c_uint,
        priority: ::core::ffi::c_int,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuStreamCreateWithPriority {
            Some(function) => Ok(unsafe { function(phStream, flags, priority) }),
            None => Err(self.missing(&SYMBOLS[44usize])),
        }
    }
    /**Destroys a stream; its pending work still completes.

[`cuStreamDestroy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; exported as `cuStreamDestroy_v2`; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`hStream` must be a stream that was created and not destroyed, and not be used afterwards.*/
    #[doc(alias = "cuStreamDestroy_v2")]
    #[inline]
    pub unsafe fn cuStreamDestroy(
        &self,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuStreamDestroy {
            Some(function) => Ok(unsafe { function(hStream) }),
            None => Err(self.missing(&SYMBOLS[45usize])),
        }
    }
    /**Whether a stream's work is done.

[`cuStreamQuery`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_NOT_READY`](CUresult::CUDA_ERROR_NOT_READY).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed.*/
    #[inline]
    pub unsafe fn cuStreamQuery(
        &self,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuStreamQuery {
            Some(function) => Ok(unsafe { function(hStream) }),
            None => Err(self.missing(&SYMBOLS[46usize])),
        }
    }
    /**Waits until a stream's work is done.

[`cuStreamSynchronize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed.*/
    #[inline]
    pub unsafe fn cuStreamSynchronize(
        &self,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuStreamSynchronize {
            Some(function) => Ok(unsafe { function(hStream) }),
            None => Err(self.missing(&SYMBOLS[47usize])),
        }
    }
    /**Holds a stream until the work an event captured is done.

[`cuStreamWaitEvent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed, and `hEvent` must be an event that
was not destroyed. An event of another process that ends before the event completes leaves the stream waiting.*/
    #[inline]
    pub unsafe fn cuStreamWaitEvent(
        &self,
        hStream: CUstream,
        hEvent: CUevent,
        Flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuStreamWaitEvent {
            Some(function) => Ok(unsafe { function(hStream, hEvent, Flags) }),
            None => Err(self.missing(&SYMBOLS[48usize])),
        }
    }
    /**The context of a stream.

[`cuStreamGetCtx`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 9.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed, and `pctx` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuStreamGetCtx(
        &self,
        hStream: CUstream,
        pctx: *mut CUcontext,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuStreamGetCtx {
            Some(function) => Ok(unsafe { function(hStream, pctx) }),
            None => Err(self.missing(&SYMBOLS[49usize])),
        }
    }
    /**Begins to record a stream's calls into a graph instead of executing them.

[`cuStreamBeginCapture`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; exported as `cuStreamBeginCapture_v2`; this signature since CUDA 10.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed.*/
    #[doc(alias = "cuStreamBeginCapture_v2")]
    #[inline]
    pub unsafe fn cuStreamBeginCapture(
        &self,
        hStream: CUstream,
        mode: CUstreamCaptureMode,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuStreamBeginCapture {
            Some(function) => Ok(unsafe { function(hStream, mode) }),
            None => Err(self.missing(&SYMBOLS[50usize])),
        }
    }
    /**Ends a capture and returns its graph.

[`cuStreamEndCapture`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 10.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD`](CUresult::CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed, and `phGraph` must be valid for
writing.*/
    #[inline]
    pub unsafe fn cuStreamEndCapture(
        &self,
        hStream: CUstream,
        phGraph: *mut CUgraph,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuStreamEndCapture {
            Some(function) => Ok(unsafe { function(hStream, phGraph) }),
            None => Err(self.missing(&SYMBOLS[51usize])),
        }
    }
    /**Whether a stream is capturing.

[`cuStreamIsCapturing`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in C; this signature since CUDA 10.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_STREAM_CAPTURE_IMPLICIT`](CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed, and `captureStatus` must be valid for
writing.*/
    #[inline]
    pub unsafe fn cuStreamIsCapturing(
        &self,
        hStream: CUstream,
        captureStatus: *mut CUstreamCaptureStatus,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuStreamIsCapturing {
            Some(function) => Ok(unsafe { function(hStream, captureStatus) }),
            None => Err(self.missing(&SYMBOLS[52usize])),
        }
    }
    /**Enqueues a write of 32 bits to device memory.

[`cuStreamWriteValue32`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html) in C; exported as `cuStreamWriteValue32_v2`; this signature since CUDA 11.7.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`stream` must be null, a predefined stream or one that was not destroyed. `addr` must be aligned and lead to 4
bytes that may be written, from the call until the stream has passed it.*/
    #[doc(alias = "cuStreamWriteValue32_v2")]
    #[inline]
    pub unsafe fn cuStreamWriteValue32(
        &self,
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuStreamWriteValue32 {
            Some(function) => Ok(unsafe { function(stream, addr, value, flags) }),
            None => Err(self.missing(&SYMBOLS[53usize])),
        }
    }
    /**Enqueues a write of 64 bits to device memory.

[`cuStreamWriteValue64`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html) in C; exported as `cuStreamWriteValue64_v2`; this signature since CUDA 11.7.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`stream` must be null, a predefined stream or one that was not destroyed. `addr` must be aligned and lead to 8
bytes that may be written, from the call until the stream has passed it.*/
    #[doc(alias = "cuStreamWriteValue64_v2")]
    #[inline]
    pub unsafe fn cuStreamWriteValue64(
        &self,
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuStreamWriteValue64 {
            Some(function) => Ok(unsafe { function(stream, addr, value, flags) }),
            None => Err(self.missing(&SYMBOLS[54usize])),
        }
    }
    /**Holds a stream until 32 bits of device memory meet a condition.

[`cuStreamWaitValue32`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html) in C; exported as `cuStreamWaitValue32_v2`; this signature since CUDA 11.7.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`stream` must be null, a predefined stream or one that was not destroyed. `addr` must be aligned and lead to 4
bytes that may be read, from the call until the stream has passed it. A value that never comes leaves the stream
waiting.*/
    #[doc(alias = "cuStreamWaitValue32_v2")]
    #[inline]
    pub unsafe fn cuStreamWaitValue32(
        &self,
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuStreamWaitValue32 {
            Some(function) => Ok(unsafe { function(stream, addr, value, flags) }),
            None => Err(self.missing(&SYMBOLS[55usize])),
        }
    }
    /**Holds a stream until 64 bits of device memory meet a condition.

[`cuStreamWaitValue64`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html) in C; exported as `cuStreamWaitValue64_v2`; this signature since CUDA 11.7.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`stream` must be null, a predefined stream or one that was not destroyed. `addr` must be aligned and lead to 8
bytes that may be read, from the call until the stream has passed it. A value that never comes leaves the stream
waiting.*/
    #[doc(alias = "cuStreamWaitValue64_v2")]
    #[inline]
    pub unsafe fn cuStreamWaitValue64(
        &self,
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuStreamWaitValue64 {
            Some(function) => Ok(unsafe { function(stream, addr, value, flags) }),
            None => Err(self.missing(&SYMBOLS[56usize])),
        }
    }
    /**Enqueues a call of a host function.

[`cuLaunchHostFunc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in C; this signature since CUDA 10.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`hStream` must be null, a predefined stream or one that was not destroyed. `fn_` must be a function that may be
called once with `userData` on a thread of the driver's, must not unwind and must make no CUDA call; both must
be valid from the call until the stream has passed it.*/
    #[inline]
    pub unsafe fn cuLaunchHostFunc(
        &self,
        hStream: CUstream,
        fn_: CUhostFn,
        userData: *mut ::core::ffi::c_void,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuLaunchHostFunc {
            Some(function) => Ok(unsafe { function(hStream, fn_, userData) }),
            None => Err(self.missing(&SYMBOLS[57usize])),
        }
    }
    /**Creates an event; CU_EVENT_INTERPROCESS needs CU_EVENT_DISABLE_TIMING beside it.

[`cuEventCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`phEvent` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuEventCreate(
        &self,
        phEvent: *mut CUevent,
        Flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuEventCreate {
            Some(function) => Ok(unsafe { function(phEvent, Flags) }),
            None => Err(self.missing(&SYMBOLS[58usize])),
        }
    }
    /**Destroys an event, without waiting for it.

[`cuEventDestroy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in C; exported as `cuEventDestroy_v2`; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`hEvent` must be an event that was not destroyed, and not be used afterwards. Where it was exported, no process
that opened it may use it afterwards.*/
    #[doc(alias = "cuEventDestroy_v2")]
    #[inline]
    pub unsafe fn cuEventDestroy(
        &self,
        hEvent: CUevent,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuEventDestroy {
            Some(function) => Ok(unsafe { function(hEvent) }),
            None => Err(self.missing(&SYMBOLS[59usize])),
        }
    }
    /**Captures what a stream has enqueued into an event.

[`cuEventRecord`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`hEvent` must be an event that was not destroyed, and `hStream` must be null, a predefined stream or one that
was not destroyed.*/
    #[inline]
    pub unsafe fn cuEventRecord(
        &self,
        hEvent: CUevent,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuEventRecord {
            Some(function) => Ok(unsafe { function(hEvent, hStream) }),
            None => Err(self.missing(&SYMBOLS[60usize])),
        }
    }
    /**Whether the work an event captured is done.

[`cuEventQuery`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_READY`](CUresult::CUDA_ERROR_NOT_READY).

# Safety
`hEvent` must be an event that was not destroyed.*/
    #[inline]
    pub unsafe fn cuEventQuery(
        &self,
        hEvent: CUevent,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuEventQuery {
            Some(function) => Ok(unsafe { function(hEvent) }),
            None => Err(self.missing(&SYMBOLS[61usize])),
        }
    }
    /**Waits until the work an event captured is done.

[`cuEventSynchronize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`hEvent` must be an event that was not destroyed.*/
    #[inline]
    pub unsafe fn cuEventSynchronize(
        &self,
        hEvent: CUevent,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuEventSynchronize {
            Some(function) => Ok(unsafe { function(hEvent) }),
            None => Err(self.missing(&SYMBOLS[62usize])),
        }
    }
    /**Milliseconds between two timed events.

[`cuEventElapsedTime`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_NOT_READY`](CUresult::CUDA_ERROR_NOT_READY), [`CUDA_ERROR_UNKNOWN`](CUresult::CUDA_ERROR_UNKNOWN).

# Safety
`pMilliseconds` must be valid for writing. `hStart` and `hEnd` must be events that were not destroyed.*/
    #[inline]
    pub unsafe fn cuEventElapsedTime(
        &self,
        pMilliseconds: *mut f32,
        hStart: CUevent,
        hEnd: CUevent,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuEventElapsedTime {
            Some(function) => Ok(unsafe { function(pMilliseconds, hStart, hEnd) }),
            None => Err(self.missing(&SYMBOLS[63usize])),
        }
    }
    /**Exports an allocation of cuMemAlloc as 64 bytes that other processes can open.

[`cuIpcGetMemHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_MAP_FAILED`](CUresult::CUDA_ERROR_MAP_FAILED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pHandle` must be valid for writing. `dptr` may be any address: the driver refuses what it cannot export.
Whoever gets the bytes can change the memory at any time, so no reference of Rust may be made to it while it is
shared.*/
    #[inline]
    pub unsafe fn cuIpcGetMemHandle(
        &self,
        pHandle: *mut CUipcMemHandle,
        dptr: CUdeviceptr,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuIpcGetMemHandle {
            Some(function) => Ok(unsafe { function(pHandle, dptr) }),
            None => Err(self.missing(&SYMBOLS[64usize])),
        }
    }
    /**Maps memory that another process exported; opening again counts a reference.

[`cuIpcOpenMemHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuIpcOpenMemHandle_v2`; this signature since CUDA 11.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_MAP_FAILED`](CUresult::CUDA_ERROR_MAP_FAILED), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_TOO_MANY_PEERS`](CUresult::CUDA_ERROR_TOO_MANY_PEERS), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pdptr` must be valid for writing. The handle must be what cuIpcGetMemHandle gave an exporter that is trusted:
altered bytes may open too, and lead to other memory. Another process may change or free what lies there at any
time, so no reference of Rust may be made to it.*/
    #[doc(alias = "cuIpcOpenMemHandle_v2")]
    #[inline]
    pub unsafe fn cuIpcOpenMemHandle(
        &self,
        pdptr: *mut CUdeviceptr,
        handle: CUipcMemHandle,
        Flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuIpcOpenMemHandle {
            Some(function) => Ok(unsafe { function(pdptr, handle, Flags) }),
            None => Err(self.missing(&SYMBOLS[65usize])),
        }
    }
    /**Gives back one open; the last one unmaps.

[`cuIpcCloseMemHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_MAP_FAILED`](CUresult::CUDA_ERROR_MAP_FAILED), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`dptr` must come from cuIpcOpenMemHandle. No work that still runs in this process may use the memory, and after
the last close nothing may.*/
    #[inline]
    pub unsafe fn cuIpcCloseMemHandle(
        &self,
        dptr: CUdeviceptr,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuIpcCloseMemHandle {
            Some(function) => Ok(unsafe { function(dptr) }),
            None => Err(self.missing(&SYMBOLS[66usize])),
        }
    }
    /**Exports an interprocess event as 64 bytes that other processes can open.

[`cuIpcGetEventHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_MAP_FAILED`](CUresult::CUDA_ERROR_MAP_FAILED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pHandle` must be valid for writing, and `event` must be an event that was not destroyed.*/
    #[inline]
    pub unsafe fn cuIpcGetEventHandle(
        &self,
        pHandle: *mut CUipcEventHandle,
        event: CUevent,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuIpcGetEventHandle {
            Some(function) => Ok(unsafe { function(pHandle, event) }),
            None => Err(self.missing(&SYMBOLS[67usize])),
        }
    }
    /**Opens an event that another process exported; destroy it with cuEventDestroy.

[`cuIpcOpenEventHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_MAP_FAILED`](CUresult::CUDA_ERROR_MAP_FAILED), [`CUDA_ERROR_PEER_ACCESS_UNSUPPORTED`](CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`phEvent` must be valid for writing. The handle must be as its exporter made it, and the exporter must not
destroy the event while it is used here.*/
    #[inline]
    pub unsafe fn cuIpcOpenEventHandle(
        &self,
        phEvent: *mut CUevent,
        handle: CUipcEventHandle,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuIpcOpenEventHandle {
            Some(function) => Ok(unsafe { function(phEvent, handle) }),
            None => Err(self.missing(&SYMBOLS[68usize])),
        }
    }
    /**Free and total bytes of the current context's device.

[`cuMemGetInfo`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemGetInfo_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`free` and `total` must be valid for writing.*/
    #[doc(alias = "cuMemGetInfo_v2")]
    #[inline]
    pub unsafe fn cuMemGetInfo(
        &self,
        free: *mut usize,
        total: *mut usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemGetInfo {
            Some(function) => Ok(unsafe { function(free, total) }),
            None => Err(self.missing(&SYMBOLS[69usize])),
        }
    }
    /**Allocates device memory.

[`cuMemAlloc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemAlloc_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_EXTERNAL_DEVICE`](CUresult::CUDA_ERROR_EXTERNAL_DEVICE).

# Safety
`dptr` must be valid for writing.*/
    #[doc(alias = "cuMemAlloc_v2")]
    #[inline]
    pub unsafe fn cuMemAlloc(
        &self,
        dptr: *mut CUdeviceptr,
        bytesize: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemAlloc {
            Some(function) => Ok(unsafe { function(dptr, bytesize) }),
            None => Err(self.missing(&SYMBOLS[70usize])),
        }
    }
    /**Allocates device memory with padded rows.

[`cuMemAllocPitch`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemAllocPitch_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`dptr` and `pPitch` must be valid for writing.*/
    #[doc(alias = "cuMemAllocPitch_v2")]
    #[inline]
    pub unsafe fn cuMemAllocPitch(
        &self,
        dptr: *mut CUdeviceptr,
        pPitch: *mut usize,
        WidthInBytes: usize,
        Height: usize,
        ElementSizeBytes: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemAllocPitch {
            Some(function) => {
                Ok(unsafe {
                    function(dptr, pPitch, WidthInBytes, Height, ElementSizeBytes)
                })
            }
            None => Err(self.missing(&SYMBOLS[71usize])),
        }
    }
    /**Frees device memory.

[`cuMemFree`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemFree_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`dptr` must come from an allocation or pool import of this process, or an allocation node that no node of its
own graph frees, and not be freed yet; what cuIpcOpenMemHandle opened or cuMemMap mapped has calls of its own.
No work that still runs may use the memory, and nothing may use it afterwards; the free of a pool's allocation
does not wait. Every process that opened or imported the memory must have given it back before.*/
    #[doc(alias = "cuMemFree_v2")]
    #[inline]
    pub unsafe fn cuMemFree(
        &self,
        dptr: CUdeviceptr,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemFree {
            Some(function) => Ok(unsafe { function(dptr) }),
            None => Err(self.missing(&SYMBOLS[72usize])),
        }
    }
    /**Base and size of the allocation that holds a pointer.

[`cuMemGetAddressRange`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemGetAddressRange_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_NOT_FOUND`](CUresult::CUDA_ERROR_NOT_FOUND), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pbase` and `psize` must be valid for writing or null. `dptr` may be any address: it is looked up, and not read.*/
    #[doc(alias = "cuMemGetAddressRange_v2")]
    #[inline]
    pub unsafe fn cuMemGetAddressRange(
        &self,
        pbase: *mut CUdeviceptr,
        psize: *mut usize,
        dptr: CUdeviceptr,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemGetAddressRange {
            Some(function) => Ok(unsafe { function(pbase, psize, dptr) }),
            None => Err(self.missing(&SYMBOLS[73usize])),
        }
    }
    /**Exports an address range as a dma-buf descriptor.

[`cuMemGetHandleForAddressRange`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 11.7.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`handle` must be valid for writing what `handleType` says: an `int` for a dma-buf descriptor, which is then the
caller's to close. The memory must stay allocated while the handle is in use.*/
    #[inline]
    pub unsafe fn cuMemGetHandleForAddressRange(
        &self,
        handle: *mut ::core::ffi::c_void,
        dptr: CUdeviceptr,
        size: usize,
        handleType: CUmemRangeHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemGetHandleForAddressRange {
            Some(function) => {
                Ok(unsafe { function(handle, dptr, size, handleType, flags) })
            }
            None => Err(self.missing(&SYMBOLS[74usize])),
        }
    }
    /**Allocates page-locked host memory.

[`cuMemAllocHost`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemAllocHost_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_EXTERNAL_DEVICE`](CUresult::CUDA_ERROR_EXTERNAL_DEVICE).

# Safety
`pp` must be valid for writing.*/
    #[doc(alias = "cuMemAllocHost_v2")]
    #[inline]
    pub unsafe fn cuMemAllocHost(
        &self,
        pp: *mut *mut ::core::ffi::c_void,
        bytesize: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemAllocHost {
            Some(function) => Ok(unsafe { function(pp, bytesize) }),
            None => Err(self.missing(&SYMBOLS[75usize])),
        }
    }
    /**Frees page-locked host memory.

[`cuMemFreeHost`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 2.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`p` must come from cuMemAllocHost or cuMemHostAlloc and not be freed yet. No work that still runs may use the
memory, and nothing may use it afterwards.*/
    #[inline]
    pub unsafe fn cuMemFreeHost(
        &self,
        p: *mut ::core::ffi::c_void,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemFreeHost {
            Some(function) => Ok(unsafe { function(p) }),
            None => Err(self.missing(&SYMBOLS[76usize])),
        }
    }
    /**Allocates page-locked host memory with flags.

[`cuMemHostAlloc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 2.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_EXTERNAL_DEVICE`](CUresult::CUDA_ERROR_EXTERNAL_DEVICE).

# Safety
`pp` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuMemHostAlloc(
        &self,
        pp: *mut *mut ::core::ffi::c_void,
        bytesize: usize,
        Flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemHostAlloc {
            Some(function) => Ok(unsafe { function(pp, bytesize, Flags) }),
            None => Err(self.missing(&SYMBOLS[77usize])),
        }
    }
    /**The device's address of mapped host memory.

[`cuMemHostGetDevicePointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemHostGetDevicePointer_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pdptr` must be valid for writing, and `p` must lead into page-locked memory.*/
    #[doc(alias = "cuMemHostGetDevicePointer_v2")]
    #[inline]
    pub unsafe fn cuMemHostGetDevicePointer(
        &self,
        pdptr: *mut CUdeviceptr,
        p: *mut ::core::ffi::c_void,
        Flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemHostGetDevicePointer {
            Some(function) => Ok(unsafe { function(pdptr, p, Flags) }),
            None => Err(self.missing(&SYMBOLS[78usize])),
        }
    }
    /**Page-locks host memory that the caller allocated.

[`cuMemHostRegister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LOGS.html) in C; exported as `cuMemHostRegister_v2`; this signature since CUDA 6.5.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: none of its own.

# Safety
`p` must lead to `bytesize` bytes that stay mapped until cuMemHostUnregister.*/
    #[doc(alias = "cuMemHostRegister_v2")]
    #[inline]
    pub unsafe fn cuMemHostRegister(
        &self,
        p: *mut ::core::ffi::c_void,
        bytesize: usize,
        Flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemHostRegister {
            Some(function) => Ok(unsafe { function(p, bytesize, Flags) }),
            None => Err(self.missing(&SYMBOLS[79usize])),
        }
    }
    /**Ends what cuMemHostRegister began.

[`cuMemHostUnregister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED`](CUresult::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED).

# Safety
`p` must come from cuMemHostRegister. No work that still runs may use the memory.*/
    #[inline]
    pub unsafe fn cuMemHostUnregister(
        &self,
        p: *mut ::core::ffi::c_void,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemHostUnregister {
            Some(function) => Ok(unsafe { function(p) }),
            None => Err(self.missing(&SYMBOLS[80usize])),
        }
    }
    /**Allocates managed memory, which migrates between host and device.

[`cuMemAllocManaged`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 6.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`dptr` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuMemAllocManaged(
        &self,
        dptr: *mut CUdeviceptr,
        bytesize: usize,
        flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemAllocManaged {
            Some(function) => Ok(unsafe { function(dptr, bytesize, flags) }),
            None => Err(self.missing(&SYMBOLS[81usize])),
        }
    }
    /**One attribute of a pointer.

[`cuPointerGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in C; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`data` must be valid for writing a value of the attribute's type. `ptr` may be any address: it is looked up, and
not read.*/
    #[inline]
    pub unsafe fn cuPointerGetAttribute(
        &self,
        data: *mut ::core::ffi::c_void,
        attribute: CUpointer_attribute,
        ptr: CUdeviceptr,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuPointerGetAttribute {
            Some(function) => Ok(unsafe { function(data, attribute, ptr) }),
            None => Err(self.missing(&SYMBOLS[82usize])),
        }
    }
    /**Several attributes of a pointer; unknown pointers give nulls, not an error.

[`cuPointerGetAttributes`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in C; this signature since CUDA 7.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`attributes` must lead to `numAttributes` attributes, and `data` to as many pointers, each valid for writing a
value of its attribute's type. `ptr` may be any address: it is looked up, and not read.*/
    #[inline]
    pub unsafe fn cuPointerGetAttributes(
        &self,
        numAttributes: ::core::ffi::c_uint,
        attributes: *mut CUpointer_attribute,
        data: *mut *mut ::core::ffi::c_void,
        ptr: CUdeviceptr,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuPointerGetAttributes {
            Some(function) => {
                Ok(unsafe { function(numAttributes, attributes, data, ptr) })
            }
            None => Err(self.missing(&SYMBOLS[83usize])),
        }
    }
    /**Sets an attribute of a pointer.

[`cuPointerSetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in C; this signature since CUDA 6.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE).

# Safety
`value` must lead to a value of the attribute's type. `ptr` may be any address: it is looked up, and not
written.*/
    #[inline]
    pub unsafe fn cuPointerSetAttribute(
        &self,
        value: *const ::core::ffi::c_void,
        attribute: CUpointer_attribute,
        ptr: CUdeviceptr,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuPointerSetAttribute {
            Some(function) => Ok(unsafe { function(value, attribute, ptr) }),
            None => Err(self.missing(&SYMBOLS[84usize])),
        }
    }
    /**Copies between any two addresses that the driver knows.

[`cuMemcpy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`src` must lead to `ByteCount` bytes that can be read, and `dst` to as many that can be written; where one of
them is host memory, nothing else may write it meanwhile, nor read what is written.*/
    #[inline]
    pub unsafe fn cuMemcpy(
        &self,
        dst: CUdeviceptr,
        src: CUdeviceptr,
        ByteCount: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemcpy {
            Some(function) => Ok(unsafe { function(dst, src, ByteCount) }),
            None => Err(self.missing(&SYMBOLS[85usize])),
        }
    }
    /**Copies from host to device.

[`cuMemcpyHtoD`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemcpyHtoD_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`srcHost` must lead to `ByteCount` bytes that can be read, and `dstDevice` to as many that can be written.
Nothing may write the host memory meanwhile.*/
    #[doc(alias = "cuMemcpyHtoD_v2")]
    #[inline]
    pub unsafe fn cuMemcpyHtoD(
        &self,
        dstDevice: CUdeviceptr,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemcpyHtoD {
            Some(function) => Ok(unsafe { function(dstDevice, srcHost, ByteCount) }),
            None => Err(self.missing(&SYMBOLS[86usize])),
        }
    }
    /**Copies from device to host.

[`cuMemcpyDtoH`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemcpyDtoH_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`srcDevice` must lead to `ByteCount` bytes that can be read, and `dstHost` to as many that can be written.
Nothing else may read or write the host memory meanwhile.*/
    #[doc(alias = "cuMemcpyDtoH_v2")]
    #[inline]
    pub unsafe fn cuMemcpyDtoH(
        &self,
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemcpyDtoH {
            Some(function) => Ok(unsafe { function(dstHost, srcDevice, ByteCount) }),
            None => Err(self.missing(&SYMBOLS[87usize])),
        }
    }
    /**Copies between device addresses.

[`cuMemcpyDtoD`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemcpyDtoD_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`srcDevice` must lead to `ByteCount` bytes that can be read, and `dstDevice` to as many that can be written.*/
    #[doc(alias = "cuMemcpyDtoD_v2")]
    #[inline]
    pub unsafe fn cuMemcpyDtoD(
        &self,
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemcpyDtoD {
            Some(function) => Ok(unsafe { function(dstDevice, srcDevice, ByteCount) }),
            None => Err(self.missing(&SYMBOLS[88usize])),
        }
    }
    /**Copies between the memory of two contexts.

[`cuMemcpyPeer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`srcDevice` must lead to `ByteCount` bytes in `srcContext`, and `dstDevice` to as many in `dstContext`. Neither
context may be destroyed.*/
    #[inline]
    pub unsafe fn cuMemcpyPeer(
        &self,
        dstDevice: CUdeviceptr,
        dstContext: CUcontext,
        srcDevice: CUdeviceptr,
        srcContext: CUcontext,
        ByteCount: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemcpyPeer {
            Some(function) => {
                Ok(unsafe {
                    function(dstDevice, dstContext, srcDevice, srcContext, ByteCount)
                })
            }
            None => Err(self.missing(&SYMBOLS[89usize])),
        }
    }
    /**Enqueues a copy between any two addresses.

[`cuMemcpyAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`src` must lead to `ByteCount` bytes that can be read, and `dst` to as many that can be written, from the call
until the stream has passed it; so long, nothing else may write host memory among them, nor read what is
written. `hStream` must be null, a predefined stream or one that was not destroyed.*/
    #[inline]
    pub unsafe fn cuMemcpyAsync(
        &self,
        dst: CUdeviceptr,
        src: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemcpyAsync {
            Some(function) => Ok(unsafe { function(dst, src, ByteCount, hStream) }),
            None => Err(self.missing(&SYMBOLS[90usize])),
        }
    }
    /**Enqueues a copy from host to device.

[`cuMemcpyHtoDAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemcpyHtoDAsync_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`srcHost` must lead to `ByteCount` bytes that can be read, and `dstDevice` to as many that can be written, from
the call until the stream has passed it; so long, nothing may write the host memory. `hStream` must be null, a
predefined stream or one that was not destroyed.*/
    #[doc(alias = "cuMemcpyHtoDAsync_v2")]
    #[inline]
    pub unsafe fn cuMemcpyHtoDAsync(
        &self,
        dstDevice: CUdeviceptr,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemcpyHtoDAsync {
            Some(function) => {
                Ok(unsafe { function(dstDevice, srcHost, ByteCount, hStream) })
            }
            None => Err(self.missing(&SYMBOLS[91usize])),
        }
    }
    /**Enqueues a copy from device to host.

[`cuMemcpyDtoHAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemcpyDtoHAsync_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`srcDevice` must lead to `ByteCount` bytes that can be read, and `dstHost` to as many that can be written, from
the call until the stream has passed it; so long, nothing else may read or write the host memory. `hStream` must
be null, a predefined stream or one that was not destroyed.*/
    #[doc(alias = "cuMemcpyDtoHAsync_v2")]
    #[inline]
    pub unsafe fn cuMemcpyDtoHAsync(
        &self,
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemcpyDtoHAsync {
            Some(function) => {
                Ok(unsafe { function(dstHost, srcDevice, ByteCount, hStream) })
            }
            None => Err(self.missing(&SYMBOLS[92usize])),
        }
    }
    /**Enqueues a copy between device addresses.

[`cuMemcpyDtoDAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemcpyDtoDAsync_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`srcDevice` must lead to `ByteCount` bytes that can be read, and `dstDevice` to as many that can be written,
from the call until the stream has passed it. `hStream` must be null, a predefined stream or one that was not
destroyed.*/
    #[doc(alias = "cuMemcpyDtoDAsync_v2")]
    #[inline]
    pub unsafe fn cuMemcpyDtoDAsync(
        &self,
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemcpyDtoDAsync {
            Some(function) => {
                Ok(unsafe { function(dstDevice, srcDevice, ByteCount, hStream) })
            }
            None => Err(self.missing(&SYMBOLS[93usize])),
        }
    }
    /**Enqueues a copy between the memory of two contexts.

[`cuMemcpyPeerAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 4.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`srcDevice` must lead to `ByteCount` bytes in `srcContext`, and `dstDevice` to as many in `dstContext`, from the
call until the stream has passed it. Neither context may be destroyed. `hStream` must be null, a predefined
stream or one that was not destroyed.*/
    #[inline]
    pub unsafe fn cuMemcpyPeerAsync(
        &self,
        dstDevice: CUdeviceptr,
        dstContext: CUcontext,
        srcDevice: CUdeviceptr,
        srcContext: CUcontext,
        ByteCount: usize,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemcpyPeerAsync {
            Some(function) => {
                Ok(unsafe {
                    function(
                        dstDevice,
                        dstContext,
                        srcDevice,
                        srcContext,
                        ByteCount,
                        hStream,
                    )
                })
            }
            None => Err(self.missing(&SYMBOLS[94usize])),
        }
    }
    /**Fills device memory with a byte.

[`cuMemsetD8`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemsetD8_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`dstDevice` must lead to `N` bytes that can be written.*/
    #[doc(alias = "cuMemsetD8_v2")]
    #[inline]
    pub unsafe fn cuMemsetD8(
        &self,
        dstDevice: CUdeviceptr,
        uc: ::core::ffi::c_uchar,
        N: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemsetD8 {
            Some(function) => Ok(unsafe { function(dstDevice, uc, N) }),
            None => Err(self.missing(&SYMBOLS[95usize])),
        }
    }
    /**Fills device memory with a 32-bit word.

[`cuMemsetD32`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; exported as `cuMemsetD32_v2`; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`dstDevice` must lead to `N` words of 32 bits, aligned, that can be written.*/
    #[doc(alias = "cuMemsetD32_v2")]
    #[inline]
    pub unsafe fn cuMemsetD32(
        &self,
        dstDevice: CUdeviceptr,
        ui: ::core::ffi::c_uint,
        N: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemsetD32 {
            Some(function) => Ok(unsafe { function(dstDevice, ui, N) }),
            None => Err(self.missing(&SYMBOLS[96usize])),
        }
    }
    /**Enqueues a fill with a byte.

[`cuMemsetD8Async`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`dstDevice` must lead to `N` bytes that can be written, from the call until the stream has passed it. `hStream`
must be null, a predefined stream or one that was not destroyed.*/
    #[inline]
    pub unsafe fn cuMemsetD8Async(
        &self,
        dstDevice: CUdeviceptr,
        uc: ::core::ffi::c_uchar,
        N: usize,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemsetD8Async {
            Some(function) => Ok(unsafe { function(dstDevice, uc, N, hStream) }),
            None => Err(self.missing(&SYMBOLS[97usize])),
        }
    }
    /**Enqueues a fill with a 32-bit word.

[`cuMemsetD32Async`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in C; this signature since CUDA 3.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`dstDevice` must lead to `N` words of 32 bits, aligned, that can be written, from the call until the stream has
passed it. `hStream` must be null, a predefined stream or one that was not destroyed.*/
    #[inline]
    pub unsafe fn cuMemsetD32Async(
        &self,
        dstDevice: CUdeviceptr,
        ui: ::core::ffi::c_uint,
        N: usize,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemsetD32Async {
            Some(function) => Ok(unsafe { function(dstDevice, ui, N, hStream) }),
            None => Err(self.missing(&SYMBOLS[98usize])),
        }
    }
    /**Reserves a range of addresses.

[`cuMemAddressReserve`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`ptr` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuMemAddressReserve(
        &self,
        ptr: *mut CUdeviceptr,
        size: usize,
        alignment: usize,
        addr: CUdeviceptr,
        flags: ::core::ffi::c_ulonglong,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemAddressReserve {
            Some(function) => Ok(unsafe { function(ptr, size, alignment, addr, flags) }),
            None => Err(self.missing(&SYMBOLS[99usize])),
        }
    }
    /**Gives a reserved range back.

[`cuMemAddressFree`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`ptr` and `size` must be a whole reservation, without a mapping in it, and the addresses must not be used
afterwards.*/
    #[inline]
    pub unsafe fn cuMemAddressFree(
        &self,
        ptr: CUdeviceptr,
        size: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemAddressFree {
            Some(function) => Ok(unsafe { function(ptr, size) }),
            None => Err(self.missing(&SYMBOLS[100usize])),
        }
    }
    /**Allocates physical memory without an address.

[`cuMemCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`handle` must be valid for writing, and `prop` must lead to properties whose reserved bytes are zero.*/
    #[inline]
    pub unsafe fn cuMemCreate(
        &self,
        handle: *mut CUmemGenericAllocationHandle,
        size: usize,
        prop: *const CUmemAllocationProp,
        flags: ::core::ffi::c_ulonglong,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemCreate {
            Some(function) => Ok(unsafe { function(handle, size, prop, flags) }),
            None => Err(self.missing(&SYMBOLS[101usize])),
        }
    }
    /**Gives an allocation handle back; the memory lives as long as anything maps or shares it.

[`cuMemRelease`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`handle` must be an allocation's or a multicast object's that was not released, once for each create, import and
retain, and not be used afterwards. Mappings of the memory stay.*/
    #[inline]
    pub unsafe fn cuMemRelease(
        &self,
        handle: CUmemGenericAllocationHandle,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemRelease {
            Some(function) => Ok(unsafe { function(handle) }),
            None => Err(self.missing(&SYMBOLS[102usize])),
        }
    }
    /**Maps physical memory into a reserved range.

[`cuMemMap`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_ILLEGAL_STATE`](CUresult::CUDA_ERROR_ILLEGAL_STATE).

# Safety
`ptr` and `size` must lie in a reservation of this process, and `handle` be an allocation's or a multicast
object's that was not released. What is mapped must be seen as shared memory wherever it is mapped twice or
imported: no reference of Rust may be made to it.*/
    #[inline]
    pub unsafe fn cuMemMap(
        &self,
        ptr: CUdeviceptr,
        size: usize,
        offset: usize,
        handle: CUmemGenericAllocationHandle,
        flags: ::core::ffi::c_ulonglong,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemMap {
            Some(function) => Ok(unsafe { function(ptr, size, offset, handle, flags) }),
            None => Err(self.missing(&SYMBOLS[103usize])),
        }
    }
    /**Unmaps whole mappings.

[`cuMemUnmap`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`ptr` and `size` must cover whole mappings. No work that still runs may use the memory, and nothing may use it
afterwards.*/
    #[inline]
    pub unsafe fn cuMemUnmap(
        &self,
        ptr: CUdeviceptr,
        size: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemUnmap {
            Some(function) => Ok(unsafe { function(ptr, size) }),
            None => Err(self.missing(&SYMBOLS[104usize])),
        }
    }
    /**Sets which locations may reach a mapped range, and how.

[`cuMemSetAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`desc` must lead to `count` descriptions. No work that still runs may use the memory from a place that loses
access.*/
    #[inline]
    pub unsafe fn cuMemSetAccess(
        &self,
        ptr: CUdeviceptr,
        size: usize,
        desc: *const CUmemAccessDesc,
        count: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemSetAccess {
            Some(function) => Ok(unsafe { function(ptr, size, desc, count) }),
            None => Err(self.missing(&SYMBOLS[105usize])),
        }
    }
    /**The access that a location has at an address.

[`cuMemGetAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`flags` must be valid for writing, and `location` must lead to a place.*/
    #[inline]
    pub unsafe fn cuMemGetAccess(
        &self,
        flags: *mut ::core::ffi::c_ulonglong,
        location: *const CUmemLocation,
        ptr: CUdeviceptr,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemGetAccess {
            Some(function) => Ok(unsafe { function(flags, location, ptr) }),
            None => Err(self.missing(&SYMBOLS[106usize])),
        }
    }
    /**Exports an allocation handle as a file descriptor or fabric handle.

[`cuMemExportToShareableHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`shareableHandle` must be valid for writing what `handleType` says: an `int` for a file descriptor, which is
then the caller's to close, or 64 bytes for a fabric handle. `handle` must be an allocation's or a multicast
object's that was not released.*/
    #[inline]
    pub unsafe fn cuMemExportToShareableHandle(
        &self,
        shareableHandle: *mut ::core::ffi::c_void,
        handle: CUmemGenericAllocationHandle,
        handleType: CUmemAllocationHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemExportToShareableHandle {
            Some(function) => {
                Ok(unsafe { function(shareableHandle, handle, handleType, flags) })
            }
            None => Err(self.missing(&SYMBOLS[107usize])),
        }
    }
    /**Imports what cuMemExportToShareableHandle exported.

[`cuMemImportFromShareableHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`handle` must be valid for writing. For a file descriptor, `osHandle` is its number itself, cast to a pointer,
and the descriptor stays the caller's; for a fabric handle it leads to 64 bytes as their exporter made them.
Another process may change or free what lies there at any time, so no reference of Rust may be made to it.*/
    #[inline]
    pub unsafe fn cuMemImportFromShareableHandle(
        &self,
        handle: *mut CUmemGenericAllocationHandle,
        osHandle: *mut ::core::ffi::c_void,
        shHandleType: CUmemAllocationHandleType,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemImportFromShareableHandle {
            Some(function) => Ok(unsafe { function(handle, osHandle, shHandleType) }),
            None => Err(self.missing(&SYMBOLS[108usize])),
        }
    }
    /**The granularity of sizes and addresses for given properties.

[`cuMemGetAllocationGranularity`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`granularity` must be valid for writing, and `prop` must lead to properties.*/
    #[inline]
    pub unsafe fn cuMemGetAllocationGranularity(
        &self,
        granularity: *mut usize,
        prop: *const CUmemAllocationProp,
        option: CUmemAllocationGranularity_flags,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemGetAllocationGranularity {
            Some(function) => Ok(unsafe { function(granularity, prop, option) }),
            None => Err(self.missing(&SYMBOLS[109usize])),
        }
    }
    /**The properties an allocation was made with.

[`cuMemGetAllocationPropertiesFromHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 10.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`prop` must be valid for writing, and `handle` must be an allocation's that was not released.*/
    #[inline]
    pub unsafe fn cuMemGetAllocationPropertiesFromHandle(
        &self,
        prop: *mut CUmemAllocationProp,
        handle: CUmemGenericAllocationHandle,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemGetAllocationPropertiesFromHandle {
            Some(function) => Ok(unsafe { function(prop, handle) }),
            None => Err(self.missing(&SYMBOLS[110usize])),
        }
    }
    /**The allocation handle behind a mapped address, with a reference of its own.

[`cuMemRetainAllocationHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in C; this signature since CUDA 11.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`handle` must be valid for writing. `addr` may be any address: it is looked up, and not read.*/
    #[inline]
    pub unsafe fn cuMemRetainAllocationHandle(
        &self,
        handle: *mut CUmemGenericAllocationHandle,
        addr: *mut ::core::ffi::c_void,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemRetainAllocationHandle {
            Some(function) => Ok(unsafe { function(handle, addr) }),
            None => Err(self.missing(&SYMBOLS[111usize])),
        }
    }
    /**Creates a multicast object over several devices.

[`cuMulticastCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in C; this signature since CUDA 12.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`mcHandle` must be valid for writing, and `prop` must lead to properties.*/
    #[inline]
    pub unsafe fn cuMulticastCreate(
        &self,
        mcHandle: *mut CUmemGenericAllocationHandle,
        prop: *const CUmulticastObjectProp,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMulticastCreate {
            Some(function) => Ok(unsafe { function(mcHandle, prop) }),
            None => Err(self.missing(&SYMBOLS[112usize])),
        }
    }
    /**Adds a device to a multicast object.

[`cuMulticastAddDevice`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in C; this signature since CUDA 12.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`mcHandle` must be a multicast object's that was not released.*/
    #[inline]
    pub unsafe fn cuMulticastAddDevice(
        &self,
        mcHandle: CUmemGenericAllocationHandle,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMulticastAddDevice {
            Some(function) => Ok(unsafe { function(mcHandle, dev) }),
            None => Err(self.missing(&SYMBOLS[113usize])),
        }
    }
    /**Binds an allocation handle to a multicast object.

[`cuMulticastBindMem`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in C; this signature since CUDA 12.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_SYSTEM_NOT_READY`](CUresult::CUDA_ERROR_SYSTEM_NOT_READY), [`CUDA_ERROR_ILLEGAL_STATE`](CUresult::CUDA_ERROR_ILLEGAL_STATE), [`CUDA_ERROR_MULTICAST_RESOURCE_FULL`](CUresult::CUDA_ERROR_MULTICAST_RESOURCE_FULL).

# Safety
`mcHandle` and `memHandle` must be a multicast object's and an allocation's that were not released.*/
    #[inline]
    pub unsafe fn cuMulticastBindMem(
        &self,
        mcHandle: CUmemGenericAllocationHandle,
        mcOffset: usize,
        memHandle: CUmemGenericAllocationHandle,
        memOffset: usize,
        size: usize,
        flags: ::core::ffi::c_ulonglong,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMulticastBindMem {
            Some(function) => {
                Ok(unsafe {
                    function(mcHandle, mcOffset, memHandle, memOffset, size, flags)
                })
            }
            None => Err(self.missing(&SYMBOLS[114usize])),
        }
    }
    /**Binds mapped memory to a multicast object.

[`cuMulticastBindAddr`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in C; this signature since CUDA 12.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_SYSTEM_NOT_READY`](CUresult::CUDA_ERROR_SYSTEM_NOT_READY), [`CUDA_ERROR_ILLEGAL_STATE`](CUresult::CUDA_ERROR_ILLEGAL_STATE), [`CUDA_ERROR_MULTICAST_RESOURCE_FULL`](CUresult::CUDA_ERROR_MULTICAST_RESOURCE_FULL).

# Safety
`mcHandle` must be a multicast object's that was not released, and `memptr` lead to `size` bytes that are
mapped.*/
    #[inline]
    pub unsafe fn cuMulticastBindAddr(
        &self,
        mcHandle: CUmemGenericAllocationHandle,
        mcOffset: usize,
        memptr: CUdeviceptr,
        size: usize,
        flags: ::core::ffi::c_ulonglong,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMulticastBindAddr {
            Some(function) => {
                Ok(unsafe { function(mcHandle, mcOffset, memptr, size, flags) })
            }
            None => Err(self.missing(&SYMBOLS[115usize])),
        }
    }
    /**Ends a binding to a multicast object.

[`cuMulticastUnbind`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in C; this signature since CUDA 12.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`mcHandle` must be a multicast object's that was not released. No work that still runs may use the range through
the object.*/
    #[inline]
    pub unsafe fn cuMulticastUnbind(
        &self,
        mcHandle: CUmemGenericAllocationHandle,
        dev: CUdevice,
        mcOffset: usize,
        size: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMulticastUnbind {
            Some(function) => Ok(unsafe { function(mcHandle, dev, mcOffset, size) }),
            None => Err(self.missing(&SYMBOLS[116usize])),
        }
    }
    /**The granularity of sizes and offsets of a multicast object.

[`cuMulticastGetGranularity`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in C; this signature since CUDA 12.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`granularity` must be valid for writing, and `prop` must lead to properties.*/
    #[inline]
    pub unsafe fn cuMulticastGetGranularity(
        &self,
        granularity: *mut usize,
        prop: *const CUmulticastObjectProp,
        option: CUmulticastGranularity_flags,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMulticastGetGranularity {
            Some(function) => Ok(unsafe { function(granularity, prop, option) }),
            None => Err(self.missing(&SYMBOLS[117usize])),
        }
    }
    /**Creates a memory pool.

[`cuMemPoolCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY), [`CUDA_ERROR_NOT_PERMITTED`](CUresult::CUDA_ERROR_NOT_PERMITTED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`pool` must be valid for writing, and `poolProps` must lead to properties whose reserved bytes are zero.*/
    #[inline]
    pub unsafe fn cuMemPoolCreate(
        &self,
        pool: *mut CUmemoryPool,
        poolProps: *const CUmemPoolProps,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemPoolCreate {
            Some(function) => Ok(unsafe { function(pool, poolProps) }),
            None => Err(self.missing(&SYMBOLS[118usize])),
        }
    }
    /**Destroys a pool; its live allocations stay until they are freed.

[`cuMemPoolDestroy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pool` must be a pool that was not destroyed, and not be used afterwards.*/
    #[inline]
    pub unsafe fn cuMemPoolDestroy(
        &self,
        pool: CUmemoryPool,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemPoolDestroy {
            Some(function) => Ok(unsafe { function(pool) }),
            None => Err(self.missing(&SYMBOLS[119usize])),
        }
    }
    /**Gives a pool's unused memory back to the system.

[`cuMemPoolTrimTo`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pool` must be a pool that was not destroyed.*/
    #[inline]
    pub unsafe fn cuMemPoolTrimTo(
        &self,
        pool: CUmemoryPool,
        minBytesToKeep: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemPoolTrimTo {
            Some(function) => Ok(unsafe { function(pool, minBytesToKeep) }),
            None => Err(self.missing(&SYMBOLS[120usize])),
        }
    }
    /**One attribute of a pool.

[`cuMemPoolGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pool` must be a pool that was not destroyed, and `value` must be valid for writing what the attribute is: an
`int` or a 64-bit integer.*/
    #[inline]
    pub unsafe fn cuMemPoolGetAttribute(
        &self,
        pool: CUmemoryPool,
        attr: CUmemPool_attribute,
        value: *mut ::core::ffi::c_void,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemPoolGetAttribute {
            Some(function) => Ok(unsafe { function(pool, attr, value) }),
            None => Err(self.missing(&SYMBOLS[121usize])),
        }
    }
    /**Sets an attribute of a pool.

[`cuMemPoolSetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pool` must be a pool that was not destroyed, and `value` must lead to what the attribute is: an `int` or a
64-bit integer.*/
    #[inline]
    pub unsafe fn cuMemPoolSetAttribute(
        &self,
        pool: CUmemoryPool,
        attr: CUmemPool_attribute,
        value: *mut ::core::ffi::c_void,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemPoolSetAttribute {
            Some(function) => Ok(unsafe { function(pool, attr, value) }),
            None => Err(self.missing(&SYMBOLS[122usize])),
        }
    }
    /**The access that a location has to a pool's memory.

[`cuMemPoolGetAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: none of its own.

# Safety
`flags` must be valid for writing, `memPool` must be a pool that was not destroyed, and `location` must lead to
a place.*/
    #[inline]
    pub unsafe fn cuMemPoolGetAccess(
        &self,
        flags: *mut CUmemAccess_flags,
        memPool: CUmemoryPool,
        location: *mut CUmemLocation,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemPoolGetAccess {
            Some(function) => Ok(unsafe { function(flags, memPool, location) }),
            None => Err(self.missing(&SYMBOLS[123usize])),
        }
    }
    /**Sets which devices may reach a pool's memory.

[`cuMemPoolSetAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`pool` must be a pool that was not destroyed, and `map` must lead to `count` descriptions. No work that still
runs may use the memory from a device that loses access.*/
    #[inline]
    pub unsafe fn cuMemPoolSetAccess(
        &self,
        pool: CUmemoryPool,
        map: *const CUmemAccessDesc,
        count: usize,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemPoolSetAccess {
            Some(function) => Ok(unsafe { function(pool, map, count) }),
            None => Err(self.missing(&SYMBOLS[124usize])),
        }
    }
    /**A device's default pool.

[`cuDeviceGetDefaultMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`pool_out` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuDeviceGetDefaultMemPool(
        &self,
        pool_out: *mut CUmemoryPool,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceGetDefaultMemPool {
            Some(function) => Ok(unsafe { function(pool_out, dev) }),
            None => Err(self.missing(&SYMBOLS[125usize])),
        }
    }
    /**A device's current pool.

[`cuDeviceGetMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pool` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuDeviceGetMemPool(
        &self,
        pool: *mut CUmemoryPool,
        dev: CUdevice,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceGetMemPool {
            Some(function) => Ok(unsafe { function(pool, dev) }),
            None => Err(self.missing(&SYMBOLS[126usize])),
        }
    }
    /**Makes a pool a device's current one.

[`cuDeviceSetMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`pool` must be a pool that was not destroyed.*/
    #[inline]
    pub unsafe fn cuDeviceSetMemPool(
        &self,
        dev: CUdevice,
        pool: CUmemoryPool,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDeviceSetMemPool {
            Some(function) => Ok(unsafe { function(dev, pool) }),
            None => Err(self.missing(&SYMBOLS[127usize])),
        }
    }
    /**The default pool of a location and allocation type.

[`cuMemGetDefaultMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 13.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_DEVICE`](CUresult::CUDA_ERROR_INVALID_DEVICE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`pool_out` must be valid for writing, and `location` must lead to a place.*/
    #[inline]
    pub unsafe fn cuMemGetDefaultMemPool(
        &self,
        pool_out: *mut CUmemoryPool,
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemGetDefaultMemPool {
            Some(function) => Ok(unsafe { function(pool_out, location, type_) }),
            None => Err(self.missing(&SYMBOLS[128usize])),
        }
    }
    /**The current pool of a location and allocation type.

[`cuMemGetMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 13.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`pool_out` must be valid for writing, and `location` must lead to a place.*/
    #[inline]
    pub unsafe fn cuMemGetMemPool(
        &self,
        pool_out: *mut CUmemoryPool,
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemGetMemPool {
            Some(function) => Ok(unsafe { function(pool_out, location, type_) }),
            None => Err(self.missing(&SYMBOLS[129usize])),
        }
    }
    /**Makes a pool the current one of a location and allocation type.

[`cuMemSetMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 13.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`location` must lead to a place, and `pool` must be a pool that was not destroyed and stay so while it is
chosen.*/
    #[inline]
    pub unsafe fn cuMemSetMemPool(
        &self,
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
        pool: CUmemoryPool,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemSetMemPool {
            Some(function) => Ok(unsafe { function(location, type_, pool) }),
            None => Err(self.missing(&SYMBOLS[130usize])),
        }
    }
    /**Enqueues an allocation from the device's current pool.

[`cuMemAllocAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`dptr` must be valid for writing, and `hStream` must be null, a predefined stream or one that was not destroyed.
The memory may be used by work that comes after the call in that stream, or in another that waits for it.*/
    #[inline]
    pub unsafe fn cuMemAllocAsync(
        &self,
        dptr: *mut CUdeviceptr,
        bytesize: usize,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemAllocAsync {
            Some(function) => Ok(unsafe { function(dptr, bytesize, hStream) }),
            None => Err(self.missing(&SYMBOLS[131usize])),
        }
    }
    /**Enqueues an allocation from a pool.

[`cuMemAllocFromPoolAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`dptr` must be valid for writing, `pool` must be a pool that was not destroyed, and `hStream` must be null, a
predefined stream or one that was not destroyed. The memory may be used by work that comes after the call in
that stream, or in another that waits for it.*/
    #[inline]
    pub unsafe fn cuMemAllocFromPoolAsync(
        &self,
        dptr: *mut CUdeviceptr,
        bytesize: usize,
        pool: CUmemoryPool,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemAllocFromPoolAsync {
            Some(function) => Ok(unsafe { function(dptr, bytesize, pool, hStream) }),
            None => Err(self.missing(&SYMBOLS[132usize])),
        }
    }
    /**Enqueues a free.

[`cuMemFreeAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_CONTEXT`](CUresult::CUDA_ERROR_INVALID_CONTEXT), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED).

# Safety
`dptr` must come from a stream-ordered allocation, a pool import, or an allocation node that no node of its own
graph frees, and not be freed yet. `hStream` must be null, a predefined stream or one that was not destroyed. No
work may use the memory that is not ordered before the call; an import must be freed, in stream order, before
its exporter's allocation is.*/
    #[inline]
    pub unsafe fn cuMemFreeAsync(
        &self,
        dptr: CUdeviceptr,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemFreeAsync {
            Some(function) => Ok(unsafe { function(dptr, hStream) }),
            None => Err(self.missing(&SYMBOLS[133usize])),
        }
    }
    /**Exports a pool as a file descriptor or fabric handle.

[`cuMemPoolExportToShareableHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`handle_out` must be valid for writing what `handleType` says: an `int` for a file descriptor, which is then the
caller's to close, or 64 bytes for a fabric handle. `pool` must be a pool that was not destroyed.*/
    #[inline]
    pub unsafe fn cuMemPoolExportToShareableHandle(
        &self,
        handle_out: *mut ::core::ffi::c_void,
        pool: CUmemoryPool,
        handleType: CUmemAllocationHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemPoolExportToShareableHandle {
            Some(function) => {
                Ok(unsafe { function(handle_out, pool, handleType, flags) })
            }
            None => Err(self.missing(&SYMBOLS[134usize])),
        }
    }
    /**Imports a pool that another process exported.

[`cuMemPoolImportFromShareableHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`pool_out` must be valid for writing. For a file descriptor, `handle` is its number itself, cast to a pointer,
and the descriptor stays the caller's; for a fabric handle it leads to 64 bytes as their exporter made them.
Another process may change or free what lies there at any time, so no reference of Rust may be made to it.*/
    #[inline]
    pub unsafe fn cuMemPoolImportFromShareableHandle(
        &self,
        pool_out: *mut CUmemoryPool,
        handle: *mut ::core::ffi::c_void,
        handleType: CUmemAllocationHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemPoolImportFromShareableHandle {
            Some(function) => {
                Ok(unsafe { function(pool_out, handle, handleType, flags) })
            }
            None => Err(self.missing(&SYMBOLS[135usize])),
        }
    }
    /**Exports an allocation of a shared pool as 64 bytes.

[`cuMemPoolExportPointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`shareData_out` must be valid for writing, and `ptr` must come from a pool that can be exported.*/
    #[inline]
    pub unsafe fn cuMemPoolExportPointer(
        &self,
        shareData_out: *mut CUmemPoolPtrExportData,
        ptr: CUdeviceptr,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemPoolExportPointer {
            Some(function) => Ok(unsafe { function(shareData_out, ptr) }),
            None => Err(self.missing(&SYMBOLS[136usize])),
        }
    }
    /**Imports an allocation of an imported pool.

[`cuMemPoolImportPointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in C; this signature since CUDA 11.2.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`ptr_out` must be valid for writing, `pool` must be a pool that was not destroyed, and `shareData` must lead to
data as its exporter made it. The exporter must not free the memory while it is used here, and it is not to be
used before the work that the exporter ordered its allocation after. Another process may change or free what
lies there at any time, so no reference of Rust may be made to it.*/
    #[inline]
    pub unsafe fn cuMemPoolImportPointer(
        &self,
        ptr_out: *mut CUdeviceptr,
        pool: CUmemoryPool,
        shareData: *mut CUmemPoolPtrExportData,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuMemPoolImportPointer {
            Some(function) => Ok(unsafe { function(ptr_out, pool, shareData) }),
            None => Err(self.missing(&SYMBOLS[137usize])),
        }
    }
    /**Imports memory that another API exported.

[`cuImportExternalMemory`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXTRES__INTEROP.html) in C; this signature since CUDA 10.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE), [`CUDA_ERROR_OPERATING_SYSTEM`](CUresult::CUDA_ERROR_OPERATING_SYSTEM).

# Safety
`extMem_out` must be valid for writing. `memHandleDesc` must lead to a description of memory as its exporter
made it. A file descriptor in it becomes the driver's where the call succeeds, and must not be used or closed
afterwards. Another process may change or free what lies there at any time, so no reference of Rust may be made
to it.*/
    #[inline]
    pub unsafe fn cuImportExternalMemory(
        &self,
        extMem_out: *mut CUexternalMemory,
        memHandleDesc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuImportExternalMemory {
            Some(function) => Ok(unsafe { function(extMem_out, memHandleDesc) }),
            None => Err(self.missing(&SYMBOLS[138usize])),
        }
    }
    /**Gives imported external memory back.

[`cuDestroyExternalMemory`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXTRES__INTEROP.html) in C; this signature since CUDA 10.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_HANDLE`](CUresult::CUDA_ERROR_INVALID_HANDLE).

# Safety
`extMem` must be an import that was not destroyed, with every mapping of it freed, and not be used afterwards.*/
    #[inline]
    pub unsafe fn cuDestroyExternalMemory(
        &self,
        extMem: CUexternalMemory,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuDestroyExternalMemory {
            Some(function) => Ok(unsafe { function(extMem) }),
            None => Err(self.missing(&SYMBOLS[139usize])),
        }
    }
    /**Creates an empty graph.

[`cuGraphCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 10.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE), [`CUDA_ERROR_OUT_OF_MEMORY`](CUresult::CUDA_ERROR_OUT_OF_MEMORY).

# Safety
`phGraph` must be valid for writing.*/
    #[inline]
    pub unsafe fn cuGraphCreate(
        &self,
        phGraph: *mut CUgraph,
        flags: ::core::ffi::c_uint,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuGraphCreate {
            Some(function) => Ok(unsafe { function(phGraph, flags) }),
            None => Err(self.missing(&SYMBOLS[140usize])),
        }
    }
    /**Destroys a graph.

[`cuGraphDestroy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 10.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`hGraph` must be a graph that was not destroyed, and not be used afterwards.*/
    #[inline]
    pub unsafe fn cuGraphDestroy(
        &self,
        hGraph: CUgraph,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuGraphDestroy {
            Some(function) => Ok(unsafe { function(hGraph) }),
            None => Err(self.missing(&SYMBOLS[141usize])),
        }
    }
    /**Adds a node that allocates memory when it runs.

[`cuGraphAddMemAllocNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 11.4.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`phGraphNode` must be valid for writing, and `hGraph` must be a graph that was not destroyed. `dependencies`
must lead to `numDependencies` nodes of that graph, or be null where there are none. `nodeParams` must be valid
for reading and writing, since it gets the address, and its `accessDescs` lead to `accessDescCount`
descriptions.*/
    #[inline]
    pub unsafe fn cuGraphAddMemAllocNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuGraphAddMemAllocNode {
            Some(function) => {
                Ok(unsafe {
                    function(
                        phGraphNode,
                        hGraph,
                        dependencies,
                        numDependencies,
                        nodeParams,
                    )
                })
            }
            None => Err(self.missing(&SYMBOLS[142usize])),
        }
    }
    /**Adds a node that frees memory when it runs.

[`cuGraphAddMemFreeNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 11.4.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`phGraphNode` must be valid for writing, and `hGraph` must be a graph that was not destroyed. `dependencies`
must lead to `numDependencies` nodes of that graph, or be null where there are none. `dptr` must come from a
node that allocates, and no node may use it that is not ordered before.*/
    #[inline]
    pub unsafe fn cuGraphAddMemFreeNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        dptr: CUdeviceptr,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuGraphAddMemFreeNode {
            Some(function) => {
                Ok(unsafe {
                    function(phGraphNode, hGraph, dependencies, numDependencies, dptr)
                })
            }
            None => Err(self.missing(&SYMBOLS[143usize])),
        }
    }
    /**Adds a node that records an event.

[`cuGraphAddEventRecordNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 11.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`phGraphNode` must be valid for writing, and `hGraph` must be a graph that was not destroyed. `dependencies`
must lead to `numDependencies` nodes of that graph, or be null where there are none. `event` must be an event
that was not destroyed, and stay so while the graph can run.*/
    #[inline]
    pub unsafe fn cuGraphAddEventRecordNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        event: CUevent,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuGraphAddEventRecordNode {
            Some(function) => {
                Ok(unsafe {
                    function(phGraphNode, hGraph, dependencies, numDependencies, event)
                })
            }
            None => Err(self.missing(&SYMBOLS[144usize])),
        }
    }
    /**Adds a node that waits for an event.

[`cuGraphAddEventWaitNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 11.1.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_NOT_SUPPORTED`](CUresult::CUDA_ERROR_NOT_SUPPORTED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`phGraphNode` must be valid for writing, and `hGraph` must be a graph that was not destroyed. `dependencies`
must lead to `numDependencies` nodes of that graph, or be null where there are none. `event` must be an event
that was not destroyed, and stay so while the graph can run.*/
    #[inline]
    pub unsafe fn cuGraphAddEventWaitNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        event: CUevent,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuGraphAddEventWaitNode {
            Some(function) => {
                Ok(unsafe {
                    function(phGraphNode, hGraph, dependencies, numDependencies, event)
                })
            }
            None => Err(self.missing(&SYMBOLS[145usize])),
        }
    }
    /**Makes an executable graph.

[`cuGraphInstantiateWithFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 11.4.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`phGraphExec` must be valid for writing, and `hGraph` must be a graph that was not destroyed.*/
    #[inline]
    pub unsafe fn cuGraphInstantiateWithFlags(
        &self,
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        flags: ::core::ffi::c_ulonglong,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuGraphInstantiateWithFlags {
            Some(function) => Ok(unsafe { function(phGraphExec, hGraph, flags) }),
            None => Err(self.missing(&SYMBOLS[146usize])),
        }
    }
    /**Launches an executable graph into a stream.

[`cuGraphLaunch`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 10.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`hGraph` must be an executable graph that was not destroyed, and `hStream` must be null, a predefined stream or
one that was not destroyed. What its nodes use must be valid until the stream has passed them.*/
    #[inline]
    pub unsafe fn cuGraphLaunch(
        &self,
        hGraph: CUgraphExec,
        hStream: CUstream,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuGraphLaunch {
            Some(function) => Ok(unsafe { function(hGraph, hStream) }),
            None => Err(self.missing(&SYMBOLS[147usize])),
        }
    }
    /**Destroys an executable graph.

[`cuGraphExecDestroy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in C; this signature since CUDA 10.0.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_DEINITIALIZED`](CUresult::CUDA_ERROR_DEINITIALIZED), [`CUDA_ERROR_NOT_INITIALIZED`](CUresult::CUDA_ERROR_NOT_INITIALIZED), [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`hGraphExec` must be an executable graph that was not destroyed, and not be used afterwards.*/
    #[inline]
    pub unsafe fn cuGraphExecDestroy(
        &self,
        hGraphExec: CUgraphExec,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuGraphExecDestroy {
            Some(function) => Ok(unsafe { function(hGraphExec) }),
            None => Err(self.missing(&SYMBOLS[148usize])),
        }
    }
    /**Has the driver hand its log lines to a function.

[`cuLogsRegisterCallback`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LOGS.html) in C; this signature since CUDA 12.9.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`callbackFunc` must be a function that may be called with `userData` from any thread until it is unregistered,
and must not unwind or make a CUDA call. `callback` must be valid for writing or null.*/
    #[inline]
    pub unsafe fn cuLogsRegisterCallback(
        &self,
        callbackFunc: CUlogsCallback,
        userData: *mut ::core::ffi::c_void,
        callback: *mut CUlogsCallbackHandle,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuLogsRegisterCallback {
            Some(function) => Ok(unsafe { function(callbackFunc, userData, callback) }),
            None => Err(self.missing(&SYMBOLS[149usize])),
        }
    }
    /**Ends what cuLogsRegisterCallback began.

[`cuLogsUnregisterCallback`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LOGS.html) in C; this signature since CUDA 12.9.

# Errors
[`MissingSymbol`] where this driver does not have the function. Documented codes: [`CUDA_ERROR_INVALID_VALUE`](CUresult::CUDA_ERROR_INVALID_VALUE).

# Safety
`callback` must be a registration that was not ended.*/
    #[inline]
    pub unsafe fn cuLogsUnregisterCallback(
        &self,
        callback: CUlogsCallbackHandle,
    ) -> Result<CUresult, MissingSymbol> {
        match self.functions().cuLogsUnregisterCallback {
            Some(function) => Ok(unsafe { function(callback) }),
            None => Err(self.missing(&SYMBOLS[150usize])),
        }
    }
}
