//! `cuMemGetAddressRange`.

use conformance::{AddressRange, Expect as _, GIB, KIB, Outcome, Pointer, Role, check, observe};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use crate::support::SIZE;
use crate::support::constants::{DEVICE, READ_WRITE};
use crate::support::device_memory::need_free_memory;
use crate::support::fixtures::{exporter, importer};
use crate::support::import_kind::{self, ImportKind};
use crate::support::pointer_kind::PointerKind;

const UNKNOWN: &[CUresult] = &[CUresult::CUDA_ERROR_NOT_FOUND, CUresult::CUDA_ERROR_INVALID_VALUE];

/// Every pointer into an allocation gives the base and the size of the allocation.
#[rstest]
#[case::base(0)]
#[case::interior(SIZE / 2 + 1)]
#[case::last(SIZE - 1)]
#[conformance::test("RANGE-001")]
fn every_pointer_gives_the_base_and_the_size(importer: Role, #[case] offset: u64) -> Outcome {
    let buffer = importer.mem_alloc(SIZE)?;
    let range = importer.mem_get_address_range(buffer.offset(offset))?;
    check!(range.base == buffer);
    check!(range.size == SIZE);
    Ok(())
}

/// The range of an allocation of 5 GiB has its size, and its last bytes are usable.
#[rstest]
#[conformance::test("RANGE-001")]
fn a_range_of_more_than_4_gib_has_its_size(importer: Role) -> Outcome {
    const LARGE: u64 = 5 * GIB;
    // As much again stays free for others.
    need_free_memory(&importer, 2 * LARGE + GIB)?;
    let buffer = importer.mem_alloc(LARGE)?;
    for offset in [0, LARGE - 1] {
        let range = importer.mem_get_address_range(buffer.offset(offset))?;
        check!(range.base == buffer);
        // A program compares the size with the number of 32 bits only: a longer one may be an address.
        check!(range.size > u32::MAX.into(), "the range of {LARGE} bytes has {} bytes", range.size);
        check!(range.size == LARGE, "an allocation of {LARGE} bytes has a range of {} bytes", range.size);
    }
    importer.fill(buffer.offset(LARGE - SIZE), SIZE, 7)?;
    check!(importer.mismatches(buffer.offset(LARGE - SIZE), SIZE, 7)? == 0);
    Ok(())
}

/// The range of memory of the second GPU is that of the allocation.
#[rstest]
#[conformance::test("RANGE-001", needs(gpus = 2))]
fn memory_of_the_second_gpu_has_its_range(#[with(1)] importer: Role) -> Outcome {
    let buffer = importer.mem_alloc(SIZE)?;
    check!(importer.mem_get_address_range(buffer.offset(SIZE - 1))? == AddressRange { base: buffer, size: SIZE });
    Ok(())
}

/// The range of memory of a created context is that of the allocation.
#[rstest]
#[conformance::test("RANGE-001")]
fn memory_of_a_created_context_has_its_range(importer: Role) -> Outcome {
    let first = importer.ctx_get_current()?;
    importer.ctx_create(0)?;
    let buffer = importer.mem_alloc(SIZE)?;
    check!(importer.mem_get_address_range(buffer.offset(SIZE - 1))? == AddressRange { base: buffer, size: SIZE });
    importer.ctx_set_current(Some(first))
}

/// Small allocations have ranges of their own, although they may lie in one block.
#[rstest]
#[conformance::test("RANGE-001")]
fn neighbours_have_ranges_of_their_own(importer: Role) -> Outcome {
    for _ in 0..4 {
        let buffer = importer.mem_alloc(KIB)?;
        let range = importer.mem_get_address_range(buffer.offset(KIB - 1))?;
        check!(range.base == buffer);
        check!(range.size == KIB);
    }
    Ok(())
}

/// `cuMemGetAddressRange` accepts a null pointer for either output.
#[rstest]
#[conformance::test("RANGE-001")]
fn either_output_may_be_null(importer: Role) -> Outcome {
    let buffer = importer.mem_alloc(SIZE)?;
    check!(importer.mem_get_address_range_in_part(buffer.offset(7), true, false)? == buffer.0);
    check!(importer.mem_get_address_range_in_part(buffer.offset(7), false, true)? == SIZE);
    Ok(())
}

/// `cuMemGetAddressRange` accepts a null pointer for either output also for imported memory.
#[rstest]
#[case::legacy(ImportKind::Legacy)]
#[case::virtual_memory(ImportKind::VirtualMemory)]
#[conformance::test("RANGE-001")]
fn either_output_for_an_import_may_be_null(exporter: Role, importer: Role, #[case] kind: ImportKind) -> Outcome {
    let import = kind.make(&exporter, &importer, 0)?.here;
    check!(importer.mem_get_address_range_in_part(import.offset(7), true, false)? == import.0);
    check!(importer.mem_get_address_range_in_part(import.offset(7), false, true)? == import_kind::SIZE);
    Ok(())
}

/// The driver refuses an address that is not in an allocation.
#[rstest]
#[case::heap(PointerKind::Heap)]
#[case::freed(PointerKind::Freed)]
#[case::null(PointerKind::Null)]
#[conformance::test("RANGE-002")]
fn addresses_outside_allocations_are_refused(importer: Role, #[case] kind: PointerKind) -> Outcome {
    importer.mem_get_address_range(kind.make(&importer)?).refused_and_recorded(UNKNOWN)?;
    Ok(())
}

/// The address after an allocation is not in its range.
#[rstest]
#[case::small(KIB)]
#[case::large(SIZE)]
#[conformance::test("RANGE-002")]
fn the_address_after_an_allocation_is_outside(importer: Role, #[case] size: u64) -> Outcome {
    let buffer = importer.mem_alloc(size)?;
    // Another allocation may lie there.
    if let Some(range) = importer.mem_get_address_range(buffer.offset(size)).recorded("code")? {
        check!(range.base != buffer);
    }
    Ok(())
}

/// Of two adjacent mappings, the range is the one that contains the pointer.
#[rstest]
#[case::first(0)]
#[case::second(SIZE)]
#[conformance::test("RANGE-003", needs(virtual_memory))]
fn adjacent_mappings_have_their_own_ranges(importer: Role, #[case] offset: u64) -> Outcome {
    let address = importer.mem_address_reserve(2 * SIZE, 0, Pointer::NULL, 0)?;
    for chunk in [address, address.offset(SIZE)] {
        importer.mem_map(chunk, SIZE, 0, importer.mem_create(SIZE, DEVICE, 0)?, 0)?;
    }
    importer.mem_set_access(address, 2 * SIZE, 0, READ_WRITE)?;
    let mapping = AddressRange { base: address.offset(offset), size: SIZE };
    check!(importer.mem_get_address_range(mapping.base.offset(5))? == mapping);
    Ok(())
}

/// The code for managed, pinned and pool memory is recorded. If the call succeeds, the range is that of the memory.
#[rstest]
#[case::managed(PointerKind::Managed)]
#[case::pinned(PointerKind::Pinned)]
#[case::pool(PointerKind::DefaultPool)]
#[conformance::test("RANGE-004", needs(managed_memory, memory_pools))]
fn the_range_of_other_memory_is_its_own(importer: Role, #[case] kind: PointerKind) -> Outcome {
    let pointer = kind.make(&importer)?;
    if let Some(range) = importer.mem_get_address_range(pointer).recorded("code")? {
        check!(range.base == pointer);
        check!(range.size == SIZE);
    }
    Ok(())
}

/// The size that the driver reports for an import of a small allocation is recorded.
#[rstest]
#[conformance::test("RANGE-005", needs(legacy_memory))]
fn the_size_of_a_small_import(exporter: Role, importer: Role) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(64 * KIB)?)?;
    let import = importer.ipc_open_mem_handle(handle)?;
    observe("size", importer.mem_get_address_range(import)?.size.to_string());
    Ok(())
}

/// The range of an allocation of 41 bytes has at least 41 bytes. Its size is recorded.
#[rstest]
#[conformance::test("RANGE-006")]
fn the_range_covers_an_allocation_of_odd_size(importer: Role) -> Outcome {
    let buffer = importer.mem_alloc(41)?;
    let size = importer.mem_get_address_range(buffer)?.size;
    check!(size >= 41, "the range has {size} bytes, expected at least 41");
    observe("size", size.to_string());
    Ok(())
}
