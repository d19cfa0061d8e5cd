//! The names that a script uses when it is printed as a case. Such a case imports them all.

pub(crate) use conformance::{
    Descriptor, Event, EventHandle, Expect as _, KIB, MIB, MemProperties, Needs, Outcome, Physical, Placement, Pointer,
    Pool, Role, Stream, check, need,
};
pub(crate) use cuda_ipc_sys::CUmemPool_attribute as Attribute;
use cuda_ipc_sys::{CUdevice_attribute, CUmemAllocationHandleType, CUmemAllocationType, CUpointer_attribute, CUresult};

pub(crate) use crate::support::constants::*;
pub(crate) use crate::support::foreign::Foreign;
pub(crate) use crate::support::latch::Latch;
pub(crate) use crate::support::pointer_kind::PointerKind;
pub(crate) use crate::support::shared_pool::{self, RESERVED, USED};
pub(crate) use crate::support::virtual_memory::{
    NO_SUCH_DEVICE, REFUSED, SIZE, create, create_exportable, map, map_readable_and_writable, reserve,
};
pub(crate) use crate::support::waiting::{begin_to_wait, begin_to_wait_for_stream};

pub(crate) const LEGACY_IPC_CAPABLE: u32 = CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE.0;
pub(crate) const WIN32: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_WIN32.0;
pub(crate) const WIN32_KMT: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_WIN32_KMT.0;
pub(crate) const MANAGED: MemProperties =
    MemProperties { allocation_type: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_MANAGED.0, ..DEVICE };
pub(crate) const OUT_OF_MEMORY: &[CUresult] = &[CUresult::CUDA_ERROR_OUT_OF_MEMORY];
pub(crate) const SUPPORTED: u32 = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES.0;
