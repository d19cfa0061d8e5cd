//! Attributes of virtual memory.

use conformance::{MIB, MemProperties, Outcome, Pointer, Role, check};
use cuda_ipc_sys::{CUmemAccess_flags, CUpointer_attribute as Attribute};
use rstest::rstest;

use crate::support::fixtures::importer;

const SIZE: u64 = 4 * MIB;
const MAPPED: u32 = Attribute::CU_POINTER_ATTRIBUTE_MAPPED.0;
const ACCESS: u32 = Attribute::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS.0;
const RANGE_START: u32 = Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR.0;
const RANGE_SIZE: u32 = Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE.0;
const MAPPING_SIZE: u32 = Attribute::CU_POINTER_ATTRIBUTE_MAPPING_SIZE.0;
const MAPPING_BASE: u32 = Attribute::CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR.0;
const BLOCK: u32 = Attribute::CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID.0;

/// `RANGE_START_ADDR` and `RANGE_SIZE` describe the reservation. `cuMemGetAddressRange`, `MAPPING_BASE_ADDR` and
/// `MAPPING_SIZE` describe the mapping.
#[rstest]
#[conformance::test("PTRATTR-004", "PTRATTR-005", "RANGE-003", needs(virtual_memory))]
fn the_range_is_the_reservation(importer: Role) -> Outcome {
    let address = importer.mem_address_reserve(2 * SIZE, 0, Pointer::NULL, 0)?;
    for chunk in [0, 1] {
        let physical = importer.mem_create(SIZE, MemProperties::device(0), 0)?;
        importer.mem_map(address.offset(chunk * SIZE), SIZE, 0, physical, 0)?;
    }
    importer.mem_set_access(address, 2 * SIZE, 0, CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE.0)?;
    let inside = address.offset(SIZE + 5);
    check!(importer.pointer_get_wide_attribute(RANGE_START, inside)? == address.0);
    check!(importer.pointer_get_wide_attribute(RANGE_SIZE, inside)? == 2 * SIZE);
    let second = address.offset(SIZE);
    check!(importer.pointer_get_wide_attribute(MAPPING_BASE, inside)? == second.0);
    check!(importer.pointer_get_wide_attribute(MAPPING_SIZE, inside)? == SIZE);
    let mapping = importer.mem_get_address_range(inside)?;
    check!(mapping.base == second);
    check!(mapping.size == SIZE);
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
        importer.pointer_get_wide_attribute(BLOCK, address)
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
    type Flags = CUmemAccess_flags;
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    importer.mem_map(address, SIZE, 0, importer.mem_create(SIZE, MemProperties::device(0), 0)?, 0)?;
    check!(importer.pointer_get_attribute(ACCESS, address)? == 0);
    for flags in [
        Flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        Flags::CU_MEM_ACCESS_FLAGS_PROT_READ,
        Flags::CU_MEM_ACCESS_FLAGS_PROT_NONE,
    ] {
        importer.mem_set_access(address, SIZE, 0, flags.0)?;
        check!(importer.pointer_get_attribute(ACCESS, address)? == flags.0);
    }
    Ok(())
}

/// `MAPPED` is 1 while memory is mapped at a reserved address, and 0 before and afterwards.
#[rstest]
#[conformance::test("PTRATTR-012", needs(virtual_memory))]
fn a_reserved_address_is_not_mapped(importer: Role) -> Outcome {
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    check!(importer.pointer_get_attribute(MAPPED, address)? == 0);
    importer.mem_map(address, SIZE, 0, importer.mem_create(SIZE, MemProperties::device(0), 0)?, 0)?;
    check!(importer.pointer_get_attribute(MAPPED, address)? == 1);
    importer.mem_unmap(address, SIZE)?;
    check!(importer.pointer_get_attribute(MAPPED, address)? == 0);
    Ok(())
}
