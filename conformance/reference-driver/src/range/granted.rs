//! Which contexts may access a range, and how.

use cuda_ipc_sys::CUmemAccess_flags;

use super::access::{Access, AccessOf, By};
use super::{Memory, Range};
use crate::block::HOST;
use crate::context::Context;
use crate::ipc::shuts_out;
use crate::memfd::descriptors_of_mappers;
use crate::process::State;
use crate::vmm::Allocation;

impl Range {
    pub(crate) fn allows(&self, state: &State, context: u64, by: By, access: Access) -> bool {
        if matches!(self.memory, Memory::Import(_)) {
            let is_peer = state.contexts.get(&context).is_some_and(|context| context.device_index != self.device);
            if shuts_out(is_peer, by, access) {
                return false;
            }
        }
        let granted = state.access_flags(self, context, by);
        let device = state.contexts.get(&context).map(|context| context.device_index);
        if let Memory::Mapping { allocation, .. } = &self.memory
            && allocation.is_import()
            && let Some(wrong) = wrong_access(allocation, by, access, granted, device)
        {
            return wrong;
        }
        let is_allowed = match access {
            Access::Read => granted != CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE,
            Access::Write => granted == CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        let asker = state.contexts.get(&context).map_or(self.device, |context| context.device_index);
        is_allowed != crate::vmm::is_misjudged(self, asker, is_allowed, by, access)
    }
}

/// What a fault makes of an access to imported memory.
fn wrong_access(
    allocation: &Allocation,
    by: By,
    access: Access,
    granted: CUmemAccess_flags,
    device: Option<usize>,
) -> Option<bool> {
    const READ: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ;
    let by_kernel = by == By::Kernel;
    let is_peer = device != Some(allocation.device);
    let is_orphan = || descriptors_of_mappers(allocation.block.inode).is_empty();
    let is_refused = match (by_kernel, access) {
        (true, Access::Read) => {
            fault!("import-is-unreadable-to-kernels", ["VMM-IMP-001"], "A kernel cannot read imported memory.")
        }
        (true, Access::Write) => {
            fault!("import-is-read-only-to-kernels", ["VMM-IMP-001"], "A kernel cannot store into imported memory.")
        }
        (false, Access::Read) => {
            fault!("import-is-unreadable-to-copies", ["VMM-IMP-001"], "A copy cannot read imported memory.")
        }
        (false, Access::Write) => {
            fault!("import-is-read-only-to-copies", ["VMM-IMP-001"], "A copy cannot write imported memory.")
        }
    };
    let is_refused = is_refused
        || is_peer
            && by_kernel
            && fault!(
                "import-is-out-of-reach-of-peer-kernels",
                ["VMM-IMP-016"],
                "A kernel on a peer GPU cannot reach an import, whatever access the GPU has."
            )
        || is_peer
            && !by_kernel
            && fault!(
                "import-is-out-of-reach-of-peer-copies",
                ["VMM-IMP-016"],
                "A copy on a peer GPU cannot reach an import, whatever access the GPU has."
            )
        || granted == READ
            && by_kernel
            && fault!(
                "read-access-closes-an-import-to-kernels",
                ["VMM-IMP-015"],
                "With read access to an import, a kernel cannot read it."
            )
        || granted == READ
            && !by_kernel
            && fault!(
                "read-access-closes-an-import-to-copies",
                ["VMM-IMP-015"],
                "With read access to an import, a copy cannot read it."
            );
    let is_refused = is_refused
        || fault!(
            "import-ends-with-its-exporter",
            ["VMM-IMP-019"],
            "A mapping of an import cannot be used once its exporter has ended."
        ) && is_orphan()
        || access == Access::Write
            && fault!(
                "import-is-read-only-after-its-exporter",
                ["VMM-IMP-019"],
                "A mapping of an import cannot be written once its exporter has ended."
            )
            && is_orphan();
    let is_allowed = granted == READ
        && access == Access::Write
        && (by_kernel
            && fault!(
                "read-access-lets-kernels-store",
                ["VMM-IMP-015"],
                "With read access to an import, a kernel can store into it."
            )
            || !by_kernel
                && fault!(
                    "read-access-lets-copies-write",
                    ["VMM-IMP-015"],
                    "With read access to an import, a copy can write into it."
                ));
    if is_refused { Some(false) } else { is_allowed.then_some(true) }
}

impl State {
    /// Whether another context of the same device opened the memory. On an H100, kernels and copies reach it, but a fill
    /// is refused, and so are the questions for its range and for its device pointer.
    pub(crate) fn is_opened_in_another_context(&self, range: &Range, context: u64) -> bool {
        let device = |context: &u64| self.contexts.get(context).map(|context| context.device_index);
        matches!(range.memory, Memory::Import(_))
            && range.context != context
            && device(&range.context) == device(&context)
    }

    /// The access that a context has to a range.
    pub(crate) fn access_flags(&self, range: &Range, context: u64, by: By) -> CUmemAccess_flags {
        const NONE: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE;
        const ALL: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let Some(asker) = self.contexts.get(&context) else { return NONE };
        let of_device = |access: &AccessOf| access.get(&asker.device_index).copied().unwrap_or(NONE);
        match &range.memory {
            // Under unified addressing, every context can access it.
            Memory::Host(_) | Memory::Registered | Memory::Managed(_) => ALL,
            Memory::Pool { target, .. } if target.is_managed => ALL,
            // Copies can access the memory of every context. A kernel can access only the memory of contexts on its own
            // device, imports among it, as on an H100, and memory of the contexts that it has peer access to (P2P-007).
            Memory::Linear(_) | Memory::Import(_) | Memory::Global(_) => {
                let is_of_the_device = |owner: &Context| owner.device_index == asker.device_index;
                let is_mapped = self.contexts.get(&range.context).is_some_and(is_of_the_device)
                    || self.kernel_reaches(context, range.context) && Self::is_old_enough(range.buffer_id);
                if by == By::Kernel
                    && range.context != context
                    && is_mapped
                    && fault!(
                        "peer-access-is-read-only",
                        ["P2P-007", "P2P-012"],
                        "Peer access lets a kernel read the peer's memory, but not write it."
                    )
                {
                    return CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ;
                }
                if by == By::Driver || is_mapped { ALL } else { NONE }
            }
            // VMM-MAP-027: no access before cuMemSetAccess. POOL-ACC-006: a pool's own device has access from the
            // beginning.
            // P2P-012, POOL-ACC-008: peer access between contexts does not matter.
            // Copies can access what the host can access.
            Memory::Mapping { access, .. } if by == By::Driver && access.contains_key(&HOST) => {
                CUmemAccess_flags(of_device(access).0.max(access[&HOST].0))
            }
            Memory::Mapping { .. }
                if by == By::Kernel
                    && self.has_peer_on(asker, range.device)
                    && fault!(
                        "peer-access-opens-vmm-memory",
                        ["P2P-012"],
                        "Enabling peer access gives access to the peer's VMM memory too."
                    ) =>
            {
                ALL
            }
            Memory::Mapping { .. }
                if by == By::Kernel
                    && range.device != HOST
                    && asker.device_index != range.device
                    && !self.has_peer_on(asker, range.device)
                    && fault!(
                        "vmm-memory-needs-peer-access",
                        ["P2P-012"],
                        "A kernel reaches VMM memory of another device only with peer access, whatever cuMemSetAccess set."
                    ) =>
            {
                NONE
            }
            Memory::Mapping { access, .. } | Memory::Multicast { access, .. } => of_device(access),
            Memory::Pool { pool, .. } => {
                let is_peer = asker.device_index != range.device;
                let owns = |owner: &u64| self.contexts.get(owner).is_some_and(|it| it.device_index == range.device);
                let is_enabled = is_peer && asker.peers.iter().any(owns);
                let is_open = match by {
                    By::Kernel if is_enabled => {
                        fault!(
                            "pool-is-open-to-kernels-with-peer-access",
                            ["POOL-ACC-008"],
                            "Peer access between contexts lets kernels access a pool."
                        )
                    }
                    By::Driver if is_enabled => {
                        fault!(
                            "pool-is-open-to-copies-with-peer-access",
                            ["POOL-ACC-008"],
                            "Peer access between contexts lets copies access a pool."
                        )
                    }
                    By::Kernel if is_peer => {
                        fault!(
                            "pool-is-open-to-kernels-of-peers",
                            ["POOL-ACC-006"],
                            "Kernels on every device can access a new pool."
                        )
                    }
                    _ => false,
                };
                let is_open = is_open
                    || by == By::Driver
                        && is_peer
                        && fault!(
                            "pool-is-open-to-copies-of-peers",
                            ["P2P-014"],
                            "Copies on every device can access a pool."
                        );
                if is_open { ALL } else { self.pools.get(pool).map_or(NONE, |pool| of_device(&pool.access)) }
            }
            Memory::PoolImport { pool, .. } => {
                let Some(found) = self.pools.get(pool) else { return NONE };
                let granted = of_device(&found.access);
                let is_peer = asker.device_index != range.device;
                let is_kernel = by == By::Kernel;
                let was_granted = found.access.contains_key(&asker.device_index);
                let exporter_granted = || found.memory.file.as_ref().is_some_and(|file| file.is_granted());
                match () {
                    () if is_kernel
                        && fault!(
                            "pool-import-is-closed-to-kernels",
                            ["POOL-PTR-001"],
                            "Kernels cannot access an import."
                        ) =>
                    {
                        NONE
                    }
                    () if is_kernel
                        && fault!(
                            "pool-import-is-read-only-to-kernels",
                            ["POOL-PTR-001"],
                            "Kernels cannot write to an import."
                        ) =>
                    {
                        CUmemAccess_flags(granted.0 & CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ.0)
                    }
                    () if !is_kernel
                        && fault!(
                            "pool-import-is-closed-to-copies",
                            ["POOL-PTR-001"],
                            "Copies cannot access an import."
                        ) =>
                    {
                        NONE
                    }
                    () if is_kernel
                        && is_peer
                        && fault!(
                            "pool-import-is-open-to-kernels-of-peers",
                            ["POOL-IMP-010"],
                            "Kernels on a peer device can access an import without a grant."
                        ) =>
                    {
                        ALL
                    }
                    () if is_peer
                        && exporter_granted()
                        && fault!(
                            "pool-import-follows-the-exporters-access",
                            ["POOL-IMP-010"],
                            "What the exporter grants after the import holds for the importer too."
                        ) =>
                    {
                        ALL
                    }
                    () if is_kernel
                        && is_peer
                        && fault!(
                            "pool-import-grant-is-for-copies-only",
                            ["POOL-IMP-011"],
                            "A grant for an imported pool lets only copies access the memory."
                        ) =>
                    {
                        NONE
                    }
                    () if is_peer
                        && fault!(
                            "pool-import-grant-is-read-only",
                            ["POOL-IMP-011"],
                            "A grant of READWRITE for an imported pool gives only READ."
                        ) =>
                    {
                        CUmemAccess_flags(granted.0 & CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ.0)
                    }
                    () if is_kernel
                        && is_peer
                        && was_granted
                        && fault!(
                            "pool-import-revocation-is-for-copies-only",
                            ["POOL-IMP-011"],
                            "After a revocation, kernels can still access an imported pool."
                        ) =>
                    {
                        ALL
                    }
                    () if self.ordinal(range.device) < 0
                        && fault!(
                            "pool-import-of-a-hidden-device-is-open",
                            ["POOL-IMP-012"],
                            "Memory of a device that the importer cannot see needs no grant."
                        ) =>
                    {
                        ALL
                    }
                    () => granted,
                }
            }
            Memory::Graph(_) => {
                if asker.device_index == range.device {
                    ALL
                } else {
                    NONE
                }
            }
        }
    }
}
