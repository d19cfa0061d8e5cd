//! Pools and stream-ordered allocation. Pools that processes share are not written yet.

use std::collections::BTreeMap;
use std::ffi::c_void;

use cuda_ipc_sys::{
    CUdevice, CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationType, CUmemLocation, CUmemLocationType,
    CUmemPool_attribute, CUmemPoolProps, CUmemoryPool, CUstream,
};

use crate::answer::{INVALID_DEVICE, INVALID_VALUE, Input, NOT_SUPPORTED, OUT_OF_MEMORY, Output, Result};
use crate::piece::Divider;
use crate::process::{State, state};
use crate::range::{AccessOf, Memory};

const READ_WRITE: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

#[derive(Debug)]
pub(crate) struct Pool {
    /// The device's place in the machine.
    device: usize,
    is_default: bool,
    /// POOL-CREATE-011: the memory lives on until the last of it is freed.
    is_destroyed: bool,
    pub(crate) memory: Divider,
    pub(crate) access: AccessOf,
    /// 0 for no limit.
    max_size: u64,
    release_threshold: u64,
    /// The attributes REUSE_*, which change nothing here: freed memory goes back at once.
    reuse: [i32; 3],
    high: Usage,
}

/// Bytes of a pool.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    used: u64,
    reserved: u64,
}

impl State {
    fn add_pool(&mut self, device: usize, is_default: bool, max_size: u64) -> u64 {
        let id = self.new_id();
        let pool = Pool {
            device,
            is_default,
            is_destroyed: false,
            memory: Divider::default(),
            // POOL-ACC-006
            access: AccessOf::from([(device, READ_WRITE)]),
            max_size,
            release_threshold: 0,
            reuse: [1; 3],
            high: Usage::default(),
        };
        self.pools.insert(id, pool);
        id
    }

    fn default_pool(&mut self, device: CUdevice) -> Result<u64> {
        if let Some(pool) = self.device(device)?.default_pool {
            return Ok(pool);
        }
        let index = self.device(device)?.index;
        let pool = self.add_pool(index, true, 0);
        self.device(device)?.default_pool = Some(pool);
        Ok(pool)
    }

    fn current_pool(&mut self, device: CUdevice) -> Result<u64> {
        match self.device(device)?.current_pool {
            Some(pool) => Ok(pool),
            None => self.default_pool(device),
        }
    }

    fn set_current_pool(&mut self, device: CUdevice, pool: CUmemoryPool) -> Result<()> {
        let index = self.device(device)?.index;
        if self.pool(pool)?.device != index {
            return Err(INVALID_VALUE);
        }
        self.device(device)?.current_pool = Some(pool as u64);
        Ok(())
    }

    fn pool(&mut self, pool: CUmemoryPool) -> Result<&mut Pool> {
        self.pools.get_mut(&(pool as u64)).filter(|pool| !pool.is_destroyed).ok_or(INVALID_VALUE)
    }

    fn usage(&self, pool: u64) -> Usage {
        let mut blocks = BTreeMap::new();
        let mut used = 0;
        for range in self.ranges.values() {
            if let Memory::Pool { piece, pool: owner } = &range.memory
                && *owner == pool
            {
                used += range.size;
                blocks.insert(piece.block().inode, piece.block().size);
            }
        }
        Usage { used, reserved: blocks.values().sum() }
    }

    /// Memory is there at once. What uses it keeps the stream's order, as the caller has promised.
    fn allocate_from(&mut self, id: u64, size: u64) -> Result<u64> {
        let used = self.usage(id).used;
        let pool = self.pool(id as CUmemoryPool)?;
        if size == 0 {
            return Err(INVALID_VALUE);
        }
        // POOL-CREATE-009
        if pool.max_size != 0 && used.saturating_add(size) > pool.max_size {
            return Err(OUT_OF_MEMORY);
        }
        let device = pool.device;
        let piece = pool.memory.divide(device, size)?;
        let base = piece.base();
        self.add_range(base, size, 0, device, Memory::Pool { piece, pool: id });
        let now = self.usage(id);
        if let Some(pool) = self.pools.get_mut(&id) {
            pool.high.used = pool.high.used.max(now.used);
            pool.high.reserved = pool.high.reserved.max(now.reserved);
        }
        Ok(base)
    }

    /// Forget pools that are destroyed and have no memory left.
    fn forget_pools(&mut self) {
        let alive =
            |id: u64| self.ranges.values().any(|range| matches!(range.memory, Memory::Pool { pool, .. } if pool == id));
        let gone = self.pools.iter().filter(|(id, pool)| pool.is_destroyed && !alive(**id)).map(|(id, _)| *id);
        for id in gone.collect::<Vec<_>>() {
            self.pools.remove(&id);
        }
    }

    /// POOL-ACC-001: the whole array, or nothing of it.
    fn check_pool_access(&mut self, pool: CUmemoryPool, wanted: &[CUmemAccessDesc]) -> Result<AccessOf> {
        let owner = self.pool(pool)?.device;
        let mut access = AccessOf::new();
        for CUmemAccessDesc { location, flags } in wanted {
            type F = CUmemAccess_flags;
            if location.type_ != CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE {
                return Err(INVALID_VALUE);
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

    /// The device whose pools a location and a type name. Pools of other memory are not written.
    fn device_with_pools(&mut self, location: Input<CUmemLocation>, kind: CUmemAllocationType) -> Result<CUdevice> {
        let location = location.value()?;
        if kind != CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED {
            return Err(NOT_SUPPORTED);
        }
        match location.type_ {
            CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE => self.device(location.id()).map(|_| location.id()),
            CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST | CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA => {
                Err(NOT_SUPPORTED)
            }
            _ => Err(INVALID_VALUE),
        }
    }
}

/// The properties of a pool that this driver can make: the device, and the most it may hold.
fn check_properties(properties: &CUmemPoolProps) -> Result<(CUdevice, u64)> {
    type L = CUmemLocationType;
    // POOL-CREATE-003, -007, -008
    let is_pinned = properties.allocType == CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    let is_managed = properties.allocType == CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_MANAGED;
    if !is_pinned && !is_managed || properties.reserved.iter().any(|byte| *byte != 0) {
        return Err(INVALID_VALUE);
    }
    match properties.location.type_ {
        L::CU_MEM_LOCATION_TYPE_DEVICE if is_pinned && properties.handleTypes.0 == 0 => {
            Ok((properties.location.id(), properties.maxSize as u64))
        }
        // POOL-CREATE-004
        L::CU_MEM_LOCATION_TYPE_HOST if properties.handleTypes.0 != 0 => Err(INVALID_VALUE),
        // MEMPOOL_SUPPORTED_HANDLE_TYPES is 0.
        L::CU_MEM_LOCATION_TYPE_DEVICE | L::CU_MEM_LOCATION_TYPE_HOST | L::CU_MEM_LOCATION_TYPE_HOST_NUMA => {
            Err(NOT_SUPPORTED)
        }
        _ => Err(INVALID_VALUE),
    }
}

entry_points! {
    fn cuMemPoolCreate(output: Output<CUmemoryPool>, properties: Input<CUmemPoolProps>) {
        let mut state = state()?;
        output.wanted()?;
        let (device, max_size) = check_properties(&properties.value()?)?;
        let device = state.device(device)?.index;
        output.give(state.add_pool(device, false, max_size) as CUmemoryPool)
    }

    fn cuMemPoolDestroy(pool: CUmemoryPool) {
        let mut state = state()?;
        let found = state.pool(pool)?;
        // POOL-CREATE-010
        if found.is_default {
            return Err(INVALID_VALUE);
        }
        found.is_destroyed = true;
        let id = pool as u64;
        for device in &mut state.devices {
            device.current_pool.take_if(|current| *current == id);
        }
        state.forget_pools();
        Ok(())
    }

    // Nothing is kept that could be given back.
    fn cuMemPoolTrimTo(pool: CUmemoryPool, _bytes_to_keep: usize) {
        state()?.pool(pool).map(|_| ())
    }

    fn cuMemPoolGetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: Output<c_void>) {
        type A = CUmemPool_attribute;
        let mut state = state()?;
        let usage = state.usage(pool as u64);
        let pool = state.pool(pool)?;
        // SAFETY: the caller promises room for the attribute's type.
        let (flag, bytes) = unsafe { (value.cast::<i32>(), value.cast::<u64>()) };
        match attribute {
            A::CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES => flag.give(pool.reuse[0]),
            A::CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC => flag.give(pool.reuse[1]),
            A::CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES => flag.give(pool.reuse[2]),
            A::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => bytes.give(pool.release_threshold),
            A::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT => bytes.give(usage.reserved),
            A::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH => bytes.give(pool.high.reserved),
            A::CU_MEMPOOL_ATTR_USED_MEM_CURRENT => bytes.give(usage.used),
            A::CU_MEMPOOL_ATTR_USED_MEM_HIGH => bytes.give(pool.high.used),
            // POOL-ATTR-003: the others came with CUDA 13.2.
            _ => Err(INVALID_VALUE),
        }
    }

    fn cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: Input<c_void>) {
        type A = CUmemPool_attribute;
        let mut state = state()?;
        let usage = state.usage(pool as u64);
        let pool = state.pool(pool)?;
        // SAFETY: the caller promises a value of the attribute's type.
        let (flag, bytes) = unsafe { (value.cast::<i32>(), value.cast::<u64>()) };
        match attribute {
            A::CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES => pool.reuse[0] = flag.value()?,
            A::CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC => pool.reuse[1] = flag.value()?,
            A::CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES => pool.reuse[2] = flag.value()?,
            A::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => pool.release_threshold = bytes.value()?,
            // POOL-ATTR-001: a high water mark is only ever reset.
            A::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH if bytes.value()? == 0 => pool.high.reserved = usage.reserved,
            A::CU_MEMPOOL_ATTR_USED_MEM_HIGH if bytes.value()? == 0 => pool.high.used = usage.used,
            _ => return Err(INVALID_VALUE),
        }
        Ok(())
    }

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
        // POOL-ACC-007
        if location.type_ != CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE {
            return Err(INVALID_VALUE);
        }
        let device = state.device(location.id())?.index;
        let granted = state.pool(pool)?.access.get(&device).copied();
        output.give(granted.unwrap_or(CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE))
    }

    fn cuDeviceGetDefaultMemPool(output: Output<CUmemoryPool>, device: CUdevice) {
        let mut state = state()?;
        output.wanted()?;
        output.give(state.default_pool(device)? as CUmemoryPool)
    }

    fn cuDeviceGetMemPool(output: Output<CUmemoryPool>, device: CUdevice) {
        let mut state = state()?;
        output.wanted()?;
        output.give(state.current_pool(device)? as CUmemoryPool)
    }

    fn cuDeviceSetMemPool(device: CUdevice, pool: CUmemoryPool) {
        state()?.set_current_pool(device, pool)
    }

    fn cuMemGetDefaultMemPool(
        output: Output<CUmemoryPool>,
        location: Input<CUmemLocation>,
        kind: CUmemAllocationType,
    ) {
        let mut state = state()?;
        output.wanted()?;
        let device = state.device_with_pools(location, kind)?;
        output.give(state.default_pool(device)? as CUmemoryPool)
    }

    fn cuMemGetMemPool(output: Output<CUmemoryPool>, location: Input<CUmemLocation>, kind: CUmemAllocationType) {
        let mut state = state()?;
        output.wanted()?;
        let device = state.device_with_pools(location, kind)?;
        output.give(state.current_pool(device)? as CUmemoryPool)
    }

    fn cuMemSetMemPool(location: Input<CUmemLocation>, kind: CUmemAllocationType, pool: CUmemoryPool) {
        let mut state = state()?;
        let device = state.device_with_pools(location, kind)?;
        state.set_current_pool(device, pool)
    }

    fn cuMemAllocAsync(pointer: Output<CUdeviceptr>, size: usize, stream: CUstream) {
        let mut state = state()?;
        let stream = state.stream(stream)?;
        pointer.wanted()?;
        let device = state.context(stream.context)?.device;
        let pool = state.current_pool(device)?;
        pointer.give(state.allocate_from(pool, size as u64)?)
    }

    fn cuMemAllocFromPoolAsync(pointer: Output<CUdeviceptr>, size: usize, pool: CUmemoryPool, stream: CUstream) {
        let mut state = state()?;
        state.stream(stream)?;
        pointer.wanted()?;
        pointer.give(state.allocate_from(pool as u64, size as u64)?)
    }

    fn cuMemFreeAsync(pointer: CUdeviceptr, stream: CUstream) {
        let mut locked = state()?;
        let stream = locked.stream(stream)?;
        stream.start()?;
        let range = locked.ranges.get_mut(&pointer).filter(|range| !range.is_freed).ok_or(INVALID_VALUE)?;
        // IPCMEM-OPEN-043: an import is closed, not freed.
        if !matches!(range.memory, Memory::Pool { .. } | Memory::Graph(_) | Memory::Linear(_)) {
            return Err(INVALID_VALUE);
        }
        range.is_freed = true;
        // Freed even where the context ends before the stream comes to it.
        let free = OnDrop(move || {
            if let Ok(mut state) = state() {
                state.ranges.remove(&pointer);
                state.forget_pools();
            }
        });
        locked.enqueue(&stream, move |_| {
            drop(free);
            Ok(())
        })?;
        Ok(())
    }
}

/// What is done in any case.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
