//! Memory handles.

use std::ffi::c_char;
use std::ptr;
use std::sync::Mutex;

use cuda_ipc_sys::{CUdeviceptr, CUipcMemHandle};

use crate::answer::{
    ALREADY_MAPPED, INVALID_CONTEXT, INVALID_VALUE, NOT_SUPPORTED, SUCCESS, UNKNOWN, WILD, hang, instead, is_again,
    refusal,
};
use crate::context::forget_the_context;
use crate::table::{driver, spoil};

/// The bytes of a handle.
type Bytes = [c_char; 64];

faults! {
    real = cuIpcGetMemHandle(handle: *mut CUipcMemHandle, pointer: CUdeviceptr);

    "get-is-not-supported", ["IPCMEM-GET-001"], "No allocation is exported." => NOT_SUPPORTED;

    "get-writes-nothing", ["IPCMEM-GET-001"], "The handle is not written." => {
        real(&mut CUipcMemHandle::default(), pointer)
    };

    "get-omits-the-last-byte", ["IPCMEM-GET-001", "IPCMEM-GET-029"], "63 bytes are written." => {
        let mut whole = CUipcMemHandle::default();
        let code = real(&mut whole, pointer);
        if code == SUCCESS {
            handle.cast::<u8>().copy_from(ptr::from_ref(&whole).cast(), 63);
        }
        code
    };

    "get-writes-65-bytes", ["IPCMEM-GET-001"], "A byte after the handle is written." => {
        let code = real(handle, pointer);
        if code == SUCCESS {
            handle.add(1).cast::<u8>().write(0);
        }
        code
    };

    "get-inverts-the-handle", ["IPCMEM-GET-001"], "Every bit of the handle is wrong." => {
        let code = real(handle, pointer);
        if code == SUCCESS {
            (*handle).reserved.iter_mut().for_each(|byte| *byte = !*byte);
        }
        code
    };

    "get-inverts-the-first-byte", ["IPCMEM-GET-001"], "The first byte of the handle is wrong." => {
        let code = real(handle, pointer);
        if code == SUCCESS {
            (*handle).reserved[0] = !(*handle).reserved[0];
        }
        code
    };

    "get-gives-a-constant", ["IPCMEM-GET-001"], "All handles have the same bytes." => {
        let code = real(handle, pointer);
        if code == SUCCESS {
            (*handle).reserved.fill(0x5a);
        }
        code
    };

    "get-repeats-the-first-handle", ["IPCMEM-GET-003"], "Every export returns the handle of the first one." => {
        static FIRST: Mutex<Option<CUipcMemHandle>> = Mutex::new(None);
        let code = real(handle, pointer);
        if let (SUCCESS, Ok(mut first)) = (code, FIRST.lock()) {
            *handle = *first.get_or_insert(*handle);
        }
        code
    };

    "get-refuses-a-second-export", ["IPCMEM-GET-002"], "An address is exported only once." => {
        static LAST: Mutex<Option<CUdeviceptr>> = Mutex::new(None);
        if is_again(&LAST, pointer) { INVALID_VALUE } else { real(handle, pointer) }
    };

    "get-exports-anything", ["IPCMEM-GET-010", "IPCMEM-GET-012", "IPCMEM-GET-027"], "No pointer is refused." => {
        refusal(real(handle, pointer), SUCCESS)
    };

    "get-of-the-heap-returns-another-code", ["IPCMEM-GET-010", "IPCMEM-GET-011"],
    "Exporting a pointer that cannot be exported returns UNKNOWN." => {
        instead(real(handle, pointer), INVALID_VALUE, UNKNOWN)
    };

    "get-of-the-heap-poisons-the-context", ["IPCMEM-GET-010"], "A refused export ends all device work." => {
        let code = real(handle, pointer);
        if code != SUCCESS {
            spoil();
        }
        code
    };

    "get-needs-no-context", ["IPCMEM-GET-023"], "An export succeeds without a context." => {
        instead(real(handle, pointer), INVALID_CONTEXT, SUCCESS)
    };

    "get-without-a-context-is-invalid", ["IPCMEM-GET-023"],
        "Without a context, cuIpcGetMemHandle returns INVALID_VALUE." => {
        instead(real(handle, pointer), INVALID_CONTEXT, INVALID_VALUE)
    };

    "get-loses-the-context", ["IPCMEM-GET-002"], "After an export, no context is current." => {
        let code = real(handle, pointer);
        forget_the_context();
        code
    };

    "get-hangs", ["IPCMEM-GET-001"], "An export never returns." => hang();

    "get-crashes", ["IPCMEM-GET-001"], "An export ends the process." => std::process::abort();
}

faults! {
    real = cuIpcOpenMemHandle(output: *mut CUdeviceptr, handle: CUipcMemHandle, flags: u32);

    "open-is-not-supported", ["IPCMEM-OPEN-001"], "No handle opens." => NOT_SUPPORTED;

    "open-writes-no-pointer", ["IPCMEM-OPEN-001"], "The pointer is not written." => real(&mut 0, handle, flags);

    "open-returns-a-later-address", ["IPCMEM-OPEN-001"], "The pointer is 512 bytes too high." => {
        let code = real(output, handle, flags);
        if code == SUCCESS {
            *output += 512;
        }
        code
    };

    "open-maps-other-memory", ["IPCMEM-OPEN-001"], "The pointer leads to new memory." => {
        let code = real(output, handle, flags);
        let (mut base, mut size) = (0, 0);
        let functions = driver().functions();
        if let (SUCCESS, Some(range), Some(allocate)) = (code, functions.cuMemGetAddressRange, functions.cuMemAlloc)
            && range(&mut base, &mut size, *output) == SUCCESS
        {
            return allocate(output, size);
        }
        code
    };

    "open-again-maps-again", ["IPCMEM-OPEN-002"], "A second open returns another pointer." => {
        static LAST: Mutex<Option<Bytes>> = Mutex::new(None);
        let code = real(output, handle, flags);
        if code == SUCCESS && is_again(&LAST, handle.reserved) {
            *output += 512;
        }
        code
    };

    "open-again-is-refused", ["IPCMEM-OPEN-002"], "A second open returns ALREADY_MAPPED." => {
        static LAST: Mutex<Option<Bytes>> = Mutex::new(None);
        if is_again(&LAST, handle.reserved) { ALREADY_MAPPED } else { real(output, handle, flags) }
    };

    "open-counts-twice", ["IPCMEM-CLOSE-001", "IPCMEM-CLOSE-002"],
        "An open counts as two, so one close does not unmap." => {
        match real(output, handle, flags) {
            SUCCESS => real(output, handle, flags),
            code => code,
        }
    };

    "open-with-other-flags-maps-nothing", ["IPCMEM-OPEN-010", "IPCMEM-OPEN-011"],
    "Other flags give a wild pointer." => {
        if flags == 1 {
            return real(output, handle, flags);
        }
        *output = WILD;
        SUCCESS
    };

    "open-with-other-flags-returns-another-code", ["IPCMEM-OPEN-010", "IPCMEM-OPEN-011"],
    "Other flags give UNKNOWN." => {
        if flags == 1 { real(output, handle, flags) } else { UNKNOWN }
    };

    "open-refused-poisons-the-context", ["IPCMEM-OPEN-010", "IPCMEM-OPEN-011"],
    "A refused open ends all device work." => {
        let code = real(output, handle, flags);
        if code != SUCCESS {
            spoil();
        }
        code
    };

    "open-in-a-second-context-is-allowed", ["IPCMEM-OPEN-006"],
        "A refused open returns CUDA_SUCCESS and an address without memory." => {
        let code = real(output, handle, flags);
        if code != SUCCESS {
            *output = WILD;
        }
        SUCCESS
    };

    "open-needs-no-context", ["IPCMEM-OPEN-035"], "An open succeeds without a context." => {
        instead(real(output, handle, flags), INVALID_CONTEXT, SUCCESS)
    };

    "open-without-a-context-is-invalid", ["IPCMEM-OPEN-035"],
        "Without a context, cuIpcOpenMemHandle returns INVALID_VALUE." => {
        instead(real(output, handle, flags), INVALID_CONTEXT, INVALID_VALUE)
    };

    "open-loses-the-context", ["IPCMEM-OPEN-001"], "After an open, no context is current." => {
        let code = real(output, handle, flags);
        forget_the_context();
        code
    };

    "open-hangs", ["IPCMEM-OPEN-001"], "An open never returns." => hang();

    "open-crashes", ["IPCMEM-OPEN-001"], "An open ends the process." => std::process::abort();
}

faults! {
    real = cuIpcCloseMemHandle(pointer: CUdeviceptr);

    "close-does-nothing", ["IPCMEM-CLOSE-001"], "A close unmaps nothing." => SUCCESS;

    "close-returns-an-error", ["IPCMEM-CLOSE-001"], "Every successful close returns CUDA_ERROR_UNKNOWN." => {
        instead(real(pointer), SUCCESS, UNKNOWN)
    };

    "close-ignores-the-count", ["IPCMEM-CLOSE-002"], "The first close unmaps." => {
        let code = real(pointer);
        while real(pointer) == SUCCESS {}
        code
    };

    "close-accepts-an-own-allocation", ["IPCMEM-CLOSE-005"], "A close of an own allocation does nothing." => {
        refusal(real(pointer), SUCCESS)
    };

    "close-frees-an-own-allocation", ["IPCMEM-CLOSE-005"], "A close frees an own allocation." => {
        match (real(pointer), driver().functions().cuMemFree) {
            (SUCCESS, _) | (_, None) => SUCCESS,
            (_, Some(free)) => free(pointer),
        }
    };

    "close-clears-the-last-byte", ["IPCMEM-CLOSE-011"], "A close sets the last byte to zero." => {
        let (mut base, mut size) = (0, 0);
        let functions = driver().functions();
        if let (Some(range), Some(set)) = (functions.cuMemGetAddressRange, functions.cuMemsetD8)
            && range(&mut base, &mut size, pointer) == SUCCESS
        {
            let _ = set(base + size as u64 - 1, 0, 1);
        }
        real(pointer)
    };

    "close-needs-no-context", ["IPCMEM-CLOSE-008"], "A close succeeds without a context." => {
        instead(real(pointer), INVALID_CONTEXT, SUCCESS)
    };

    "close-without-a-context-is-invalid", ["IPCMEM-CLOSE-008"],
        "Without a context, cuIpcCloseMemHandle returns INVALID_VALUE." => {
        instead(real(pointer), INVALID_CONTEXT, INVALID_VALUE)
    };

    "close-hangs", ["IPCMEM-CLOSE-001"], "A close never returns." => hang();
}
