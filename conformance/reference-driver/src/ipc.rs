//! Legacy memory handles: get, open, close.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cuda_ipc_sys::{CUdeviceptr, CUipcMem_flags, CUipcMemHandle};

use crate::answer::{INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, NOT_PERMITTED, Result, give, wanted};
use crate::block::Block;
use crate::context::synchronize;
use crate::handle::{Exporter, MemoryName};
use crate::memory::Kind;
use crate::process::{State, state};

/// A handle that is open in a context.
#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) handle: [u8; 64],
    pub(crate) pointer: u64,
    pub(crate) context: u64,
    exporter: Exporter,
    exporter_device: u32,
    /// IPCMEM-OPEN-002: opens that were not closed yet.
    references: usize,
}

impl State {
    fn export_memory(&self, pointer: u64) -> Result<CUipcMemHandle> {
        // IPCMEM-GET-005: any address of the allocation names the whole of it.
        let range = self.range(pointer).ok_or(INVALID_VALUE)?;
        // IPCMEM-GET-010 to 018: nothing but memory of cuMemAlloc.
        let Kind::Linear { block, serial } = &range.kind else { return Err(INVALID_VALUE) };
        let name = MemoryName {
            exporter: Exporter::this_process(),
            descriptor: block.descriptor(),
            inode: block.inode,
            offset: range.base - block.base,
            size: range.size,
            serial: *serial,
            device_index: range.device_index as u32,
        };
        Ok(CUipcMemHandle::from_bytes(name.to_bytes()))
    }

    fn open_memory(&mut self, handle: [u8; 64]) -> Result<u64> {
        let context = self.current()?;
        // IPCMEM-OPEN-013 to 015
        let name = MemoryName::from_bytes(handle).ok_or(INVALID_VALUE)?;
        // IPCMEM-OPEN-003
        if name.exporter == Exporter::this_process() {
            return Err(INVALID_CONTEXT);
        }
        self.refuse_second_context(context, &name)?;
        let same = |import: &&mut Import| import.handle == handle && import.context == context;
        if let Some(import) = self.imports.iter_mut().find(same) {
            import.references += 1;
            return Ok(import.pointer);
        }
        let block = self.block_of(&name, handle)?;
        let pointer = block.base + name.offset;
        let exporter_device = name.device_index;
        self.add_range(pointer, name.size, Kind::Import { block }, context, exporter_device as usize);
        self.imports.push(Import { handle, pointer, context, exporter: name.exporter, exporter_device, references: 1 });
        Ok(pointer)
    }

    /// IPCMEM-OPEN-006, IPCMEM-OPEN-007: one context a device opens what a device of another process exported.
    fn refuse_second_context(&self, context: u64, name: &MemoryName) -> Result<()> {
        let device = self.context(context)?.device_index;
        let held_elsewhere = self.imports.iter().any(|import| {
            import.context != context
                && import.exporter == name.exporter
                && import.exporter_device == name.device_index
                && self.contexts.get(&import.context).is_some_and(|other| other.device_index == device)
        });
        if held_elsewhere { Err(INVALID_HANDLE) } else { Ok(()) }
    }

    /// The exporter's block, with the allocation that the handle names still in it.
    fn block_of(&mut self, name: &MemoryName, handle: [u8; 64]) -> Result<Arc<Block>> {
        // IPCMEM-OPEN-018
        if !name.exporter.is_alive() {
            return Err(INVALID_HANDLE);
        }
        // IPCMEM-OPEN-016: what was freed does not open.
        let gone = if self.freed_while_open.contains(&handle) { NOT_PERMITTED } else { INVALID_VALUE };
        let key = (name.inode, self.current()?);
        self.imported_blocks.retain(|_, block| block.strong_count() > 0);
        let block = match self.imported_blocks.get(&key).and_then(std::sync::Weak::upgrade) {
            Some(block) => block,
            None => {
                let block = Block::of_process(name.exporter.process, name.descriptor, name.inode, gone)?;
                let block = Arc::new(block);
                self.imported_blocks.insert(key, Arc::downgrade(&block));
                block
            }
        };
        let fits = name.offset.checked_add(name.size).is_some_and(|end| end <= block.size);
        match block.serial(name.offset).load(Ordering::Acquire) {
            serial if serial == name.serial && fits => Ok(block),
            0 => Err(gone),
            // IPCMEM-OPEN-017: another allocation lies there by now.
            _ => Err(NOT_PERMITTED),
        }
    }

    /// Whether the exporter freed what is still open here.
    fn is_freed(&self, import: &Import) -> bool {
        let Some(name) = MemoryName::from_bytes(import.handle) else { return false };
        let Some(Kind::Import { block }) = self.ranges.get(&import.pointer).map(|range| &range.kind) else {
            return false;
        };
        block.serial(name.offset).load(Ordering::Acquire) != name.serial
    }

    /// The importing context is gone, and its mappings with it.
    pub(crate) fn forget_imports_of(&mut self, context: u64) {
        let (gone, kept) = std::mem::take(&mut self.imports).into_iter().partition(|import| import.context == context);
        self.imports = kept;
        let gone: Vec<Import> = gone;
        for import in gone {
            self.forget(import.pointer);
        }
    }
}

/// Give one open back. IPCMEM-CLOSE-010: the last one waits for the work of its context.
fn close(pointer: u64) -> Result<()> {
    let context = {
        let mut state = state()?;
        state.current()?;
        // IPCMEM-CLOSE-003 to 007: only what open gave, at its base.
        let import = state.imports.iter_mut().find(|import| import.pointer == pointer).ok_or(INVALID_VALUE)?;
        if import.references > 1 {
            import.references -= 1;
            return Ok(());
        }
        import.context
    };
    synchronize(context)?;
    let mut state = state()?;
    if let Some(index) = state.imports.iter().position(|import| import.pointer == pointer) {
        let import = state.imports.swap_remove(index);
        if state.is_freed(&import) {
            state.freed_while_open.insert(import.handle);
        }
        state.forget(pointer);
    }
    Ok(())
}

entry_points! {
    fn cuIpcGetMemHandle(output: *mut CUipcMemHandle, pointer: CUdeviceptr) {
        let state = state()?;
        state.current()?;
        wanted(output)?;
        give(output, state.export_memory(pointer)?)
    }

    fn cuIpcOpenMemHandle_v2(pointer: *mut CUdeviceptr, handle: CUipcMemHandle, flags: u32) {
        let mut state = state()?;
        state.current()?;
        wanted(pointer)?;
        // IPCMEM-OPEN-010, IPCMEM-OPEN-011: the H200 asks for the documented bit and ignores the others.
        if flags & CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0 == 0 {
            return Err(INVALID_VALUE);
        }
        let opened = state.open_memory(handle.to_bytes())?;
        give(pointer, opened)
    }

    fn cuIpcCloseMemHandle(pointer: CUdeviceptr) {
        close(pointer)
    }
}
