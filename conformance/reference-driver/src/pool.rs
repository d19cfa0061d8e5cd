//! Pools and stream-ordered allocation. Pools that are shared between processes are not written yet.

use std::sync::Arc;

use cuda_ipc_sys::{
    CUdevice, CUdeviceptr, CUmemAllocationType, CUmemLocationType, CUmemPool_attribute, CUmemPoolProps, CUmemoryPool,
    CUstream,
};

use crate::answer::{INVALID_DEVICE, INVALID_VALUE, NOT_SUPPORTED, Result, give, take, wanted};
use crate::block::Block;
use crate::memory::Kind;
use crate::process::{State, state};

#[derive(Debug)]
pub(crate) struct Pool {
    device: CUdevice,
    is_default: bool,
    release_threshold: u64,
}

impl State {
    fn new_pool(&mut self, device: CUdevice, is_default: bool) -> Result<u64> {
        self.device(device)?;
        let id = self.new_id();
        self.pools.insert(id, Pool { device, is_default, release_threshold: 0 });
        Ok(id)
    }

    fn default_pool(&mut self, device: CUdevice) -> Result<u64> {
        if let Some(pool) = self.device(device)?.default_pool {
            return Ok(pool);
        }
        let pool = self.new_pool(device, true)?;
        self.device(device)?.default_pool = Some(pool);
        Ok(pool)
    }

    fn current_pool(&mut self, device: CUdevice) -> Result<u64> {
        match self.device(device)?.current_pool {
            Some(pool) => Ok(pool),
            None => self.default_pool(device),
        }
    }

    fn pool(&self, pool: CUmemoryPool) -> Result<&Pool> {
        self.pools.get(&(pool as u64)).ok_or(INVALID_VALUE)
    }

    /// The memory is there at once; the stream's order is kept by what uses it.
    fn allocate_from(&mut self, pool: u64, size: u64, stream: CUstream) -> Result<u64> {
        let stream = self.stream(stream)?;
        if size == 0 {
            return Err(INVALID_VALUE);
        }
        let device = self.pools.get(&pool).ok_or(INVALID_VALUE)?.device;
        let device_index = self.device(device)?.index;
        let block = Arc::new(Block::new(device_index, size)?);
        let base = block.base;
        self.add_range(base, size, Kind::StreamOrdered { block, pool }, stream.context, device_index);
        Ok(base)
    }
}

entry_points! {
    fn cuDeviceGetDefaultMemPool(output: *mut CUmemoryPool, device: CUdevice) {
        let mut state = state()?;
        wanted(output)?;
        let pool = state.default_pool(device)?;
        give(output, pool as CUmemoryPool)
    }

    fn cuDeviceGetMemPool(output: *mut CUmemoryPool, device: CUdevice) {
        let mut state = state()?;
        wanted(output)?;
        let pool = state.current_pool(device)?;
        give(output, pool as CUmemoryPool)
    }

    fn cuDeviceSetMemPool(device: CUdevice, pool: CUmemoryPool) {
        let mut state = state()?;
        if state.pool(pool)?.device != device {
            return Err(INVALID_DEVICE);
        }
        state.device(device)?.current_pool = Some(pool as u64);
        Ok(())
    }

    fn cuMemPoolCreate(output: *mut CUmemoryPool, properties: *const CUmemPoolProps) {
        wanted(output)?;
        let properties = take(properties)?;
        let of_device = properties.location.type_ == CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        if properties.allocType != CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED || !of_device {
            return Err(INVALID_VALUE);
        }
        if properties.handleTypes.0 != 0 {
            return Err(NOT_SUPPORTED);
        }
        let pool = state()?.new_pool(properties.location.id(), false)?;
        give(output, pool as CUmemoryPool)
    }

    fn cuMemPoolDestroy(pool: CUmemoryPool) {
        let mut state = state()?;
        // POOL-CREATE-010
        if state.pool(pool)?.is_default {
            return Err(INVALID_VALUE);
        }
        let id = pool as u64;
        state.pools.remove(&id);
        for device in &mut state.devices {
            if device.current_pool == Some(id) {
                device.current_pool = None;
            }
        }
        Ok(())
    }

    fn cuMemPoolTrimTo(pool: CUmemoryPool, _keep: usize) {
        // Nothing is kept: what is freed is given back at once.
        state()?.pool(pool).map(|_| ())
    }

    fn cuMemPoolGetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: *mut std::ffi::c_void) {
        type A = CUmemPool_attribute;
        let state = state()?;
        let threshold = state.pool(pool)?.release_threshold;
        let of_pool = |kind: &Kind| matches!(kind, Kind::StreamOrdered { pool: owner, .. } if *owner == pool as u64);
        let used = || state.ranges.values().filter(|range| of_pool(&range.kind)).map(|range| range.size).sum::<u64>();
        match attribute {
            A::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => give(value.cast(), threshold),
            A::CU_MEMPOOL_ATTR_USED_MEM_CURRENT | A::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT => give(value.cast(), used()),
            _ => Err(NOT_SUPPORTED),
        }
    }

    fn cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: *mut std::ffi::c_void) {
        let mut state = state()?;
        let value = take(value.cast::<u64>())?;
        let pool = state.pools.get_mut(&(pool as u64)).ok_or(INVALID_VALUE)?;
        if attribute != CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD {
            return Err(NOT_SUPPORTED);
        }
        pool.release_threshold = value;
        Ok(())
    }

    fn cuMemAllocAsync(pointer: *mut CUdeviceptr, size: usize, stream: CUstream) {
        wanted(pointer)?;
        let mut state = state()?;
        let context = state.current()?;
        let device = state.context(context)?.device;
        let pool = state.current_pool(device)?;
        let base = state.allocate_from(pool, size as u64, stream)?;
        give(pointer, base)
    }

    fn cuMemAllocFromPoolAsync(pointer: *mut CUdeviceptr, size: usize, pool: CUmemoryPool, stream: CUstream) {
        wanted(pointer)?;
        let base = state()?.allocate_from(pool as u64, size as u64, stream)?;
        give(pointer, base)
    }

    fn cuMemFreeAsync(pointer: CUdeviceptr, queue: CUstream) {
        let mut locked = state()?;
        let stream = locked.stream(queue)?;
        // IPCMEM-OPEN-043: an import goes back by close.
        let freeable = matches!(
            locked.range_at(pointer)?.kind,
            Kind::StreamOrdered { .. } | Kind::Linear { .. } | Kind::GraphOwned { .. }
        );
        if !freeable {
            return Err(INVALID_VALUE);
        }
        locked.enqueue(&stream, move || {
            state()?.forget(pointer);
            Ok(())
        })?;
        Ok(())
    }
}
