//! Calls that the driver refuses for imports as it does for other memory.

use conformance::{Expect as _, KIB, MemProperties, Outcome, Physical, Pointer, Role, Stop, check};
use rstest::rstest;

use crate::support::constants::{INVALID_VALUE, NONE, READ_WRITE};
use crate::support::fixtures::{exporter, importer};
use crate::support::virtual_memory::{
    NO_SUCH_DEVICE, REFUSED, SIZE, create_exportable, import, map, map_readable_and_writable, reserve,
};

/// Imports new memory.
fn import_new(exporter: &Role, importer: &Role) -> Result<Physical, Stop> {
    import(exporter, create_exportable(exporter)?, importer)
}

/// Imports new memory, maps it, and fills it with the pattern of seed 7.
fn map_filled(exporter: &Role, importer: &Role) -> Result<Pointer, Stop> {
    let address = map_readable_and_writable(importer, import_new(exporter, importer)?)?;
    importer.fill(address, SIZE, 7)?;
    Ok(address)
}

/// The driver refuses to map an import with flags other than 0.
#[rstest]
#[case::lowest(1)]
#[case::of_the_upper_half(1 << 32)]
#[conformance::test("VMM-MAP-010", needs(memory_descriptors))]
fn flags_are_refused(exporter: Role, importer: Role, #[case] flags: u64) -> Outcome {
    let (imported, address) = (import_new(&exporter, &importer)?, reserve(&importer, SIZE)?);
    importer.mem_map(address, SIZE, 0, imported, flags).refused(INVALID_VALUE)?;
    Ok(())
}

/// The code for mapping an import at a non-zero offset is recorded. If the driver accepts the offset, the mapping begins
/// there.
#[rstest]
#[conformance::test("VMM-MAP-002", needs(memory_descriptors))]
fn the_code_for_an_offset(exporter: Role, importer: Role) -> Outcome {
    let (imported, address) = (import_new(&exporter, &importer)?, reserve(&importer, SIZE)?);
    let granularity = importer.mem_get_allocation_granularity(MemProperties::device(0), 0)?;
    let whole = map_readable_and_writable(&importer, imported)?;
    importer.fill(whole, SIZE, 7)?;
    if importer.mem_map(address, granularity, granularity, imported, 0).recorded("map")?.is_some() {
        importer.mem_set_access(address, granularity, 0, READ_WRITE)?;
        check!(importer.read(address, KIB)? == importer.read(whole.offset(granularity), KIB)?);
    }
    importer.ctx_synchronize()
}

/// The driver refuses to map an import at an address, or in a size, that is not a multiple of the granularity.
#[rstest]
#[case::an_address(|granularity| granularity / 2, 0)]
#[case::a_size(|_| 0, 4 * KIB)]
#[conformance::test("VMM-MAP-006", needs(memory_descriptors))]
fn unaligned_mappings_are_refused(
    exporter: Role,
    importer: Role,
    #[case] offset: fn(u64) -> u64,
    #[case] missing: u64,
) -> Outcome {
    let granularity = importer.mem_get_allocation_granularity(MemProperties::device(0), 0)?;
    let (imported, address) = (import_new(&exporter, &importer)?, reserve(&importer, 2 * SIZE)?);
    importer.mem_map(address.offset(offset(granularity)), SIZE - missing, 0, imported, 0).refused(REFUSED)?;
    Ok(())
}

/// The driver refuses to map another import at the addresses of a mapped one, which stays intact.
#[rstest]
#[conformance::test("VMM-MAP-008", needs(memory_descriptors))]
fn mapped_addresses_are_refused(exporter: Role, importer: Role) -> Outcome {
    let address = map_filled(&exporter, &importer)?;
    let other = import_new(&exporter, &importer)?;
    importer.mem_map(address, SIZE, 0, other, 0).refused_and_recorded(&[])?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// The driver refuses to unmap a part of an import, which stays intact.
#[rstest]
#[case::first_half(0)]
#[case::second_half(SIZE / 2)]
#[conformance::test("VMM-MAP-012", needs(memory_descriptors))]
fn unmapping_a_part_is_refused(exporter: Role, importer: Role, #[case] offset: u64) -> Outcome {
    let address = map_filled(&exporter, &importer)?;
    importer.mem_unmap(address.offset(offset), SIZE / 2).refused(INVALID_VALUE)?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// The driver refuses to set access for a range that begins or ends with addresses that are only reserved, and leaves the
/// access to the import unchanged.
#[rstest]
#[case::at_the_start(1)]
#[case::at_the_end(0)]
#[conformance::test("VMM-MAP-023", needs(memory_descriptors))]
fn a_hole_is_refused(exporter: Role, importer: Role, #[case] mapped: u64) -> Outcome {
    let (imported, address) = (import_new(&exporter, &importer)?, reserve(&importer, 2 * SIZE)?);
    let mapping = address.offset(mapped * SIZE);
    importer.mem_map(mapping, SIZE, 0, imported, 0)?;
    importer.mem_set_access(address, 2 * SIZE, 0, READ_WRITE).refused(INVALID_VALUE)?;
    check!(importer.mem_get_access(mapping, 0)? == NONE);
    Ok(())
}

/// The driver refuses to give a nonexistent device access to an import.
#[rstest]
#[case::negative(|_| -1)]
#[case::far_beyond(|count| count + 1000)]
#[conformance::test("VMM-MAP-026", needs(memory_descriptors))]
fn nonexistent_devices_are_refused(exporter: Role, importer: Role, #[case] device: fn(i32) -> i32) -> Outcome {
    let address = map(&importer, import_new(&exporter, &importer)?)?;
    let device = device(importer.device_get_count()?);
    importer.mem_set_access(address, SIZE, device, READ_WRITE).refused_and_recorded(NO_SUCH_DEVICE)?;
    Ok(())
}

/// The driver refuses to free addresses at which an import is mapped, which stays intact.
#[rstest]
#[conformance::test("VMM-RES-010", needs(memory_descriptors))]
fn freeing_the_reservation_is_refused(exporter: Role, importer: Role) -> Outcome {
    let address = map_filled(&exporter, &importer)?;
    importer.mem_address_free(address, SIZE).refused_and_recorded(&[])?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// `cuMemFree` refuses the address of a mapped import, which stays intact.
#[rstest]
#[conformance::test("VMM-MAP-034", needs(memory_descriptors))]
fn mem_free_is_refused(exporter: Role, importer: Role) -> Outcome {
    let address = map_filled(&exporter, &importer)?;
    importer.mem_free(address).refused(&[])?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}
