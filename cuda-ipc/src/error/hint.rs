//! Hints: what an error means for the call that returned it, and what to do.

use std::fmt;

use super::Error;
use crate::sys::{CUresult as C, LoadError};

/// Writes a hint at the end of a message, if there is one.
pub(crate) struct Advice(pub(crate) Option<&'static str>);

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |hint| write!(f, ": {hint}"))
    }
}

impl Error {
    /// Returns what to do about the error, if that is known. The error's message ends with it, except for
    /// [`Error::Load`] and [`Error::Missing`], whose messages have advice of their own.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Load(LoadError::SetTooLate { .. }) => "set the variable before the program starts",
            Self::Load(LoadError::BadVariable { .. }) => "set the variable to the path of a CUDA driver, or unset it",
            Self::Load(_) => "install the NVIDIA driver, or set CUDA_IPC_DRIVER to the path of its library",
            Self::OtherDriver { .. } => "a process can use only one driver, so use the other one in another process",
            Self::Missing(_) => "install a newer driver",
            Self::Refused { hint, .. } => return *hint,
            Self::Forked => "call exec in the child first",
            Self::System(error) => return error.hint(),
            Self::Ticket(error) => return error.hint(),
            Self::Transport(error) => return error.hint(),
            Self::Liveness(error) => return error.hint(),
            Self::Pages(error) => return error.hint(),
            Self::Ring(error) => return error.hint(),
            Self::Foreign(error) => return error.hint(),
            #[cfg(feature = "dlpack")]
            Self::Tensor(error) => return error.hint(),
            Self::OwnTicket => "use the value that it was made from",
            Self::OtherTicket { .. } => {
                "map virtual memory with Parcel::map, open other memory with Parcel::open, and an event with \
                 Parcel::open_event"
            }
            Self::Descriptors { .. } => "send the ticket with exactly its descriptors",
            Self::UnknownPool { .. } => "keep an import from the pool's first ticket open",
            Self::DeviceNotVisible { .. } => {
                "add it to CUDA_VISIBLE_DEVICES, or open the memory in a context of another device"
            }
            Self::NotTheOwner => "only the process that created it can share it",
            Self::PeerDied => "drop what it shared, and make a new connection",
            Self::TimedOut { .. } => "check whether the other process still works, or wait longer",
            Self::ReversedRange { .. } => "put the smaller offset first",
            Self::Length { .. } => "take the part of that length",
            Self::NoAccess { .. } => {
                "share or map the memory with that access, or give the device access: Mapping::set_access, \
                 Pool::set_access, or PeerAccess::enable"
            }
            Self::OtherContext => "load its module in the stream's context",
            Self::EventOfAnotherContext => {
                "wait in a stream of the event's context, or write a number there and wait for the number: wait_value"
            }
            Self::Overlap { .. } => "copy them to other memory first",
            Self::TooLarge { .. } => "share it as virtual memory",
            Self::NeverExported => {
                "without an IMEX channel a driver may crash when such a pool is destroyed, so ask fabric::probe before \
                 creating one"
            }
            Self::OutOfBounds { .. } => "pass a smaller range",
            Self::Misaligned { .. } => "begin at a multiple of that, or copy with `read` and `write`",
            // What to change follows from the message.
            Self::EndlessWait { .. } => return None,
        })
    }

    pub(super) fn advice(&self) -> Advice {
        Advice(self.hint())
    }
}

/// Returns a hint for the driver's errors that users commonly meet.
pub(super) fn hint(function: &str, code: C) -> Option<&'static str> {
    Some(match (function, code) {
        ("cuInit", C::CUDA_ERROR_NO_DEVICE) => "no GPU is visible: check nvidia-smi and CUDA_VISIBLE_DEVICES",
        (_, C::CUDA_ERROR_NOT_INITIALIZED) => {
            "a process that is forked after its parent used the driver cannot use it: call exec in the child first"
        }
        ("cuDeviceGet", C::CUDA_ERROR_INVALID_DEVICE) => "the ordinal must be less than Driver::device_count",
        ("cuMemAlloc", C::CUDA_ERROR_INVALID_VALUE) => "the size must not be 0",
        ("cuMemAlloc" | "cuMemCreate" | "cuMemAllocFromPoolAsync" | "cuMemAllocAsync", C::CUDA_ERROR_OUT_OF_MEMORY) => {
            "the device has less free memory than this: ask for less, or end other processes that use it"
        }
        ("cuMemHostAlloc" | "cuMemHostRegister", C::CUDA_ERROR_OUT_OF_MEMORY) => {
            "this memory stays locked in RAM: free some, or raise the limits of the container and of RLIMIT_MEMLOCK \
             (ulimit -l)"
        }
        ("cuMemHostRegister", C::CUDA_ERROR_NOT_SUPPORTED) => {
            "the device cannot use host memory of others (CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED)"
        }
        ("cuEventCreate", C::CUDA_ERROR_OUT_OF_MEMORY) => {
            "the number of interprocess events is limited (4096 per process on an H200): record existing ones again"
        }
        ("cuEventRecord", C::CUDA_ERROR_INVALID_HANDLE) => "the event and the stream must belong to the same context",
        ("cuIpcGetMemHandle", C::CUDA_ERROR_INVALID_VALUE) => {
            "only memory from cuMemAlloc has a legacy handle; host, managed, pool, mapped and imported memory have none"
        }
        ("cuIpcOpenMemHandle" | "cuIpcOpenEventHandle", C::CUDA_ERROR_INVALID_CONTEXT) => {
            "the handle was opened in the process that exported it: use the original buffer or event there"
        }
        ("cuIpcOpenMemHandle", C::CUDA_ERROR_INVALID_VALUE) => {
            "the bytes are not a valid memory handle: they were altered in transit, or the exporter freed the memory"
        }
        ("cuIpcOpenMemHandle", C::CUDA_ERROR_NOT_PERMITTED) => "the exporter has freed the memory",
        ("cuIpcOpenMemHandle", C::CUDA_ERROR_INVALID_HANDLE) => {
            "the exporter has ended, or memory from it is open in another context of this device"
        }
        ("cuIpcOpenMemHandle", C::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED) => {
            "this device cannot access the exporter's device: open the handle on the device that has the memory"
        }
        ("cuIpcOpenMemHandle", C::CUDA_ERROR_ALREADY_MAPPED) => {
            "other memory from the exporter is still mapped at this address, or another thread is opening the handle: \
             close stale imports and try again"
        }
        ("cuIpcOpenEventHandle", C::CUDA_ERROR_MAP_FAILED) => {
            "the bytes are not a valid event handle: they were altered in transit"
        }
        ("cuIpcCloseMemHandle", C::CUDA_ERROR_INVALID_VALUE) => {
            "the memory is not open in this context: was it closed elsewhere?"
        }
        (_, C::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT | C::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) => {
            "other code is capturing a stream of this context: wait until the capture has ended"
        }
        ("cuMemFree", C::CUDA_ERROR_INVALID_VALUE) => {
            "the address is not memory from cuMemAlloc: was it freed elsewhere?"
        }
        ("cuMemCreate", C::CUDA_ERROR_NOT_PERMITTED) => {
            "a fabric handle needs an IMEX channel, and this process has none: see fabric::probe"
        }
        ("cuMemCreate", C::CUDA_ERROR_INVALID_VALUE) => {
            "the size must not be 0 nor too large and, for an Allocation, must be a multiple of the granularity; the \
             device must support this handle type"
        }
        ("cuMemExportToShareableHandle", C::CUDA_ERROR_INVALID_VALUE) => {
            "the memory was created without this handle type, or was imported: only its creator can export it"
        }
        ("cuMemImportFromShareableHandle", C::CUDA_ERROR_INVALID_VALUE | C::CUDA_ERROR_UNKNOWN) => {
            "this is not a handle of an allocation: send the handle that Allocation::export returned"
        }
        ("cuMemMap", C::CUDA_ERROR_INVALID_VALUE) => {
            "the address range is already in use, or the size is not the size of the allocation"
        }
        ("cuMemMap", C::CUDA_ERROR_NOT_SUPPORTED) => {
            "this driver maps only whole allocations: the size is not the size of the allocation"
        }
        ("cuMemPoolExportToShareableHandle", C::CUDA_ERROR_NOT_PERMITTED) => {
            "a fabric handle needs an IMEX channel, and this process has none: see fabric::probe"
        }
        ("cuMemPoolExportToShareableHandle", C::CUDA_ERROR_INVALID_VALUE) => {
            "the pool was created without this handle type; a default pool has none"
        }
        ("cuMemPoolExportPointer", C::CUDA_ERROR_INVALID_VALUE) => {
            "export the pool first; imported memory and memory of other kinds cannot be exported this way"
        }
        ("cuMemPoolImportFromShareableHandle", C::CUDA_ERROR_INVALID_VALUE | C::CUDA_ERROR_UNKNOWN) => {
            "this is not a handle of a pool: send the handle that Pool::export returned"
        }
        ("cuMemPoolImportPointer", C::CUDA_ERROR_INVALID_VALUE) => {
            "the bytes belong to another pool, were altered in transit, or the exporter freed the memory"
        }
        ("cuMemPoolSetAccess", C::CUDA_ERROR_INVALID_DEVICE | C::CUDA_ERROR_NOT_SUPPORTED) => {
            "a pool's own device always has access, and any other device must be its peer"
        }
        ("cuCtxEnablePeerAccess", C::CUDA_ERROR_INVALID_CONTEXT) => "pass two contexts, which were not reset",
        ("cuMemAddressReserve", C::CUDA_ERROR_INVALID_VALUE | C::CUDA_ERROR_OUT_OF_MEMORY) => {
            "map at least one allocation, and no more than the address space has room for"
        }
        ("cuMemSetAccess", C::CUDA_ERROR_INVALID_VALUE) => {
            "map at least one allocation, and only for devices that can access it"
        }
        ("cuMemGetAddressRange", C::CUDA_ERROR_NOT_FOUND) => "the address is not memory of this device, or was freed",
        ("cuDeviceGetByPCIBusId", _) => "no visible device has this bus ID: check nvidia-smi and CUDA_VISIBLE_DEVICES",
        ("cuCtxEnablePeerAccess", C::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED) => {
            "the devices are not peers (see peer::can_access), or are the same device"
        }
        ("cuModuleLoadData", C::CUDA_ERROR_UNSUPPORTED_PTX_VERSION) => {
            "the PTX version is newer than the driver: compile the code for an older version"
        }
        ("cuModuleLoadData", C::CUDA_ERROR_INVALID_PTX | C::CUDA_ERROR_INVALID_IMAGE) => "the text is not valid PTX",
        ("cuModuleGetFunction", C::CUDA_ERROR_NOT_FOUND) => {
            "the module has no kernel of this name: C++ changes names unless the kernel is declared extern \"C\""
        }
        ("cuLaunchKernel", C::CUDA_ERROR_INVALID_VALUE) => {
            "the grid or the block has 0 or too many threads in a dimension, or the kernel has other parameters"
        }
        (copy, C::CUDA_ERROR_INVALID_VALUE) if copy.starts_with("cuMemcpy") || copy.starts_with("cuMemset") => {
            "the memory was freed, or this device may only read it or not use it at all: share and map it with \
             Access::ReadWrite, or give the device access"
        }
        (_, C::CUDA_ERROR_INVALID_CONTEXT | C::CUDA_ERROR_CONTEXT_IS_DESTROYED) => {
            "other code has reset the primary context, which destroyed everything that was created in it"
        }
        (_, C::CUDA_ERROR_ILLEGAL_ADDRESS | C::CUDA_ERROR_LAUNCH_FAILED) => {
            "earlier work on the device failed, and this process can do no more device work: start a new process"
        }
        _ => return None,
    })
}
