//! Device memory and managed memory.

use cuda_ipc_sys::CUdeviceptr;

use crate::answer::Output;

runtime_calls! {
    active fn cudaMalloc(pointer: Output<CUdeviceptr>, size: usize) {
        // For a size of 0 the runtime succeeds and allocates nothing. The driver would return an error.
        if size == 0 {
            return Ok(pointer.give(0)?);
        }
        driver!(memory::cuMemAlloc_v2(pointer, size))
    }

    active fn cudaFree(pointer: CUdeviceptr) {
        // Documented: for null, nothing is freed.
        if pointer == 0 {
            return Ok(());
        }
        driver!(memory::cuMemFree_v2(pointer))
    }

    active fn cudaMallocManaged(pointer: Output<CUdeviceptr>, size: usize, flags: u32) {
        driver!(host::cuMemAllocManaged(pointer, size, flags))
    }

    active fn cudaMemGetInfo(free: Output<usize>, total: Output<usize>) {
        driver!(memory::cuMemGetInfo_v2(free, total))
    }
}
