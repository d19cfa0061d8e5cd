//! Copies and fills.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use cuda_ipc_sys::{CUcontext, CUctx_flags, CUdeviceptr, CUstream};

use crate::answer::{INVALID_VALUE, Result};
use crate::host::is_mapped;
use crate::process::{State, state};
use crate::range::{Access, By, Memory, Range, Span};
use crate::seen::FirstThread;
use crate::stream::{Stream, perform};

/// Memory that a copy reads or writes.
#[derive(Clone, Copy)]
enum Place {
    Device(u64),
    /// Device memory as a context reaches it that need not be current.
    Of {
        context: u64,
        address: u64,
    },
    /// The caller's memory, or, since addresses are unified, any memory of the driver.
    Any(u64),
}

impl Place {
    const fn address(self) -> u64 {
        match self {
            Self::Device(address) | Self::Of { address, .. } | Self::Any(address) => address,
        }
    }
}

/// The memory at a place.
enum Found {
    /// The driver's memory or page-locked memory, which still exists when the stream reaches the copy.
    Kept(Vec<Span>),
    /// The caller's own memory, which is guaranteed to exist only during the call.
    Pageable(Span),
}

impl Found {
    const fn is_pageable(&self) -> bool {
        matches!(self, Self::Pageable(_))
    }

    fn spans(self) -> Vec<Span> {
        match self {
            Self::Kept(spans) => spans,
            Self::Pageable(span) => vec![span],
        }
    }
}

impl State {
    fn find(&self, context: u64, place: Place, size: u64, access: Access) -> Result<Found> {
        if let Some(range) = self.range(place.address()).filter(|range| range.memory.is_of_host_pool()) {
            // Seen on an H200: it is the host's memory, whatever access a device has.
            let is_inside = place.address().checked_add(size).is_some_and(|end| end <= range.end());
            let is_taken = match place {
                Place::Any(_) => {
                    !fault!("a-unified-copy-refuses-host-pools", ["POOL-ACC-009"], "cuMemcpy refuses their memory.")
                }
                Place::Device(_) | Place::Of { .. } => {
                    access == Access::Read
                        && fault!("a-copy-reads-host-pools-as-device-memory", ["POOL-ACC-009"], "It succeeds.")
                        || access == Access::Write
                            && fault!("a-copy-writes-host-pools-as-device-memory", ["POOL-ACC-009"], "It succeeds.")
                        || range.allows(self, context, By::Driver, access)
                            && fault!(
                                "a-copy-takes-host-pools-with-access",
                                ["POOL-ACC-009"],
                                "Where the device has access, their memory is device memory."
                            )
                }
            };
            let address = place.address();
            return if is_inside && is_taken {
                range.spans(address, size, access).map(Found::Kept)
            } else {
                Err(INVALID_VALUE)
            };
        }
        match place {
            Place::Device(address) => self.reach_device(context, address, size, By::Driver, access).map(Found::Kept),
            Place::Of { context, address } => {
                self.reach_device(context, address, size, By::Driver, access).map(Found::Kept)
            }
            Place::Any(address) => match self.reach(context, address, size, By::Driver, access)? {
                Some(spans) => Ok(Found::Kept(spans)),
                // Null or freed memory.
                None if !is_mapped(address, size) => Err(INVALID_VALUE),
                None => Ok(Found::Pageable(Span::of_user(address, size))),
            },
        }
    }

    fn is_host(&self, place: Place) -> bool {
        self.range(place.address()).is_none_or(|range| range.memory.is_host())
    }

    /// Whether a synchronous call on this memory returns only when it is done: for host memory, and if the context or
    /// the memory has the flag for synchronous memory operations.
    fn synchronizes(&self, context: u64, address: u64) -> Result<bool> {
        let by_context = self.context(context)?.flags & CUctx_flags::CU_CTX_SYNC_MEMOPS.0 != 0;
        let by_memory = self.range(address).is_some_and(|range| range.sync_memops || range.memory.is_host());
        Ok(by_context || by_memory)
    }
}

/// Copies between two lists of spans with the same total length.
fn transfer(targets: &[Span], from: &[Span]) {
    let (mut to, mut from) = (pieces(targets), pieces(from));
    let (mut target, mut source) = (to.next(), from.next());
    while let (Some((to_address, to_size)), Some((from_address, from_size))) = (target, source) {
        let size = to_size.min(from_size);
        // SAFETY: spans of the driver are mapped as long as they live, and the caller's as long as the caller promised.
        unsafe { ptr::copy(from_address as *const u8, to_address as *mut u8, size as usize) };
        let rest = |address: u64, length: u64| (length > size).then(|| (address + size, length - size));
        target = rest(to_address, to_size).or_else(|| to.next());
        source = rest(from_address, from_size).or_else(|| from.next());
    }
    targets.iter().for_each(Span::broadcast);
}

fn pieces(spans: &[Span]) -> impl Iterator<Item = (u64, u64)> {
    spans.iter().map(|span| (span.address, span.size))
}

/// Returns how many bytes a copy moves: all of them, unless a fault is about imports.
fn moved(state: &State, to: Place, from: Place, size: usize) -> usize {
    let [target, source] = [to, from].map(|place| state.range(place.address()));
    let is = |range: Option<&Range>, kind: fn(&Memory) -> bool| range.is_some_and(|range| kind(&range.memory));
    let is_mapped = |memory: &Memory| matches!(memory, Memory::Mapping { allocation, .. } if allocation.is_import());
    let is_shared = |memory: &Memory| matches!(memory, Memory::Import(_) | Memory::PoolImport { .. });
    if [target, source].into_iter().any(|side| is(side, is_shared) || is(side, is_mapped))
        && fault!(
            "copy-of-an-import-is-cut-at-32-mib",
            ["IPCMEM-OPEN-001", "POOL-PTR-001", "VMM-IMP-001"],
            "A copy from or to an import moves at most 32 MiB."
        )
    {
        return size.min(32 << 20);
    }
    let is_within = target.zip(source).is_some_and(|(target, source)| target.base == source.base);
    if is_within
        && is(target, |memory| matches!(memory, Memory::Import(_)))
        && fault!("copy-within-an-import-moves-nothing", ["IPCMEM-OPEN-001"], "A copy within an import is lost.")
    {
        return 0;
    }
    if is(target, is_mapped)
        && is(source, is_mapped)
        && fault!(
            "copy-between-mapped-imports-moves-whole-words",
            ["VMM-IMP-001"],
            "A copy from one import to another leaves out the last bytes of an odd size."
        )
    {
        return size / 4 * 4;
    }
    if is(target, |memory| matches!(memory, Memory::PoolImport { .. }))
        && fault!("copy-to-a-pool-import-is-cut", ["POOL-PTR-001"], "A copy to an import moves at most 8 MiB.")
    {
        return size.min(8 << 20);
    }
    size
}

/// Copies in the default stream. The call waits for the copy if one side is host memory. A copy between devices may
/// be done later.
fn copy(to: Place, from: Place, size: usize) -> Result<()> {
    let mut state = state()?;
    let stream = state.stream(ptr::null_mut())?;
    let size = moved(&state, to, from, size);
    if size == 0 {
        return Ok(());
    }
    static FIRST: FirstThread = FirstThread::new();
    if FIRST.is_another()
        && fault!(
            "copy-on-another-thread-does-nothing",
            ["IPCMEM-OPEN-046", "VMM-IMP-001", "POOL-PTR-001"],
            "Only the thread that copies first moves bytes."
        )
    {
        return Ok(());
    }
    let found_from = state.find(stream.context, from, size as u64, Access::Read)?;
    let found_to = state.find(stream.context, to, size as u64, Access::Write)?;
    let waits = found_from.is_pageable()
        || found_to.is_pageable()
        || state.synchronizes(stream.context, from.address())?
        || state.synchronizes(stream.context, to.address())?;
    let (from, to) = (found_from.spans(), found_to.spans());
    perform(state, &stream, waits, move |_| {
        transfer(&to, &from);
        Ok(())
    })
}

fn copy_async(to: Place, from: Place, size: usize, stream: CUstream) -> Result<()> {
    let mut state = state()?;
    state.current()?;
    let stream = state.stream(stream)?;
    let size = moved(&state, to, from, size);
    if size == 0 {
        return Ok(());
    }
    let is_within_host = state.is_host(from) && state.is_host(to);
    let from = state.find(stream.context, from, size as u64, Access::Read)?;
    let to = state.find(stream.context, to, size as u64, Access::Write)?;
    // The caller may reuse pageable memory when the call returns. So a pageable source is copied now, and the call
    // waits for a pageable target. It also waits for every copy within host memory, as CUDA documents.
    // A captured copy reads its source at each launch of its graph.
    let is_captured = state.is_capturing(&stream);
    let waits = !is_captured && (to.is_pageable() || is_within_host);
    let mut staged = Vec::new();
    let from = match from {
        Found::Pageable(span) if !waits && !is_captured => {
            staged.resize(span.size as usize, 0_u8);
            let copy = Span::of_user(staged.as_mut_ptr() as u64, span.size);
            transfer(std::slice::from_ref(&copy), &[span]);
            vec![copy]
        }
        found => found.spans(),
    };
    let to = to.spans();
    let task = move |_: &crate::health::Health| {
        // A staged source lives as long as the task.
        let _ = &staged;
        transfer(&to, &from);
        Ok(())
    };
    if waits { perform(state, &stream, true, task) } else { state.issue(&stream, task) }
}

/// Copies between two contexts: each side is reached from its own one. Seen on an H200: so a copy between two pools needs
/// no access of either device to the other's pool.
fn copy_peer(
    to: (CUdeviceptr, CUcontext),
    from: (CUdeviceptr, CUcontext),
    copy: impl FnOnce(Place, Place) -> Result<()>,
) -> Result<()> {
    {
        let state = state()?;
        state.context(to.1 as u64)?;
        state.context(from.1 as u64)?;
    }
    let is_of_pool = || Ok(matches!(state()?.range(from.0).map(|range| &range.memory), Some(Memory::Pool { .. })));
    if fault!("peer-copy-of-a-pool-moves-nothing", ["P2P-014"], "cuMemcpyPeer succeeds and copies nothing.")
        && is_of_pool()?
    {
        return Ok(());
    }
    if fault!(
        "peer-copy-of-a-pool-needs-access",
        ["P2P-014"],
        "cuMemcpyPeer reaches both sides from the current context."
    ) && is_of_pool()?
    {
        return copy(Place::Device(to.0), Place::Device(from.0));
    }
    if fault!("peer-copy-moves-nothing", ["P2P-012"], "A copy between devices succeeds and copies nothing.") {
        return Ok(());
    }
    let is_lost =
        fault!("peer-copy-upwards-moves-nothing", ["P2P-012"], "A copy to a device of a higher number is lost.");
    if is_lost && {
        let state = state()?;
        state.context(from.1 as u64)?.device_index < state.context(to.1 as u64)?.device_index
    } {
        return Ok(());
    }
    let place = |(address, context): (CUdeviceptr, CUcontext)| Place::Of { context: context as u64, address };
    copy(place(to), place(from))
}

/// Returns where a fill begins and how many bytes it sets: what the call says, unless a fault is about imports.
fn filled(state: &State, address: u64, size: u64) -> (u64, u64) {
    let Some(range) = state.range(address) else { return (address, size) };
    let has_more = range.end() - address > size;
    match &range.memory {
        Memory::Import(_)
            if has_more
                && fault!(
                    "fill-of-an-import-sets-one-byte-more",
                    ["IPCMEM-OPEN-001"],
                    "A fill of an import is too long."
                ) =>
        {
            (address, size + 1)
        }
        Memory::Mapping { allocation, .. }
            if allocation.is_import()
                && fault!("fill-of-a-mapped-import-begins-at-its-base", ["VMM-IMP-001"], "The offset is ignored.") =>
        {
            (range.base, size)
        }
        Memory::PoolImport { .. }
            if fault!("fill-of-a-pool-import-is-cut", ["POOL-PTR-001"], "A fill of an import sets at most 1 MiB.") =>
        {
            (address, size.min(1 << 20))
        }
        _ => (address, size),
    }
}

/// Checks the arguments of a fill, and returns the memory to fill.
fn prepare(state: &State, stream: &Arc<Stream>, address: u64, unit: usize, count: usize) -> Result<Vec<Span>> {
    let size = (count as u64).checked_mul(unit as u64).ok_or(INVALID_VALUE)?;
    if !address.is_multiple_of(unit as u64) {
        return Err(INVALID_VALUE);
    }
    if size == 0 {
        return Ok(Vec::new());
    }
    if let Some(range) = state.range(address).filter(|range| range.memory.is_of_host_pool())
        && fault!("a-fill-of-a-host-pool-needs-no-access", ["POOL-ACC-009"], "It succeeds.")
    {
        return range.spans(address, size, Access::Write);
    }
    if state.range(address).is_some_and(|range| state.is_opened_in_another_context(range, stream.context)) {
        return Err(INVALID_VALUE);
    }
    let (address, size) = filled(state, address, size);
    state.reach_device(stream.context, address, size, By::Driver, Access::Write)
}

/// Fills spans with a value of 1, 2 or 4 bytes.
fn paint(spans: &[Span], value: &[u8]) {
    let page: Vec<u8> = value.iter().copied().cycle().take(4096).collect();
    for span in spans {
        for at in (0..span.size).step_by(page.len()) {
            let size = (span.size - at).min(page.len() as u64) as usize;
            // SAFETY: the span is mapped as long as it lives, and the page is not part of it.
            unsafe { ptr::copy_nonoverlapping(page.as_ptr(), (span.address + at) as *mut u8, size) };
        }
        span.broadcast();
    }
}

/// Fills memory in the default stream. The call waits only if the memory requires that.
fn fill(address: u64, value: &[u8], count: usize) -> Result<()> {
    let mut state = state()?;
    let stream = state.stream(ptr::null_mut())?;
    let spans = prepare(&state, &stream, address, value.len(), count)?;
    let waits = state.synchronizes(stream.context, address)?;
    let value = value.to_vec();
    perform(state, &stream, waits, move |_| {
        paint(&spans, &value);
        Ok(())
    })
}

fn fill_async(address: u64, value: &[u8], count: usize, stream: CUstream) -> Result<()> {
    let mut state = state()?;
    state.current()?;
    let stream = state.stream(stream)?;
    let spans = prepare(&state, &stream, address, value.len(), count)?;
    let value = value.to_vec();
    state.issue(&stream, move |_| {
        paint(&spans, &value);
        Ok(())
    })
}

entry_points! {
    fn cuMemcpy(to: CUdeviceptr, from: CUdeviceptr, size: usize) {
        copy(Place::Any(to), Place::Any(from), size)
    }

    fn cuMemcpyAsync(to: CUdeviceptr, from: CUdeviceptr, size: usize, stream: CUstream) {
        copy_async(Place::Any(to), Place::Any(from), size, stream)
    }

    fn cuMemcpyHtoD_v2(to: CUdeviceptr, from: *const c_void, size: usize) {
        copy(Place::Device(to), Place::Any(from as u64), size)
    }

    fn cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, size: usize, stream: CUstream) {
        copy_async(Place::Device(to), Place::Any(from as u64), size, stream)
    }

    fn cuMemcpyDtoH_v2(to: *mut c_void, from: CUdeviceptr, size: usize) {
        copy(Place::Any(to as u64), Place::Device(from), size)
    }

    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, size: usize, stream: CUstream) {
        copy_async(Place::Any(to as u64), Place::Device(from), size, stream)
    }

    fn cuMemcpyDtoD_v2(to: CUdeviceptr, from: CUdeviceptr, size: usize) {
        copy(Place::Device(to), Place::Device(from), size)
    }

    fn cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, size: usize, stream: CUstream) {
        copy_async(Place::Device(to), Place::Device(from), size, stream)
    }

    fn cuMemcpyPeer(to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr, from_context: CUcontext, size: usize) {
        let is_cut = fault!(
            "peer-copy-moves-whole-words",
            ["P2P-012"],
            "A copy between devices leaves out the last bytes of an odd size."
        );
        let size = if is_cut { size / 4 * 4 } else { size };
        copy_peer((to, to_context), (from, from_context), |to, from| copy(to, from, size))
    }

    fn cuMemcpyPeerAsync(
        to: CUdeviceptr,
        to_context: CUcontext,
        from: CUdeviceptr,
        from_context: CUcontext,
        size: usize,
        stream: CUstream,
    ) {
        copy_peer((to, to_context), (from, from_context), |to, from| copy_async(to, from, size, stream))
    }

    fn cuMemsetD8_v2(pointer: CUdeviceptr, value: u8, count: usize) {
        fill(pointer, &[value], count)
    }

    fn cuMemsetD16_v2(pointer: CUdeviceptr, value: u16, count: usize) {
        fill(pointer, &value.to_ne_bytes(), count)
    }

    fn cuMemsetD32_v2(pointer: CUdeviceptr, value: u32, count: usize) {
        fill(pointer, &value.to_ne_bytes(), count)
    }

    fn cuMemsetD8Async(pointer: CUdeviceptr, value: u8, count: usize, stream: CUstream) {
        fill_async(pointer, &[value], count, stream)
    }

    fn cuMemsetD16Async(pointer: CUdeviceptr, value: u16, count: usize, stream: CUstream) {
        fill_async(pointer, &value.to_ne_bytes(), count, stream)
    }

    fn cuMemsetD32Async(pointer: CUdeviceptr, value: u32, count: usize, stream: CUstream) {
        fill_async(pointer, &value.to_ne_bytes(), count, stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_different_sizes_are_copied_in_order() {
        let from = [1_u8, 2, 3, 4, 5, 6];
        let mut to = [0_u8; 6];
        let span = |bytes: *const u8, at: usize, size: u64| Span::of_user(bytes as u64 + at as u64, size);
        let source = [span(from.as_ptr(), 0, 1), span(from.as_ptr(), 1, 5)];
        let target = to.as_mut_ptr();
        transfer(&[span(target, 0, 2), span(target, 2, 2), span(target, 4, 2)], &source);
        assert_eq!(to, from);
    }
}
