//! Ways to pass a descriptor to an importer other than `SCM_RIGHTS`.

use conformance::ChildEnd;
use conformance::{Descriptor, Expect as _, Outcome, Role, Stop, check};
use rstest::rstest;

use crate::support::fixtures::{exporter, importer, uninitialised};
use crate::support::virtual_memory::{SIZE, create_exportable, map_readable_and_writable};

/// A child that was forked before `cuInit` can import from a descriptor that it inherited.
#[rstest]
#[conformance::test("VMM-IMP-027", needs(memory_descriptors))]
fn a_child_inherits_a_descriptor(exporter: Role, uninitialised: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let descriptor = uninitialised.receive_descriptor(&sent)?;
    let end = uninitialised.fork_and_import(descriptor, SIZE, 7)?;
    check!(end == ChildEnd::Worked);
    Ok(())
}

/// A descriptor that the importer took with `pidfd_getfd`, permitted by the exporter, imports like one that was sent.
#[rstest]
#[conformance::test("VMM-IMP-028", needs(memory_descriptors))]
fn a_descriptor_taken_with_pidfd_getfd_imports(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let descriptor = exporter.mem_export_to_descriptor(physical)?;
    exporter.allow_tracer(importer.id())?;
    let Some(taken) = importer.take_descriptor(exporter.id(), descriptor)? else {
        return Err(Stop::Unsupported("needs a system that permits pidfd_getfd on another process".to_owned()));
    };
    exporter.close_descriptor(descriptor)?;
    let here = map_readable_and_writable(&importer, importer.mem_import_from_descriptor(taken)?)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    Ok(())
}

/// A null handle means descriptor 0: the driver refuses an ordinary standard input there; the code for an exported
/// descriptor there is recorded.
#[rstest]
#[conformance::test("VMM-IMP-036", needs(memory_descriptors))]
fn null_means_descriptor_0(exporter: Role, importer: Role) -> Outcome {
    const STANDARD_INPUT: Descriptor = Descriptor(0);
    importer.mem_import_from_descriptor(STANDARD_INPUT).refused_and_recorded(&[])?;
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    importer.set_standard_input(Some(importer.receive_descriptor(&sent)?))?;
    let imported = importer.mem_import_from_descriptor(STANDARD_INPUT).recorded("import of descriptor 0");
    importer.set_standard_input(None)?;
    if let Some(imported) = imported? {
        let here = map_readable_and_writable(&importer, imported)?;
        check!(importer.mismatches(here, SIZE, 7)? == 0);
    }
    Ok(())
}
