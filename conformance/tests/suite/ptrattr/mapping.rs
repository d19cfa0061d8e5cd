//! Attributes of virtual memory.

use conformance::{AddressRange, Expect as _, MIB, MemProperties, Outcome, Pointer, Role, Stop, check};
use cuda_ipc_sys::CUpointer_attribute as Attribute;
use rstest::rstest;

use crate::support::constants::{DESCRIPTOR, NONE, READ, READ_WRITE};
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::virtual_memory::import;

const SIZE: u64 = 4 * MIB;
const MAPPED: u32 = Attribute::CU_POINTER_ATTRIBUTE_MAPPED.0;
const ACCESS: u32 = Attribute::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS.0;
const RANGE_START: u32 = Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR.0;
const RANGE_SIZE: u32 = Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE.0;
const MAPPING_SIZE: u32 = Attribute::CU_POINTER_ATTRIBUTE_MAPPING_SIZE.0;
const MAPPING_BASE: u32 = Attribute::CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR.0;
const HANDLE_TYPES: u32 = Attribute::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES.0;
const BLOCK: u32 = Attribute::CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID.0;

/// Imports memory of GPU 0 and maps it, without access.
fn map_import(exporter: &Role, importer: &Role) -> Result<Pointer, Stop> {
    let physical = exporter.mem_create(SIZE, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let imported = import(exporter, physical, importer)?;
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    importer.mem_map(address, SIZE, 0, imported, 0)?;
    Ok(address)
}

/// `RANGE_START_ADDR` and `RANGE_SIZE` describe the reservation. `MAPPING_BASE_ADDR` and `MAPPING_SIZE` describe the
/// mapping. `cuMemGetAddressRange` describes the mapped part.
#[rstest]
#[conformance::test("PTRATTR-004", "PTRATTR-005", needs(virtual_memory))]
fn the_range_is_the_reservation(importer: Role) -> Outcome {
    // The first and the last quarter are only reserved.
    let address = importer.mem_address_reserve(4 * SIZE, 0, Pointer::NULL, 0)?;
    for chunk in [1, 2] {
        let physical = importer.mem_create(SIZE, MemProperties::device(0), 0)?;
        importer.mem_map(address.offset(chunk * SIZE), SIZE, 0, physical, 0)?;
    }
    importer.mem_set_access(address.offset(SIZE), 2 * SIZE, 0, READ_WRITE)?;
    let second = address.offset(2 * SIZE);
    let inside = second.offset(5);
    check!(importer.pointer_get_wide_attribute(RANGE_START, inside)? == address.0);
    check!(importer.pointer_get_wide_attribute(RANGE_SIZE, inside)? == 4 * SIZE);
    check!(importer.pointer_get_wide_attribute(MAPPING_BASE, inside)? == second.0);
    check!(importer.pointer_get_wide_attribute(MAPPING_SIZE, inside)? == SIZE);
    let range = importer.mem_get_address_range(inside)?;
    check!(range.base.0 >= address.0 + SIZE && range.base.0 <= second.0, "{range:?} does not begin in the mapped part");
    check!(range.base.0 + range.size == address.0 + 3 * SIZE, "{range:?} does not end with what is mapped");
    Ok(())
}

/// `RANGE_START_ADDR` and `RANGE_SIZE` of a mapped import describe the reservation. `MAPPING_BASE_ADDR`, `MAPPING_SIZE`
/// and `cuMemGetAddressRange` describe the mapping.
#[rstest]
#[conformance::test("PTRATTR-004", "PTRATTR-005", needs(memory_descriptors))]
fn the_range_of_an_import_is_the_reservation(exporter: Role, importer: Role) -> Outcome {
    let physical = exporter.mem_create(SIZE, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let imported = import(&exporter, physical, &importer)?;
    // The first and the last third are only reserved.
    let address = importer.mem_address_reserve(3 * SIZE, 0, Pointer::NULL, 0)?;
    let mapping = AddressRange { base: address.offset(SIZE), size: SIZE };
    importer.mem_map(mapping.base, SIZE, 0, imported, 0)?;
    importer.mem_set_access(mapping.base, SIZE, 0, READ_WRITE)?;
    for pointer in [mapping.base, mapping.base.offset(SIZE - 1)] {
        check!(importer.pointer_get_wide_attribute(RANGE_START, pointer)? == address.0);
        check!(importer.pointer_get_wide_attribute(RANGE_SIZE, pointer)? == 3 * SIZE);
        check!(importer.pointer_get_wide_attribute(MAPPING_BASE, pointer)? == mapping.base.0);
        check!(importer.pointer_get_wide_attribute(MAPPING_SIZE, pointer)? == SIZE);
        check!(importer.mem_get_address_range(pointer)? == mapping);
    }
    Ok(())
}

/// `MAPPING_SIZE` of a mapping of a part of an allocation is the size of the mapping.
#[rstest]
#[conformance::test("PTRATTR-005", needs(virtual_memory))]
fn a_mapping_of_a_part_has_its_own_size(importer: Role) -> Outcome {
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    importer.mem_map(address, SIZE, 0, importer.mem_create(2 * SIZE, MemProperties::device(0), 0)?, 0)?;
    check!(importer.pointer_get_wide_attribute(MAPPING_SIZE, address)? == SIZE);
    Ok(())
}

/// Two mappings of one allocation have the same `MEMORY_BLOCK_ID`, and another allocation has a different one.
#[rstest]
#[conformance::test("PTRATTR-005", needs(virtual_memory))]
fn aliases_name_one_block(importer: Role) -> Outcome {
    let physical = importer.mem_create(SIZE, MemProperties::device(0), 0)?;
    let other = importer.mem_create(SIZE, MemProperties::device(0), 0)?;
    let block_of = |physical| {
        let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
        importer.mem_map(address, SIZE, 0, physical, 0)?;
        let block = importer.pointer_get_wide_attribute(BLOCK, address)?;
        check!(importer.pointer_get_wide_attribute(BLOCK, address.offset(SIZE - 1))? == block);
        Ok::<_, Stop>(block)
    };
    let block = block_of(physical)?;
    check!(block_of(physical)? == block);
    check!(block_of(other)? != block);
    Ok(())
}

/// Two mappings of one import have the same `MEMORY_BLOCK_ID`.
#[rstest]
#[conformance::test("PTRATTR-005", needs(memory_descriptors))]
fn aliases_of_an_import_name_one_block(exporter: Role, importer: Role) -> Outcome {
    let physical = exporter.mem_create(SIZE, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let imported = import(&exporter, physical, &importer)?;
    let block_of_new_mapping = || {
        let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
        importer.mem_map(address, SIZE, 0, imported, 0)?;
        importer.pointer_get_wide_attribute(BLOCK, address)
    };
    let block = block_of_new_mapping()?;
    check!(block_of_new_mapping()? == block);
    Ok(())
}

/// `ACCESS_FLAGS` of every address is the access that was set for the current context's device. It stays after the
/// handle is released.
#[rstest]
#[conformance::test("PTRATTR-011", needs(virtual_memory))]
fn access_flags_read_as_they_were_set(importer: Role) -> Outcome {
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    let physical = importer.mem_create(SIZE, MemProperties::device(0), 0)?;
    importer.mem_map(address, SIZE, 0, physical, 0)?;
    check!(importer.pointer_get_attribute(ACCESS, address)? == 0);
    for flags in [READ_WRITE, READ, NONE, READ] {
        importer.mem_set_access(address, SIZE, 0, flags)?;
        check!(importer.pointer_get_attribute(ACCESS, address)? == flags);
        check!(importer.pointer_get_attribute(ACCESS, address.offset(SIZE - 1))? == flags);
    }
    importer.mem_release(physical)?;
    check!(importer.pointer_get_attribute(ACCESS, address)? == READ);
    Ok(())
}

/// `ACCESS_FLAGS` of every address of an import is the access that was set for the current context's device.
#[rstest]
#[conformance::test("PTRATTR-011", needs(memory_descriptors))]
fn access_flags_of_an_import_read_as_they_were_set(exporter: Role, importer: Role) -> Outcome {
    let address = map_import(&exporter, &importer)?;
    check!(importer.pointer_get_attribute(ACCESS, address)? == NONE);
    for flags in [READ_WRITE, READ, NONE, READ] {
        importer.mem_set_access(address, SIZE, 0, flags)?;
        for pointer in [address, address.offset(SIZE - 1)] {
            check!(importer.pointer_get_attribute(ACCESS, pointer)? == flags);
        }
    }
    Ok(())
}

/// `ACCESS_FLAGS` of an import is the access of the current context's device, whatever the memory's own device has.
#[rstest]
#[conformance::test("PTRATTR-011", needs(gpus = 2, peer_access, memory_descriptors))]
fn access_flags_of_an_import_are_those_of_the_current_device(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let address = map_import(&exporter, &importer)?;
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    check!(importer.pointer_get_attribute(ACCESS, address)? == NONE);
    importer.mem_set_access(address, SIZE, 1, READ)?;
    check!(importer.pointer_get_attribute(ACCESS, address)? == READ);
    Ok(())
}

/// `ACCESS_FLAGS` is the access of the current context's device, whatever other devices have.
#[rstest]
#[conformance::test("PTRATTR-011", needs(gpus = 2, peer_access, virtual_memory))]
fn access_flags_are_those_of_the_current_device(observer: Role) -> Outcome {
    let (own, peer) = (observer.ctx_get_current()?, observer.device_primary_ctx_retain_of(1)?);
    let address = observer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    observer.mem_map(address, SIZE, 0, observer.mem_create(SIZE, MemProperties::device(0), 0)?, 0)?;
    observer.mem_set_access(address, SIZE, 1, READ_WRITE)?;
    check!(observer.pointer_get_attribute(ACCESS, address)? == NONE);
    observer.mem_set_access(address, SIZE, 0, READ)?;
    check!(observer.pointer_get_attribute(ACCESS, address)? == READ);
    observer.ctx_set_current(Some(peer))?;
    check!(observer.pointer_get_attribute(ACCESS, address)? == READ_WRITE);
    observer.mem_set_access(address, SIZE, 1, NONE)?;
    check!(observer.pointer_get_attribute(ACCESS, address)? == NONE);
    observer.ctx_set_current(Some(own))
}

/// `MAPPED` is 1 for every address of a mapping. `cuPointerGetAttributes` returns the same.
#[rstest]
#[conformance::test("PTRATTR-012", needs(virtual_memory))]
fn a_mapped_address_is_mapped(importer: Role) -> Outcome {
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    importer.mem_map(address, SIZE, 0, importer.mem_create(SIZE, MemProperties::device(0), 0)?, 0)?;
    for pointer in [address, address.offset(SIZE - 1)] {
        check!(importer.pointer_get_attribute(MAPPED, pointer)? == 1);
        // The width of a boolean is not documented.
        check!(importer.pointer_get_attributes(vec![MAPPED], pointer)?[0] & 0xFF == 1);
    }
    Ok(())
}

/// `MAPPED` is 1 for every address of a mapped import.
#[rstest]
#[conformance::test("PTRATTR-012", needs(memory_descriptors))]
fn a_mapped_import_is_mapped(exporter: Role, importer: Role) -> Outcome {
    let address = map_import(&exporter, &importer)?;
    for pointer in [address, address.offset(SIZE - 1)] {
        check!(importer.pointer_get_attribute(MAPPED, pointer)? == 1);
        // The width of a boolean is not documented.
        check!(importer.pointer_get_attributes(vec![MAPPED], pointer)?[0] & 0xFF == 1);
    }
    Ok(())
}

/// At an unmapped address, a query of `MAPPED` or `ALLOWED_HANDLE_TYPES` returns 0 or fails. The codes are recorded.
#[rstest]
#[conformance::test("PTRATTR-012", needs(memory_descriptors))]
fn an_unmapped_address_names_no_mapping(importer: Role) -> Outcome {
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    let physical = importer.mem_create(SIZE, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    importer.mem_map(address, SIZE, 0, physical, 0)?;
    importer.mem_unmap(address, SIZE)?;
    if let Some(mapped) = importer.pointer_get_attribute(MAPPED, address).recorded("MAPPED")? {
        check!(mapped == 0);
    }
    let types = importer.pointer_get_wide_attribute(HANDLE_TYPES, address).recorded("ALLOWED_HANDLE_TYPES")?;
    if let Some(types) = types {
        check!(types == 0);
    }
    Ok(())
}

/// `MAPPED` is 0 at a reserved address before memory is mapped there, and after it is unmapped.
#[rstest]
#[conformance::test("PTRATTR-012", needs(virtual_memory))]
fn a_reserved_address_is_not_mapped(importer: Role) -> Outcome {
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    check!(importer.pointer_get_attribute(MAPPED, address)? == 0);
    importer.mem_map(address, SIZE, 0, importer.mem_create(SIZE, MemProperties::device(0), 0)?, 0)?;
    importer.mem_unmap(address, SIZE)?;
    check!(importer.pointer_get_attribute(MAPPED, address)? == 0);
    Ok(())
}
