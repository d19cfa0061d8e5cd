//! Processes that fault or end, next to others.

mod checkpoint;
mod compute_mode;
mod exporter_death;
mod platform;
mod scale;

use conformance::{Expect as _, Outcome, Pointer, Role, check, seed};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, importer};

/// An importer's kernel that writes where nothing is mapped ends the device work of its own process, and not the
/// exporter's.
#[rstest]
#[conformance::test("PROC-005", needs(virtual_memory))]
fn the_exporter_survives_an_importers_fault(exporter: Role, importer: Role) -> Outcome {
    let (buffer, pattern) = (exporter.mem_alloc(SIZE)?, seed());
    exporter.fill(buffer, SIZE, pattern)?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    let nowhere = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    let stream = importer.stream_create()?;
    importer.launch("fill".into(), vec![nowhere.into(), (SIZE / 4).into(), 8_u32.into()], stream)?;
    importer.stream_synchronize(stream).refused(&[CUresult::CUDA_ERROR_ILLEGAL_ADDRESS])?;
    exporter.ctx_synchronize()?;
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    exporter.fill(buffer, SIZE, 9)?;
    check!(exporter.mismatches(buffer, SIZE, 9)? == 0);
    // All its contexts are lost: what it holds goes back with the process alone.
    importer.kill()
}
