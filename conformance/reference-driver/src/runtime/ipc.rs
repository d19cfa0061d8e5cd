//! Memory and events of other processes. The handles are the driver's, byte for byte (RT-004).

use cuda_ipc_sys::{CUdeviceptr, CUevent, CUipcEventHandle, CUipcMemHandle};

use crate::answer::Output;

runtime_calls! {
    active fn cudaIpcGetMemHandle(handle: Output<CUipcMemHandle>, pointer: CUdeviceptr) {
        driver!(ipc::cuIpcGetMemHandle(handle, pointer))
    }

    // RT-002: if nothing was initialised before, this initialises the primary context.
    active fn cudaIpcOpenMemHandle(pointer: Output<CUdeviceptr>, handle: CUipcMemHandle, flags: u32) {
        driver!(ipc::cuIpcOpenMemHandle_v2(pointer, handle, flags))
    }

    active fn cudaIpcCloseMemHandle(pointer: CUdeviceptr) {
        driver!(ipc::cuIpcCloseMemHandle(pointer))
    }

    active fn cudaIpcGetEventHandle(handle: Output<CUipcEventHandle>, event: CUevent) {
        driver!(event::cuIpcGetEventHandle(handle, event))
    }

    active fn cudaIpcOpenEventHandle(event: Output<CUevent>, handle: CUipcEventHandle) {
        driver!(event::cuIpcOpenEventHandle(event, handle))
    }
}
