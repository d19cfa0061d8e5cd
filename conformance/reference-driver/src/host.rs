//! Host memory that devices can access, and managed memory, which is the same in this driver.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use cuda_ipc_sys::{
    CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTALLOC_WRITECOMBINED, CU_MEMHOSTREGISTER_DEVICEMAP,
    CU_MEMHOSTREGISTER_IOMEMORY, CU_MEMHOSTREGISTER_PORTABLE, CU_MEMHOSTREGISTER_READ_ONLY, CUdeviceptr,
    CUmemAttach_flags, CUresult,
};

use crate::answer::{INVALID_VALUE, NOT_SUPPORTED, OUT_OF_MEMORY, Output, Result};
use crate::memfd::unmap;
use crate::process::{State, state};
use crate::range::Memory;
use crate::stream::synchronize;

/// Zeroed memory that is private to this process.
#[derive(Debug)]
pub(crate) struct HostMemory {
    base: u64,
    size: u64,
    /// The flags of `cuMemHostAlloc`.
    pub(crate) flags: u32,
}

impl HostMemory {
    fn new(size: u64, host_flags: u32) -> Result<Self> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address of the kernel's choice.
        let address = unsafe { libc::mmap(ptr::null_mut(), size as usize, protection, flags, -1, 0) };
        if address == libc::MAP_FAILED {
            Err(OUT_OF_MEMORY)
        } else {
            Ok(Self { base: address as u64, size, flags: host_flags })
        }
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        unmap(self.base, self.size);
    }
}

impl State {
    fn allocate_host(
        &mut self,
        context: u64,
        size: u64,
        flags: u32,
        kind: fn(Arc<HostMemory>) -> Memory,
    ) -> Result<u64> {
        if size == 0 {
            return Err(INVALID_VALUE);
        }
        let device = self.context(context)?.device_index;
        let memory = HostMemory::new(size, flags)?;
        let base = memory.base;
        self.add_range(base, size, context, device, kind(Arc::new(memory)));
        Ok(base)
    }

    fn register(&mut self, context: u64, base: u64, size: u64) -> Result<()> {
        let end = base.checked_add(size).ok_or(INVALID_VALUE)?;
        if base == 0 || size == 0 {
            return Err(INVALID_VALUE);
        }
        if self.is_taken(base, end) {
            return Err(CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
        }
        if !is_mapped(base, size) {
            return Err(INVALID_VALUE);
        }
        let device = self.context(context)?.device_index;
        self.add_range(base, size, context, device, Memory::Registered);
        Ok(())
    }
}

/// Whether all of these addresses are mapped, whoever mapped them.
pub(crate) fn is_mapped(base: u64, size: u64) -> bool {
    const PAGE: u64 = 4096;
    let first = base - base % PAGE;
    // A range that goes beyond the address space is not mapped.
    let Some(end) = base.checked_add(size) else { return false };
    let length = end - first;
    // SAFETY: the call only checks the mappings: since Linux 2.6.19 it starts no writeback.
    unsafe { libc::msync(first as *mut c_void, length as usize, libc::MS_ASYNC) == 0 }
}

/// Rejects unknown flags.
const fn check_flags(flags: u32, known: u32) -> Result<()> {
    if flags & !known == 0 { Ok(()) } else { Err(INVALID_VALUE) }
}

entry_points! {
    fn cuMemAllocHost_v2(pointer: Output<*mut c_void>, size: usize) {
        let mut state = state()?;
        let context = state.current()?;
        pointer.wanted()?;
        pointer.give(state.allocate_host(context, size as u64, 0, Memory::Host)? as *mut c_void)
    }

    fn cuMemHostAlloc(pointer: Output<*mut c_void>, size: usize, flags: u32) {
        let mut state = state()?;
        let context = state.current()?;
        pointer.wanted()?;
        check_flags(flags, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED)?;
        pointer.give(state.allocate_host(context, size as u64, flags, Memory::Host)? as *mut c_void)
    }

    fn cuMemFreeHost(pointer: *mut c_void) {
        let base = pointer as u64;
        let context = {
            let state = state()?;
            state.check_current_if_any()?;
            if fault!("host-free-needs-a-context", ["IPCMEM-GET-033"], "cuMemFreeHost is refused without a current context.") {
                state.current()?;
            }
            if state.current().is_err()
                && fault!("host-free-without-a-context-is-lost", ["IPCMEM-GET-033"], "It succeeds and frees nothing.")
            {
                return Ok(());
            }
            let range = state.ranges.get(&base).filter(|range| matches!(range.memory, Memory::Host(_)));
            range.ok_or(INVALID_VALUE)?.context
        };
        synchronize(context)?;
        state()?.ranges.remove(&base).map(|_| ()).ok_or(INVALID_VALUE)
    }

    // All host memory of the driver is mapped for every device, at the address that the host uses.
    fn cuMemHostGetDevicePointer_v2(output: Output<CUdeviceptr>, pointer: *mut c_void, flags: u32) {
        let state = state()?;
        state.current()?;
        output.wanted()?;
        check_flags(flags, 0)?;
        state.range(pointer as u64).filter(|range| range.memory.is_host()).ok_or(INVALID_VALUE)?;
        output.give(pointer as u64)
    }

    fn cuMemHostRegister_v2(pointer: *mut c_void, size: usize, flags: u32) {
        const UNSUPPORTED: u32 = CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
        let mut state = state()?;
        let context = state.current()?;
        check_flags(flags, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | UNSUPPORTED)?;
        if flags & UNSUPPORTED != 0 {
            return Err(NOT_SUPPORTED);
        }
        state.register(context, pointer as u64, size as u64)
    }

    fn cuMemHostUnregister(pointer: *mut c_void) {
        const NOT_REGISTERED: CUresult = CUresult::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
        let base = pointer as u64;
        let context = {
            let state = state()?;
            state.current()?;
            let range = state.ranges.get(&base).filter(|range| matches!(range.memory, Memory::Registered));
            range.ok_or(NOT_REGISTERED)?.context
        };
        synchronize(context)?;
        state()?.ranges.remove(&base).map(|_| ()).ok_or(NOT_REGISTERED)
    }

    fn cuMemAllocManaged(pointer: Output<CUdeviceptr>, size: usize, flags: u32) {
        let mut state = state()?;
        let context = state.current()?;
        pointer.wanted()?;
        let known = [CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL.0, CUmemAttach_flags::CU_MEM_ATTACH_HOST.0];
        if !known.contains(&flags) {
            return Err(INVALID_VALUE);
        }
        pointer.give(state.allocate_host(context, size as u64, 0, Memory::Managed)?)
    }
}
