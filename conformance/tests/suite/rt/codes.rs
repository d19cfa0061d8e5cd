//! The runtime's error codes.

use conformance::{
    Event, EventHandle, Expect as _, KIB, MemHandle, Needs, Outcome, Pointer, Role, Stop, check, need, observe,
};
use cuda_ipc_sys::{CUevent_flags, CUresult};
use rstest::rstest;

use crate::support::constants::DISABLE_TIMING;
use crate::support::fixtures::{exporter, importer};

/// The runtime has its own name for the number of a driver code.
#[rstest]
#[case::invalid_handle(CUresult::CUDA_ERROR_INVALID_HANDLE, "cudaErrorInvalidResourceHandle")]
#[case::map_failed(CUresult::CUDA_ERROR_MAP_FAILED, "cudaErrorMapBufferObjectFailed")]
#[case::invalid_context(CUresult::CUDA_ERROR_INVALID_CONTEXT, "cudaErrorDeviceUninitialized")]
#[conformance::test("RT-001", needs(runtime))]
fn driver_codes_have_runtime_counterparts(importer: Role, #[case] code: CUresult, #[case] name: &str) -> Outcome {
    let found = importer.cuda_get_error_name(code.0)?;
    check!(found == name, "the runtime calls {code} {found}, expected {name}");
    Ok(())
}

/// A call that both APIs refuse.
#[derive(Clone, Copy, Debug)]
enum Refused {
    ExportOfHeapMemory,
    ExportOfLocalEvent,
    OpenOfOwnHandle,
    OpenOfZeros,
    OpenOfEventZeros,
    OpenOfOwnEvent,
    CloseOfAllocation,
    CloseOfNull,
}

impl Refused {
    /// Makes the call in both APIs, in the same roles. Returns the code of the driver, then that of the runtime.
    fn of_both(self, exporter: &Role, importer: &Role) -> Result<[CUresult; 2], Stop> {
        let memory = exporter.mem_alloc(KIB)?;
        let zeros = [0; 64];
        let both = |driver: Outcome, runtime: Outcome| Ok([driver.refusal(&[])?, runtime.refusal(&[])?]);
        match self {
            Self::ExportOfHeapMemory => {
                let heap = exporter.heap_alloc(KIB)?;
                both(exporter.ipc_get_mem_handle(heap).map(drop), exporter.cuda_ipc_get_mem_handle(heap).map(drop))
            }
            Self::ExportOfLocalEvent => {
                let event = exporter.event_create(DISABLE_TIMING)?;
                both(
                    exporter.ipc_get_event_handle(event).map(drop),
                    exporter.cuda_ipc_get_event_handle(event).map(drop),
                )
            }
            Self::OpenOfOwnHandle => {
                need(&Needs::none().legacy_memory())?;
                let handle = exporter.ipc_get_mem_handle(memory)?;
                both(
                    exporter.ipc_open_mem_handle(handle).map(drop),
                    exporter.cuda_ipc_open_mem_handle(handle).map(drop),
                )
            }
            Self::OpenOfZeros => {
                let handle = MemHandle::from_bytes(zeros);
                both(
                    importer.ipc_open_mem_handle(handle).map(drop),
                    importer.cuda_ipc_open_mem_handle(handle).map(drop),
                )
            }
            Self::OpenOfEventZeros => {
                let handle = EventHandle::from_bytes(zeros);
                both(open_event(importer, handle), open_event_by_runtime(importer, handle))
            }
            Self::OpenOfOwnEvent => {
                need(&Needs::none().interprocess_events())?;
                let handle = exporter.ipc_get_event_handle(interprocess_event(exporter)?)?;
                both(open_event(exporter, handle), open_event_by_runtime(exporter, handle))
            }
            Self::CloseOfAllocation => {
                both(exporter.ipc_close_mem_handle(memory), exporter.cuda_ipc_close_mem_handle(memory))
            }
            Self::CloseOfNull => {
                let null = Pointer::NULL;
                both(exporter.ipc_close_mem_handle(null), exporter.cuda_ipc_close_mem_handle(null))
            }
        }
    }
}

fn interprocess_event(role: &Role) -> Result<Event, Stop> {
    role.event_create(DISABLE_TIMING | CUevent_flags::CU_EVENT_INTERPROCESS.0)
}

fn open_event(role: &Role, handle: EventHandle) -> Outcome {
    role.ipc_open_event_handle(handle).map(drop)
}

fn open_event_by_runtime(role: &Role, handle: EventHandle) -> Outcome {
    role.cuda_ipc_open_event_handle(handle).map(drop)
}

/// The driver and the runtime return the same code for a call that both refuse.
#[rstest]
#[conformance::test("RT-001", needs(runtime))]
fn both_apis_refuse_with_the_same_code(
    exporter: Role,
    importer: Role,
    #[values(
        Refused::ExportOfHeapMemory,
        Refused::ExportOfLocalEvent,
        Refused::OpenOfOwnHandle,
        Refused::OpenOfZeros,
        Refused::OpenOfEventZeros,
        Refused::OpenOfOwnEvent,
        Refused::CloseOfAllocation,
        Refused::CloseOfNull
    )]
    what: Refused,
) -> Outcome {
    let [driver, runtime] = what.of_both(&exporter, &importer)?;
    observe("code", driver.to_string());
    check!(driver == runtime, "the driver returned {driver}, the runtime {runtime}");
    Ok(())
}

/// The case records the code that the runtime returns for a refused call, and whether the runtime documents that code.
#[rstest]
#[case::export_of_a_local_event(Refused::ExportOfLocalEvent, &[1, 2, 205, 400, 801])]
#[case::export_of_heap_memory(Refused::ExportOfHeapMemory, &[1, 2, 205, 801])]
#[case::open_of_zeros(Refused::OpenOfZeros, &[1, 201, 205, 400, 711, 801])]
#[case::open_of_event_zeros(Refused::OpenOfEventZeros, &[1, 201, 205, 801])]
#[case::open_of_own_event(Refused::OpenOfOwnEvent, &[1, 201, 205, 801])]
#[case::close_of_an_allocation(Refused::CloseOfAllocation, &[1, 205, 801])]
#[conformance::test("RT-003", needs(runtime))]
fn the_runtime_code_of_a_refused_call(
    exporter: Role,
    importer: Role,
    #[case] what: Refused,
    #[case] documented: &[u32],
) -> Outcome {
    let [_, runtime] = what.of_both(&exporter, &importer)?;
    observe("code", runtime.to_string());
    observe("the runtime documents it", documented.contains(&runtime.0));
    observe("runtime version", importer.cuda_runtime_get_version()?);
    Ok(())
}
