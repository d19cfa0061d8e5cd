//! Pools: created, default and current ones.

mod access;
mod allocate;
mod attribute;
mod file;
mod import;
mod share;
mod store;

use std::sync::Arc;

use cuda_ipc_sys::{
    CUdevice, CUmemAccess_flags, CUmemAllocationHandleType, CUmemAllocationType, CUmemLocation, CUmemLocationType,
    CUmemPoolProps, CUmemoryPool,
};

use self::allocate::Usage;
pub(crate) use self::file::{Extent, PoolFile};
use self::store::Store;
use crate::answer::{INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::process::{State, state};
use crate::range::AccessOf;

const READ_WRITE: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

/// MEMPOOL_SUPPORTED_HANDLE_TYPES: how pools can be shared. Fabric handles are not written.
pub(crate) const HANDLE_TYPES: CUmemAllocationHandleType =
    CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

#[derive(Debug)]
pub(crate) struct Pool {
    /// The device's place in the machine.
    device: usize,
    origin: Origin,
    /// POOL-CREATE-011: the memory lives on until the last of it is freed.
    is_destroyed: bool,
    /// The kinds of handle that it can be exported as.
    handle_types: CUmemAllocationHandleType,
    pub(crate) memory: Store,
    pub(crate) access: AccessOf,
    /// 0 for no limit.
    max_size: u64,
    release_threshold: u64,
    /// The attributes REUSE_*, which change nothing here: memory is reused only when its free was performed.
    reuse: [i32; 3],
    high: Usage,
}

/// Where a pool comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Default,
    Created {
        /// POOL-PTR-002: pointers can be exported when the pool was.
        is_exported: bool,
    },
    Imported {
        /// How often: POOL-IMP-008.
        references: usize,
    },
}

impl Pool {
    const fn is_imported(&self) -> bool {
        matches!(self.origin, Origin::Imported { .. })
    }

    fn new(device: usize, origin: Origin, file: Option<Arc<PoolFile>>) -> Self {
        Self {
            device,
            origin,
            is_destroyed: false,
            handle_types: CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            memory: Store::new(file),
            // POOL-ACC-006, POOL-IMP-010: its own device, and nobody else, whatever the exporter granted.
            access: AccessOf::from([(device, READ_WRITE)]),
            max_size: 0,
            release_threshold: 0,
            reuse: [1; 3],
            high: Usage::default(),
        }
    }
}

impl State {
    fn add_pool(&mut self, pool: Pool) -> u64 {
        // POOL-CREATE-013: an id that no pool ever had.
        let id = self.new_id();
        self.pools.insert(id, pool);
        id
    }

    /// The kinds of handle that a pool's memory can be shared as.
    pub(crate) fn pool_handle_types(&self, id: u64) -> CUmemAllocationHandleType {
        self.pools.get(&id).map_or(CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE, |pool| pool.handle_types)
    }

    fn default_pool(&mut self, device: CUdevice) -> Result<u64> {
        if let Some(pool) = self.device(device)?.default_pool {
            return Ok(pool);
        }
        let index = self.device(device)?.index;
        let pool = self.add_pool(Pool::new(index, Origin::Default, None));
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
        let found = self.pool(pool)?;
        // POOL-IMP-007
        if found.device != index || found.is_imported() {
            return Err(INVALID_VALUE);
        }
        self.device(device)?.current_pool = Some(pool as u64);
        Ok(())
    }

    fn pool(&mut self, pool: CUmemoryPool) -> Result<&mut Pool> {
        self.pools.get_mut(&(pool as u64)).filter(|pool| !pool.is_destroyed).ok_or(INVALID_VALUE)
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

/// Whether this driver can make a pool of these properties. Pools of a device's pinned memory are written.
fn check_properties(properties: &CUmemPoolProps) -> Result<()> {
    type L = CUmemLocationType;
    // POOL-CREATE-003, -007, -008
    let is_pinned = properties.allocType == CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    let is_managed = properties.allocType == CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_MANAGED;
    if !is_pinned && !is_managed || properties.reserved.iter().any(|byte| *byte != 0) {
        return Err(INVALID_VALUE);
    }
    match properties.location.type_ {
        // POOL-CREATE-001 and -002: the attribute and this agree.
        L::CU_MEM_LOCATION_TYPE_DEVICE if is_pinned && properties.handleTypes.0 & !HANDLE_TYPES.0 == 0 => Ok(()),
        L::CU_MEM_LOCATION_TYPE_DEVICE if is_pinned => Err(INVALID_VALUE),
        // POOL-CREATE-004
        L::CU_MEM_LOCATION_TYPE_HOST if properties.handleTypes.0 != 0 => Err(INVALID_VALUE),
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
        let properties = properties.value()?;
        check_properties(&properties)?;
        // POOL-CREATE-008
        let device = state.device(properties.location.id()).map_err(|_| INVALID_VALUE)?.index;
        // Memory that others may see has to be in a place of its own from the beginning.
        let file = if properties.handleTypes.0 == 0 { None } else { Some(PoolFile::new(device)?) };
        let mut pool = Pool::new(device, Origin::Created { is_exported: false }, file);
        pool.handle_types = properties.handleTypes;
        pool.max_size = properties.maxSize as u64;
        output.give(state.add_pool(pool) as CUmemoryPool)
    }

    fn cuMemPoolDestroy(pool: CUmemoryPool) {
        let mut state = state()?;
        let found = state.pool(pool)?;
        // POOL-CREATE-010
        if found.origin == Origin::Default {
            return Err(INVALID_VALUE);
        }
        // POOL-IMP-008: what was imported twice is destroyed twice.
        if let Origin::Imported { references } = &mut found.origin
            && *references > 1
        {
            *references -= 1;
            return Ok(());
        }
        found.is_destroyed = true;
        let id = pool as u64;
        for device in &mut state.devices {
            device.current_pool.take_if(|current| *current == id);
        }
        state.forget_pools();
        Ok(())
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
}
