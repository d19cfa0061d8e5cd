//! Device memory and managed memory.

use cuda_ipc_sys::CUdeviceptr;

use crate::answer::Output;
use crate::process::state;
use crate::range::Memory;

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
        // RT-005: imports are closed, not freed.
        let is_import = state()?.range(pointer).is_some_and(|range| matches!(range.memory, Memory::Import(_)));
        if is_import && fault!("cuda-free-closes-imports", ["RT-005"], "cudaFree of an import closes it.") {
            return driver!(ipc::cuIpcCloseMemHandle(pointer));
        }
        if is_import && fault!("cuda-free-ignores-imports", ["RT-005"], "cudaFree of an import succeeds.") {
            return Ok(());
        }
        let code = driver!(memory::cuMemFree_v2(pointer));
        if is_import
            && fault!("cuda-free-unmaps-and-refuses", ["RT-005"], "cudaFree refuses an import, but has unmapped it.")
        {
            state()?.ranges.remove(&pointer);
        }
        code
    }

    active fn cudaMallocManaged(pointer: Output<CUdeviceptr>, size: usize, flags: u32) {
        driver!(host::cuMemAllocManaged(pointer, size, flags))
    }

    active fn cudaMemGetInfo(free: Output<usize>, total: Output<usize>) {
        driver!(memory::cuMemGetInfo_v2(free, total))
    }
}
