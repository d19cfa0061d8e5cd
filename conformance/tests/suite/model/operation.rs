//! What a step is, and the values that the driver gave to the names in a script.

use std::collections::{BTreeMap, BTreeSet};

use conformance::{
    Descriptor, Event, EventHandle, MemHandle, Outcome, Physical, Pointer, Pool, PoolPointer, Role, SentDescriptor,
    Stop, Stream,
};

use super::world::{Name, World};
use crate::support::latch::Latch;

/// A step of a script, as plain data.
pub(crate) trait Operation {
    /// The process that performs the step.
    fn by(&self) -> usize;

    /// The row of the catalogue that says what the driver must answer.
    fn row(&self, before: &World) -> &'static str;

    /// Whether everything that the step names exists. It may not, if other steps were left out.
    fn is_possible(&self, before: &World) -> bool;

    /// Changes the reference model as the step changes the machine.
    fn apply(&self, world: &mut World);

    /// Performs the step on roles, and compares the answer with the model.
    ///
    /// # Errors
    /// [`Stop`]: the driver broke the row.
    fn perform(&self, before: &World, live: &mut Live) -> Outcome;

    /// Returns the step as lines of a case, which do what [`Operation::perform`] does.
    fn lines(&self, before: &World) -> String;
}

/// The roles of a script, and the values that the driver gave.
#[derive(Default)]
pub(crate) struct Live {
    pub(crate) roles: Vec<Role>,
    pub(crate) pointers: BTreeMap<Name, Pointer>,
    pub(crate) handles: BTreeMap<Name, MemHandle>,
    pub(crate) physicals: BTreeMap<Name, Physical>,
    pub(crate) descriptors: BTreeMap<Name, SentDescriptor>,
    pub(crate) pools: BTreeMap<Name, Pool>,
    pub(crate) pool_pointers: BTreeMap<Name, PoolPointer>,
    pub(crate) events: BTreeMap<Name, Event>,
    pub(crate) event_handles: BTreeMap<Name, EventHandle>,
    pub(crate) streams: BTreeMap<Name, Stream>,
    /// The page of host memory that kernels of a stream write.
    pub(crate) pages: BTreeMap<Name, Pointer>,
    pub(crate) latches: BTreeMap<Name, Latch>,
}

impl Live {
    /// A role that shares its process with this script's role, so that a step can use it while it changes the values.
    pub(crate) fn role(&self, by: usize) -> Role {
        self.roles[by].clone()
    }

    /// The address of a view.
    pub(crate) fn pointer(&self, view: Name) -> Result<Pointer, Stop> {
        found(&self.pointers, view)
    }

    /// The bytes of a legacy handle.
    pub(crate) fn handle(&self, handle: Name) -> Result<MemHandle, Stop> {
        found(&self.handles, handle)
    }

    /// The addresses and handles that a process has of what ended with its exporter, unless something that still exists
    /// has the same one by now.
    pub(crate) fn orphans(&self, by: usize, world: &World) -> BTreeSet<u64> {
        let address = |name: &Name| {
            let pool = || self.pools.get(name).map(|pool| pool.0);
            self.pointers.get(name).map(|pointer| pointer.0).or_else(pool)
        };
        let of = |names: &mut dyn Iterator<Item = &Name>| names.filter_map(address).collect::<BTreeSet<_>>();
        let ended = of(&mut world.orphans.iter().filter(|(of, _)| *of == by).map(|(_, name)| name));
        let is_own = |name: &&Name| !world.orphans.contains(&(by, **name));
        let views = world.views.iter().filter(|(_, view)| view.by == by).map(|(name, _)| name);
        let pools = world.pools.iter().filter(|(_, pool)| pool.by == by).map(|(name, _)| name);
        let living = of(&mut views.chain(pools).filter(is_own));
        ended.difference(&living).copied().collect()
    }

    pub(crate) fn physical(&self, physical: Name) -> Result<Physical, Stop> {
        found(&self.physicals, physical)
    }

    /// A copy of a descriptor that a process sent, in another process.
    pub(crate) fn received(&self, by: usize, descriptor: Name) -> Result<Descriptor, Stop> {
        let sent = self.descriptors.get(&descriptor);
        let sent = sent.ok_or_else(|| Stop::Harness(format!("the descriptor {descriptor} is closed")))?;
        self.roles[by].receive_descriptor(sent)
    }

    pub(crate) fn pool(&self, pool: Name) -> Result<Pool, Stop> {
        found(&self.pools, pool)
    }

    pub(crate) fn pool_pointer(&self, pointer: Name) -> Result<PoolPointer, Stop> {
        found(&self.pool_pointers, pointer)
    }

    pub(crate) fn event(&self, event: Name) -> Result<Event, Stop> {
        found(&self.events, event)
    }

    pub(crate) fn event_handle(&self, handle: Name) -> Result<EventHandle, Stop> {
        found(&self.event_handles, handle)
    }

    pub(crate) fn stream(&self, stream: Name) -> Result<Stream, Stop> {
        found(&self.streams, stream)
    }

    /// The page of a stream.
    pub(crate) fn page(&self, stream: Name) -> Result<Pointer, Stop> {
        found(&self.pages, stream)
    }
}

fn found<T: Copy>(values: &BTreeMap<Name, T>, name: Name) -> Result<T, Stop> {
    values.get(&name).copied().ok_or_else(|| Stop::Harness(format!("nothing in the script has the name {name}")))
}
