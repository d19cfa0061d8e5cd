//! The reference model: what exists after some steps, in which process, and what memory contains.

use std::collections::{BTreeMap, BTreeSet};

use conformance::{Needs, is_listed, need};

/// The name of something that a step creates: the number in `buffer3`. A step carries the names of what it creates, so
/// it keeps its meaning if other steps are left out.
pub(crate) type Name = u32;

/// What the machine can do, and which known bugs of the driver scripts must avoid.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// The devices of processes: two if they are peers.
    pub(crate) devices: i32,
    pub(crate) pools: bool,
    /// Whether memory has legacy handles.
    pub(crate) legacy_memory: bool,
    /// Whether pools have the attributes that CUDA 13.2 introduced.
    pub(crate) pools_have_properties: bool,
    /// Whether memory may outlive its pool in the process that created both.
    pub(crate) memory_outlives_pools: bool,
    /// Whether memory of a pool that was imported twice stays until it is freed twice.
    pub(crate) pool_imports_are_counted: bool,
    /// Whether the statistics of an imported pool count imported memory.
    pub(crate) pool_imports_have_statistics: bool,
    /// Whether the driver refuses handles of freed memory, as it must.
    pub(crate) refuses_stale_handles: bool,
    /// Whether a new allocation never has the handle of an older one.
    pub(crate) handles_are_unique: bool,
    /// Whether threads may open one handle at the same time.
    pub(crate) threads_may_open: bool,
    /// Whether importers see the new events of a process that has replaced its program.
    pub(crate) new_programs_have_events: bool,
    /// Whether a record of an event replaces an earlier one that is pending in another stream.
    pub(crate) records_replace_pending_ones: bool,
}

impl Machine {
    /// A machine of two devices whose driver has everything and no known bug.
    pub(crate) const fn without_bugs() -> Self {
        Self {
            devices: 2,
            pools: true,
            legacy_memory: true,
            pools_have_properties: true,
            memory_outlives_pools: true,
            pool_imports_are_counted: true,
            pool_imports_have_statistics: true,
            refuses_stale_handles: true,
            handles_are_unique: true,
            threads_may_open: true,
            new_programs_have_events: true,
            records_replace_pending_ones: true,
        }
    }

    /// Returns what the models need to know of the machine under test.
    pub(crate) fn under_test() -> Self {
        let has = |needs: Needs| need(&needs).is_ok();
        const STALE: &str = "ipcmem::open::stale::a_stale_handle_does_not_show_newer_memory";
        Self {
            devices: if has(Needs::none().gpus(2).peer_access()) { 2 } else { 1 },
            pools: has(Needs::none().memory_pools()),
            legacy_memory: has(Needs::none().legacy_memory()),
            pools_have_properties: has(Needs::none().cuda(13_020)),
            memory_outlives_pools: !is_listed("pool::create::pools_work_after_memory_outlived_its_pool"),
            pool_imports_are_counted: !is_listed("pool::pointer::every_import_needs_its_own_free"),
            pool_imports_have_statistics: !is_listed("pool::import::an_imported_pool_counts_imported_memory")
                && !is_listed("pool::import::an_imported_pool_reserves_imported_memory"),
            refuses_stale_handles: !is_listed(STALE),
            handles_are_unique: !is_listed("ipcmem::get::a_reused_address_has_a_new_handle"),
            new_programs_have_events: !is_listed(
                "model::others_work_after_an_event_at_any_step/protocol=Events,event=Exec",
            ),
            threads_may_open: !is_listed("ipcmem::open::references::threads_of_a_context_share_the_mapping"),
            records_replace_pending_ones: !is_listed("ipcevt::record::a_record_replaces_a_pending_one"),
        }
    }
}

/// A process of a script.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    pub(crate) device: i32,
    /// Whether SIGSTOP stopped it.
    pub(crate) is_stopped: bool,
    /// Whether its work waits for a process that was killed. Nothing says what becomes of it, so it is killed too.
    pub(crate) is_lost: bool,
}

impl Process {
    const fn new(device: i32) -> Self {
        Self { device, is_stopped: false, is_lost: false }
    }
}

/// Memory that a process created.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) owner: usize,
    pub(crate) size: u64,
    /// The seed of its pattern, or `None` if nothing was written.
    pub(crate) contents: Option<u32>,
    /// Whether it lives as long as anybody has it, and not only as long as its owner.
    pub(crate) outlives_owner: bool,
}

/// How a process has an address of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It allocated the memory with `cuMemAlloc`.
    Own,
    /// It opened a legacy handle so many times.
    Import { opens: u32 },
    /// It mapped physical memory, with these access flags.
    Mapping { access: u32 },
    /// It allocated the memory from a pool of its own, or imported the pointer into this pool.
    Pooled { pool: Name, is_own: bool },
}

impl Kind {
    /// Whether the process that has the address also allocated the memory.
    pub(crate) const fn is_own(self) -> bool {
        matches!(self, Self::Own | Self::Pooled { is_own: true, .. })
    }
}

/// A memory pool as a process has it.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pub(crate) by: usize,
    /// The pool as its creator has it, which is itself if the process created it.
    pub(crate) source: Name,
    /// The device of its memory.
    pub(crate) device: i32,
    /// The access of each device.
    pub(crate) access: Vec<u32>,
    pub(crate) is_exported: bool,
    /// A destroyed pool is forgotten once its last memory is freed.
    pub(crate) is_destroyed: bool,
    /// The most bytes that it had in use.
    pub(crate) most: u64,
}

/// What a process exported of memory of a pool. It stays after its memory has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PoolPointer {
    pub(crate) memory: Name,
    pub(crate) source: Name,
}

/// A handle of physical memory in a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Physical {
    pub(crate) by: usize,
    pub(crate) memory: Name,
    /// Whether the process created the memory.
    pub(crate) is_own: bool,
}

/// An address of memory in a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) by: usize,
    pub(crate) memory: Name,
    pub(crate) kind: Kind,
}

/// A legacy handle. It stays after its memory has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle {
    pub(crate) memory: Name,
    pub(crate) exporter: usize,
}

/// Work of a process that does not run before a latch is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Held {
    pub(crate) latch: Name,
    pub(crate) by: usize,
}

/// An interprocess event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) owner: usize,
    /// What its last record waits for, the record itself included. Without any, the event is complete.
    pub(crate) held_by: BTreeSet<Held>,
}

/// An event as a process has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventView {
    pub(crate) by: usize,
    pub(crate) event: Name,
    /// Whether the process created the event.
    pub(crate) is_own: bool,
}

/// A handle of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventHandle {
    pub(crate) event: Name,
    pub(crate) exporter: usize,
}

/// A stream of a process.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) by: usize,
    /// What it waits for, its own work included. Without any, it is idle.
    pub(crate) held_by: BTreeSet<Held>,
    /// The seed of the pattern that its page of host memory has. `None` while a kernel may be writing it.
    pub(crate) written: Option<u32>,
    /// The seed of the pattern that the page has once nothing holds the stream.
    pub(crate) enqueued: u32,
    /// What each kernel that writes the page waits for. The stream may wait for more by now.
    pub(crate) writes: Vec<BTreeSet<Held>>,
}

/// Everything that exists.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) machine: Machine,
    pub(crate) processes: Vec<Process>,
    pub(crate) memory: BTreeMap<Name, Memory>,
    pub(crate) views: BTreeMap<Name, View>,
    pub(crate) handles: BTreeMap<Name, Handle>,
    pub(crate) physicals: BTreeMap<Name, Physical>,
    /// The descriptors that are on their way, with the memory that they keep.
    pub(crate) descriptors: BTreeMap<Name, Name>,
    pub(crate) pools: BTreeMap<Name, Pool>,
    /// The descriptors of pools that are on their way, with the pool as its creator has it.
    pub(crate) pool_descriptors: BTreeMap<Name, Name>,
    pub(crate) pool_pointers: BTreeMap<Name, PoolPointer>,
    pub(crate) events: BTreeMap<Name, Event>,
    pub(crate) event_views: BTreeMap<Name, EventView>,
    pub(crate) event_handles: BTreeMap<Name, EventHandle>,
    pub(crate) streams: BTreeMap<Name, Stream>,
    /// The latches that hold a stream, with the process that can release them.
    pub(crate) latches: BTreeMap<Name, usize>,
    /// Whether the script holds a stream at some time. Then its processes load the kernel of the latches when they start.
    pub(crate) holds_streams: bool,
    /// The imported memory and pools of processes that have ended, each with the process that has it. Nothing says which
    /// code a process gets when it gives them back.
    pub(crate) orphans: BTreeSet<(usize, Name)>,
    /// Every name that was used.
    pub(crate) names: BTreeSet<Name>,
}

impl World {
    pub(crate) fn new(machine: Machine, devices: &[i32], holds_streams: bool) -> Self {
        let process = |device: &i32| Process::new(*device);
        Self {
            machine,
            processes: devices.iter().map(process).collect(),
            memory: BTreeMap::new(),
            views: BTreeMap::new(),
            handles: BTreeMap::new(),
            physicals: BTreeMap::new(),
            descriptors: BTreeMap::new(),
            pools: BTreeMap::new(),
            pool_descriptors: BTreeMap::new(),
            pool_pointers: BTreeMap::new(),
            events: BTreeMap::new(),
            event_views: BTreeMap::new(),
            event_handles: BTreeMap::new(),
            streams: BTreeMap::new(),
            latches: BTreeMap::new(),
            holds_streams,
            orphans: BTreeSet::new(),
            names: BTreeSet::new(),
        }
    }

    /// Whether a pool, and the one that it was imported from, still exist.
    pub(crate) fn is_alive(&self, pool: &Pool) -> bool {
        let source = self.pools.get(&pool.source);
        !pool.is_destroyed && source.is_some_and(|source| !source.is_destroyed)
    }

    /// A name that nothing has.
    pub(crate) fn new_name(&self) -> Name {
        self.names.last().map_or(1, |last| last + 1)
    }

    /// Returns the memory behind a view, if that still exists.
    pub(crate) fn memory_of(&self, view: Name) -> Option<&Memory> {
        self.memory.get(&self.views.get(&view)?.memory)
    }

    /// Whether another process can still reach the memory.
    pub(crate) fn is_shared(&self, memory: Name) -> bool {
        self.views.values().any(|view| view.memory == memory && !view.kind.is_own())
    }

    /// The view that a process has of memory because it opened a handle.
    pub(crate) fn import_of(&self, by: usize, memory: Name) -> Option<Name> {
        let is_it = |view: &View| view.by == by && view.memory == memory && matches!(view.kind, Kind::Import { .. });
        self.views.iter().find_map(|(name, view)| is_it(view).then_some(*name))
    }

    /// Ends everything that a process holds. Imports of its memory stay, but nothing is known of their contents.
    pub(crate) fn end_process(&mut self, ended: usize) {
        let ends_with = |memory: &Memory| memory.owner == ended && !memory.outlives_owner;
        let owns = |memory: &Name| self.memory.get(memory).is_some_and(ends_with);
        let created = |pool: &Name| self.pools.get(pool).is_some_and(|pool| pool.by == ended);
        let views = self.views.iter().filter(|(_, view)| owns(&view.memory)).map(|(name, view)| (view.by, *name));
        let pools = self.pools.iter().filter(|(_, pool)| created(&pool.source)).map(|(name, pool)| (pool.by, *name));
        let orphans: Vec<_> = views.chain(pools).collect();
        self.orphans.extend(orphans);
        self.orphans.retain(|(by, _)| *by != ended);
        self.views.retain(|_, view| view.by != ended);
        self.memory.retain(|_, memory| memory.owner != ended || memory.outlives_owner);
        self.physicals.retain(|_, physical| physical.by != ended);
        self.pools.retain(|_, pool| pool.by != ended);
        self.latches.retain(|_, by| *by != ended);
        self.streams.retain(|_, stream| stream.by != ended);
        self.event_views.retain(|_, view| view.by != ended);
        // Whether work ever ends that waits for work of a killed process is open, whoever holds that back.
        let waits = |held_by: &BTreeSet<Held>| held_by.iter().any(|held| held.by == ended);
        self.events.retain(|_, event| event.owner != ended && !waits(&event.held_by));
        for stream in self.streams.values().filter(|stream| waits(&stream.held_by)) {
            self.processes[stream.by].is_lost = true;
        }
        self.processes[ended] = Process::new(self.processes[ended].device);
    }

    /// The access that a process has to memory of a pool.
    pub(crate) fn access_to(&self, by: usize, pool: Name) -> u32 {
        let device = usize::try_from(self.processes[by].device).unwrap_or_default();
        self.pools.get(&pool).and_then(|pool| pool.access.get(device)).copied().unwrap_or_default()
    }

    /// Whether work of a process is pending. Calls that may wait for its device would wait for that.
    pub(crate) fn is_busy(&self, by: usize) -> bool {
        self.streams.values().any(|stream| stream.by == by && !stream.held_by.is_empty())
    }
}

impl View {
    /// The row that says that a process sees what was written to the memory.
    pub(crate) const fn row_of_contents(&self) -> &'static str {
        match self.kind {
            Kind::Own => "IPCMEM-OPEN-046",
            Kind::Import { .. } => "IPCMEM-OPEN-001",
            Kind::Mapping { .. } => "VMM-IMP-001",
            Kind::Pooled { is_own: true, .. } => "POOL-PTR-015",
            Kind::Pooled { is_own: false, .. } => "POOL-PTR-001",
        }
    }
}

impl Memory {
    /// The device of the memory, which is that of its owner.
    pub(crate) fn device(&self, world: &World) -> i32 {
        world.processes[self.owner].device
    }
}
