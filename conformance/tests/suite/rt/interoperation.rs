//! Handles of one API in the other API.

use conformance::{Event, EventHandle, Expect as _, MemHandle, Outcome, Pointer, Role, Stop, check, seed};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::constants::{INTERPROCESS, NOT_READY};
use crate::support::fixtures::{exporter, importer};
use crate::support::latch::Latch;
use crate::support::legacy::filled;

/// The API that a process uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Api {
    Driver,
    Runtime,
}

impl Api {
    fn allocate(self, role: &Role) -> Result<Pointer, Stop> {
        match self {
            Self::Driver => role.mem_alloc(SIZE),
            Self::Runtime => role.cuda_malloc(SIZE),
        }
    }

    fn export(self, role: &Role, pointer: Pointer) -> Result<MemHandle, Stop> {
        match self {
            Self::Driver => role.ipc_get_mem_handle(pointer),
            Self::Runtime => role.cuda_ipc_get_mem_handle(pointer),
        }
    }

    fn open(self, role: &Role, handle: MemHandle) -> Result<Pointer, Stop> {
        match self {
            Self::Driver => role.ipc_open_mem_handle(handle),
            Self::Runtime => role.cuda_ipc_open_mem_handle(handle),
        }
    }

    fn close(self, role: &Role, pointer: Pointer) -> Outcome {
        match self {
            Self::Driver => role.ipc_close_mem_handle(pointer),
            Self::Runtime => role.cuda_ipc_close_mem_handle(pointer),
        }
    }

    fn export_event(self, role: &Role, event: Event) -> Result<EventHandle, Stop> {
        match self {
            Self::Driver => role.ipc_get_event_handle(event),
            Self::Runtime => role.cuda_ipc_get_event_handle(event),
        }
    }

    fn open_event(self, role: &Role, handle: EventHandle) -> Result<Event, Stop> {
        match self {
            Self::Driver => role.ipc_open_event_handle(handle),
            Self::Runtime => role.cuda_ipc_open_event_handle(handle),
        }
    }
}

/// A memory handle opens in either API, whichever API exported it, and both processes share the memory.
#[rstest]
#[case::driver_to_runtime(Api::Driver, Api::Runtime)]
#[case::runtime_to_driver(Api::Runtime, Api::Driver)]
#[case::runtime_to_runtime(Api::Runtime, Api::Runtime)]
#[conformance::test("RT-004", needs(legacy_memory, runtime))]
fn memory_handles_open_across_apis(exporter: Role, importer: Role, #[case] from: Api, #[case] to: Api) -> Outcome {
    let (buffer, pattern) = (from.allocate(&exporter)?, seed());
    exporter.fill(buffer, SIZE, pattern)?;
    let import = to.open(&importer, from.export(&exporter, buffer)?)?;
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    let pattern = seed();
    importer.fill(import, SIZE, pattern)?;
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    to.close(&importer, import)
}

/// The driver and the runtime share one reference count for a handle.
#[rstest]
#[case::driver_first(Api::Driver, Api::Runtime)]
#[case::runtime_first(Api::Runtime, Api::Driver)]
#[conformance::test("RT-004", needs(legacy_memory, runtime))]
fn both_apis_share_one_reference_count(
    exporter: Role,
    importer: Role,
    #[case] first: Api,
    #[case] second: Api,
) -> Outcome {
    let (buffer, pattern) = filled(&exporter, SIZE)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let import = first.open(&importer, handle)?;
    check!(import == second.open(&importer, handle)?);
    first.close(&importer, import)?;
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    second.close(&importer, import)?;
    second.close(&importer, import).refused(&[])?;
    Ok(())
}

/// An event handle opens in either API, whichever API exported it, and both processes share the event.
#[rstest]
#[case::driver_to_runtime(Api::Driver, Api::Runtime)]
#[case::runtime_to_driver(Api::Runtime, Api::Driver)]
#[case::runtime_to_runtime(Api::Runtime, Api::Runtime)]
#[conformance::test("RT-004", needs(interprocess_events, runtime))]
fn event_handles_open_across_apis(exporter: Role, importer: Role, #[case] from: Api, #[case] to: Api) -> Outcome {
    let event = exporter.event_create(INTERPROCESS)?;
    let import = to.open_event(&importer, from.export_event(&exporter, event)?)?;
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    importer.event_query(import).refused(NOT_READY)?;
    latch.release()?;
    importer.event_synchronize(import)
}
