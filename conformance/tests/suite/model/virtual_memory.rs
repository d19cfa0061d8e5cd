//! Steps of virtual memory: physical memory, descriptors of it, and mappings with access.

mod misuse;

use conformance::{Expect as _, MIB, MemProperties, Outcome, Pointer, check};

use super::operation::{Live, Operation};
use super::world::{Kind, Memory, Name, Physical, View, World};
use crate::support::constants::{DESCRIPTOR, NONE, READ, READ_WRITE};
use misuse::Misuse;

/// The sizes of allocations: multiples of every granularity seen so far.
const SIZES: [u64; 2] = [2 * MIB, 4 * MIB];

/// A step of virtual memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    by: usize,
    call: Call,
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Create {
        name: Name,
        size: u64,
    },
    Release {
        physical: Name,
    },
    /// Exports a descriptor, and sends a copy of it to the runner, where it stays.
    Export {
        name: Name,
        physical: Name,
    },
    /// Receives a copy of a descriptor, imports it, and closes the copy.
    Import {
        name: Name,
        descriptor: Name,
    },
    CloseDescriptor {
        descriptor: Name,
    },
    /// Reserves addresses and maps the memory there, without access.
    Map {
        name: Name,
        physical: Name,
    },
    SetAccess {
        view: Name,
        access: u32,
    },
    /// Unmaps the memory and frees the addresses.
    Unmap {
        view: Name,
    },
    /// Takes a handle from a mapped address.
    Retain {
        name: Name,
        view: Name,
    },
    Properties {
        physical: Name,
    },
    /// Tries what the access of a mapping does not allow.
    TryAccess {
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
    create(name: Name) = Call::Create { name, size: 2 * MIB };
    release(physical: Name) = Call::Release { physical };
    export(name: Name, physical: Name) = Call::Export { name, physical };
    import(name: Name, descriptor: Name) = Call::Import { name, descriptor };
    map(name: Name, physical: Name) = Call::Map { name, physical };
    set_access(view: Name) = Call::SetAccess { view, access: READ_WRITE };
    unmap(view: Name) = Call::Unmap { view };
}

/// Every step that is possible, by kind, with the weight of the kind.
pub(crate) fn possible(world: &World) -> Vec<(u32, Vec<Step>)> {
    let name = world.new_name();
    let every = |call: &dyn Fn() -> Call| -> Vec<Step> {
        (0..world.processes.len()).map(|by| Step { by, call: call() }).collect()
    };
    let physicals = |call: &dyn Fn(Name) -> Call| -> Vec<Step> {
        world.physicals.iter().map(|(name, of)| Step { by: of.by, call: call(*name) }).collect()
    };
    let mapped = |call: &dyn Fn(Name) -> Call| -> Vec<Step> {
        let mappings = world.views.iter().filter(|(_, view)| matches!(view.kind, Kind::Mapping { .. }));
        mappings.map(|(name, view)| Step { by: view.by, call: call(*name) }).collect()
    };
    let creations = SIZES.iter().flat_map(|size| every(&|| Call::Create { name, size: *size }));
    let imports =
        world.descriptors.keys().flat_map(|descriptor| every(&|| Call::Import { name, descriptor: *descriptor }));
    let access = [NONE, READ, READ_WRITE, READ_WRITE, READ_WRITE];
    let accesses = access.iter().flat_map(|access| mapped(&|view| Call::SetAccess { view, access: *access }));
    let closes = world
        .descriptors
        .keys()
        .map(|descriptor| Step { by: 0, call: Call::CloseDescriptor { descriptor: *descriptor } });
    vec![
        (if world.physicals.len() < 3 { 4 } else { 1 }, creations.collect()),
        (1, physicals(&|physical| Call::Release { physical })),
        (4, physicals(&|physical| Call::Export { name, physical })),
        (6, imports.collect()),
        (1, closes.collect()),
        (6, physicals(&|physical| Call::Map { name, physical })),
        (8, accesses.collect()),
        (2, mapped(&|view| Call::Unmap { view })),
        (1, mapped(&|view| Call::Retain { name, view })),
        (1, physicals(&|physical| Call::Properties { physical })),
        (2, mapped(&|view| Call::TryAccess { view })),
        (8, Misuse::possible(world).into_iter().map(|(by, misuse)| Step { by, call: Call::Misuse(misuse) }).collect()),
    ]
}

impl Operation for Step {
    fn by(&self) -> usize {
        self.by
    }

    fn row(&self, before: &World) -> &'static str {
        match self.call {
            Call::Create { .. } => "VMM-CREATE-001",
            Call::Release { .. } | Call::CloseDescriptor { .. } => "VMM-IMP-006",
            Call::Export { .. } => "VMM-EXP-001",
            Call::Import { .. } => "VMM-IMP-001",
            Call::Map { .. } => "VMM-MAP-001",
            Call::SetAccess { .. } => "VMM-MAP-027",
            Call::Unmap { .. } => "VMM-MAP-001",
            Call::Retain { .. } => "VMM-IMP-030",
            Call::Properties { .. } => "VMM-IMP-013",
            Call::TryAccess { .. } => "VMM-MAP-019",
            Call::Misuse(misuse) => misuse.row(before),
        }
    }

    fn is_possible(&self, before: &World) -> bool {
        let by = self.by;
        let is_new = |name: Name| !before.names.contains(&name);
        let has = |physical: Name| before.physicals.get(&physical).is_some_and(|physical| physical.by == by);
        let maps = |view: Name| {
            let view = before.views.get(&view).filter(|view| view.by == by);
            view.is_some_and(|view| matches!(view.kind, Kind::Mapping { .. }))
        };
        match self.call {
            Call::Create { name, .. } => is_new(name),
            Call::Release { physical } | Call::Properties { physical } => has(physical),
            // An import need not be exportable again.
            Call::Export { name, physical } => is_new(name) && has(physical) && before.physicals[&physical].is_own,
            Call::Import { name, descriptor } => is_new(name) && before.descriptors.contains_key(&descriptor),
            Call::CloseDescriptor { descriptor } => before.descriptors.contains_key(&descriptor),
            Call::Map { name, physical } => is_new(name) && has(physical),
            Call::SetAccess { view, .. } | Call::Unmap { view } => maps(view),
            Call::TryAccess { view } => {
                maps(view) && !matches!(before.views[&view].kind, Kind::Mapping { access: READ_WRITE })
            }
            Call::Retain { name, view } => is_new(name) && maps(view),
            Call::Misuse(misuse) => misuse.is_possible(by, before),
        }
    }

    fn apply(&self, world: &mut World) {
        let by = self.by;
        match self.call {
            Call::Create { name, size } => {
                world.names.insert(name);
                world.memory.insert(name, Memory { owner: by, size, contents: None, outlives_owner: true });
                world.physicals.insert(name, Physical { by, memory: name, is_own: true });
            }
            Call::Release { physical } => drop(world.physicals.remove(&physical)),
            Call::Export { name, physical } => {
                world.names.insert(name);
                world.descriptors.insert(name, world.physicals[&physical].memory);
            }
            Call::Import { name, descriptor } => {
                world.names.insert(name);
                let memory = world.descriptors[&descriptor];
                world.physicals.insert(name, Physical { by, memory, is_own: false });
            }
            Call::CloseDescriptor { descriptor } => drop(world.descriptors.remove(&descriptor)),
            Call::Map { name, physical } => {
                world.names.insert(name);
                let memory = world.physicals[&physical].memory;
                world.views.insert(name, View { by, memory, kind: Kind::Mapping { access: NONE } });
            }
            Call::SetAccess { view, access } => {
                if let Some(view) = world.views.get_mut(&view) {
                    view.kind = Kind::Mapping { access };
                }
            }
            Call::Unmap { view } => drop(world.views.remove(&view)),
            Call::Retain { name, view } => {
                world.names.insert(name);
                let memory = world.views[&view].memory;
                world.physicals.insert(name, Physical { by, memory, is_own: false });
            }
            Call::Properties { .. } | Call::TryAccess { .. } | Call::Misuse(_) => {}
        }
    }

    fn perform(&self, before: &World, live: &mut Live) -> Outcome {
        let (role, device) = (live.role(self.by), before.processes[self.by].device);
        let size_of = |memory: Name| before.memory[&memory].size;
        match self.call {
            Call::Create { name, size } => {
                let properties = MemProperties::device(device).exportable(DESCRIPTOR);
                live.physicals.insert(name, role.mem_create(size, properties, 0)?);
            }
            Call::Release { physical } => role.mem_release(live.physical(physical)?)?,
            Call::Export { name, physical } => {
                let descriptor = role.mem_export_to_descriptor(live.physical(physical)?)?;
                live.descriptors.insert(name, role.send_descriptor(descriptor)?);
                role.close_descriptor(descriptor)?;
            }
            Call::Import { name, descriptor } => {
                let received = live.received(self.by, descriptor)?;
                let imported = role.mem_import_from_descriptor(received)?;
                // It stays the importer's, so that closing it works.
                role.close_descriptor(received)?;
                live.physicals.insert(name, imported);
            }
            Call::CloseDescriptor { descriptor } => drop(live.descriptors.remove(&descriptor)),
            Call::Map { name, physical } => {
                let size = size_of(before.physicals[&physical].memory);
                let address = role.mem_address_reserve(size, 0, Pointer::NULL, 0)?;
                role.mem_map(address, size, 0, live.physical(physical)?, 0)?;
                live.pointers.insert(name, address);
                check!(role.mem_get_access(address, device)? == NONE);
            }
            Call::SetAccess { view, access } => {
                let (address, size) = (live.pointer(view)?, size_of(before.views[&view].memory));
                role.mem_set_access(address, size, device, access)?;
                for offset in [0, size - 1] {
                    check!(role.mem_get_access(address.offset(offset), device)? == access);
                }
            }
            Call::Unmap { view } => {
                let (address, size) = (live.pointer(view)?, size_of(before.views[&view].memory));
                role.mem_unmap(address, size)?;
                role.read(address, 4).refused(&[])?;
                role.mem_address_free(address, size)?;
            }
            Call::Retain { name, view } => {
                live.physicals.insert(name, role.mem_retain_allocation_handle(live.pointer(view)?)?);
            }
            Call::Properties { physical } => {
                let found = role.mem_get_allocation_properties(live.physical(physical)?)?;
                let expected = MemProperties::device(before.memory[&before.physicals[&physical].memory].device(before));
                check!(
                    (found.allocation_type, found.location_type) == (expected.allocation_type, expected.location_type)
                );
                check!(found.location == expected.location);
            }
            Call::TryAccess { view } => {
                let address = live.pointer(view)?;
                if matches!(before.views[&view].kind, Kind::Mapping { access: NONE }) {
                    role.read(address, 4).refused(&[])?;
                }
                role.write(address, vec![1; 4]).refused(&[])?;
            }
            Call::Misuse(misuse) => misuse.perform(&role, live)?,
        }
        Ok(())
    }

    fn lines(&self, before: &World) -> String {
        let (by, device) = (self.by, before.processes[self.by].device);
        let size_of = |memory: Name| before.memory[&memory].size;
        match self.call {
            Call::Create { name, size } => format!(
                "let v{name} = p{by}.mem_create({size}, MemProperties::device({device}).exportable(DESCRIPTOR), 0)?;"
            ),
            Call::Release { physical } => format!("p{by}.mem_release(v{physical})?;"),
            Call::Export { name, physical } => format!(
                "let d{name} = p{by}.mem_export_to_descriptor(v{physical})?;\nlet sent{name} = \
                 p{by}.send_descriptor(d{name})?;\np{by}.close_descriptor(d{name})?;"
            ),
            Call::Import { name, descriptor } => format!(
                "let d{name} = p{by}.receive_descriptor(&sent{descriptor})?;\nlet v{name} = \
                 p{by}.mem_import_from_descriptor(d{name})?;\np{by}.close_descriptor(d{name})?;"
            ),
            Call::CloseDescriptor { descriptor } => format!("drop(sent{descriptor});"),
            Call::Map { name, physical } => {
                let size = size_of(before.physicals[&physical].memory);
                format!(
                    "let m{name} = p{by}.mem_address_reserve({size}, 0, Pointer::NULL, 0)?;\n\
                     p{by}.mem_map(m{name}, {size}, 0, v{physical}, 0)?;\n\
                     check!(p{by}.mem_get_access(m{name}, {device})? == {NONE});"
                )
            }
            Call::SetAccess { view, access } => {
                let size = size_of(before.views[&view].memory);
                format!(
                    "p{by}.mem_set_access(m{view}, {size}, {device}, {access})?;\n\
                     for offset in [0, {size} - 1] {{\n    check!(p{by}.mem_get_access(m{view}.offset(offset), {device})? \
                     == {access});\n}}"
                )
            }
            Call::Unmap { view } => {
                let size = size_of(before.views[&view].memory);
                format!(
                    "p{by}.mem_unmap(m{view}, {size})?;\np{by}.read(m{view}, 4).refused(&[])?;\n\
                     p{by}.mem_address_free(m{view}, {size})?;"
                )
            }
            Call::Retain { name, view } => format!("let v{name} = p{by}.mem_retain_allocation_handle(m{view})?;"),
            Call::Properties { physical } => {
                let location = before.memory[&before.physicals[&physical].memory].device(before);
                format!(
                    "let (found, expected) = (p{by}.mem_get_allocation_properties(v{physical})?, \
                     MemProperties::device({location}));\n\
                     check!((found.allocation_type, found.location_type) == (expected.allocation_type, \
                     expected.location_type));\ncheck!(found.location == expected.location);"
                )
            }
            Call::TryAccess { view } => {
                let reads = format!("p{by}.read(m{view}, 4).refused(&[])?;\n");
                let is_hidden = matches!(before.views[&view].kind, Kind::Mapping { access: NONE });
                format!(
                    "{}p{by}.write(m{view}, vec![1; 4]).refused(&[])?;",
                    if is_hidden { reads } else { String::new() }
                )
            }
            Call::Misuse(misuse) => misuse.lines(by),
        }
    }
}
