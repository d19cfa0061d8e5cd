//! The export of pools, and of pointers into them, to other processes.

use std::ffi::c_void;
use std::sync::atomic::AtomicUsize;

use cuda_ipc_sys::{CUdeviceptr, CUmemAllocationHandleType, CUmemPoolPtrExportData, CUmemoryPool, CUresult};

use super::{DESCRIPTOR, FABRIC, Origin, Pool, PoolFile, handle_types};
use crate::answer::{INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED, Output, Result};
use crate::block::UNIT;
use crate::environment::environment;
use crate::handle::{Handle, Kind};
use crate::inside::Inside;
use crate::process::{State, own_number, own_start_time, state};
use crate::range::Memory;
use crate::seen::Seen;
use crate::vmm::fabric;

/// Checks the flags and the handle type of an export or an import, and returns the type. The flags must be 0, and the
/// type must be exactly one that is supported, unless the call has a fault.
pub(super) fn checked_type(
    kind: CUmemAllocationHandleType,
    flags: u64,
    [ignores_flags, reads_half_of_the_flags, takes_no_type, takes_unknown_types, has_another_code]: [bool; 5],
) -> Result<CUmemAllocationHandleType> {
    let checked_flags = match flags {
        _ if ignores_flags => 0,
        _ if reads_half_of_the_flags => u64::from(flags as u32),
        _ => flags,
    };
    if checked_flags != 0 {
        return Err(INVALID_VALUE);
    }
    let kind = match kind.0 {
        0 if takes_no_type => DESCRIPTOR,
        other if other > 8 && takes_unknown_types => DESCRIPTOR,
        _ => kind,
    };
    if !kind.0.is_power_of_two() || kind.0 & !handle_types().0 != 0 {
        return Err(if has_another_code { NOT_SUPPORTED } else { INVALID_VALUE });
    }
    Ok(kind)
}

impl State {
    /// Exports a pool's file, and marks the pool as exported.
    fn export_pool<T>(
        &mut self,
        pool: CUmemoryPool,
        kind: CUmemAllocationHandleType,
        export: impl FnOnce(&PoolFile) -> Result<T>,
    ) -> Result<T> {
        let pool = match self.pool(pool) {
            Err(_)
                if fault!(
                    "pool-export-of-null-is-an-invalid-handle",
                    ["POOL-EXP-004"],
                    "A null pool is refused with INVALID_HANDLE."
                ) =>
            {
                return Err(INVALID_HANDLE);
            }
            other => other?,
        };
        // POOL-EXP-002, -003, -005: a pool can be exported only as a type that it was created with, so a default pool
        // never can. POOL-EXP-007: neither can an imported pool.
        if pool.origin == Origin::Default
            && fault!("pool-export-takes-the-default-pool", ["POOL-EXP-003"], "The default pool can be exported.")
            || pool.is_imported()
                && fault!("pool-export-takes-an-import", ["POOL-EXP-007"], "An imported pool can be exported.")
        {
            let file = pool.memory.file.clone();
            return export(&*file.map_or_else(|| PoolFile::new(pool.target.place()), Ok)?);
        }
        let Origin::Created { is_exported, is_refused } = &mut pool.origin else { return Err(INVALID_VALUE) };
        if *is_exported && fault!("pool-export-again-is-refused", ["POOL-EXP-001"], "A pool is exported only once.") {
            return Err(INVALID_VALUE);
        }
        if pool.handle_types.0 & kind.0 == 0 {
            if pool.handle_types.0 == 0
                && fault!(
                    "pool-export-takes-a-private-pool",
                    ["POOL-EXP-002"],
                    "A pool without handle types can be exported."
                )
            {
                return export(&*PoolFile::new(pool.target.place())?);
            }
            let is_wrong = fault!(
                "pool-export-of-a-private-pool-is-not-supported",
                ["POOL-EXP-002"],
                "A pool without handle types is refused with NOT_SUPPORTED."
            );
            return Err(if is_wrong { NOT_SUPPORTED } else { INVALID_VALUE });
        }
        let exported = export(pool.memory.file.as_deref().ok_or(INVALID_VALUE)?);
        *is_exported |= exported.is_ok();
        *is_refused |= exported.is_err();
        exported
    }

    fn export_pool_pointer(&self, pointer: u64) -> Result<Handle> {
        // POOL-PTR-003, -020: the pointer must be to an allocation from a pool of this process. POOL-PTR-004: it must
        // be the pointer that the allocation returned, as on an H200. POOL-PTR-005: memory that a stream is going to
        // free cannot be exported.
        let range = self.ranges.get(&pointer).filter(|range| !range.is_freed);
        if self.takes_any(pointer, range.map(|range| &range.memory)) {
            let nowhere = Handle::nowhere(Kind::PoolPointer, own_number(), own_start_time());
            return Ok(Handle { size: range.map_or(0, |range| range.size), ..nowhere });
        }
        let refusal = if fault!(
            "pool-export-pointer-of-other-memory-is-an-invalid-handle",
            ["POOL-PTR-003"],
            "A pointer that comes from no pool is refused with INVALID_HANDLE."
        ) {
            INVALID_HANDLE
        } else {
            INVALID_VALUE
        };
        let range = range.ok_or(refusal)?;
        let Memory::Pool { piece, pool, .. } = &range.memory else { return Err(refusal) };
        // POOL-PTR-002: the pool must have been exported before.
        let pool = self.pools.get(pool).ok_or(INVALID_VALUE)?;
        let is_early = matches!(pool.origin, Origin::Created { is_exported: false, .. }) && pool.memory.file.is_some();
        let is_open = |other: &Pool| matches!(other.origin, Origin::Created { is_exported: true, .. });
        let is_allowed = is_early
            && fault!(
                "pool-export-opens-every-pool",
                ["POOL-PTR-002"],
                "Once one pool was exported, pointers of every pool can be exported."
            )
            && self.pools.values().any(is_open)
            || is_early
                && fault!(
                    "pool-export-pointer-before-the-pool",
                    ["POOL-PTR-002"],
                    "A pointer can be exported before its pool."
                );
        if !matches!(pool.origin, Origin::Created { is_exported: true, .. }) && !is_allowed {
            let is_wrong = is_early
                && fault!(
                    "pool-export-pointer-before-the-pool-is-not-supported",
                    ["POOL-PTR-002"],
                    "A pointer whose pool was not exported is refused with NOT_SUPPORTED."
                );
            return Err(if is_wrong { NOT_SUPPORTED } else { INVALID_VALUE });
        }
        if fault!("pool-export-pointer-only-once", ["POOL-PTR-001"], "A pointer is exported only once.") {
            static EXPORTED: Seen = Seen::new();
            if EXPORTED.again(range.buffer_id) {
                return Err(INVALID_VALUE);
            }
        }
        let extent = piece.block().extent().ok_or(INVALID_VALUE)?;
        Ok(Handle {
            kind: Kind::PoolPointer,
            process: own_number(),
            start_time: own_start_time(),
            // The importer has the file already.
            descriptor: 0,
            inode: piece.block().inode,
            place: u32::try_from((extent.offset() + piece.offset) / UNIT).map_err(|_| INVALID_VALUE)?,
            size: if fault!(
                "pool-pointer-size-has-32-bits",
                ["POOL-PTR-001"],
                "An import has the lower 32 bits of its size."
            ) {
                piece.size & 0xffff_ffff
            } else {
                piece.size
            },
            serial: piece.serial,
            device: range.device as u32,
        })
    }
}

impl State {
    /// Whether the driver exports a pointer that it must refuse.
    fn takes_any(&self, pointer: u64, memory: Option<&Memory>) -> bool {
        match memory {
            None if pointer == 0 => {
                fault!(
                    "pool-export-pointer-takes-null",
                    ["POOL-PTR-003"],
                    "A null pointer can be exported as a pointer of a pool."
                )
            }
            None => fault!(
                "pool-export-pointer-takes-the-heap",
                ["POOL-PTR-003"],
                "Memory of the C library can be exported as a pointer of a pool."
            ),
            Some(Memory::Linear(_)) => {
                fault!(
                    "pool-export-pointer-takes-linear-memory",
                    ["POOL-PTR-003"],
                    "Memory of cuMemAlloc can be exported as a pointer of a pool."
                )
            }
            Some(Memory::Import(_)) => {
                fault!(
                    "pool-export-pointer-takes-a-legacy-import",
                    ["POOL-PTR-003"],
                    "Memory of cuIpcOpenMemHandle can be exported as a pointer of a pool."
                )
            }
            Some(Memory::Registered) => {
                fault!(
                    "pool-export-pointer-takes-registered-memory",
                    ["POOL-PTR-003"],
                    "Registered host memory can be exported as a pointer of a pool."
                )
            }
            Some(Memory::Mapping { .. }) => {
                fault!(
                    "pool-export-pointer-takes-virtual-memory",
                    ["POOL-PTR-003"],
                    "A mapping of physical memory can be exported as a pointer of a pool."
                )
            }
            Some(Memory::Host(_)) => {
                fault!(
                    "pool-export-pointer-takes-pinned-memory",
                    ["POOL-PTR-003"],
                    "Page-locked host memory can be exported as a pointer of a pool."
                )
            }
            Some(Memory::Managed(_)) => {
                fault!(
                    "pool-export-pointer-takes-managed-memory",
                    ["POOL-PTR-003"],
                    "Managed memory can be exported as a pointer of a pool."
                )
            }
            Some(Memory::Graph(_)) => {
                fault!(
                    "pool-export-pointer-takes-graph-memory",
                    ["POOL-PTR-003"],
                    "Memory of a graph can be exported as a pointer of a pool."
                )
            }
            Some(Memory::Pool { pool, .. }) => {
                match self.pools.get(pool).map(|pool| (pool.origin, pool.handle_types.0)) {
                    Some((Origin::Default, _)) => {
                        fault!(
                            "pool-export-pointer-takes-the-default-pool",
                            ["POOL-PTR-003"],
                            "Memory of the default pool can be exported as a pointer of a pool."
                        )
                    }
                    Some((Origin::Created { .. }, 0)) => {
                        fault!(
                            "pool-export-pointer-takes-a-private-pool",
                            ["POOL-PTR-003"],
                            "Memory of a pool without handle types can be exported as a pointer of a pool."
                        )
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

entry_points! {
    fn cuMemPoolExportToShareableHandle(
        output: Output<c_void>,
        pool: CUmemoryPool,
        kind: CUmemAllocationHandleType,
        flags: u64,
    ) {
        static INSIDE: AtomicUsize = AtomicUsize::new(0);
        let inside = fault!("pool-export-allows-one-thread", ["POOL-EXP-006"], "Two threads cannot export pools at once.").then(|| Inside::enter(&INSIDE));
        if inside.as_ref().is_some_and(Inside::is_contended) {
            return Err(CUresult::CUDA_ERROR_NOT_READY);
        }
        let mut state = state()?;
        // POOL-EXP-004
        if output.wanted().is_err() && fault!("pool-export-into-null-succeeds", ["POOL-EXP-004"], "An export without an output succeeds.") {
            return Ok(());
        }
        output.wanted()?;
        let kind = checked_type(
            kind,
            flags,
            [
                fault!("pool-export-ignores-flags", ["POOL-EXP-004"], "The flags of an export are ignored."),
                fault!("pool-export-reads-half-of-the-flags", ["POOL-EXP-004"], "Only the lower half of the flags of an export is checked."),
                fault!("pool-export-takes-no-type", ["POOL-EXP-004"], "Handle type NONE is taken for a descriptor."),
                fault!("pool-export-takes-unknown-types", ["POOL-EXP-004"], "An unknown handle type is taken for a descriptor."),
                fault!("pool-export-of-an-unknown-type-is-not-supported", ["POOL-EXP-004"], "An unknown handle type is refused with NOT_SUPPORTED."),
            ],
        )?;
        if kind == FABRIC {
            let bytes = state.export_pool(pool, kind, |file| fabric::export(&file.for_fabric()))?;
            // SAFETY: for a fabric handle the caller promises room for one.
            return unsafe { output.cast::<[u8; 64]>() }.give(bytes);
        }
        let descriptor = state.export_pool(pool, kind, PoolFile::export)?;
        if fault!("pool-export-writes-no-descriptor", ["POOL-EXP-001"], "An export succeeds without writing the descriptor.") {
            return Ok(());
        }
        // SAFETY: for a handle that is a descriptor the caller promises room for one.
        unsafe { output.cast::<i32>() }.give(descriptor)
    }

    fn cuMemPoolExportPointer(output: Output<CUmemPoolPtrExportData>, pointer: CUdeviceptr) {
        let state = state()?;
        output.wanted()?;
        let bytes = state.export_pool_pointer(pointer)?.to_bytes(environment().machine_number());
        if fault!("pool-export-pointer-writes-nothing", ["POOL-PTR-001"], "The export data of a pointer are not written.") {
            return Ok(());
        }
        output.give(CUmemPoolPtrExportData::from_bytes(bytes))
    }
}
