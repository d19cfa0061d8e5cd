//! Pointer attributes.

use std::ffi::c_void;

use cuda_ipc_sys::{CUdeviceptr, CUmemAccess_flags, CUmemorytype, CUpointer_attribute, CUresult};

use crate::answer::{INVALID_CONTEXT, INVALID_VALUE, Input, Output, Result};
use crate::context::top;
use crate::ipc;
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

/// How memory of another process came here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Import {
    Handle,
    Pool,
    Mapping,
}

/// How the memory of a range came here, if it is another process's.
fn import(memory: &Memory) -> Option<Import> {
    match memory {
        Memory::Import(_) => Some(Import::Handle),
        Memory::PoolImport { .. } => Some(Import::Pool),
        Memory::Mapping { allocation, .. } if allocation.is_shareable && allocation.handle_types.0 == 0 => {
            Some(Import::Mapping)
        }
        _ => None,
    }
}

/// PTRATTR-001, IPCMEM-GET-027: whether `cuIpcGetMemHandle` exports this memory.
fn is_legacy_capable(state: &State, memory: &Memory) -> bool {
    type M = Memory;
    let is_import = import(memory).is_some();
    match memory {
        M::Linear(_) => !fault!(
            "pointer-linear-not-legacy-capable",
            ["PTRATTR-001"],
            "Memory of cuMemAlloc is reported as not capable of legacy handles."
        ),
        M::Managed(_) => fault!(
            "pointer-managed-legacy-capable",
            ["PTRATTR-001"],
            "Managed memory is reported as capable of legacy handles."
        ),
        M::Host(_) => fault!(
            "pointer-pinned-legacy-capable",
            ["PTRATTR-001"],
            "Pinned memory is reported as capable of legacy handles."
        ),
        M::Registered => fault!(
            "pointer-registered-legacy-capable",
            ["PTRATTR-001"],
            "Registered host memory is reported as capable of legacy handles."
        ),
        M::Mapping { allocation, .. } if allocation.is_shareable && !is_import => fault!(
            "pointer-shareable-mapping-legacy-capable",
            ["PTRATTR-001"],
            "A mapping of memory with handle types is reported as capable of legacy handles."
        ),
        M::Mapping { .. } if !is_import => fault!(
            "pointer-mapping-legacy-capable",
            ["PTRATTR-001"],
            "A mapping of memory without handle types is reported as capable of legacy handles."
        ),
        M::Pool { pool, .. } if state.pool_handle_types(*pool).0 != 0 => fault!(
            "pointer-shareable-pool-legacy-capable",
            ["PTRATTR-001"],
            "Memory of a pool with handle types is reported as capable of legacy handles."
        ),
        M::Pool { .. } => fault!(
            "pointer-pool-legacy-capable",
            ["PTRATTR-001"],
            "Memory of a pool without handle types is reported as capable of legacy handles."
        ),
        _ => false,
    }
}

/// PTRATTR-002: for a pool's memory, the types that the pool was created with; for imported memory, none.
fn handle_types(state: &State, memory: &Memory) -> u64 {
    match memory {
        Memory::Pool { pool, .. } => state.pool_handle_types(*pool).0.into(),
        Memory::Mapping { allocation, .. } => {
            let types = u64::from(allocation.handle_types.0);
            if fault!(
                "pointer-handle-types-as-a-boolean",
                ["PTRATTR-002"],
                "ALLOWED_HANDLE_TYPES is 1 if there are any handle types."
            ) {
                return u64::from(types != 0);
            }
            if types.count_ones() > 1
                && fault!(
                    "pointer-handle-types-only-one",
                    ["PTRATTR-002"],
                    "ALLOWED_HANDLE_TYPES has only the lowest bit of a mask of several handle types."
                )
            {
                return types & types.wrapping_neg();
            }
            if fault!("pointer-handle-types-missing", ["PTRATTR-002"], "ALLOWED_HANDLE_TYPES is 0 for every mapping.") {
                return 0;
            }
            if types == 0
                && fault!(
                    "pointer-handle-types-of-the-device",
                    ["PTRATTR-002"],
                    "ALLOWED_HANDLE_TYPES of memory without handle types is what the device supports."
                )
            {
                return 1;
            }
            types
        }
        _ => 0,
    }
}

/// PTRATTR-003: the pool of the memory, or 0.
fn pool(state: &State, memory: &Memory) -> u64 {
    let named = memory.pool().unwrap_or(0);
    match memory {
        Memory::Pool { pool, .. } if state.pool_handle_types(*pool).0 == 0 => {
            let is_lost = fault!(
                "pointer-default-pool-null",
                ["PTRATTR-003"],
                "MEMPOOL_HANDLE is null for memory of a pool without handle types, such as the default pool."
            );
            if is_lost { 0 } else { named }
        }
        Memory::Pool { .. } => {
            let is_lost =
                fault!("pointer-shareable-pool-null", ["PTRATTR-003"], "MEMPOOL_HANDLE is null for a shareable pool.");
            let is_another = fault!(
                "pointer-pool-always-the-first",
                ["PTRATTR-003"],
                "MEMPOOL_HANDLE is the oldest pool of the process, whichever pool has the memory."
            );
            match state.pools.keys().min() {
                _ if is_lost => 0,
                Some(oldest) if is_another => *oldest,
                _ => named,
            }
        }
        Memory::Linear(_)
            if fault!(
                "pointer-linear-memory-has-a-pool",
                ["PTRATTR-003"],
                "MEMPOOL_HANDLE of memory from cuMemAlloc is not null."
            ) =>
        {
            1 << 8
        }
        Memory::Host(_)
            if fault!(
                "pointer-pinned-memory-has-a-pool",
                ["PTRATTR-003"],
                "MEMPOOL_HANDLE of pinned memory is not null."
            ) =>
        {
            1 << 8
        }
        Memory::Mapping { handle, .. }
            if fault!(
                "pointer-mapping-has-a-pool",
                ["PTRATTR-003"],
                "MEMPOOL_HANDLE of a mapping is its allocation handle."
            ) =>
        {
            *handle
        }
        _ => named,
    }
}

/// PTRATTR-009: the type of the memory at a range.
fn memory_type(memory: &Memory) -> CUmemorytype {
    let is_taken_for_host = match import(memory) {
        Some(Import::Handle) => {
            fault!("pointer-import-is-host", ["PTRATTR-009"], "MEMORY_TYPE of a legacy import is HOST.")
        }
        Some(Import::Pool) => {
            fault!("pointer-pool-import-is-host", ["PTRATTR-009"], "MEMORY_TYPE of a pool's import is HOST.")
        }
        Some(Import::Mapping) => fault!(
            "pointer-mapped-import-is-host",
            ["PTRATTR-009"],
            "MEMORY_TYPE of mapped memory of another process is HOST."
        ),
        None => false,
    };
    if memory.is_host() || is_taken_for_host {
        CUmemorytype::CU_MEMORYTYPE_HOST
    } else {
        CUmemorytype::CU_MEMORYTYPE_DEVICE
    }
}

/// PTRATTR-010
fn is_managed(memory: &Memory) -> bool {
    let is_taken_for_managed = match import(memory) {
        Some(Import::Handle) => {
            fault!("pointer-import-is-managed", ["PTRATTR-010"], "IS_MANAGED of a legacy import is 1.")
        }
        Some(Import::Pool) => {
            fault!("pointer-pool-import-is-managed", ["PTRATTR-010"], "IS_MANAGED of a pool's import is 1.")
        }
        Some(Import::Mapping) => fault!(
            "pointer-mapped-import-is-managed",
            ["PTRATTR-010"],
            "IS_MANAGED of mapped memory of another process is 1."
        ),
        None => false,
    };
    memory.is_managed() || is_taken_for_managed
}

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

/// PTRATTR-017: the kinds of memory for which a broken driver refuses to tell the capability.
fn is_rdma_refused(state: &State, memory: &Memory) -> bool {
    type M = Memory;
    match (import(memory), memory) {
        (Some(Import::Handle), _) => {
            fault!("rdma-of-an-import-refused", ["PTRATTR-017"], "The capability of a legacy import is refused.")
        }
        (Some(Import::Pool), _) => {
            fault!("rdma-of-a-pool-import-refused", ["PTRATTR-017"], "The capability of a pool's import is refused.")
        }
        (Some(Import::Mapping), _) => fault!(
            "rdma-of-a-mapped-import-refused",
            ["PTRATTR-017"],
            "The capability of mapped memory of another process is refused."
        ),
        (_, M::Linear(_)) => {
            fault!("rdma-of-linear-memory-refused", ["PTRATTR-017"], "The capability of linear memory is refused.")
        }
        (_, M::Pool { pool, .. }) if state.pool_handle_types(*pool).0 != 0 => fault!(
            "rdma-of-a-shareable-pool-refused",
            ["PTRATTR-017"],
            "The capability of memory of a pool with handle types is refused."
        ),
        (_, M::Pool { .. }) => {
            fault!("rdma-of-pool-memory-refused", ["PTRATTR-017"], "The capability of pool memory is refused.")
        }
        (_, M::Mapping { .. }) => {
            fault!("rdma-of-a-mapping-refused", ["PTRATTR-017"], "The capability of a mapping is refused.")
        }
        (_, M::Managed(_)) => {
            fault!("rdma-of-managed-memory-refused", ["PTRATTR-017"], "The capability of managed memory is refused.")
        }
        (_, M::Host(_)) => {
            fault!("rdma-of-pinned-memory-refused", ["PTRATTR-017"], "The capability of pinned memory is refused.")
        }
        (_, M::Registered) => fault!(
            "rdma-of-registered-memory-refused",
            ["PTRATTR-017"],
            "The capability of registered memory is refused."
        ),
        _ => false,
    }
}

/// The current context's access to a range. Without a current context, it is the access of the memory's own device, or
/// none if access must be granted first, as on an H200.
fn access(state: &State, range: &Range) -> CUmemAccess_flags {
    type F = CUmemAccess_flags;
    match &range.memory {
        Memory::Mapping { access, .. }
            if fault!(
                "access-flags-of-any-device",
                ["PTRATTR-011"],
                "ACCESS_FLAGS is the highest access that any device has."
            ) =>
        {
            CUmemAccess_flags(access.values().map(|flags| flags.0).max().unwrap_or(0))
        }
        Memory::Mapping { access, .. }
            if fault!(
                "access-flags-of-the-memorys-device",
                ["PTRATTR-011"],
                "ACCESS_FLAGS is the access of the device that has the memory, not of the current one."
            ) =>
        {
            access.get(&range.device).copied().unwrap_or(F::CU_MEM_ACCESS_FLAGS_PROT_NONE)
        }
        Memory::Mapping { access, .. }
            if access.is_empty()
                && fault!(
                    "access-flags-before-access-was-set",
                    ["PTRATTR-011"],
                    "ACCESS_FLAGS of a mapping without access is that of its owner."
                ) =>
        {
            F::CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        }
        Memory::Mapping { access, .. }
            if access.values().any(|flags| flags.0 == 1)
                && fault!(
                    "access-flags-without-read-only",
                    ["PTRATTR-011"],
                    "ACCESS_FLAGS of read-only memory is 3."
                ) =>
        {
            F::CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        }
        Memory::Mapping { access, .. }
            if access.values().any(|flags| flags.0 == 0)
                && fault!(
                    "access-flags-after-revocation",
                    ["PTRATTR-011"],
                    "ACCESS_FLAGS still says 3 after the access was set to none."
                ) =>
        {
            F::CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        }
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
        A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE => Ok(Value::Half(memory_type(&range.memory).0)),
        A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER => match top() {
            0 => Err(INVALID_CONTEXT),
            context if state.access_flags(range, context, By::Kernel).0 == 0 => Err(INVALID_VALUE),
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
        A::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES => whole(handle_types(state, &range.memory)),
        A::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE if is_rdma_refused(state, &range.memory) => {
            Err(INVALID_VALUE)
        }
        // An H200 reports this for no other kind of memory.
        A::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE => is_true(matches!(range.memory, M::Linear(_))),
        A::CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE => is_true(false),
        // PTRATTR-011
        A::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS => Ok(Value::Half(access(state, range).0)),
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
        A::CU_POINTER_ATTRIBUTE_MAPPING_SIZE => whole(range.size),
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

impl State {
    fn pointer_attribute(&self, pointer: u64, wanted: A) -> Result<Value> {
        match (self.range(pointer), self.reservation(pointer), wanted) {
            (Some(range), _, _) => attribute(self, range, pointer, wanted),
            // PTRATTR-012: the address is reserved, but nothing is mapped there.
            (None, Some((base, _)), A::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR) => Ok(Value::Whole(base)),
            (None, Some((_, size)), A::CU_POINTER_ATTRIBUTE_RANGE_SIZE) => Ok(Value::Whole(size)),
            (None, Some(_), A::CU_POINTER_ATTRIBUTE_MAPPED) => Ok(Value::Half(u32::from(fault!(
                "mapped-where-only-reserved",
                ["PTRATTR-012"],
                "MAPPED is 1 for an address that is only reserved."
            )))),
            (None, None, _)
                if fault!(
                    "pointer-of-foreign-memory-is-known",
                    ["PTRATTR-013"],
                    "cuPointerGetAttribute of memory that CUDA does not know succeeds, with 0."
                ) =>
            {
                Ok(Value::Half(0))
            }
            (None, None, _)
                if fault!(
                    "pointer-of-foreign-memory-code",
                    ["PTRATTR-013"],
                    "cuPointerGetAttribute of memory that CUDA does not know returns NOT_FOUND."
                ) =>
            {
                Err(CUresult::CUDA_ERROR_NOT_FOUND)
            }
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
            let is_foreign = state.range(pointer).is_none();
            if is_foreign
                && fault!(
                    "pointer-attributes-of-foreign-memory-refused",
                    ["PTRATTR-013"],
                    "cuPointerGetAttributes of memory that CUDA does not know fails."
                )
            {
                return Err(INVALID_VALUE);
            }
            if is_foreign
                && fault!(
                    "pointer-attributes-of-foreign-memory-unwritten",
                    ["PTRATTR-013"],
                    "cuPointerGetAttributes of memory that CUDA does not know leaves the outputs as they were."
                )
            {
                continue;
            }
            if is_foreign
                && matches!(nothing, Value::Whole(_))
                && fault!(
                    "pointer-attributes-of-foreign-memory-half-written",
                    ["PTRATTR-013"],
                    "cuPointerGetAttributes of memory that CUDA does not know writes 4 bytes of a wide attribute."
                )
            {
                Value::Half(0).give(output)?;
                continue;
            }
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
        let range = state.range_mut(pointer).ok_or(INVALID_VALUE)?;
        if fault!("sync-memops-refused", ["PTRATTR-008"], "SYNC_MEMOPS cannot be set on device memory.") {
            return Err(CUresult::CUDA_ERROR_NOT_SUPPORTED);
        }
        if fault!("sync-memops-not-kept", ["PTRATTR-008"], "Setting SYNC_MEMOPS succeeds and changes nothing.") {
            return Ok(());
        }
        if fault!("sync-memops-cannot-be-cleared", ["PTRATTR-008"], "SYNC_MEMOPS stays 1 after it is set to 0.") {
            range.sync_memops = true;
            return Ok(());
        }
        range.sync_memops = value != 0;
        Ok(())
    }
}
