//! The resources that a role holds, so that it can release all of them when a case ends.

use cuda_ipc_sys::CUresult;
use serde::{Deserialize, Serialize};

use crate::message::Refused;
use crate::{Refusal, Stop};

/// A resource that a call gave to the role.
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
    /// Returns the kind of the resource in words. Its address or number would be another one in each run.
    pub(crate) const fn words(&self) -> &'static str {
        match self {
            Self::Allocation(_) => "an allocation",
            Self::StreamOrdered(_) => "stream-ordered memory",
            Self::PinnedHost(_) => "pinned host memory",
            Self::RegisteredHost(_) => "registered host memory",
            Self::Import(_) => "an import",
            Self::Event(_) => "an event",
            Self::ImportedEvent(_) => "an imported event",
            Self::Stream(_) => "a stream",
            Self::Context(_) => "a context",
            Self::PrimaryContext(_) => "a primary context",
            Self::PeerAccess(_) => "peer access",
            Self::Pool(_) => "a pool",
            Self::Physical(_) => "physical memory",
            Self::Reservation(..) => "a reserved range",
            Self::Mapping(..) => "a mapping",
            Self::Module(_) => "a module",
            Self::Graph(_) => "a graph",
            Self::GraphExec(_) => "an executable graph",
            Self::Descriptor(_) => "a descriptor",
            Self::ImportedPool(_) => "an imported pool",
            Self::ImportedPointer(_) => "an imported pointer",
        }
    }

    /// Returns the address or handle of a resource that came from another process.
    pub(crate) const fn import(&self) -> Option<u64> {
        match self {
            Self::Import(it) | Self::ImportedEvent(it) | Self::ImportedPool(it) | Self::ImportedPointer(it) => {
                Some(*it)
            }
            _ => None,
        }
    }

    /// Whether the resource came from another process. Such resources are released first.
    pub(crate) const fn is_import(&self) -> bool {
        self.import().is_some()
    }
}

/// The resources that a role holds, in the order in which it got them.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    entries: Vec<Entry>,
    /// The contexts that the role created and that still exist, oldest first.
    created: Vec<u64>,
}

#[derive(Debug)]
struct Entry {
    resource: Resource,
    /// The number of created contexts when the role got the resource. If one of them is destroyed, the resource may be
    /// gone too.
    contexts: usize,
}

impl Ledger {
    pub(crate) fn add(&mut self, resource: Resource) {
        if let Resource::Context(context) = resource {
            self.created.push(context);
        }
        self.entries.push(Entry { resource, contexts: self.created.len() });
    }

    /// Removes the newest entry that is equal.
    pub(crate) fn remove(&mut self, resource: &Resource) {
        if let Some(index) = self.entries.iter().rposition(|entry| entry.resource == *resource) {
            self.entries.remove(index);
        }
    }

    /// Removes every mapping that lies inside a range.
    pub(crate) fn unmapped(&mut self, address: u64, size: usize) {
        let end = address + size as u64;
        self.entries.retain(|entry| match entry.resource {
            Resource::Mapping(mapped, length) => mapped < address || mapped + length as u64 > end,
            _ => true,
        });
    }

    /// Removes a destroyed context and every resource that the role got after it: they are assumed to belong to it,
    /// except physical memory, which outlives a context, and descriptors.
    pub(crate) fn context_gone(&mut self, context: u64) {
        let Some(position) = self.created.iter().position(|created| *created == context) else { return };
        self.created.remove(position);
        let stays = |resource: &Resource| matches!(resource, Resource::Physical(_) | Resource::Descriptor(_));
        for entry in self.entries.iter_mut().filter(|entry| stays(&entry.resource)) {
            entry.contexts = entry.contexts.min(position);
        }
        self.entries.retain(|entry| entry.contexts <= position);
    }

    pub(crate) fn everything_gone(&mut self) {
        self.entries.clear();
        self.created.clear();
    }

    /// Removes and returns the newest entry that qualifies.
    pub(crate) fn take_newest(&mut self, qualifies: impl Fn(&Resource) -> bool) -> Option<Resource> {
        let index = self.entries.iter().rposition(|entry| qualifies(&entry.resource))?;
        Some(self.entries.remove(index).resource)
    }
}

/// What went wrong while a role released its resources.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Problem {
    /// What it was, in words: `cannot release an import`.
    what: String,
    /// Why, if a call gave a reason.
    why: Option<Refused>,
    /// The address or handle of an import that could not be released.
    import: Option<u64>,
}

impl Problem {
    pub(crate) fn new(what: impl Into<String>, why: Option<Refused>) -> Self {
        Self { what: what.into(), why, import: None }
    }

    /// Says that the driver refused to release a resource.
    pub(crate) fn kept(resource: &Resource, why: Refused) -> Self {
        let what = format!("cannot release {}", resource.words());
        Self { what, why: Some(why), import: resource.import() }
    }

    /// Returns the address or handle of the import that could not be released, if it was one.
    #[must_use]
    pub const fn import(&self) -> Option<u64> {
        self.import
    }

    /// Returns why the case stops: the driver must take back what it gave. `when` says when it happened, such as `after the case`.
    #[must_use]
    pub fn stop(self, role: &str, when: &str) -> Stop {
        let Self { what, why, .. } = self;
        match why {
            Some(Refused::Driver { function, code, .. }) => Stop::Kept {
                refusal: Refusal { role: role.to_owned(), function, code: CUresult(code) },
                what: format!("{when}, {what}"),
            },
            Some(why) => Stop::failed(format!("{role}: {when}, {what}: {why}")),
            None => Stop::failed(format!("{role}: {when}, {what}")),
        }
    }
}

/// The state of a role after it released its resources.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Cleanness {
    /// Why the role must not serve another case; empty if it may.
    pub problems: Vec<Problem>,
    /// Why the role must not serve another case, although the driver did nothing wrong.
    pub spoiled: Vec<String>,
    /// The targets of file descriptors that are still open.
    pub descriptors_left: Vec<String>,
}

impl Cleanness {
    /// Whether the role is in the same state as when it became ready.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty() && self.spoiled.is_empty() && self.descriptors_left.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::{Ledger, Resource};

    /// What is unmapped, or belonged to a destroyed context, is not released once more. All else is.
    #[test]
    fn what_is_gone_is_not_released() {
        let held = |resources: &[Resource]| {
            let mut ledger = Ledger::default();
            resources.iter().for_each(|resource| ledger.add(resource.clone()));
            ledger
        };
        let left = |mut ledger: Ledger| std::iter::from_fn(|| ledger.take_newest(|_| true)).collect::<Vec<_>>();
        let [below, first, second, above] = [1, 2, 3, 4].map(|place| Resource::Mapping(place << 21, 1 << 21));
        let mut ledger = held(&[below.clone(), first, second, above.clone()]);
        ledger.unmapped(2 << 21, 2 << 21);
        assert_eq!(left(ledger), [above, below]);
        let (before, physical) = (Resource::Allocation(1), Resource::Physical(3));
        let mut ledger = held(&[before.clone(), Resource::Context(7), Resource::Stream(2), physical.clone()]);
        ledger.context_gone(7);
        assert_eq!(left(ledger), [physical, before]);
    }
}
