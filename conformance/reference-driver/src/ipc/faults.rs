//! The longer faults of legacy handles, which need state of their own: which memory is exported, which process reaches an
//! import, and what stays behind when a process ends.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, PoisonError};

use cuda_ipc_sys::{CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_WRITECOMBINED, CUresult};

use crate::answer::{INVALID_CONTEXT, INVALID_VALUE, Result};
use crate::block::{Block, GRANULARITY};
use crate::host::is_mapped;
use crate::process::State;
use crate::range::{Access, By, Memory, Range};

/// The current context of a call. Without one, the call may work, return another code or end all device work.
pub(super) fn context_of_call(state: &State, [works, other_code, poisons]: [bool; 3]) -> Result<u64> {
    let first = state.contexts.keys().min().copied();
    match state.current() {
        Err(INVALID_CONTEXT) if works => first.ok_or(INVALID_CONTEXT),
        Err(INVALID_CONTEXT) if other_code => Err(INVALID_VALUE),
        Err(INVALID_CONTEXT) if poisons => {
            poison(state);
            Err(INVALID_CONTEXT)
        }
        current => current,
    }
}

fn poison(state: &State) {
    if let Some(context) = state.contexts.values().next() {
        context.health.fail(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    }
}

/// Whether an import of a small allocation is a copy.
pub(super) fn small_is_a_copy(size: u64) -> bool {
    size < GRANULARITY
        && fault!("open-maps-a-copy-of-small-memory", ["IPCMEM-OPEN-001"], "Less than 2 MiB is imported as a copy.")
}

/// The references of an import that is opened for the first time, or for the first time since it was closed.
pub(super) fn first_references(was_closed: bool) -> usize {
    let counts_twice =
        fault!("open-counts-twice", ["IPCMEM-CLOSE-001", "IPCMEM-CLOSE-002"], "One close is not enough.")
            || was_closed
                && fault!(
                    "open-after-a-close-counts-twice",
                    ["IPCMEM-CLOSE-002"],
                    "A handle that is opened again after its last close needs one close too many."
                );
    1 + usize::from(counts_twice)
}

/// Whether this process has exported the allocation with this serial before.
pub(super) fn is_exported_again(serial: u64) -> bool {
    static EXPORTED: LazyLock<Mutex<HashSet<u64>>> = LazyLock::new(Mutex::default);
    !locked(&EXPORTED).insert(serial)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_on_the_stack(address: u64) -> bool {
    const NEAR: u64 = 1 << 20;
    let here = 0_u8;
    (&raw const here as u64).abs_diff(address) < NEAR
}

/// Whether an export of memory that is not from `cuMemAlloc` succeeds, with a handle of nothing.
pub(super) fn exports_anyway(state: &State, pointer: u64) -> Result<bool> {
    let Some(range) = state.range(pointer) else { return exports_unknown(state, pointer) };
    Ok(match &range.memory {
        Memory::Host(memory) if memory.flags & CU_MEMHOSTALLOC_WRITECOMBINED != 0 => {
            fault!("get-exports-write-combined-memory", ["IPCMEM-GET-012"], "Write-combined host memory is exported.")
        }
        Memory::Host(memory) if memory.flags & CU_MEMHOSTALLOC_DEVICEMAP != 0 => {
            fault!("get-exports-mapped-host-memory", ["IPCMEM-GET-012"], "Mapped host memory is exported.")
        }
        Memory::Host(_) => fault!("get-exports-pinned-memory", ["IPCMEM-GET-012"], "Page-locked memory is exported."),
        Memory::Registered => {
            fault!("get-exports-registered-memory", ["IPCMEM-GET-013"], "Registered host memory is exported.")
        }
        Memory::Managed(_) => {
            // SAFETY: the range is mapped host memory.
            let is_touched = unsafe { (range.base as *const u8).read_volatile() } != 0;
            if is_touched {
                fault!("get-exports-touched-managed-memory", ["IPCMEM-GET-014"], "Managed memory in use is exported.")
            } else {
                fault!("get-exports-untouched-managed-memory", ["IPCMEM-GET-014"], "New managed memory is exported.")
            }
        }
        Memory::Pool { pool, .. } if state.pool_handle_types(*pool).0 != 0 => {
            fault!(
                "get-exports-memory-of-a-shareable-pool",
                ["IPCMEM-GET-016"],
                "Memory of a shareable pool is exported."
            )
        }
        Memory::Pool { .. } => {
            fault!(
                "get-exports-memory-of-the-default-pool",
                ["IPCMEM-GET-027"],
                "Memory of the default pool is exported."
            )
        }
        Memory::PoolImport { .. } => {
            fault!("get-exports-an-import-of-a-pool", ["IPCMEM-GET-027"], "Memory of an imported pool is exported.")
        }
        Memory::Mapping { allocation, .. } if allocation.handle_types.0 != 0 => {
            fault!("get-exports-shareable-virtual-memory", ["IPCMEM-GET-017"], "Shareable virtual memory is exported.")
        }
        Memory::Mapping { allocation, .. } if allocation.is_shareable => {
            fault!("get-exports-imported-virtual-memory", ["IPCMEM-GET-027"], "Imported virtual memory is exported.")
        }
        Memory::Mapping { .. } => {
            fault!("get-exports-virtual-memory", ["IPCMEM-GET-017"], "Virtual memory without handle types is exported.")
        }
        Memory::Graph(_) => fault!("get-exports-graph-memory", ["IPCMEM-GET-022"], "Memory of a graph is exported."),
        Memory::Global(_) => {
            fault!("get-exports-a-variable", ["IPCMEM-GET-027"], "A variable of a module is exported.")
        }
        Memory::Import(_) => fault!("get-exports-an-import", ["IPCMEM-GET-027"], "An import is exported again."),
        Memory::Linear(_) | Memory::Multicast { .. } => false,
    })
}

/// The same for an address that the driver does not know.
fn exports_unknown(state: &State, pointer: u64) -> Result<bool> {
    if pointer == 0 {
        return Ok(fault!("get-exports-null", ["IPCMEM-GET-027"], "A null pointer is exported."));
    }
    if is_on_the_stack(pointer) {
        if fault!("get-of-the-stack-returns-another-code", ["IPCMEM-GET-011"], "The stack is an unknown error.") {
            return Err(CUresult::CUDA_ERROR_UNKNOWN);
        }
        return Ok(fault!("get-exports-the-stack", ["IPCMEM-GET-011"], "An address on the stack is exported."));
    }
    if pointer != u64::MAX
        && is_mapped(pointer, 1)
        && !state.contexts.values().any(|context| context.memory.holds(pointer))
    {
        if fault!("get-of-the-heap-returns-another-code", ["IPCMEM-GET-010"], "The heap is an unknown error.") {
            return Err(CUresult::CUDA_ERROR_UNKNOWN);
        }
        if fault!("get-of-the-heap-poisons-the-context", ["IPCMEM-GET-010"], "A refused export ends all device work.") {
            poison(state);
        }
        return Ok(fault!("get-exports-the-heap", ["IPCMEM-GET-010"], "Memory from malloc is exported."));
    }
    // Freed memory, and the end of an allocation.
    Ok(fault!("get-exports-freed-memory", ["IPCMEM-GET-027"], "An address without an allocation is exported."))
}

/// The value of IS_LEGACY_CUDA_IPC_CAPABLE: true for exactly the memory that `cuIpcGetMemHandle` exports.
pub(crate) fn is_legacy_capable(state: &State, range: &Range, pointer: u64) -> bool {
    let is_wrong = match &range.memory {
        Memory::Linear(_) if pointer != range.base => {
            fault!("capable-denies-interior-pointers", ["IPCMEM-GET-027"], "The attribute is 0 inside an allocation.")
        }
        Memory::Linear(_) => {
            fault!("capable-denies-linear-memory", ["IPCMEM-GET-027"], "The attribute is 0 for linear memory.")
                || range.size.is_multiple_of(512)
                    && !range.size.is_multiple_of(2 << 20)
                    && fault!(
                        "capable-denies-pitched-memory",
                        ["IPCMEM-GET-027"],
                        "The attribute is 0 if memory is pitched."
                    )
        }
        Memory::Import(_) => fault!("capable-claims-imports", ["IPCMEM-GET-027"], "The attribute is 1 for imports."),
        Memory::Pool { pool, .. } if state.pool_handle_types(*pool).0 != 0 => {
            fault!(
                "capable-claims-shareable-pools",
                ["IPCMEM-GET-016", "IPCMEM-GET-027"],
                "It is 1 for a shareable pool."
            )
        }
        Memory::Pool { .. } => fault!("capable-claims-pools", ["IPCMEM-GET-027"], "It is 1 for the default pool."),
        Memory::PoolImport { .. } => {
            fault!("capable-claims-imports-of-pools", ["IPCMEM-GET-027"], "It is 1 for memory of an imported pool.")
        }
        Memory::Graph(_) => fault!("capable-claims-graph-memory", ["IPCMEM-GET-027"], "It is 1 for memory of a graph."),
        Memory::Global(_) => {
            fault!("capable-claims-variables", ["IPCMEM-GET-027"], "It is 1 for variables of modules.")
        }
        Memory::Mapping { allocation, .. } if allocation.handle_types.0 != 0 => {
            fault!(
                "capable-claims-shareable-virtual-memory",
                ["IPCMEM-GET-027"],
                "It is 1 for shareable virtual memory."
            )
        }
        Memory::Mapping { allocation, .. } if allocation.is_shareable => {
            fault!("capable-claims-imported-virtual-memory", ["IPCMEM-GET-027"], "It is 1 for imported virtual memory.")
        }
        Memory::Mapping { .. } => {
            fault!("capable-claims-virtual-memory", ["IPCMEM-GET-027"], "It is 1 for virtual memory.")
        }
        Memory::Host(memory) if memory.flags & CU_MEMHOSTALLOC_WRITECOMBINED != 0 => {
            fault!("capable-claims-write-combined-memory", ["IPCMEM-GET-027"], "It is 1 for write-combined memory.")
        }
        Memory::Host(memory) if memory.flags & CU_MEMHOSTALLOC_DEVICEMAP != 0 => {
            fault!("capable-claims-mapped-host-memory", ["IPCMEM-GET-027"], "It is 1 for mapped host memory.")
        }
        Memory::Host(_) => {
            fault!("capable-claims-pinned-memory", ["IPCMEM-GET-027"], "It is 1 for page-locked memory.")
        }
        Memory::Registered => {
            fault!("capable-claims-registered-memory", ["IPCMEM-GET-027"], "It is 1 for registered memory.")
        }
        Memory::Managed(_) => {
            fault!("capable-claims-managed-memory", ["IPCMEM-GET-027"], "It is 1 for managed memory.")
        }
        Memory::Multicast { .. } => false,
    };
    matches!(range.memory, Memory::Linear(_)) != is_wrong
}

/// Whether an access to an import is refused, although imports can be read and written.
pub(crate) fn shuts_out(is_peer: bool, by: By, access: Access) -> bool {
    let here = match (by, access) {
        (By::Kernel, Access::Read) => {
            fault!("open-shuts-out-reading-kernels", ["IPCMEM-OPEN-001"], "A kernel cannot read an import.")
        }
        (By::Kernel, Access::Write) => {
            fault!(
                "open-shuts-out-writing-kernels",
                ["IPCMEM-OPEN-001", "IPCMEM-OPEN-046"],
                "A kernel cannot write an import."
            )
        }
        (By::Driver, Access::Read) => {
            fault!("open-shuts-out-reading-copies", ["IPCMEM-OPEN-001"], "A copy cannot read an import.")
        }
        (By::Driver, Access::Write) => {
            fault!(
                "open-shuts-out-writing-copies",
                ["IPCMEM-OPEN-001", "IPCMEM-OPEN-046"],
                "A copy cannot write an import."
            )
        }
    };
    let on_a_peer = || match (by, access) {
        (By::Kernel, Access::Read) => {
            fault!(
                "open-on-a-peer-shuts-out-reading-kernels",
                ["IPCMEM-OPEN-029"],
                "A kernel cannot read an import of a peer."
            )
        }
        (By::Kernel, Access::Write) => {
            fault!(
                "open-on-a-peer-shuts-out-writing-kernels",
                ["IPCMEM-OPEN-029"],
                "A kernel cannot write an import of a peer."
            )
        }
        (By::Driver, Access::Read) => {
            fault!(
                "open-on-a-peer-shuts-out-reading-copies",
                ["IPCMEM-OPEN-029"],
                "A copy cannot read an import of a peer."
            )
        }
        (By::Driver, Access::Write) => {
            fault!(
                "open-on-a-peer-shuts-out-writing-copies",
                ["IPCMEM-OPEN-029"],
                "A copy cannot write an import of a peer."
            )
        }
    };
    here || is_peer && on_a_peer()
}

/// Whether memory stays when its context is destroyed.
pub(crate) fn outlives(memory: &Memory, is_primary: bool) -> bool {
    matches!(memory, Memory::Linear(_))
        && if is_primary {
            fault!("reset-keeps-the-memory", ["IPCMEM-OPEN-020"], "Memory outlives a reset of its primary context.")
        } else {
            fault!(
                "destroy-keeps-the-memory",
                ["IPCMEM-OPEN-020", "IPCMEM-GET-025"],
                "Memory outlives its context, if that was created.",
            )
        }
}

/// The range that `cuMemGetAddressRange` gives for an import.
pub(crate) fn range_of(range: &Range, pointer: u64) -> Result<(u64, u64)> {
    let whole = (range.base, range.size);
    if !matches!(range.memory, Memory::Import(_)) {
        return Ok(whole);
    }
    if fault!("range-of-an-import-is-unknown", ["IPCMEM-OPEN-044"], "The range of an import is refused.")
        || pointer == range.end() - 1
            && fault!(
                "range-of-an-import-lacks-its-last-byte",
                ["IPCMEM-OPEN-044"],
                "The last byte of an import is unknown."
            )
        || pointer != range.base
            && fault!(
                "range-of-an-import-needs-its-base",
                ["IPCMEM-OPEN-044"],
                "An address inside an import is unknown."
            )
    {
        return Err(CUresult::CUDA_ERROR_NOT_FOUND);
    }
    if fault!(
        "range-of-an-import-begins-at-the-pointer",
        ["IPCMEM-OPEN-044"],
        "The base is the pointer that was asked for."
    ) {
        return Ok((pointer, range.end() - pointer));
    }
    if fault!("range-of-an-import-is-rounded-up", ["IPCMEM-OPEN-027"], "The size is rounded up to 32 MiB.") {
        return Ok((range.base, range.size.next_multiple_of(32 << 20)));
    }
    Ok(whole)
}

impl State {
    /// Performs `cuMemFree` of an import, which must be refused. `None` if nothing is wrong.
    pub(crate) fn free_import(&mut self, pointer: u64) -> Option<Result<()>> {
        if self.imports.by_pointer.contains_key(&pointer) {
            if fault!("free-accepts-an-import", ["IPCMEM-OPEN-042"], "cuMemFree of an import does nothing.") {
                return Some(Ok(()));
            }
            if fault!("free-closes-an-import", ["IPCMEM-OPEN-042"], "cuMemFree closes an import, but returns an error.")
            {
                self.unmap_import(pointer);
            }
            if fault!(
                "free-ends-the-close-of-an-import",
                ["IPCMEM-OPEN-042"],
                "After cuMemFree, an import cannot be closed."
            ) {
                self.imports.remove(pointer);
            }
        }
        None
    }

    /// The same for `cuMemFreeAsync`.
    pub(crate) fn free_import_async(&mut self, pointer: u64) -> Option<Result<()>> {
        if self.imports.by_pointer.contains_key(&pointer) {
            if fault!("free-async-accepts-an-import", ["IPCMEM-OPEN-043"], "cuMemFreeAsync of an import does nothing.")
            {
                return Some(Ok(()));
            }
            if fault!(
                "free-async-closes-an-import",
                ["IPCMEM-OPEN-043"],
                "cuMemFreeAsync closes an import, but returns an error."
            ) {
                self.unmap_import(pointer);
            }
        }
        None
    }

    pub(super) fn unmap_import(&mut self, pointer: u64) {
        self.imports.remove(pointer);
        self.ranges.remove(&pointer);
    }

    /// Frees memory that importers left open, or not. An error means that the memory stays.
    pub(crate) fn free_exported(&self, pointer: u64) -> Result<()> {
        let Some(Memory::Linear(piece)) = self.ranges.get(&pointer).map(|range| &range.memory) else { return Ok(()) };
        let leaks = counts_importers() && {
            let importers = importers(piece.block()).load(Ordering::Acquire);
            let (ran_handlers, is_open) = (importers >> 32 != 0, importers as u32 != 0);
            if is_open && free_fails() {
                return Err(INVALID_VALUE);
            }
            is_open && (ran_handlers && exit_leaks() || !ran_handlers && kill_leaks())
        };
        if leaks {
            std::mem::forget(Arc::clone(piece.block()));
        }
        Ok(())
    }
}

fn exit_leaks() -> bool {
    fault!("exit-keeps-open-memory", ["IPCMEM-CLOSE-015"], "Memory leaks if an importer exits without a close.")
}

fn kill_leaks() -> bool {
    fault!("kill-keeps-open-memory", ["IPCMEM-CLOSE-015"], "Memory leaks if an importer ends without exit handlers.")
}

fn free_fails() -> bool {
    fault!(
        "free-fails-after-an-importers-end",
        ["IPCMEM-CLOSE-015"],
        "Memory that an importer left open cannot be freed."
    )
}

fn one_importer() -> bool {
    fault!("open-allows-one-importer", ["IPCMEM-OPEN-036"], "A second process cannot open a handle.")
}

fn seven_importers() -> bool {
    fault!("open-allows-seven-importers", ["IPCMEM-OPEN-036"], "An eighth process cannot open a handle.")
}

pub(super) fn second_gets_a_copy() -> bool {
    fault!("open-gives-later-importers-a-copy", ["IPCMEM-OPEN-036"], "A second process gets a copy of the memory.")
}

/// Whether a fault needs to know the importers of a block.
fn counts_importers() -> bool {
    exit_leaks() || kill_leaks() || free_fails() || one_importer() || seven_importers() || second_gets_a_copy()
}

/// The number of importers of a block, in memory that all of them share. The upper half counts those that ran their exit
/// handlers.
fn importers(block: &Block) -> &AtomicU64 {
    block.last_serial()
}

/// Counts a process that opens a block. Returns how many did so before.
pub(super) fn count_importer(block: &Arc<Block>) -> Result<u64> {
    static OPEN: Mutex<Vec<Arc<Block>>> = Mutex::new(Vec::new());
    static AT_EXIT: Once = Once::new();
    extern "C" fn at_exit() {
        for block in locked(&OPEN).iter() {
            importers(block).fetch_add(1 << 32, Ordering::AcqRel);
        }
    }
    if !counts_importers() {
        return Ok(0);
    }
    let before = u64::from(importers(block).fetch_add(1, Ordering::AcqRel) as u32);
    if before >= 1 && one_importer() || before >= 7 && seven_importers() {
        return Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY);
    }
    if exit_leaks() || kill_leaks() {
        locked(&OPEN).push(Arc::clone(block));
        // SAFETY: the handler is a function of this library, which is never unloaded.
        AT_EXIT.call_once(|| assert_eq!(unsafe { libc::atexit(at_exit) }, 0));
    }
    Ok(before)
}

/// Counts a close, so that only memory that is still open leaks.
pub(super) fn count_close(block: &Arc<Block>) {
    if counts_importers() && !(one_importer() || seven_importers() || second_gets_a_copy()) {
        importers(block).fetch_sub(1, Ordering::AcqRel);
    }
}
