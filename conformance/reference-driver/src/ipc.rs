//! Memory of other processes: `cuIpcGetMemHandle`, `cuIpcOpenMemHandle`, `cuIpcCloseMemHandle`.

mod close;
mod faults;
mod flags;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};

use cuda_ipc_sys::{CUdeviceptr, CUipcMem_flags, CUipcMemHandle, CUresult};

use crate::answer::{INVALID_CONTEXT, INVALID_DEVICE, INVALID_HANDLE, INVALID_VALUE, NOT_PERMITTED, Output, Result};
use crate::block::{Block, GRANULARITY, UNIT};
use crate::context::Context;
use crate::environment::environment;
use crate::handle::{Handle, Kind};
use crate::inside::Inside;
use crate::leak;
use crate::memfd::Elsewhere;
use crate::process::{State, descriptors, own_number, own_start_time, start_time, state, thread};
use crate::range::Memory;
use crate::seen::Calls;
use crate::topology::topology;
use close::close;
use faults::{
    context_of_call, count_importer, exports_anyway, first_references, is_exported_again, second_gets_a_copy,
    small_is_a_copy,
};
pub(crate) use faults::{is_legacy_capable, outlives, range_of, shuts_out};
use flags::WILD;

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
    /// Whether one of its opens was closed, for a fault.
    was_closed: bool,
    /// The thread that opened it first.
    thread: u64,
}

impl Handle {
    /// The process and device that the memory comes from.
    const fn origin(&self) -> (u32, u64, u32) {
        (self.process, self.start_time, self.device)
    }
}

/// Whether an import comes from the exporter and device of a handle, on an importing device.
fn is_of(import: &Import, device: usize, handle: &Handle) -> bool {
    let (process, start_time, owner) = import.handle.origin();
    (import.device == device
        || fault!(
            "open-allows-one-context-per-process",
            ["IPCMEM-OPEN-006"],
            "A context of another device cannot open either."
        ))
        && ((process, start_time) == (handle.process, handle.start_time)
            || fault!(
                "open-allows-one-context-per-device",
                ["IPCMEM-OPEN-006"],
                "Not even handles of another exporter open."
            ))
        && (owner == handle.device
            || fault!(
                "open-allows-one-context-per-exporter",
                ["IPCMEM-OPEN-007"],
                "Not even handles of another device open."
            ))
}

/// All open imports, by the address that the open returned.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    by_pointer: HashMap<u64, Import>,
    /// The addresses by context and handle.
    by_handle: HashMap<(u64, [u8; 64]), u64>,
    /// The handles that were closed.
    closed: HashSet<[u8; 64]>,
}

impl Imports {
    pub(crate) fn pointers(&self) -> impl Iterator<Item = &u64> {
        self.by_pointer.keys()
    }

    pub(crate) fn forget_context(&mut self, context: u64) {
        self.by_handle.retain(|(of, _), _| *of != context);
        if fault!(
            "open-counts-imports-of-destroyed-contexts",
            ["IPCMEM-OPEN-006", "IPCMEM-OPEN-007"],
            "An import stops other contexts from opening even after its context was destroyed."
        ) {
            return;
        }
        self.by_pointer.retain(|_, import| import.context != context);
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
            let nowhere = Handle::nowhere(Kind::Memory, own_number(), 0);
            return if exports_anyway(self, pointer)? { Ok(nowhere) } else { Err(INVALID_VALUE) };
        };
        let (size, mut serial) = (piece.size, piece.serial);
        if fault!("get-refuses-more-than-a-granule", ["IPCMEM-GET-001"], "Allocations above 2 MiB are not exported.")
            && size > GRANULARITY
            || fault!("get-refuses-odd-sizes", ["IPCMEM-GET-026"], "Allocations of odd sizes are not exported.")
                && !size.is_multiple_of(2)
            || fault!("get-refuses-one-byte", ["IPCMEM-GET-026"], "An allocation of one byte is not exported.")
                && size == 1
            || fault!("get-refuses-a-second-export", ["IPCMEM-GET-002"], "An allocation is exported only once.")
                && is_exported_again(serial)
        {
            return Err(INVALID_VALUE);
        }
        if fault!("get-needs-a-primary-context", ["IPCMEM-OPEN-009"], "Only memory of a primary context is exported.")
            && !self.context(range.context)?.is_primary
        {
            return Err(INVALID_CONTEXT);
        }
        if fault!("get-again-gives-a-dead-handle", ["IPCMEM-GET-002"], "The handle of a second export opens nowhere.")
            && is_exported_again(serial)
        {
            serial = u64::MAX;
        }
        if fault!("get-again-ends-the-first-handle", ["IPCMEM-GET-002"], "A second export ends the first handle.")
            && is_exported_again(serial)
        {
            serial = !serial;
            piece.block().set_serial(piece.offset, serial);
        }
        let size = if fault!(
            "get-rounds-the-size-down",
            ["IPCMEM-GET-026"],
            "A handle lacks the last bytes of an odd size."
        ) {
            size / 4 * 4
        } else {
            size
        };
        let is_repeated = piece.size >= GRANULARITY && Block::repeats_large();
        Ok(Handle {
            kind: Kind::Memory,
            process: own_number(),
            start_time: own_start_time(),
            descriptor: piece.block().descriptor(),
            inode: if is_repeated { 0 } else { piece.block().inode },
            place: piece.offset as u32,
            size,
            // IPCMEM-GET-003: new memory at an old address has another serial.
            serial,
            device: range.device as u32,
        })
    }

    fn open(&mut self, context: u64, bytes: [u8; 64]) -> Result<u64> {
        // IPCMEM-OPEN-014: every bit of a handle counts.
        let machine = environment().machine_number();
        let mut handle = Handle::from_bytes(&bytes, Kind::Memory, machine).ok_or(INVALID_VALUE)?;
        // IPCMEM-OPEN-003
        if handle.process == own_number() && handle.start_time == own_start_time() {
            return Err(INVALID_CONTEXT);
        }
        // IPCMEM-OPEN-002: a repeated open does not depend on the exporter, which may be gone by now.
        if let Some(base) = self.imports.by_handle.get(&(context, bytes)).copied()
            && !self.maps_again(base)?
        {
            return self.open_again(base);
        }
        if fault!(
            "open-finds-imports-by-their-place",
            ["IPCMEM-OPEN-017"],
            "A stale handle opens an open import in its place."
        ) {
            let place = |handle: &Handle| (handle.origin(), handle.descriptor, handle.place);
            let same = |import: &&u64| place(&self.imports.by_pointer[import].handle) == place(&handle);
            if let Some(base) = self.imports.by_pointer.keys().find(same).copied() {
                return self.open_again(base);
            }
        }
        // IPCMEM-OPEN-006 and -007: for each exporting process and device, only one context of this device may have
        // imports.
        let device = self.context(context)?.device_index;
        let elsewhere = |import: &Import| {
            import.context != context
                && is_of(import, device, &handle)
                && !(import.bytes == bytes
                    && fault!(
                        "open-in-a-second-context-is-allowed",
                        ["IPCMEM-OPEN-006"],
                        "Two contexts open one handle."
                    ))
                && !(import.bytes != bytes
                    && fault!(
                        "open-of-another-handle-in-a-second-context-is-allowed",
                        ["IPCMEM-OPEN-007"],
                        "Two contexts open handles of one exporter and device.",
                    ))
        };
        let found = self.imports.by_pointer.iter().find(|(_, import)| elsewhere(import)).map(|(base, _)| *base);
        if let Some(base) = found {
            if fault!(
                "open-refused-in-a-second-context-closes",
                ["IPCMEM-OPEN-006"],
                "The refusal closes the first import."
            ) {
                self.unmap_import(base);
            }
            return Err(INVALID_HANDLE);
        }
        if fault!(
            "open-is-refused-while-a-kernel-runs",
            ["IPCMEM-CLOSE-019"],
            "No handle opens while a kernel of the process runs."
        ) && self.is_busy()
        {
            return Err(INVALID_VALUE);
        }
        if fault!("open-needs-a-primary-context", ["IPCMEM-OPEN-009"], "A created context cannot open a handle.")
            && !self.context(context)?.is_primary
        {
            return Err(INVALID_CONTEXT);
        }
        let is_peer = device != handle.device as usize;
        if is_peer
            && (fault!("open-on-a-peer-is-refused", ["IPCMEM-OPEN-029"], "A handle opens only on its own device.")
                || device < handle.device as usize
                    && fault!("open-on-the-first-peer-is-refused", ["IPCMEM-OPEN-029"], "GPU 0 opens only its own."))
        {
            return Err(CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        }
        if fault!("open-needs-a-visible-device", ["IPCMEM-OPEN-032"], "The exporter's device must be visible to open.")
            && self.ordinal(handle.device as usize) < 0
        {
            return Err(INVALID_DEVICE);
        }
        // IPCMEM-OPEN-031
        let ignores_the_topology =
            fault!("open-ignores-missing-peer-access", ["IPCMEM-OPEN-031"], "A handle opens without peer access.")
                && device > handle.device as usize
                || fault!(
                    "open-ignores-missing-peer-access-of-device-0",
                    ["IPCMEM-OPEN-031"],
                    "It opens on the first device."
                ) && device < handle.device as usize;
        if !ignores_the_topology && !topology().may_use(device, handle.device as usize) {
            return Err(CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        }
        if fault!(
            "open-takes-the-exporters-ordinal",
            ["IPCMEM-OPEN-033"],
            "The exporter's ordinal names a device of the importer.",
        ) {
            handle.device = self.devices.get(handle.device as usize).map_or(handle.device, |local| local.index as u32);
        }
        let block = self.block_of(context, &handle)?;
        let importers = count_importer(&block)?;
        if fault!("open-maps-a-copy", ["IPCMEM-OPEN-001", "IPCMEM-OPEN-046"], "The importer's writes stay in a copy.")
            || fault!("open-on-a-peer-maps-a-copy", ["IPCMEM-OPEN-029"], "On a peer, writes stay in a copy.") && is_peer
            || fault!("open-after-a-close-maps-a-copy", ["IPCMEM-CLOSE-012"], "Opened again, memory is a copy.")
                && self.imports.closed.contains(&bytes)
            || fault!("open-on-the-second-gpu-maps-a-copy", ["IPCMEM-OPEN-001"], "On GPU 1, writes stay in a copy.")
                && device == 1
                && !is_peer
            || importers > 0 && second_gets_a_copy()
            || small_is_a_copy(handle.size)
            || self.ordinal(handle.device as usize) < 0
                && fault!("open-of-a-hidden-device-maps-a-copy", ["IPCMEM-OPEN-032"], "Its memory is a copy.")
        {
            block.detach(0, block.size)?;
        }
        static OPENS: Calls = Calls::new();
        if fault!("open-maps-other-memory-once", ["IPCMEM-OPEN-001"], "The thousandth open gives new memory.")
            && OPENS.is_the_thousandth()
        {
            block.make_private(0, block.size, false)?;
        }
        if self.imports.by_pointer.len() >= 32
            && fault!("open-opens-32-at-most", ["IPCMEM-OPEN-001"], "A process can have 32 imports open.")
        {
            return Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY);
        }
        if fault!("open-maps-a-copy-of-the-last-page", ["IPCMEM-OPEN-001"], "The last 4 KiB are a copy.") {
            block.detach(block.size - 4096, 4096)?;
        }
        if fault!("open-cuts-the-size", ["IPCMEM-OPEN-044"], "An import has the lower 32 bits of its size.")
            && handle.size > u64::from(u32::MAX)
        {
            handle.size &= 0xffff_ffff;
        }
        let mut base = block.base + u64::from(handle.place);
        if fault!(
            "open-maps-the-block-from-its-start",
            ["IPCMEM-OPEN-025"],
            "A small import begins where its block does."
        ) {
            base = block.base;
        }
        if Block::shifts_newer_memory() && block.serial(handle.place.into()) != handle.serial {
            (base, handle.size) = (base + 4096, handle.size - 4096);
        }
        let mut owner = context;
        if fault!(
            "open-maps-for-the-primary-context",
            ["IPCMEM-OPEN-009"],
            "The import belongs to the primary context."
        ) {
            let of_device = |(_, of): &(&u64, &Context)| of.is_primary && of.device_index == device;
            owner = self.contexts.iter().find(of_device).map_or(context, |(primary, _)| *primary);
        }
        if is_peer {
            self.open_on_a_peer(context, handle.device as usize)?;
        }
        if fault!("exit-keeps-a-file", ["PROC-013"], "An exit with open memory leaves a file in /dev/shm.") {
            leak::file_at_exit();
        }
        self.add_range(base, handle.size, owner, handle.device as usize, Memory::Import(Arc::clone(&block)));
        let references = first_references(self.imports.closed.contains(&bytes));
        self.imports.insert(
            base,
            Import { context, device, bytes, handle, block, references, was_closed: false, thread: thread() },
        );
        Ok(base)
    }

    /// Changes the peer access of a context, although an open must not.
    fn open_on_a_peer(&mut self, context: u64, owner: usize) -> Result<()> {
        let contexts = self.contexts.iter().filter(|(_, of)| of.device_index == owner);
        let owners: Vec<_> = contexts.map(|(id, _)| *id).collect();
        let peers = &mut self.context_mut(context)?.peers;
        if fault!(
            "close-leaves-peer-access-enabled",
            ["IPCMEM-CLOSE-018"],
            "The last close keeps the peer access of the open."
        ) {
            peers.extend(&owners);
        }
        if fault!("open-disables-peer-access", ["IPCMEM-OPEN-034"], "An open ends peer access that was enabled before.")
        {
            peers.retain(|peer| !owners.contains(peer));
        }
        Ok(())
    }

    /// Whether a repeated open maps the memory at another address.
    fn maps_again(&mut self, base: u64) -> Result<bool> {
        let import = self.import(base)?;
        let is_other_thread = import.thread != thread();
        Ok(fault!("open-again-maps-again", ["IPCMEM-OPEN-002"], "A second open returns another pointer.")
            || is_other_thread
                && fault!(
                    "open-on-another-thread-maps-again",
                    ["IPCMEM-OPEN-037"],
                    "Each thread gets a pointer of its own."
                )
            || import.was_closed
                && fault!(
                    "open-again-after-a-close-maps-again",
                    ["IPCMEM-OPEN-002"],
                    "Once one of several opens was closed, another open returns another pointer."
                ))
    }

    /// Adds a reference to an import.
    fn open_again(&mut self, base: u64) -> Result<u64> {
        if fault!("open-again-is-refused", ["IPCMEM-OPEN-002"], "A second open returns ALREADY_MAPPED.") {
            return Err(CUresult::CUDA_ERROR_ALREADY_MAPPED);
        }
        let import = self.import(base)?;
        let is_other_thread = import.thread != thread();
        if import.references < 16 || !fault!("open-counts-up-to-16", ["IPCMEM-CLOSE-002"], "Later opens do not count.")
        {
            import.references += 1;
        }
        if fault!(
            "open-again-adds-no-reference",
            ["IPCMEM-OPEN-002", "IPCMEM-CLOSE-002"],
            "Only the first open counts."
        ) || fault!(
            "open-on-another-thread-adds-no-reference",
            ["IPCMEM-OPEN-037"],
            "Only opens of one thread count."
        ) && is_other_thread
        {
            import.references -= 1;
        }
        if fault!("open-again-adds-two-references", ["IPCMEM-OPEN-002"], "A second open counts twice.")
            || fault!(
                "open-on-another-thread-adds-two-references",
                ["IPCMEM-OPEN-037"],
                "Opens of other threads count twice."
            ) && is_other_thread
        {
            import.references += 1;
        }
        if fault!("open-counts-to-three", ["IPCMEM-CLOSE-002"], "More than three opens count as three.") {
            import.references = import.references.min(3);
        }
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
                    // IPCMEM-OPEN-018: the exporter is just ending.
                    Elsewhere::Gone if descriptors(handle.process).is_empty() => INVALID_HANDLE,
                    // IPCMEM-OPEN-016: the allocation was freed.
                    Elsewhere::Gone => INVALID_VALUE,
                    Elsewhere::Replaced | Elsewhere::Forbidden => NOT_PERMITTED,
                    Elsewhere::Failed(code) => code,
                })?)
            }
        };
        match block.serial(place) {
            // The exporter executed another program. This process keeps the block, because it has other memory of it open.
            serial if serial == handle.serial && end <= block.size && !handle.has_exporter() => Err(INVALID_HANDLE),
            serial if serial == handle.serial && end <= block.size => Ok(block),
            serial if serial != 0 && end <= block.size && Block::takes_newer_memory() => Ok(block),
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

entry_points! {
    fn cuIpcGetMemHandle(handle: Output<CUipcMemHandle>, pointer: CUdeviceptr) {
        static INSIDE: AtomicUsize = AtomicUsize::new(0);
        static LAST: Mutex<[u8; 64]> = Mutex::new([0; 64]);
        let inside = fault!("get-allows-one-thread", ["IPCMEM-GET-028"], "Two threads cannot export at once.").then(|| Inside::enter(&INSIDE));
        if inside.as_ref().is_some_and(Inside::is_contended) {
            return Err(CUresult::CUDA_ERROR_NOT_READY);
        }
        let mut state = state()?;
        if fault!("get-empties-captures", ["IPCMEM-GET-032"], "An export forgets what was captured before.") {
            state.empty_captures();
        }
        // IPCMEM-GET-023
        context_of_call(
            &state,
            [
                fault!("get-needs-no-context", ["IPCMEM-GET-023"], "An export works without a context."),
                fault!("get-without-a-context-is-invalid", ["IPCMEM-GET-023"], "The code is INVALID_VALUE."),
                fault!("get-without-a-context-poisons", ["IPCMEM-GET-023"], "The refusal ends all device work."),
            ],
        )?;
        // IPCMEM-GET-008
        handle.wanted()?;
        let mut bytes = state.export(pointer)?.to_bytes(environment().machine_number());
        if fault!("get-shares-a-buffer-between-threads", ["IPCMEM-GET-028"], "A thread may get the handle of another.") {
            drop(state);
            *LAST.lock().unwrap_or_else(PoisonError::into_inner) = bytes;
            std::thread::yield_now();
            bytes = *LAST.lock().unwrap_or_else(PoisonError::into_inner);
        }
        if fault!("get-writes-nothing", ["IPCMEM-GET-001"], "The handle is not written.") {
            return Ok(());
        }
        if fault!("get-omits-the-last-byte", ["IPCMEM-GET-001", "IPCMEM-GET-029"], "63 bytes are written.") {
            bytes[63] = handle.old().to_bytes()[63];
        }
        if fault!("get-writes-65-bytes", ["IPCMEM-GET-001"], "A byte after the handle is written.") {
            // SAFETY: none. This is the fault: the caller promises room for 64 bytes.
            unsafe { handle.after().write(0) };
        }
        handle.give(CUipcMemHandle::from_bytes(bytes))
    }

    fn cuIpcOpenMemHandle_v2(pointer: Output<CUdeviceptr>, handle: CUipcMemHandle, flags: u32) {
        static INSIDE: AtomicUsize = AtomicUsize::new(0);
        let inside = fault!("open-allows-one-thread", ["IPCMEM-OPEN-037"], "Threads get ALREADY_MAPPED, as on an H200.").then(|| Inside::enter(&INSIDE));
        if inside.as_ref().is_some_and(Inside::is_contended) {
            return Err(CUresult::CUDA_ERROR_ALREADY_MAPPED);
        }
        let mut state = state()?;
        if fault!("open-empties-captures", ["IPCMEM-OPEN-048"], "An open forgets what was captured before.") {
            state.empty_captures();
        }
        // IPCMEM-OPEN-035
        let context = context_of_call(
            &state,
            [
                fault!("open-needs-no-context", ["IPCMEM-OPEN-035"], "An open works without a context."),
                fault!("open-without-a-context-is-invalid", ["IPCMEM-OPEN-035"], "The code is INVALID_VALUE."),
                fault!("open-without-a-context-poisons", ["IPCMEM-OPEN-035"], "The refusal ends all device work."),
            ],
        )?;
        // IPCMEM-OPEN-012
        pointer.wanted()?;
        // IPCMEM-OPEN-010 and -011: an H200 requires the documented bit and ignores the others.
        if flags & CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0 == 0 {
            return state.refuse_flags(context, pointer, handle.to_bytes(), flags);
        }
        if flags != 1 {
            if fault!("open-with-more-flags-returns-another-code", ["IPCMEM-OPEN-011"], "More flags give UNKNOWN.") {
                return Err(CUresult::CUDA_ERROR_UNKNOWN);
            }
            if fault!("open-with-more-flags-maps-nothing", ["IPCMEM-OPEN-011"], "More flags give a wild pointer.") {
                return pointer.give(WILD);
            }
        }
        pointer.give(state.open(context, handle.to_bytes())?)
    }

    fn cuIpcCloseMemHandle(pointer: CUdeviceptr) {
        close(pointer)
    }
}
