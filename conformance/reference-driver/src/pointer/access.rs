//! The access that the current context has to the memory at a pointer.

use cuda_ipc_sys::CUmemAccess_flags;

use crate::context::top;
use crate::process::State;
use crate::range::{By, Memory, Range};

/// The current context's access to a range. Without a current context, it is the access of the memory's own device, or
/// none if access must be granted first, as on an H200.
pub(super) fn access(state: &State, range: &Range) -> CUmemAccess_flags {
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
        // Of memory that is not mapped it says nothing: neither peer access nor the access to a pool matters.
        Memory::Mapping { .. } | Memory::Multicast { .. } if state.contexts.contains_key(&top()) => {
            state.access_flags(range, top(), By::Kernel)
        }
        Memory::Mapping { .. } | Memory::Multicast { .. } => F::CU_MEM_ACCESS_FLAGS_PROT_NONE,
        _ => F::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    }
}
