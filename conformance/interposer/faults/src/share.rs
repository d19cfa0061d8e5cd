//! Shareable handles of virtual memory, and dma-bufs.

use std::ffi::{c_int, c_ulonglong, c_void};
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::sync::Mutex;

use cuda_ipc_sys::{
    CUdeviceptr, CUmemAllocationHandleType as HandleType, CUmemGenericAllocationHandle, CUmemRangeHandleType,
};

use crate::answer::{
    INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, NOT_INITIALIZED, NOT_SUPPORTED, SUCCESS, UNKNOWN, hang, instead,
    is_again, refusal,
};
use crate::context::has_a_context;
use crate::table::driver;

/// Closes a descriptor that someone else owns.
///
/// # Safety
/// The number must be an open descriptor.
unsafe fn close(descriptor: c_int) {
    // SAFETY: as this function's caller promises.
    drop(unsafe { OwnedFd::from_raw_fd(descriptor) });
}

faults! {
    real = cuMemExportToShareableHandle(
        output: *mut c_void, handle: CUmemGenericAllocationHandle, kind: HandleType, flags: c_ulonglong,
    );

    "export-is-refused", ["VMM-EXP-001"], "Nothing is exported." => NOT_SUPPORTED;

    "export-writes-no-descriptor", ["VMM-EXP-001"], "The output is not written." => {
        let mut other = [0_u64; 8];
        real(other.as_mut_ptr().cast(), handle, kind, flags)
    };

    "export-gives-a-closed-descriptor", ["VMM-EXP-001"], "The descriptor is already closed." => {
        let code = real(output, handle, kind, flags);
        if code == SUCCESS {
            close(*output.cast::<c_int>());
        }
        code
    };

    "export-of-another-type-succeeds", ["VMM-EXP-003"], "Memory exports as a type that was not requested." => {
        refusal(real(output, handle, kind, flags), SUCCESS)
    };

    "export-of-another-type-has-another-code", ["VMM-EXP-003"],
        "Exporting as an unrequested handle type returns UNKNOWN." => {
        refusal(real(output, handle, kind, flags), UNKNOWN)
    };

    "export-ignores-flags", ["VMM-EXP-005"], "Any flags are accepted." => real(output, handle, kind, 0);

    "export-ignores-high-flags", ["VMM-EXP-005"], "Only the low 32 bits of the flags count." => {
        real(output, handle, kind, flags & 0xffff_ffff)
    };

    "export-accepts-unknown-types", ["VMM-EXP-005"], "Unknown types export as descriptors." => {
        real(output, handle, HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, flags)
    };

    "export-of-an-unknown-type-has-another-code", ["VMM-EXP-005"], "An unknown type is NOT_SUPPORTED." => {
        instead(real(output, handle, kind, flags), INVALID_VALUE, NOT_SUPPORTED)
    };

    "export-hangs", ["VMM-EXP-001"], "An export never returns." => hang();
}

faults! {
    real = cuMemImportFromShareableHandle(
        output: *mut CUmemGenericAllocationHandle, handle: *mut c_void, kind: HandleType,
    );

    "import-is-refused", ["VMM-IMP-001"], "Nothing is imported." => INVALID_VALUE;

    "import-writes-no-handle", ["VMM-IMP-001"], "The handle is not written." => real(&mut 0, handle, kind);

    "import-consumes-the-descriptor", ["VMM-IMP-034"], "The import closes the caller's descriptor." => {
        let code = real(output, handle, kind);
        if code == SUCCESS {
            close(handle as usize as c_int);
        }
        code
    };

    "import-cuts-the-descriptor", ["VMM-IMP-002"], "An import reads only the low 8 bits of the descriptor number." => {
        real(output, ((handle as usize) & 0xff) as *mut c_void, kind)
    };

    "import-twice-fails", ["VMM-IMP-006"], "A second import by the same number is refused." => {
        static LAST: Mutex<Option<usize>> = Mutex::new(None);
        if is_again(&LAST, handle as usize) { INVALID_VALUE } else { real(output, handle, kind) }
    };

    "import-needs-a-context", ["VMM-IMP-035"], "Without a current context the import is refused." => {
        if has_a_context() { real(output, handle, kind) } else { INVALID_CONTEXT }
    };

    "import-before-init-has-another-code", ["VMM-IMP-035"], "Before cuInit, an import returns INVALID_CONTEXT." => {
        instead(real(output, handle, kind), NOT_INITIALIZED, INVALID_CONTEXT)
    };

    "import-before-init-succeeds", ["VMM-IMP-035"], "Before cuInit, an import returns SUCCESS." => {
        instead(real(output, handle, kind), NOT_INITIALIZED, SUCCESS)
    };

    "import-of-garbage-succeeds", ["FAB-002"], "A fabric handle of made-up bytes is imported." => {
        let code = real(output, handle, kind);
        if kind == HandleType::CU_MEM_HANDLE_TYPE_FABRIC { refusal(code, SUCCESS) } else { code }
    };

    "import-loses-the-context", ["VMM-IMP-001"], "After an import, no context is current." => {
        let code = real(output, handle, kind);
        crate::context::forget_the_context();
        code
    };

    "import-crashes", ["VMM-IMP-001"], "An import ends the process." => std::process::abort();
}

faults! {
    real = cuMemGetHandleForAddressRange(
        output: *mut c_void, address: CUdeviceptr, size: usize, kind: CUmemRangeHandleType, flags: c_ulonglong,
    );

    "dma-buf-is-refused", ["DMABUF-001"], "The call fails although the attribute reads 1." => NOT_SUPPORTED;

    "dma-buf-is-not-written", ["DMABUF-001"], "The call returns SUCCESS and no descriptor." => {
        let mut other = [0_u64; 8];
        let code = real(other.as_mut_ptr().cast(), address, size, kind, flags);
        if code == SUCCESS {
            close(*other.as_ptr().cast());
        }
        code
    };

    "dma-buf-of-an-unaligned-range", ["DMABUF-002"], "Any range is accepted." => {
        refusal(real(output, address, size, kind, flags), SUCCESS)
    };

    "dma-buf-of-an-unaligned-range-has-another-code", ["DMABUF-002"], "An unaligned range is INVALID_HANDLE." => {
        instead(real(output, address, size, kind, flags), INVALID_VALUE, INVALID_HANDLE)
    };

    "dma-buf-leads-to-the-start", ["DMABUF-004"], "The dma-buf of a range with a hole covers only the first 2 MiB." => {
        match real(output, address, size, kind, flags) {
            SUCCESS => SUCCESS,
            _ => real(output, address, 2 << 20, kind, flags),
        }
    };

    "dma-buf-of-host-memory", ["DMABUF-006"],
        "A dma-buf of host memory returns CUDA_SUCCESS and writes no descriptor, although the attribute reads 0." => {
        match real(output, address, size, kind, flags) {
            SUCCESS => SUCCESS,
            code => {
                let mut base = 0;
                let range = driver().functions().cuMemGetAddressRange;
                let is_known = range.is_some_and(|range| range(&mut base, &mut 0, address) == SUCCESS);
                if is_known { SUCCESS } else { code }
            }
        }
    };
}
