//! What makes two tickets name one mapping.

use std::hash::{Hash, Hasher};

use crate::ProcessIdentity;
use crate::ticket::{Handle, Ticket};
use crate::vmm::Access;

/// An allocation of an exporter.
///
/// The generation tells it from a later one at its address. Of legacy memory the handle belongs to the key as well: it
/// is what the driver goes by. Virtual memory is mapped for what its exporter wishes: what was shared to be read, and is
/// shared to be written now, is mapped once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allocation {
    pub(super) exporter: ProcessIdentity,
    kind: Kind,
    generation: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Legacy([u8; 64]),
    Virtual(Access),
    Pool,
    /// No memory, which opening refuses.
    Event,
}

impl Allocation {
    pub(super) fn of(ticket: &Ticket) -> Self {
        let kind = match &ticket.handle {
            Handle::LegacyMemory(handle) => Kind::Legacy(handle.to_bytes()),
            Handle::PhysicalMemory(memory) => Kind::Virtual(memory.access),
            Handle::PoolPointer(_) => Kind::Pool,
            Handle::Event(_) => Kind::Event,
        };
        Self { exporter: ticket.exporter, kind, generation: ticket.generation }
    }

    /// Whether both are one allocation, whatever it was mapped for.
    pub(super) fn is_same_memory(&self, other: &Self) -> bool {
        let is_same_kind = match (self.kind, other.kind) {
            (Kind::Virtual(_), Kind::Virtual(_)) => true,
            (one, other) => one == other,
        };
        is_same_kind && (self.exporter, self.generation) == (other.exporter, other.generation)
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
