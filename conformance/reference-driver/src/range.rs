//! The ranges of addresses that the driver knows, and which contexts may access them.

use std::any::Any;
use std::collections::BTreeMap;
use std::ptr;
use std::sync::Arc;

use cuda_ipc_sys::{CUmemAccess_flags, CUresult};

use crate::answer::{INVALID_VALUE, Result};
use crate::block::{Block, HOST};
use crate::host::HostMemory;
use crate::ipc::shuts_out;
use crate::memfd::descriptors_of_mappers;
use crate::multicast::Object;
use crate::piece::Piece;
use crate::pool::Target;
use crate::process::State;
use crate::vmm::Allocation;

/// A range of addresses that stand for memory.
#[derive(Debug)]
pub(crate) struct Range {
    pub(crate) base: u64,
    pub(crate) size: u64,
    /// The context that the range belongs to; 0 for memory that belongs to the process.
    pub(crate) context: u64,
    /// The index in the machine of the device that has the memory, or a constant such as `HOST`.
    pub(crate) device: usize,
    /// PTRATTR-006: a number that no other range of this process ever has.
    pub(crate) buffer_id: u64,
    pub(crate) sync_memops: bool,
    /// Whether a stream or a graph is going to free it.
    pub(crate) is_freed: bool,
    pub(crate) memory: Memory,
}

/// The access that devices have to memory: CU_MEM_ACCESS_FLAGS by the device's index in the machine.
pub(crate) type AccessOf = BTreeMap<usize, CUmemAccess_flags>;

#[derive(Debug)]
pub(crate) enum Memory {
    /// `cuMemAlloc` and `cuMemAllocPitch`.
    Linear(Piece),
    /// `cuIpcOpenMemHandle`: a block of another process.
    Import(Arc<Block>),
    /// `cuMemAllocAsync`, from a pool.
    Pool { piece: Piece, pool: u64, target: Target },
    /// `cuMemPoolImportPointer`: whole granules of a pool's file, the allocation's offset in the file's data and its
    /// serial, and how often it was imported and is going to be freed.
    PoolImport {
        block: Arc<Block>,
        pool: u64,
        target: Target,
        place: u64,
        serial: u64,
        references: usize,
        frees: usize,
    },
    /// An allocation node of a graph.
    Graph(Arc<Block>),
    /// A global variable of a module.
    Global(Arc<Block>),
    /// `cuMemMap`: physical memory from an offset on, and the handle that was mapped.
    Mapping { allocation: Arc<Allocation>, offset: u64, handle: u64, access: AccessOf },
    /// `cuMemMap` of a multicast object.
    Multicast { object: Arc<Object>, access: AccessOf },
    /// `cuMemAllocHost` and `cuMemHostAlloc`.
    Host(Arc<HostMemory>),
    /// `cuMemHostRegister`: the caller's own memory.
    Registered,
    /// `cuMemAllocManaged`.
    Managed(Arc<HostMemory>),
}

impl Memory {
    pub(crate) const fn is_managed(&self) -> bool {
        matches!(self, Self::Managed(_) | Self::Pool { target: Target { is_managed: true, .. }, .. })
    }

    /// The pool that the memory comes from.
    pub(crate) const fn pool(&self) -> Option<u64> {
        match self {
            Self::Pool { pool, .. } | Self::PoolImport { pool, .. } => Some(*pool),
            _ => None,
        }
    }

    /// Whether this is page-locked memory of the host.
    pub(crate) fn is_host(&self) -> bool {
        match self {
            Self::Host(_) | Self::Registered => true,
            Self::Pool { target, .. } | Self::PoolImport { target, .. } => target.is_host(),
            Self::Mapping { allocation, .. } => allocation.device == HOST,
            _ => false,
        }
    }
}

/// The origin of an access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// A copy or a fill, which the driver performs whichever context the memory belongs to.
    Driver,
    /// A kernel, which can access only memory that is mapped for its context.
    Kernel,
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Memory to read or write now, kept mapped as long as this value lives.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) address: u64,
    pub(crate) size: u64,
    /// Other memory of the same size that gets a copy of everything written here.
    mirrors: Vec<Self>,
    _owner: Option<Arc<dyn Any + Send + Sync>>,
}

impl Span {
    /// A span of memory that the user keeps mapped.
    pub(crate) const fn of_user(address: u64, size: u64) -> Self {
        Self { address, size, mirrors: Vec::new(), _owner: None }
    }

    pub(crate) fn kept(address: u64, size: u64, owner: Arc<dyn Any + Send + Sync>) -> Self {
        Self { address, size, mirrors: Vec::new(), _owner: Some(owner) }
    }

    pub(crate) fn with_mirrors(self, mirrors: Vec<Self>) -> Self {
        Self { mirrors, ..self }
    }

    /// Copies the span to its mirrors. Call this after writing the span.
    pub(crate) fn broadcast(&self) {
        for mirror in &self.mirrors {
            // SAFETY: spans are mapped as long as they live. They may overlap, since the same memory can be bound
            // twice.
            unsafe { ptr::copy(self.address as *const u8, mirror.address as *mut u8, mirror.size as usize) };
        }
    }
}

impl Range {
    pub(crate) const fn end(&self) -> u64 {
        self.base + self.size
    }

    /// The addresses that an access may touch. IPCMEM-OPEN-025: an import maps the whole block, so a kernel can access
    /// the neighbours too, as documented for allocations that share a block. A copy must stay inside the allocation.
    fn reachable(&self, by: By) -> (u64, u64) {
        match &self.memory {
            Memory::Import(block) if by == By::Kernel => (block.base, block.base + block.size),
            _ => (self.base, self.end()),
        }
    }

    fn allows(&self, state: &State, context: u64, by: By, access: Access) -> bool {
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

    /// The spans of this process's memory that a part of the range stands for.
    fn spans(&self, address: u64, size: u64, access: Access) -> Result<Vec<Span>> {
        let (address, owner): (u64, Option<Arc<dyn Any + Send + Sync>>) = match &self.memory {
            Memory::Linear(piece) | Memory::Pool { piece, .. } => (address, Some(Arc::clone(piece.block()) as _)),
            Memory::Import(block) | Memory::Graph(block) | Memory::Global(block) | Memory::PoolImport { block, .. } => {
                (address, Some(Arc::clone(block) as _))
            }
            Memory::Mapping { allocation, .. }
                if access == Access::Write
                    && allocation.device == HOST
                    && allocation.is_shareable
                    && allocation.handle_types.0 == 0
                    && fault!(
                        "imported-numa-memory-loses-what-the-importer-writes",
                        ["VMM-CREATE-016"],
                        "The importer's stores reach no memory."
                    ) =>
            {
                let nowhere = Arc::new(Block::new(HOST, size)?);
                (nowhere.base, Some(nowhere as _))
            }
            Memory::Mapping { allocation, offset, .. } => {
                (allocation.block.base + offset + (address - self.base), Some(Arc::clone(allocation) as _))
            }
            Memory::Multicast { object, .. } => return object.spans(address - self.base, size, access),
            Memory::Host(memory) | Memory::Managed(memory) => (address, Some(Arc::clone(memory) as _)),
            Memory::Registered => (address, None),
        };
        Ok(vec![Span { address, size, mirrors: Vec::new(), _owner: owner }])
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
    /// The range that an address lies in.
    pub(crate) fn range(&self, address: u64) -> Option<&Range> {
        self.ranges.range(..=address).next_back().map(|(_, range)| range).filter(|range| address < range.end())
    }

    pub(crate) fn range_mut(&mut self, address: u64) -> Option<&mut Range> {
        self.ranges.range_mut(..=address).next_back().map(|(_, range)| range).filter(|range| address < range.end())
    }

    pub(crate) fn add_range(&mut self, base: u64, size: u64, context: u64, device: usize, memory: Memory) {
        let buffer_id = self.new_buffer_id(base, &memory);
        let range = Range { base, size, context, device, buffer_id, sync_memops: false, is_freed: false, memory };
        self.ranges.insert(base, range);
    }

    /// PTRATTR-006: a number that no other range of this process ever had.
    fn new_buffer_id(&mut self, base: u64, memory: &Memory) -> u64 {
        let unused = self.new_id() >> 8;
        match memory {
            Memory::Linear(_)
                if fault!(
                    "buffer-id-of-linear-memory-by-address",
                    ["PTRATTR-006"],
                    "The BUFFER_ID of linear memory is its address, so a new allocation there has the old id."
                ) =>
            {
                base
            }
            Memory::Pool { .. }
                if fault!(
                    "buffer-id-of-pool-memory-by-address",
                    ["PTRATTR-006"],
                    "The BUFFER_ID of pool memory is its address, so a new allocation there has the old id."
                ) =>
            {
                base
            }
            Memory::Import(_)
                if fault!(
                    "buffer-id-of-an-import-by-address",
                    ["PTRATTR-006"],
                    "The BUFFER_ID of an import is its address, so a new import there has the old id."
                ) =>
            {
                base
            }
            Memory::Mapping { .. }
                if fault!(
                    "buffer-id-of-a-mapping-by-address",
                    ["PTRATTR-006"],
                    "The BUFFER_ID of a mapping is its address, so a new mapping there has the old id."
                ) =>
            {
                base
            }
            Memory::Import(_)
                if fault!(
                    "buffer-id-of-an-import-is-another-buffers",
                    ["PTRATTR-007"],
                    "The BUFFER_ID of an import is one that another buffer of the importer has."
                ) =>
            {
                self.ranges.values().map(|range| range.buffer_id).max().unwrap_or(unused)
            }
            _ => unused,
        }
    }

    /// Whether any range overlaps these addresses.
    pub(crate) fn is_taken(&self, from: u64, to: u64) -> bool {
        self.ranges.range(..to).next_back().is_some_and(|(_, range)| range.end() > from)
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
            // Copies can access the memory of every context. A kernel can access only the memory of its own context and
            // of the contexts that it has peer access to (P2P-007).
            Memory::Linear(_) | Memory::Import(_) | Memory::Global(_) => {
                let is_mapped = range.context == context
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

    /// The range that an access to an address belongs to. The address may lie beside that range, in the same imported
    /// block.
    fn range_to_reach(&self, address: u64, by: By) -> Option<&Range> {
        let holds = |range: &&Range| {
            let (from, to) = range.reachable(by);
            (from..to).contains(&address)
        };
        self.range(address).or_else(|| self.imports.pointers().filter_map(|base| self.ranges.get(base)).find(holds))
    }

    /// Whether an address outside every range still belongs to the driver: it is reserved, lies beside an import, or
    /// was freed in a block that other allocations share.
    fn is_ours(&self, address: u64) -> bool {
        let mut dividers = self
            .contexts
            .values()
            .map(|context| &context.memory)
            .chain(self.pools.values().map(|pool| &pool.memory.divider));
        self.reservation(address).is_some()
            || self.range_to_reach(address, By::Kernel).is_some()
            || dividers.any(|divider| divider.holds(address))
    }

    /// The memory at these addresses, for an access from a context. `None` if the driver does not know the addresses.
    pub(crate) fn reach(
        &self,
        context: u64,
        mut address: u64,
        size: u64,
        by: By,
        access: Access,
    ) -> Result<Option<Vec<Span>>> {
        let end = address.checked_add(size).ok_or(INVALID_VALUE)?;
        let mut spans = Vec::new();
        while address < end {
            let Some(range) = self.range_to_reach(address, by) else {
                let is_foreign = spans.is_empty() && !self.is_ours(address);
                return if is_foreign { Ok(None) } else { Err(INVALID_VALUE) };
            };
            let (_, to) = range.reachable(by);
            // VMM-MAP-033: adjacent mappings count as one memory. An access to any other allocation must end where it
            // ends.
            let is_mapping = matches!(range.memory, Memory::Mapping { .. } | Memory::Multicast { .. });
            let is_whole = spans.is_empty() && end <= to;
            if is_mapping && crate::vmm::is_cut_short(by, access, end == to && is_whole, !spans.is_empty()) {
                return Err(INVALID_VALUE);
            }
            if is_mapping
                && by == By::Driver
                && let Some(first) = spans.first().filter(|first: &&Span| first.size >= to.min(end) - address)
                && fault!(
                    "a-copy-across-mappings-repeats-the-first",
                    ["VMM-MAP-033"],
                    "The second one is the first again."
                )
            {
                let size = to.min(end) - address;
                spans.push(Span { size, ..first.clone() });
                address += size;
                continue;
            }
            if !(is_mapping || is_whole) || !range.allows(self, context, by, access) {
                if is_mapping
                    && by == By::Driver
                    && fault!("a-copy-without-access-has-another-code", ["VMM-MAP-019"], "It is ILLEGAL_ADDRESS.")
                {
                    return Err(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
                }
                return Err(INVALID_VALUE);
            }
            let part = to.min(end) - address;
            spans.extend(range.spans(address, part, access)?);
            address += part;
        }
        Ok(Some(spans))
    }

    /// The memory at these addresses, which must be the driver's.
    pub(crate) fn reach_device(
        &self,
        context: u64,
        address: u64,
        size: u64,
        by: By,
        access: Access,
    ) -> Result<Vec<Span>> {
        self.reach(context, address, size, by, access)?.ok_or(INVALID_VALUE)
    }
}
