//! Constants of CUDA in the types that calls take: handle types, access flags and expected codes.

use cuda_ipc_sys::{CUmemAccess_flags, CUmemAllocationHandleType, CUresult};

pub(crate) const DESCRIPTOR: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0;
pub(crate) const FABRIC: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC.0;

pub(crate) const NONE: u32 = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE.0;
pub(crate) const READ: u32 = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ.0;
pub(crate) const READ_WRITE: u32 = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE.0;

pub(crate) const INVALID_VALUE: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_VALUE];
/// What a kernel without access to its memory ends with. The error is sticky: kill the role afterwards.
pub(crate) const ILLEGAL_ADDRESS: &[CUresult] = &[CUresult::CUDA_ERROR_ILLEGAL_ADDRESS];
