//! Implicit initialisation by the runtime.

use conformance::{Outcome, Role, check};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, importer, uninitialised};
use crate::support::legacy::filled;

/// `cudaIpcOpenMemHandle` initialises the primary context if no context is current and no device was chosen.
#[rstest]
#[conformance::test("RT-002", needs(legacy_memory, runtime))]
fn opening_initialises_the_primary_context(exporter: Role, importer: Role) -> Outcome {
    let (buffer, pattern) = filled(&exporter, SIZE)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    importer.device_primary_ctx_reset()?;
    importer.ctx_set_current(None)?;
    check!(!importer.primary_context_is_active()?);
    let import = importer.cuda_ipc_open_mem_handle(handle)?;
    check!(importer.primary_context_is_active()?);
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    Ok(())
}

/// `cudaIpcOpenMemHandle` initialises the driver if nothing in the process has done so.
#[rstest]
#[conformance::test("RT-002", needs(legacy_memory, runtime))]
fn opening_initialises_the_driver(exporter: Role, uninitialised: Role) -> Outcome {
    let (buffer, pattern) = filled(&exporter, SIZE)?;
    let import = uninitialised.cuda_ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    check!(uninitialised.mismatches(import, SIZE, pattern)? == 0);
    uninitialised.cuda_ipc_close_mem_handle(import)
}
