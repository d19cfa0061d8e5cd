//! Virtual memory management inside one process. Handles that are shared between processes are not written yet.

use std::collections::BTreeMap;
use std::os::fd::AsRawFd as _;
use std::ptr;
use std::sync::Arc;

use cuda_ipc_sys::{
    CUdevice, CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationGranularity_flags, CUmemAllocationProp,
    CUmemAllocationType, CUmemGenericAllocationHandle, CUmemLocation, CUmemLocationType,
};

use crate::answer::{INVALID_DEVICE, INVALID_VALUE, NOT_SUPPORTED, OUT_OF_MEMORY, Result, give, take, wanted};
use crate::block::{Block, GRANULARITY, unmap};
use crate::kernel::Access;
use crate::memory::Kind;
use crate::process::{State, state};

/// An allocation handle. The memory lives on in its mappings when the handle is released.
#[derive(Clone, Debug)]
pub(crate) struct Physical {
    block: Arc<Block>,
    device: CUdevice,
    references: usize,
}

const PAGE: u64 = 4096;

fn is_granular(value: u64) -> bool {
    value.is_multiple_of(GRANULARITY)
}

/// Whether the access of a device covers what is wanted.
pub(crate) fn allows(granted: &BTreeMap<CUdevice, u32>, device: CUdevice, wanted: Access) -> bool {
    let flags = CUmemAccess_flags(granted.get(&device).copied().unwrap_or(0));
    match wanted {
        Access::Read => flags != CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE,
        Access::Write => flags == CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    }
}

/// Addresses that nothing is mapped to.
fn reserve(size: u64, alignment: u64) -> Result<u64> {
    let slack = alignment.max(GRANULARITY);
    let length = size.checked_add(slack).ok_or(OUT_OF_MEMORY)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let address = unsafe { libc::mmap(ptr::null_mut(), length as usize, libc::PROT_NONE, flags, -1, 0) };
    if address == libc::MAP_FAILED {
        return Err(OUT_OF_MEMORY);
    }
    let (first, end) = (address as u64, address as u64 + length);
    let base = first.next_multiple_of(slack);
    if base > first {
        unmap(first, base - first);
    }
    if end > base + size {
        unmap(base + size, end - base - size);
    }
    Ok(base)
}

/// Put something else at addresses of a reservation.
fn replace(address: u64, size: u64, block: Option<&Block>) -> Result<()> {
    let (protection, flags, descriptor) = match block {
        Some(block) => (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, block.file().as_raw_fd()),
        None => (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1),
    };
    // SAFETY: the addresses belong to a reservation of this driver, so nothing else of the process is replaced.
    let mapped =
        unsafe { libc::mmap(address as *mut _, size as usize, protection, flags | libc::MAP_FIXED, descriptor, 0) };
    if mapped == libc::MAP_FAILED { Err(OUT_OF_MEMORY) } else { Ok(()) }
}

impl State {
    fn is_reserved(&self, address: u64, size: u64) -> bool {
        let before = self.reservations.range(..=address).next_back();
        before.is_some_and(|(base, length)| address.checked_add(size).is_some_and(|end| end <= base + length))
    }

    /// The bases of the mappings that lie wholly in a range, or an error where one lies in it only in part.
    fn mappings(&self, address: u64, size: u64) -> Result<Vec<u64>> {
        let end = address.checked_add(size).ok_or(INVALID_VALUE)?;
        let mut found = Vec::new();
        for range in self.ranges.values().filter(|range| matches!(range.kind, Kind::Mapped { .. })) {
            let range_end = range.base + range.size;
            if range.base < end && address < range_end {
                if range.base < address || range_end > end {
                    return Err(INVALID_VALUE);
                }
                found.push(range.base);
            }
        }
        Ok(found)
    }

    fn device_of(&self, location: &CUmemLocation) -> Result<CUdevice> {
        if location.type_ != CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE {
            return Err(INVALID_VALUE);
        }
        let known = usize::try_from(location.id()).is_ok_and(|device| device < self.devices.len());
        if known { Ok(location.id()) } else { Err(INVALID_DEVICE) }
    }
}

entry_points! {
    fn cuMemGetAllocationGranularity(
        output: *mut usize, properties: *const CUmemAllocationProp, option: CUmemAllocationGranularity_flags,
    ) {
        wanted(output)?;
        take(properties)?;
        if option.0 > CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED.0 {
            return Err(INVALID_VALUE);
        }
        give(output, GRANULARITY as usize)
    }

    fn cuMemAddressReserve(output: *mut CUdeviceptr, size: usize, alignment: usize, _hint: CUdeviceptr, flags: u64) {
        wanted(output)?;
        let (size, alignment) = (size as u64, alignment as u64);
        // VMM-RES-003, VMM-RES-004, VMM-RES-008
        let aligned = alignment == 0 || alignment.is_power_of_two();
        if size == 0 || !size.is_multiple_of(PAGE) || !aligned || flags != 0 {
            return Err(INVALID_VALUE);
        }
        let mut state = state()?;
        let base = reserve(size, alignment)?;
        state.reservations.insert(base, size);
        give(output, base)
    }

    fn cuMemAddressFree(address: CUdeviceptr, size: usize) {
        let mut state = state()?;
        let size = size as u64;
        // VMM-RES-009, VMM-RES-010
        if state.reservations.get(&address) != Some(&size) || !state.mappings(address, size)?.is_empty() {
            return Err(INVALID_VALUE);
        }
        state.reservations.remove(&address);
        unmap(address, size);
        Ok(())
    }

    fn cuMemCreate(
        output: *mut CUmemGenericAllocationHandle, size: usize, properties: *const CUmemAllocationProp, flags: u64,
    ) {
        wanted(output)?;
        let properties = take(properties)?;
        let pinned = properties.type_ == CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        // VMM-CREATE-002, VMM-CREATE-003, VMM-CREATE-005, VMM-CREATE-007
        if size == 0 || !is_granular(size as u64) || flags != 0 || !pinned {
            return Err(INVALID_VALUE);
        }
        let mut state = state()?;
        let device = state.device_of(&properties.location)?;
        if properties.requestedHandleTypes.0 != 0 {
            return Err(NOT_SUPPORTED);
        }
        let device_index = state.device(device)?.index;
        let block = Arc::new(Block::new(device_index, size as u64)?);
        let id = state.new_id();
        state.physical.insert(id, Physical { block, device, references: 1 });
        give(output, id)
    }

    fn cuMemRelease(handle: CUmemGenericAllocationHandle) {
        let mut state = state()?;
        let physical = state.physical.get_mut(&handle).ok_or(INVALID_VALUE)?;
        physical.references -= 1;
        // VMM-MAP-017: mappings hold the memory themselves.
        if physical.references == 0 {
            state.physical.remove(&handle);
        }
        Ok(())
    }

    fn cuMemMap(address: CUdeviceptr, size: usize, offset: usize, handle: CUmemGenericAllocationHandle, flags: u64) {
        let mut state = state()?;
        let size = size as u64;
        let physical = state.physical.get(&handle).cloned().ok_or(INVALID_VALUE)?;
        // VMM-MAP-002, VMM-MAP-004 to 008, VMM-MAP-010
        let fits = size > 0 && size <= physical.block.size && is_granular(size) && is_granular(address);
        let free = state.is_reserved(address, size) && state.mappings(address, size).is_ok_and(|found| found.is_empty());
        if offset != 0 || flags != 0 || !fits || !free {
            return Err(INVALID_VALUE);
        }
        replace(address, size, Some(&physical.block))?;
        let device_index = state.device(physical.device)?.index;
        // VMM-MAP-027: nobody has access yet.
        let kind = Kind::Mapped { physical: physical.block, handle, access: BTreeMap::new() };
        state.add_range(address, size, kind, 0, device_index);
        Ok(())
    }

    fn cuMemUnmap(address: CUdeviceptr, size: usize) {
        let mut state = state()?;
        let size = size as u64;
        if size == 0 || !is_granular(address) || !is_granular(size) || !state.is_reserved(address, size) {
            return Err(INVALID_VALUE);
        }
        // VMM-MAP-012: only whole mappings. What is not mapped may lie between, as on the H200.
        for base in state.mappings(address, size)? {
            state.forget(base);
        }
        replace(address, size, None)
    }

    fn cuMemSetAccess(address: CUdeviceptr, size: usize, descriptions: *const CUmemAccessDesc, count: usize) {
        type F = CUmemAccess_flags;
        let mut state = state()?;
        let mappings = state.mappings(address, size as u64)?;
        let mapped: u64 = mappings.iter().filter_map(|base| state.ranges.get(base)).map(|range| range.size).sum();
        // VMM-MAP-023
        if count == 0 || size == 0 || mapped != size as u64 {
            return Err(INVALID_VALUE);
        }
        let known = [F::CU_MEM_ACCESS_FLAGS_PROT_NONE, F::CU_MEM_ACCESS_FLAGS_PROT_READ, F::CU_MEM_ACCESS_FLAGS_PROT_READWRITE];
        let mut wanted = Vec::new();
        for index in 0..count {
            wanted_pointer(descriptions)?;
            // SAFETY: the caller promises `count` descriptions.
            let description = take(unsafe { descriptions.add(index) })?;
            if !known.contains(&description.flags) {
                return Err(INVALID_VALUE);
            }
            wanted.push((state.device_of(&description.location)?, description.flags.0));
        }
        for base in mappings {
            if let Some(Kind::Mapped { access, .. }) = state.ranges.get_mut(&base).map(|range| &mut range.kind) {
                access.extend(wanted.iter().copied());
            }
        }
        Ok(())
    }

    fn cuMemGetAccess(output: *mut u64, location: *const CUmemLocation, address: CUdeviceptr) {
        wanted(output)?;
        let location = take(location)?;
        let state = state()?;
        let device = state.device_of(&location)?;
        match state.range(address).map(|range| &range.kind) {
            Some(Kind::Mapped { access, .. }) => give(output, access.get(&device).copied().unwrap_or(0).into()),
            _ => Err(INVALID_VALUE),
        }
    }

    fn cuMemGetAllocationPropertiesFromHandle(
        output: *mut CUmemAllocationProp, handle: CUmemGenericAllocationHandle,
    ) {
        let state = state()?;
        let physical = state.physical.get(&handle).ok_or(INVALID_VALUE)?;
        give(output, CUmemAllocationProp {
            type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            location: CUmemLocation::device(physical.device),
            ..Default::default()
        })
    }

    fn cuMemRetainAllocationHandle(output: *mut CUmemGenericAllocationHandle, address: *mut std::ffi::c_void) {
        wanted(output)?;
        let mut state = state()?;
        let Some(range) = state.range(address as u64) else { return Err(INVALID_VALUE) };
        let Kind::Mapped { physical, handle, .. } = &range.kind else { return Err(INVALID_VALUE) };
        let (block, handle, device) = (Arc::clone(physical), *handle, state.ordinal(range.device_index));
        // VMM-IMP-030: the handle that was mapped, which comes back to life where it was released.
        let physical = state.physical.entry(handle).or_insert(Physical { block, device, references: 0 });
        physical.references += 1;
        give(output, handle)
    }
}

fn wanted_pointer<T>(input: *const T) -> Result<()> {
    if input.is_null() { Err(INVALID_VALUE) } else { Ok(()) }
}
