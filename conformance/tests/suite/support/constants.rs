//! Constants of CUDA in the types that calls take: handle types, access flags, locations, event flags and expected
//! codes.

use conformance::MemProperties;
use cuda_ipc_sys::{CUevent_flags, CUmemAccess_flags, CUmemAllocationHandleType, CUmemLocationType, CUresult};

pub(crate) const DESCRIPTOR: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0;
pub(crate) const FABRIC: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC.0;

pub(crate) const NONE: u32 = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE.0;
pub(crate) const READ: u32 = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ.0;
pub(crate) const READ_WRITE: u32 = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE.0;

pub(crate) const ON_DEVICE: u32 = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE.0;
pub(crate) const HOST: u32 = CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST.0;
pub(crate) const HOST_NUMA: u32 = CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA.0;
pub(crate) const HOST_NUMA_CURRENT: u32 = CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT.0;

/// Memory of GPU 0 that cannot be exported.
pub(crate) const DEVICE: MemProperties = MemProperties::device(0);

pub(crate) const DISABLE_TIMING: u32 = CUevent_flags::CU_EVENT_DISABLE_TIMING.0;
/// Interprocess events cannot have timing.
pub(crate) const INTERPROCESS: u32 = CUevent_flags::CU_EVENT_INTERPROCESS.0 | DISABLE_TIMING;

/// What a kernel without access to its memory ends with. The error is sticky: kill the role afterwards.
pub(crate) const ILLEGAL_ADDRESS: &[CUresult] = &[CUresult::CUDA_ERROR_ILLEGAL_ADDRESS];
pub(crate) const INVALID_CONTEXT: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_CONTEXT];
pub(crate) const INVALID_DEVICE: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_DEVICE];
pub(crate) const INVALID_HANDLE: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_HANDLE];
pub(crate) const INVALID_VALUE: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_VALUE];
pub(crate) const NOT_INITIALIZED: &[CUresult] = &[CUresult::CUDA_ERROR_NOT_INITIALIZED];
pub(crate) const NOT_PERMITTED: &[CUresult] = &[CUresult::CUDA_ERROR_NOT_PERMITTED];
pub(crate) const NOT_READY: &[CUresult] = &[CUresult::CUDA_ERROR_NOT_READY];
pub(crate) const NOT_SUPPORTED: &[CUresult] = &[CUresult::CUDA_ERROR_NOT_SUPPORTED];
pub(crate) const PEER_ACCESS_UNSUPPORTED: &[CUresult] = &[CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED];
