//! Attributes of virtual memory.

use conformance::{MIB, MemProperties, Outcome, Pointer, Role, Stop, check};
use cuda_ipc_sys::CUpointer_attribute as Attribute;
use rstest::rstest;

use crate::support::constants::{NONE, READ, READ_WRITE};
use crate::support::fixtures::{importer, observer};

const SIZE: u64 = 4 * MIB;
const MAPPED: u32 = Attribute::CU_POINTER_ATTRIBUTE_MAPPED.0;
const ACCESS: u32 = Attribute::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS.0;
const RANGE_START: u32 = Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR.0;
const RANGE_SIZE: u32 = Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE.0;
const MAPPING_SIZE: u32 = Attribute::CU_POINTER_ATTRIBUTE_MAPPING_SIZE.0;
const MAPPING_BASE: u32 = Attribute::CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR.0;
const BLOCK: u32 = Attribute::CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID.0;

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

/// `ACCESS_FLAGS` is the access that was set for the current context's device.
#[rstest]
#[conformance::test("PTRATTR-011", needs(virtual_memory))]
fn access_flags_read_as_they_were_set(importer: Role) -> Outcome {
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    importer.mem_map(address, SIZE, 0, importer.mem_create(SIZE, MemProperties::device(0), 0)?, 0)?;
    check!(importer.pointer_get_attribute(ACCESS, address)? == 0);
    for flags in [READ_WRITE, READ, NONE] {
        importer.mem_set_access(address, SIZE, 0, flags)?;
        check!(importer.pointer_get_attribute(ACCESS, address)? == flags);
    }
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
    observer.ctx_set_current(Some(own))
}

/// `MAPPED` is 1 for every address of a mapping.
#[rstest]
#[conformance::test("PTRATTR-012", needs(virtual_memory))]
fn a_mapped_address_is_mapped(importer: Role) -> Outcome {
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    importer.mem_map(address, SIZE, 0, importer.mem_create(SIZE, MemProperties::device(0), 0)?, 0)?;
    check!(importer.pointer_get_attribute(MAPPED, address)? == 1);
    check!(importer.pointer_get_attribute(MAPPED, address.offset(SIZE - 1))? == 1);
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
