//! What a refusal means for the call, and what helps.

use crate::sys::CUresult as C;

/// Known for the refusals that people meet.
pub(super) fn way_out(function: &str, code: C) -> Option<&'static str> {
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
        ("cuIpcOpenEventHandle", C::CUDA_ERROR_MAP_FAILED) => "the bytes name no event: they were altered on the way",
        ("cuIpcCloseMemHandle", C::CUDA_ERROR_INVALID_VALUE) => "it is not open in this context: closed elsewhere?",
        ("cuMemFree", C::CUDA_ERROR_INVALID_VALUE) => "it is no memory of cuMemAlloc: freed elsewhere?",
        (_, C::CUDA_ERROR_INVALID_CONTEXT | C::CUDA_ERROR_CONTEXT_IS_DESTROYED) => {
            "the primary context was reset by someone else, and all that was made in it is gone"
        }
        (_, C::CUDA_ERROR_ILLEGAL_ADDRESS | C::CUDA_ERROR_LAUNCH_FAILED) => {
            "earlier work of the device failed, which ends the context: only a new process can go on"
        }
        _ => return None,
    })
}
