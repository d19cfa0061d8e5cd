//! `cuMemExportToShareableHandle`.

use conformance::machine::Fabric;
use conformance::{Expect as _, MemProperties, Outcome, Placement, Role, check, observe};
use cuda_ipc_sys::CUpointer_attribute;
use rstest::rstest;

use crate::support::by_kernel::both_see;
use crate::support::constants::{DESCRIPTOR, FABRIC, INVALID_VALUE};
use crate::support::fixtures::{exporter, importer, observer, start};
use crate::support::virtual_memory::{SIZE, create_exportable, import, map_readable_and_writable};

/// The driver exports an allocation that was created for descriptors as a descriptor, which is open and leads to it.
#[rstest]
#[conformance::test("VMM-EXP-001", needs(memory_descriptors))]
fn memory_exports_as_a_descriptor(exporter: Role) -> Outcome {
    let descriptor = exporter.mem_export_to_descriptor(create_exportable(&exporter)?)?;
    check!(descriptor.0 >= 0, "{descriptor:?}");
    exporter.mem_import_from_descriptor(descriptor)?;
    exporter.close_descriptor(descriptor)
}

/// Whether an exported descriptor is close-on-exec is recorded.
#[rstest]
#[conformance::test("VMM-EXP-002", needs(memory_descriptors))]
fn whether_a_descriptor_is_close_on_exec(exporter: Role) -> Outcome {
    let descriptor = exporter.mem_export_to_descriptor(create_exportable(&exporter)?)?;
    observe("close-on-exec", exporter.is_close_on_exec(descriptor)?.to_string());
    Ok(())
}

/// The driver refuses to export an allocation as a handle type that was not requested at creation.
#[rstest]
#[case::descriptor_of_none(0, DESCRIPTOR)]
#[case::fabric_of_none(0, FABRIC)]
#[case::fabric_of_descriptor(DESCRIPTOR, FABRIC)]
#[conformance::test("VMM-EXP-003", needs(memory_descriptors))]
fn unrequested_handle_types_are_refused(#[case] created_for: u32, #[case] exported_as: u32) -> Outcome {
    // If the machine has no channel, a fabric handle is refused for this reason too.
    let exporter = start("exporter", Placement::device(0).fabric(Fabric::Channel));
    let physical = exporter.mem_create(SIZE, MemProperties::device(0).exportable(created_for), 0)?;
    exporter.mem_export_as(physical, exported_as, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses to export an allocation as a descriptor that was created for fabric handles only.
#[rstest]
#[conformance::test("VMM-EXP-003", needs(memory_descriptors, fabric = Fabric::Channel))]
fn fabric_memory_does_not_export_as_a_descriptor() -> Outcome {
    let exporter = start("exporter", Placement::device(0).fabric(Fabric::Channel));
    let physical = exporter.mem_create(SIZE, MemProperties::device(0).exportable(FABRIC), 0)?;
    exporter.mem_export_as(physical, DESCRIPTOR, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses flags other than 0 and unknown handle types.
#[rstest]
#[case::flags(DESCRIPTOR, 1)]
#[case::high_flags(DESCRIPTOR, 1 << 32)]
#[case::no_type(0, 0)]
#[case::two_types(DESCRIPTOR | FABRIC, 0)]
#[case::unknown_type(0x4000, 0)]
#[conformance::test("VMM-EXP-005", needs(memory_descriptors))]
fn unknown_flags_and_types_are_refused(exporter: Role, #[case] handle_type: u32, #[case] flags: u64) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.mem_export_as(physical, handle_type, flags).refused(INVALID_VALUE)?;
    Ok(())
}

/// Memory can be exported from a mapped pointer alone, also from an interior one.
#[rstest]
#[case::base(0)]
#[case::interior(SIZE / 2 + 3)]
#[case::last_byte(SIZE - 1)]
#[conformance::test("VMM-EXP-009", needs(memory_descriptors))]
fn memory_exports_from_a_mapped_pointer(exporter: Role, importer: Role, #[case] offset: u64) -> Outcome {
    let there = map_readable_and_writable(&exporter, create_exportable(&exporter)?)?;
    let retained = exporter.mem_retain_allocation_handle(there.offset(offset))?;
    let here = map_readable_and_writable(&importer, import(&exporter, retained, &importer)?)?;
    both_see((&exporter, there), (&importer, here), SIZE)
}

/// The exporter may close its descriptor once the importer has received a copy.
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

/// Two exports of one allocation give two descriptors; closing one leaves the other usable.
#[rstest]
#[conformance::test("VMM-EXP-007", needs(memory_descriptors))]
fn exports_are_independent(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let (one, other) = (exporter.mem_export_to_descriptor(physical)?, exporter.mem_export_to_descriptor(physical)?);
    check!(one != other);
    let early = exporter.send_descriptor(one)?;
    exporter.close_descriptor(one)?;
    for sent in [exporter.send_descriptor(other)?, early] {
        let imported = importer.mem_import_from_descriptor(importer.receive_descriptor(&sent)?)?;
        let here = map_readable_and_writable(&importer, imported)?;
        check!(importer.mismatches(here, SIZE, 7)? == 0);
    }
    Ok(())
}

/// The result of exporting an imported handle is recorded; if it works, a third process can import the memory.
#[rstest]
#[conformance::test("VMM-EXP-008", needs(memory_descriptors))]
fn exporting_an_import(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let imported = import(&exporter, physical, &importer)?;
    let here = map_readable_and_writable(&importer, imported)?;
    let allowed = CUpointer_attribute::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES;
    let is_allowed = importer.pointer_get_wide_attribute(allowed.0, here)? & u64::from(DESCRIPTOR) != 0;
    observe("allowed by the pointer attribute", is_allowed);
    let Some(descriptor) = importer.mem_export_to_descriptor(imported).recorded("export")? else { return Ok(()) };
    let received = observer.receive_descriptor(&importer.send_descriptor(descriptor)?)?;
    let third = map_readable_and_writable(&observer, observer.mem_import_from_descriptor(received)?)?;
    check!(observer.mismatches(third, SIZE, 7)? == 0);
    Ok(())
}

/// The driver refuses an export if the process has reached its descriptor limit, and exports again once it is raised.
#[rstest]
#[conformance::test("VMM-EXP-010", needs(memory_descriptors))]
fn exporting_without_a_free_descriptor_is_refused(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let limit = exporter.exhaust_descriptors()?;
    let refused = exporter.mem_export_to_descriptor(physical).refused_and_recorded(&[]);
    exporter.limit_descriptors(limit)?;
    refused?;
    let here = map_readable_and_writable(&importer, import(&exporter, physical, &importer)?)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    Ok(())
}

/// Exporting an allocation and closing the descriptor 1000 times leaves no descriptor open.
#[rstest]
#[conformance::test("VMM-EXP-011", needs(memory_descriptors))]
fn exports_leave_no_descriptor(exporter: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let before = exporter.descriptor_count()?;
    exporter.mem_export_and_close(physical, 1000)?;
    check!(exporter.descriptor_count()? == before);
    Ok(())
}
