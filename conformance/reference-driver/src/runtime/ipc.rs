//! Memory and events of other processes. The handles are the driver's, byte for byte (RT-004).

use cuda_ipc_sys::runtime::cudaError;
use cuda_ipc_sys::{CUdeviceptr, CUevent, CUipcEventHandle, CUipcMemHandle};

use super::answer::{Error, output_of};
use crate::answer::Output;
use crate::process::state;

runtime_calls! {
    active fn cudaIpcGetMemHandle(handle: Output<CUipcMemHandle>, pointer: CUdeviceptr) {
        driver!(ipc::cuIpcGetMemHandle(handle, pointer))?;
        if fault!(
            "runtime-export-marks-the-handle",
            ["RT-004"],
            "A handle exported with the runtime opens in neither API, because the runtime wrote to its last byte."
        ) {
            let exported = output_of(|output| driver!(ipc::cuIpcGetMemHandle(output, pointer)))?;
            let mut bytes = exported.to_bytes();
            bytes[63] ^= 1;
            handle.give_if_wanted(CUipcMemHandle::from_bytes(bytes));
        }
        Ok(())
    }

    // RT-002: if nothing was initialised before, this initialises the primary context.
    open fn cudaIpcOpenMemHandle(pointer: Output<CUdeviceptr>, handle: CUipcMemHandle, flags: u32) {
        if fault!("runtime-open-refused", ["RT-004"], "cudaIpcOpenMemHandle opens no handle of the driver.") {
            return Err(Error(cudaError::cudaErrorInvalidResourceHandle));
        }
        if fault!("runtime-open-gives-a-copy", ["RT-004"], "cudaIpcOpenMemHandle gives a copy of the memory.") {
            let import = output_of(|output| driver!(ipc::cuIpcOpenMemHandle_v2(output, handle, flags)))?;
            let size = state()?.range(import).map_or(0, |range| range.size as usize);
            let copy = output_of(|output| driver!(memory::cuMemAlloc_v2(output, size)))?;
            driver!(copy::cuMemcpyDtoD_v2(copy, import, size))?;
            return Ok(pointer.give(copy)?);
        }
        driver!(ipc::cuIpcOpenMemHandle_v2(pointer, handle, flags))
    }

    active fn cudaIpcCloseMemHandle(pointer: CUdeviceptr) {
        if fault!("runtime-close-ignores-the-driver", ["RT-004"], "cudaIpcCloseMemHandle closes all opens at once.") {
            while driver!(ipc::cuIpcCloseMemHandle(pointer)).is_ok() {}
            return Ok(());
        }
        if fault!("runtime-close-does-nothing", ["RT-004"], "cudaIpcCloseMemHandle succeeds and closes nothing.") {
            return Ok(());
        }
        driver!(ipc::cuIpcCloseMemHandle(pointer))
    }

    active fn cudaIpcGetEventHandle(handle: Output<CUipcEventHandle>, event: CUevent) {
        driver!(event::cuIpcGetEventHandle(handle, event))?;
        if fault!(
            "runtime-export-marks-the-event-handle",
            ["RT-004"],
            "An event handle exported with the runtime opens in neither API."
        ) {
            let exported = output_of(|output| driver!(event::cuIpcGetEventHandle(output, event)))?;
            let mut bytes = exported.to_bytes();
            bytes[63] ^= 1;
            handle.give_if_wanted(CUipcEventHandle::from_bytes(bytes));
        }
        Ok(())
    }

    active fn cudaIpcOpenEventHandle(event: Output<CUevent>, handle: CUipcEventHandle) {
        if fault!(
            "runtime-open-gives-an-event-of-its-own",
            ["RT-004"],
            "cudaIpcOpenEventHandle gives a new event, which is not the exporter's."
        ) {
            return driver!(event::cuEventCreate(event, 2));
        }
        driver!(event::cuIpcOpenEventHandle(event, handle))
    }
}
