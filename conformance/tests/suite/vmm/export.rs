//! `cuMemExportToShareableHandle`.

use conformance::{Expect as _, MemProperties, Outcome, Role, check, observe};
use rstest::rstest;

use super::{DESCRIPTOR, FABRIC, INVALID_VALUE, SIZE, create_exportable, import, map_readable_and_writable};
use crate::fixtures::{exporter, importer};

/// An allocation that was made for it exports as a descriptor.
#[rstest]
#[conformance::test("VMM-EXP-001", needs(memory_descriptors))]
fn memory_exports_as_a_descriptor(exporter: Role) -> Outcome {
    let descriptor = exporter.mem_export_to_descriptor(create_exportable(&exporter)?)?;
    check!(descriptor.0 >= 0, "{descriptor:?}");
    exporter.descriptor_target(descriptor)?;
    exporter.close_descriptor(descriptor)
}

/// Whether the descriptor closes when the process becomes another program is recorded.
#[rstest]
#[conformance::test("VMM-EXP-002", needs(memory_descriptors))]
fn close_on_exec_is_recorded(exporter: Role) -> Outcome {
    let descriptor = exporter.mem_export_to_descriptor(create_exportable(&exporter)?)?;
    observe("close-on-exec", exporter.is_close_on_exec(descriptor)?.to_string());
    Ok(())
}

/// What was not asked for at creation is not exported.
#[rstest]
#[case::descriptor_of_none(0, DESCRIPTOR)]
#[case::fabric_of_none(0, FABRIC)]
#[case::fabric_of_descriptor(DESCRIPTOR, FABRIC)]
#[conformance::test("VMM-EXP-003", needs(memory_descriptors))]
fn what_was_not_asked_for_is_refused(exporter: Role, #[case] created_for: u32, #[case] exported_as: u32) -> Outcome {
    let physical = exporter.mem_create(SIZE, MemProperties::device(0).exportable(created_for), 0)?;
    exporter.mem_export_as(physical, exported_as, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// Flags, and handle types that there are none of, are refused.
#[rstest]
#[case::flags(DESCRIPTOR, 1)]
#[case::no_type(0, 0)]
#[case::unknown_type(0x4000, 0)]
#[conformance::test("VMM-EXP-005", needs(memory_descriptors))]
fn unknown_flags_and_types_are_refused(exporter: Role, #[case] handle_type: u32, #[case] flags: u64) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.mem_export_as(physical, handle_type, flags).refused(INVALID_VALUE)?;
    Ok(())
}

/// From a mapped pointer alone, an interior one too, memory is exported.
#[rstest]
#[case::base(0)]
#[case::interior(SIZE / 2 + 3)]
#[conformance::test("VMM-EXP-009", needs(memory_descriptors))]
fn a_mapped_pointer_is_enough(exporter: Role, importer: Role, #[case] offset: u64) -> Outcome {
    let there = map_readable_and_writable(&exporter, create_exportable(&exporter)?)?;
    exporter.fill(there, SIZE, 7)?;
    let retained = exporter.mem_retain_allocation_handle(there.offset(offset))?;
    let here = map_readable_and_writable(&importer, import(&exporter, retained, &importer)?)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    Ok(())
}

/// The exporter may close its descriptor once the importer has a copy.
#[rstest]
#[conformance::test("VMM-EXP-013", needs(memory_descriptors))]
fn the_exporter_may_close_its_descriptor(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let there = map_readable_and_writable(&exporter, physical)?;
    exporter.fill(there, SIZE, 7)?;
    let descriptor = exporter.mem_export_to_descriptor(physical)?;
    let received = importer.receive_descriptor(&exporter.send_descriptor(descriptor)?)?;
    exporter.close_descriptor(descriptor)?;
    let here = map_readable_and_writable(&importer, importer.mem_import_from_descriptor(received)?)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    Ok(())
}
