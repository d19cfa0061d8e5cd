//! `cuMemMap` and `cuMemUnmap`.

use conformance::trace::computed;
use conformance::{Expect as _, KIB, MIB, MemProperties, Outcome, Pointer, Role, Stream, check, seed};
use rstest::rstest;

use crate::support::by_kernel::enqueue_fill;
use crate::support::constants::{ILLEGAL_ADDRESS, INVALID_VALUE, NONE, READ_WRITE};
use crate::support::fixtures::{exporter, importer};
use crate::support::virtual_memory::{
    REFUSED, SIZE, create, create_exportable, import, map_readable_and_writable, reserve,
};

/// Memory that is reserved, created, mapped and made accessible is usable up to its last byte, by kernels and copies.
#[rstest]
#[conformance::test("VMM-MAP-001", "VMM-MAP-003", needs(virtual_memory))]
fn mapped_memory_is_usable(importer: Role) -> Outcome {
    let pattern = seed();
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.memset_d8(address, 0x5a, SIZE)?;
    check!(importer.other_bytes(address, SIZE, 0x5a)? == 0);
    importer.fill(address, SIZE, pattern)?;
    check!(importer.mismatches(address, SIZE, pattern)? == 0);
    check!(importer.mismatches_by_copy(address, SIZE, pattern)? == 0);
    Ok(())
}

/// The code for a non-zero offset is recorded: the documentation describes the offset, but then requires zero.
///
/// If the driver accepts the offset, the mapping begins there.
#[rstest]
#[conformance::test("VMM-MAP-002", needs(virtual_memory))]
fn the_code_for_an_offset(importer: Role) -> Outcome {
    let (physical, address) = (create(&importer)?, reserve(&importer, SIZE)?);
    let granularity = importer.mem_get_allocation_granularity(MemProperties::device(0), 0)?;
    let whole = map_readable_and_writable(&importer, physical)?;
    importer.fill(whole, SIZE, 7)?;
    if importer.mem_map(address, granularity, granularity, physical, 0).recorded("map")?.is_some() {
        importer.mem_set_access(address, granularity, 0, READ_WRITE)?;
        check!(importer.read(address, KIB)? == importer.read(whole.offset(granularity), KIB)?);
    }
    importer.ctx_synchronize()
}

/// The driver refuses to map more than the allocation has.
#[rstest]
#[conformance::test("VMM-MAP-004", needs(virtual_memory))]
fn sizes_beyond_the_allocation_are_refused(importer: Role, #[values(1, 4)] granules_more: u64) -> Outcome {
    let granularity = importer.mem_get_allocation_granularity(MemProperties::device(0), 0)?;
    let size = SIZE + granules_more * granularity;
    let (physical, address) = (create(&importer)?, reserve(&importer, size)?);
    importer.mem_map(address, size, 0, physical, 0).refused(REFUSED)?;
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

/// The driver refuses to map all of an allocation at an address that is not a multiple of the granularity.
#[rstest]
#[case::by_a_byte(|_| 1)]
#[case::by_a_page(|_| 4 * KIB)]
#[case::by_half_a_granule(|granularity| granularity / 2)]
#[conformance::test("VMM-MAP-006", needs(virtual_memory))]
fn unaligned_addresses_are_refused(importer: Role, #[case] offset: fn(u64) -> u64) -> Outcome {
    let granularity = importer.mem_get_allocation_granularity(MemProperties::device(0), 0)?;
    let (physical, address) = (create(&importer)?, reserve(&importer, 2 * SIZE)?);
    importer.mem_map(address.offset(offset(granularity)), SIZE, 0, physical, 0).refused(REFUSED)?;
    Ok(())
}

/// The driver refuses a size that is not a multiple of the granularity.
#[rstest]
#[case::a_byte_less(SIZE - 1)]
#[case::a_page_less(SIZE - 4 * KIB)]
#[conformance::test("VMM-MAP-006", needs(virtual_memory))]
fn unaligned_sizes_are_refused(importer: Role, #[case] size: u64) -> Outcome {
    let (physical, address) = (create(&importer)?, reserve(&importer, SIZE)?);
    importer.mem_map(address, size, 0, physical, 0).refused(REFUSED)?;
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
        let granularity = importer.mem_get_allocation_granularity(MemProperties::device(0), 0)?;
        let memory = importer.mem_alloc(2 * SIZE)?.0;
        let expression = "({0} + {1} - 1) / {1} * {1}";
        Pointer(computed(memory.next_multiple_of(granularity), expression, &[memory, granularity]))
    } else {
        let address = reserve(&importer, SIZE)?;
        importer.mem_address_free(address, SIZE)?;
        address
    };
    importer.mem_map(address, SIZE, 0, physical, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses addresses of which only the first ones are reserved.
#[rstest]
#[conformance::test("VMM-MAP-007", needs(virtual_memory))]
fn addresses_beyond_the_reservation_are_refused(
    importer: Role,
    #[values(2 * MIB, SIZE - 2 * MIB)] offset: u64,
) -> Outcome {
    let (physical, address) = (create(&importer)?, reserve(&importer, SIZE)?);
    importer.mem_map(address.offset(offset), SIZE, 0, physical, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses a second mapping at addresses that overlap a first one, which stays intact.
#[rstest]
#[case::same(SIZE)]
#[case::from_before(SIZE / 2)]
#[case::to_beyond(SIZE + SIZE / 2)]
#[conformance::test("VMM-MAP-008", needs(virtual_memory))]
fn mapped_addresses_are_refused(importer: Role, #[case] offset: u64) -> Outcome {
    let reserved = reserve(&importer, 3 * SIZE)?;
    let address = reserved.offset(SIZE);
    importer.mem_map(address, SIZE, 0, create(&importer)?, 0)?;
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_map(reserved.offset(offset), SIZE, 0, create(&importer)?, 0).refused_and_recorded(&[])?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// An allocation that is mapped at two addresses shows a kernel at either what an earlier kernel stored at the other.
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
    importer.mem_unmap(one, SIZE)?;
    check!(importer.mismatches(other, SIZE, 8)? == 0);
    Ok(())
}

/// The driver refuses flags other than 0.
#[rstest]
#[case::lowest(1)]
#[case::second(2)]
#[case::of_the_upper_half(1 << 32)]
#[conformance::test("VMM-MAP-010", needs(virtual_memory))]
fn flags_are_refused(importer: Role, #[case] flags: u64) -> Outcome {
    let (physical, address) = (create(&importer)?, reserve(&importer, SIZE)?);
    importer.mem_map(address, SIZE, 0, physical, flags).refused(INVALID_VALUE)?;
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

/// The result of unmapping more than is mapped is recorded: a call that succeeds has unmapped it, a refused one has not.
#[rstest]
#[conformance::test("VMM-MAP-014", needs(virtual_memory))]
fn unmapping_more_than_is_mapped_unmaps_it_or_is_refused(importer: Role) -> Outcome {
    let address = reserve(&importer, 2 * SIZE)?;
    importer.mem_map(address, SIZE, 0, create(&importer)?, 0)?;
    let is_unmapped = importer.mem_unmap(address, 2 * SIZE).recorded("unmap")?.is_some();
    let again = importer.mem_map(address, SIZE, 0, create(&importer)?, 0);
    if is_unmapped { again } else { again.refused(&[]).map(drop) }
}

/// The result of unmapping addresses that are not mapped is recorded; the mapping after them stays intact.
#[rstest]
#[case::never_mapped(false)]
#[case::unmapped_before(true)]
#[conformance::test("VMM-MAP-014", needs(virtual_memory))]
fn unmapping_an_unmapped_range_leaves_other_mappings(importer: Role, #[case] mapped: bool) -> Outcome {
    let address = reserve(&importer, 2 * SIZE)?;
    let neighbour = address.offset(SIZE);
    importer.mem_map(neighbour, SIZE, 0, create(&importer)?, 0)?;
    importer.mem_set_access(neighbour, SIZE, 0, READ_WRITE)?;
    importer.fill(neighbour, SIZE, 7)?;
    if mapped {
        importer.mem_map(address, SIZE, 0, create(&importer)?, 0)?;
        importer.mem_unmap(address, SIZE)?;
    }
    importer.mem_unmap(address, SIZE).recorded("unmap")?;
    check!(importer.mismatches(neighbour, SIZE, 7)? == 0);
    Ok(())
}

/// The result of unmapping the null address, or 0 bytes of a mapping, is recorded; mappings stay intact.
#[rstest]
#[case::null(|_| Pointer::NULL, SIZE)]
#[case::no_bytes(|address| address, 0)]
#[conformance::test("VMM-MAP-014", needs(virtual_memory))]
fn unmapping_nothing_leaves_mappings(importer: Role, #[case] at: fn(Pointer) -> Pointer, #[case] size: u64) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_unmap(at(address), size).recorded("unmap")?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// Unmapped addresses can be mapped again; the new mapping starts without access, and then shows the new memory.
#[rstest]
#[conformance::test("VMM-MAP-015", needs(virtual_memory))]
fn a_new_mapping_begins_without_access(importer: Role) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    let newer = create(&importer)?;
    importer.mem_unmap(address, SIZE)?;
    importer.mem_map(address, SIZE, 0, newer, 0)?;
    check!(importer.mem_get_access(address, 0)? == NONE);
    importer.read(address, 4).refused(&[])?;
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    importer.fill(address, SIZE, 7)?;
    let elsewhere = map_readable_and_writable(&importer, newer)?;
    check!(importer.mismatches(elsewhere, SIZE, 7)? == 0);
    Ok(())
}

/// A kernel that writes at addresses that were mapped again fails, although the first mapping gave access.
#[rstest]
#[conformance::test("VMM-MAP-015", needs(no_mps, virtual_memory))]
fn a_new_mapping_gives_kernels_no_access(importer: Role) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_unmap(address, SIZE)?;
    importer.mem_map(address, SIZE, 0, create(&importer)?, 0)?;
    importer.may_be_lost();
    importer.fill(address, SIZE, 8).refused(ILLEGAL_ADDRESS)?;
    Ok(())
}

/// If a kernel uses the memory, unmapping waits for the kernel or makes it fail with `CUDA_ERROR_ILLEGAL_ADDRESS`.
///
/// The documentation promises the wait "for most use cases". An H200 sometimes waits, and sometimes the kernel fails.
#[rstest]
#[conformance::test("VMM-MAP-016", needs(no_mps, virtual_memory))]
fn unmapping_waits_for_a_kernel_or_makes_it_fail(importer: Role) -> Outcome {
    importer.may_be_lost();
    const NANOSECONDS: u64 = 50_000_000;
    let physical = create(&importer)?;
    let address = map_readable_and_writable(&importer, physical)?;
    let stream = importer.stream_create()?;
    importer.launch("spin".into(), vec![NANOSECONDS.into()], stream)?;
    enqueue_fill(&importer, address, SIZE, 7, stream)?;
    importer.mem_unmap(address, SIZE)?;
    if importer.stream_synchronize(stream).accepted_or(ILLEGAL_ADDRESS)?.is_none() {
        return Ok(());
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
    let address = reserve(&importer, 3 * SIZE)?;
    for chunk in 0..3 {
        importer.mem_map(address.offset(chunk * SIZE), SIZE, 0, create(&importer)?, 0)?;
    }
    importer.mem_set_access(address, 3 * SIZE, 0, READ_WRITE)?;
    importer.memset_d8(address, 0x5a, 3 * SIZE)?;
    check!(importer.other_bytes(address, 3 * SIZE, 0x5a)? == 0);
    let bytes: Vec<u8> = (0..32).collect();
    let [first, second] = [1, 2].map(|chunk| address.offset(chunk * SIZE - 16));
    importer.write(first, bytes.clone())?;
    importer.memcpy_dtod_async(second, first, 32, Stream::DEFAULT)?;
    check!(importer.read(second, 32)? == bytes);
    check!(importer.read(first.offset(16), 16)? == bytes[16..]);
    Ok(())
}

/// A copy can cross the boundary between adjacent imports, and reaches the memory of both.
#[rstest]
#[conformance::test("VMM-MAP-033", needs(memory_descriptors))]
fn copies_cross_the_boundary_of_imports(exporter: Role, importer: Role) -> Outcome {
    let (here, mut there) = (reserve(&importer, 2 * SIZE)?, Vec::new());
    for chunk in 0..2 {
        let physical = create_exportable(&exporter)?;
        there.push(map_readable_and_writable(&exporter, physical)?);
        importer.mem_map(here.offset(chunk * SIZE), SIZE, 0, import(&exporter, physical, &importer)?, 0)?;
    }
    importer.mem_set_access(here, 2 * SIZE, 0, READ_WRITE)?;
    let (own, pattern) = (importer.mem_alloc(2 * SIZE)?, seed());
    importer.fill(own, 2 * SIZE, pattern)?;
    importer.memcpy_dtod(here, own, 2 * SIZE)?;
    check!(importer.mismatches(here, 2 * SIZE, pattern)? == 0);
    check!(exporter.mismatches(there[0], SIZE, pattern)? == 0);
    for memory in &there {
        exporter.fill(*memory, SIZE, !pattern)?;
    }
    importer.memcpy(own, here, 2 * SIZE)?;
    for chunk in 0..2 {
        check!(importer.mismatches(own.offset(chunk * SIZE), SIZE, !pattern)? == 0);
    }
    Ok(())
}

/// A second mapping shows what was written before it, and leaves that in place for the first.
#[rstest]
#[conformance::test("VMM-MAP-009", needs(memory_descriptors))]
fn a_second_mapping_shows_earlier_contents(
    exporter: Role,
    importer: Role,
    #[values(false, true)] is_imported: bool,
) -> Outcome {
    let physical =
        if is_imported { import(&exporter, create_exportable(&exporter)?, &importer)? } else { create(&importer)? };
    let first = map_readable_and_writable(&importer, physical)?;
    importer.fill(first, SIZE, 7)?;
    let second = map_readable_and_writable(&importer, physical)?;
    check!(importer.mismatches(second, SIZE, 7)? == 0);
    check!(importer.mismatches(first, SIZE, 7)? == 0);
    Ok(())
}

/// An import that is mapped at two addresses is unmapped at one of them, and stays usable at the other.
#[rstest]
#[conformance::test("VMM-MAP-009", needs(memory_descriptors))]
fn an_import_stays_mapped_at_its_other_address(exporter: Role, importer: Role) -> Outcome {
    let imported = import(&exporter, create_exportable(&exporter)?, &importer)?;
    let [one, other] =
        [map_readable_and_writable(&importer, imported)?, map_readable_and_writable(&importer, imported)?];
    importer.fill(one, SIZE, 7)?;
    importer.mem_unmap(one, SIZE)?;
    check!(importer.mem_get_access(other, 0)? == READ_WRITE);
    check!(importer.mismatches(other, SIZE, 7)? == 0);
    importer.fill(other, SIZE, 8)?;
    check!(importer.mismatches(other, SIZE, 8)? == 0);
    Ok(())
}

/// An import is mapped without a current context, and in a created one.
#[rstest]
#[case::without_a_context(false)]
#[case::in_a_created_context(true)]
#[conformance::test("VMM-MAP-001", needs(memory_descriptors))]
fn an_import_is_mapped_in_any_context(exporter: Role, importer: Role, #[case] is_created: bool) -> Outcome {
    let (imported, first) = (import(&exporter, create_exportable(&exporter)?, &importer)?, importer.ctx_get_current()?);
    if is_created {
        importer.ctx_create(0)?;
    } else {
        importer.ctx_set_current(None)?;
    }
    let address = map_readable_and_writable(&importer, imported)?;
    importer.ctx_set_current(Some(first))?;
    importer.fill(address, SIZE, 7)?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
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

/// Physical memory stays usable after the context in which it was created and mapped is destroyed.
#[rstest]
#[conformance::test("VMM-MAP-035", needs(memory_descriptors))]
fn physical_memory_outlives_a_context(importer: Role) -> Outcome {
    let primary = importer.ctx_get_current()?;
    let context = importer.ctx_create(0)?;
    let physical = create_exportable(&importer)?;
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

/// Mappings and their access outlive a context that has nothing to do with them.
#[rstest]
#[conformance::test("VMM-MAP-035", needs(virtual_memory))]
fn mappings_outlive_another_context(importer: Role) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    outlives_another_context(&importer, address)
}

/// A mapping of imported memory, and the access to it, outlive a context that did not make it.
#[rstest]
#[conformance::test("VMM-MAP-035", needs(memory_descriptors))]
fn mappings_of_an_import_outlive_another_context(exporter: Role, importer: Role) -> Outcome {
    let imported = import(&exporter, create_exportable(&exporter)?, &importer)?;
    outlives_another_context(&importer, map_readable_and_writable(&importer, imported)?)
}

/// Checks that a mapping stays usable while another context is created and destroyed.
fn outlives_another_context(importer: &Role, address: Pointer) -> Outcome {
    let primary = importer.ctx_get_current()?;
    importer.fill(address, SIZE, 7)?;
    let context = importer.ctx_create(0)?;
    importer.ctx_destroy(context)?;
    importer.ctx_set_current(Some(primary))?;
    check!(importer.mem_get_access(address, 0)? == READ_WRITE);
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    importer.fill(address, SIZE, 8)?;
    check!(importer.mismatches(address, SIZE, 8)? == 0);
    Ok(())
}
