//! Streams. A stream of the runtime is a stream of the driver.

use cuda_ipc_sys::{CUevent, CUstream};

use crate::answer::Output;

runtime_calls! {
    active fn cudaStreamCreateWithFlags(output: Output<CUstream>, flags: u32) {
        driver!(stream::cuStreamCreate(output, flags))
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
}
