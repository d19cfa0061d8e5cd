//! `cudaDeviceReset`.

use conformance::{Expect as _, Outcome, Role, check};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, importer};
use crate::support::legacy::filled;

/// If an importer resets its device while memory is open, the exporter's memory stays intact. The code of a new open is
/// recorded, and memory that opens again has the right contents.
#[rstest]
#[conformance::test("RT-006", needs(legacy_memory, runtime))]
fn an_importers_reset_leaves_the_exporters_memory_intact(exporter: Role, importer: Role) -> Outcome {
    let (buffer, pattern) = filled(&exporter, SIZE)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    importer.cuda_ipc_open_mem_handle(handle)?;
    importer.cuda_device_reset().recorded("reset")?;
    if let Some(import) = importer.cuda_ipc_open_mem_handle(handle).recorded("open after the reset")? {
        check!(importer.mismatches(import, SIZE, pattern)? == 0);
    }
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    Ok(())
}
