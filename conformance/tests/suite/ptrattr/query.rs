//! Queries of unknown memory and unknown attributes, buffer ids, and synchronous memory operations.

use conformance::{Expect as _, Outcome, Pointer, Role, check};
use cuda_ipc_sys::{CUpointer_attribute as Attribute, CUresult};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::importer;

const INVALID_VALUE: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_VALUE];
const BUFFER_ID: u32 = Attribute::CU_POINTER_ATTRIBUTE_BUFFER_ID.0;

/// The driver refuses a query of one attribute of memory that CUDA does not know, and returns zeros if several are
/// queried at once.
#[rstest]
#[conformance::test("PTRATTR-013")]
fn foreign_memory_has_no_attributes(importer: Role) -> Outcome {
    const SEVERAL: [Attribute; 4] = [
        Attribute::CU_POINTER_ATTRIBUTE_CONTEXT,
        Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        Attribute::CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        Attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED,
    ];
    let heap = importer.heap_alloc(SIZE)?;
    importer.pointer_get_attribute(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE.0, heap).refused(INVALID_VALUE)?;
    let values = importer.pointer_get_attributes(SEVERAL.map(|attribute| attribute.0).to_vec(), heap)?;
    check!(values == vec![0; SEVERAL.len()]);
    Ok(())
}

/// The driver refuses an unknown pointer attribute.
#[rstest]
#[conformance::test("PTRATTR-015")]
fn unknown_attributes_are_refused(importer: Role) -> Outcome {
    let buffer = importer.mem_alloc(SIZE)?;
    importer.pointer_get_wide_attribute(9999, buffer).refused(INVALID_VALUE)?;
    Ok(())
}

/// The code of an attribute query without a current context is recorded.
#[rstest]
#[case::memory_type(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE)]
#[case::device_pointer(Attribute::CU_POINTER_ATTRIBUTE_DEVICE_POINTER)]
#[case::access_flags(Attribute::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS)]
#[case::range_size(Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE)]
#[conformance::test("PTRATTR-016")]
fn the_code_without_a_context(importer: Role, #[case] attribute: Attribute) -> Outcome {
    let buffer = importer.mem_alloc(SIZE)?;
    let context = importer.ctx_get_current()?;
    importer.ctx_set_current(None)?;
    importer.pointer_get_wide_attribute(attribute.0, buffer).recorded("code")?;
    importer.ctx_set_current(Some(context))
}

/// All pointers into a buffer have the same `BUFFER_ID`, and another buffer has a different one.
#[rstest]
#[conformance::test("PTRATTR-007")]
fn interior_pointers_share_the_buffer_id(importer: Role) -> Outcome {
    let (buffer, other) = (importer.mem_alloc(SIZE)?, importer.mem_alloc(SIZE)?);
    let number = importer.pointer_get_wide_attribute(BUFFER_ID, buffer)?;
    check!(importer.pointer_get_wide_attribute(BUFFER_ID, buffer.offset(SIZE - 1))? == number);
    check!(importer.pointer_get_wide_attribute(BUFFER_ID, other)? != number);
    Ok(())
}

/// A `BUFFER_ID` is not used again in the process, even if the address is.
#[rstest]
#[conformance::test("PTRATTR-006")]
fn a_buffer_id_is_not_used_again(importer: Role) -> Outcome {
    let mut numbers = Vec::new();
    for _ in 0..50 {
        let buffer = importer.mem_alloc(SIZE)?;
        let number = importer.pointer_get_wide_attribute(BUFFER_ID, buffer)?;
        check!(!numbers.contains(&number), "the buffer id {number} was used twice");
        numbers.push(number);
        importer.mem_free(buffer)?;
    }
    Ok(())
}

/// `SYNC_MEMOPS` can be set on a buffer. The driver refuses to set it on a null pointer.
#[rstest]
#[conformance::test("PTRATTR-008")]
fn memory_operations_can_be_made_synchronous(importer: Role) -> Outcome {
    const SYNC: u32 = Attribute::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS.0;
    let buffer = importer.mem_alloc(SIZE)?;
    check!(importer.pointer_get_attribute(SYNC, buffer)? == 0);
    importer.pointer_set_sync_memops(buffer, true)?;
    check!(importer.pointer_get_attribute(SYNC, buffer)? == 1);
    importer.pointer_set_sync_memops(Pointer::NULL, true).refused(&[])?;
    Ok(())
}
