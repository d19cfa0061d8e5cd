//! Events. An event of the runtime is an event of the driver, and its flags have the same values.

use cuda_ipc_sys::{CUevent, CUstream};

use crate::answer::Output;

runtime_calls! {
    active fn cudaEventCreateWithFlags(output: Output<CUevent>, flags: u32) {
        driver!(event::cuEventCreate(output, flags))
    }

    active fn cudaEventDestroy(event: CUevent) {
        driver!(event::cuEventDestroy_v2(event))
    }

    active fn cudaEventRecord(event: CUevent, stream: CUstream) {
        driver!(event::cuEventRecord(event, stream))
    }

    active fn cudaEventQuery(event: CUevent) {
        driver!(event::cuEventQuery(event))
    }

    active fn cudaEventSynchronize(event: CUevent) {
        driver!(event::cuEventSynchronize(event))
    }

    active fn cudaEventElapsedTime(milliseconds: Output<f32>, start: CUevent, end: CUevent) {
        driver!(event::cuEventElapsedTime(milliseconds, start, end))
    }
}
