//! Environments in which documentation and user reports disagree about legacy memory and events.

use conformance::{Expect as _, Outcome, Role, Stream, check};
use cuda_ipc_sys::CUevent_flags;
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, importer};
use crate::support::legacy::filled;

/// Between clients of the multi-process service, memory and events that open work. The code of each call is recorded.
#[rstest]
#[conformance::test("PROC-008", needs(mps))]
fn handles_that_open_between_mps_clients_work(exporter: Role, importer: Role) -> Outcome {
    record_memory_and_events(&exporter, &importer)
}

/// In the Windows Subsystem for Linux, memory and events that open work. The code of each call is recorded.
#[rstest]
#[conformance::test("PROC-012", needs(wsl))]
fn handles_that_open_on_wsl_work(exporter: Role, importer: Role) -> Outcome {
    record_memory_and_events(&exporter, &importer)
}

/// Records the code of each call. Memory that opens must have the exporter's bytes, and an event that opens must
/// complete after the exporter records it.
fn record_memory_and_events(exporter: &Role, importer: &Role) -> Outcome {
    let (buffer, pattern) = filled(exporter, SIZE)?;
    if let Some(handle) = exporter.ipc_get_mem_handle(buffer).recorded("export of memory")?
        && let Some(import) = importer.ipc_open_mem_handle(handle).recorded("open of memory")?
    {
        check!(importer.mismatches(import, SIZE, pattern)? == 0);
    }
    let flags = CUevent_flags::CU_EVENT_INTERPROCESS | CUevent_flags::CU_EVENT_DISABLE_TIMING;
    if let Some(event) = exporter.event_create(flags.0).recorded("create of an event")?
        && let Some(handle) = exporter.ipc_get_event_handle(event).recorded("export of an event")?
        && let Some(imported) = importer.ipc_open_event_handle(handle).recorded("open of an event")?
    {
        exporter.event_record(event, Stream::DEFAULT)?;
        importer.event_synchronize(imported)?;
    }
    exporter.ctx_synchronize()?;
    importer.ctx_synchronize()
}
