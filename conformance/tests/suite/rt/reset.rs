//! `cudaDeviceReset`.

use conformance::{Expect as _, Outcome, Role, check, seed};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, importer};

/// An importer resets its device with memory open; what it can open afterwards is recorded, and the exporter does not
/// notice.
#[rstest]
#[conformance::test("RT-006", needs(runtime))]
fn opening_after_a_reset_is_recorded(exporter: Role, importer: Role) -> Outcome {
    let (buffer, pattern) = (exporter.mem_alloc(SIZE)?, seed());
    exporter.fill(buffer, SIZE, pattern)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    importer.cuda_ipc_open_mem_handle(handle)?;
    importer.cuda_device_reset().recorded("reset")?;
    if let Some(import) = importer.cuda_ipc_open_mem_handle(handle).recorded("open after the reset")? {
        check!(importer.mismatches(import, SIZE, pattern)? == 0);
    }
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    Ok(())
}
