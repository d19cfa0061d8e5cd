//! Attributes of memory of another process.

use conformance::{Expect as _, MIB, Outcome, Pointer, Role, Stop, check, observe};
use cuda_ipc_sys::{CUmemorytype, CUpointer_attribute as Attribute, CUresult};
use rstest::rstest;

use crate::fixtures::{exporter, importer};

const SIZE: u64 = 2 * MIB;
const MEMORY_TYPE: u32 = Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE.0;

fn import(exporter: &Role, importer: &Role) -> Result<Pointer, Stop> {
    importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?)
}

/// Imported memory is a device's; whose context and device it names is recorded.
#[rstest]
#[conformance::test("PTRATTR-009")]
fn imported_memory_is_a_devices(exporter: Role, importer: Role) -> Outcome {
    let pointer = import(&exporter, &importer)?;
    check!(importer.pointer_get_attribute(MEMORY_TYPE, pointer)? == CUmemorytype::CU_MEMORYTYPE_DEVICE.0);
    let context = importer.pointer_get_wide_attribute(Attribute::CU_POINTER_ATTRIBUTE_CONTEXT.0, pointer)?;
    observe("context is the importer's", (context == importer.ctx_get_current()?.0).to_string());
    let ordinal = importer.pointer_get_attribute(Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL.0, pointer)?;
    observe("device", ordinal.cast_signed().to_string());
    Ok(())
}

/// Imported memory is not managed.
#[rstest]
#[conformance::test("PTRATTR-010")]
fn imported_memory_is_not_managed(exporter: Role, importer: Role) -> Outcome {
    let pointer = import(&exporter, &importer)?;
    check!(importer.pointer_get_attribute(Attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED.0, pointer)? == 0);
    Ok(())
}

/// Once closed, an import has no attributes.
#[rstest]
#[conformance::test("PTRATTR-014")]
fn a_closed_import_has_no_attributes(exporter: Role, importer: Role) -> Outcome {
    let pointer = import(&exporter, &importer)?;
    importer.ipc_close_mem_handle(pointer)?;
    importer.pointer_get_attribute(MEMORY_TYPE, pointer).refused(&[CUresult::CUDA_ERROR_INVALID_VALUE])?;
    Ok(())
}

/// Whether memory operations on an import can be made synchronous is recorded.
#[rstest]
#[conformance::test("PTRATTR-008")]
fn synchronous_operations_on_an_import_are_recorded(exporter: Role, importer: Role) -> Outcome {
    let pointer = import(&exporter, &importer)?;
    importer.pointer_set_sync_memops(pointer, true).recorded("code")?;
    Ok(())
}
