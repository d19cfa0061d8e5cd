//! `cuIpcCloseMemHandle`.

use super::Import;
use super::faults::{context_of_call, count_close};
use crate::answer::{INVALID_VALUE, Result};
use crate::leak;
use crate::order::is_spoiled;
use crate::process::{State, state, thread};
use crate::range::{Memory, Range};
use crate::stream::synchronize;

/// Closes an import. IPCMEM-CLOSE-010: the last close waits, since work of the context may still use the memory.
pub(super) fn close(pointer: u64) -> Result<()> {
    let (context, is_last) = {
        let mut state = state()?;
        // IPCMEM-CLOSE-008
        let entered = context_of_call(
            &state,
            [
                fault!("close-needs-no-context", ["IPCMEM-CLOSE-008"], "A close works without a context."),
                fault!("close-without-a-context-is-invalid", ["IPCMEM-CLOSE-008"], "The code is INVALID_VALUE."),
                fault!("close-without-a-context-poisons", ["IPCMEM-CLOSE-008"], "The refusal ends all device work."),
            ],
        );
        if entered.is_err() && fault!("close-without-a-context-unmaps", ["IPCMEM-CLOSE-008"], "A refused close unmaps.")
        {
            state.unmap_import(pointer);
        }
        entered?;
        if matches!(state.ranges.get(&pointer).map(|range| &range.memory), Some(Memory::Linear(_))) {
            if fault!(
                "close-unmaps-an-own-allocation",
                ["IPCMEM-CLOSE-005"],
                "A refused close unmaps an own allocation."
            ) {
                state.ranges.remove(&pointer);
            }
            if fault!("close-frees-an-own-allocation", ["IPCMEM-CLOSE-005"], "A close frees an own allocation.") {
                state.ranges.remove(&pointer);
                return Ok(());
            }
            if fault!(
                "close-accepts-an-own-allocation",
                ["IPCMEM-CLOSE-005"],
                "A close of an own allocation does nothing."
            ) {
                return Ok(());
            }
        }
        match state.ranges.get(&pointer).map(|range| &range.memory) {
            Some(Memory::Mapping { .. })
                if fault!(
                    "close-accepts-a-mapping",
                    ["IPCMEM-CLOSE-014"],
                    "A close of mapped memory does nothing."
                ) =>
            {
                return Ok(());
            }
            Some(Memory::PoolImport { .. })
                if fault!(
                    "close-accepts-a-pool-import",
                    ["IPCMEM-CLOSE-014"],
                    "A close of a pool import does nothing."
                ) =>
            {
                return Ok(());
            }
            Some(Memory::PoolImport { .. })
                if fault!(
                    "close-unmaps-a-pool-import",
                    ["IPCMEM-CLOSE-014"],
                    "A refused close unmaps a pool import."
                ) =>
            {
                state.ranges.remove(&pointer);
            }
            _ => {}
        }
        if is_spoiled(pointer) {
            return Err(INVALID_VALUE);
        }
        let import = state.import(pointer)?;
        if import.thread != thread()
            && fault!(
                "close-on-another-thread-is-refused",
                ["IPCMEM-OPEN-037"],
                "Only the thread that opened an import first can close it."
            )
        {
            return Err(INVALID_VALUE);
        }
        let (context, is_last) = (import.context, import.references == 1);
        if is_last
            && fault!(
                "close-is-refused-while-a-kernel-runs",
                ["IPCMEM-CLOSE-019"],
                "No import closes while a kernel of the process runs."
            )
            && state.is_busy()
        {
            return Err(INVALID_VALUE);
        }
        (context, is_last)
    };
    if is_last {
        synchronize(context)?;
    }
    let mut state = state()?;
    if fault!("close-does-nothing", ["IPCMEM-CLOSE-001"], "A close unmaps nothing.") {
        return state.import(pointer).map(drop);
    }
    let import = state.import(pointer)?;
    // IPCMEM-CLOSE-002
    import.references -= 1;
    import.was_closed = true;
    if import.references == 0 || fault!("close-ignores-the-count", ["IPCMEM-CLOSE-002"], "The first close unmaps.") {
        if let Some(import) = state.imports.remove(pointer) {
            state.unmapped(&import)?;
            let owner = import.handle.device as usize;
            if owner != import.device
                && fault!("close-unmaps-every-import-from-the-peer", ["IPCMEM-CLOSE-018"], "Other imports end too.")
            {
                let is_like_it = |range: &Range| range.context == import.context && range.device == owner;
                state.ranges.retain(|_, range| !(matches!(range.memory, Memory::Import(_)) && is_like_it(range)));
            }
        }
        if !fault!("close-keeps-the-range", ["IPCMEM-CLOSE-001"], "Closed memory can still be read.") {
            state.ranges.remove(&pointer);
        }
        if fault!(
            "close-unmaps-every-import-of-the-exporter",
            ["IPCMEM-CLOSE-002"],
            "The last close of one handle also unmaps the other handles of its exporter."
        ) {
            state.ranges.retain(|_, range| !matches!(range.memory, Memory::Import(_)));
        }
        if fault!("close-returns-an-error", ["IPCMEM-CLOSE-001"], "The last close unmaps and returns an error.") {
            return Err(INVALID_VALUE);
        }
    }
    Ok(())
}

impl State {
    /// Does to the exporter's memory what a last close must not do.
    fn unmapped(&mut self, import: &Import) -> Result<()> {
        let (block, place) = (&import.block, u64::from(import.handle.place));
        count_close(block);
        self.imports.closed.insert(import.bytes);
        if fault!("close-clears-the-memory", ["IPCMEM-CLOSE-011"], "A close sets the memory to zero.") {
            block.clear()?;
        }
        if fault!("close-clears-the-last-byte", ["IPCMEM-CLOSE-011"], "A close sets the last byte to zero.") {
            // SAFETY: the byte lies in the block, which is mapped.
            unsafe { ((block.base + place + import.handle.size - 1) as *mut u8).write_volatile(0) };
        }
        if fault!("close-leaks-a-descriptor", ["IPCMEM-OPEN-040"], "Every last close leaves a descriptor.") {
            leak::descriptor()?;
        }
        if fault!("close-keeps-a-file", ["PROC-013"], "Every last close leaves a file in /dev/shm.") {
            leak::file()?;
        }
        if fault!("close-ends-the-handle", ["IPCMEM-CLOSE-012"], "A closed handle is stale.") {
            block.set_serial(place, 0);
        }
        Ok(())
    }
}
