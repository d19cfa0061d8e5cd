//! Copies and fills.

use std::ffi::{c_int, c_void};

use cuda_ipc_sys::runtime::{cudaError, cudaMemcpyKind};
use cuda_ipc_sys::{CUdevice, CUdeviceptr, CUstream};

use super::answer::{Error, Result};
use super::context::retain;

type K = cudaMemcpyKind;

const INVALID_DIRECTION: Result<()> = Err(Error(cudaError::cudaErrorInvalidMemcpyDirection));

runtime_calls! {
    active fn cudaMemcpy(to: CUdeviceptr, from: CUdeviceptr, size: usize, kind: cudaMemcpyKind) {
        match kind {
            K::cudaMemcpyHostToDevice => driver!(copy::cuMemcpyHtoD_v2(to, from as *const c_void, size)),
            K::cudaMemcpyDeviceToHost => driver!(copy::cuMemcpyDtoH_v2(to as *mut c_void, from, size)),
            K::cudaMemcpyDeviceToDevice => driver!(copy::cuMemcpyDtoD_v2(to, from, size)),
            K::cudaMemcpyHostToHost | K::cudaMemcpyDefault => driver!(copy::cuMemcpy(to, from, size)),
            _ => INVALID_DIRECTION,
        }
    }

    active fn cudaMemcpyAsync(
        to: CUdeviceptr,
        from: CUdeviceptr,
        size: usize,
        kind: cudaMemcpyKind,
        stream: CUstream,
    ) {
        match kind {
            K::cudaMemcpyHostToDevice => driver!(copy::cuMemcpyHtoDAsync_v2(to, from as *const c_void, size, stream)),
            K::cudaMemcpyDeviceToHost => driver!(copy::cuMemcpyDtoHAsync_v2(to as *mut c_void, from, size, stream)),
            K::cudaMemcpyDeviceToDevice => driver!(copy::cuMemcpyDtoDAsync_v2(to, from, size, stream)),
            K::cudaMemcpyHostToHost | K::cudaMemcpyDefault => driver!(copy::cuMemcpyAsync(to, from, size, stream)),
            _ => INVALID_DIRECTION,
        }
    }

    active fn cudaMemcpyPeer(
        to: CUdeviceptr,
        to_device: CUdevice,
        from: CUdeviceptr,
        from_device: CUdevice,
        size: usize,
    ) {
        let (to_context, from_context) = (retain(to_device)?, retain(from_device)?);
        driver!(copy::cuMemcpyPeer(to, to_context, from, from_context, size))
    }

    active fn cudaMemcpyPeerAsync(
        to: CUdeviceptr,
        to_device: CUdevice,
        from: CUdeviceptr,
        from_device: CUdevice,
        size: usize,
        stream: CUstream,
    ) {
        let (to_context, from_context) = (retain(to_device)?, retain(from_device)?);
        driver!(copy::cuMemcpyPeerAsync(to, to_context, from, from_context, size, stream))
    }

    // Only the lowest byte of the value counts.
    active fn cudaMemset(pointer: CUdeviceptr, value: c_int, count: usize) {
        driver!(copy::cuMemsetD8_v2(pointer, value as u8, count))
    }

    active fn cudaMemsetAsync(pointer: CUdeviceptr, value: c_int, count: usize, stream: CUstream) {
        driver!(copy::cuMemsetD8Async(pointer, value as u8, count, stream))
    }
}
