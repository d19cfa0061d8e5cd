//! Which devices can access a mapping, and whether the host can.

use cuda_ipc_sys::{CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemLocation, CUmemLocationType};

use crate::answer::{INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::block::HOST;
use crate::process::{State, state};
use crate::range::{AccessOf, Memory, Range};
use crate::topology::topology;

impl State {
    /// The device of a location.
    pub(super) fn device_at(&mut self, location: &CUmemLocation) -> Result<usize> {
        // VMM-MAP-025 and -031
        if location.type_ != CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE {
            return Err(INVALID_VALUE);
        }
        self.device(location.id()).map(|device| device.index)
    }

    /// The place of a location: a device's index in the machine, or `HOST`. The host has one NUMA node.
    fn place_at(&mut self, location: &CUmemLocation) -> Result<usize> {
        match location.type_ {
            CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST => Ok(HOST),
            CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA if location.id() == 0 => Ok(HOST),
            _ => self.device_at(location),
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
            // VMM-MAP-026: an H200 returns this code.
            access.insert(self.place_at(location).map_err(|_| INVALID_VALUE)?, *flags);
        }
        Ok(access)
    }
}

entry_points! {
    fn cuMemSetAccess(address: CUdeviceptr, size: usize, wanted: Input<CUmemAccessDesc>, count: usize) {
        let mut state = state()?;
        // VMM-MAP-025
        if size == 0 || count == 0 {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller promises `count` descriptors.
        let wanted = unsafe { wanted.values(count) }?;
        let access = state.check_mapping_access(&wanted)?;
        let mappings = state.mappings(address, size as u64)?;
        let ranges = || mappings.iter().filter_map(|base| state.ranges.get(base));
        let mapped: u64 = ranges().map(|range| range.size).sum();
        let is_mapping = |range: &Range| matches!(range.memory, Memory::Mapping { .. } | Memory::Multicast { .. });
        let only_mappings = ranges().all(is_mapping);
        // VMM-MAP-023
        if mapped != size as u64 || !only_mappings {
            return Err(INVALID_VALUE);
        }
        // VMM-MAP-030: the device is not a peer of the memory's device.
        let is_out_of_reach = |range: &Range| {
            let mut devices = access.keys().filter(|place| **place != HOST);
            let may_use = |device: usize| {
                let is_import = matches!(&range.memory, Memory::Mapping { allocation, .. } if allocation.is_import());
                if is_import && device != range.device {
                    if fault!("import-is-closed-to-peers", ["VMM-IMP-016"], "A peer gets no access to an import.") {
                        return false;
                    }
                    if fault!("import-is-open-to-strangers", ["VMM-IMP-016"], "A GPU that is no peer gets access.") {
                        return true;
                    }
                }
                topology().may_use(device, range.device)
            };
            range.device != HOST && devices.any(|device| !may_use(*device))
        };
        if ranges().any(is_out_of_reach) {
            return Err(NOT_SUPPORTED);
        }
        // VMM-MAP-031: the host cannot access the memory of a device.
        let host = access.get(&HOST).copied();
        if host.is_some() && ranges().any(|range| range.device != HOST) {
            return Err(NOT_SUPPORTED);
        }
        let memory_of = |base: &u64| match state.ranges.get(base).map(|range| &range.memory) {
            Some(Memory::Mapping { allocation, .. }) if allocation.is_import() => Some(allocation.block.inode),
            _ => None,
        };
        let mut mappings = mappings;
        if let Some(inode) = mappings.first().and_then(memory_of)
            && fault!(
                "set-access-opens-all-mappings",
                ["VMM-IMP-014"],
                "Access to one mapping of an import opens its other mappings too.",
            )
        {
            mappings = state.ranges.keys().copied().filter(|base| memory_of(base) == Some(inode)).collect();
        }
        for base in mappings {
            let Some(range) = state.ranges.get_mut(&base) else { continue };
            if let (Some(flags), Memory::Mapping { allocation, offset, .. }) = (host, &range.memory) {
                allocation.block.map_at(range.base, *offset, range.size, flags)?;
            }
            let (Memory::Mapping { access: granted, .. } | Memory::Multicast { access: granted, .. }) =
                &mut range.memory
            else {
                continue;
            };
            granted.extend(access.iter().map(|(place, flags)| (*place, *flags)));
        }
        Ok(())
    }

    fn cuMemGetAccess(output: Output<u64>, location: Input<CUmemLocation>, address: CUdeviceptr) {
        let mut state = state()?;
        output.wanted()?;
        let place = state.place_at(&location.value()?)?;
        // VMM-MAP-028
        match state.range(address).map(|range| &range.memory) {
            Some(Memory::Mapping { access, .. } | Memory::Multicast { access, .. }) => {
                output.give(access.get(&place).map_or(0, |flags| flags.0.into()))
            }
            _ => Err(INVALID_VALUE),
        }
    }
}
