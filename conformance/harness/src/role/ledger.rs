//! What a role holds, so that it can give everything back when a case ends.

use serde::{Deserialize, Serialize};

/// Something that a call gave to the role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resource {
    Allocation(u64),
    StreamOrdered(u64),
    PinnedHost(u64),
    RegisteredHost(u64),
    Import(u64),
    Event(u64),
    ImportedEvent(u64),
    Stream(u64),
    Context(u64),
    PrimaryContext(i32),
    PeerAccess(u64),
    Pool(u64),
    Physical(u64),
    Reservation(u64, usize),
    Mapping(u64, usize),
    Module(u64),
    Graph(u64),
    GraphExec(u64),
    Descriptor(i32),
    ImportedPool(u64),
    ImportedPointer(u64),
}

impl Resource {
    /// Whether another process gave it: such things go back first.
    pub(crate) const fn is_import(&self) -> bool {
        matches!(self, Self::Import(_) | Self::ImportedEvent(_) | Self::ImportedPool(_) | Self::ImportedPointer(_))
    }
}

/// What a role holds, in the order in which it came.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    entries: Vec<Entry>,
    /// The created context that is current, which owns what comes next; `None` is the primary context.
    created: Vec<u64>,
}

#[derive(Debug)]
struct Entry {
    resource: Resource,
    /// The contexts that had been created when it came: where one of them dies, it may be gone too.
    contexts: usize,
}

impl Ledger {
    pub(crate) fn add(&mut self, resource: Resource) {
        if let Resource::Context(context) = resource {
            self.created.push(context);
        }
        self.entries.push(Entry { resource, contexts: self.created.len() });
    }

    /// Strike the newest entry that is equal.
    pub(crate) fn remove(&mut self, resource: &Resource) {
        if let Some(index) = self.entries.iter().rposition(|entry| entry.resource == *resource) {
            self.entries.remove(index);
        }
    }

    /// Strike every mapping that lies in a range.
    pub(crate) fn unmapped(&mut self, address: u64, size: usize) {
        let end = address + size as u64;
        self.entries.retain(|entry| match entry.resource {
            Resource::Mapping(mapped, length) => mapped < address || mapped + length as u64 > end,
            _ => true,
        });
    }

    /// A created context was destroyed: what came after it is assumed to have been its own.
    pub(crate) fn context_gone(&mut self, context: u64) {
        let Some(position) = self.created.iter().position(|created| *created == context) else { return };
        self.created.remove(position);
        self.entries.retain(|entry| entry.contexts <= position);
    }

    pub(crate) fn everything_gone(&mut self) {
        self.entries.clear();
        self.created.clear();
    }

    /// The newest entry that qualifies, struck.
    pub(crate) fn take_newest(&mut self, qualifies: impl Fn(&Resource) -> bool) -> Option<Resource> {
        let index = self.entries.iter().rposition(|entry| qualifies(&entry.resource))?;
        Some(self.entries.remove(index).resource)
    }
}

/// How a role stands after it gave everything back.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Cleanness {
    /// Why the role must not serve another case; empty where it may.
    pub problems: Vec<String>,
    /// Descriptors that are there although everything was given back.
    pub descriptors_left: Vec<String>,
}

impl Cleanness {
    /// Whether the role is as it was when it was ready.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty() && self.descriptors_left.is_empty()
    }
}
