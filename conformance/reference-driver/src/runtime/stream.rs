//! Streams. A stream of the runtime is a stream of the driver.

use std::ffi::{c_int, c_void};

use cuda_ipc_sys::{CUevent, CUhostFn, CUstream, CUstreamCallback};

use crate::answer::Output;

runtime_calls! {
    active fn cudaStreamCreateWithFlags(output: Output<CUstream>, flags: u32) {
        driver!(stream::cuStreamCreate(output, flags))
    }

    active fn cudaStreamCreate(output: Output<CUstream>) {
        driver!(stream::cuStreamCreate(output, 0))
    }

    active fn cudaStreamCreateWithPriority(output: Output<CUstream>, flags: u32, priority: c_int) {
        driver!(stream::cuStreamCreateWithPriority(output, flags, priority))
    }

    active fn cudaDeviceGetStreamPriorityRange(least: Output<c_int>, greatest: Output<c_int>) {
        driver!(stream::cuCtxGetStreamPriorityRange(least, greatest))
    }

    active fn cudaStreamDestroy(stream: CUstream) {
        driver!(stream::cuStreamDestroy_v2(stream))
    }

    active fn cudaStreamSynchronize(stream: CUstream) {
        driver!(stream::cuStreamSynchronize(stream))
    }

    active fn cudaStreamQuery(stream: CUstream) {
        driver!(stream::cuStreamQuery(stream))
    }

    active fn cudaStreamWaitEvent(stream: CUstream, event: CUevent, flags: u32) {
        driver!(event::cuStreamWaitEvent(stream, event, flags))
    }

    active fn cudaLaunchHostFunc(stream: CUstream, function: CUhostFn, data: *mut c_void) {
        driver!(stream::cuLaunchHostFunc(stream, function, data))
    }

    // The callback gets a code of the driver, which has the number of its twin of the runtime (RT-001).
    active fn cudaStreamAddCallback(stream: CUstream, callback: CUstreamCallback, data: *mut c_void, flags: u32) {
        driver!(stream::cuStreamAddCallback(stream, callback, data, flags))
    }
}
