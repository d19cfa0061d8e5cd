//! Which devices can access a pool's memory. An imported pool has its own access settings: the exporter's do not apply
//! to it.

use cuda_ipc_sys::{CUmemAccess_flags, CUmemAccessDesc, CUmemLocation, CUmemLocationType, CUmemoryPool};

use super::READ_WRITE;
use super::target::is_host;
use crate::answer::{INVALID_DEVICE, INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::block::HOST;
use crate::process::{State, state};
use crate::range::AccessOf;
use crate::topology::topology;

impl State {
    /// Checks an array of access descriptors. POOL-ACC-001: all of them take effect, or none.
    fn check_pool_access(&mut self, pool: CUmemoryPool, wanted: &[CUmemAccessDesc]) -> Result<AccessOf> {
        type F = CUmemAccess_flags;
        let target = self.pool(pool)?.target;
        let mut access = AccessOf::new();
        for CUmemAccessDesc { location, flags } in wanted {
            // POOL-ACC-004
            let place = self.place(location)?;
            // The documented code for a device that is not a peer.
            if place != HOST
                && !target.is_managed
                && target.place() != HOST
                && !topology().may_use(place, target.place())
            {
                return Err(INVALID_DEVICE);
            }
            let is_own = !target.is_managed && place == target.place();
            match *flags {
                // The host cannot access a device's memory.
                _ if place == HOST && !is_own && !target.is_managed => return Err(NOT_SUPPORTED),
                READ_WRITE => {}
                // POOL-ACC-002
                F::CU_MEM_ACCESS_FLAGS_PROT_READ => return Err(NOT_SUPPORTED),
                F::CU_MEM_ACCESS_FLAGS_PROT_NONE if is_own && place == HOST => return Err(NOT_SUPPORTED),
                F::CU_MEM_ACCESS_FLAGS_PROT_NONE if is_own => return Err(INVALID_DEVICE),
                F::CU_MEM_ACCESS_FLAGS_PROT_NONE => {}
                // POOL-ACC-003
                _ => return Err(INVALID_VALUE),
            }
            access.insert(place, *flags);
        }
        Ok(access)
    }

    /// The index of a location's device in the machine, or `HOST`.
    fn place(&mut self, location: &CUmemLocation) -> Result<usize> {
        match location.type_ {
            CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE => Ok(self.device(location.id())?.index),
            host if is_host(host) => Ok(HOST),
            _ => Err(INVALID_VALUE),
        }
    }
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
        // SAFETY: the caller promises `count` descriptors.
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
        // POOL-ACC-007: a nonexistent device gives the same code.
        let place = state.place(&location).map_err(|_| INVALID_VALUE)?;
        let granted = state.pool(pool)?.access.get(&place).copied();
        output.give(granted.unwrap_or(CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE))
    }
}
