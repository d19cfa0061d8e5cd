//! `cuMemGetHandleForAddressRange`. A memfd of the range's size stands in for the dma-buf, and its name says so. No
//! device could read the memory through it.

use std::ffi::c_void;
use std::os::fd::IntoRawFd as _;

use cuda_ipc_sys::{CUdeviceptr, CUmemAllocationHandleType, CUmemRangeFlags, CUmemRangeHandleType};

use crate::answer::{INVALID_VALUE, NOT_SUPPORTED, Output, Result};
use crate::block::HOST;
use crate::memfd::new_file;
use crate::process::{State, state};
use crate::range::{Memory, Range};

const PAGE: u64 = 4096;

/// The properties that must be the same in a whole range: the device, and the handle types that the memory can be
/// exported as.
fn kind(range: &Range) -> Result<(usize, CUmemAllocationHandleType)> {
    match &range.memory {
        Memory::Linear(_) => Ok((range.device, CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE)),
        Memory::Mapping { allocation, .. } if allocation.device != HOST => {
            Ok((allocation.device, allocation.handle_types))
        }
        // DMABUF-006: the attribute HOST_ALLOC_DMA_BUF_SUPPORTED reads 0.
        memory if memory.is_host() => Err(NOT_SUPPORTED),
        // DMABUF-005, -008: memory that is neither from `cuMemAlloc` nor mapped.
        _ => Err(INVALID_VALUE),
    }
}

impl State {
    /// Checks a range. DMABUF-004: all of it must be backed by memory of one device with identical properties.
    fn check_dma_buf_range(&self, address: u64, size: u64) -> Result<()> {
        let end = address.checked_add(size).ok_or(INVALID_VALUE)?;
        let (mut next, mut first) = (address, None);
        while next < end {
            let range = self.range(next).ok_or(INVALID_VALUE)?;
            let found = kind(range)?;
            let is_mapping = matches!(range.memory, Memory::Mapping { .. });
            // Only adjacent mappings count as one range of memory.
            if *first.get_or_insert(found) != found || !is_mapping && end > range.end() {
                return Err(INVALID_VALUE);
            }
            next = range.end();
        }
        Ok(())
    }
}

entry_points! {
    fn cuMemGetHandleForAddressRange(
        output: Output<c_void>,
        address: CUdeviceptr,
        size: usize,
        handle_type: CUmemRangeHandleType,
        flags: u64,
    ) {
        const PCIE: u64 = CUmemRangeFlags::CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE.0 as u64;
        let state = state()?;
        state.current()?;
        output.wanted()?;
        let size = size as u64;
        // DMABUF-002
        let is_aligned = address.is_multiple_of(PAGE) && size.is_multiple_of(PAGE) && size > 0;
        let is_dma_buf = handle_type == CUmemRangeHandleType::CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
        if !is_dma_buf || !is_aligned || flags & !PCIE != 0 {
            return Err(INVALID_VALUE);
        }
        state.check_dma_buf_range(address, size)?;
        // DMABUF-007: there is no PCIe to map the memory over.
        if flags & PCIE != 0 {
            return Err(NOT_SUPPORTED);
        }
        let descriptor = new_file("cuda:stand-in-for-a-dma-buf", size)?.into_raw_fd();
        // SAFETY: for this handle type, the caller promises room for a descriptor.
        unsafe { output.cast::<i32>() }.give(descriptor)
    }
}
