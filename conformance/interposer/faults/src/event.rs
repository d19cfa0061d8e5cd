//! Interprocess events.

use std::ptr;

use cuda_ipc_sys::{CUevent, CUipcEventHandle, CUstream};

use crate::answer::{
    INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, NOT_READY, NOT_SUPPORTED, SUCCESS, UNKNOWN, hang, instead, refusal,
};
use crate::table::driver;

/// The flags of an interprocess event: DISABLE_TIMING and INTERPROCESS.
const INTERPROCESS: u32 = 6;

/// Creates another interprocess event in place of the one that was asked for.
fn another_event(output: *mut CUevent) -> crate::answer::CUresult {
    // SAFETY: the output is that of a call that returns an event.
    driver().functions().cuEventCreate.map_or(NOT_SUPPORTED, |create| unsafe { create(output, INTERPROCESS) })
}

faults! {
    real = cuEventCreate(output: *mut CUevent, flags: u32);

    "create-event-refuses-interprocess", ["IPCEVT-001"], "INTERPROCESS with DISABLE_TIMING (flags 6) is refused." => {
        if flags == INTERPROCESS { INVALID_VALUE } else { real(output, flags) }
    };

    "create-event-refuses-blocking-sync", ["IPCEVT-003"],
        "INTERPROCESS with DISABLE_TIMING and BLOCKING_SYNC (flags 7) is refused." => {
        if flags == INTERPROCESS | 1 { INVALID_VALUE } else { real(output, flags) }
    };

    "create-event-accepts-timing", ["IPCEVT-002"], "INTERPROCESS with timing (flags 4) is accepted." => {
        real(output, if flags == 4 { INTERPROCESS } else { flags })
    };

    "create-event-accepts-timing-with-blocking-sync", ["IPCEVT-002"],
        "INTERPROCESS with timing and BLOCKING_SYNC (flags 5) is accepted." => {
        real(output, if flags == 5 { INTERPROCESS } else { flags })
    };

    "create-event-timing-wrong-code", ["IPCEVT-002"], "Timing is refused with NOT_SUPPORTED." => {
        instead(real(output, flags), INVALID_VALUE, NOT_SUPPORTED)
    };

    "create-event-writes-no-event", ["IPCEVT-001"], "The event is not written." => real(&mut ptr::null_mut(), flags);

    "create-event-crashes", ["IPCEVT-003"], "Creating an event with the flags 7 ends the process." => {
        if flags == INTERPROCESS | 1 { std::process::abort() } else { real(output, flags) }
    };
}

faults! {
    real = cuIpcGetEventHandle(handle: *mut CUipcEventHandle, event: CUevent);

    "get-event-is-not-supported", ["IPCEVT-001", "IPCEVT-038"],
    "cuIpcGetEventHandle returns NOT_SUPPORTED although IPC_EVENT_SUPPORTED reads 1." => NOT_SUPPORTED;

    "get-event-writes-no-handle", ["IPCEVT-001"], "The call succeeds without writing the handle." => {
        real(&mut CUipcEventHandle::default(), event)
    };

    "get-event-inverts-the-handle", ["IPCEVT-011"], "Every bit of the handle is wrong." => {
        let code = real(handle, event);
        if code == SUCCESS {
            (*handle).reserved.iter_mut().for_each(|byte| *byte = !*byte);
        }
        code
    };

    "get-event-exports-a-local-event", ["IPCEVT-004"], "A local event can be exported." => {
        refusal(real(handle, event), SUCCESS)
    };

    "get-event-local-wrong-code", ["IPCEVT-004"], "Exporting a local event returns UNKNOWN." => {
        refusal(real(handle, event), UNKNOWN)
    };

    "get-event-hangs", ["IPCEVT-001"], "An export never returns." => hang();
}

faults! {
    real = cuIpcOpenEventHandle(output: *mut CUevent, handle: CUipcEventHandle);

    "open-event-fails", ["IPCEVT-011"], "An event handle does not open." => INVALID_HANDLE;

    "open-event-writes-no-event", ["IPCEVT-011"], "The call succeeds without writing the event." => {
        real(&mut ptr::null_mut(), handle)
    };

    "open-event-opens-a-copy", ["IPCEVT-018", "IPCEVT-019"], "An event opens as a new event." => another_event(output);

    "open-event-crashes", ["IPCEVT-011"], "An open ends the process." => std::process::abort();
}

faults! {
    real = cuEventQuery(event: CUevent);

    "query-import-is-never-pending", ["IPCEVT-018"], "A query of a pending event succeeds." => {
        instead(real(event), NOT_READY, SUCCESS)
    };

    "query-import-is-always-pending", ["IPCEVT-018"], "An event never completes." => {
        instead(real(event), SUCCESS, NOT_READY)
    };

    "query-pending-wrong-code", ["IPCEVT-018"], "A query of a pending event returns UNKNOWN." => {
        instead(real(event), NOT_READY, UNKNOWN)
    };

    "query-waits", ["IPCEVT-018"], "A query returns only when the event is complete." => {
        driver().functions().cuEventSynchronize.map_or(NOT_SUPPORTED, |wait| wait(event))
    };
}

faults! {
    real = cuEventRecord(event: CUevent, stream: CUstream);

    "record-is-ignored", ["IPCEVT-018", "IPCEVT-020"], "A record has no effect." => SUCCESS;

    "record-waits", ["IPCEVT-018"], "A record returns only when it is complete." => {
        let code = real(event, stream);
        if let Some(wait) = driver().functions().cuEventSynchronize {
            let _ = wait(event);
        }
        code
    };

    "record-in-another-context", ["IPCEVT-031"],
        "cuEventRecord in a stream of another context returns CUDA_SUCCESS and records nothing." => {
        refusal(real(event, stream), SUCCESS)
    };

    "record-in-another-context-wrong-code", ["IPCEVT-031"], "Another context is refused with INVALID_CONTEXT." => {
        refusal(real(event, stream), INVALID_CONTEXT)
    };

    "record-is-not-supported", ["IPCEVT-020"], "No event can be recorded." => NOT_SUPPORTED;
}

faults! {
    real = cuEventSynchronize(event: CUevent);

    "synchronize-returns-at-once", ["IPCEVT-020", "IPCEVT-039"], "A host wait does not wait." => SUCCESS;

    "synchronize-hangs", ["IPCEVT-018", "IPCEVT-039"], "A host wait never ends." => hang();
}

faults! {
    real = cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: u32);

    "stream-wait-does-nothing", ["IPCEVT-019", "IPCEVT-039"], "A stream does not wait for an event." => SUCCESS;

    "stream-wait-blocks-the-host", ["IPCEVT-019"], "The call returns only when the event is complete." => {
        let code = real(stream, event, flags);
        if let Some(wait) = driver().functions().cuEventSynchronize {
            let _ = wait(event);
        }
        code
    };

    "stream-wait-is-not-supported", ["IPCEVT-019"], "No stream can wait for an event." => NOT_SUPPORTED;
}

faults! {
    real = cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);

    "elapsed-time-of-imports", ["IPCEVT-023"],
        "cuEventElapsedTime of imported events returns CUDA_SUCCESS and writes no time." => {
        refusal(real(milliseconds, start, end), SUCCESS)
    };

    "elapsed-time-wrong-code", ["IPCEVT-023"], "An imported event is NOT_READY." => {
        refusal(real(milliseconds, start, end), NOT_READY)
    };
}

faults! {
    real = cuEventDestroy(event: CUevent);

    "destroy-event-is-refused", ["IPCEVT-024"], "No event can be destroyed." => INVALID_HANDLE;
}
