//! Which devices can access a mapping, and whether the host can.

use cuda_ipc_sys::{CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemLocation, CUmemLocationType};

use crate::answer::{INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::block::HOST;
use crate::process::{State, state};
use crate::range::{Access, AccessOf, By, Memory, Range};
use crate::seen::FirstThread;
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
            let place = match self.place_at(location) {
                Err(_) if self.is_ordinal_accepted(location.id()) => 0,
                place => place.map_err(|_| INVALID_VALUE)?,
            };
            if *flags == F::CU_MEM_ACCESS_FLAGS_PROT_NONE
                && fault!("set-access-ignores-none", ["VMM-MAP-022"], "Access is never taken away.")
                || !access.is_empty()
                    && fault!("set-access-takes-one-description", ["VMM-MAP-027"], "Only the first description counts.")
            {
                continue;
            }
            access.insert(place, *flags);
        }
        Ok(access)
    }
}

impl State {
    /// The faults of a device that does not exist.
    fn is_ordinal_accepted(&self, ordinal: i32) -> bool {
        let count = self.devices.len() as i32;
        ordinal == -1 && fault!("set-access-takes-device-minus-1", ["VMM-MAP-026"], "Device -1 is the first one.")
            || ordinal == count
                && fault!("set-access-takes-one-device-too-many", ["VMM-MAP-026"], "The device count is a device too.")
            || ordinal > count
                && fault!("set-access-takes-any-large-ordinal", ["VMM-MAP-026"], "It is the first device.")
    }

    /// The faults of a range that is not mapped everywhere.
    fn is_hole_accepted(&self, address: u64, size: u64) -> bool {
        if self.range(address).is_none() {
            return fault!("set-access-accepts-a-hole-at-the-start", ["VMM-MAP-023"], "The rest gets access.");
        }
        if self.range(address + size - 1).is_none() {
            return fault!("set-access-accepts-a-hole-at-the-end", ["VMM-MAP-023"], "The rest gets access.");
        }
        fault!("set-access-accepts-a-hole-in-the-middle", ["VMM-MAP-023"], "The rest gets access.")
    }

    /// Gives mappings access although the call is refused.
    fn give_in_spite(&mut self, mappings: &[u64], access: &AccessOf) {
        for base in mappings {
            if let Some(Memory::Mapping { access: granted, .. }) =
                self.ranges.get_mut(base).map(|range| &mut range.memory)
            {
                granted.extend(access.iter().map(|(place, flags)| (*place, *flags)));
            }
        }
    }
}

/// Whether a fault turns the answer about an access to a mapping round.
pub(crate) fn is_misjudged(range: &Range, asker: usize, is_allowed: bool, by: By, access: Access) -> bool {
    let Memory::Mapping { access: granted, .. } = &range.memory else { return false };
    let granted = granted.get(&asker).copied();
    let is_peer = range.device != HOST && asker != range.device;
    match (by, access) {
        (By::Kernel, Access::Read) if is_allowed => {
            fault!("a-kernel-cannot-read-a-mapping", ["VMM-MAP-001"], "Its reads are illegal.")
                || is_peer && fault!("a-peers-kernel-cannot-read-a-mapping", ["VMM-MAP-029"], "Its reads are illegal.")
        }
        (By::Kernel, Access::Write) if is_allowed => {
            fault!("a-kernel-cannot-write-a-mapping", ["VMM-MAP-001"], "Its stores are illegal.")
                || is_peer
                    && fault!("a-peers-kernel-cannot-write-a-mapping", ["VMM-MAP-029"], "Its stores are illegal.")
        }
        (By::Driver, Access::Read) if is_allowed => {
            fault!("a-copy-cannot-read-a-mapping", ["VMM-MAP-001"], "Copies from it are refused.")
                || is_peer
                    && fault!("a-peers-copy-cannot-read-a-mapping", ["VMM-MAP-029"], "Copies from it are refused.")
        }
        (By::Driver, Access::Write) if is_allowed => {
            fault!("a-copy-cannot-write-a-mapping", ["VMM-MAP-001"], "Copies to it are refused.")
                || is_peer
                    && fault!("a-peers-copy-cannot-write-a-mapping", ["VMM-MAP-029"], "Copies to it are refused.")
        }
        (By::Kernel, Access::Write) if granted == Some(CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ) => {
            fault!("a-kernel-writes-with-read-access", ["VMM-MAP-021"], "A kernel's store needs only READ access.")
        }
        (By::Kernel, Access::Read) if granted.is_none() => {
            fault!("a-kernel-reads-without-access", ["VMM-MAP-019"], "A kernel reads a new mapping.")
                || is_peer
                    && fault!("a-peers-kernel-reads-without-access", ["VMM-MAP-029"], "A peer reads a new mapping.")
        }
        (By::Kernel, Access::Write) if granted.is_none() => {
            fault!("a-kernel-writes-without-access", ["VMM-MAP-015", "VMM-MAP-019"], "A kernel writes a new mapping.")
                || is_peer
                    && fault!("a-peers-kernel-writes-without-access", ["VMM-MAP-029"], "A peer writes a new mapping.")
        }
        (By::Driver, Access::Read) if granted.is_none() => {
            fault!("a-copy-reads-without-access", ["VMM-MAP-015", "VMM-MAP-019"], "A copy reads a new mapping.")
        }
        (By::Driver, Access::Write) if granted.is_none() => {
            fault!("a-copy-writes-without-access", ["VMM-MAP-019"], "A copy writes a new mapping.")
        }
        _ if granted != Some(CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE) => false,
        (By::Kernel, Access::Read) => {
            fault!("revoked-access-lets-a-kernel-read", ["VMM-MAP-022"], "Kernels still read.")
        }
        (By::Kernel, Access::Write) => {
            fault!("revoked-access-lets-a-kernel-write", ["VMM-MAP-022"], "Kernels still write.")
        }
        (By::Driver, Access::Read) => fault!("revoked-access-lets-a-copy-read", ["VMM-MAP-022"], "Copies still read."),
        (By::Driver, Access::Write) => {
            fault!("revoked-access-lets-a-copy-write", ["VMM-MAP-022"], "Copies still write.")
        }
    }
}

/// The faults of an access that reaches the last byte of a mapping, or goes on in the next one.
pub(crate) fn is_cut_short(by: By, access: Access, ends_there: bool, goes_on: bool) -> bool {
    match (by, access) {
        (By::Kernel, _) => {
            ends_there
                && fault!("a-kernel-cannot-reach-the-last-word", ["VMM-MAP-001"], "The end of a mapping is illegal.")
        }
        (By::Driver, Access::Read) => {
            goes_on
                && fault!("a-copy-from-two-mappings-is-refused", ["VMM-MAP-033"], "A copy must end with the mapping.")
        }
        (By::Driver, Access::Write) => {
            goes_on && fault!("a-copy-to-two-mappings-is-refused", ["VMM-MAP-033"], "A copy must end with the mapping.")
                || ends_there
                    && fault!("a-copy-cannot-reach-the-last-byte", ["VMM-MAP-001"], "The end of a mapping is refused.")
        }
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
        if mapped != size as u64 && !state.is_hole_accepted(address, size as u64) || !only_mappings {
            if fault!("set-access-over-a-hole-gives-some-access", ["VMM-MAP-023"], "The call is refused, but takes effect.") {
                state.give_in_spite(&mappings, &access);
            }
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
        let goes_without =
            fault!("set-access-needs-no-peer-access", ["VMM-MAP-030"], "A device that is no peer gets access.");
        if ranges().any(is_out_of_reach) && !goes_without {
            if fault!("set-access-without-peer-access-takes-effect", ["VMM-MAP-030"], "The call is refused, but acts.") {
                state.give_in_spite(&mappings, &access);
            }
            return Err(NOT_SUPPORTED);
        }
        let is_of_a_peer = |range: &Range| access.keys().any(|place| *place != HOST && *place != range.device);
        if ranges().any(is_of_a_peer)
            && state.contexts.values().all(|context| context.peers.is_empty())
            && fault!("set-access-of-a-peer-needs-enabled-peer-access", ["VMM-MAP-029"], "It is refused without that.")
        {
            return Err(NOT_SUPPORTED);
        }
        // VMM-MAP-031: the host cannot access the memory of a device.
        let host = access.get(&HOST).copied();
        let host_may = fault!("set-access-lets-the-host-at-a-device", ["VMM-MAP-031"], "The host gets access.");
        if host.is_some() && ranges().any(|range| range.device != HOST) && !host_may {
            return Err(NOT_SUPPORTED);
        }
        static FIRST: FirstThread = FirstThread::new();
        if FIRST.is_another()
            && fault!(
                "set-access-from-another-thread-does-nothing",
                ["VMM-MAP-022", "VMM-MAP-027"],
                "Only the thread that sets access first changes it."
            )
        {
            return Ok(());
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
        for (number, base) in mappings.into_iter().enumerate() {
            let Some(range) = state.ranges.get_mut(&base) else { continue };
            if let (Some(flags), Memory::Mapping { allocation, offset, .. }) = (host, &range.memory) {
                allocation.block.map_at(range.base, *offset, range.size, flags)?;
            }
            let is_import =
                matches!(&range.memory, Memory::Mapping { allocation, .. } if allocation.is_import());
            let (Memory::Mapping { access: granted, .. } | Memory::Multicast { access: granted, .. }) =
                &mut range.memory
            else {
                continue;
            };
            if !granted.is_empty()
                && fault!("set-access-counts-only-once", ["VMM-MAP-027"], "The flags that were set first stay.")
            {
                continue;
            }
            if fault!("set-access-takes-it-from-the-others", ["VMM-MAP-027"], "Only the locations of the last call have any.") {
                granted.clear();
            }
            if is_import
                && access.values().any(|flags| flags.0 == 0)
                && fault!("set-access-never-revokes-an-import", ["VMM-MAP-022"], "Access to an import stays.")
            {
                continue;
            }
            if access.iter().any(|(place, flags)| *place != range.device && flags.0 == 0)
                && fault!("set-access-never-revokes-a-peer", ["VMM-MAP-022"], "The access of a peer stays.")
            {
                continue;
            }
            if access.values().any(|flags| flags.0 == 0)
                && fault!("set-access-revokes-all", ["VMM-MAP-022"], "Revoking one device's access revokes that of all.")
            {
                granted.clear();
            }
            let skips_peers = number > 0
                && fault!("set-access-of-a-peer-covers-one-mapping", ["VMM-MAP-029"], "A peer gets only the first mapping.");
            let is_left_out = is_import && number > 0;
            if is_left_out
                && access.len() > 1
                && fault!("set-access-list-changes-one-import", ["VMM-MAP-022", "VMM-MAP-027"], "A list changes only the first import.")
                || is_left_out
                    && access.values().any(|flags| flags.0 == 0)
                    && fault!("set-access-revokes-one-import", ["VMM-MAP-022"], "Only the first import of a range is revoked.")
            {
                continue;
            }
            let is_kept = access.len() > 1
                && fault!("set-access-never-revokes-in-a-list", ["VMM-MAP-022"], "NONE counts only if it is the only description.")
                || number > 0
                    && fault!("set-access-revokes-one-mapping", ["VMM-MAP-022"], "Only the first mapping of a range is revoked.");
            let is_raised = number > 0
                && fault!("set-access-lowers-one-mapping", ["VMM-MAP-021"], "READ is READWRITE for all mappings but the first.")
                || is_left_out
                    && fault!("set-access-lowers-one-import", ["VMM-MAP-021"], "READ is READWRITE for all imports but the first.");
            for (place, flags) in &access {
                let is_skipped = skips_peers && *place != range.device || is_kept && flags.0 == 0;
                let flags = if is_raised && *flags == CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ {
                    CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                } else {
                    *flags
                };
                if !is_skipped {
                    granted.insert(*place, flags);
                }
            }
        }
        Ok(())
    }

    fn cuMemGetAccess(output: Output<u64>, location: Input<CUmemLocation>, address: CUdeviceptr) {
        let mut state = state()?;
        output.wanted()?;
        let place = state.place_at(&location.value()?)?;
        // VMM-MAP-028
        if state.range(address).is_some_and(|range| address == range.end() - 1)
            && fault!("get-access-fails-at-the-last-byte", ["VMM-MAP-027"], "The last byte does not belong to a mapping.")
        {
            return Err(INVALID_VALUE);
        }
        match state.range(address).map(|range| &range.memory) {
            Some(Memory::Mapping { access, .. } | Memory::Multicast { access, .. }) => {
                let any = fault!("get-access-answers-for-any-device", ["VMM-MAP-027"], "The location does not matter.");
                let flags = if any { access.values().next() } else { access.get(&place) };
                let flags = flags.map_or(0, |flags| flags.0.into());
                if fault!("get-access-writes-half-of-its-answer", ["VMM-MAP-027"], "Only 32 bits are written.") {
                    // SAFETY: the caller promises room for 64 bits.
                    return unsafe { output.cast::<u32>() }.give(flags as u32);
                }
                if flags == 0 && fault!("get-access-writes-no-0", ["VMM-MAP-027"], "Without access, nothing is written.") {
                    return Ok(());
                }
                if flags == 1 && fault!("get-access-knows-no-read-access", ["VMM-MAP-027"], "READ reads as READWRITE.") {
                    return output.give(3);
                }
                output.give(flags)
            }
            _ => Err(INVALID_VALUE),
        }
    }
}
