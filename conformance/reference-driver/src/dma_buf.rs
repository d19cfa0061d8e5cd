//! `cuMemGetHandleForAddressRange`. A memfd of the range's size stands in for the dma-buf, and its name says so. No
//! device could read the memory through it, and no process can map it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_void;
use std::fs::File;
use std::os::fd::{AsRawFd as _, IntoRawFd as _};
use std::sync::{Mutex, PoisonError};

use cuda_ipc_sys::{CUdeviceptr, CUmemAllocationHandleType, CUmemRangeFlags, CUmemRangeHandleType};

use crate::answer::{INVALID_VALUE, NOT_SUPPORTED, OUT_OF_MEMORY, Output, Result};
use crate::block::{GRANULARITY, HOST};
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
        memory
            if memory.is_host()
                && fault!(
                    "dma-buf-of-host-memory",
                    ["DMABUF-006"],
                    "Host memory has a dma-buf although the attribute reads 0."
                ) =>
        {
            Ok((HOST, CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE))
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
        if fault!("dma-buf-checks-only-the-ends", ["DMABUF-004"], "What lies between both ends does not matter.")
            && self.range(address).is_some()
            && self.range(end - 1).is_some()
        {
            return Ok(());
        }
        let (mut next, mut first) = (address, None);
        let end = match self.range(address) {
            Some(range)
                if fault!(
                    "dma-buf-checks-only-the-start",
                    ["DMABUF-004"],
                    "Only the first mapping of a range counts."
                ) =>
            {
                end.min(range.end())
            }
            _ => end,
        };
        while next < end {
            let Some(range) = self.range(next) else {
                if first.is_some()
                    && self.range(end - 1).is_none()
                    && fault!("dma-buf-goes-beyond-the-mappings", ["DMABUF-004"], "A hole at the end is accepted.")
                {
                    break;
                }
                if first.is_some() && fault!("dma-buf-skips-holes", ["DMABUF-004"], "Unmapped parts are accepted.") {
                    next += GRANULARITY;
                    continue;
                }
                return Err(INVALID_VALUE);
            };
            let mut found = kind(range)?;
            if first.is_some_and(|(device, _)| device != found.0)
                && fault!("dma-buf-spans-devices", ["DMABUF-004"], "A range over two devices is accepted.")
            {
                break;
            }
            if fault!("dma-buf-mixes-properties", ["DMABUF-004"], "Memory with other handle types is accepted.") {
                found.1 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE;
            }
            if first.is_some()
                && fault!("dma-buf-refuses-two-mappings", ["DMABUF-004"], "A range of two mappings is refused.")
            {
                return Err(INVALID_VALUE);
            }
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

/// Creates the file that stands in for a dma-buf. DMABUF-010: the attribute DMA_BUF_MMAP_SUPPORTED reads 0, so the file
/// is opened for writing only: `mmap` refuses such a descriptor.
fn stand_in(size: u64) -> Result<File> {
    let file = new_file("cuda:stand-in-for-a-dma-buf", size)?;
    if fault!(
        "dma-buf-is-mapped",
        ["DMABUF-010"],
        "A process maps a dma-buf although the attribute reads 0.",
        on = "13.3"
    ) {
        return Ok(file);
    }
    File::options().write(true).open(format!("/proc/thread-self/fd/{}", file.as_raw_fd())).map_err(|_| OUT_OF_MEMORY)
}

/// The addresses for which a dma-buf was ever created, for a fault.
static EXPORTED: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

fn refuses_to_free() -> bool {
    fault!("dma-buf-keeps-memory-from-being-freed", ["DMABUF-009"], "cuMemFree refuses memory that has a dma-buf.")
}

/// Checks that memory can be freed, although it may have a dma-buf.
pub(crate) fn check_free(address: u64) -> Result<()> {
    let is_kept = refuses_to_free() && EXPORTED.lock().unwrap_or_else(PoisonError::into_inner).contains(&address);
    if is_kept { Err(INVALID_VALUE) } else { Ok(()) }
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
        let is_small = fault!("dma-buf-aligns-to-512-bytes", ["DMABUF-002"], "Multiples of 512 bytes are accepted.");
        let page = if is_small { 512 } else { PAGE };
        let is_aligned = (address.is_multiple_of(page)
            || fault!("dma-buf-of-an-unaligned-address", ["DMABUF-002"], "Any address is accepted."))
            && (size.is_multiple_of(page)
                || fault!("dma-buf-of-an-unaligned-size", ["DMABUF-002"], "Any size is accepted."))
            && size > 0;
        if !is_aligned && fault!(
            "dma-buf-of-an-unaligned-range-has-another-code",
            ["DMABUF-002"],
            "The code for an unaligned range is NOT_SUPPORTED.",
        ) {
            return Err(NOT_SUPPORTED);
        }
        let is_dma_buf = handle_type == CUmemRangeHandleType::CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
        if !is_dma_buf || !is_aligned || flags & !PCIE != 0 {
            return Err(INVALID_VALUE);
        }
        state.check_dma_buf_range(address, size)?;
        // DMABUF-007: there is no PCIe to map the memory over.
        if flags & PCIE != 0 {
            if fault!(
                "dma-buf-over-pcie-is-not-written",
                ["DMABUF-007"],
                "The call returns SUCCESS and no descriptor.",
            ) {
                return Ok(());
            }
            return Err(NOT_SUPPORTED);
        }
        if fault!("dma-buf-is-refused", ["DMABUF-001"], "The call fails although the attribute reads 1.") {
            return Err(NOT_SUPPORTED);
        }
        if fault!("dma-buf-leaks-a-descriptor", ["DMABUF-001"], "Every call leaves a second descriptor.") {
            std::mem::forget(stand_in(size)?);
        }
        if fault!("dma-buf-is-not-written", ["DMABUF-001"], "The call returns SUCCESS and no descriptor.") {
            return Ok(());
        }
        if state.range(address).is_some_and(|range| range.device == 1)
            && fault!("dma-buf-of-the-second-device-fails", ["DMABUF-001"], "Only device 0 has dma-bufs.")
        {
            return Err(NOT_SUPPORTED);
        }
        if matches!(state.range(address), Some(Range { memory: Memory::Mapping { .. }, .. }))
            && fault!("dma-buf-of-a-mapping-fails", ["DMABUF-001"], "Only cuMemAlloc memory has dma-bufs.")
        {
            return Err(INVALID_VALUE);
        }
        if fault!("dma-buf-is-cached", ["DMABUF-009"], "A range has one descriptor, whatever memory lies there.") {
            static CACHE: Mutex<BTreeMap<u64, i32>> = Mutex::new(BTreeMap::new());
            let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(descriptor) = cache.get(&address) {
                // SAFETY: for this handle type, the caller promises room for a descriptor.
                return unsafe { output.cast::<i32>() }.give(*descriptor);
            }
            let descriptor = stand_in(size)?.into_raw_fd();
            cache.insert(address, descriptor);
            // SAFETY: as above.
            return unsafe { output.cast::<i32>() }.give(descriptor);
        }
        if refuses_to_free() {
            EXPORTED.lock().unwrap_or_else(PoisonError::into_inner).insert(address);
        }
        let descriptor = stand_in(size)?.into_raw_fd();
        // SAFETY: for this handle type, the caller promises room for a descriptor.
        unsafe { output.cast::<i32>() }.give(descriptor)
    }
}
