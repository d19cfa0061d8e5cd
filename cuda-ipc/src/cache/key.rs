//! The part of a cache key that comes from the ticket.

use std::hash::{Hash, Hasher};

use crate::ExporterIdentity;
use crate::ticket::{Handle, Ticket};
use crate::vmm::Access;

/// An allocation of an exporter.
///
/// The generation distinguishes it from a later allocation at the same address. The key of legacy memory also contains
/// the handle, because the driver identifies the memory by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allocation {
    pub(super) exporter: ExporterIdentity,
    kind: Kind,
    generation: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Legacy([u8; 64]),
    Virtual,
    Pool,
    /// Not memory: opening the ticket fails.
    Event,
}

impl Allocation {
    pub(super) fn of(ticket: &Ticket) -> Self {
        let kind = match &ticket.handle {
            Handle::LegacyMemory(handle) => Kind::Legacy(handle.to_bytes()),
            Handle::PhysicalMemory(_) => Kind::Virtual,
            Handle::PoolPointer(_) => Kind::Pool,
            Handle::Event(_) => Kind::Event,
        };
        Self { exporter: ticket.exporter, kind, generation: ticket.generation }
    }

    /// Returns whether the legacy handle of this allocation names `later` by now: a later allocation of the exporter, or
    /// one of another program in its process.
    pub(super) fn is_outdated_by(&self, later: &Self) -> bool {
        matches!(self.kind, Kind::Legacy(_))
            && (self.exporter.process, self.kind) == (later.exporter.process, later.kind)
            && (self.exporter.nonce != later.exporter.nonce || self.generation < later.generation)
    }
}

impl Hash for Allocation {
    /// Hashes only what differs between the allocations that a process imports, because every hit computes it.
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.exporter.nonce, self.generation).hash(state);
    }
}

/// Returns the access that the importer gets, which decides how the memory is mapped.
pub(super) fn access(ticket: &Ticket) -> Access {
    match &ticket.handle {
        Handle::PhysicalMemory(memory) => memory.access,
        _ => Access::ReadWrite,
    }
}
