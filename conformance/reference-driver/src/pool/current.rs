//! The default pools, and the current pools, which serve allocations that name no pool.

use cuda_ipc_sys::{CUdevice, CUmemAllocationType, CUmemLocation, CUmemoryPool};

use super::{Origin, Pool, Target};
use crate::answer::{INVALID_VALUE, Input, Output, Result};
use crate::process::{State, state};

impl State {
    fn target_of_device(&mut self, device: CUdevice) -> Result<Target> {
        self.target(&CUmemLocation::device(device), CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED)
    }

    fn default_pool(&mut self, target: Target) -> u64 {
        if let Some(pool) = self.default_pools.get(&target) {
            return *pool;
        }
        let pool = self.add_pool(Pool::new(target, Origin::Default, None));
        self.default_pools.insert(target, pool);
        pool
    }

    fn current_pool(&mut self, target: Target) -> u64 {
        let current = self.current_pools.get(&target).copied();
        current.unwrap_or_else(|| self.default_pool(target))
    }

    /// The pool that an allocation on a device comes from.
    pub(super) fn current_pool_of(&mut self, device: CUdevice) -> Result<u64> {
        let target = self.target_of_device(device)?;
        Ok(self.current_pool(target))
    }

    fn set_current_pool(&mut self, target: Target, pool: CUmemoryPool) -> Result<()> {
        let found = self.pool(pool)?;
        // POOL-IMP-007
        let refuses = found.is_imported()
            && !fault!(
                "pool-set-current-takes-an-import",
                ["POOL-IMP-007"],
                "An imported pool can become the current pool."
            );
        let is_set_anyway = refuses
            && fault!(
                "pool-set-current-refuses-too-late",
                ["POOL-IMP-007"],
                "The call refuses an imported pool, but makes it current."
            );
        if found.target != target || refuses && !is_set_anyway {
            return Err(INVALID_VALUE);
        }
        self.current_pools.insert(target, pool as u64);
        if is_set_anyway {
            return Err(INVALID_VALUE);
        }
        Ok(())
    }
}

entry_points! {
    fn cuDeviceGetDefaultMemPool(output: Output<CUmemoryPool>, device: CUdevice) {
        let mut state = state()?;
        output.wanted()?;
        let target = state.target_of_device(device)?;
        output.give(state.default_pool(target) as CUmemoryPool)
    }

    fn cuDeviceGetMemPool(output: Output<CUmemoryPool>, device: CUdevice) {
        let mut state = state()?;
        output.wanted()?;
        output.give(state.current_pool_of(device)? as CUmemoryPool)
    }

    fn cuDeviceSetMemPool(device: CUdevice, pool: CUmemoryPool) {
        let mut state = state()?;
        let target = state.target_of_device(device)?;
        state.set_current_pool(target, pool)
    }

    fn cuMemGetDefaultMemPool(
        output: Output<CUmemoryPool>,
        location: Input<CUmemLocation>,
        kind: CUmemAllocationType,
    ) {
        let mut state = state()?;
        output.wanted()?;
        let target = state.target(&location.value()?, kind)?;
        output.give(state.default_pool(target) as CUmemoryPool)
    }

    fn cuMemGetMemPool(output: Output<CUmemoryPool>, location: Input<CUmemLocation>, kind: CUmemAllocationType) {
        let mut state = state()?;
        output.wanted()?;
        let target = state.target(&location.value()?, kind)?;
        output.give(state.current_pool(target) as CUmemoryPool)
    }

    fn cuMemSetMemPool(location: Input<CUmemLocation>, kind: CUmemAllocationType, pool: CUmemoryPool) {
        let mut state = state()?;
        let target = state.target(&location.value()?, kind)?;
        state.set_current_pool(target, pool)
    }
}
