//! Copies and fills.

use std::ffi::{c_int, c_void};

use cuda_ipc_sys::runtime::{cudaError, cudaMemcpyKind};
use cuda_ipc_sys::{CUdevice, CUdeviceptr, CUstream};

use super::answer::{Error, INVALID_VALUE, Result};
use super::context::retain;

type K = cudaMemcpyKind;

const INVALID_DIRECTION: Result<()> = Err(Error(cudaError::cudaErrorInvalidMemcpyDirection));

/// Enqueues a copy in the direction of a kind.
fn copy_async(to: CUdeviceptr, from: CUdeviceptr, size: usize, kind: cudaMemcpyKind, stream: CUstream) -> Result<()> {
    match kind {
        K::cudaMemcpyHostToDevice => driver!(copy::cuMemcpyHtoDAsync_v2(to, from as *const c_void, size, stream)),
        K::cudaMemcpyDeviceToHost => driver!(copy::cuMemcpyDtoHAsync_v2(to as *mut c_void, from, size, stream)),
        K::cudaMemcpyDeviceToDevice => driver!(copy::cuMemcpyDtoDAsync_v2(to, from, size, stream)),
        K::cudaMemcpyHostToHost | K::cudaMemcpyDefault => driver!(copy::cuMemcpyAsync(to, from, size, stream)),
        _ => INVALID_DIRECTION,
    }
}

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
        copy_async(to, from, size, kind, stream)
    }

    // The rows are copied one after the other.
    active fn cudaMemcpy2DAsync(
        to: CUdeviceptr,
        to_pitch: usize,
        from: CUdeviceptr,
        from_pitch: usize,
        width: usize,
        height: usize,
        kind: cudaMemcpyKind,
        stream: CUstream,
    ) {
        if width > to_pitch || width > from_pitch {
            return Err(Error(cudaError::cudaErrorInvalidPitchValue));
        }
        let start = |base: CUdeviceptr, pitch: usize, row: usize| {
            let offset = row.checked_mul(pitch).ok_or(INVALID_VALUE)?;
            base.checked_add(offset as u64).ok_or(INVALID_VALUE)
        };
        (0..height).try_for_each(|row| {
            copy_async(start(to, to_pitch, row)?, start(from, from_pitch, row)?, width, kind, stream)
        })
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
        driver!(fill::cuMemsetD8_v2(pointer, value as u8, count))
    }

    active fn cudaMemsetAsync(pointer: CUdeviceptr, value: c_int, count: usize, stream: CUstream) {
        driver!(fill::cuMemsetD8Async(pointer, value as u8, count, stream))
    }
}
