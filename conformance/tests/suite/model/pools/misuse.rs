//! Calls on memory pools that the driver must refuse, or that must leave every other pool as it was.

use conformance::{Expect as _, MIB, MemProperties, Needs, Outcome, Pointer, Pool, Role, Stop, check, need};

use super::super::misuse::{Alone, Of, alone, of};
use super::super::operation::Live;
use super::super::prelude::{Attribute, MANAGED, OUT_OF_MEMORY, SUPPORTED};
use super::super::world::{Kind, Name, World};
use crate::support::constants::{
    DESCRIPTOR, DEVICE, FABRIC, HOST, HOST_NUMA_CURRENT, INVALID_DEVICE, INVALID_VALUE, NONE, ON_DEVICE, READ_WRITE,
};
use crate::support::foreign::Foreign;
use crate::support::pointer_kind::PointerKind;
use crate::support::shared_pool::{self, RESERVED, USED};

/// Memory whose pointers are not exported, because it is not of a pool that was.
const KINDS: [PointerKind; 14] = [
    PointerKind::Linear,
    PointerKind::Null,
    PointerKind::Heap,
    PointerKind::Stack,
    PointerKind::Pinned,
    PointerKind::PinnedMapped,
    PointerKind::Registered,
    PointerKind::Managed,
    PointerKind::DefaultPool,
    PointerKind::DescriptorPool,
    PointerKind::PrivatePool,
    PointerKind::VirtualMemory,
    PointerKind::ShareableVirtualMemory,
    PointerKind::GraphOwned,
];

/// What a process does on its own. `p` is the process.
static ALONE: &[Alone] = alone! {
    "POOL-CREATE-002": |p| {
        let supported = p.device_get_attribute(SUPPORTED, 0)?.cast_unsigned();
        for handle_type in [1, 2, 4] {
            let created = p.mem_pool_create(handle_type);
            match supported & handle_type {
                0 => created.refused(&[]).map(drop)?,
                _ => p.mem_alloc_from_pool_async(shared_pool::SIZE, created?).map(drop)?,
            }
        }
        Ok(())
    };
    "POOL-CREATE-003": |p| p.mem_pool_create_with(DEVICE, 0, 1).refused(&[]);
    "POOL-CREATE-004": |p| {
        let is_new = need(&Needs::none().cuda(13_000)).is_ok();
        let create = || p.mem_pool_create_with(DEVICE.at(HOST, 0).exportable(DESCRIPTOR), 0, 0);
        if is_new { create().refused(INVALID_VALUE) } else { Ok(()) }
    };
    "POOL-CREATE-006": |p| {
        let is_new = need(&Needs::none().cuda(13_000).managed_memory()).is_ok();
        for (handle_types, maximum) in [(DESCRIPTOR, 0), (0, 64 * MIB)].into_iter().filter(|_| is_new) {
            p.mem_pool_create_with(MANAGED.exportable(handle_types), maximum, 0).refused(&[])?;
        }
        Ok(())
    };
    "POOL-CREATE-007": |p| p.mem_pool_create_with(DEVICE.at(HOST_NUMA_CURRENT, 0), 0, 0).refused(INVALID_VALUE);
    "POOL-CREATE-008": |p| p.mem_pool_create_with(MemProperties { allocation_type: 0, ..DEVICE }, 0, 0).refused(&[]);
    "POOL-CREATE-008": |p| p.mem_pool_create_with(DEVICE.at(0, 0), 0, 0).refused(&[]);
    "POOL-CREATE-008": |p| p.mem_pool_create_with(DEVICE.at(0x7fff, 0), 0, 0).refused(&[]);
    "POOL-CREATE-008": |p| p.mem_pool_create_with(DEVICE.at(ON_DEVICE, -1), 0, 0).refused(&[]);
    "POOL-CREATE-008": |p| p.mem_pool_create_with(DEVICE.at(ON_DEVICE, 0x7fff), 0, 0).refused(&[]);
    "POOL-CREATE-009": |p| {
        let (maximum, pool) = (64 * MIB, p.mem_pool_create_with(DEVICE, 64 * MIB, 0)?);
        let first = p.mem_alloc_from_pool_async(maximum / 2, pool)?;
        p.mem_alloc_from_pool_async(maximum / 2, pool)?;
        p.mem_alloc_from_pool_async(maximum / 2, pool).refused(OUT_OF_MEMORY)?;
        p.mem_free_async_and_wait(first)?;
        p.mem_alloc_from_pool_async(maximum / 2, pool).map(drop)
    };
    "POOL-CREATE-009": |p| p.mem_alloc_from_pool_async(8 * MIB, p.mem_pool_create_with(DEVICE, 8 * MIB, 0)?).map(drop);
    "POOL-CREATE-010": |p| {
        p.mem_pool_destroy(p.device_get_default_mem_pool()?).refused(INVALID_VALUE)?;
        p.mem_alloc_async(shared_pool::SIZE).map(drop)
    };
    "POOL-CREATE-014": |p| {
        p.graph_add_mem_alloc_node(shared_pool::SIZE, 0)?;
        p.graph_add_mem_alloc_node(shared_pool::SIZE, DESCRIPTOR).refused(&[])
    };
    "POOL-EXP-002": |p| p.mem_pool_export_as(p.mem_pool_create(0)?, DESCRIPTOR, 0).refused(INVALID_VALUE);
    "POOL-EXP-003": |p| p.mem_pool_export_as(p.device_get_default_mem_pool()?, DESCRIPTOR, 0).refused(&[]);
    "POOL-EXP-004": |p| p.mem_pool_export_as(Pool::NULL, DESCRIPTOR, 0).refused(INVALID_VALUE);
    "POOL-EXP-005": |p| {
        let pool = p.mem_pool_create(0)?;
        p.mem_pool_export_as(pool, DESCRIPTOR, 0).refused(&[])?;
        p.mem_pool_export_as(pool, FABRIC, 0).refused(&[])?;
        p.mem_pool_destroy(pool)
    };
    "POOL-IMP-004": |p| p.mem_pool_import_from_descriptor(Foreign::Negative.make(p)?).refused(&[]);
    "POOL-IMP-004": |p| p.mem_pool_import_from_descriptor(Foreign::DevNull.make(p)?).refused(&[]);
    "POOL-IMP-004": |p| p.mem_pool_import_from_descriptor(Foreign::SharedMemory.make(p)?).refused(&[]);
    "POOL-IMP-002": |p| {
        let descriptor = p.mem_pool_export_to_descriptor(p.mem_pool_create(DESCRIPTOR)?)?;
        p.mem_pool_import_from_address_of_descriptor(descriptor).refused(&[])
    };
    "POOL-IMP-005": |p| {
        let descriptor = p.mem_pool_export_to_descriptor(p.mem_pool_create(DESCRIPTOR)?)?;
        for (handle_type, flags) in [(DESCRIPTOR, 1), (DESCRIPTOR, 1 << 32), (0, 0), (0x4000, 0)] {
            p.mem_pool_import_as(descriptor, handle_type, flags).refused(INVALID_VALUE)?;
        }
        p.mem_pool_import_into_null(descriptor).refused(INVALID_VALUE)
    };
    "POOL-PTR-002": |p| {
        let [one, other] = [p.mem_pool_create(DESCRIPTOR)?, p.mem_pool_create(DESCRIPTOR)?];
        let pointer = p.mem_alloc_from_pool_async(shared_pool::SIZE, other)?;
        p.mem_pool_export_to_descriptor(one)?;
        p.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)
    };
    "POOL-ACC-008": |p| {
        if need(&Needs::none().gpus(2).peer_access()).is_err() {
            return Ok(());
        }
        let (own, peer) = (p.ctx_get_current()?, p.device_primary_ctx_retain_of(1)?);
        let pointer = p.mem_alloc_from_pool_async(shared_pool::SIZE, p.mem_pool_create(0)?)?;
        p.ctx_set_current(Some(peer))?;
        p.ctx_enable_peer_access(own)?;
        p.read(pointer, 4).refused(INVALID_VALUE)?;
        p.ctx_disable_peer_access(own)?;
        p.ctx_set_current(Some(own))
    };
    "POOL-ATTR-001": |p| {
        for (reset, other) in [(RESERVED, USED), (USED, RESERVED)] {
            let pool = p.mem_pool_create(0)?;
            let get = |attribute: Attribute| p.mem_pool_get_attribute(pool, attribute.0);
            p.mem_free_async_and_wait(p.mem_alloc_from_pool_async(shared_pool::SIZE, pool)?)?;
            let (highest, others) = (get(reset.high)?, get(other.high)?);
            check!(highest >= shared_pool::SIZE);
            for value in [1, 1 << 32, u64::MAX] {
                p.mem_pool_set_attribute(pool, reset.high.0, value).refused(INVALID_VALUE)?;
            }
            check!(get(reset.high)? == highest);
            p.mem_pool_set_attribute(pool, reset.high.0, 0)?;
            check!(get(reset.high)? <= get(reset.current)?);
            check!(get(other.high)? == others);
        }
        Ok(())
    };
};

/// What a process does with a pool of its own. `it` is the pool.
static OF_POOLS: &[Of<Pool>] = of! {
    Pool;
    "POOL-EXP-004": |p, it| p.mem_pool_export_as(it, DESCRIPTOR, 1).refused(INVALID_VALUE);
    "POOL-EXP-004": |p, it| p.mem_pool_export_as(it, DESCRIPTOR, 1 << 32).refused(INVALID_VALUE);
    "POOL-EXP-004": |p, it| p.mem_pool_export_as(it, 0, 0).refused(INVALID_VALUE);
    "POOL-EXP-004": |p, it| p.mem_pool_export_as(it, 0x4000, 0).refused(INVALID_VALUE);
    "POOL-EXP-004": |p, it| p.mem_pool_export_into_null(it).refused(INVALID_VALUE);
    "POOL-ACC-001": |p, it| {
        p.mem_pool_set_access(it, 0, NONE).refused(INVALID_DEVICE)?;
        check!(p.mem_pool_get_access(it, 0)? == READ_WRITE);
        Ok(())
    };
    "POOL-ACC-001": |p, it| {
        if need(&Needs::none().gpus(2).peer_access()).is_err() {
            return Ok(());
        }
        let before = p.mem_pool_get_access(it, 1)?;
        let wanted = vec![(1, READ_WRITE - before), (0, NONE)];
        p.mem_pool_set_access_of_each(it, wanted).refused(INVALID_DEVICE)?;
        check!(p.mem_pool_get_access(it, 1)? == before);
        Ok(())
    };
    "POOL-ACC-003": |p, it| p.mem_pool_set_access(it, 0, 0xffff).refused(&[]);
    "POOL-ACC-004": |p, it| p.mem_pool_set_access(it, -1, READ_WRITE).refused(&[]);
    "POOL-ACC-004": |p, it| p.mem_pool_set_access(it, p.device_get_count()?, READ_WRITE).refused(&[]);
    "POOL-ACC-007": |p, it| p.mem_pool_get_access_of(it, 0x7fff, 0).refused(&[]).map(drop);
    "POOL-ACC-007": |p, it| p.mem_pool_get_access_of(it, ON_DEVICE, -1).refused(&[]).map(drop);
    "POOL-ATTR-001": |p, it| p.mem_pool_set_attribute(it, USED.high.0, 1).refused(INVALID_VALUE);
    "POOL-ATTR-001": |p, it| p.mem_pool_set_attribute(it, RESERVED.high.0, 1 << 32).refused(INVALID_VALUE);
    "POOL-ATTR-002": |p, it| p.mem_pool_get_attribute(it, 0x7fff).refused(INVALID_VALUE).map(drop);
    "POOL-ATTR-002": |p, it| p.mem_pool_set_attribute(it, 0x7fff, 1).refused(&[]);
};

/// What a process does with a pool that it imported.
static OF_IMPORTS: &[Of<Pool>] = of! {
    Pool;
    "POOL-EXP-007": |p, it| p.mem_pool_export_as(it, DESCRIPTOR, 0).refused(&[]);
    "POOL-IMP-006": |p, it| p.mem_alloc_from_pool_async(shared_pool::SIZE, it).refused(&[]);
    "POOL-IMP-007": |p, it| {
        p.device_set_mem_pool(it).refused(&[])?;
        p.mem_free_async_and_wait(p.mem_alloc_async(shared_pool::SIZE)?)
    };
    "POOL-ACC-003": |p, it| p.mem_pool_set_access(it, 0, 0xffff).refused(&[]);
};

/// What a process does with memory that it imported. `it` is its address.
static OF_POINTERS: &[Of<Pointer>] = of! {
    Pointer;
    "POOL-PTR-020": |p, it| p.mem_pool_export_pointer(it).refused(&[]).map(drop);
};

/// A call that must be refused: a place in one of the tables.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Misuse {
    Alone(usize),
    ExportKind(PointerKind),
    OfPool(usize, Name),
    OfImport(usize, Name),
    OfPointer(usize, Name),
}

impl Misuse {
    /// Every misuse that is possible, with the process that may commit it.
    pub(crate) fn possible(world: &World) -> Vec<(usize, Self)> {
        let every = 0..world.processes.len();
        let alone = every.clone().flat_map(|by| (0..ALONE.len()).map(move |place| (by, Self::Alone(place))));
        let kinds = every.flat_map(|by| KINDS.map(|kind| (by, Self::ExportKind(kind))));
        let of_pools = world.pools.iter().flat_map(|(name, pool)| {
            let own = (0..OF_POOLS.len()).map(|place| (pool.by, Self::OfPool(place, *name)));
            // As many of these, though they are fewer.
            let imported =
                (0..2 * OF_IMPORTS.len()).map(|turn| (pool.by, Self::OfImport(turn % OF_IMPORTS.len(), *name)));
            own.chain(imported)
        });
        let of_pointers = world
            .views
            .iter()
            .flat_map(|(name, view)| (0..OF_POINTERS.len()).map(|place| (view.by, Self::OfPointer(place, *name))));
        alone.chain(kinds).chain(of_pools).chain(of_pointers).collect()
    }

    pub(crate) fn row(self) -> &'static str {
        match self {
            Self::Alone(place) => ALONE[place].row,
            Self::ExportKind(_) => "POOL-PTR-003",
            Self::OfPool(place, _) => OF_POOLS[place].row,
            Self::OfImport(place, _) => OF_IMPORTS[place].row,
            Self::OfPointer(place, _) => OF_POINTERS[place].row,
        }
    }

    pub(crate) fn is_possible(self, by: usize, before: &World) -> bool {
        let pool = |name: Name| before.pools.get(&name).filter(|pool| pool.by == by && before.is_alive(pool));
        match self {
            // Their memory is that of GPU 0.
            Self::Alone(place) => before.processes[by].device == 0 && ALONE[place].is_asked(),
            Self::ExportKind(_) => before.processes[by].device == 0,
            Self::OfPool(_, name) => pool(name).is_some_and(|pool| pool.source == name && pool.device == 0),
            Self::OfImport(_, name) => pool(name).is_some_and(|pool| pool.source != name),
            Self::OfPointer(_, view) => {
                let is_import = before.views.get(&view).filter(|view| view.by == by).map(|view| view.kind);
                matches!(is_import, Some(Kind::Pooled { is_own: false, .. })) && before.memory_of(view).is_some()
            }
        }
    }

    pub(crate) fn perform(self, role: &Role, live: &Live) -> Outcome {
        match self {
            Self::Alone(place) => (ALONE[place].run)(role),
            Self::ExportKind(kind) => match kind.make(role) {
                // The machine has no such memory.
                Err(Stop::Unsupported(_)) => Ok(()),
                pointer => role.mem_pool_export_pointer(pointer?).refused(INVALID_VALUE).map(drop),
            },
            Self::OfPool(place, pool) => (OF_POOLS[place].run)(role, live.pool(pool)?),
            Self::OfImport(place, pool) => (OF_IMPORTS[place].run)(role, live.pool(pool)?),
            Self::OfPointer(place, view) => (OF_POINTERS[place].run)(role, live.pointer(view)?),
        }
    }

    pub(crate) fn lines(self, by: usize) -> String {
        match self {
            Self::Alone(place) => ALONE[place].lines(by),
            Self::ExportKind(kind) => format!(
                "let pointer = PointerKind::{kind:?}.make(&p{by})?;\n\
                 p{by}.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;"
            ),
            Self::OfPool(place, pool) => OF_POOLS[place].lines(by, &format!("l{pool}")),
            Self::OfImport(place, pool) => OF_IMPORTS[place].lines(by, &format!("l{pool}")),
            Self::OfPointer(place, view) => OF_POINTERS[place].lines(by, &format!("m{view}")),
        }
    }
}
