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
use std::sync::atomic::AtomicUsize;

use cuda_ipc_sys::{
    CUmemAccess_flags, CUmemAllocationHandleType, CUmemLocationType, CUmemPoolProps, CUmemoryPool, CUresult,
};

use self::allocate::Usage;
pub(crate) use self::file::{Extent, PoolFile};
use self::store::Store;
pub(crate) use self::target::Target;
use crate::answer::{INVALID_HANDLE, INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::environment::environment;
use crate::inside::Inside;
use crate::leak;
use crate::process::{State, state};
use crate::profile::profile;
use crate::range::AccessOf;
use crate::stream::synchronize;
use crate::version::cuda_version;
use crate::vmm::fabric::{Fabric, is_fabric_supported};

const READ_WRITE: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

const DESCRIPTOR: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
const FABRIC: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC;

/// The value of MEMPOOL_SUPPORTED_HANDLE_TYPES: how pools can be shared. As on an H200, it includes fabric handles if
/// there is a fabric, with or without a channel. Fabric handles came with CUDA 12.3.
pub(crate) fn handle_types() -> CUmemAllocationHandleType {
    if !profile().has_pools {
        return CUmemAllocationHandleType(0);
    }
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
    /// All bytes that were ever asked for, for a fault.
    allocated: u64,
}

/// The handle types that a pool can be created with, as a mask.
fn accepted_types() -> u32 {
    let mut types = handle_types().0;
    if fault!(
        "pool-create-refuses-descriptors",
        ["POOL-CREATE-001", "POOL-CREATE-002"],
        "A pool for descriptors is refused, although the attribute contains them."
    ) {
        types &= !DESCRIPTOR.0;
    }
    if fault!(
        "pool-create-accepts-win32",
        ["POOL-CREATE-002"],
        "A pool for Win32 handles is created, although the attribute does not contain them."
    ) {
        types |= CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_WIN32.0;
    }
    if fault!(
        "pool-create-accepts-win32-kmt",
        ["POOL-CREATE-002"],
        "A pool for Win32 KMT handles is created, although the attribute does not contain them."
    ) {
        types |= CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_WIN32_KMT.0;
    }
    if fault!(
        "pool-create-refuses-fabric",
        ["POOL-CREATE-002"],
        "A pool for fabric handles is refused, although there is a fabric and a channel."
    ) {
        types &= !FABRIC.0;
    }
    types
}

/// The access to a new pool. POOL-ACC-006, POOL-IMP-010: only the pool's own device or the host has access, whatever the
/// exporter granted. Managed memory is accessible to all.
fn first_access(target: Target, origin: Origin) -> AccessOf {
    let is_imported = matches!(origin, Origin::Imported { .. });
    let is_closed = is_imported
        && fault!(
            "pool-import-closes-the-pool-to-its-device",
            ["POOL-IMP-010"],
            "An imported pool is closed to the device that it resides on."
        );
    if target.is_managed || is_closed {
        return AccessOf::new();
    }
    let is_open = if is_imported {
        fault!("pool-import-opens-the-pool-to-peers", ["POOL-IMP-010"], "An imported pool is open to peer devices.")
    } else {
        fault!("pool-create-opens-the-pool-to-peers", ["POOL-ACC-006"], "A new pool is open to all devices.")
    };
    let opens_to_the_first = !is_imported
        && fault!("pool-create-opens-the-pool-to-gpu-0", ["POOL-ACC-006"], "A new pool is open to the first device.");
    if opens_to_the_first {
        return [0, target.place()].map(|place| (place, READ_WRITE)).into();
    }
    let others = if is_open { environment().devices } else { 0 };
    (0..others).chain([target.place()]).map(|place| (place, READ_WRITE)).collect()
}

/// Where a pool comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Default,
    Created {
        /// POOL-PTR-002: pointers can be exported once the pool was.
        is_exported: bool,
        /// For a fault: whether an export as a fabric handle was refused.
        is_refused: bool,
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
            access: first_access(target, origin),
            max_size: 0,
            release_threshold: 0,
            reuse: [1; 3],
            high: Usage::default(),
            allocated: 0,
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
        let target = self.target(&properties.location, properties.allocType).map_err(|code| {
            let is_wrong = code == NOT_SUPPORTED
                && fault!(
                    "pool-create-numa-current-is-not-supported",
                    ["POOL-CREATE-007"],
                    "A pool of the current NUMA node is refused with NOT_SUPPORTED."
                );
            if is_wrong { code } else { INVALID_VALUE }
        })?;
        let is_host = target.location == CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST;
        let is_private = target.is_managed
            && !fault!(
                "pool-create-exports-managed-memory",
                ["POOL-CREATE-006"],
                "A managed pool can have handle types."
            )
            || is_host
                && !fault!(
                    "pool-create-exports-host-memory",
                    ["POOL-CREATE-004"],
                    "A pool with location HOST can have handle types."
                );
        let ignores_the_fabric = fault!(
            "pool-create-accepts-fabric-without-one",
            ["POOL-CREATE-002", "FAB-001"],
            "A pool for fabric handles is created without a fabric."
        );
        let types = match (is_private, ignores_the_fabric) {
            (true, _) => 0,
            (false, true) => accepted_types() | FABRIC.0,
            (false, false) => accepted_types(),
        };
        let is_numa = target.location == CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA;
        if is_host
            && properties.handleTypes.0 != 0
            && fault!(
                "pool-create-host-is-not-supported",
                ["POOL-CREATE-004"],
                "A pool with location HOST and handle types is refused with NOT_SUPPORTED."
            )
            || is_numa
                && properties.handleTypes.0 != 0
                && fault!(
                    "pool-create-refuses-to-share-a-numa-node",
                    ["POOL-CREATE-005"],
                    "A pool of a NUMA node cannot have handle types."
                )
        {
            return Err(NOT_SUPPORTED);
        }
        let is_limited = properties.maxSize != 0
            && !fault!(
                "pool-create-limits-managed-memory",
                ["POOL-CREATE-006"],
                "A managed pool can have a maximum size."
            );
        let reserved = &properties.reserved;
        let has_reserved = if fault!(
            "pool-create-checks-only-the-first-reserved-byte",
            ["POOL-CREATE-003"],
            "Only the first reserved byte is checked."
        ) {
            reserved[0] != 0
        } else {
            reserved.iter().any(|byte| *byte != 0)
                && !fault!(
                    "pool-create-ignores-reserved-bytes",
                    ["POOL-CREATE-003"],
                    "The reserved bytes are not checked."
                )
        };
        if properties.handleTypes.0 & !types != 0 || target.is_managed && is_limited || has_reserved {
            return Err(INVALID_VALUE);
        }
        if properties.handleTypes.0 & FABRIC.0 != 0 && !ignores_the_fabric {
            Fabric::of_environment().create_pool()?;
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
        let mut pool = Pool::new(target, Origin::Created { is_exported: false, is_refused: false }, file);
        pool.handle_types = properties.handleTypes;
        pool.max_size = properties.maxSize as u64;
        let id = state.add_pool(pool);
        if fault!("pool-create-keeps-a-mapping", ["PROC-013"], "Every fourth creation of a pool leaves a mapping.") {
            leak::mapping_of_every_fourth();
        }
        if fault!("pool-create-writes-no-handle", ["POOL-CREATE-001"], "A creation succeeds without writing the handle.") {
            return Ok(());
        }
        output.give(id as CUmemoryPool)
    }

    fn cuMemPoolDestroy(pool: CUmemoryPool) {
        static INSIDE: AtomicUsize = AtomicUsize::new(0);
        let inside = fault!("pool-destroy-allows-one-thread", ["POOL-EXP-006"], "Two threads cannot destroy pools at once.").then(|| Inside::enter(&INSIDE));
        if inside.as_ref().is_some_and(Inside::is_contended) {
            return Err(CUresult::CUDA_ERROR_NOT_READY);
        }
        if fault!("pool-destroy-waits-for-the-device", ["POOL-CREATE-011"], "Destroying a pool waits for all work of the context.") {
            let context = state()?.current()?;
            synchronize(context)?;
        }
        let mut state = state()?;
        let id = pool as u64;
        let is_live = state.ranges.values().any(|range| range.memory.pool() == Some(id));
        let first = state.devices.first().map_or(0, |device| device.index);
        let found = state.pool(pool)?;
        if matches!(found.origin, Origin::Imported { .. }) && fault!("pool-destroy-of-an-import-keeps-device-memory", ["PROC-013"], "The destruction of an imported pool leaves device memory.") {
            leak::device_memory(first)?;
        }
        if matches!(found.origin, Origin::Imported { .. }) && fault!("pool-destroy-of-an-import-keeps-a-process", ["PROC-013"], "The destruction of an imported pool leaves a child process.") {
            leak::process()?;
        }
        // POOL-CREATE-010
        let is_other = found.target.place() != first && fault!("pool-destroy-takes-the-second-default-pool", ["POOL-CREATE-010"], "Only the default pool of the first device is protected.");
        if found.origin == Origin::Default && !is_other && !fault!("pool-destroy-takes-the-default-pool", ["POOL-CREATE-010"], "The default pool can be destroyed.") {
            found.is_destroyed = fault!("pool-destroy-spoils-the-default-pool", ["POOL-CREATE-010"], "The call refuses the default pool, but the pool no longer allocates.");
            let is_wrong = fault!("pool-destroy-of-the-default-is-an-invalid-handle", ["POOL-CREATE-010"], "The default pool is refused with INVALID_HANDLE.");
            return Err(if is_wrong { INVALID_HANDLE } else { INVALID_VALUE });
        }
        if matches!(found.origin, Origin::Created { is_refused: true, .. })
            && fault!("pool-destroy-after-a-refused-export-crashes", ["POOL-EXP-005"], "Destroying a pool whose export was refused because there is no channel ends the process.")
        {
            std::process::abort();
        }
        let is_created = !found.is_imported();
        if is_created && is_live && fault!("pool-destroy-refuses-a-pool-in-use", ["POOL-CREATE-011"], "A pool with live memory cannot be destroyed.") {
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
        if is_created && fault!("pool-destroy-takes-live-memory", ["POOL-CREATE-011"], "Destroying a pool frees its live memory.")
            || !is_created && fault!("pool-destroy-takes-imported-memory", ["POOL-IMP-018"], "Destroying an imported pool unmaps its imports.")
        {
            state.ranges.retain(|_, range| range.memory.pool() != Some(id));
        }
        state.trim(id, 0);
        state.current_pools.retain(|_, current| *current != id);
        state.forget_pools();
        Ok(())
    }
}
