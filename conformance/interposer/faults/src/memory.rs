//! Allocations, copies, fills and launches.

use std::ffi::{c_uchar, c_uint, c_void};

use cuda_ipc_sys::{CUdeviceptr, CUfunction, CUlaunchConfig, CUstream};

use crate::answer::{SUCCESS, UNKNOWN, refusal};
use crate::table::driver;

faults! {
    real = cuMemFree(pointer: CUdeviceptr);

    "free-accepts-anything", ["IPCMEM-OPEN-042", "VMM-MAP-034"],
    "cuMemFree of an import or a mapping does nothing." => {
        refusal(real(pointer), SUCCESS)
    };

    "free-closes-an-import", ["IPCMEM-OPEN-042"], "cuMemFree closes an import, but returns an error." => {
        let code = real(pointer);
        if let (true, Some(close)) = (code != SUCCESS, driver().functions().cuIpcCloseMemHandle) {
            let _ = close(pointer);
        }
        code
    };
}

faults! {
    real = cuMemFreeAsync(pointer: CUdeviceptr, stream: CUstream);

    "free-async-accepts-an-import", ["IPCMEM-OPEN-043"], "cuMemFreeAsync of an import does nothing." => {
        refusal(real(pointer, stream), SUCCESS)
    };

    "free-async-closes-an-import", ["IPCMEM-OPEN-043"], "cuMemFreeAsync closes an import, but returns an error." => {
        let code = real(pointer, stream);
        if let (true, Some(close)) = (code != SUCCESS, driver().functions().cuIpcCloseMemHandle) {
            let _ = close(pointer);
        }
        code
    };

    "free-async-refuses-everything", ["POOL-PTR-014"], "cuMemFreeAsync refuses every pointer." => UNKNOWN;
}

faults! {
    real = cuMemcpyDtoH(to: *mut c_void, from: CUdeviceptr, size: usize);

    "copy-to-the-host-lacks-the-last-byte", ["IPCMEM-OPEN-001"], "The last byte is not copied." => {
        real(to, from, size.saturating_sub(1))
    };

    "copy-to-the-host-does-nothing", ["IPCMEM-OPEN-001", "VMM-IMP-001"], "Nothing is copied." => SUCCESS;
}

faults! {
    real = cuMemcpyHtoD(to: CUdeviceptr, from: *const c_void, size: usize);

    "copy-from-the-host-lacks-the-last-byte", ["IPCMEM-OPEN-001"], "The last byte is not copied." => {
        real(to, from, size.saturating_sub(1))
    };

    "copy-from-the-host-does-nothing", ["IPCMEM-OPEN-001", "VMM-IMP-001"], "Nothing is copied." => SUCCESS;
}

faults! {
    real = cuMemsetD8(pointer: CUdeviceptr, value: c_uchar, count: usize);

    "memset-lacks-the-last-byte", ["IPCMEM-OPEN-001"], "The last byte is not set." => {
        real(pointer, value, count.saturating_sub(1))
    };
}

faults! {
    real = cuLaunchKernel(
        function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: CUstream, parameters: *mut *mut c_void, extra: *mut *mut c_void,
    );

    "launch-does-nothing", ["IPCMEM-OPEN-001", "VMM-IMP-001", "POOL-PTR-001"], "A kernel does not run." => SUCCESS;

    "launch-blocks-the-host", ["IPCEVT-018", "IPCEVT-019"], "A launch returns only when the kernel has ended." => {
        let code = real(
            function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters, extra,
        );
        if let Some(synchronize) = driver().functions().cuStreamSynchronize {
            let _ = synchronize(stream);
        }
        code
    };
}

faults! {
    real = cuLaunchKernelEx(
        config: *const CUlaunchConfig, function: CUfunction, parameters: *mut *mut c_void, extra: *mut *mut c_void,
    );

    "launch-accepts-an-ipc-event", ["IPCEVT-035"],
        "A launch with an interprocess event in its attributes returns CUDA_SUCCESS and runs nothing." => {
        refusal(real(config, function, parameters, extra), SUCCESS)
    };
}
