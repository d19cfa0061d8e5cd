//! The flags and the output of an open.

use conformance::{Expect as _, Outcome, Role, check};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, importer};

const INVALID_VALUE: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

/// With flags other than the documented one, the driver opens the right memory, or refuses and leaves the handle
/// usable. The code is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-010", "IPCMEM-OPEN-011")]
fn other_flags_leave_the_handle_usable(
    exporter: Role,
    importer: Role,
    #[values(0, 2, 3, 123, 4294967295)] flags: u32,
) -> Outcome {
    let buffer = exporter.mem_alloc(SIZE)?;
    exporter.memset_d8(buffer, 7, SIZE)?;
    exporter.ctx_synchronize()?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let opened = importer.ipc_open_mem_handle_with_flags(handle, flags);
    match opened.recorded("open")? {
        Some(import) => check!(importer.read(import, 4)? == [7; 4]),
        None => check!(importer.ipc_open_mem_handle(handle).is_ok(), "the handle does not open after the refusal"),
    }
    Ok(())
}

/// The driver refuses a null output.
#[rstest]
#[conformance::test("IPCMEM-OPEN-012")]
fn a_null_output_is_refused(exporter: Role, importer: Role) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?;
    importer.ipc_open_mem_handle_into_null(handle).refused(&[INVALID_VALUE])?;
    importer.ctx_synchronize()
}
