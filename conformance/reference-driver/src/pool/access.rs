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
                F::CU_MEM_ACCESS_FLAGS_PROT_NONE
                    if is_own
                        && !fault!(
                            "pool-access-is-taken-from-the-owner",
                            ["POOL-ACC-001"],
                            "The owning device can lose its access."
                        ) =>
                {
                    return Err(INVALID_DEVICE);
                }
                F::CU_MEM_ACCESS_FLAGS_PROT_NONE => {}
                // POOL-ACC-003
                _ if fault!(
                    "pool-access-takes-unknown-flags",
                    ["POOL-ACC-003"],
                    "Unknown access flags are accepted."
                ) => {}
                _ => return Err(INVALID_VALUE),
            }
            access.insert(place, *flags);
            if fault!(
                "pool-access-applies-what-comes-before-a-refusal",
                ["POOL-ACC-001"],
                "The entries before a refused one are applied."
            ) {
                self.pool(pool)?.access.insert(place, *flags);
            }
        }
        Ok(access)
    }

    /// The index of a location's device in the machine, or `HOST`.
    fn place(&mut self, location: &CUmemLocation) -> Result<usize> {
        match location.type_ {
            CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE
                if location.id() as usize == self.devices.len()
                    && fault!(
                        "pool-access-takes-the-device-after-the-last",
                        ["POOL-ACC-004"],
                        "The device id that equals the device count is accepted."
                    ) =>
            {
                Ok(0)
            }
            CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE
                if location.id() < 0
                    && fault!(
                        "pool-access-takes-a-negative-device",
                        ["POOL-ACC-004", "POOL-ACC-007"],
                        "A negative device id is accepted."
                    ) =>
            {
                Ok(0)
            }
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
        let target = state.pool(pool)?.target;
        let is_hidden = target.id(&state) < 0;
        let found = state.pool(pool)?;
        if is_hidden && fault!("pool-access-of-a-hidden-device-is-refused", ["POOL-IMP-012"], "No access can be granted to the pool of a device that the process cannot see.") {
            return Err(INVALID_DEVICE);
        }
        if found.is_imported() {
            if fault!("pool-access-of-an-import-is-refused", ["POOL-IMP-011"], "No access can be granted to an imported pool.") {
                return Err(INVALID_VALUE);
            }
            let takes = access.values().any(|flags| *flags == CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE);
            if takes && fault!("pool-access-of-an-import-is-never-revoked", ["POOL-IMP-011"], "The revocation of access to an imported pool has no effect.") {
                return Ok(());
            }
            if takes && fault!("pool-access-of-an-import-is-revoked-from-all", ["POOL-IMP-011"], "Revoking the access of one peer to an imported pool revokes that of every peer.", devices = 3) {
                found.access.retain(|place, _| *place == found.target.place());
            }
        } else if (access.len() > 1 || !access.contains_key(&found.target.place()))
            && let Some(file) = &found.memory.file
        {
            file.tell_importers();
        }
        if found.is_imported()
            && fault!("pool-access-of-an-import-is-given-once", ["POOL-IMP-011"], "Revoked access cannot be given again.")
        {
            access.into_iter().for_each(|(place, flags)| {
                if found.access.get(&place).is_none_or(|before| before.0 != 0) {
                    found.access.insert(place, flags);
                }
            });
            return Ok(());
        }
        found.access.extend(access);
        Ok(())
    }

    fn cuMemPoolGetAccess(output: Output<CUmemAccess_flags>, pool: CUmemoryPool, location: Input<CUmemLocation>) {
        let mut state = state()?;
        output.wanted()?;
        let location = location.value()?;
        state.pool(pool)?;
        // POOL-ACC-007: a nonexistent device gives the same code.
        let place = state.place(&location).map_err(|_| INVALID_VALUE)?;
        let found = state.pool(pool)?;
        let granted = found.access.get(&place).copied();
        if found.target.place() == place && fault!("pool-get-access-forgets-the-owner", ["POOL-ACC-006"], "The access of the owning device reads NONE.") {
            return output.give(CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE);
        }
        if fault!("pool-get-access-writes-nothing", ["POOL-ACC-006"], "The access is not written.") {
            return Ok(());
        }
        if found.target.place() != 0 && granted.is_none() && fault!("pool-get-access-shows-every-device-as-owner", ["POOL-ACC-006"], "The access to a pool of another device than the first reads READWRITE for every device.") {
            return output.give(READ_WRITE);
        }
        output.give(granted.unwrap_or(CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE))
    }
}
