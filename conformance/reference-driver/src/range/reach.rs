//! The memory that an access to addresses reaches.

use std::any::Any;
use std::sync::Arc;

use cuda_ipc_sys::CUresult;

use super::access::{Access, By, Span};
use super::{Memory, Range};
use crate::answer::{INVALID_VALUE, Result};
use crate::block::{Block, HOST};
use crate::process::State;

impl Range {
    /// The addresses that an access may touch. IPCMEM-OPEN-025: an import maps the whole block, so a kernel can access
    /// the neighbours too, as documented for allocations that share a block. A copy must stay inside the allocation.
    fn reachable(&self, by: By) -> (u64, u64) {
        match &self.memory {
            Memory::Import(block) if by == By::Kernel => (block.base, block.base + block.size),
            _ => (self.base, self.end()),
        }
    }

    /// The spans of this process's memory that a part of the range stands for.
    pub(crate) fn spans(&self, address: u64, size: u64, access: Access) -> Result<Vec<Span>> {
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

impl State {
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
