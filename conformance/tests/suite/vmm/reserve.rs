//! `cuMemAddressReserve` and `cuMemAddressFree`.

use conformance::{Expect as _, GIB, KIB, MIB, MemProperties, Outcome, Pointer, Role, Stop, check, observe};
use rstest::rstest;

use super::{INVALID_VALUE, NOT_INITIALIZED, READ_WRITE, SIZE, create, map, map_readable_and_writable, reserve};
use crate::support::fixtures::{importer, uninitialised};

/// Addresses are reserved and freed in multiples of the granularity, and aligned to it.
#[rstest]
#[conformance::test("VMM-RES-001", needs(virtual_memory))]
fn addresses_are_aligned_to_the_granularity(importer: Role, #[values(2 * MIB, GIB)] size: u64) -> Outcome {
    let granularity = importer.mem_get_allocation_granularity(MemProperties::device(0), 0)?;
    let address = reserve(&importer, size)?;
    check!(address.0.is_multiple_of(granularity), "{address:?} is not aligned to {granularity}");
    importer.mem_address_free(address, size)
}

/// What is answered to a reservation of no bytes is recorded.
#[rstest]
#[conformance::test("VMM-RES-002", needs(virtual_memory))]
fn no_bytes_are_recorded(importer: Role) -> Outcome {
    reserve(&importer, 0).recorded("reserve")?;
    Ok(())
}

/// A size that is no multiple of the page is refused.
#[rstest]
#[conformance::test("VMM-RES-003", needs(virtual_memory))]
fn a_size_that_is_no_multiple_of_the_page_is_refused(importer: Role) -> Outcome {
    reserve(&importer, 2 * MIB - 1).refused_and_recorded(&[])?;
    Ok(())
}

/// An alignment that is no power of two is refused.
#[rstest]
#[conformance::test("VMM-RES-004", needs(virtual_memory))]
fn an_alignment_that_is_no_power_of_two_is_refused(importer: Role) -> Outcome {
    importer.mem_address_reserve(SIZE, 3, Pointer::NULL, 0).refused_and_recorded(&[])?;
    Ok(())
}

/// A large alignment is honoured.
#[rstest]
#[conformance::test("VMM-RES-005", needs(virtual_memory))]
fn a_large_alignment_is_honoured(importer: Role, #[values(16 * MIB, GIB)] alignment: u64) -> Outcome {
    let address = importer.mem_address_reserve(SIZE, alignment, Pointer::NULL, 0)?;
    check!(address.0.is_multiple_of(alignment), "{address:?} is not aligned to {alignment}");
    Ok(())
}

/// A free address may be wished for; whether it is given is recorded.
#[rstest]
#[conformance::test("VMM-RES-006", needs(virtual_memory))]
fn a_free_address_may_be_wished_for(importer: Role) -> Outcome {
    let wish = reserve(&importer, SIZE)?;
    importer.mem_address_free(wish, SIZE)?;
    let address = importer.mem_address_reserve(SIZE, 0, wish, 0)?;
    observe("wish granted", (address == wish).to_string());
    Ok(())
}

/// A wish for addresses that are taken gives others.
#[rstest]
#[conformance::test("VMM-RES-007", needs(virtual_memory))]
fn a_wish_for_taken_addresses_gives_others(importer: Role) -> Outcome {
    let taken = reserve(&importer, SIZE)?;
    if let Some(address) = importer.mem_address_reserve(SIZE, 0, taken, 0).recorded("taken")? {
        let apart = address.0 + SIZE <= taken.0 || taken.0 + SIZE <= address.0;
        check!(apart, "{address:?} overlaps {taken:?}");
    }
    Ok(())
}

/// A wish that is not aligned to a page is refused.
#[rstest]
#[conformance::test("VMM-RES-007", needs(virtual_memory))]
fn a_wish_that_is_not_aligned_is_refused(importer: Role) -> Outcome {
    let free = reserve(&importer, SIZE)?;
    importer.mem_address_free(free, SIZE)?;
    importer.mem_address_reserve(SIZE, 0, free.offset(1), 0).refused_and_recorded(&[])?;
    Ok(())
}

/// Flags are refused.
#[rstest]
#[conformance::test("VMM-RES-008", needs(virtual_memory))]
fn flags_are_refused(importer: Role) -> Outcome {
    importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 1).refused(INVALID_VALUE)?;
    Ok(())
}

/// Only a whole reservation is freed.
#[rstest]
#[case::interior(4 * MIB, SIZE)]
#[case::half(0, SIZE / 2)]
#[case::more(0, 2 * SIZE)]
#[case::nothing(0, 0)]
#[conformance::test("VMM-RES-009", needs(virtual_memory))]
fn only_a_whole_reservation_is_freed(importer: Role, #[case] offset: u64, #[case] size: u64) -> Outcome {
    let address = reserve(&importer, SIZE)?;
    importer.mem_address_free(address.offset(offset), size).refused(INVALID_VALUE)?;
    importer.mem_address_free(address, SIZE)
}

/// Null is no reservation.
#[rstest]
#[conformance::test("VMM-RES-009", needs(virtual_memory))]
fn null_is_not_freed(importer: Role) -> Outcome {
    importer.mem_address_free(Pointer::NULL, SIZE).refused(INVALID_VALUE)?;
    Ok(())
}

/// What the second free of a reservation answers is recorded; addresses are reserved and mapped as before.
#[rstest]
#[conformance::test("VMM-RES-011", needs(virtual_memory))]
fn freeing_twice_is_recorded(importer: Role) -> Outcome {
    let address = reserve(&importer, SIZE)?;
    importer.mem_address_free(address, SIZE)?;
    importer.mem_address_free(address, SIZE).recorded("second free")?;
    let again = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(again, KIB, 7)?;
    check!(importer.mismatches(again, KIB, 7)? == 0);
    Ok(())
}

/// Whoever reserves until nothing is left is refused, and goes on once something is freed. The bound is 512 reservations
/// of 4 TiB, eight times 48 bits of addresses; a driver that gives them all is recorded to refuse none.
#[rstest]
#[conformance::test("VMM-RES-012", needs(virtual_memory))]
fn addresses_run_out_cleanly(importer: Role) -> Outcome {
    const HUGE: u64 = 4 << 40;
    const MOST: usize = 512;
    let mut reserved = Vec::new();
    let refusal = loop {
        match reserve(&importer, HUGE) {
            Ok(address) if reserved.len() < MOST => reserved.push(address),
            Ok(_) => break "none".to_owned(),
            refused => break refused.refused(&[])?.to_string(),
        }
    };
    observe("refusal", refusal);
    let last = reserved.pop();
    let last = last.ok_or_else(|| Stop::failed("not even one huge reservation was given"))?;
    importer.mem_address_free(last, HUGE)?;
    let again = reserve(&importer, HUGE)?;
    importer.mem_address_free(again, HUGE)?;
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(address, KIB, 7)?;
    check!(importer.mismatches(address, KIB, 7)? == 0);
    Ok(())
}

/// A reservation with a mapping in it is not freed, and the mapping goes on to work.
#[rstest]
#[conformance::test("VMM-RES-010", needs(virtual_memory))]
fn a_mapped_reservation_is_not_freed(importer: Role) -> Outcome {
    let address = map(&importer, create(&importer)?)?;
    importer.mem_address_free(address, SIZE).refused(&[])?;
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    importer.fill(address, 4 * KIB, 7)?;
    check!(importer.mismatches(address, 4 * KIB, 7)? == 0);
    Ok(())
}

/// No context need be current.
#[rstest]
#[conformance::test("VMM-RES-013", needs(virtual_memory))]
fn no_context_is_needed(importer: Role) -> Outcome {
    importer.ctx_set_current(None)?;
    let address = reserve(&importer, SIZE)?;
    importer.mem_address_free(address, SIZE)
}

/// Before `cuInit` nothing is reserved.
#[rstest]
#[conformance::test("VMM-RES-013", needs(virtual_memory))]
fn initialisation_is_needed(uninitialised: Role) -> Outcome {
    reserve(&uninitialised, SIZE).refused(NOT_INITIALIZED)?;
    Ok(())
}
