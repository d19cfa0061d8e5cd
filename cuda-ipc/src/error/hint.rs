//! What a refusal means for the call, and what helps.

use crate::sys::CUresult as C;

/// Known for the refusals that people meet.
pub(super) fn hint(function: &str, code: C) -> Option<&'static str> {
    Some(match (function, code) {
        ("cuInit", C::CUDA_ERROR_NO_DEVICE) => "no GPU is visible: look at nvidia-smi and CUDA_VISIBLE_DEVICES",
        (_, C::CUDA_ERROR_NOT_INITIALIZED) => {
            "a child of a process that used the driver before it forked cannot use it: exec a program there"
        }
        ("cuDeviceGet", C::CUDA_ERROR_INVALID_DEVICE) => "ordinals are those below Driver::device_count",
        ("cuMemAlloc", C::CUDA_ERROR_INVALID_VALUE) => "the size must not be 0",
        ("cuMemAlloc", C::CUDA_ERROR_OUT_OF_MEMORY) => "the device has less left: other processes share its memory",
        ("cuEventCreate", C::CUDA_ERROR_OUT_OF_MEMORY) => {
            "interprocess events are few (4096 in a process on an H200): keep them and record them anew"
        }
        ("cuEventRecord", C::CUDA_ERROR_INVALID_HANDLE) => "event and stream must be of one context",
        ("cuIpcGetMemHandle", C::CUDA_ERROR_INVALID_VALUE) => {
            "only memory of cuMemAlloc has a legacy handle: no host, managed, pool or mapped memory, and no import"
        }
        ("cuIpcOpenMemHandle" | "cuIpcOpenEventHandle", C::CUDA_ERROR_INVALID_CONTEXT) => {
            "opened in the process that exported it: use the exporter's own value here"
        }
        ("cuIpcOpenMemHandle", C::CUDA_ERROR_INVALID_VALUE) => {
            "the bytes name no memory: they were altered on the way, or the exporter freed it"
        }
        ("cuIpcOpenMemHandle", C::CUDA_ERROR_NOT_PERMITTED) => "the exporter has freed the memory",
        ("cuIpcOpenMemHandle", C::CUDA_ERROR_INVALID_HANDLE) => {
            "the exporter has ended, or memory of it is open in another context of this device"
        }
        ("cuIpcOpenMemHandle", C::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED) => {
            "this device cannot reach the exporter's: open it on the device it is on"
        }
        ("cuIpcOpenMemHandle", C::CUDA_ERROR_ALREADY_MAPPED) => {
            "other memory of the exporter is still mapped at this place, or another thread is opening it: close what is \
             stale, and try again"
        }
        ("cuIpcOpenEventHandle", C::CUDA_ERROR_MAP_FAILED) => "the bytes name no event: they were altered on the way",
        ("cuIpcCloseMemHandle", C::CUDA_ERROR_INVALID_VALUE) => "it is not open in this context: closed elsewhere?",
        ("cuMemFree", C::CUDA_ERROR_INVALID_VALUE) => "it is no memory of cuMemAlloc: freed elsewhere?",
        ("cuMemCreate", C::CUDA_ERROR_NOT_PERMITTED) => {
            "a fabric handle needs an IMEX channel, which this process has not: see fabric::probe"
        }
        ("cuMemCreate", C::CUDA_ERROR_INVALID_VALUE) => {
            "the size must be a multiple of the granularity and not 0, and the device must give such handles"
        }
        ("cuMemExportToShareableHandle", C::CUDA_ERROR_INVALID_VALUE) => {
            "the memory was created without this type of handle, or imported: only its creator exports it"
        }
        ("cuMemImportFromShareableHandle", C::CUDA_ERROR_INVALID_VALUE | C::CUDA_ERROR_UNKNOWN) => {
            "it is a handle of something else: send what Allocation::export gave"
        }
        ("cuMemMap", C::CUDA_ERROR_INVALID_VALUE) => {
            "the addresses are taken already, or the size is not the memory's own"
        }
        ("cuMemMap", C::CUDA_ERROR_NOT_SUPPORTED) => "this driver maps memory as a whole: the size is not its own",
        ("cuMemPoolExportToShareableHandle", C::CUDA_ERROR_INVALID_VALUE) => {
            "the pool was created without this type of handle; a default pool has none"
        }
        ("cuMemPoolExportPointer", C::CUDA_ERROR_INVALID_VALUE) => {
            "export the pool first; memory that was imported, or is of another kind, has no such pointer"
        }
        ("cuMemPoolImportFromShareableHandle", C::CUDA_ERROR_INVALID_VALUE | C::CUDA_ERROR_UNKNOWN) => {
            "it is a handle of something else: send what Pool::export gave"
        }
        ("cuMemPoolImportPointer", C::CUDA_ERROR_INVALID_VALUE) => {
            "the bytes are of another pool, were altered on the way, or the exporter freed the memory"
        }
        ("cuMemPoolSetAccess", C::CUDA_ERROR_INVALID_DEVICE | C::CUDA_ERROR_NOT_SUPPORTED) => {
            "a pool's own device always has access, and other devices must be peers of it"
        }
        ("cuCtxEnablePeerAccess", C::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED) => {
            "the devices are no peers (peer::can_access), or one and the same"
        }
        ("cuModuleLoadData", C::CUDA_ERROR_UNSUPPORTED_PTX_VERSION) => {
            "the PTX is of a newer version than the driver: compile it for an older one"
        }
        ("cuModuleLoadData", C::CUDA_ERROR_INVALID_PTX | C::CUDA_ERROR_INVALID_IMAGE) => "the text is no PTX",
        (_, C::CUDA_ERROR_INVALID_CONTEXT | C::CUDA_ERROR_CONTEXT_IS_DESTROYED) => {
            "the primary context was reset by someone else, and all that was made in it is gone"
        }
        (_, C::CUDA_ERROR_ILLEGAL_ADDRESS | C::CUDA_ERROR_LAUNCH_FAILED) => {
            "earlier work of the device failed, which ends all device work of this process: only a new one can go on"
        }
        _ => return None,
    })
}
