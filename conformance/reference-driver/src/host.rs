//! Host memory that devices reach, and managed memory.

use std::ffi::c_void;
use std::ptr;

use cuda_ipc_sys::{
    CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTALLOC_WRITECOMBINED, CUdeviceptr, CUmemAttach_flags,
    CUresult,
};

use crate::answer::{INVALID_VALUE, OUT_OF_MEMORY, Result, give, wanted};
use crate::context::synchronize;
use crate::memory::Kind;
use crate::process::{State, state};

/// Zeroed memory of this process alone.
fn private(size: u64) -> Result<u64> {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping at an address of the kernel's choice.
    let address = unsafe { libc::mmap(ptr::null_mut(), size as usize, protection, flags, -1, 0) };
    if address == libc::MAP_FAILED { Err(OUT_OF_MEMORY) } else { Ok(address as u64) }
}

impl State {
    fn allocate_host(&mut self, size: u64, kind: Kind) -> Result<u64> {
        let context = self.current()?;
        if size == 0 {
            return Err(INVALID_VALUE);
        }
        let device_index = self.context(context)?.device_index;
        let base = private(size)?;
        self.add_range(base, size, kind, context, device_index);
        Ok(base)
    }
}

entry_points! {
    fn cuMemAllocHost_v2(pointer: *mut *mut c_void, size: usize) {
        wanted(pointer)?;
        let base = state()?.allocate_host(size as u64, Kind::PinnedHost)?;
        give(pointer, base as *mut c_void)
    }

    fn cuMemHostAlloc(pointer: *mut *mut c_void, size: usize, flags: u32) {
        wanted(pointer)?;
        if flags & !(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED) != 0 {
            return Err(INVALID_VALUE);
        }
        let base = state()?.allocate_host(size as u64, Kind::PinnedHost)?;
        give(pointer, base as *mut c_void)
    }

    fn cuMemFreeHost(pointer: *mut c_void) {
        let owner = {
            let state = state()?;
            let range = state.range_at(pointer as u64)?;
            if !matches!(range.kind, Kind::PinnedHost) {
                return Err(INVALID_VALUE);
            }
            range.context
        };
        // The context may be gone while its host memory is not.
        let _ = synchronize(owner);
        state()?.forget(pointer as u64);
        Ok(())
    }

    fn cuMemHostGetDevicePointer_v2(output: *mut CUdeviceptr, pointer: *mut c_void, flags: u32) {
        let state = state()?;
        state.current()?;
        let range = state.range(pointer as u64).filter(|range| range.is_host());
        if flags != 0 || range.is_none() {
            return Err(INVALID_VALUE);
        }
        give(output, pointer as u64)
    }

    fn cuMemHostRegister_v2(pointer: *mut c_void, size: usize, _flags: u32) {
        let mut state = state()?;
        let context = state.current()?;
        if pointer.is_null() || size == 0 {
            return Err(INVALID_VALUE);
        }
        let (base, end) = (pointer as u64, (pointer as u64).checked_add(size as u64).ok_or(INVALID_VALUE)?);
        let overlaps = state.ranges.range(..end).next_back().is_some_and(|(_, range)| range.base + range.size > base);
        if overlaps {
            return Err(CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
        }
        let device_index = state.context(context)?.device_index;
        state.add_range(base, size as u64, Kind::RegisteredHost, context, device_index);
        Ok(())
    }

    fn cuMemHostUnregister(pointer: *mut c_void) {
        let mut state = state()?;
        if !state.ranges.get(&(pointer as u64)).is_some_and(|range| matches!(range.kind, Kind::RegisteredHost)) {
            return Err(CUresult::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
        }
        state.forget(pointer as u64);
        Ok(())
    }

    fn cuMemAllocManaged(pointer: *mut CUdeviceptr, size: usize, flags: u32) {
        wanted(pointer)?;
        let known = [CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL.0, CUmemAttach_flags::CU_MEM_ATTACH_HOST.0];
        if !known.contains(&flags) {
            return Err(INVALID_VALUE);
        }
        let base = state()?.allocate_host(size as u64, Kind::Managed)?;
        give(pointer, base)
    }
}
