//! `cuMemMap` and `cuMemUnmap`.

use conformance::{Expect as _, KIB, MIB, MemProperties, Outcome, Pointer, Role, check, seed};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use crate::support::fixtures::importer;
use crate::support::virtual_memory::{
    INVALID_VALUE, READ_WRITE, REFUSED, SIZE, create, create_exportable, map, map_readable_and_writable, reserve,
};

/// Memory that is reserved, created, mapped and made accessible is usable up to its last byte.
#[rstest]
#[conformance::test("VMM-MAP-001", "VMM-MAP-003", needs(virtual_memory))]
fn mapped_memory_is_usable(importer: Role) -> Outcome {
    let pattern = seed();
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(address, SIZE, pattern)?;
    check!(importer.mismatches(address, SIZE, pattern)? == 0);
    Ok(())
}

/// The code for a non-zero offset is recorded: the documentation describes the offset, but then requires zero.
#[rstest]
#[conformance::test("VMM-MAP-002", needs(virtual_memory))]
fn the_code_for_an_offset(importer: Role) -> Outcome {
    let (physical, address) = (create(&importer)?, reserve(&importer, SIZE)?);
    let granularity = importer.mem_get_allocation_granularity(MemProperties::device(0), 0)?;
    importer.mem_map(address, granularity, granularity, physical, 0).recorded("map")?;
    importer.ctx_synchronize()
}

/// The driver refuses to map more than the allocation has.
#[rstest]
#[conformance::test("VMM-MAP-004", needs(virtual_memory))]
fn sizes_beyond_the_allocation_are_refused(importer: Role) -> Outcome {
    let (physical, address) = (create(&importer)?, reserve(&importer, 2 * SIZE)?);
    importer.mem_map(address, 2 * SIZE, 0, physical, 0).refused(REFUSED)?;
    Ok(())
}

/// The driver maps a part of an allocation.
#[rstest]
#[conformance::test("VMM-MAP-005", needs(virtual_memory))]
fn a_part_may_be_mapped(importer: Role) -> Outcome {
    let (physical, address, half) = (create(&importer)?, reserve(&importer, SIZE)?, SIZE / 2);
    importer.mem_map(address, half, 0, physical, 0)?;
    importer.mem_set_access(address, half, 0, READ_WRITE)?;
    importer.fill(address, half, 7)?;
    check!(importer.mismatches(address, half, 7)? == 0);
    importer.read(address.offset(half), 4).refused(&[])?;
    Ok(())
}

/// The driver refuses an address or a size that is not a multiple of the granularity.
#[rstest]
#[case::address(4 * KIB, 4 * MIB)]
#[case::size(0, 4 * MIB + 4 * KIB)]
#[conformance::test("VMM-MAP-006", needs(virtual_memory))]
fn unaligned_addresses_and_sizes_are_refused(importer: Role, #[case] offset: u64, #[case] size: u64) -> Outcome {
    let (physical, address) = (create(&importer)?, reserve(&importer, SIZE)?);
    importer.mem_map(address.offset(offset), size, 0, physical, 0).refused(REFUSED)?;
    Ok(())
}

/// The driver refuses to map at a null address.
#[rstest]
#[conformance::test("VMM-MAP-007", needs(virtual_memory))]
fn a_null_address_is_refused(importer: Role) -> Outcome {
    importer.mem_map(Pointer::NULL, SIZE, 0, create(&importer)?, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses to map at addresses of other memory and at addresses whose reservation was freed.
#[rstest]
#[case::linear(true)]
#[case::freed(false)]
#[conformance::test("VMM-MAP-007", needs(virtual_memory))]
fn unreserved_addresses_are_refused(importer: Role, #[case] linear: bool) -> Outcome {
    let physical = create(&importer)?;
    let address = if linear {
        importer.mem_alloc(SIZE)?
    } else {
        let address = reserve(&importer, SIZE)?;
        importer.mem_address_free(address, SIZE)?;
        address
    };
    importer.mem_map(address, SIZE, 0, physical, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses a second mapping at the same addresses, and the first one stays intact.
#[rstest]
#[conformance::test("VMM-MAP-008", needs(virtual_memory))]
fn mapped_addresses_are_refused(importer: Role) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_map(address, SIZE, 0, create(&importer)?, 0).refused(&[])?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// An allocation that is mapped at two addresses shows the same data at both.
#[rstest]
#[conformance::test("VMM-MAP-009", needs(virtual_memory))]
fn two_addresses_show_the_same_memory(importer: Role) -> Outcome {
    let physical = create(&importer)?;
    let one = map_readable_and_writable(&importer, physical)?;
    let other = map_readable_and_writable(&importer, physical)?;
    check!(one != other);
    importer.fill(one, SIZE, 7)?;
    check!(importer.mismatches(other, SIZE, 7)? == 0);
    importer.fill(other, SIZE, 8)?;
    check!(importer.mismatches(one, SIZE, 8)? == 0);
    Ok(())
}

/// The driver refuses flags other than 0.
#[rstest]
#[conformance::test("VMM-MAP-010", needs(virtual_memory))]
fn flags_are_refused(importer: Role) -> Outcome {
    let (physical, address) = (create(&importer)?, reserve(&importer, SIZE)?);
    importer.mem_map(address, SIZE, 0, physical, 1).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses to unmap a part of a mapping, and the mapping stays intact.
#[rstest]
#[case::first_half(0)]
#[case::second_half(SIZE / 2)]
#[conformance::test("VMM-MAP-012", needs(virtual_memory))]
fn unmapping_a_part_is_refused(importer: Role, #[case] offset: u64) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_unmap(address.offset(offset), SIZE / 2).refused(INVALID_VALUE)?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// One call can unmap several adjacent mappings.
#[rstest]
#[conformance::test("VMM-MAP-013", needs(virtual_memory))]
fn one_unmapping_covers_several_mappings(importer: Role, #[values(2, 3)] chunks: u64) -> Outcome {
    let address = reserve(&importer, chunks * SIZE)?;
    for chunk in 0..chunks {
        importer.mem_map(address.offset(chunk * SIZE), SIZE, 0, create(&importer)?, 0)?;
    }
    importer.mem_set_access(address, chunks * SIZE, 0, READ_WRITE)?;
    importer.mem_unmap(address, chunks * SIZE)?;
    for chunk in 0..chunks {
        importer.read(address.offset(chunk * SIZE), 4).refused(&[])?;
    }
    importer.mem_address_free(address, chunks * SIZE)
}

/// The result of unmapping a range that is not mapped, or only partly mapped, is recorded.
#[rstest]
#[case::more_than_mapped(true, 2)]
#[case::never_mapped(false, 1)]
#[conformance::test("VMM-MAP-014", needs(virtual_memory))]
fn the_code_for_unmapping_an_unmapped_range(importer: Role, #[case] mapped: bool, #[case] sizes: u64) -> Outcome {
    let address = reserve(&importer, 2 * SIZE)?;
    if mapped {
        importer.mem_map(address, SIZE, 0, create(&importer)?, 0)?;
    }
    importer.mem_unmap(address, sizes * SIZE).recorded("unmap")?;
    importer.ctx_synchronize()
}

/// The result of unmapping a range twice is recorded.
#[rstest]
#[conformance::test("VMM-MAP-014", needs(virtual_memory))]
fn the_code_for_unmapping_twice(importer: Role) -> Outcome {
    let address = map(&importer, create(&importer)?)?;
    importer.mem_unmap(address, SIZE)?;
    importer.mem_unmap(address, SIZE).recorded("unmap")?;
    importer.ctx_synchronize()
}

/// Unmapped addresses can be mapped again, and the new mapping starts without access.
#[rstest]
#[conformance::test("VMM-MAP-015", needs(virtual_memory))]
fn a_new_mapping_begins_without_access(importer: Role) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.mem_unmap(address, SIZE)?;
    importer.mem_map(address, SIZE, 0, create(&importer)?, 0)?;
    importer.read(address, 4).refused(&[])?;
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    importer.fill(address, SIZE, 7)?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// If a kernel uses the memory, unmapping waits for the kernel or makes it fail with `CUDA_ERROR_ILLEGAL_ADDRESS`.
///
/// The documentation promises the wait "for most use cases". An H200 sometimes waits, and sometimes the kernel fails.
#[rstest]
#[conformance::test("VMM-MAP-016", needs(virtual_memory))]
fn unmapping_waits_for_a_kernel_or_makes_it_fail(importer: Role) -> Outcome {
    const NANOSECONDS: u64 = 50_000_000;
    let physical = create(&importer)?;
    let address = map_readable_and_writable(&importer, physical)?;
    let stream = importer.stream_create()?;
    let words = SIZE / 4;
    importer.launch("spin".into(), vec![NANOSECONDS.into()], stream)?;
    importer.launch("fill".into(), vec![address.into(), words.into(), 7_u32.into()], stream)?;
    importer.mem_unmap(address, SIZE)?;
    let kernel = importer.stream_synchronize(stream);
    if kernel.is_err() {
        return kernel.refused(&[CUresult::CUDA_ERROR_ILLEGAL_ADDRESS]).map(|_| ());
    }
    let again = map_readable_and_writable(&importer, physical)?;
    check!(importer.mismatches(again, SIZE, 7)? == 0);
    Ok(())
}

/// One granule that is mapped at 16384 addresses shows the same data at the first and the last.
///
/// The case stops at 16384 mappings; a driver's limit was reported near 524288.
#[rstest]
#[conformance::test("VMM-MAP-032", needs(virtual_memory))]
fn thousands_of_mappings_are_accessible(importer: Role) -> Outcome {
    const COUNT: u64 = 16384;
    let granularity = importer.mem_get_allocation_granularity(MemProperties::device(0), 0)?;
    let physical = importer.mem_create(granularity, MemProperties::device(0), 0)?;
    let address = reserve(&importer, COUNT * granularity)?;
    importer.mem_map_in_a_row(address, granularity, physical, COUNT)?;
    importer.fill(address.offset((COUNT - 1) * granularity), KIB, 7)?;
    check!(importer.mismatches(address, KIB, 7)? == 0);
    importer.mem_unmap(address, COUNT * granularity)
}

/// A copy or a memset can cross the boundaries between adjacent allocations.
#[rstest]
#[conformance::test("VMM-MAP-033", needs(virtual_memory))]
fn copies_cross_the_boundaries_of_allocations(importer: Role) -> Outcome {
    const CHUNKS: u64 = 3;
    let address = reserve(&importer, CHUNKS * SIZE)?;
    for chunk in 0..CHUNKS {
        importer.mem_map(address.offset(chunk * SIZE), SIZE, 0, create(&importer)?, 0)?;
    }
    importer.mem_set_access(address, CHUNKS * SIZE, 0, READ_WRITE)?;
    importer.fill(address, CHUNKS * SIZE, 7)?;
    check!(importer.mismatches(address, CHUNKS * SIZE, 7)? == 0);
    importer.memset_d8(address.offset(SIZE - 16), 0x5a, 32)?;
    check!(importer.other_bytes(address.offset(SIZE - 16), 32, 0x5a)? == 0);
    Ok(())
}

/// `cuMemFree` refuses the address of a mapping.
#[rstest]
#[conformance::test("VMM-MAP-034", needs(virtual_memory))]
fn mem_free_is_refused(importer: Role) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_free(address).refused(&[])?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// Physical memory stays usable after a context that mapped it is destroyed.
#[rstest]
#[conformance::test("VMM-MAP-035", needs(memory_descriptors))]
fn physical_memory_outlives_a_context(importer: Role) -> Outcome {
    let primary = importer.ctx_get_current()?;
    // Created before the context: the role assumes that every later resource is destroyed with the context.
    let physical = create_exportable(&importer)?;
    let context = importer.ctx_create(0)?;
    let address = map_readable_and_writable(&importer, physical)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_unmap(address, SIZE)?;
    importer.mem_address_free(address, SIZE)?;
    importer.ctx_destroy(context)?;
    importer.ctx_set_current(Some(primary))?;
    let descriptor = importer.mem_export_to_descriptor(physical)?;
    importer.close_descriptor(descriptor)?;
    let again = map_readable_and_writable(&importer, physical)?;
    check!(importer.mismatches(again, SIZE, 7)? == 0);
    Ok(())
}
