//! `cuMemAddressReserve` and `cuMemAddressFree`.

use conformance::{Expect as _, GIB, KIB, MIB, MemProperties, Outcome, Pointer, Role, Stop, check, observe};
use rstest::rstest;

use crate::support::constants::{INVALID_VALUE, NOT_INITIALIZED, READ_WRITE};
use crate::support::fixtures::{importer, uninitialised};
use crate::support::virtual_memory::{SIZE, create, map_readable_and_writable, reserve};

/// The driver reserves and frees multiples of the granularity, at addresses that are aligned to it.
#[rstest]
#[conformance::test("VMM-RES-001", needs(virtual_memory))]
fn addresses_are_aligned_to_the_granularity(importer: Role, #[values(2 * MIB, GIB)] size: u64) -> Outcome {
    let granularity = importer.mem_get_allocation_granularity(MemProperties::device(0), 0)?;
    let address = reserve(&importer, size)?;
    check!(address.0.is_multiple_of(granularity), "{address:?} is not aligned to {granularity}");
    importer.mem_address_free(address, size)
}

/// The result of reserving 0 bytes is recorded.
#[rstest]
#[conformance::test("VMM-RES-002", needs(virtual_memory))]
fn the_code_for_size_0(importer: Role) -> Outcome {
    reserve(&importer, 0).recorded("reserve")?;
    Ok(())
}

/// The driver refuses a size that is not a multiple of the page size.
#[rstest]
#[case::a_byte_less(2 * MIB - 1)]
#[case::a_byte_more(2 * MIB + 1)]
#[case::half_a_page_more(2 * MIB + 2 * KIB)]
#[conformance::test("VMM-RES-003", needs(virtual_memory))]
fn unaligned_sizes_are_refused(importer: Role, #[case] size: u64) -> Outcome {
    reserve(&importer, size).refused_and_recorded(&[])?;
    Ok(())
}

/// The driver refuses an alignment that is not a power of two.
#[rstest]
#[case::three_bytes(3)]
#[case::three_granules(6 * MIB)]
#[conformance::test("VMM-RES-004", needs(virtual_memory))]
fn alignments_other_than_powers_of_two_are_refused(importer: Role, #[case] alignment: u64) -> Outcome {
    importer.mem_address_reserve(SIZE, alignment, Pointer::NULL, 0).refused_and_recorded(&[])?;
    Ok(())
}

/// The driver honours a large alignment.
#[rstest]
#[conformance::test("VMM-RES-005", needs(virtual_memory))]
fn a_large_alignment_is_honoured(importer: Role, #[values(16 * MIB, GIB)] alignment: u64) -> Outcome {
    let address = importer.mem_address_reserve(SIZE, alignment, Pointer::NULL, 0)?;
    check!(address.0.is_multiple_of(alignment), "{address:?} is not aligned to {alignment}");
    Ok(())
}

/// The driver honours an alignment of more than 32 bits, unless it refuses it. The code is recorded.
#[rstest]
#[conformance::test("VMM-RES-005", needs(virtual_memory))]
fn an_alignment_of_more_than_32_bits_is_not_cut(importer: Role) -> Outcome {
    const ALIGNMENT: u64 = 8 * GIB;
    if let Some(address) = importer.mem_address_reserve(2 * MIB, ALIGNMENT, Pointer::NULL, 0).recorded("reserve")? {
        check!(address.0.is_multiple_of(ALIGNMENT), "{address:?} is not aligned to {ALIGNMENT}");
    }
    Ok(())
}

/// The driver accepts a free address as a hint; whether it reserves that address is recorded.
#[rstest]
#[conformance::test("VMM-RES-006", needs(virtual_memory))]
fn a_free_hint_is_accepted(importer: Role) -> Outcome {
    let wish = reserve(&importer, SIZE)?;
    importer.mem_address_free(wish, SIZE)?;
    let address = importer.mem_address_reserve(SIZE, 0, wish, 0)?;
    observe("hint used", (address == wish).to_string());
    Ok(())
}

/// The result of a reservation with an occupied hint is recorded; a reserved range does not overlap the occupied one.
#[rstest]
#[case::base(0)]
#[case::interior(SIZE / 2)]
#[conformance::test("VMM-RES-007", needs(virtual_memory))]
fn an_occupied_hint_gives_another_address(importer: Role, #[case] offset: u64) -> Outcome {
    let taken = reserve(&importer, SIZE)?;
    let hint = taken.offset(offset);
    if let Some(address) = importer.mem_address_reserve(SIZE, 0, hint, 0).recorded("occupied hint")? {
        check!(address != hint);
        let apart = address.0 + SIZE <= taken.0 || taken.0 + SIZE <= address.0;
        check!(apart, "{address:?} overlaps {taken:?}");
    }
    Ok(())
}

/// The driver refuses a hint that is not aligned to a page.
#[rstest]
#[case::by_a_byte(1)]
#[case::by_half_a_page(2 * KIB)]
#[conformance::test("VMM-RES-007", needs(virtual_memory))]
fn an_unaligned_hint_is_refused(importer: Role, #[case] offset: u64) -> Outcome {
    let free = reserve(&importer, SIZE)?;
    importer.mem_address_free(free, SIZE)?;
    importer.mem_address_reserve(SIZE, 0, free.offset(offset), 0).refused_and_recorded(&[])?;
    Ok(())
}

/// The driver refuses flags other than 0.
#[rstest]
#[case::lowest(1)]
#[case::second(2)]
#[case::of_the_upper_half(1 << 32)]
#[conformance::test("VMM-RES-008", needs(virtual_memory))]
fn flags_are_refused(importer: Role, #[case] flags: u64) -> Outcome {
    importer.mem_address_reserve(SIZE, 0, Pointer::NULL, flags).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver frees only a whole reservation, and refuses any other address or size.
#[rstest]
#[case::interior(4 * MIB, SIZE)]
#[case::half(0, SIZE / 2)]
#[case::last_half(SIZE / 2, SIZE / 2)]
#[case::more(0, 2 * SIZE)]
#[case::size_0(0, 0)]
#[conformance::test("VMM-RES-009", needs(virtual_memory))]
fn only_a_whole_reservation_is_freed(importer: Role, #[case] offset: u64, #[case] size: u64) -> Outcome {
    let address = reserve(&importer, SIZE)?;
    importer.mem_address_free(address.offset(offset), size).refused(INVALID_VALUE)?;
    importer.mem_address_free(address, SIZE)
}

/// The driver refuses to free a null address, and frees nothing.
#[rstest]
#[conformance::test("VMM-RES-009", needs(virtual_memory))]
fn freeing_null_is_refused(importer: Role) -> Outcome {
    let address = reserve(&importer, SIZE)?;
    importer.mem_address_free(Pointer::NULL, SIZE).refused(INVALID_VALUE)?;
    importer.mem_address_free(address, SIZE)
}

/// The result of freeing a reservation twice is recorded; reserving and mapping still work afterwards.
#[rstest]
#[conformance::test("VMM-RES-011", needs(virtual_memory))]
fn freeing_twice_leaves_the_driver_usable(importer: Role) -> Outcome {
    let address = reserve(&importer, SIZE)?;
    importer.mem_address_free(address, SIZE)?;
    importer.mem_address_free(address, SIZE).recorded("second free")?;
    let again = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(again, KIB, 7)?;
    check!(importer.mismatches(again, KIB, 7)? == 0);
    Ok(())
}

/// The driver refuses a reservation once the address space is exhausted, and reserves again after a free.
///
/// The case stops after 512 reservations of 4 TiB: eight 48-bit address spaces. If the driver grants all of them,
/// the refusal is recorded as `none`.
#[rstest]
#[conformance::test("VMM-RES-012", needs(virtual_memory))]
fn addresses_run_out_cleanly(importer: Role) -> Outcome {
    const HUGE: u64 = 4 << 40;
    let (last, refusal) = reserve_until_refused(&importer, HUGE, 512)?;
    observe("refusal", refusal);
    let last = last.ok_or_else(|| Stop::failed("the driver granted no reservation of 4 TiB"))?;
    importer.mem_address_free(last, HUGE)?;
    let again = reserve(&importer, HUGE)?;
    importer.mem_address_free(again, HUGE)?;
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(address, KIB, 7)?;
    check!(importer.mismatches(address, KIB, 7)? == 0);
    Ok(())
}

/// Makes reservations until the driver refuses one. Returns the last granted one, and the refusal: `none` after `most`.
fn reserve_until_refused(role: &Role, size: u64, most: usize) -> Result<(Option<Pointer>, String), Stop> {
    let mut last = None;
    for _ in 0..most {
        match reserve(role, size) {
            Ok(address) => last = Some(address),
            refused => return Ok((last, refused.refusal(&[])?.to_string())),
        }
    }
    Ok((last, "none".to_owned()))
}

/// The driver refuses to free a reservation that contains a mapping, wherever it lies, and the mapping still works.
#[rstest]
#[case::at_the_start(0)]
#[case::at_the_end(SIZE)]
#[conformance::test("VMM-RES-010", needs(virtual_memory))]
fn freeing_a_mapped_reservation_is_refused(importer: Role, #[case] offset: u64) -> Outcome {
    let reserved = reserve(&importer, 2 * SIZE)?;
    let address = reserved.offset(offset);
    importer.mem_map(address, SIZE, 0, create(&importer)?, 0)?;
    importer.mem_address_free(reserved, 2 * SIZE).refused_and_recorded(&[])?;
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    importer.fill(address, 4 * KIB, 7)?;
    check!(importer.mismatches(address, 4 * KIB, 7)? == 0);
    Ok(())
}

/// The driver reserves and frees addresses without a current context.
#[rstest]
#[conformance::test("VMM-RES-013", needs(virtual_memory))]
fn no_context_is_needed(importer: Role) -> Outcome {
    importer.ctx_set_current(None)?;
    let address = reserve(&importer, SIZE)?;
    importer.mem_address_free(address, SIZE)
}

/// The driver refuses a reservation before `cuInit`.
#[rstest]
#[conformance::test("VMM-RES-013", needs(virtual_memory))]
fn initialisation_is_needed(uninitialised: Role) -> Outcome {
    reserve(&uninitialised, SIZE).refused(NOT_INITIALIZED)?;
    Ok(())
}
