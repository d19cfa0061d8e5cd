//! Memory pools of devices and of the host, managed pools, and the sharing of pools between processes.

pub(crate) mod access;
pub(crate) mod allocate;
pub(crate) mod attribute;
pub(crate) mod current;
mod file;
pub(crate) mod import;
pub(crate) mod share;
mod store;
mod target;

use std::sync::Arc;

use cuda_ipc_sys::{CUmemAccess_flags, CUmemAllocationHandleType, CUmemLocationType, CUmemPoolProps, CUmemoryPool};

use self::allocate::Usage;
pub(crate) use self::file::{Extent, PoolFile};
use self::store::Store;
pub(crate) use self::target::Target;
use crate::answer::{INVALID_VALUE, Input, Output, Result};
use crate::process::{State, state};
use crate::range::AccessOf;
use crate::version::cuda_version;
use crate::vmm::fabric::{Fabric, is_fabric_supported};

const READ_WRITE: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

const DESCRIPTOR: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
const FABRIC: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC;

/// The value of MEMPOOL_SUPPORTED_HANDLE_TYPES: how pools can be shared. As on an H200, it includes fabric handles if
/// there is a fabric, with or without a channel. Fabric handles came with CUDA 12.3.
pub(crate) fn handle_types() -> CUmemAllocationHandleType {
    let has_fabric = is_fabric_supported() && cuda_version() >= 12_030;
    CUmemAllocationHandleType(if has_fabric { DESCRIPTOR.0 | FABRIC.0 } else { DESCRIPTOR.0 })
}

#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) target: Target,
    origin: Origin,
    /// POOL-CREATE-011: a destroyed pool lives on until the last of its memory is freed.
    is_destroyed: bool,
    /// The handle types that it can be exported as.
    handle_types: CUmemAllocationHandleType,
    pub(crate) memory: Store,
    pub(crate) access: AccessOf,
    /// 0 for no limit.
    max_size: u64,
    release_threshold: u64,
    /// The REUSE_* attributes. They have no effect here: memory is reused only after its free was performed.
    reuse: [i32; 3],
    high: Usage,
}

/// Where a pool comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Default,
    Created {
        /// POOL-PTR-002: pointers can be exported once the pool was.
        is_exported: bool,
    },
    Imported {
        /// How often the pool was imported (POOL-IMP-008).
        references: usize,
    },
}

impl Pool {
    const fn is_imported(&self) -> bool {
        matches!(self.origin, Origin::Imported { .. })
    }

    fn new(target: Target, origin: Origin, file: Option<Arc<PoolFile>>) -> Self {
        Self {
            target,
            origin,
            is_destroyed: false,
            handle_types: CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            memory: Store::new(file),
            // POOL-ACC-006, POOL-IMP-010: only the pool's own device or the host has access, whatever the exporter
            // granted. Managed memory is accessible to all.
            access: if target.is_managed { AccessOf::new() } else { AccessOf::from([(target.place(), READ_WRITE)]) },
            max_size: 0,
            release_threshold: 0,
            reuse: [1; 3],
            high: Usage::default(),
        }
    }
}

impl State {
    fn add_pool(&mut self, pool: Pool) -> u64 {
        // POOL-CREATE-013: no other pool ever had this id.
        let id = self.new_id();
        self.pools.insert(id, pool);
        id
    }

    /// The handle types that a pool's memory can be shared as.
    pub(crate) fn pool_handle_types(&self, id: u64) -> CUmemAllocationHandleType {
        self.pools.get(&id).map_or(CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE, |pool| pool.handle_types)
    }

    /// Checks the properties of a pool to create (POOL-CREATE-002 to -008).
    fn check_pool_properties(&mut self, properties: &CUmemPoolProps) -> Result<Target> {
        let target = self.target(&properties.location, properties.allocType).map_err(|_| INVALID_VALUE)?;
        let is_host = target.location == CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST;
        let types = if target.is_managed || is_host { 0 } else { handle_types().0 };
        let is_limited = properties.maxSize != 0;
        if properties.handleTypes.0 & !types != 0
            || target.is_managed && is_limited
            || properties.reserved.iter().any(|byte| *byte != 0)
        {
            return Err(INVALID_VALUE);
        }
        // FAB-002: the creation needs the channel, as it does for physical memory.
        if properties.handleTypes.0 & FABRIC.0 != 0 {
            Fabric::of_environment().create()?;
        }
        Ok(target)
    }

    fn pool(&mut self, pool: CUmemoryPool) -> Result<&mut Pool> {
        self.pools.get_mut(&(pool as u64)).filter(|pool| !pool.is_destroyed).ok_or(INVALID_VALUE)
    }
}

entry_points! {
    fn cuMemPoolCreate(output: Output<CUmemoryPool>, properties: Input<CUmemPoolProps>) {
        let mut state = state()?;
        output.wanted()?;
        let properties = properties.value()?;
        let target = state.check_pool_properties(&properties)?;
        // Memory that other processes may see must be in the pool's own file from the beginning.
        let file = if properties.handleTypes.0 == 0 { None } else { Some(PoolFile::new(target.place())?) };
        let mut pool = Pool::new(target, Origin::Created { is_exported: false }, file);
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
        // POOL-IMP-008: a pool that was imported twice must be destroyed twice.
        if let Origin::Imported { references } = &mut found.origin
            && *references > 1
        {
            *references -= 1;
            return Ok(());
        }
        found.is_destroyed = true;
        found.release_threshold = 0;
        let id = pool as u64;
        state.trim(id, 0);
        state.current_pools.retain(|_, current| *current != id);
        state.forget_pools();
        Ok(())
    }
}
