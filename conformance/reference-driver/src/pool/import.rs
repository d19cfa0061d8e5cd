//! Imported pools: of other processes, or of this process, which can import its own pools.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::os::fd::AsRawFd as _;
use std::sync::{Arc, Mutex, PoisonError};

use cuda_ipc_sys::{CUdeviceptr, CUmemAllocationHandleType, CUmemPoolPtrExportData, CUmemoryPool, CUresult};

use super::share::checked_type;
use super::{DESCRIPTOR, FABRIC, Origin, Pool, PoolFile, READ_WRITE, Target};
use crate::answer::{INVALID_VALUE, Input, Output, Result};
use crate::block::{Block, GRANULARITY, HOST, UNIT};
use crate::environment::environment;
use crate::handle::{Handle, Kind};
use crate::memfd::map_fixed;
use crate::process::{State, own_number, state};
use crate::range::{Memory, Range};

fn ends_at_the_import() -> bool {
    fault!(
        "pool-import-ends-where-the-pool-ended",
        ["POOL-IMP-001"],
        "Memory by which the exporter's pool has grown since the import cannot be imported."
    )
}

/// The size that a pool had when this was first asked.
fn size_at_the_import(file: &PoolFile) -> u64 {
    static SIZES: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());
    *SIZES.lock().unwrap_or_else(PoisonError::into_inner).entry(file.inode).or_insert_with(|| file.size())
}

impl State {
    /// Imports a pool. POOL-IMP-003: any process may be the exporter, including this one. POOL-IMP-008: if the pool is
    /// imported already, the result is the same pool, as on an H200.
    fn import_pool(&mut self, file: Arc<PoolFile>) -> u64 {
        for (id, pool) in &mut self.pools {
            let is_same = pool.memory.file.as_ref().is_some_and(|known| known.inode == file.inode)
                || fault!(
                    "pool-import-returns-the-first-pool",
                    ["POOL-IMP-001"],
                    "A second pool is taken for the first."
                );
            if let (Origin::Imported { references }, true, false) = (&mut pool.origin, is_same, pool.is_destroyed) {
                *references += 1;
                return *id;
            }
        }
        let is_other = file.place != HOST
            && fault!(
                "pool-import-takes-every-pool-for-the-first-device",
                ["POOL-IMP-010"],
                "An imported pool counts as memory of the first device."
            );
        let place = if is_other { 0 } else { file.place };
        let is_granted = file.is_granted();
        if ends_at_the_import() {
            size_at_the_import(&file);
        }
        let mut pool = Pool::new(Target::of_place(place), Origin::Imported { references: 1 }, Some(file));
        if is_granted
            && fault!(
                "pool-import-inherits-access",
                ["POOL-IMP-010"],
                "An imported pool has the access that the exporter granted before the import."
            )
        {
            pool.access.extend((0..environment().devices).map(|device| (device, READ_WRITE)));
        }
        self.add_pool(pool)
    }

    /// Checks export data, and returns its handle and offset. POOL-PTR-007: every bit must be unchanged. POOL-PTR-006:
    /// the handle must name memory of this pool. POOL-PTR-019: the offset and the size must lie inside the pool.
    fn check_data(file: &PoolFile, bytes: &[u8; 64]) -> Result<(Handle, u64)> {
        let machine = environment().machine_number();
        let handle = Handle::from_bytes(bytes, Kind::PoolPointer, machine).ok_or(INVALID_VALUE)?;
        let place = u64::from(handle.place) * UNIT;
        let end = place.checked_add(handle.size).ok_or(INVALID_VALUE)?;
        let is_late = ends_at_the_import() && end > size_at_the_import(file);
        let is_inside = handle.size > 0 && end <= file.size() && !is_late;
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
        if fault!(
            "pool-import-pointer-is-refused-while-a-kernel-runs",
            ["IPCMEM-CLOSE-019"],
            "No pointer can be imported while a kernel of the process runs."
        ) && self.is_busy()
        {
            return Err(INVALID_VALUE);
        }
        let known = self.ranges.values().find(|range| range.memory.pool() == Some(id)).map(|range| range.base);
        if let Some(base) = known
            && fault!(
                "pool-import-pointer-returns-the-first-import",
                ["POOL-PTR-001"],
                "Every import from a pool returns the address of the first one."
            )
        {
            return Ok(base);
        }
        let is_of_pool = |range: &&Range| matches!(range.memory, Memory::PoolImport { pool, .. } if pool == id);
        if self.ranges.values().filter(is_of_pool).count() >= 32
            && fault!(
                "pool-import-pointer-imports-32-at-most",
                ["POOL-PTR-001"],
                "32 pointers of a pool can be imported."
            )
        {
            return Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY);
        }
        let first = place - place % GRANULARITY;
        let size = (place + handle.size).next_multiple_of(GRANULARITY) - first;
        let block = Block::of_pool(&file, first, size)?;
        // The exporter has freed the allocation. Newer memory in its place was not exported to this process.
        if block.serial(place - first) != handle.serial {
            return Err(INVALID_VALUE);
        }
        let is_copied = target.is_host()
            && fault!(
                "pool-import-pointer-copies-host-memory",
                ["POOL-CREATE-005"],
                "What an importer writes to host memory stays private to it."
            );
        let private = match () {
            () if is_copied => Some(0),
            () if fault!(
                "pool-import-pointer-copies",
                ["POOL-PTR-001"],
                "What an importer writes stays private to it."
            ) =>
            {
                Some(0)
            }
            () if own_number() == 1
                && fault!(
                    "pool-import-pointer-by-process-1-copies",
                    ["POOL-IMP-019"],
                    "Process 1 of a PID namespace imports a copy."
                ) =>
            {
                Some(0)
            }
            () if target.place() == 1
                && fault!(
                    "pool-import-pointer-of-the-second-gpu-copies",
                    ["POOL-PTR-001"],
                    "What an importer writes to memory of GPU 1 stays private to it."
                ) =>
            {
                Some(0)
            }
            () if fault!(
                "pool-import-pointer-shares-all-but-the-end",
                ["POOL-PTR-001"],
                "What an importer writes to the last 2 MiB stays private to it."
            ) =>
            {
                Some(size - GRANULARITY)
            }
            () => None,
        };
        if let Some(from) = private {
            let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_NORESERVE);
            let (descriptor, offset) = (file.file(), file.data_at(first) + from);
            map_fixed(block.base + from, size - from, protection, flags, descriptor.as_raw_fd(), offset)?;
        }
        let begins_early = fault!(
            "pool-import-pointer-forgets-the-offset",
            ["POOL-PTR-001"],
            "An import of memory inside a block begins where the block begins."
        );
        let base = block.base + if begins_early { 0 } else { place - first };
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
        if output.wanted().is_err() && fault!("pool-import-into-null-succeeds", ["POOL-IMP-005"], "An import without an output succeeds.") {
            return Ok(());
        }
        output.wanted()?;
        let kind = checked_type(
            kind,
            flags,
            [
                fault!("pool-import-ignores-flags", ["POOL-IMP-005"], "The flags of an import are ignored."),
                fault!("pool-import-reads-half-of-the-flags", ["POOL-IMP-005"], "Only the lower half of the flags of an import is checked."),
                fault!("pool-import-takes-no-type", ["POOL-IMP-005"], "Handle type NONE is taken for a descriptor."),
                fault!("pool-import-takes-unknown-types", ["POOL-IMP-005"], "An unknown handle type is taken for a descriptor."),
                fault!("pool-import-of-an-unknown-type-is-not-supported", ["POOL-IMP-005"], "An unknown handle type is refused with NOT_SUPPORTED."),
            ],
        )?;
        if kind == DESCRIPTOR {
            if fault!("pool-import-refuses-descriptors", ["POOL-IMP-001"], "A descriptor is refused.") {
                return Err(INVALID_VALUE);
            }
            if fault!("pool-import-writes-no-handle", ["POOL-IMP-001"], "An import succeeds without writing the handle.") {
                return Ok(());
            }
        }
        let file = if kind == FABRIC {
            // SAFETY: for a fabric handle the caller promises null or 64 bytes.
            PoolFile::of_fabric(&unsafe { Input::new(handle.cast::<[u8; 64]>()) }.value()?)?
        } else {
            // POOL-IMP-001: the descriptor is passed by value. POOL-IMP-002: a pointer to a descriptor is invalid.
            let number = match i32::try_from(handle as isize) {
                // SAFETY: a caller that passes an address passes that of a descriptor.
                Err(_) if fault!("pool-import-takes-the-address-of-a-descriptor", ["POOL-IMP-002"], "The address of a descriptor is taken too.") => unsafe {
                    handle.cast::<i32>().read_unaligned()
                },
                number => number.map_err(|_| INVALID_VALUE)?,
            };
            if fault!("pool-import-leaks-a-descriptor", ["POOL-IMP-001"], "Every import leaves a descriptor.") {
                std::mem::forget(PoolFile::import(number)?);
            }
            PoolFile::import(number)?
        };
        if state.pools.values().filter(|pool| pool.is_imported()).count() >= 8
            && fault!("pool-import-imports-8-at-most", ["POOL-IMP-001"], "A process can have 8 pools imported.")
        {
            return Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY);
        }
        output.give(state.import_pool(file) as CUmemoryPool)
    }

    fn cuMemPoolImportPointer(output: Output<CUdeviceptr>, pool: CUmemoryPool, data: Input<CUmemPoolPtrExportData>) {
        let mut state = state()?;
        output.wanted()?;
        let bytes = data.value()?.to_bytes();
        let pointer = state.import_pointer(pool, &bytes)?;
        if fault!("pool-import-pointer-writes-nothing", ["POOL-PTR-001"], "The address of an import is not written.") {
            return Ok(());
        }
        output.give(pointer)
    }
}
