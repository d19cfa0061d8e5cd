//! What kind of memory a pointer leads to: host or device, managed, or another process's.

use cuda_ipc_sys::CUmemorytype;

use crate::range::Memory;

/// How memory of another process came here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Import {
    Handle,
    Pool,
    Mapping,
}

/// How the memory of a range came here, if it is another process's.
pub(super) fn import(memory: &Memory) -> Option<Import> {
    match memory {
        Memory::Import(_) => Some(Import::Handle),
        Memory::PoolImport { .. } => Some(Import::Pool),
        Memory::Mapping { allocation, .. } if allocation.is_shareable && allocation.handle_types.0 == 0 => {
            Some(Import::Mapping)
        }
        _ => None,
    }
}

/// PTRATTR-009: the type of the memory at a range.
pub(super) fn memory_type(memory: &Memory) -> CUmemorytype {
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
pub(super) fn is_managed(memory: &Memory) -> bool {
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
