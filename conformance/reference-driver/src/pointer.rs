//! Pointer attributes.

use std::ffi::c_void;

use cuda_ipc_sys::{CUdeviceptr, CUmemAccess_flags, CUmemorytype, CUpointer_attribute, CUresult};

use crate::answer::{INVALID_CONTEXT, INVALID_VALUE, Input, Output, Result};
use crate::context::top;
use crate::ipc::is_legacy_capable;
use crate::process::{State, state};
use crate::range::{By, Memory, Range};

type A = CUpointer_attribute;

/// The value of an attribute, in the width that the caller has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Half(u32),
    Whole(u64),
}

impl Value {
    fn give(self, output: Output<c_void>) -> Result<()> {
        match self {
            // SAFETY: the caller promises room for the attribute's type, which has this width.
            Self::Half(value) => unsafe { output.cast() }.give(value),
            // SAFETY: as above.
            Self::Whole(value) => unsafe { output.cast() }.give(value),
        }
    }

    /// PTRATTR-013: the value of an attribute for an address that is not CUDA memory. `None` for an unsupported
    /// attribute.
    const fn nothing(attribute: A) -> Option<Self> {
        Some(match attribute {
            A::CU_POINTER_ATTRIBUTE_CONTEXT
            | A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER
            | A::CU_POINTER_ATTRIBUTE_HOST_POINTER
            | A::CU_POINTER_ATTRIBUTE_BUFFER_ID
            | A::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR
            | A::CU_POINTER_ATTRIBUTE_RANGE_SIZE
            | A::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES
            | A::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE
            | A::CU_POINTER_ATTRIBUTE_MAPPING_SIZE
            | A::CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR
            | A::CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID => Self::Whole(0),
            A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE
            | A::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
            | A::CU_POINTER_ATTRIBUTE_IS_MANAGED
            | A::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
            | A::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE
            | A::CU_POINTER_ATTRIBUTE_MAPPED
            | A::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE
            | A::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS
            | A::CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE => Self::Half(0),
            // PTRATTR-015. Tokens for nv-p2p.h are not supported either.
            _ => return None,
        })
    }
}

/// The current context's access to a range. Without a current context, it is the access of the memory's own device, or
/// none if access must be granted first, as on an H200.
fn access(state: &State, range: &Range) -> CUmemAccess_flags {
    match &range.memory {
        _ if state.contexts.contains_key(&top()) => state.access_flags(range, top(), By::Kernel),
        Memory::Mapping { .. } | Memory::Multicast { .. } => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE,
        _ => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    }
}

/// An attribute of an address in a range.
fn attribute(state: &State, range: &Range, pointer: u64, attribute: A) -> Result<Value> {
    type M = Memory;
    let is_true = |value: bool| Ok(Value::Half(value.into()));
    let whole = |value: u64| Ok(Value::Whole(value));
    match attribute {
        A::CU_POINTER_ATTRIBUTE_CONTEXT => whole(range.context),
        A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE => Ok(Value::Half(match &range.memory {
            memory if memory.is_host() => CUmemorytype::CU_MEMORYTYPE_HOST.0,
            _ => CUmemorytype::CU_MEMORYTYPE_DEVICE.0,
        })),
        A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER => match top() {
            0 => Err(INVALID_CONTEXT),
            context if state.access_flags(range, context, By::Kernel).0 == 0 => Err(INVALID_VALUE),
            _ => whole(pointer),
        },
        A::CU_POINTER_ATTRIBUTE_HOST_POINTER if range.memory.is_host() || range.memory.is_managed() => whole(pointer),
        A::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS => is_true(range.sync_memops),
        A::CU_POINTER_ATTRIBUTE_BUFFER_ID => whole(range.buffer_id),
        // PTRATTR-010
        A::CU_POINTER_ATTRIBUTE_IS_MANAGED => is_true(range.memory.is_managed()),
        // PTRATTR-009: for imported memory, the device that has it, if this process sees that device.
        A::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => Ok(Value::Half(state.ordinal(range.device).cast_unsigned())),
        // PTRATTR-001, IPCMEM-GET-027: true for exactly the memory that `cuIpcGetMemHandle` exports.
        A::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE => is_true(is_legacy_capable(state, range, pointer)),
        // PTRATTR-004: for a mapping, the reservation that it lies in.
        A::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR => {
            whole(state.reservation(pointer).map_or(range.base, |(base, _)| base))
        }
        A::CU_POINTER_ATTRIBUTE_RANGE_SIZE => whole(state.reservation(pointer).map_or(range.size, |(_, size)| size)),
        A::CU_POINTER_ATTRIBUTE_MAPPED => is_true(true),
        // PTRATTR-002: for a pool's memory, the types that the pool was created with; for imported memory, none.
        A::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES => whole(match &range.memory {
            M::Pool { pool, .. } => state.pool_handle_types(*pool).0.into(),
            M::Mapping { allocation, .. } => allocation.handle_types.0.into(),
            _ => 0,
        }),
        // An H200 reports this for no other kind of memory.
        A::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE => is_true(matches!(range.memory, M::Linear(_))),
        A::CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE => is_true(false),
        // PTRATTR-011
        A::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS => Ok(Value::Half(access(state, range).0)),
        // PTRATTR-003
        A::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE => whole(range.memory.pool().unwrap_or(0)),
        // PTRATTR-005
        A::CU_POINTER_ATTRIBUTE_MAPPING_SIZE => whole(range.size),
        A::CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR => whole(range.base),
        A::CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID => whole(match &range.memory {
            M::Mapping { handle, .. } => *handle,
            _ => range.buffer_id,
        }),
        _ => Err(INVALID_VALUE),
    }
}

impl State {
    fn pointer_attribute(&self, pointer: u64, wanted: A) -> Result<Value> {
        match (self.range(pointer), self.reservation(pointer), wanted) {
            (Some(range), _, _) => attribute(self, range, pointer, wanted),
            // PTRATTR-012: the address is reserved, but nothing is mapped there.
            (None, Some((base, _)), A::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR) => Ok(Value::Whole(base)),
            (None, Some((_, size)), A::CU_POINTER_ATTRIBUTE_RANGE_SIZE) => Ok(Value::Whole(size)),
            (None, Some(_), A::CU_POINTER_ATTRIBUTE_MAPPED) => Ok(Value::Half(0)),
            // PTRATTR-013 and -014: the address was never the driver's, or no longer is.
            (None, _, _) => Err(INVALID_VALUE),
        }
    }
}

entry_points! {
    // PTRATTR-016: CU_POINTER_ATTRIBUTE_DEVICE_POINTER depends on the current context and needs one, even if that
    // context no longer works.
    fn cuPointerGetAttribute(output: Output<c_void>, attribute: CUpointer_attribute, pointer: CUdeviceptr) {
        let state = state()?;
        output.wanted()?;
        state.pointer_attribute(pointer, attribute)?.give(output)
    }

    fn cuPointerGetAttributes(
        count: u32,
        attributes: Input<CUpointer_attribute>,
        outputs: Input<*mut c_void>,
        pointer: CUdeviceptr,
    ) {
        let state = state()?;
        if count == 0 {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller promises `count` attributes and `count` outputs.
        let (attributes, outputs) = unsafe { (attributes.values(count as usize)?, outputs.values(count as usize)?) };
        for (attribute, output) in attributes.into_iter().zip(outputs) {
            let nothing = Value::nothing(attribute).ok_or(CUresult::CUDA_ERROR_INVALID_VALUE)?;
            // SAFETY: the caller promises null, or room for the attribute.
            let output = unsafe { Output::new(output) };
            // PTRATTR-013: an attribute that the pointer does not have is not an error here.
            state.pointer_attribute(pointer, attribute).unwrap_or(nothing).give(output)?;
        }
        Ok(())
    }

    fn cuPointerSetAttribute(value: Input<u32>, attribute: CUpointer_attribute, pointer: CUdeviceptr) {
        let mut state = state()?;
        state.current_context()?;
        let value = value.value()?;
        if attribute != A::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS {
            return Err(INVALID_VALUE);
        }
        // PTRATTR-008
        state.range_mut(pointer).ok_or(INVALID_VALUE)?.sync_memops = value != 0;
        Ok(())
    }
}
