//! `cuMemImportFromShareableHandle`.

use conformance::{Expect as _, MemProperties, Outcome, Role, check, observe};
use rstest::rstest;

use super::{
    NONE, NOT_INITIALIZED, READ, READ_WRITE, REFUSED, SIZE, create_exportable, import, map, map_readable_and_writable,
    reserve,
};
use crate::fixtures::{exporter, importer, observer, uninitialised};
use crate::foreign::Foreign;

/// Both processes see what either writes.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn both_processes_see_what_either_writes(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let there = map_readable_and_writable(&exporter, physical)?;
    let here = map_readable_and_writable(&importer, import(&exporter, physical, &importer)?)?;
    exporter.fill(there, SIZE, 7)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    importer.fill(here, SIZE, 8)?;
    check!(exporter.mismatches(there, SIZE, 8)? == 0);
    Ok(())
}

/// A descriptor is passed as its number; its address is refused.
#[rstest]
#[conformance::test("VMM-IMP-002", needs(memory_descriptors))]
fn the_address_of_a_descriptor_is_refused(importer: Role) -> Outcome {
    let descriptor = importer.mem_export_to_descriptor(create_exportable(&importer)?)?;
    let code = importer.mem_import_from_address_of_descriptor(descriptor).refused(&[])?;
    observe("code", code.to_string());
    importer.mem_import_from_descriptor(descriptor)?;
    Ok(())
}

/// What is no descriptor of physical memory is refused, and the driver goes on to work.
#[rstest]
#[case::negative(Foreign::Negative)]
#[case::closed(Foreign::Closed)]
#[case::dev_null(Foreign::DevNull)]
#[case::file(Foreign::File)]
#[case::pipe(Foreign::Pipe)]
#[case::socket(Foreign::Socket)]
#[case::shared_memory(Foreign::SharedMemory)]
#[case::event_counter(Foreign::EventCounter)]
#[conformance::test("VMM-IMP-003", needs(memory_descriptors))]
fn foreign_descriptors_are_refused(importer: Role, #[case] foreign: Foreign) -> Outcome {
    let code = importer.mem_import_from_descriptor(foreign.make(&importer)?).refused(&[])?;
    observe("code", code.to_string());
    let descriptor = importer.mem_export_to_descriptor(create_exportable(&importer)?)?;
    importer.mem_import_from_descriptor(descriptor)?;
    Ok(())
}

/// Imported twice, memory needs two releases.
#[rstest]
#[conformance::test("VMM-IMP-006", needs(memory_descriptors))]
fn every_import_is_released(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let one = import(&exporter, physical, &importer)?;
    let other = import(&exporter, physical, &importer)?;
    importer.mem_release(one)?;
    let here = map_readable_and_writable(&importer, other)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    importer.mem_release(other)
}

/// The importer's descriptor stays its own, and may be closed as soon as the memory is imported.
#[rstest]
#[conformance::test("VMM-IMP-007", "VMM-IMP-008", needs(memory_descriptors))]
fn the_descriptor_stays_the_importers(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let descriptor = importer.receive_descriptor(&sent)?;
    let before = importer.descriptor_target(descriptor)?;
    let imported = importer.mem_import_from_descriptor(descriptor)?;
    check!(importer.descriptor_target(descriptor)? == before);
    importer.close_descriptor(descriptor)?;
    let here = map_readable_and_writable(&importer, imported)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    Ok(())
}

/// A process may import its own memory, and then has it twice.
#[rstest]
#[conformance::test("VMM-IMP-009", needs(memory_descriptors))]
fn the_own_process_imports_its_memory(importer: Role) -> Outcome {
    let physical = create_exportable(&importer)?;
    let one = map_readable_and_writable(&importer, physical)?;
    let other = map_readable_and_writable(&importer, import(&importer, physical, &importer)?)?;
    check!(one != other);
    importer.fill(one, SIZE, 7)?;
    check!(importer.mismatches(other, SIZE, 7)? == 0);
    Ok(())
}

/// A descriptor does not carry the size, and the driver knows it: more is refused.
#[rstest]
#[conformance::test("VMM-IMP-012", needs(memory_descriptors))]
fn more_than_was_exported_is_refused(exporter: Role, importer: Role) -> Outcome {
    let physical = import(&exporter, create_exportable(&exporter)?, &importer)?;
    let address = reserve(&importer, 2 * SIZE)?;
    importer.mem_map(address, 2 * SIZE, 0, physical, 0).refused(REFUSED)?;
    Ok(())
}

/// A part of what was exported may be mapped.
#[rstest]
#[conformance::test("VMM-IMP-012", needs(memory_descriptors))]
fn a_part_may_be_mapped(exporter: Role, importer: Role) -> Outcome {
    let physical = import(&exporter, create_exportable(&exporter)?, &importer)?;
    importer.mem_map(reserve(&importer, SIZE)?, SIZE / 2, 0, physical, 0)
}

/// An import has the type and the place of the memory; what it can be exported as is recorded.
#[rstest]
#[conformance::test("VMM-IMP-013", needs(memory_descriptors))]
fn an_import_has_properties(exporter: Role, importer: Role) -> Outcome {
    let physical = import(&exporter, create_exportable(&exporter)?, &importer)?;
    let found = importer.mem_get_allocation_properties(physical)?;
    observe("handle types", found.handle_types.to_string());
    check!(MemProperties { handle_types: 0, ..found } == MemProperties::device(0));
    Ok(())
}

/// Access belongs to a process and a mapping: an import begins with none.
#[rstest]
#[conformance::test("VMM-IMP-014", needs(memory_descriptors))]
fn an_import_begins_without_access(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    map_readable_and_writable(&exporter, physical)?;
    let here = map(&importer, import(&exporter, physical, &importer)?)?;
    check!(importer.mem_get_access(here, 0)? == NONE);
    importer.read(here, 4).refused(&[])?;
    Ok(())
}

/// The importer may hold read access to what the exporter writes.
#[rstest]
#[conformance::test("VMM-IMP-015", needs(memory_descriptors))]
fn an_importer_may_only_read(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let there = map_readable_and_writable(&exporter, physical)?;
    let here = map(&importer, import(&exporter, physical, &importer)?)?;
    importer.mem_set_access(here, SIZE, 0, READ)?;
    exporter.fill(there, SIZE, 7)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    importer.write(here, vec![1; 4]).refused(&[])?;
    check!(exporter.mismatches(there, SIZE, 7)? == 0);
    Ok(())
}

/// An importer on a peer reaches the memory from its own GPU.
#[rstest]
#[conformance::test("VMM-IMP-016", needs(gpus = 2, memory_descriptors, peer_access))]
fn an_importer_on_a_peer_reaches_the_memory(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let there = map_readable_and_writable(&exporter, physical)?;
    let here = map(&importer, import(&exporter, physical, &importer)?)?;
    importer.mem_set_access(here, SIZE, 1, READ_WRITE)?;
    exporter.fill(there, SIZE, 7)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    importer.fill(here, SIZE, 8)?;
    check!(exporter.mismatches(there, SIZE, 8)? == 0);
    Ok(())
}

/// An import may be released without ever being mapped.
#[rstest]
#[conformance::test("VMM-IMP-025", needs(memory_descriptors))]
fn an_import_need_not_be_mapped(exporter: Role, importer: Role) -> Outcome {
    let physical = import(&exporter, create_exportable(&exporter)?, &importer)?;
    importer.mem_release(physical)
}

/// Many processes import one descriptor.
#[rstest]
#[conformance::test("VMM-IMP-026", needs(memory_descriptors))]
fn eight_processes_import_one_descriptor(exporter: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    for number in 0..8 {
        let importer = crate::fixtures::start(&format!("importer {number}"), conformance::role::Placement::device(0));
        let imported = importer.mem_import_from_descriptor(importer.receive_descriptor(&sent)?)?;
        let here = map_readable_and_writable(&importer, imported)?;
        check!(importer.mismatches(here, SIZE, 7)? == 0);
    }
    Ok(())
}

/// A process may pass on a descriptor that it received.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn a_descriptor_may_be_passed_on(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let passed_on = importer.send_descriptor(importer.receive_descriptor(&sent)?)?;
    let imported = observer.mem_import_from_descriptor(observer.receive_descriptor(&passed_on)?)?;
    let here = map_readable_and_writable(&observer, imported)?;
    check!(observer.mismatches(here, SIZE, 7)? == 0);
    Ok(())
}

/// No context need be current.
#[rstest]
#[conformance::test("VMM-IMP-035", needs(memory_descriptors))]
fn no_context_is_needed(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    importer.ctx_set_current(None)?;
    let imported = import(&exporter, physical, &importer)?;
    importer.mem_release(imported)
}

/// Before `cuInit` nothing is imported, and the descriptor stays good.
#[rstest]
#[conformance::test("VMM-IMP-035", needs(memory_descriptors))]
fn initialisation_is_needed(exporter: Role, uninitialised: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let received = uninitialised.receive_descriptor(&sent)?;
    uninitialised.mem_import_from_descriptor(received).refused(NOT_INITIALIZED)?;
    let passed_on = uninitialised.send_descriptor(received)?;
    let imported = importer.mem_import_from_descriptor(importer.receive_descriptor(&passed_on)?)?;
    importer.mem_release(imported)
}
