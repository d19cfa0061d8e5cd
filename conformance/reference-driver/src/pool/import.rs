//! Imported pools: of other processes, or of this process, which can import its own pools.

use std::ffi::c_void;
use std::sync::Arc;

use cuda_ipc_sys::{CUdeviceptr, CUmemAllocationHandleType, CUmemPoolPtrExportData, CUmemoryPool, CUresult};

use super::share::is_one_type;
use super::{FABRIC, Origin, Pool, PoolFile, Target};
use crate::answer::{INVALID_VALUE, Input, Output, Result};
use crate::block::{Block, GRANULARITY, UNIT};
use crate::environment::environment;
use crate::handle::{Handle, Kind};
use crate::process::{State, state};
use crate::range::Memory;

impl State {
    /// Imports a pool. POOL-IMP-003: any process may be the exporter, including this one. POOL-IMP-008: if the pool is
    /// imported already, the result is the same pool, as on an H200.
    fn import_pool(&mut self, file: Arc<PoolFile>) -> u64 {
        for (id, pool) in &mut self.pools {
            let is_same = pool.memory.file.as_ref().is_some_and(|known| known.inode == file.inode);
            if let (Origin::Imported { references }, true, false) = (&mut pool.origin, is_same, pool.is_destroyed) {
                *references += 1;
                return *id;
            }
        }
        self.add_pool(Pool::new(Target::of_place(file.place), Origin::Imported { references: 1 }, Some(file)))
    }

    /// Checks export data, and returns its handle and offset. POOL-PTR-007: every bit must be unchanged. POOL-PTR-006:
    /// the handle must name memory of this pool. POOL-PTR-019: the offset and the size must lie inside the pool.
    fn check_data(file: &PoolFile, bytes: &[u8; 64]) -> Result<(Handle, u64)> {
        let machine = environment().machine_number();
        let handle = Handle::from_bytes(bytes, Kind::PoolPointer, machine).ok_or(INVALID_VALUE)?;
        let place = u64::from(handle.place) * UNIT;
        let end = place.checked_add(handle.size).ok_or(INVALID_VALUE)?;
        let is_inside = handle.size > 0 && end <= file.size();
        if handle.inode == file.inode && is_inside { Ok((handle, place)) } else { Err(INVALID_VALUE) }
    }

    fn import_pointer(&mut self, pool: CUmemoryPool, bytes: &[u8; 64]) -> Result<u64> {
        let id = pool as u64;
        let pool = self.pool(pool)?;
        if !pool.is_imported() {
            return Err(INVALID_VALUE);
        }
        let (target, file) = (pool.target, pool.memory.file.clone().ok_or(INVALID_VALUE)?);
        let (handle, place) = Self::check_data(&file, bytes)?;
        if let Some((base, references)) = self.imported_at(id, &handle, place) {
            // POOL-PTR-009: host memory cannot be imported twice, as on an H200.
            if target.is_host() {
                return Err(CUresult::CUDA_ERROR_ALREADY_MAPPED);
            }
            // POOL-PTR-008: another import returns the same address and is counted.
            *references += 1;
            return Ok(base);
        }
        let first = place - place % GRANULARITY;
        let size = (place + handle.size).next_multiple_of(GRANULARITY) - first;
        let block = Block::of_pool(&file, first, size)?;
        // The exporter has freed the allocation. Newer memory in its place was not exported to this process.
        if block.serial(place - first) != handle.serial {
            return Err(INVALID_VALUE);
        }
        let base = block.base + (place - first);
        let memory = Memory::PoolImport {
            block: Arc::new(block),
            pool: id,
            target,
            place,
            serial: handle.serial,
            references: 1,
            frees: 0,
        };
        self.add_range(base, handle.size, 0, self.device_of_target(target), memory);
        self.note_high_water(id);
        Ok(base)
    }

    /// The address at which an allocation is imported, and how often it is. An import that is being freed no longer
    /// counts.
    fn imported_at(&mut self, id: u64, handle: &Handle, wanted: u64) -> Option<(u64, &mut usize)> {
        self.ranges.values_mut().filter(|range| !range.is_freed).find_map(|range| match &mut range.memory {
            Memory::PoolImport { pool, place, serial, references, .. }
                if (*pool, *place, *serial) == (id, wanted, handle.serial) =>
            {
                Some((range.base, references))
            }
            _ => None,
        })
    }
}

entry_points! {
    fn cuMemPoolImportFromShareableHandle(
        output: Output<CUmemoryPool>,
        handle: *mut c_void,
        kind: CUmemAllocationHandleType,
        flags: u64,
    ) {
        let mut state = state()?;
        // POOL-IMP-005
        output.wanted()?;
        if flags != 0 || !is_one_type(kind) {
            return Err(INVALID_VALUE);
        }
        let file = if kind == FABRIC {
            // SAFETY: for a fabric handle the caller promises null or 64 bytes.
            PoolFile::of_fabric(&unsafe { Input::new(handle.cast::<[u8; 64]>()) }.value()?)?
        } else {
            // POOL-IMP-001: the descriptor is passed by value. POOL-IMP-002: a pointer to a descriptor is invalid.
            PoolFile::import(i32::try_from(handle as isize).map_err(|_| INVALID_VALUE)?)?
        };
        output.give(state.import_pool(file) as CUmemoryPool)
    }

    fn cuMemPoolImportPointer(output: Output<CUdeviceptr>, pool: CUmemoryPool, data: Input<CUmemPoolPtrExportData>) {
        let mut state = state()?;
        output.wanted()?;
        let bytes = data.value()?.to_bytes();
        output.give(state.import_pointer(pool, &bytes)?)
    }
}
