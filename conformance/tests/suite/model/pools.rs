//! Steps of memory pools: shared by descriptors, with the pointers of their memory one by one.

mod misuse;

use conformance::{Expect as _, KIB, MIB, Outcome, check};
use cuda_ipc_sys::{CUmemAllocationType, CUmemPool_attribute as Attribute};

use super::operation::{Live, Operation};
use super::world::{Kind, Memory, Name, Pool, PoolPointer, View, World};
use crate::support::constants::{DESCRIPTOR, INVALID_VALUE, NONE, ON_DEVICE, READ_WRITE};
use crate::support::shared_pool::{RESERVED, USED};
use misuse::Misuse;

/// The sizes of allocations: many in one block of the driver, a whole one, and more than one.
const SIZES: [u64; 4] = [4 * KIB, 64 * KIB + 4, 2 * MIB, 4 * MIB];

/// The attributes that say how a pool was created.
const ALLOCATION_TYPE: u32 = Attribute::CU_MEMPOOL_ATTR_ALLOCATION_TYPE.0;
const HANDLE_TYPES: u32 = Attribute::CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES.0;
const LOCATION_TYPE: u32 = Attribute::CU_MEMPOOL_ATTR_LOCATION_TYPE.0;
const LOCATION: u32 = Attribute::CU_MEMPOOL_ATTR_LOCATION_ID.0;
const PINNED: u32 = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED.0;

/// A step of a memory pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    by: usize,
    call: Call,
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Create {
        name: Name,
    },
    Destroy {
        pool: Name,
    },
    /// Exports a descriptor, and sends a copy of it to the runner, where it stays.
    Export {
        name: Name,
        pool: Name,
    },
    CloseDescriptor {
        descriptor: Name,
    },
    /// Receives a copy of a descriptor, imports it, and closes the copy.
    Import {
        name: Name,
        descriptor: Name,
    },
    Allocate {
        name: Name,
        pool: Name,
        size: u64,
    },
    ExportPointer {
        name: Name,
        view: Name,
    },
    ImportPointer {
        name: Name,
        pool: Name,
        data: Name,
    },
    /// Imports a pointer a second time and frees that import, which leaves the first.
    ImportAgain {
        view: Name,
        data: Name,
    },
    Free {
        view: Name,
        in_order: bool,
    },
    SetAccess {
        pool: Name,
        device: i32,
        access: u32,
    },
    Access {
        pool: Name,
    },
    /// Tries to read memory without access.
    TryAccess {
        view: Name,
    },
    Trim {
        pool: Name,
    },
    Usage {
        pool: Name,
    },
    Properties {
        pool: Name,
    },
    Range {
        view: Name,
    },
    Misuse(Misuse),
}

macro_rules! steps {
    ($($name:ident($($argument:ident: $type:ty),*) = $call:expr;)*) => {
        impl Step {
            $(pub(crate) const fn $name(by: usize, $($argument: $type),*) -> Self {
                Self { by, call: $call }
            })*
        }
    };
}

steps! {
    create(name: Name) = Call::Create { name };
    destroy(pool: Name) = Call::Destroy { pool };
    export(name: Name, pool: Name) = Call::Export { name, pool };
    import(name: Name, descriptor: Name) = Call::Import { name, descriptor };
    allocate(name: Name, pool: Name) = Call::Allocate { name, pool, size: 2 * MIB };
    export_pointer(name: Name, view: Name) = Call::ExportPointer { name, view };
    import_pointer(name: Name, pool: Name, data: Name) = Call::ImportPointer { name, pool, data };
    free(view: Name) = Call::Free { view, in_order: true };
    trim(pool: Name) = Call::Trim { pool };
    grant(pool: Name, device: i32) = Call::SetAccess { pool, device, access: READ_WRITE };
}

/// Every step that is possible, by kind, with the weight of the kind.
pub(crate) fn possible(world: &World) -> Vec<(u32, Vec<Step>)> {
    let name = world.new_name();
    let every = |call: Call| -> Vec<Step> { (0..world.processes.len()).map(|by| Step { by, call }).collect() };
    let pools = |call: &dyn Fn(Name) -> Call| -> Vec<Step> {
        world.pools.iter().map(|(name, pool)| Step { by: pool.by, call: call(*name) }).collect()
    };
    let views = |call: &dyn Fn(Name) -> Call| -> Vec<Step> {
        let pooled = world.views.iter().filter(|(_, view)| matches!(view.kind, Kind::Pooled { .. }));
        pooled.map(|(name, view)| Step { by: view.by, call: call(*name) }).collect()
    };
    let descriptors = world.pool_descriptors.keys().copied();
    let closes = descriptors.clone().map(|descriptor| Step { by: 0, call: Call::CloseDescriptor { descriptor } });
    let data = world.pool_pointers.keys().copied();
    let allocations = SIZES.iter().flat_map(|size| pools(&|pool| Call::Allocate { name, pool, size: *size }));
    let access = (0..world.machine.devices).flat_map(|device| [NONE, READ_WRITE].map(|access| (device, access)));
    let access = access.flat_map(|(device, access)| pools(&|pool| Call::SetAccess { pool, device, access }));
    vec![
        (if world.pools.len() < 3 { 4 } else { 1 }, every(Call::Create { name })),
        (1, pools(&|pool| Call::Destroy { pool })),
        (if world.pool_descriptors.len() < 3 { 6 } else { 2 }, pools(&|pool| Call::Export { name, pool })),
        (1, closes.collect()),
        (8, descriptors.flat_map(|descriptor| every(Call::Import { name, descriptor })).collect()),
        (6, allocations.collect()),
        (6, views(&|view| Call::ExportPointer { name, view })),
        (12, data.clone().flat_map(|data| pools(&|pool| Call::ImportPointer { name, pool, data })).collect()),
        (2, data.flat_map(|data| views(&|view| Call::ImportAgain { view, data })).collect()),
        (4, [false, true].iter().flat_map(|order| views(&|view| Call::Free { view, in_order: *order })).collect()),
        (4, access.collect()),
        (2, pools(&|pool| Call::Access { pool })),
        (2, views(&|view| Call::TryAccess { view })),
        (2, pools(&|pool| Call::Trim { pool })),
        (4, pools(&|pool| Call::Usage { pool })),
        (1, pools(&|pool| Call::Properties { pool })),
        (1, views(&|view| Call::Range { view })),
        (8, Misuse::possible(world).into_iter().map(|(by, misuse)| Step { by, call: Call::Misuse(misuse) }).collect()),
    ]
}

/// The memory that a process has of a pool: each view, and its size.
fn memory_of(world: &World, of: Name) -> impl Iterator<Item = (Name, u64)> + '_ {
    let views = world.views.iter();
    let of_pool = views.filter(move |(_, view)| matches!(view.kind, Kind::Pooled { pool, .. } if pool == of));
    of_pool.map(|(name, view)| (*name, world.memory.get(&view.memory).map_or(0, |memory| memory.size)))
}

/// How a process can import a pointer into a pool.
fn importable(world: &World, pool: &Pool, data: Name) -> Option<Name> {
    let data = world.pool_pointers.get(&data)?;
    (data.source == pool.source && world.memory.contains_key(&data.memory)).then_some(data.memory)
}

impl Operation for Step {
    fn by(&self) -> usize {
        self.by
    }

    fn row(&self, before: &World) -> &'static str {
        let is_own = |pool: Name| before.pools[&pool].source == pool;
        match self.call {
            Call::Create { .. } => "POOL-CREATE-001",
            Call::Destroy { pool } if is_own(pool) => "POOL-CREATE-011",
            Call::Destroy { .. } => "POOL-IMP-018",
            Call::Export { .. } => "POOL-EXP-001",
            Call::CloseDescriptor { .. } => "POOL-IMP-009",
            Call::Import { .. } | Call::Allocate { .. } => "POOL-IMP-001",
            Call::ExportPointer { view, .. } if !may_export(before, view) => "POOL-PTR-002",
            Call::ExportPointer { .. } | Call::ImportPointer { .. } => "POOL-PTR-001",
            Call::ImportAgain { .. } => "POOL-PTR-008",
            Call::Free { .. } => "POOL-PTR-014",
            Call::SetAccess { pool, .. } if is_own(pool) => "POOL-ACC-008",
            Call::SetAccess { .. } => "POOL-IMP-011",
            Call::Access { pool } if is_own(pool) => "POOL-ACC-006",
            Call::Access { .. } | Call::TryAccess { .. } => "POOL-IMP-010",
            Call::Trim { .. } => "POOL-IMP-015",
            Call::Usage { .. } => "POOL-IMP-014",
            Call::Properties { pool } if is_own(pool) => "POOL-ATTR-003",
            Call::Properties { .. } => "POOL-IMP-013",
            Call::Range { .. } => "POOL-PTR-019",
            Call::Misuse(misuse) => misuse.row(),
        }
    }

    fn is_possible(&self, before: &World) -> bool {
        let by = self.by;
        let is_new = |name: Name| !before.names.contains(&name);
        let pool = |pool: Name| before.pools.get(&pool).filter(|pool| pool.by == by && before.is_alive(pool));
        let own = |name: Name| pool(name).is_some_and(|pool| pool.source == name);
        let imported = |name: Name| pool(name).is_some_and(|pool| pool.source != name);
        let view = |view: Name| match before.views.get(&view).filter(|view| view.by == by) {
            Some(View { kind: Kind::Pooled { pool, is_own }, memory, .. }) => Some((*pool, *is_own, *memory)),
            _ => None,
        };
        let has_import = |memory: Name| {
            let mut views = before.views.iter();
            views.any(|(name, of)| of.memory == memory && view(*name).is_some_and(|(_, is_own, _)| !is_own))
        };
        let has_access = |pool: Name| before.access_to(by, pool) == READ_WRITE;
        match self.call {
            Call::Create { name } => is_new(name),
            Call::Destroy { pool } if own(pool) => {
                let mut memory = memory_of(before, pool).peekable();
                let is_empty = memory.peek().is_none();
                // What becomes of imports from it is undefined.
                let is_shared = memory.any(|(view, _)| before.is_shared(before.views[&view].memory));
                is_empty || before.machine.memory_outlives_pools && !is_shared
            }
            // Also an import whose exporter is gone.
            Call::Destroy { pool } => before.pools.get(&pool).is_some_and(|pool| pool.by == by && !pool.is_destroyed),
            Call::Export { name, pool } => is_new(name) && own(pool),
            Call::CloseDescriptor { descriptor } => before.pool_descriptors.contains_key(&descriptor),
            Call::Import { name, descriptor } => {
                let source = before.pool_descriptors.get(&descriptor).and_then(|source| before.pools.get(source));
                // No row says what a second import of a pool is, or one of a pool that is gone.
                let has_none = |source| !before.pools.values().any(|pool| pool.by == by && pool.source == source);
                is_new(name) && source.is_some_and(|pool| before.is_alive(pool) && has_none(pool.source))
            }
            Call::Allocate { name, pool, .. } => is_new(name) && own(pool),
            Call::ExportPointer { name, view: from } => {
                is_new(name) && view(from).is_some_and(|(pool, is_own, _)| is_own && own(pool))
            }
            Call::ImportPointer { name, pool: into, data } => {
                let memory = pool(into).and_then(|pool| importable(before, pool, data));
                is_new(name) && imported(into) && memory.is_some_and(|memory| !has_import(memory))
            }
            Call::ImportAgain { view: first, data } => {
                let is_same = |(into, _, memory)| {
                    imported(into) && has_access(into) && importable(before, &before.pools[&into], data) == Some(memory)
                };
                before.machine.pool_imports_are_counted && view(first).is_some_and(is_same)
            }
            // What an import of freed memory shows is undefined.
            Call::Free { view: freed, in_order } => {
                view(freed).is_some_and(|(_, is_own, memory)| !is_own || in_order && !before.is_shared(memory))
            }
            Call::SetAccess { pool: of, device, .. } => pool(of).is_some_and(|pool| pool.device != device),
            Call::Access { pool: of } | Call::Trim { pool: of } => pool(of).is_some(),
            Call::TryAccess { view: of } => {
                view(of).is_some_and(|(of, is_own, _)| !is_own && pool(of).is_some() && !has_access(of))
            }
            Call::Usage { pool } => before.machine.pool_imports_have_statistics && imported(pool),
            Call::Properties { pool: of } => pool(of).is_some(),
            Call::Range { view: of } => {
                view(of).is_some_and(|(of, is_own, _)| !is_own && imported(of) && has_access(of))
            }
            Call::Misuse(misuse) => misuse.is_possible(by, before),
        }
    }

    fn apply(&self, world: &mut World) {
        let by = self.by;
        match self.call {
            Call::Create { name } => {
                world.names.insert(name);
                let device = world.processes[by].device;
                let access = access_of_new(world, device);
                world.pools.insert(
                    name,
                    Pool { by, source: name, device, access, is_exported: false, is_destroyed: false, most: 0 },
                );
            }
            Call::Destroy { pool } => {
                if let Some(pool) = world.pools.get_mut(&pool) {
                    pool.is_destroyed = true;
                }
                forget_pool(world, pool);
            }
            Call::Export { name, pool } => {
                world.names.insert(name);
                world.pool_descriptors.insert(name, pool);
                if let Some(pool) = world.pools.get_mut(&pool) {
                    pool.is_exported = true;
                }
            }
            Call::CloseDescriptor { descriptor } => drop(world.pool_descriptors.remove(&descriptor)),
            Call::Import { name, descriptor } => {
                world.names.insert(name);
                let source = world.pool_descriptors[&descriptor];
                // The importer does not inherit the access that the exporter granted.
                let device = world.pools[&source].device;
                let access = access_of_new(world, device);
                world.pools.insert(
                    name,
                    Pool { by, source, device, access, is_exported: false, is_destroyed: false, most: 0 },
                );
            }
            Call::Allocate { name, pool, size } => {
                world.names.insert(name);
                world.memory.insert(name, Memory { owner: by, size, contents: None, outlives_owner: false });
                world.views.insert(name, View { by, memory: name, kind: Kind::Pooled { pool, is_own: true } });
            }
            Call::ExportPointer { name, view } => {
                world.names.insert(name);
                if let (true, View { memory, kind: Kind::Pooled { pool, .. }, .. }) =
                    (may_export(world, view), world.views[&view])
                {
                    world.pool_pointers.insert(name, PoolPointer { memory, source: pool });
                }
            }
            Call::ImportPointer { name, pool, data } => {
                world.names.insert(name);
                let memory = world.pool_pointers[&data].memory;
                world.views.insert(name, View { by, memory, kind: Kind::Pooled { pool, is_own: false } });
                let used = memory_of(world, pool).map(|(_, size)| size).sum();
                if let Some(pool) = world.pools.get_mut(&pool) {
                    pool.most = pool.most.max(used);
                }
            }
            Call::Free { view, .. } => {
                if let Some(View { memory, kind: Kind::Pooled { pool, is_own }, .. }) = world.views.remove(&view) {
                    if is_own {
                        world.memory.remove(&memory);
                    }
                    forget_pool(world, pool);
                }
            }
            Call::SetAccess { pool, device, access } => {
                let of_device = world.pools.get_mut(&pool).and_then(|pool| pool.access.get_mut(device as usize));
                of_device.into_iter().for_each(|of_device| *of_device = access);
            }
            Call::ImportAgain { .. }
            | Call::Access { .. }
            | Call::TryAccess { .. }
            | Call::Trim { .. }
            | Call::Usage { .. }
            | Call::Properties { .. }
            | Call::Range { .. }
            | Call::Misuse(_) => {}
        }
    }

    fn perform(&self, before: &World, live: &mut Live) -> Outcome {
        let role = live.role(self.by);
        match self.call {
            Call::Create { name } => drop(live.pools.insert(name, role.mem_pool_create(DESCRIPTOR)?)),
            Call::Destroy { pool } => {
                let destroyed = role.mem_pool_destroy(live.pool(pool)?);
                if is_recorded(before, pool) {
                    return destroyed.recorded("destroy").map(drop);
                }
                destroyed?;
            }
            Call::Export { name, pool } => {
                let descriptor = role.mem_pool_export_to_descriptor(live.pool(pool)?)?;
                live.descriptors.insert(name, role.send_descriptor(descriptor)?);
                role.close_descriptor(descriptor)?;
            }
            Call::CloseDescriptor { descriptor } => drop(live.descriptors.remove(&descriptor)),
            Call::Import { name, descriptor } => {
                let received = live.received(self.by, descriptor)?;
                let imported = role.mem_pool_import_from_descriptor(received)?;
                role.close_descriptor(received)?;
                live.pools.insert(name, imported);
            }
            Call::Allocate { name, pool, size } => {
                live.pointers.insert(name, role.mem_alloc_from_pool_async(size, live.pool(pool)?)?);
            }
            Call::ExportPointer { name, view } => {
                let exported = role.mem_pool_export_pointer(live.pointer(view)?);
                if !may_export(before, view) {
                    return exported.refused(INVALID_VALUE).map(drop);
                }
                live.pool_pointers.insert(name, exported?);
            }
            Call::ImportPointer { name, pool, data } => {
                let pointer = role.mem_pool_import_pointer(live.pool(pool)?, live.pool_pointer(data)?)?;
                live.pointers.insert(name, pointer);
            }
            Call::ImportAgain { view, data } => {
                let Kind::Pooled { pool, .. } = before.views[&view].kind else { return Ok(()) };
                let second = role.mem_pool_import_pointer(live.pool(pool)?, live.pool_pointer(data)?)?;
                role.mem_free_async_and_wait(second)?;
                role.read(live.pointer(view)?, 4)?;
            }
            Call::Free { view, in_order } => {
                let (pointer, kind) = (live.pointer(view)?, before.views[&view].kind);
                let freed = match in_order {
                    true => role.mem_free_async_and_wait(pointer),
                    false => role.mem_free_imported_pointer(pointer),
                };
                if before.memory_of(view).is_none() {
                    // Which code a free has after the exporter's end is open.
                    return freed.recorded("free after the exporter's end").map(drop);
                }
                freed?;
                if !kind.is_own() {
                    role.read(pointer, 4).refused(&[])?;
                }
            }
            Call::SetAccess { pool, device, access } => {
                let pool = live.pool(pool)?;
                role.mem_pool_set_access(pool, device, access)?;
                check!(role.mem_pool_get_access(pool, device)? == access);
            }
            Call::Access { pool } => {
                for (device, access) in (0..).zip(&before.pools[&pool].access) {
                    check!(role.mem_pool_get_access(live.pool(pool)?, device)? == *access);
                }
            }
            Call::TryAccess { view } => drop(role.read(live.pointer(view)?, 4).refused(INVALID_VALUE)?),
            Call::Trim { pool } => {
                let trimmed = role.mem_pool_trim_to(live.pool(pool)?, 0);
                if before.pools[&pool].source == pool {
                    return trimmed;
                }
                trimmed.recorded("trim of the imported pool")?;
            }
            Call::Usage { pool: name } => {
                let pool = live.pool(name)?;
                let get = |attribute: Attribute| role.mem_pool_get_attribute(pool, attribute.0);
                let used: u64 = memory_of(before, name).map(|(_, size)| size).sum();
                check!(get(USED.current)? == used);
                check!(get(USED.high)? >= before.pools[&name].most);
                let reserved = get(RESERVED.current)?;
                check!(reserved >= used && (used > 0 || reserved == 0), "{reserved} bytes reserved, {used} imported");
                check!(get(RESERVED.high)? >= reserved);
            }
            Call::Properties { pool } => {
                for (attribute, value) in properties(pool, &before.pools[&pool]) {
                    let found = role.mem_pool_get_attribute(live.pool(pool)?, attribute);
                    if before.machine.pools_have_properties {
                        check!(found? == value);
                    } else {
                        found.refused(INVALID_VALUE)?;
                    }
                }
            }
            Call::Range { view } => {
                let (pointer, size) = (live.pointer(view)?, before.memory_of(view).map_or(0, |memory| memory.size));
                let range = role.mem_get_address_range(pointer)?;
                check!(range.base == pointer && range.size >= size, "{range:?}");
                let inside = role.mem_get_address_range(pointer.offset(size - 1))?;
                check!(inside.base == range.base && inside.size == range.size, "{inside:?}");
                role.read(range.base.offset(range.size - 1), 1)?;
            }
            Call::Misuse(misuse) => misuse.perform(&role, live)?,
        }
        Ok(())
    }

    fn lines(&self, before: &World) -> String {
        let by = self.by;
        match self.call {
            Call::Create { name } => format!("let l{name} = p{by}.mem_pool_create(DESCRIPTOR)?;"),
            Call::Destroy { pool } if is_recorded(before, pool) => {
                format!("p{by}.mem_pool_destroy(l{pool}).recorded(\"destroy\")?;")
            }
            Call::Destroy { pool } => format!("p{by}.mem_pool_destroy(l{pool})?;"),
            Call::Export { name, pool } => format!(
                "let d{name} = p{by}.mem_pool_export_to_descriptor(l{pool})?;\nlet sent{name} = \
                 p{by}.send_descriptor(d{name})?;\np{by}.close_descriptor(d{name})?;"
            ),
            Call::CloseDescriptor { descriptor } => format!("drop(sent{descriptor});"),
            Call::Import { name, descriptor } => format!(
                "let d{name} = p{by}.receive_descriptor(&sent{descriptor})?;\nlet l{name} = \
                 p{by}.mem_pool_import_from_descriptor(d{name})?;\np{by}.close_descriptor(d{name})?;"
            ),
            Call::Allocate { name, pool, size } => {
                format!("let m{name} = p{by}.mem_alloc_from_pool_async({size}, l{pool})?;")
            }
            Call::ExportPointer { view, .. } if !may_export(before, view) => {
                format!("p{by}.mem_pool_export_pointer(m{view}).refused(INVALID_VALUE)?;")
            }
            Call::ExportPointer { name, view } => format!("let x{name} = p{by}.mem_pool_export_pointer(m{view})?;"),
            Call::ImportPointer { name, pool, data } => {
                format!("let m{name} = p{by}.mem_pool_import_pointer(l{pool}, x{data})?;")
            }
            Call::ImportAgain { view, data } => {
                let Kind::Pooled { pool, .. } = before.views[&view].kind else { return String::new() };
                format!(
                    "let second = p{by}.mem_pool_import_pointer(l{pool}, x{data})?;\n\
                     p{by}.mem_free_async_and_wait(second)?;\np{by}.read(m{view}, 4)?;"
                )
            }
            Call::Free { view, in_order } => {
                let free = if in_order { "mem_free_async_and_wait" } else { "mem_free_imported_pointer" };
                if before.memory_of(view).is_none() {
                    return format!("p{by}.{free}(m{view}).recorded(\"free\")?;");
                }
                let is_own = before.views[&view].kind.is_own();
                let read = if is_own { String::new() } else { format!("\np{by}.read(m{view}, 4).refused(&[])?;") };
                format!("p{by}.{free}(m{view})?;{read}")
            }
            Call::SetAccess { pool, device, access } => format!(
                "p{by}.mem_pool_set_access(l{pool}, {device}, {access})?;\n\
                 check!(p{by}.mem_pool_get_access(l{pool}, {device})? == {access});"
            ),
            Call::Access { pool } => {
                let of_device = |(device, access): (i32, &u32)| {
                    format!("check!(p{by}.mem_pool_get_access(l{pool}, {device})? == {access});\n")
                };
                (0..).zip(&before.pools[&pool].access).map(of_device).collect()
            }
            Call::TryAccess { view } => format!("p{by}.read(m{view}, 4).refused(INVALID_VALUE)?;"),
            Call::Trim { pool } if before.pools[&pool].source == pool => {
                format!("p{by}.mem_pool_trim_to(l{pool}, 0)?;")
            }
            Call::Trim { pool } => format!("p{by}.mem_pool_trim_to(l{pool}, 0).recorded(\"trim\")?;"),
            Call::Usage { pool } => {
                let used: u64 = memory_of(before, pool).map(|(_, size)| size).sum();
                let (now, most) = (USED.current.0, USED.high.0);
                let (reserved, highest, at_least) = (RESERVED.current.0, RESERVED.high.0, before.pools[&pool].most);
                let is_enough = if used > 0 { format!("reserved >= {used}") } else { "reserved == 0".to_owned() };
                format!(
                    "check!(p{by}.mem_pool_get_attribute(l{pool}, {now})? == {used});\n\
                     check!(p{by}.mem_pool_get_attribute(l{pool}, {most})? >= {at_least});\n\
                     let reserved = p{by}.mem_pool_get_attribute(l{pool}, {reserved})?;\ncheck!({is_enough});\n\
                     check!(p{by}.mem_pool_get_attribute(l{pool}, {highest})? >= reserved);"
                )
            }
            Call::Properties { pool } => {
                let of_attribute = |(attribute, value): (u32, u64)| match before.machine.pools_have_properties {
                    true => format!("check!(p{by}.mem_pool_get_attribute(l{pool}, {attribute})? == {value});\n"),
                    false => format!("p{by}.mem_pool_get_attribute(l{pool}, {attribute}).refused(INVALID_VALUE)?;\n"),
                };
                properties(pool, &before.pools[&pool]).into_iter().map(of_attribute).collect()
            }
            Call::Range { view } => {
                let size = before.memory_of(view).map_or(0, |memory| memory.size);
                format!(
                    "let range = p{by}.mem_get_address_range(m{view})?;\n\
                     check!(range.base == m{view} && range.size >= {size});\n\
                     let inside = p{by}.mem_get_address_range(m{view}.offset({size} - 1))?;\n\
                     check!(inside.base == range.base && inside.size == range.size);\n\
                     p{by}.read(range.base.offset(range.size - 1), 1)?;"
                )
            }
            Call::Misuse(misuse) => misuse.lines(by),
        }
    }
}

/// Whether the pool of the memory has been exported, which an export of a pointer needs.
fn may_export(world: &World, view: Name) -> bool {
    let Some(View { kind: Kind::Pooled { pool, .. }, .. }) = world.views.get(&view) else { return false };
    world.pools.get(pool).is_some_and(|pool| pool.is_exported)
}

/// The access to a new pool: that of its own device.
fn access_of_new(world: &World, of: i32) -> Vec<u32> {
    (0..world.machine.devices).map(|device| if device == of { READ_WRITE } else { NONE }).collect()
}

/// Forgets a destroyed pool without memory.
fn forget_pool(world: &mut World, pool: Name) {
    if memory_of(world, pool).next().is_none() && world.pools.get(&pool).is_some_and(|pool| pool.is_destroyed) {
        world.pools.remove(&pool);
    }
}

/// Whether the code of a destruction is open: an import has pointers left, or its exporter is gone.
fn is_recorded(world: &World, name: Name) -> bool {
    let pool = &world.pools[&name];
    pool.source != name && (!world.is_alive(pool) || memory_of(world, name).next().is_some())
}

/// The attributes that say how a pool was created. An import cannot be exported again.
fn properties(name: Name, pool: &Pool) -> [(u32, u64); 4] {
    let handle_types = if pool.source == name { DESCRIPTOR } else { 0 };
    [
        (ALLOCATION_TYPE, PINNED.into()),
        (HANDLE_TYPES, handle_types.into()),
        (LOCATION_TYPE, ON_DEVICE.into()),
        (LOCATION, pool.device.unsigned_abs().into()),
    ]
}
