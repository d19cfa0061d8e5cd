//! Copies and fills.

use std::ffi::c_void;

use cuda_ipc_sys::{CUcontext, CUdeviceptr, CUstream};

use crate::answer::{INVALID_VALUE, Result};
use crate::kernel::Access;
use crate::memory::Kind;
use crate::process::{State, state};

/// One side of a copy.
#[derive(Clone, Copy)]
enum Side {
    /// An address that the driver must know.
    Device(u64),
    /// An address of the caller's own.
    Host(u64),
    /// Either: the driver looks.
    Any(u64),
}

impl Side {
    const fn address(self) -> u64 {
        match self {
            Self::Device(address) | Self::Host(address) | Self::Any(address) => address,
        }
    }
}

impl State {
    /// Refuse what the copy engine could not reach.
    fn check(&self, side: Side, size: u64, access: Access) -> Result<()> {
        let address = side.address();
        if address == 0 {
            return Err(INVALID_VALUE);
        }
        let known = self.holding(address, size);
        let range = match (side, known) {
            (Side::Device(_), known) => known?,
            (_, Ok(range)) => range,
            // A known range that is too short is an error; an unknown address is ordinary host memory.
            (Side::Host(_) | Side::Any(_), Err(error)) => {
                return if self.range(address).is_some_and(|range| !range.is_host()) { Err(error) } else { Ok(()) };
            }
        };
        // VMM-MAP-019, VMM-MAP-020: a mapping without access is no memory yet. Other memory of peers is staged.
        let refused = matches!(range.kind, Kind::Mapped { .. }) && !self.may_touch(self.current()?, range, access);
        if refused { Err(INVALID_VALUE) } else { Ok(()) }
    }
}

/// Enqueue a copy, and wait for it where the call is not asynchronous.
fn copy(to: Side, from: Side, size: usize, stream: Option<CUstream>) -> Result<()> {
    let done = {
        let mut state = state()?;
        let queue = state.stream(stream.unwrap_or_default())?;
        if size == 0 {
            return Ok(());
        }
        state.check(to, size as u64, Access::Write)?;
        state.check(from, size as u64, Access::Read)?;
        let kept = [to, from].map(|side| state.holding(side.address(), 1).ok().and_then(|range| range.memory()));
        let (to, from) = (to.address(), from.address());
        state.enqueue(&queue, move || {
            // SAFETY: both sides were checked where the driver knows them, and `kept` keeps them mapped; the caller
            // promises the rest. Regions may overlap.
            unsafe { std::ptr::copy(from as *const u8, to as *mut u8, size) };
            drop(kept);
            Ok(())
        })?
    };
    if stream.is_none() {
        done.wait();
        let state = state()?;
        state.current()?;
    }
    Ok(())
}

/// Enqueue a fill with 1- or 4-byte values.
fn fill<T: Copy + Send + 'static>(to: u64, value: T, count: usize, stream: Option<CUstream>) -> Result<()> {
    let done = {
        let mut state = state()?;
        let queue = state.stream(stream.unwrap_or_default())?;
        if count == 0 {
            return Ok(());
        }
        let size = count.checked_mul(size_of::<T>()).ok_or(INVALID_VALUE)?;
        if !to.is_multiple_of(size_of::<T>() as u64) {
            return Err(INVALID_VALUE);
        }
        state.check(Side::Device(to), size as u64, Access::Write)?;
        let kept = state.holding(to, 1)?.memory();
        state.enqueue(&queue, move || {
            // SAFETY: checked, aligned and kept mapped.
            unsafe { std::slice::from_raw_parts_mut(to as *mut T, count) }.fill(value);
            drop(kept);
            Ok(())
        })?
    };
    if stream.is_none() {
        done.wait();
        let state = state()?;
        state.current()?;
    }
    Ok(())
}

entry_points! {
    fn cuMemcpy(to: CUdeviceptr, from: CUdeviceptr, size: usize) {
        copy(Side::Any(to), Side::Any(from), size, None)
    }

    fn cuMemcpyAsync(to: CUdeviceptr, from: CUdeviceptr, size: usize, stream: CUstream) {
        copy(Side::Any(to), Side::Any(from), size, Some(stream))
    }

    fn cuMemcpyHtoD_v2(to: CUdeviceptr, from: *const c_void, size: usize) {
        copy(Side::Device(to), Side::Host(from as u64), size, None)
    }

    fn cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, size: usize, stream: CUstream) {
        copy(Side::Device(to), Side::Host(from as u64), size, Some(stream))
    }

    fn cuMemcpyDtoH_v2(to: *mut c_void, from: CUdeviceptr, size: usize) {
        copy(Side::Host(to as u64), Side::Device(from), size, None)
    }

    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, size: usize, stream: CUstream) {
        copy(Side::Host(to as u64), Side::Device(from), size, Some(stream))
    }

    fn cuMemcpyDtoD_v2(to: CUdeviceptr, from: CUdeviceptr, size: usize) {
        copy(Side::Device(to), Side::Device(from), size, None)
    }

    fn cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, size: usize, stream: CUstream) {
        copy(Side::Device(to), Side::Device(from), size, Some(stream))
    }

    fn cuMemcpyPeer(to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr, from_context: CUcontext, size: usize) {
        {
            let state = state()?;
            state.context(to_context as u64)?;
            state.context(from_context as u64)?;
        }
        copy(Side::Device(to), Side::Device(from), size, None)
    }

    fn cuMemcpyPeerAsync(
        to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr, from_context: CUcontext, size: usize,
        stream: CUstream,
    ) {
        {
            let state = state()?;
            state.context(to_context as u64)?;
            state.context(from_context as u64)?;
        }
        copy(Side::Device(to), Side::Device(from), size, Some(stream))
    }

    fn cuMemsetD8_v2(to: CUdeviceptr, value: u8, count: usize) {
        fill(to, value, count, None)
    }

    fn cuMemsetD32_v2(to: CUdeviceptr, value: u32, count: usize) {
        fill(to, value, count, None)
    }

    fn cuMemsetD8Async(to: CUdeviceptr, value: u8, count: usize, stream: CUstream) {
        fill(to, value, count, Some(stream))
    }

    fn cuMemsetD32Async(to: CUdeviceptr, value: u32, count: usize, stream: CUstream) {
        fill(to, value, count, Some(stream))
    }
}
