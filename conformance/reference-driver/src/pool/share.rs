//! The export of pools, and of pointers into them, to other processes.

use std::ffi::c_void;

use cuda_ipc_sys::{CUdeviceptr, CUmemAllocationHandleType, CUmemPoolPtrExportData, CUmemoryPool};

use super::{FABRIC, Origin, PoolFile, handle_types};
use crate::answer::{INVALID_VALUE, Output, Result};
use crate::block::UNIT;
use crate::environment::environment;
use crate::handle::{Handle, Kind};
use crate::process::{State, own_number, own_start_time, state};
use crate::range::Memory;
use crate::vmm::fabric;

/// Whether a call names exactly one supported handle type.
pub(super) fn is_one_type(kind: CUmemAllocationHandleType) -> bool {
    kind.0.is_power_of_two() && kind.0 & !handle_types().0 == 0
}

impl State {
    /// Exports a pool's file, and marks the pool as exported.
    fn export_pool<T>(
        &mut self,
        pool: CUmemoryPool,
        kind: CUmemAllocationHandleType,
        export: impl FnOnce(&PoolFile) -> Result<T>,
    ) -> Result<T> {
        let pool = self.pool(pool)?;
        // POOL-EXP-002, -003, -005: a pool can be exported only as a type that it was created with, so a default pool
        // never can. POOL-EXP-007: neither can an imported pool.
        let Origin::Created { is_exported } = &mut pool.origin else { return Err(INVALID_VALUE) };
        if pool.handle_types.0 & kind.0 == 0 {
            return Err(INVALID_VALUE);
        }
        let exported = export(pool.memory.file.as_deref().ok_or(INVALID_VALUE)?)?;
        *is_exported = true;
        Ok(exported)
    }

    fn export_pool_pointer(&self, pointer: u64) -> Result<Handle> {
        // POOL-PTR-003, -020: the pointer must be to an allocation from a pool of this process. POOL-PTR-004: it must
        // be the pointer that the allocation returned, as on an H200. POOL-PTR-005: memory that a stream is going to
        // free cannot be exported.
        let range = self.ranges.get(&pointer).filter(|range| !range.is_freed).ok_or(INVALID_VALUE)?;
        let Memory::Pool { piece, pool, .. } = &range.memory else { return Err(INVALID_VALUE) };
        // POOL-PTR-002: the pool must have been exported before.
        let pool = self.pools.get(pool).ok_or(INVALID_VALUE)?;
        if pool.origin != (Origin::Created { is_exported: true }) {
            return Err(INVALID_VALUE);
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
            size: piece.size,
            serial: piece.serial,
            device: range.device as u32,
        })
    }
}

entry_points! {
    fn cuMemPoolExportToShareableHandle(
        output: Output<c_void>,
        pool: CUmemoryPool,
        kind: CUmemAllocationHandleType,
        flags: u64,
    ) {
        let mut state = state()?;
        // POOL-EXP-004
        output.wanted()?;
        if flags != 0 || !is_one_type(kind) {
            return Err(INVALID_VALUE);
        }
        if kind == FABRIC {
            let bytes = state.export_pool(pool, kind, |file| fabric::export(&file.for_fabric()))?;
            // SAFETY: for a fabric handle the caller promises room for one.
            return unsafe { output.cast::<[u8; 64]>() }.give(bytes);
        }
        let descriptor = state.export_pool(pool, kind, PoolFile::export)?;
        // SAFETY: for a handle that is a descriptor the caller promises room for one.
        unsafe { output.cast::<i32>() }.give(descriptor)
    }

    fn cuMemPoolExportPointer(output: Output<CUmemPoolPtrExportData>, pointer: CUdeviceptr) {
        let state = state()?;
        output.wanted()?;
        let bytes = state.export_pool_pointer(pointer)?.to_bytes(environment().machine_number());
        output.give(CUmemPoolPtrExportData::from_bytes(bytes))
    }
}
