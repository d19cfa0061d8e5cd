//! `cuMemGetAddressRange`.

use conformance::{Expect as _, KIB, Outcome, Role, check, observe};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, importer};
use crate::support::pointer_kind::PointerKind;

const UNKNOWN: &[CUresult] = &[CUresult::CUDA_ERROR_NOT_FOUND, CUresult::CUDA_ERROR_INVALID_VALUE];

/// Every pointer into an allocation gives its base and its size.
#[rstest]
#[case::base(0)]
#[case::interior(SIZE / 2 + 1)]
#[case::last(SIZE - 1)]
#[conformance::test("RANGE-001")]
fn every_pointer_gives_base_and_size(importer: Role, #[case] offset: u64) -> Outcome {
    let buffer = importer.mem_alloc(SIZE)?;
    let range = importer.mem_get_address_range(buffer.offset(offset))?;
    check!(range.base == buffer);
    check!(range.size == SIZE);
    Ok(())
}

/// Either output may be left out.
#[rstest]
#[conformance::test("RANGE-001")]
fn either_output_may_be_left_out(importer: Role) -> Outcome {
    let buffer = importer.mem_alloc(SIZE)?;
    check!(importer.mem_get_address_range_in_part(buffer.offset(7), true, false)? == buffer.0);
    check!(importer.mem_get_address_range_in_part(buffer.offset(7), false, true)? == SIZE);
    Ok(())
}

/// An address that is of no allocation is unknown.
#[rstest]
#[case::heap(PointerKind::Heap)]
#[case::freed(PointerKind::Freed)]
#[case::null(PointerKind::Null)]
#[conformance::test("RANGE-002")]
fn other_addresses_are_unknown(importer: Role, #[case] kind: PointerKind) -> Outcome {
    importer.mem_get_address_range(kind.make(&importer)?).refused_and_recorded(UNKNOWN)?;
    Ok(())
}

/// What is answered of memory of other kinds is recorded.
#[rstest]
#[case::managed(PointerKind::Managed)]
#[case::pinned(PointerKind::Pinned)]
#[case::pool(PointerKind::DefaultPool)]
#[conformance::test("RANGE-004", needs(managed_memory, memory_pools))]
fn other_kinds_are_recorded(importer: Role, #[case] kind: PointerKind) -> Outcome {
    let pointer = kind.make(&importer)?;
    if let Some(range) = importer.mem_get_address_range(pointer).recorded("code")? {
        check!(range.base == pointer);
    }
    Ok(())
}

/// The size that an import of a small allocation reports is recorded.
#[rstest]
#[conformance::test("RANGE-005")]
fn the_size_of_a_small_import_is_recorded(exporter: Role, importer: Role) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(64 * KIB)?)?;
    let import = importer.ipc_open_mem_handle(handle)?;
    observe("size", importer.mem_get_address_range(import)?.size.to_string());
    Ok(())
}

/// The size that is reported for an odd request is recorded.
#[rstest]
#[conformance::test("RANGE-006")]
fn the_size_of_an_odd_request_is_recorded(importer: Role) -> Outcome {
    let buffer = importer.mem_alloc(41)?;
    let size = importer.mem_get_address_range(buffer)?.size;
    check!(size >= 41, "{size}");
    observe("size", size.to_string());
    Ok(())
}
