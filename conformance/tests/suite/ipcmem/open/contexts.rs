//! Which contexts may open.

use conformance::{Expect as _, MemHandle, Outcome, Role, Stop, check, seed};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, importer};

fn export(exporter: &Role) -> Result<MemHandle, Stop> {
    exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)
}

/// The exporting process cannot open its own handle.
#[rstest]
#[conformance::test("IPCMEM-OPEN-003")]
fn the_exporting_process_is_refused(exporter: Role) -> Outcome {
    let handle = export(&exporter)?;
    exporter.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    exporter.ctx_synchronize()
}

/// The exporting process cannot open its own handle from another GPU either.
#[rstest]
#[conformance::test("IPCMEM-OPEN-004", needs(gpus = 2))]
fn the_exporting_process_is_refused_on_another_gpu(exporter: Role) -> Outcome {
    let handle = export(&exporter)?;
    exporter.ctx_create(1)?;
    exporter.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    Ok(())
}

/// What a second context of the exporting process gets is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-005")]
fn a_second_context_of_the_exporter_is_recorded(exporter: Role) -> Outcome {
    let handle = export(&exporter)?;
    exporter.ctx_create(0)?;
    exporter.ipc_open_mem_handle(handle).recorded("open in a second context")?;
    Ok(())
}

/// A second context of the device cannot open what the first holds open.
#[rstest]
#[conformance::test("IPCMEM-OPEN-006")]
fn a_second_context_is_refused_the_same_handle(exporter: Role, importer: Role) -> Outcome {
    let handle = export(&exporter)?;
    importer.ipc_open_mem_handle(handle)?;
    importer.ctx_create(0)?;
    importer.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    Ok(())
}

/// A second context of the device cannot open anything of an exporter that the first imports from.
#[rstest]
#[conformance::test("IPCMEM-OPEN-007")]
fn a_second_context_is_refused_another_handle_of_the_exporter(exporter: Role, importer: Role) -> Outcome {
    let (one, other) = (export(&exporter)?, export(&exporter)?);
    importer.ipc_open_mem_handle(one)?;
    importer.ctx_create(0)?;
    importer.ipc_open_mem_handle(other).refused_and_recorded(&[])?;
    Ok(())
}

/// Whether a second context may open once the first closed is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-008")]
fn a_second_context_after_the_first_closed_is_recorded(exporter: Role, importer: Role) -> Outcome {
    let handle = export(&exporter)?;
    let import = importer.ipc_open_mem_handle(handle)?;
    importer.ipc_close_mem_handle(import)?;
    importer.ctx_create(0)?;
    importer.ipc_open_mem_handle(handle).recorded("open")?;
    Ok(())
}

/// Primary and created contexts export and import in any mix.
#[rstest]
#[conformance::test("IPCMEM-OPEN-009")]
fn primary_and_created_contexts_mix(
    exporter: Role,
    importer: Role,
    #[values(true, false)] exporter_created: bool,
    #[values(true, false)] importer_created: bool,
) -> Outcome {
    for (role, created) in [(&exporter, exporter_created), (&importer, importer_created)] {
        if created {
            role.ctx_create(0)?;
        }
    }
    let (buffer, pattern) = (exporter.mem_alloc(SIZE)?, seed());
    exporter.fill(buffer, SIZE, pattern)?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    Ok(())
}

/// Without a current context nothing is opened.
#[rstest]
#[conformance::test("IPCMEM-OPEN-035")]
fn a_current_context_is_needed(exporter: Role, importer: Role) -> Outcome {
    let handle = export(&exporter)?;
    importer.ctx_set_current(None)?;
    importer.ipc_open_mem_handle(handle).refused(&[CUresult::CUDA_ERROR_INVALID_CONTEXT])?;
    Ok(())
}
