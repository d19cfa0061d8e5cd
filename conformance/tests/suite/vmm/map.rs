//! `cuMemMap` and `cuMemUnmap`.

use conformance::{Expect as _, KIB, MIB, MemProperties, Outcome, Pointer, Role, check, seed};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use super::{
    INVALID_VALUE, READ_WRITE, REFUSED, SIZE, create, create_exportable, map, map_readable_and_writable, reserve,
};
use crate::support::fixtures::importer;

/// Reserved, created, mapped and made accessible, memory is usable to its last byte.
#[rstest]
#[conformance::test("VMM-MAP-001", "VMM-MAP-003", needs(virtual_memory))]
fn mapped_memory_is_usable(importer: Role) -> Outcome {
    let pattern = seed();
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(address, SIZE, pattern)?;
    check!(importer.mismatches(address, SIZE, pattern)? == 0);
    Ok(())
}

/// What an offset into the allocation means is recorded: the text describes it, and then wants zero.
#[rstest]
#[conformance::test("VMM-MAP-002", needs(virtual_memory))]
fn an_offset_is_recorded(importer: Role) -> Outcome {
    let (physical, address) = (create(&importer)?, reserve(&importer, SIZE)?);
    let granularity = importer.mem_get_allocation_granularity(MemProperties::device(0), 0)?;
    importer.mem_map(address, granularity, granularity, physical, 0).recorded("map")?;
    importer.ctx_synchronize()
}

/// No more is mapped than there is.
#[rstest]
#[conformance::test("VMM-MAP-004", needs(virtual_memory))]
fn more_than_there_is_is_refused(importer: Role) -> Outcome {
    let (physical, address) = (create(&importer)?, reserve(&importer, 2 * SIZE)?);
    importer.mem_map(address, 2 * SIZE, 0, physical, 0).refused(REFUSED)?;
    Ok(())
}

/// A part may be mapped.
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

/// Address and size are multiples of the granularity.
#[rstest]
#[case::address(4 * KIB, 4 * MIB)]
#[case::size(0, 4 * MIB + 4 * KIB)]
#[conformance::test("VMM-MAP-006", needs(virtual_memory))]
fn what_is_not_aligned_is_refused(importer: Role, #[case] offset: u64, #[case] size: u64) -> Outcome {
    let (physical, address) = (create(&importer)?, reserve(&importer, SIZE)?);
    importer.mem_map(address.offset(offset), size, 0, physical, 0).refused(REFUSED)?;
    Ok(())
}

/// Only reserved addresses are mapped at: null is none.
#[rstest]
#[conformance::test("VMM-MAP-007", needs(virtual_memory))]
fn null_is_refused(importer: Role) -> Outcome {
    importer.mem_map(Pointer::NULL, SIZE, 0, create(&importer)?, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// Only reserved addresses are mapped at: those of other memory are none, nor those that were given back.
#[rstest]
#[case::linear(true)]
#[case::freed(false)]
#[conformance::test("VMM-MAP-007", needs(virtual_memory))]
fn addresses_that_are_not_reserved_are_refused(importer: Role, #[case] linear: bool) -> Outcome {
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

/// A second mapping at the same addresses is refused, and the first one stays.
#[rstest]
#[conformance::test("VMM-MAP-008", needs(virtual_memory))]
fn mapped_addresses_are_refused(importer: Role) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_map(address, SIZE, 0, create(&importer)?, 0).refused(&[])?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// One allocation at two addresses is the same memory.
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

/// Flags are refused.
#[rstest]
#[conformance::test("VMM-MAP-010", needs(virtual_memory))]
fn flags_are_refused(importer: Role) -> Outcome {
    let (physical, address) = (create(&importer)?, reserve(&importer, SIZE)?);
    importer.mem_map(address, SIZE, 0, physical, 1).refused(INVALID_VALUE)?;
    Ok(())
}

/// A part of a mapping is not unmapped, and the mapping stays whole.
#[rstest]
#[case::first_half(0)]
#[case::second_half(SIZE / 2)]
#[conformance::test("VMM-MAP-012", needs(virtual_memory))]
fn a_part_is_not_unmapped(importer: Role, #[case] offset: u64) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_unmap(address.offset(offset), SIZE / 2).refused(INVALID_VALUE)?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// One unmapping covers several mappings side by side.
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

/// What is answered where nothing is mapped, or not everywhere, is recorded.
#[rstest]
#[case::more_than_mapped(true, 2)]
#[case::never_mapped(false, 1)]
#[conformance::test("VMM-MAP-014", needs(virtual_memory))]
fn unmapping_what_is_not_mapped_is_recorded(importer: Role, #[case] mapped: bool, #[case] sizes: u64) -> Outcome {
    let address = reserve(&importer, 2 * SIZE)?;
    if mapped {
        importer.mem_map(address, SIZE, 0, create(&importer)?, 0)?;
    }
    importer.mem_unmap(address, sizes * SIZE).recorded("unmap")?;
    importer.ctx_synchronize()
}

/// What the second unmapping answers is recorded.
#[rstest]
#[conformance::test("VMM-MAP-014", needs(virtual_memory))]
fn unmapping_twice_is_recorded(importer: Role) -> Outcome {
    let address = map(&importer, create(&importer)?)?;
    importer.mem_unmap(address, SIZE)?;
    importer.mem_unmap(address, SIZE).recorded("unmap")?;
    importer.ctx_synchronize()
}

/// Unmapped addresses can be mapped again, and then nobody has access.
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

/// Unmapping waits for a kernel that uses the memory, or the kernel is refused the address: the documentation promises the
/// first "for most use cases", and an H200 does now this and now that.
#[rstest]
#[conformance::test("VMM-MAP-016", needs(virtual_memory))]
fn unmapping_under_a_kernel_does_not_corrupt(importer: Role) -> Outcome {
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

/// One granule at 16384 addresses is the same memory at the first and the last. That is the bound: a limit was reported
/// near 524288 mappings.
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

/// Allocations side by side are one memory to a copy.
#[rstest]
#[conformance::test("VMM-MAP-033", needs(virtual_memory))]
fn copies_cross_the_seams_of_allocations(importer: Role) -> Outcome {
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

/// `cuMemFree` does not take a mapping.
#[rstest]
#[conformance::test("VMM-MAP-034", needs(virtual_memory))]
fn mem_free_is_refused(importer: Role) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_free(address).refused(&[])?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// Physical memory outlives the context that was current when it was created.
#[rstest]
#[conformance::test("VMM-MAP-035", needs(memory_descriptors))]
fn physical_memory_outlives_a_context(importer: Role) -> Outcome {
    let primary = importer.ctx_get_current()?;
    // Created before the context, so that it is not taken to belong to it.
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
