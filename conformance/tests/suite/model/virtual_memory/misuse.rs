//! Calls on virtual memory that the driver must refuse, and that must change nothing.

use conformance::{Descriptor, Expect as _, KIB, MIB, Outcome, Physical, Pointer, Role, check};

use super::super::misuse::{Alone, Of, alone, of};
use super::super::operation::Live;
use super::super::prelude::{WIN32, WIN32_KMT};
use super::super::world::{Kind, Name, World};
use crate::support::constants::{DESCRIPTOR, DEVICE, FABRIC, HOST, HOST_NUMA_CURRENT, INVALID_VALUE, NONE, READ_WRITE};
use crate::support::foreign::Foreign;
use crate::support::virtual_memory::{
    NO_SUCH_DEVICE, REFUSED, SIZE, create, create_exportable, map, map_readable_and_writable, reserve,
};

/// What a process does on its own. `p` is the process.
static ALONE: &[Alone] = alone! {
    "VMM-CREATE-002": |p| p.mem_create(2 * MIB - 1, DEVICE, 0).refused(INVALID_VALUE);
    "VMM-CREATE-002": |p| p.mem_create(2 * MIB + 4 * KIB, DEVICE, 0).refused(INVALID_VALUE);
    "VMM-CREATE-002": |p| p.mem_create(3 * MIB, DEVICE, 0).refused(INVALID_VALUE);
    "VMM-CREATE-003": |p| p.mem_create(0, DEVICE, 0).refused(INVALID_VALUE);
    "VMM-CREATE-006": |p| p.mem_create(SIZE, DEVICE.at(DEVICE.location_type, -1), 0).refused(NO_SUCH_DEVICE);
    "VMM-CREATE-006": |p| {
        p.mem_create(SIZE, DEVICE.at(DEVICE.location_type, p.device_get_count()?), 0).refused(NO_SUCH_DEVICE)
    };
    "VMM-CREATE-006": |p| p.mem_create(SIZE, DEVICE.at(DEVICE.location_type, 1000), 0).refused(NO_SUCH_DEVICE);
    "VMM-CREATE-007": |p| p.mem_create(SIZE, DEVICE, 1).refused(INVALID_VALUE);
    "VMM-CREATE-007": |p| p.mem_create(SIZE, DEVICE, 2).refused(INVALID_VALUE);
    "VMM-CREATE-007": |p| p.mem_create(SIZE, DEVICE, 1 << 32).refused(INVALID_VALUE);
    "VMM-CREATE-009": |p| p.mem_create(SIZE, DEVICE.exportable(WIN32), 0).refused(&[]);
    "VMM-CREATE-009": |p| p.mem_create(SIZE, DEVICE.exportable(WIN32_KMT), 0).refused(&[]);
    "VMM-CREATE-009": |p| p.mem_create(SIZE, DEVICE.exportable(WIN32 | DESCRIPTOR), 0).refused(&[]);
    "VMM-CREATE-013": |p| p.mem_create(SIZE, DEVICE.at(HOST, 0).exportable(DESCRIPTOR), 0).refused(INVALID_VALUE);
    "VMM-CREATE-015": |p| p.mem_create(SIZE, DEVICE.at(HOST_NUMA_CURRENT, 0), 0).refused(INVALID_VALUE);
    "VMM-CREATE-019": |p| {
        let context = p.ctx_get_current()?;
        p.ctx_set_current(None)?;
        let created = create(p).map(drop);
        p.ctx_set_current(Some(context))?;
        created
    };
    "VMM-CREATE-020": |p| {
        for (device, handle_types) in [(0, 0), (0, DESCRIPTOR), (p.device_get_count()? - 1, DESCRIPTOR)] {
            let properties = conformance::MemProperties::device(device).exportable(handle_types);
            let minimum = p.mem_get_allocation_granularity(properties, 0)?;
            let recommended = p.mem_get_allocation_granularity(properties, 1)?;
            check!(minimum.is_power_of_two() && recommended.is_power_of_two() && recommended >= minimum);
        }
        Ok(())
    };
    "VMM-CREATE-001": |p| {
        let size = 3 * p.mem_get_allocation_granularity(DEVICE, 0)?;
        let (physical, address) = (p.mem_create(size, DEVICE, 0)?, reserve(p, size)?);
        p.mem_map(address, size, 0, physical, 0)?;
        p.mem_set_access(address, size, 0, READ_WRITE)?;
        p.fill_by_copy(address.offset(size - 4), 4, 7)?;
        check!(p.mismatches_by_copy(address.offset(size - 4), 4, 7)? == 0);
        Ok(())
    };
    "VMM-EXP-003": |p| p.mem_export_as(create(p)?, DESCRIPTOR, 0).refused(INVALID_VALUE);
    "VMM-IMP-002": |p| p.mem_import_from_descriptor(Descriptor(-1)).refused(&[]);
    "VMM-IMP-002": |p| p.mem_import_from_descriptor(Foreign::DevNull.make(p)?).refused(&[]);
    "VMM-IMP-002": |p| p.mem_import_from_descriptor(Foreign::SharedMemory.make(p)?).refused(&[]);
    "VMM-IMP-002": |p| p.mem_import_from_descriptor(Foreign::Socket.make(p)?).refused(&[]);
    "VMM-IMP-002": |p| {
        let descriptor = p.mem_export_to_descriptor(create_exportable(p)?)?;
        p.mem_import_from_address_of_descriptor(descriptor).refused(&[])
    };
    "VMM-MAP-007": |p| p.mem_map(Pointer::NULL, SIZE, 0, create(p)?, 0).refused(INVALID_VALUE);
    "VMM-MAP-007": |p| {
        let address = reserve(p, SIZE)?;
        p.mem_address_free(address, SIZE)?;
        p.mem_map(address, SIZE, 0, create(p)?, 0).refused(INVALID_VALUE)
    };
    "VMM-MAP-007" unless "vmm::map::addresses_beyond_the_reservation_are_refused": |p| {
        p.mem_map(reserve(p, SIZE)?.offset(2 * MIB), SIZE, 0, create(p)?, 0).refused(INVALID_VALUE)
    };
    "VMM-MAP-006": |p| p.mem_map(reserve(p, 2 * SIZE)?.offset(1), SIZE, 0, create(p)?, 0).refused(REFUSED);
    "VMM-MAP-006": |p| p.mem_map(reserve(p, 2 * SIZE)?.offset(4 * KIB), SIZE, 0, create(p)?, 0).refused(REFUSED);
    "VMM-MAP-006": |p| p.mem_map(reserve(p, 2 * SIZE)?.offset(MIB), SIZE, 0, create(p)?, 0).refused(REFUSED);
    "VMM-MAP-006": |p| p.mem_map(reserve(p, SIZE)?, SIZE - 1, 0, create(p)?, 0).refused(REFUSED);
    "VMM-MAP-006": |p| p.mem_map(reserve(p, SIZE)?, SIZE - 4 * KIB, 0, create(p)?, 0).refused(REFUSED);
    "VMM-MAP-003": |p| p.mem_map(reserve(p, 2 * SIZE)?, SIZE + 2 * MIB, 0, create(p)?, 0).refused(REFUSED);
    "VMM-MAP-010": |p| p.mem_map(reserve(p, SIZE)?, SIZE, 0, create(p)?, 1).refused(INVALID_VALUE);
    "VMM-MAP-010": |p| p.mem_map(reserve(p, SIZE)?, SIZE, 0, create(p)?, 2).refused(INVALID_VALUE);
    "VMM-MAP-010": |p| p.mem_map(reserve(p, SIZE)?, SIZE, 0, create(p)?, 1 << 32).refused(INVALID_VALUE);
    "VMM-RES-003": |p| reserve(p, 2 * MIB - 1).refused(&[]);
    "VMM-RES-003": |p| reserve(p, 2 * MIB + 1).refused(&[]);
    "VMM-RES-003": |p| reserve(p, 2 * MIB + 2 * KIB).refused(&[]);
    "VMM-RES-004": |p| p.mem_address_reserve(SIZE, 3, Pointer::NULL, 0).refused(&[]);
    "VMM-RES-004": |p| p.mem_address_reserve(SIZE, 6 * MIB, Pointer::NULL, 0).refused(&[]);
    "VMM-RES-005": |p| {
        let address = p.mem_address_reserve(SIZE, 16 * MIB, Pointer::NULL, 0)?;
        check!(address.0 % (16 * MIB) == 0);
        p.mem_address_free(address, SIZE)
    };
    "VMM-RES-008": |p| p.mem_address_reserve(SIZE, 0, Pointer::NULL, 1).refused(INVALID_VALUE);
    "VMM-RES-008": |p| p.mem_address_reserve(SIZE, 0, Pointer::NULL, 1 << 32).refused(INVALID_VALUE);
    "VMM-RES-009": |p| {
        let address = reserve(p, SIZE)?;
        for (offset, size) in [(4 * MIB, SIZE), (0, SIZE / 2), (SIZE / 2, SIZE / 2), (0, 2 * SIZE), (0, 0)] {
            p.mem_address_free(address.offset(offset), size).refused(INVALID_VALUE)?;
        }
        p.mem_address_free(address, SIZE)
    };
    "VMM-RES-009": |p| {
        let address = reserve(p, SIZE)?;
        p.mem_address_free(Pointer::NULL, SIZE).refused(INVALID_VALUE)?;
        p.mem_address_free(address, SIZE)
    };
    "VMM-RES-010": |p| {
        let reserved = reserve(p, 2 * SIZE)?;
        let address = reserved.offset(SIZE);
        p.mem_map(address, SIZE, 0, create(p)?, 0)?;
        p.mem_address_free(reserved, 2 * SIZE).refused(&[])?;
        p.mem_set_access(address, SIZE, 0, READ_WRITE)?;
        p.fill(address, 4 * KIB, 7)?;
        check!(p.mismatches(address, 4 * KIB, 7)? == 0);
        p.mem_unmap(address, SIZE)?;
        p.mem_address_free(reserved, 2 * SIZE)
    };
    "VMM-MAP-033": |p| {
        let reserved = reserve(p, 2 * SIZE)?;
        for offset in [0, SIZE] {
            p.mem_map(reserved.offset(offset), SIZE, 0, create(p)?, 0)?;
        }
        p.mem_set_access(reserved, 2 * SIZE, 0, READ_WRITE)?;
        let border = reserved.offset(SIZE - 4 * KIB);
        p.fill_by_copy(border, 8 * KIB, 9)?;
        check!(p.mismatches_by_copy(border, 8 * KIB, 9)? == 0);
        check!(p.mismatches(border, 8 * KIB, 9)? == 0);
        p.mem_unmap(reserved, 2 * SIZE)?;
        p.read(reserved.offset(SIZE), 4).refused(&[])?;
        p.mem_address_free(reserved, 2 * SIZE)
    };
    "VMM-MAP-009": |p| {
        let physical = create(p)?;
        let [one, other] = [map_readable_and_writable(p, physical)?, map_readable_and_writable(p, physical)?];
        p.fill(one, 64 * KIB, 11)?;
        check!(p.mismatches(other, 64 * KIB, 11)? == 0);
        p.mem_unmap(one, SIZE)?;
        check!(p.mismatches(other, 64 * KIB, 11)? == 0);
        Ok(())
    };
    "VMM-MAP-015": |p| {
        let (one, other) = (create(p)?, create(p)?);
        let address = map_readable_and_writable(p, one)?;
        p.fill(address, 4 * KIB, 3)?;
        p.mem_unmap(address, SIZE)?;
        p.mem_map(address, SIZE, 0, other, 0)?;
        p.read(address, 4).refused(&[])?;
        check!(p.mem_get_access(address, 0)? == NONE);
        p.mem_set_access(address, SIZE, 0, READ_WRITE)?;
        p.fill(address, 4 * KIB, 4)?;
        let again = map_readable_and_writable(p, one)?;
        check!(p.mismatches(again, 4 * KIB, 3)? == 0);
        Ok(())
    };
    "VMM-IMP-030": |p| p.mem_retain_allocation_handle(Pointer::NULL).refused(INVALID_VALUE);
    "VMM-IMP-030": |p| p.mem_retain_allocation_handle(reserve(p, SIZE)?).refused(INVALID_VALUE);
    "VMM-IMP-030": |p| {
        let physical = create(p)?;
        let address = map(p, physical)?;
        check!(p.mem_retain_allocation_handle(address.offset(SIZE - 1))? == physical);
        Ok(())
    };
};

/// What a process does with a mapping of the script that it may read and write. `it` is its address.
static OF_MAPPINGS: &[Of<Pointer>] = of! {
    Pointer;
    "VMM-MAP-008": |p, it| p.mem_map(it, 2 * MIB, 0, p.mem_create(2 * MIB, DEVICE, 0)?, 0).refused(&[]);
    "VMM-MAP-032": |p, it| p.mem_free(it).refused(&[]);
    "VMM-MAP-012": |p, it| p.mem_unmap(it, MIB).refused(INVALID_VALUE);
    "VMM-MAP-012": |p, it| p.mem_unmap(it.offset(MIB), MIB).refused(INVALID_VALUE);
    "VMM-MAP-023": |p, it| p.mem_set_access(it, 2 * MIB, -1, READ_WRITE).refused(NO_SUCH_DEVICE);
    "VMM-MAP-023": |p, it| p.mem_set_access(it, 2 * MIB, p.device_get_count()?, READ_WRITE).refused(NO_SUCH_DEVICE);
    "VMM-RES-010": |p, it| p.mem_address_free(it, 2 * MIB).refused(&[]);
};

/// What a process does with physical memory of the script. `it` is its handle.
static OF_PHYSICAL: &[Of<Physical>] = of! {
    Physical;
    "VMM-EXP-005": |p, it| p.mem_export_as(it, DESCRIPTOR, 1).refused(INVALID_VALUE);
    "VMM-EXP-005": |p, it| p.mem_export_as(it, DESCRIPTOR, 1 << 32).refused(INVALID_VALUE);
    "VMM-EXP-005": |p, it| p.mem_export_as(it, 0, 0).refused(INVALID_VALUE);
    "VMM-EXP-005": |p, it| p.mem_export_as(it, DESCRIPTOR | FABRIC, 0).refused(INVALID_VALUE);
    "VMM-EXP-005": |p, it| p.mem_export_as(it, 0x4000, 0).refused(INVALID_VALUE);
    "VMM-EXP-003": |p, it| p.mem_export_as(it, FABRIC, 0).refused(INVALID_VALUE);
    "VMM-IMP-012": |p, it| p.mem_map(reserve(p, 6 * MIB)?, 6 * MIB, 0, it, 0).refused(REFUSED);
    "VMM-EXP-007": |p, it| {
        let [one, other] = [p.mem_export_to_descriptor(it)?, p.mem_export_to_descriptor(it)?];
        check!(one != other);
        p.close_descriptor(one)?;
        let imported = p.mem_import_from_descriptor(other)?;
        p.close_descriptor(other)?;
        p.mem_release(imported)
    };
};

/// A call that must be refused: a place in one of the tables.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Misuse {
    Alone(usize),
    OfMapping(usize, Name),
    OfPhysical(usize, Name),
}

impl Misuse {
    /// Every misuse that is possible, with the process that may commit it.
    pub(crate) fn possible(world: &World) -> Vec<(usize, Self)> {
        let alone =
            (0..world.processes.len()).flat_map(|by| (0..ALONE.len()).map(move |place| (by, Self::Alone(place))));
        // As many of these as of the others together, though there are few mappings.
        let times = |count: usize| ALONE.len() / (2 * count).max(1);
        let of_mapping = world.views.iter().flat_map(|(name, view)| {
            (0..times(1)).map(move |turn| (view.by, Self::OfMapping(turn % OF_MAPPINGS.len(), *name)))
        });
        let of_physical = world.physicals.iter().flat_map(|(name, of)| {
            (0..times(1)).map(move |turn| (of.by, Self::OfPhysical(turn % OF_PHYSICAL.len(), *name)))
        });
        alone.chain(of_mapping).chain(of_physical).collect()
    }

    pub(crate) fn row(self, _: &World) -> &'static str {
        match self {
            Self::Alone(place) => ALONE[place].row,
            Self::OfMapping(place, _) => OF_MAPPINGS[place].row,
            Self::OfPhysical(place, _) => OF_PHYSICAL[place].row,
        }
    }

    pub(crate) fn is_possible(self, by: usize, before: &World) -> bool {
        match self {
            // Their memory is that of GPU 0.
            Self::Alone(place) => before.processes[by].device == 0 && ALONE[place].is_asked(),
            Self::OfMapping(_, view) => {
                let view = before.views.get(&view).filter(|view| view.by == by);
                view.is_some_and(|view| view.kind == Kind::Mapping { access: READ_WRITE })
            }
            // Only what was created for descriptors is exported. What a row says of imports is tried with imports.
            Self::OfPhysical(place, physical) => {
                let is_of_imports = OF_PHYSICAL[place].row.starts_with("VMM-IMP-");
                let physical = before.physicals.get(&physical).filter(|physical| physical.by == by);
                physical.is_some_and(|physical| physical.is_own != is_of_imports)
            }
        }
    }

    pub(crate) fn perform(self, role: &Role, live: &Live) -> Outcome {
        match self {
            Self::Alone(place) => (ALONE[place].run)(role),
            Self::OfMapping(place, view) => (OF_MAPPINGS[place].run)(role, live.pointer(view)?),
            Self::OfPhysical(place, physical) => (OF_PHYSICAL[place].run)(role, live.physical(physical)?),
        }
    }

    pub(crate) fn lines(self, by: usize) -> String {
        match self {
            Self::Alone(place) => ALONE[place].lines(by),
            Self::OfMapping(place, view) => OF_MAPPINGS[place].lines(by, &format!("m{view}")),
            Self::OfPhysical(place, physical) => OF_PHYSICAL[place].lines(by, &format!("v{physical}")),
        }
    }
}
