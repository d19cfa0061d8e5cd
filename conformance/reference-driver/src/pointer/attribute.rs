//! The attributes of an address in a range.

use cuda_ipc_sys::{CUmemorytype, CUpointer_attribute, CUresult};

use super::access::access;
use super::kind::{import, is_managed, memory_type};
use super::sharing::{handle_types, is_legacy_capable, is_rdma_refused, pool};
use super::value::Value;
use crate::answer::{INVALID_CONTEXT, INVALID_VALUE, Result};
use crate::context::top;
use crate::ipc;
use crate::process::State;
use crate::range::{By, Memory, Range};
use crate::seen::Seen;

type A = CUpointer_attribute;

/// The pointers that kernels of the current context could reach once, for a fault.
static REACHED: Seen = Seen::new();

/// PTRATTR-007: the number of the buffer that a pointer leads into.
fn buffer_id(range: &Range, pointer: u64) -> u64 {
    const PAGE: u64 = 4096;
    if fault!("buffer-id-by-page", ["PTRATTR-007"], "Each page of a buffer has another BUFFER_ID.") {
        return range.buffer_id + (((pointer - range.base) / PAGE) << 32);
    }
    if pointer + 1 == range.end()
        && fault!("buffer-id-ends-early", ["PTRATTR-007"], "The last byte of a buffer has another BUFFER_ID.")
    {
        return range.buffer_id + 1;
    }
    if fault!("buffer-id-of-the-context", ["PTRATTR-007"], "All buffers of a context have the same BUFFER_ID.") {
        return range.context;
    }
    range.buffer_id
}

/// An attribute of an address in a range.
pub(super) fn attribute(state: &State, range: &Range, pointer: u64, attribute: A) -> Result<Value> {
    type M = Memory;
    let is_true = |value: bool| Ok(Value::Half(value.into()));
    let whole = |value: u64| Ok(Value::Whole(value));
    match attribute {
        // PTRATTR-009
        A::CU_POINTER_ATTRIBUTE_CONTEXT
            if import(&range.memory).is_some()
                && fault!("pointer-import-has-no-context", ["PTRATTR-009"], "CONTEXT of an import is refused.") =>
        {
            Err(INVALID_VALUE)
        }
        A::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
            if import(&range.memory).is_some()
                && fault!(
                    "pointer-import-has-no-device",
                    ["PTRATTR-009"],
                    "DEVICE_ORDINAL of an import is refused."
                ) =>
        {
            Err(INVALID_VALUE)
        }
        A::CU_POINTER_ATTRIBUTE_CONTEXT => whole(range.context),
        A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE
            if import(&range.memory).is_some()
                && pointer != range.base
                && fault!(
                    "pointer-into-an-import-is-host",
                    ["PTRATTR-009"],
                    "An interior pointer of an import is HOST."
                ) =>
        {
            Ok(Value::Half(CUmemorytype::CU_MEMORYTYPE_HOST.0))
        }
        A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE => Ok(Value::Half(memory_type(&range.memory).0)),
        A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER
            if fault!(
                "device-pointer-remembers-access",
                ["PTRATTR-018"],
                "DEVICE_POINTER stays after access is taken."
            ) && (state.access_flags(range, top(), By::Kernel).0 != 0 && !REACHED.again(pointer)
                || REACHED.has(pointer)) =>
        {
            whole(pointer)
        }
        A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER => match top() {
            0 => Err(INVALID_CONTEXT),
            context
                if (state.access_flags(range, context, By::Kernel).0 == 0
                    || state.is_opened_in_another_context(range, context))
                    && !fault!(
                        "device-pointer-without-access",
                        ["PTRATTR-018"],
                        "DEVICE_POINTER is the address, although kernels of the current context do not reach it."
                    ) =>
            {
                Err(INVALID_VALUE)
            }
            context
                if state.contexts.get(&context).is_some_and(|context| context.device_index != range.device)
                    && fault!(
                        "device-pointer-of-own-memory-only",
                        ["PTRATTR-018"],
                        "DEVICE_POINTER is refused for memory of another device, whatever access it has."
                    ) =>
            {
                Err(INVALID_VALUE)
            }
            _ => whole(pointer),
        },
        A::CU_POINTER_ATTRIBUTE_HOST_POINTER if range.memory.is_host() || range.memory.is_managed() => whole(pointer),
        A::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
            if fault!(
                "sync-memops-of-all-buffers",
                ["PTRATTR-008"],
                "SYNC_MEMOPS of every buffer is 1 once it was set for one."
            ) =>
        {
            is_true(state.ranges.values().any(|range| range.sync_memops))
        }
        A::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS => is_true(range.sync_memops),
        A::CU_POINTER_ATTRIBUTE_BUFFER_ID => whole(buffer_id(range, pointer)),
        A::CU_POINTER_ATTRIBUTE_IS_MANAGED
            if import(&range.memory).is_some()
                && pointer != range.base
                && fault!("pointer-into-an-import-is-managed", ["PTRATTR-010"], "An interior pointer is managed.") =>
        {
            is_true(true)
        }
        A::CU_POINTER_ATTRIBUTE_IS_MANAGED => is_true(is_managed(&range.memory)),
        // PTRATTR-009: for imported memory, the device that has it, if this process sees that device.
        A::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => Ok(Value::Half(state.ordinal(range.device).cast_unsigned())),
        A::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE
            if pointer != range.base
                && fault!(
                    "pointer-interior-not-legacy-capable",
                    ["PTRATTR-001"],
                    "A pointer into an allocation is reported as not capable of legacy handles."
                ) =>
        {
            is_true(false)
        }
        A::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE
            if range.device == 1
                && fault!(
                    "pointer-of-the-second-device-not-legacy-capable",
                    ["PTRATTR-001"],
                    "Memory of the second device is reported as not capable of legacy handles."
                ) =>
        {
            is_true(false)
        }
        A::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE => {
            let is_inverted =
                ipc::is_legacy_capable(state, range, pointer) != matches!(range.memory, Memory::Linear(_));
            is_true(is_legacy_capable(state, &range.memory) != is_inverted)
        }
        // PTRATTR-004: for a mapping, the reservation that it lies in.
        A::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR
            if fault!(
                "range-start-of-the-mapping",
                ["PTRATTR-004"],
                "RANGE_START_ADDR is the start of the mapping, not of the reservation."
            ) =>
        {
            whole(range.base)
        }
        A::CU_POINTER_ATTRIBUTE_RANGE_SIZE
            if fault!(
                "range-size-of-the-mapping",
                ["PTRATTR-004"],
                "RANGE_SIZE is the size of the mapping, not of the reservation."
            ) =>
        {
            whole(range.size)
        }
        A::CU_POINTER_ATTRIBUTE_RANGE_SIZE
            if fault!(
                "range-size-of-what-is-mapped",
                ["PTRATTR-004"],
                "RANGE_SIZE is the total size of the mappings in the reservation."
            ) =>
        {
            let (from, size) = state.reservation(pointer).unwrap_or((range.base, range.size));
            whole(state.ranges.range(from..from + size).map(|(_, range)| range.size).sum())
        }
        A::CU_POINTER_ATTRIBUTE_RANGE_SIZE
            if fault!(
                "range-size-from-the-pointer",
                ["PTRATTR-004"],
                "RANGE_SIZE is the number of bytes from the mapping's start to the end of the reservation."
            ) =>
        {
            whole(state.reservation(pointer).map_or(range.size, |(base, size)| base + size - range.base))
        }
        A::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR => {
            whole(state.reservation(pointer).map_or(range.base, |(base, _)| base))
        }
        A::CU_POINTER_ATTRIBUTE_RANGE_SIZE => whole(state.reservation(pointer).map_or(range.size, |(_, size)| size)),
        A::CU_POINTER_ATTRIBUTE_MAPPED => {
            is_true(!fault!("mapped-is-zero", ["PTRATTR-012"], "MAPPED is 0 although memory is mapped at the address."))
        }
        A::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES
            if pointer != range.base
                && fault!(
                    "pointer-interior-has-no-types",
                    ["PTRATTR-002"],
                    "An interior pointer has no handle types."
                ) =>
        {
            whole(0)
        }
        A::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES => whole(handle_types(state, &range.memory)),
        A::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE if is_rdma_refused(state, &range.memory) => {
            Err(INVALID_VALUE)
        }
        // An H200 reports this for no other kind of memory.
        A::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE => is_true(matches!(range.memory, M::Linear(_))),
        A::CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE => is_true(false),
        // PTRATTR-011
        A::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS => Ok(Value::Half(access(state, range).0)),
        A::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE
            if pointer != range.base
                && fault!(
                    "pointer-interior-has-no-pool",
                    ["PTRATTR-003"],
                    "MEMPOOL_HANDLE of an interior pointer is null."
                ) =>
        {
            whole(0)
        }
        A::CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID
            if pointer != range.base
                && fault!(
                    "memory-block-id-of-a-page",
                    ["PTRATTR-005"],
                    "An interior pointer has another MEMORY_BLOCK_ID."
                ) =>
        {
            whole(range.buffer_id + (pointer - range.base))
        }
        A::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE => whole(pool(state, &range.memory)),
        // PTRATTR-005
        A::CU_POINTER_ATTRIBUTE_MAPPING_SIZE
            if fault!(
                "mapping-size-of-the-reservation",
                ["PTRATTR-005"],
                "MAPPING_SIZE is the size of the reservation."
            ) =>
        {
            whole(state.reservation(pointer).map_or(range.size, |(_, size)| size))
        }
        A::CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR
            if fault!(
                "mapping-base-of-the-reservation",
                ["PTRATTR-005"],
                "MAPPING_BASE_ADDR is the start of the reservation."
            ) =>
        {
            whole(state.reservation(pointer).map_or(range.base, |(base, _)| base))
        }
        A::CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR
            if fault!(
                "mapping-base-is-the-pointer",
                ["PTRATTR-005"],
                "MAPPING_BASE_ADDR is the pointer asked for."
            ) =>
        {
            whole(pointer)
        }
        A::CU_POINTER_ATTRIBUTE_MAPPING_SIZE => whole(match &range.memory {
            M::Mapping { allocation, .. }
                if fault!(
                    "mapping-size-of-the-allocation",
                    ["PTRATTR-005"],
                    "A partial mapping has the whole size."
                ) =>
            {
                allocation.block.size
            }
            _ => range.size,
        }),
        A::CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR => whole(range.base),
        A::CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID => whole(match &range.memory {
            _ if fault!(
                "memory-block-id-by-mapping",
                ["PTRATTR-005"],
                "Each mapping of one handle has another MEMORY_BLOCK_ID."
            ) =>
            {
                range.buffer_id
            }
            M::Mapping { .. }
                if fault!(
                    "memory-block-id-of-the-device",
                    ["PTRATTR-005"],
                    "All physical memory of a device has the same MEMORY_BLOCK_ID."
                ) =>
            {
                1
            }
            M::Mapping { handle, .. } => *handle,
            _ => range.buffer_id,
        }),
        // PTRATTR-015
        _ if fault!("pointer-unknown-attribute-is-zero", ["PTRATTR-015"], "An unknown attribute reads 0.") => whole(0),
        _ if fault!(
            "pointer-unknown-attribute-code",
            ["PTRATTR-015"],
            "An unknown attribute is not supported (801)."
        ) =>
        {
            Err(CUresult::CUDA_ERROR_NOT_SUPPORTED)
        }
        CUpointer_attribute(0)
            if fault!("pointer-attribute-zero-is-known", ["PTRATTR-015"], "The attribute id 0 reads 0.") =>
        {
            whole(0)
        }
        CUpointer_attribute(id)
            if id.cast_signed() < 0
                && fault!(
                    "pointer-attribute-id-is-signed",
                    ["PTRATTR-015"],
                    "Attribute ids are compared as signed numbers, so the largest ones are accepted."
                ) =>
        {
            whole(0)
        }
        _ => Err(INVALID_VALUE),
    }
}
