//! How the memory at a pointer can be shared: by which handles, from which pool, and with GPUDirect RDMA.

use super::kind::{Import, import};
use crate::process::State;
use crate::range::Memory;

/// PTRATTR-001, IPCMEM-GET-027: whether `cuIpcGetMemHandle` exports this memory.
pub(super) fn is_legacy_capable(state: &State, memory: &Memory) -> bool {
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
pub(super) fn handle_types(state: &State, memory: &Memory) -> u64 {
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
                    "ALLOWED_HANDLE_TYPES of memory without handle types has all types that the device supports."
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
pub(super) fn pool(state: &State, memory: &Memory) -> u64 {
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

/// PTRATTR-017: the kinds of memory for which a broken driver refuses to tell the capability.
pub(super) fn is_rdma_refused(state: &State, memory: &Memory) -> bool {
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
