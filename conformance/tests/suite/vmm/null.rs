//! Null arguments.

use conformance::{Expect as _, Outcome, Role, Stop, check};
use rstest::rstest;

use crate::support::constants::DEVICE;
use crate::support::fixtures::{exporter, importer};
use crate::support::virtual_memory::{SIZE, create_exportable, map, map_readable_and_writable};

/// The argument that is null.
#[derive(Clone, Copy, Debug)]
enum Argument {
    GranularityOutput,
    GranularityProperties,
    CreateOutput,
    CreateProperties,
    PropertiesOutput,
    ExportOutput,
    AccessDescription,
}

impl Argument {
    /// Makes a call with null for this argument and valid values for the others, and returns its result.
    fn pass(self, role: &Role) -> Result<Outcome, Stop> {
        let physical = create_exportable(role)?;
        Ok(match self {
            Self::GranularityOutput => role.mem_get_allocation_granularity_in_part(Some(DEVICE), false),
            Self::GranularityProperties => role.mem_get_allocation_granularity_in_part(None, true),
            Self::CreateOutput => role.mem_create_in_part(SIZE, Some(DEVICE), false),
            Self::CreateProperties => role.mem_create_in_part(SIZE, None, true),
            Self::PropertiesOutput => role.mem_get_allocation_properties_into_null(physical),
            Self::ExportOutput => role.mem_export_into_null(physical),
            Self::AccessDescription => role.mem_set_access_of_null(map(role, physical)?, SIZE),
        })
    }
}

/// A call with a null argument fails or crashes its process; the memory of other processes does not change.
#[rstest]
#[case::granularity_output(Argument::GranularityOutput)]
#[case::granularity_properties(Argument::GranularityProperties)]
#[case::create_output(Argument::CreateOutput)]
#[case::create_properties(Argument::CreateProperties)]
#[case::properties_output(Argument::PropertiesOutput)]
#[case::export_output(Argument::ExportOutput)]
#[case::access_descriptor(Argument::AccessDescription)]
#[conformance::test(
    "VMM-CREATE-004",
    "VMM-CREATE-021",
    "VMM-CREATE-022",
    "VMM-CREATE-025",
    "VMM-EXP-004",
    "VMM-MAP-025",
    needs(memory_descriptors)
)]
fn null_arguments_fail(#[from(exporter)] sacrifice: Role, importer: Role, #[case] argument: Argument) -> Outcome {
    let kept = map_readable_and_writable(&importer, create_exportable(&importer)?)?;
    importer.fill(kept, SIZE, 7)?;
    check!(argument.pass(&sacrifice)?.survived_or_not("result")?.is_none(), "the call returned CUDA_SUCCESS");
    check!(importer.mismatches(kept, SIZE, 7)? == 0);
    Ok(())
}

/// An import with a null output leaves the memory of another process unchanged. The result, which may be a crash, is
/// recorded.
#[rstest]
#[conformance::test("VMM-IMP-011", needs(memory_descriptors))]
fn a_null_output_of_an_import_leaves_others_unharmed(#[from(exporter)] sacrifice: Role, importer: Role) -> Outcome {
    let kept = map_readable_and_writable(&importer, create_exportable(&importer)?)?;
    importer.fill(kept, SIZE, 7)?;
    let descriptor = sacrifice.mem_export_to_descriptor(create_exportable(&sacrifice)?)?;
    sacrifice.mem_import_into_null(descriptor).survived_or_not("result")?;
    check!(importer.mismatches(kept, SIZE, 7)? == 0);
    Ok(())
}
