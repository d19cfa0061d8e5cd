//! The value of a pointer attribute, in the width that the caller has room for.

use std::ffi::c_void;

use cuda_ipc_sys::CUpointer_attribute;

use crate::answer::{Output, Result};

type A = CUpointer_attribute;

/// The value of an attribute, in the width that the caller has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Half(u32),
    Whole(u64),
}

impl Value {
    pub(super) fn give(self, output: Output<c_void>) -> Result<()> {
        match self {
            // SAFETY: the caller promises room for the attribute's type, which has this width.
            Self::Half(value) => unsafe { output.cast() }.give(value),
            // SAFETY: as above.
            Self::Whole(value) => unsafe { output.cast() }.give(value),
        }
    }

    /// PTRATTR-013: the value of an attribute for an address that is not CUDA memory. `None` for an unsupported
    /// attribute.
    pub(super) const fn nothing(attribute: A) -> Option<Self> {
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
