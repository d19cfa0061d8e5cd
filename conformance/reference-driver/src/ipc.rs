//! Memory of other processes: `cuIpcGetMemHandle`, `cuIpcOpenMemHandle`, `cuIpcCloseMemHandle`.

use std::collections::HashMap;
use std::sync::Arc;

use cuda_ipc_sys::{CUdeviceptr, CUipcMem_flags, CUipcMemHandle, CUresult};

use crate::answer::{INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, NOT_PERMITTED, Output, Result};
use crate::block::{Block, GRANULARITY, UNIT};
use crate::environment::environment;
use crate::handle::{Handle, Kind};
use crate::memfd::Elsewhere;
use crate::process::{State, own_number, own_start_time, start_time, state};
use crate::range::Memory;
use crate::stream::synchronize;
use crate::topology::topology;

/// An allocation of another process that this process has open.
#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) context: u64,
    /// The importing context's device.
    device: usize,
    bytes: [u8; 64],
    handle: Handle,
    block: Arc<Block>,
    references: usize,
}

impl Import {
    /// The process and device that it comes from.
    const fn origin(&self) -> (u32, u64, u32) {
        (self.handle.process, self.handle.start_time, self.handle.device)
    }
}

/// All open imports, by the address that the open returned.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    by_pointer: HashMap<u64, Import>,
    /// The addresses by context and handle.
    by_handle: HashMap<(u64, [u8; 64]), u64>,
}

impl Imports {
    pub(crate) fn pointers(&self) -> impl Iterator<Item = &u64> {
        self.by_pointer.keys()
    }

    pub(crate) fn forget_context(&mut self, context: u64) {
        self.by_pointer.retain(|_, import| import.context != context);
        self.by_handle.retain(|(of, _), _| *of != context);
    }

    fn insert(&mut self, pointer: u64, import: Import) {
        self.by_handle.insert((import.context, import.bytes), pointer);
        self.by_pointer.insert(pointer, import);
    }

    fn remove(&mut self, pointer: u64) -> Option<Import> {
        let import = self.by_pointer.remove(&pointer)?;
        self.by_handle.remove(&(import.context, import.bytes));
        Some(import)
    }
}

impl State {
    fn export(&self, pointer: u64) -> Result<Handle> {
        // IPCMEM-GET-005: an interior pointer stands for its allocation. IPCMEM-GET-007 to -019: only memory from
        // `cuMemAlloc` can be exported. Any other pointer is CUDA_ERROR_INVALID_VALUE.
        let Some((range, Memory::Linear(piece))) = self.range(pointer).map(|range| (range, &range.memory)) else {
            return Err(INVALID_VALUE);
        };
        Ok(Handle {
            kind: Kind::Memory,
            process: own_number(),
            start_time: own_start_time(),
            descriptor: piece.block().descriptor(),
            inode: piece.block().inode,
            place: piece.offset as u32,
            size: piece.size,
            // IPCMEM-GET-003: new memory at an old address has another serial.
            serial: piece.serial,
            device: range.device as u32,
        })
    }

    fn open(&mut self, context: u64, bytes: [u8; 64]) -> Result<u64> {
        // IPCMEM-OPEN-014: every bit of a handle counts.
        let machine = environment().machine_number();
        let handle = Handle::from_bytes(&bytes, Kind::Memory, machine).ok_or(INVALID_VALUE)?;
        // IPCMEM-OPEN-003
        if handle.process == own_number() && handle.start_time == own_start_time() {
            return Err(INVALID_CONTEXT);
        }
        // IPCMEM-OPEN-002: a repeated open does not depend on the exporter, which may be gone by now.
        if let Some(base) = self.imports.by_handle.get(&(context, bytes)).copied() {
            self.import(base)?.references += 1;
            return Ok(base);
        }
        // IPCMEM-OPEN-006 and -007: for each exporting process and device, only one context of this device may have
        // imports.
        let device = self.context(context)?.device_index;
        let origin = (handle.process, handle.start_time, handle.device);
        let elsewhere =
            |import: &Import| import.context != context && import.device == device && import.origin() == origin;
        if self.imports.by_pointer.values().any(elsewhere) {
            return Err(INVALID_HANDLE);
        }
        // IPCMEM-OPEN-031
        if !topology().may_use(device, handle.device as usize) {
            return Err(CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        }
        let block = self.block_of(context, &handle)?;
        let base = block.base + u64::from(handle.place);
        self.add_range(base, handle.size, context, handle.device as usize, Memory::Import(Arc::clone(&block)));
        self.imports.insert(base, Import { context, device, bytes, handle, block, references: 1 });
        Ok(base)
    }

    /// Returns the block that a handle names, mapped in this process.
    fn block_of(&self, context: u64, handle: &Handle) -> Result<Arc<Block>> {
        // IPCMEM-OPEN-018: the exporter is gone.
        if start_time(handle.process) != Some(handle.start_time) {
            return Err(INVALID_HANDLE);
        }
        let place = u64::from(handle.place);
        let end = place.checked_add(handle.size).ok_or(INVALID_VALUE)?;
        let block = match self.mapped_block(context, handle.inode, place, end) {
            Some(block) => block,
            None => {
                let device = handle.device as usize;
                let found = Block::of_process(handle.process, handle.descriptor, device, handle.inode);
                Arc::new(found.map_err(|reason| match reason {
                    // IPCMEM-OPEN-016: the allocation was freed.
                    Elsewhere::Gone => INVALID_VALUE,
                    Elsewhere::Replaced | Elsewhere::Forbidden => NOT_PERMITTED,
                    Elsewhere::Failed(code) => code,
                })?)
            }
        };
        match block.serial(place) {
            serial if serial == handle.serial && end <= block.size => Ok(block),
            // IPCMEM-OPEN-016
            0 => Err(INVALID_VALUE),
            // IPCMEM-OPEN-017: there is a newer allocation in its place.
            _ => Err(NOT_PERMITTED),
        }
    }

    /// A mapping of the block that another import made, if the new import's addresses in it are free. An older import
    /// there may still be open, although the exporter has freed its allocation.
    fn mapped_block(&self, context: u64, inode: u64, place: u64, end: u64) -> Option<Arc<Block>> {
        let imports = self.imports.by_pointer.values().filter(|import| import.context == context);
        let mut blocks = imports.map(|import| &import.block).filter(|block| block.inode == inode);
        blocks.find(|block| end <= block.size && !self.is_taken(block.base + place, block.base + end)).map(Arc::clone)
    }

    /// Leaves a note for the exporters of all open imports, for a fault.
    pub(crate) fn note_in_imports(&self, note: u64) {
        self.imports.by_pointer.values().for_each(|import| import.block.set_serial(NOTE, note));
    }

    /// The error that an importer caused in this process, which can happen only with a fault.
    pub(crate) fn error_of_an_importer(&self) -> Option<CUresult> {
        if !(spreads_faults() || spreads_death() || clears_at_death()) {
            return None;
        }
        let notes = self.ranges.values().filter_map(|range| match &range.memory {
            Memory::Linear(piece) => Some(piece.block().serial(NOTE)),
            _ => None,
        });
        match notes.max() {
            None | Some(0) => None,
            Some(note) if spreads_faults() => Some(CUresult(note as u32)),
            Some(process) if start_time(process as u32).is_some() => None,
            Some(_) if spreads_death() => Some(CUresult::CUDA_ERROR_LAUNCH_FAILED),
            Some(_) => {
                for range in self.ranges.values() {
                    if let Memory::Linear(piece) = &range.memory {
                        let _ = piece.block().clear();
                    }
                }
                None
            }
        }
    }

    /// The import at an address. IPCMEM-CLOSE-003 to -007: only the address that the open returned counts.
    /// IPCMEM-CLOSE-009: the import may belong to any context, as on an H200.
    fn import(&mut self, pointer: u64) -> Result<&mut Import> {
        self.imports.by_pointer.get_mut(&pointer).ok_or(INVALID_VALUE)
    }
}

/// The place in a block where importers leave a note for the exporter: the code of their fault, or their PID while one
/// of their kernels runs. Only a driver with a fault does so.
const NOTE: u64 = GRANULARITY - UNIT;

pub(crate) fn spreads_faults() -> bool {
    fault!(
        "importer-fault-spreads",
        ["PROC-005"],
        "If a kernel of an importer faults, the exporter's context has the error too.",
    )
}

pub(crate) fn spreads_death() -> bool {
    fault!(
        "importer-death-spreads",
        ["PROC-004"],
        "If an importer is killed while one of its kernels runs, the exporter's context fails.",
    )
}

pub(crate) fn clears_at_death() -> bool {
    fault!(
        "importer-death-clears-the-memory",
        ["PROC-004"],
        "If an importer is killed while one of its kernels runs, the exporter's memory is cleared.",
    )
}

/// Closes an import. IPCMEM-CLOSE-010: the last close waits, since work of the context may still use the memory.
fn close(pointer: u64) -> Result<()> {
    let (context, is_last) = {
        let mut state = state()?;
        // IPCMEM-CLOSE-008
        state.current()?;
        let import = state.import(pointer)?;
        (import.context, import.references == 1)
    };
    if is_last {
        synchronize(context)?;
    }
    let mut state = state()?;
    let import = state.import(pointer)?;
    // IPCMEM-CLOSE-002
    import.references -= 1;
    if import.references == 0 || fault!("close-ignores-the-count", ["IPCMEM-CLOSE-002"], "The first close unmaps.") {
        state.imports.remove(pointer);
        state.ranges.remove(&pointer);
    }
    Ok(())
}

entry_points! {
    fn cuIpcGetMemHandle(handle: Output<CUipcMemHandle>, pointer: CUdeviceptr) {
        let state = state()?;
        // IPCMEM-GET-023
        state.current()?;
        // IPCMEM-GET-008
        handle.wanted()?;
        let bytes = state.export(pointer)?.to_bytes(environment().machine_number());
        handle.give(CUipcMemHandle::from_bytes(bytes))
    }

    fn cuIpcOpenMemHandle_v2(pointer: Output<CUdeviceptr>, handle: CUipcMemHandle, flags: u32) {
        let mut state = state()?;
        // IPCMEM-OPEN-035
        let context = state.current()?;
        // IPCMEM-OPEN-012
        pointer.wanted()?;
        // IPCMEM-OPEN-010 and -011: an H200 requires the documented bit and ignores the others.
        if flags & CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0 == 0 {
            return Err(INVALID_VALUE);
        }
        pointer.give(state.open(context, handle.to_bytes())?)
    }

    fn cuIpcCloseMemHandle(pointer: CUdeviceptr) {
        close(pointer)
    }
}
