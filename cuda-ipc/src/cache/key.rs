//! What makes two tickets name one mapping.

use std::hash::{Hash, Hasher};

use crate::ProcessIdentity;
use crate::ticket::{Handle, Ticket};
use crate::vmm::Access;

/// An allocation of an exporter.
///
/// The generation tells it from a later one at its address. Of legacy memory the handle belongs to the key as well: it
/// is what the driver goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allocation {
    pub(super) exporter: ProcessIdentity,
    kind: Kind,
    generation: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Legacy([u8; 64]),
    Virtual,
    Pool,
    /// No memory, which opening refuses.
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

    /// Whether the exporter has a later allocation behind what was one handle.
    pub(super) fn is_outdated_by(&self, later: &Self) -> bool {
        matches!(self.kind, Kind::Legacy(_))
            && (self.exporter, self.kind) == (later.exporter, later.kind)
            && self.generation < later.generation
    }
}

impl Hash for Allocation {
    /// What differs between the allocations that a process imports, and no more: it is computed for every hit.
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.exporter.pid, self.generation).hash(state);
    }
}

/// What the importer may do with the memory, which decides how it is mapped.
pub(super) fn access(ticket: &Ticket) -> Access {
    match &ticket.handle {
        Handle::PhysicalMemory(memory) => memory.access,
        _ => Access::ReadWrite,
    }
}
