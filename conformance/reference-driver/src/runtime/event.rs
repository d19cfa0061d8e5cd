//! Events. An event of the runtime is an event of the driver, and its flags have the same values.

use cuda_ipc_sys::{CUevent, CUstream};

use super::answer::{INVALID_VALUE, NOT_SUPPORTED};
use crate::answer::Output;

runtime_calls! {
    active fn cudaEventCreateWithFlags(output: Output<CUevent>, flags: u32) {
        driver!(event::cuEventCreate(output, flags))
    }

    active fn cudaEventCreate(output: Output<CUevent>) {
        driver!(event::cuEventCreate(output, 0))
    }

    active fn cudaEventDestroy(event: CUevent) {
        driver!(event::cuEventDestroy_v2(event))
    }

    active fn cudaEventRecord(event: CUevent, stream: CUstream) {
        driver!(event::cuEventRecord(event, stream))
    }

    // Only captures tell an external record from another one, and they would need a node that is not implemented.
    active fn cudaEventRecordWithFlags(event: CUevent, stream: CUstream, flags: u32) {
        const EXTERNAL: u32 = 1;
        match flags {
            0 => driver!(event::cuEventRecord(event, stream)),
            EXTERNAL => Err(NOT_SUPPORTED),
            _ => Err(INVALID_VALUE),
        }
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
