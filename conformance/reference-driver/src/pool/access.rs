//! Which devices reach a pool's memory. An importer's pool has an access of its own: what the exporter grants stays with
//! the exporter.

use cuda_ipc_sys::{CUmemAccess_flags, CUmemAccessDesc, CUmemLocation, CUmemLocationType, CUmemoryPool};

use super::READ_WRITE;
use crate::answer::{INVALID_DEVICE, INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::process::{State, state};
use crate::range::AccessOf;

impl State {
    /// POOL-ACC-001: the whole array, or nothing of it.
    fn check_pool_access(&mut self, pool: CUmemoryPool, wanted: &[CUmemAccessDesc]) -> Result<AccessOf> {
        let owner = self.pool(pool)?.device;
        let mut access = AccessOf::new();
        for CUmemAccessDesc { location, flags } in wanted {
            type F = CUmemAccess_flags;
            match location.type_ {
                CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE => {}
                // The host does not reach a device's memory.
                location if is_host(location) => return Err(NOT_SUPPORTED),
                _ => return Err(INVALID_VALUE),
            }
            // POOL-ACC-004
            let device = self.device(location.id())?.index;
            match *flags {
                READ_WRITE => {}
                // POOL-ACC-002
                F::CU_MEM_ACCESS_FLAGS_PROT_READ => return Err(NOT_SUPPORTED),
                F::CU_MEM_ACCESS_FLAGS_PROT_NONE if device == owner => return Err(INVALID_DEVICE),
                F::CU_MEM_ACCESS_FLAGS_PROT_NONE => {}
                // POOL-ACC-003
                _ => return Err(INVALID_VALUE),
            }
            access.insert(device, *flags);
        }
        Ok(access)
    }
}

/// Whether a location is in the host's memory.
pub(super) fn is_host(location: CUmemLocationType) -> bool {
    type L = CUmemLocationType;
    [L::CU_MEM_LOCATION_TYPE_HOST, L::CU_MEM_LOCATION_TYPE_HOST_NUMA].contains(&location)
}

entry_points! {
    fn cuMemPoolSetAccess(pool: CUmemoryPool, wanted: Input<CUmemAccessDesc>, count: usize) {
        let mut state = state()?;
        // POOL-ACC-005
        if pool.is_null() || wanted.is_null() {
            return Err(INVALID_VALUE);
        }
        // POOL-ACC-004
        if count > state.devices.len() {
            return Err(INVALID_DEVICE);
        }
        // SAFETY: the caller promises so many.
        let wanted = unsafe { wanted.values(count) }?;
        let access = state.check_pool_access(pool, &wanted)?;
        state.pool(pool)?.access.extend(access);
        Ok(())
    }

    fn cuMemPoolGetAccess(output: Output<CUmemAccess_flags>, pool: CUmemoryPool, location: Input<CUmemLocation>) {
        let mut state = state()?;
        output.wanted()?;
        let location = location.value()?;
        state.pool(pool)?;
        if is_host(location.type_) {
            return output.give(CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE);
        }
        // POOL-ACC-007
        if location.type_ != CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE {
            return Err(INVALID_VALUE);
        }
        let device = state.device(location.id())?.index;
        let granted = state.pool(pool)?.access.get(&device).copied();
        output.give(granted.unwrap_or(CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE))
    }
}
