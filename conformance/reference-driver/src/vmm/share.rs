//! Sharing of physical memory between processes, by descriptors and fabric handles.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use cuda_ipc_sys::{CUmemAllocationHandleType, CUmemGenericAllocationHandle, CUmemLocationType, CUresult};

use super::fabric::{self, Exported, Fabric};
use super::{Allocation, Physical};
use crate::answer::{INVALID_CONTEXT, INVALID_VALUE, Input, NOT_SUPPORTED, OUT_OF_MEMORY, Output, Result};
use crate::block::{Block, HOST};
use crate::handle::Kind;
use crate::leak;
use crate::memfd::descriptors_of_mappers;
use crate::multicast::Object;
use crate::process::{State, is_forked, own_number, state};
use crate::range::Memory;
use crate::seen::{Calls, Seen};

type HandleType = CUmemAllocationHandleType;
const DESCRIPTOR: HandleType = HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
const FABRIC: HandleType = HandleType::CU_MEM_HANDLE_TYPE_FABRIC;

/// Nothing is ever mapped below this address.
const FIRST_ADDRESS: usize = 1 << 16;

impl State {
    /// The allocation that a handle names, if it was created with this handle type (VMM-EXP-003). VMM-EXP-008: an
    /// imported allocation cannot be exported again, as on an H200.
    fn exportable(&self, handle: u64, kind: HandleType) -> Result<&Allocation> {
        let allocation = self.allocation(handle)?;
        let types = allocation.handle_types;
        let (is_descriptor, is_fabric) = (kind == DESCRIPTOR, kind == FABRIC);
        let was_asked_for = types.0 & kind.0 != 0
            || !allocation.is_shareable
                && is_descriptor
                && fault!("export-as-descriptor-of-none", ["VMM-EXP-003"], "Private memory exports as a descriptor.")
            || !allocation.is_shareable
                && is_fabric
                && fault!("export-as-fabric-of-none", ["VMM-EXP-003"], "Private memory exports as a fabric handle.")
            || types == DESCRIPTOR
                && is_fabric
                && fault!(
                    "export-as-fabric-of-descriptor",
                    ["VMM-EXP-003"],
                    "Memory that was created for descriptors exports as a fabric handle.",
                )
            || types == FABRIC
                && is_descriptor
                && fault!(
                    "export-as-descriptor-of-fabric",
                    ["VMM-EXP-003"],
                    "Memory that was created for fabric handles exports as a descriptor.",
                );
        if !was_asked_for {
            let has_another_code = fault!(
                "export-of-another-type-has-another-code",
                ["VMM-EXP-003"],
                "The code for an unrequested handle type is NOT_SUPPORTED."
            );
            return Err(if has_another_code { NOT_SUPPORTED } else { INVALID_VALUE });
        }
        let is_retained = self.physical.get(&handle).is_some_and(|physical| physical.references > 1);
        if is_retained
            && fault!("export-of-a-retained-handle-fails", ["VMM-EXP-009"], "A handle with two references is refused.",)
        {
            return Err(INVALID_VALUE);
        }
        Ok(allocation)
    }

    /// Gives up memory whose last handle was released.
    pub(super) fn drop_physical(&mut self, handle: u64, physical: Physical) {
        let Physical { allocation, .. } = physical;
        let is_unused = Arc::strong_count(&allocation) == 1;
        let is_export = allocation.handle_types != HandleType::CU_MEM_HANDLE_TYPE_NONE;
        let is_import = allocation.is_import();
        if is_export
            && is_unused
            && fault!(
                "release-frees-exported-memory",
                ["VMM-EXP-012", "VMM-IMP-023", "VMM-IMP-034"],
                "The memory is freed with the exporter's last handle and mapping, whoever else has it.",
            )
        {
            allocation.block.free_for_all();
        }
        if is_import
            && is_unused
            && fault!(
                "release-of-an-import-frees-the-memory",
                ["VMM-IMP-006"],
                "The memory is freed when one import of it is released.",
            )
        {
            allocation.block.free_for_all();
        }
        if is_import
            && !is_unused
            && fault!(
                "release-of-an-import-frees-mapped-memory",
                ["VMM-IMP-022", "VMM-IMP-024"],
                "The memory is freed when its import is released, although it is mapped.",
            )
        {
            allocation.block.free_for_all();
        }
        if is_import
            && fault!("release-of-an-import-unmaps-it", ["VMM-IMP-022"], "The release of an import ends its mappings.",)
        {
            self.ranges.retain(|_, range| !matches!(range.memory, Memory::Mapping { handle: of, .. } if of == handle));
        }
        if is_import
            && fault!(
                "release-of-one-import-ends-all",
                ["VMM-IMP-006"],
                "The release of one import releases all imports of the same memory."
            )
        {
            let inode = allocation.block.inode;
            self.physical.retain(|_, other| other.allocation.block.inode != inode);
        }
        if is_export
            && fault!(
                "release-leaks-exported-memory",
                ["VMM-IMP-023"],
                "Memory for export is never freed by its process."
            )
        {
            std::mem::forget(Arc::clone(&allocation));
        }
        if is_import
            && fault!(
                "release-of-an-import-keeps-a-mapping",
                ["PROC-013"],
                "Each release of an import leaves a mapping."
            )
        {
            leak::mapping();
        }
        if is_import
            && fault!(
                "release-of-an-import-keeps-memory",
                ["PROC-013"],
                "Each release of an import leaves host memory."
            )
        {
            leak::private_memory();
        }
        if is_import
            && fault!(
                "release-leaks-imports",
                ["VMM-IMP-006"],
                "A process keeps the memory that it has imported until it ends.",
            )
        {
            std::mem::forget(Arc::clone(&allocation));
        }
    }

    /// Imports what a descriptor leads to.
    fn import_descriptor(&self, descriptor: i32) -> Result<(Block, usize)> {
        // As an H200, which takes it for a null pointer.
        if descriptor == 0 {
            return Err(INVALID_VALUE);
        }
        let (mut block, device) = Block::of_descriptor(descriptor)?;
        if fault!("import-cuts-the-size", ["VMM-IMP-001"], "An import has the lower 32 bits of its size.") {
            block.size = block.size.min((block.size & 0xffff_ffff).max(crate::block::GRANULARITY));
        }
        if fault!("import-consumes-the-descriptor", ["VMM-IMP-034"], "The import closes the caller's descriptor.") {
            // SAFETY: a fault, which takes the caller's descriptor away.
            unsafe { libc::close(descriptor) };
        }
        if fault!("import-needs-a-context", ["VMM-IMP-035"], "Without a current context the import is refused.") {
            self.current()?;
        }
        if fault!(
            "import-needs-a-holder",
            ["VMM-IMP-020", "VMM-IMP-034"],
            "A descriptor imports only while a process has the memory as a handle or a mapping.",
        ) && descriptors_of_mappers(block.inode).is_empty()
        {
            return Err(INVALID_VALUE);
        }
        if fault!(
            "import-needs-the-exporters-descriptor",
            ["VMM-EXP-013"],
            "The import is refused once the exporter has closed its own descriptor.",
        ) && descriptors_of_mappers(block.inode).contains(&1)
        {
            return Err(INVALID_VALUE);
        }
        if fault!(
            "import-of-an-orphan-is-empty",
            ["VMM-IMP-020", "VMM-IMP-034"],
            "Memory that no process has mapped is cleared when it is imported."
        ) && descriptors_of_mappers(block.inode).is_empty()
        {
            block.clear()?;
        }
        if fault!("import-by-an-eighth-process-fails", ["VMM-IMP-026"], "Seven processes can import one descriptor.")
            && descriptors_of_mappers(block.inode).len() >= 8
        {
            return Err(OUT_OF_MEMORY);
        }
        if fault!("import-clears-the-memory", ["VMM-IMP-001"], "The import sets the memory to zero.") {
            block.clear()?;
        }
        if fault!("import-copies-the-memory", ["VMM-IMP-001"], "The importer gets a copy of the memory.") {
            let copy = Block::shareable(device, block.size)?;
            // SAFETY: both blocks are mapped and have this size.
            unsafe { std::ptr::copy(block.base as *const u8, copy.base as *mut u8, block.size as usize) };
            return Ok((copy, device));
        }
        if own_number() == 1
            && fault!(
                "import-by-process-1-keeps-its-writes",
                ["VMM-IMP-037"],
                "Process 1 of a PID namespace imports a copy."
            )
        {
            block.make_private(0, block.size, true)?;
        }
        if fault!("import-keeps-its-writes", ["VMM-IMP-001"], "The exporter does not see what the importer writes.") {
            block.make_private(0, block.size, true)?;
        }
        if fault!(
            "import-on-the-second-gpu-keeps-its-writes",
            ["VMM-IMP-001"],
            "Memory of GPU 1 is imported as a copy."
        ) && device == 1
        {
            block.make_private(0, block.size, true)?;
        }
        static IMPORTS: Calls = Calls::new();
        if fault!("import-gives-other-memory-once", ["VMM-IMP-001"], "The thousandth import is other memory.")
            && IMPORTS.is_the_thousandth()
        {
            let other = Block::shareable(device, block.size)?;
            return Ok((other, device));
        }
        let is_same = |physical: &&Physical| physical.allocation.block.inode == block.inode;
        if self.physical.values().filter(is_same).count() >= 4
            && fault!("import-imports-an-allocation-four-times", ["VMM-IMP-001"], "A fifth import is refused.")
        {
            return Err(OUT_OF_MEMORY);
        }
        let is_import = |physical: &&Physical| physical.allocation.is_import();
        if self.physical.values().filter(is_import).count() >= 32
            && fault!("import-imports-32-at-most", ["VMM-IMP-001"], "A process can hold 32 imports.")
        {
            return Err(OUT_OF_MEMORY);
        }
        if fault!("import-lacks-the-last-page", ["VMM-IMP-001"], "The last 4 KiB of an import are other memory.") {
            block.make_private(block.size - 4096, 4096, false)?;
        }
        Ok((block, device))
    }

    /// The handle of an earlier import of the same memory.
    fn earlier_import(&self, block: &Block) -> Option<u64> {
        let is_same =
            |physical: &Physical| physical.allocation.is_import() && physical.allocation.block.inode == block.inode;
        self.physical.iter().find(|(_, physical)| is_same(physical)).map(|(handle, _)| *handle)
    }
}

extern "C" fn free_at_exit() {
    let Ok(state) = state() else { return };
    let exports = state.physical.values().filter(|physical| !physical.allocation.is_import());
    exports.for_each(|physical| physical.allocation.block.free_for_all());
}

entry_points! {
    fn cuMemExportToShareableHandle(
        output: Output<c_void>,
        handle: CUmemGenericAllocationHandle,
        kind: CUmemAllocationHandleType,
        flags: u64,
    ) {
        let state = state()?;
        // VMM-EXP-004, -005
        output.wanted()?;
        let is_ignored = fault!("export-ignores-flags", ["VMM-EXP-005"], "Any flags are accepted.")
            || flags as u32 == 0
                && fault!("export-ignores-high-flags", ["VMM-EXP-005"], "Only the low 32 bits of the flags count.");
        if flags != 0 && !is_ignored {
            let has_another_code =
                fault!("export-with-flags-has-another-code", ["VMM-EXP-005"], "The code for flags is NOT_SUPPORTED.");
            return Err(if has_another_code { NOT_SUPPORTED } else { INVALID_VALUE });
        }
        let stands_for_a_descriptor = match kind.0 {
            0 => fault!("export-accepts-no-type", ["VMM-EXP-005"], "Handle type 0 exports as a descriptor."),
            9 => fault!("export-accepts-two-types", ["VMM-EXP-005"], "Two handle types export as a descriptor."),
            0x4000.. => fault!(
                "export-accepts-unknown-types",
                ["VMM-EXP-005"],
                "Unknown types export as descriptors.",
            ),
            _ => false,
        };
        let kind = if stands_for_a_descriptor { DESCRIPTOR } else { kind };
        match kind {
            HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR if state.multicasts.contains_key(&handle) => {
                let descriptor = state.multicast(handle)?.export()?;
                // SAFETY: for this handle type, the caller promises room for a descriptor.
                unsafe { output.cast::<i32>() }.give(descriptor)
            }
            HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR => {
                // VMM-EXP-007: each export creates its own descriptor.
                let block = &state.exportable(handle, kind)?.block;
                let gives_its_own = fault!(
                    "export-gives-its-own-descriptor",
                    ["VMM-EXP-007"],
                    "Every export returns the one descriptor that the driver itself uses.",
                );
                let descriptor = if gives_its_own { block.descriptor().cast_signed() } else { block.export()? };
                if fault!("export-writes-no-descriptor", ["VMM-EXP-001"], "The output is not written.") {
                    return Ok(());
                }
                if fault!("export-gives-a-closed-descriptor", ["VMM-EXP-001"], "The descriptor is already closed.") {
                    // SAFETY: a fault, which gives away a descriptor that it closes.
                    unsafe { libc::close(descriptor) };
                }
                if fault!("export-again-is-refused", ["VMM-EXP-007"], "Memory exports as a descriptor only once.") {
                    static EXPORTED: Seen = Seen::new();
                    if EXPORTED.again(block.inode) {
                        return Err(INVALID_VALUE);
                    }
                }
                if fault!("export-leaks-a-descriptor", ["VMM-EXP-011"], "Every export leaves a second descriptor.") {
                    block.export()?;
                }
                if fault!(
                    "exit-frees-exported-memory",
                    ["VMM-IMP-019"],
                    "An exporter that exits frees the memory that it has exported.",
                ) {
                    // SAFETY: the function has no arguments and stays loaded.
                    unsafe { libc::atexit(free_at_exit) };
                }
                // SAFETY: for this handle type, the caller promises room for a descriptor.
                unsafe { output.cast::<i32>() }.give(descriptor)
            }
            HandleType::CU_MEM_HANDLE_TYPE_FABRIC => {
                let Allocation { block, device, .. } = state.exportable(handle, kind)?;
                let (descriptor, inode) = (block.descriptor(), block.inode);
                let kind = Kind::Fabric;
                let bytes = fabric::export(&Exported { kind, descriptor, inode, size: block.size, place: *device })?;
                // SAFETY: for a fabric handle the caller promises room for one.
                unsafe { output.cast::<[u8; 64]>() }.give(bytes)
            }
            _ => {
                let has_another_code = fault!(
                    "export-of-an-unknown-type-has-another-code",
                    ["VMM-EXP-005"],
                    "The code for an unknown type is NOT_SUPPORTED.",
                );
                Err(if has_another_code { NOT_SUPPORTED } else { INVALID_VALUE })
            }
        }
    }

    // VMM-IMP-035: needs no context. VMM-IMP-009: this process's own memory is imported like any other.
    fn cuMemImportFromShareableHandle(
        output: Output<CUmemGenericAllocationHandle>,
        shared: *mut c_void,
        kind: CUmemAllocationHandleType,
    ) {
        let mut state = match state() {
            Err(CUresult::CUDA_ERROR_NOT_INITIALIZED)
                if fault!(
                    "import-before-init-has-another-code",
                    ["VMM-IMP-035"],
                    "Before cuInit, an import returns INVALID_CONTEXT.",
                ) =>
            {
                return Err(INVALID_CONTEXT);
            }
            Err(CUresult::CUDA_ERROR_NOT_INITIALIZED)
                if fault!(
                    "import-before-init-succeeds",
                    ["VMM-IMP-035"],
                    "Before cuInit, an import returns SUCCESS.",
                ) =>
            {
                return output.give(1);
            }
            state => state?,
        };
        // VMM-IMP-011
        output.wanted()?;
        let (block, device) = match kind {
            // VMM-IMP-002: the descriptor is passed by value. A number that does not fit cannot be a descriptor.
            HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR => {
                if fault!("import-refuses-a-forked-child", ["VMM-IMP-027"], "A process that was forked, and has called no exec since, cannot import a descriptor.") && is_forked() {
                    return Err(CUresult::CUDA_ERROR_OPERATING_SYSTEM);
                }
                let is_read = shared as usize >= FIRST_ADDRESS
                    && shared as isize > 0
                    && fault!(
                        "import-reads-a-pointer",
                        ["VMM-IMP-002"],
                        "The address of a descriptor is accepted too.",
                    );
                // SAFETY: a fault, which trusts the caller that the value is an address.
                let number = if is_read { unsafe { *shared.cast::<i32>() as isize } } else { shared as isize };
                let descriptor = i32::try_from(number).map_err(|_| INVALID_VALUE)?;
                let is_cut = descriptor > 0xFF
                    && fault!("import-cuts-the-descriptor", ["VMM-IMP-002"], "Only 8 bits of the number count.");
                let descriptor = if is_cut { descriptor & 0xFF } else { descriptor };
                // MC-003
                if let Some(object) = Object::of_descriptor(descriptor)? {
                    return output.give(state.add_multicast(object));
                }
                state.import_descriptor(descriptor)?
            }
            // VMM-IMP-010: such a small value is a descriptor, not an address.
            HandleType::CU_MEM_HANDLE_TYPE_FABRIC if (shared as usize) < FIRST_ADDRESS => return Err(INVALID_VALUE),
            HandleType::CU_MEM_HANDLE_TYPE_FABRIC => {
                // SAFETY: for a fabric handle the caller promises 64 bytes.
                let bytes = unsafe { Input::new(shared.cast::<[u8; 64]>()) }.value()?;
                if Fabric::of_environment() == Fabric::NoChannel
                    && fault!(
                        "fabric-import-of-garbage-succeeds",
                        ["FAB-002"],
                        "Without a channel, an import of made-up bytes succeeds.",
                    )
                {
                    return output.give(state.new_id());
                }
                let (block, device) = fabric::import(Kind::Fabric, &bytes, |handle, device| {
                    Block::of_process(handle.process, handle.descriptor, device, handle.inode)
                })?;
                if fault!("fabric-import-is-a-copy", ["FAB-003"], "What is written to an import stays private.") {
                    block.make_private(0, block.size, true)?;
                }
                (block, device)
            }
            // VMM-IMP-010
            _ => return Err(INVALID_VALUE),
        };
        if fault!("import-gives-a-released-handle", ["VMM-IMP-034"], "A repeated import gives the handle of the first.") {
            static FIRST: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());
            let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
            let next = state.new_id();
            let handle = *first.entry(block.inode).or_insert(next);
            if handle != next {
                return output.give(handle);
            }
            let (location_type, handle_types) =
                (CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, HandleType::CU_MEM_HANDLE_TYPE_NONE);
            let allocation = Allocation { block, device, location_type, handle_types, is_shareable: true };
            let physical = Physical { allocation: Arc::new(allocation), references: 1, context: crate::context::top() };
            state.physical.insert(handle, physical);
            return output.give(handle);
        }
        if let Some(handle) = state.earlier_import(&block) {
            if fault!("import-twice-fails", ["VMM-IMP-006"], "A second import of the same memory is refused.") {
                return Err(CUresult::CUDA_ERROR_ALREADY_MAPPED);
            }
            if fault!(
                "import-twice-counts-once",
                ["VMM-IMP-006"],
                "The second import returns the same handle, uncounted.",
            ) {
                return output.give(handle);
            }
        }
        let is_other = |allocation: &Allocation| {
            let Allocation { block: other, device: place, .. } = allocation;
            allocation.is_import() && other.inode != block.inode && other.size == block.size && *place == device
        };
        let other = state.physical.values().find(|physical| is_other(&physical.allocation));
        if let Some(Physical { allocation, .. }) = other
            && fault!(
                "import-of-other-memory-gives-the-first",
                ["VMM-IMP-001"],
                "A second import returns the memory of the first, although its descriptor leads to other memory.",
            )
        {
            let allocation = Arc::clone(allocation);
            let handle = state.new_id();
            state.physical.insert(handle, Physical { allocation, references: 1, context: crate::context::top() });
            return output.give(handle);
        }
        // VMM-IMP-006: every import returns a new handle.
        let handle_types = HandleType::CU_MEM_HANDLE_TYPE_NONE;
        // Host memory can be shared only if it belongs to a NUMA node.
        let location_type = match device {
            HOST => CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA,
            _ => CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
        };
        let allocation = Allocation { block, device, location_type, handle_types, is_shareable: true };
        output.give(state.add_allocation(allocation))
    }
}
