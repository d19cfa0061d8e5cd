//! Virtual memory management: reserved addresses, physical memory, mappings and access.
//!
//! Physical memory is a block, which this process has mapped already: a mapping of `cuMemMap` is an entry that leads
//! from reserved addresses to it, and those addresses themselves stay out of the host's reach.

use std::ffi::c_void;
use std::sync::Arc;

use cuda_ipc_sys::{
    CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationGranularity_flags, CUmemAllocationHandleType,
    CUmemAllocationProp, CUmemAllocationType, CUmemGenericAllocationHandle, CUmemLocation, CUmemLocationType,
};

use crate::answer::{INVALID_VALUE, Input, NOT_SUPPORTED, OUT_OF_MEMORY, Output, Result};
use crate::block::{Block, GRANULARITY, unmap};
use crate::process::{State, state};
use crate::range::{AccessOf, Memory};
use crate::stream::synchronize;

/// An allocation handle. The memory lives on in its mappings when the handle is released.
#[derive(Clone, Debug)]
pub(crate) struct Physical {
    block: Arc<Block>,
    /// The device's place in the machine.
    device: usize,
    references: usize,
}

const PAGE: u64 = 4096;

const fn is_granular(value: u64) -> bool {
    value.is_multiple_of(GRANULARITY)
}

/// Addresses that nothing is mapped at, at the hint where that is free.
fn reserve(size: u64, alignment: u64, hint: u64) -> Result<u64> {
    let alignment = alignment.max(GRANULARITY);
    let length = size.checked_add(alignment).ok_or(OUT_OF_MEMORY)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping, which replaces nothing.
    let address = unsafe { libc::mmap(hint as *mut c_void, length as usize, libc::PROT_NONE, flags, -1, 0) };
    if address == libc::MAP_FAILED {
        return Err(OUT_OF_MEMORY);
    }
    let (first, end) = (address as u64, address as u64 + length);
    let base = first.next_multiple_of(alignment);
    for (from, to) in [(first, base), (base + size, end)] {
        if from < to {
            unmap(from, to - from);
        }
    }
    Ok(base)
}

impl State {
    /// The reservation that an address lies in: base and size.
    pub(crate) fn reservation(&self, address: u64) -> Option<(u64, u64)> {
        let (base, size) = self.reservations.range(..=address).next_back()?;
        (address - base < *size).then_some((*base, *size))
    }

    fn is_reserved(&self, address: u64, size: u64) -> bool {
        let end = address.checked_add(size);
        self.reservation(address).is_some_and(|(base, length)| end.is_some_and(|end| end <= base + length))
    }

    /// The bases of the mappings in a place, which must lie in it wholly.
    fn mappings(&self, address: u64, size: u64) -> Result<Vec<u64>> {
        let end = address.checked_add(size).ok_or(INVALID_VALUE)?;
        // VMM-MAP-012
        let is_cut = |address: u64| self.range(address).is_some_and(|range| range.base < address);
        if is_cut(address) || is_cut(end) {
            return Err(INVALID_VALUE);
        }
        Ok(self.ranges.range(address..end).map(|(base, _)| *base).collect())
    }

    /// Wait for every context that reaches one of these mappings: what runs may still use them.
    fn users_of(&self, mappings: &[u64]) -> Vec<u64> {
        let reached = |device: usize| {
            mappings.iter().filter_map(|base| self.ranges.get(base)).any(|range| match &range.memory {
                Memory::Mapping { access, .. } => access.contains_key(&device),
                _ => false,
            })
        };
        self.contexts.iter().filter(|(_, context)| reached(context.device_index)).map(|(id, _)| *id).collect()
    }

    /// The device of a location.
    fn device_at(&mut self, location: &CUmemLocation) -> Result<usize> {
        // VMM-MAP-025 and -031
        if location.type_ != CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE {
            return Err(INVALID_VALUE);
        }
        self.device(location.id()).map(|device| device.index)
    }

    /// What physical memory is wished for, if this driver can make it: the device.
    fn check_properties(&mut self, properties: &CUmemAllocationProp) -> Result<usize> {
        type L = CUmemLocationType;
        // VMM-CREATE-005
        if properties.type_ != CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED {
            return Err(INVALID_VALUE);
        }
        let no_handles = properties.requestedHandleTypes == CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE;
        match properties.location.type_ {
            L::CU_MEM_LOCATION_TYPE_DEVICE => {
                // VMM-CREATE-006
                let device = self.device_at(&properties.location)?;
                // VMM-CREATE-008, -018: the attributes for handles and for RDMA read 0.
                let is_plain = no_handles && properties.allocFlags.gpuDirectRDMACapable == 0;
                if is_plain { Ok(device) } else { Err(NOT_SUPPORTED) }
            }
            // VMM-CREATE-013
            L::CU_MEM_LOCATION_TYPE_HOST if !no_handles => Err(INVALID_VALUE),
            L::CU_MEM_LOCATION_TYPE_HOST | L::CU_MEM_LOCATION_TYPE_HOST_NUMA => Err(NOT_SUPPORTED),
            // VMM-CREATE-015
            _ => Err(INVALID_VALUE),
        }
    }

    fn check_mapping_access(&mut self, wanted: &[CUmemAccessDesc]) -> Result<AccessOf> {
        type F = CUmemAccess_flags;
        let known =
            [F::CU_MEM_ACCESS_FLAGS_PROT_NONE, F::CU_MEM_ACCESS_FLAGS_PROT_READ, F::CU_MEM_ACCESS_FLAGS_PROT_READWRITE];
        let mut access = AccessOf::new();
        for CUmemAccessDesc { location, flags } in wanted {
            if !known.contains(flags) {
                return Err(INVALID_VALUE);
            }
            // VMM-MAP-026, VMM-MAP-029: any device, since all are peers.
            access.insert(self.device_at(location)?, *flags);
        }
        Ok(access)
    }
}

entry_points! {
    // VMM-RES-013: needs no context.
    fn cuMemAddressReserve(output: Output<CUdeviceptr>, size: usize, alignment: usize, hint: CUdeviceptr, flags: u64) {
        let mut state = state()?;
        output.wanted()?;
        let (size, alignment) = (size as u64, alignment as u64);
        // VMM-RES-002 to -004, -007, -008
        let is_aligned = size.is_multiple_of(PAGE) && hint.is_multiple_of(PAGE);
        if size == 0 || !is_aligned || alignment != 0 && !alignment.is_power_of_two() || flags != 0 {
            return Err(INVALID_VALUE);
        }
        let base = reserve(size, alignment, hint)?;
        state.reservations.insert(base, size);
        output.give(base)
    }

    fn cuMemAddressFree(address: CUdeviceptr, size: usize) {
        let mut state = state()?;
        let size = size as u64;
        // VMM-RES-009 to -011
        if state.reservations.get(&address) != Some(&size) || state.is_taken(address, address + size) {
            return Err(INVALID_VALUE);
        }
        state.reservations.remove(&address);
        unmap(address, size);
        Ok(())
    }

    fn cuMemGetAllocationGranularity(
        output: Output<usize>,
        properties: Input<CUmemAllocationProp>,
        option: CUmemAllocationGranularity_flags,
    ) {
        let _state = state()?;
        // VMM-CREATE-021. VMM-CREATE-022: what the properties say does not matter, but null is refused.
        output.wanted()?;
        properties.value()?;
        if option.0 > CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED.0 {
            return Err(INVALID_VALUE);
        }
        output.give(GRANULARITY as usize)
    }

    // VMM-CREATE-019: needs no context.
    fn cuMemCreate(
        output: Output<CUmemGenericAllocationHandle>,
        size: usize,
        properties: Input<CUmemAllocationProp>,
        flags: u64,
    ) {
        let mut state = state()?;
        // VMM-CREATE-004
        output.wanted()?;
        let properties = properties.value()?;
        // VMM-CREATE-002, -003, -007
        if size == 0 || !is_granular(size as u64) || flags != 0 {
            return Err(INVALID_VALUE);
        }
        let device = state.check_properties(&properties)?;
        let block = Arc::new(Block::new(device, size as u64)?);
        let handle = state.new_id();
        state.physical.insert(handle, Physical { block, device, references: 1 });
        output.give(handle)
    }

    fn cuMemRelease(handle: CUmemGenericAllocationHandle) {
        let mut state = state()?;
        let physical = state.physical.get_mut(&handle).ok_or(INVALID_VALUE)?;
        physical.references -= 1;
        // VMM-MAP-017: mappings keep the memory.
        if physical.references == 0 {
            state.physical.remove(&handle);
        }
        Ok(())
    }

    fn cuMemMap(address: CUdeviceptr, size: usize, offset: usize, handle: CUmemGenericAllocationHandle, flags: u64) {
        let mut state = state()?;
        let size = size as u64;
        let Physical { block, device, .. } = state.physical.get(&handle).cloned().ok_or(INVALID_VALUE)?;
        // VMM-MAP-002 to -006, VMM-MAP-010: the offset has to be 0 for now, as the documentation says.
        let fits = size > 0 && is_granular(size) && size <= block.size && is_granular(address);
        if offset != 0 || flags != 0 || !fits {
            return Err(INVALID_VALUE);
        }
        // VMM-MAP-007 and -008
        if !state.is_reserved(address, size) || state.is_taken(address, address + size) {
            return Err(INVALID_VALUE);
        }
        // VMM-MAP-015, VMM-MAP-027: nobody has access yet.
        let memory = Memory::Mapping { block, offset: 0, handle, access: AccessOf::new() };
        state.add_range(address, size, 0, device, memory);
        Ok(())
    }

    fn cuMemUnmap(address: CUdeviceptr, size: usize) {
        let size = size as u64;
        let find = |state: &State| {
            if size == 0 || !is_granular(address) || !is_granular(size) || !state.is_reserved(address, size) {
                return Err(INVALID_VALUE);
            }
            // VMM-MAP-013. VMM-MAP-014: what is not mapped may lie between, as on an H200.
            state.mappings(address, size)
        };
        let users = {
            let state = state()?;
            state.users_of(&find(&state)?)
        };
        // VMM-MAP-016: a context that is gone or has failed does not use it any more.
        for context in users {
            let _ = synchronize(context);
        }
        let mut state = state()?;
        for base in find(&state)? {
            state.ranges.remove(&base);
        }
        Ok(())
    }

    fn cuMemSetAccess(address: CUdeviceptr, size: usize, wanted: Input<CUmemAccessDesc>, count: usize) {
        let mut state = state()?;
        // VMM-MAP-025
        if size == 0 || count == 0 {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller promises so many.
        let wanted = unsafe { wanted.values(count) }?;
        let access = state.check_mapping_access(&wanted)?;
        let mappings = state.mappings(address, size as u64)?;
        let ranges = || mappings.iter().filter_map(|base| state.ranges.get(base));
        let mapped: u64 = ranges().map(|range| range.size).sum();
        let only_mappings = ranges().all(|range| matches!(range.memory, Memory::Mapping { .. }));
        // VMM-MAP-023
        if mapped != size as u64 || !only_mappings {
            return Err(INVALID_VALUE);
        }
        for base in mappings {
            if let Some(Memory::Mapping { access: granted, .. }) =
                state.ranges.get_mut(&base).map(|range| &mut range.memory)
            {
                granted.extend(access.iter().map(|(device, flags)| (*device, *flags)));
            }
        }
        Ok(())
    }

    fn cuMemGetAccess(output: Output<u64>, location: Input<CUmemLocation>, address: CUdeviceptr) {
        let mut state = state()?;
        output.wanted()?;
        let device = state.device_at(&location.value()?)?;
        // VMM-MAP-028
        match state.range(address).map(|range| &range.memory) {
            Some(Memory::Mapping { access, .. }) => output.give(access.get(&device).map_or(0, |flags| flags.0.into())),
            _ => Err(INVALID_VALUE),
        }
    }

    fn cuMemGetAllocationPropertiesFromHandle(
        output: Output<CUmemAllocationProp>,
        handle: CUmemGenericAllocationHandle,
    ) {
        let state = state()?;
        output.wanted()?;
        let device = state.physical.get(&handle).ok_or(INVALID_VALUE)?.device;
        let location = CUmemLocation::device(state.ordinal(device));
        let type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        output.give(CUmemAllocationProp { type_, location, ..Default::default() })
    }

    fn cuMemRetainAllocationHandle(output: Output<CUmemGenericAllocationHandle>, address: *mut c_void) {
        let mut state = state()?;
        output.wanted()?;
        let (physical, handle) = match state.range(address as u64).map(|range| (range.device, &range.memory)) {
            Some((device, Memory::Mapping { block, handle, .. })) => {
                (Physical { block: Arc::clone(block), device, references: 0 }, *handle)
            }
            _ => return Err(INVALID_VALUE),
        };
        // The handle that was mapped, which comes back to life where it was released.
        state.physical.entry(handle).or_insert(physical).references += 1;
        output.give(handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_are_aligned_and_hints_are_taken() {
        let one = reserve(GRANULARITY, 0, 0).unwrap();
        let other = reserve(GRANULARITY, 1 << 30, 0).unwrap();
        assert!(is_granular(one) && other.is_multiple_of(1 << 30));
        unmap(one, GRANULARITY);
        assert_eq!(reserve(GRANULARITY, 0, one), Ok(one));
        unmap(one, GRANULARITY);
        unmap(other, GRANULARITY);
    }
}
