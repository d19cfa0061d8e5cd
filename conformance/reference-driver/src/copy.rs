//! Copies.

use std::ffi::c_void;
use std::ptr;

use cuda_ipc_sys::{CUDA_MEMCPY2D, CUcontext, CUctx_flags, CUdeviceptr, CUmemorytype, CUstream};

use crate::answer::{INVALID_VALUE, Input, NOT_SUPPORTED, Result};
use crate::host::is_mapped;
use crate::process::{State, state};
use crate::range::{Access, By, Memory, Range, Span};
use crate::seen::FirstThread;
use crate::stream::perform;

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

    /// Returns the place that is `bytes` later.
    fn offset(self, bytes: u64) -> Result<Self> {
        let moved = |address: u64| address.checked_add(bytes).ok_or(INVALID_VALUE);
        Ok(match self {
            Self::Device(address) => Self::Device(moved(address)?),
            Self::Of { context, address } => Self::Of { context, address: moved(address)? },
            Self::Any(address) => Self::Any(moved(address)?),
        })
    }
}

/// Rows of memory that begin a pitch apart. Memory without a pitch is one row.
#[derive(Clone, Copy)]
struct Rows {
    first: Place,
    pitch: u64,
    width: u64,
    height: u64,
}

impl Rows {
    const fn one(first: Place, size: usize) -> Self {
        Self { first, pitch: 0, width: size as u64, height: 1 }
    }

    /// Returns the rows that a rectangle names. `begin` is where its memory begins, and `x` and `y` are its first byte and
    /// row.
    fn of(copy: &CUDA_MEMCPY2D, begin: Place, pitch: usize, (x, y): (usize, usize)) -> Result<Self> {
        let [x, y, pitch, width, height] = [x, y, pitch, copy.WidthInBytes, copy.Height].map(|size| size as u64);
        if x.checked_add(width).is_none_or(|end| end > pitch) {
            return Err(INVALID_VALUE);
        }
        let offset = y.checked_mul(pitch).and_then(|rows| rows.checked_add(x)).ok_or(INVALID_VALUE)?;
        Ok(Self { first: begin.offset(offset)?, pitch, width, height })
    }

    fn source(copy: &CUDA_MEMCPY2D) -> Result<Self> {
        let begin = rectangle(copy.srcMemoryType, copy.srcHost as u64, copy.srcDevice)?;
        Self::of(copy, begin, copy.srcPitch, (copy.srcXInBytes, copy.srcY))
    }

    fn target(copy: &CUDA_MEMCPY2D) -> Result<Self> {
        let begin = rectangle(copy.dstMemoryType, copy.dstHost as u64, copy.dstDevice)?;
        Self::of(copy, begin, copy.dstPitch, (copy.dstXInBytes, copy.dstY))
    }
}

/// Returns where the memory of a rectangle begins.
fn rectangle(kind: CUmemorytype, host: u64, device: CUdeviceptr) -> Result<Place> {
    match kind {
        CUmemorytype::CU_MEMORYTYPE_HOST => Ok(Place::Any(host)),
        CUmemorytype::CU_MEMORYTYPE_DEVICE => Ok(Place::Device(device)),
        CUmemorytype::CU_MEMORYTYPE_UNIFIED => Ok(Place::Any(device)),
        // This driver has no arrays.
        CUmemorytype::CU_MEMORYTYPE_ARRAY => Err(NOT_SUPPORTED),
        _ => Err(INVALID_VALUE),
    }
}

/// Reads the rectangle of a call, after what every call checks.
fn read(rectangle: Input<CUDA_MEMCPY2D>) -> Result<CUDA_MEMCPY2D> {
    let _state = state()?;
    rectangle.value()
}

/// The memory of rows.
struct Found {
    spans: Vec<Span>,
    /// Whether it is the caller's own memory, which is guaranteed to exist only during the call. The driver's memory and
    /// page-locked memory still exist when the stream reaches the copy.
    is_pageable: bool,
}

impl State {
    fn find(&self, context: u64, rows: &Rows, access: Access) -> Result<Found> {
        let mut all = Found { spans: Vec::new(), is_pageable: false };
        for row in 0..rows.height {
            let place = rows.first.offset(row.checked_mul(rows.pitch).ok_or(INVALID_VALUE)?)?;
            let found = self.find_row(context, place, rows.width, access)?;
            all.spans.extend(found.spans);
            all.is_pageable |= found.is_pageable;
        }
        Ok(all)
    }

    fn find_row(&self, context: u64, place: Place, size: u64, access: Access) -> Result<Found> {
        let kept = |spans| Found { spans, is_pageable: false };
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
                range.spans(address, size, access).map(kept)
            } else {
                Err(INVALID_VALUE)
            };
        }
        match place {
            Place::Device(address) => self.reach_device(context, address, size, By::Driver, access).map(kept),
            Place::Of { context, address } => self.reach_device(context, address, size, By::Driver, access).map(kept),
            Place::Any(address) => match self.reach(context, address, size, By::Driver, access)? {
                Some(spans) => Ok(kept(spans)),
                // Null or freed memory.
                None if !is_mapped(address, size) => Err(INVALID_VALUE),
                None => Ok(Found { spans: vec![Span::of_user(address, size)], is_pageable: true }),
            },
        }
    }

    fn is_host(&self, place: Place) -> bool {
        self.range(place.address()).is_none_or(|range| range.memory.is_host())
    }

    /// Whether a synchronous call on this memory returns only when it is done: for host memory, and if the context or
    /// the memory has the flag for synchronous memory operations.
    pub(crate) fn synchronizes(&self, context: u64, address: u64) -> Result<bool> {
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

/// Returns how many bytes of each row a copy moves: all of them, unless a fault is about imports.
fn moved(state: &State, to: &Rows, from: &Rows) -> u64 {
    let size = to.width;
    let [target, source] = [to, from].map(|rows| state.range(rows.first.address()));
    let is = |range: Option<&Range>, kind: fn(&Memory) -> bool| range.is_some_and(|range| kind(&range.memory));
    let is_mapped = |memory: &Memory| matches!(memory, Memory::Mapping { allocation, .. } if allocation.is_import());
    if [target, source].into_iter().any(|side| is(side, Memory::is_import))
        && fault!(
            "copy-of-an-import-is-cut-at-32-mib",
            ["IPCMEM-OPEN-001", "POOL-PTR-001", "VMM-IMP-001"],
            "A copy from or to an import moves at most 32 MiB."
        )
    {
        return size.min(32 << 20);
    }
    let is_locked = |memory: &Memory| matches!(memory, Memory::Host(_) | Memory::Registered);
    if (is(target, Memory::is_import) && is(source, is_locked)
        || is(target, is_locked) && is(source, Memory::is_import))
        && fault!(
            "copy-of-an-import-and-page-locked-memory-is-cut",
            ["IPCMEM-OPEN-001", "POOL-PTR-001", "VMM-IMP-001"],
            "A copy between an import and page-locked memory moves at most 1 MiB."
        )
    {
        return size.min(1 << 20);
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

/// Returns both sides of a copy, changed if a fault is on.
fn changed(state: &State, mut to: Rows, mut from: Rows) -> (Rows, Rows) {
    let width = moved(state, &to, &from);
    for side in [&mut to, &mut from] {
        side.width = width;
        if side.height > 1
            && state.is_import(side.first.address())
            && fault!(
                "rows-of-an-import-have-no-pitch",
                ["IPCMEM-OPEN-001", "POOL-PTR-001", "VMM-IMP-001"],
                "A copy of rows ignores the pitch of an import."
            )
        {
            side.pitch = width;
        }
    }
    (to, from)
}

/// Copies in the default stream. The call waits for the copy if one side is host memory. A copy between devices may
/// be done later.
fn copy(to: Rows, from: Rows) -> Result<()> {
    let mut state = state()?;
    let stream = state.stream(ptr::null_mut())?;
    let (to, from) = changed(&state, to, from);
    if to.width == 0 || to.height == 0 {
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
    let found_from = state.find(stream.context, &from, Access::Read)?;
    let found_to = state.find(stream.context, &to, Access::Write)?;
    if [to, from].iter().any(|rows| state.is_import(rows.first.address()))
        && fault!(
            "a-synchronous-copy-of-an-import-does-not-wait",
            ["IPCMEM-OPEN-052"],
            "A synchronous copy from or to an import overtakes the work of the default stream."
        )
    {
        transfer(&found_to.spans, &found_from.spans);
        return Ok(());
    }
    let waits = found_from.is_pageable
        || found_to.is_pageable
        || state.synchronizes(stream.context, from.first.address())?
        || state.synchronizes(stream.context, to.first.address())?;
    perform(state, &stream, waits, move |_| {
        transfer(&found_to.spans, &found_from.spans);
        Ok(())
    })
}

fn copy_async(to: Rows, from: Rows, stream: CUstream) -> Result<()> {
    let mut state = state()?;
    state.current()?;
    let stream = state.stream(stream)?;
    let (to, from) = changed(&state, to, from);
    if to.width == 0 || to.height == 0 {
        return Ok(());
    }
    let is_within_host = state.is_host(from.first) && state.is_host(to.first);
    let is_of_import = state.is_import(from.first.address());
    let mut from = state.find(stream.context, &from, Access::Read)?;
    let to = state.find(stream.context, &to, Access::Write)?;
    // The caller may reuse pageable memory when the call returns. So a pageable source is copied now, and the call
    // waits for a pageable target. It also waits for every copy within host memory, as CUDA documents.
    // A captured copy reads its source at each launch of its graph.
    let is_captured = state.is_capturing(&stream);
    let waits = !is_captured && (to.is_pageable || is_within_host);
    let mut staged = Vec::new();
    let is_early = is_captured
        && is_of_import
        && fault!(
            "a-captured-copy-keeps-what-an-import-held",
            ["IPCMEM-OPEN-001", "POOL-PTR-001", "VMM-IMP-001"],
            "A graph copies what an import held when the copy was captured."
        );
    if is_early || from.is_pageable && !waits && !is_captured {
        let size = from.spans.iter().map(|span| span.size).sum();
        staged.resize(size as usize, 0_u8);
        let copy = Span::of_user(staged.as_mut_ptr() as u64, size);
        transfer(std::slice::from_ref(&copy), &from.spans);
        from.spans = vec![copy];
    }
    let task = move |_: &crate::health::Health| {
        // A staged source lives as long as the task.
        let _ = &staged;
        transfer(&to.spans, &from.spans);
        Ok(())
    };
    if waits { perform(state, &stream, true, task) } else { state.issue(&stream, task) }
}

/// Copies between two contexts: each side is reached from its own one. Seen on an H200: so a copy between two pools needs
/// no access of either device to the other's pool.
fn copy_peer(
    to: (CUdeviceptr, CUcontext),
    from: (CUdeviceptr, CUcontext),
    size: usize,
    copy: impl FnOnce(Rows, Rows) -> Result<()>,
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
        return copy(Rows::one(Place::Device(to.0), size), Rows::one(Place::Device(from.0), size));
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
    let side =
        |(address, context): (CUdeviceptr, CUcontext)| Rows::one(Place::Of { context: context as u64, address }, size);
    copy(side(to), side(from))
}

entry_points! {
    fn cuMemcpy(to: CUdeviceptr, from: CUdeviceptr, size: usize) {
        copy(Rows::one(Place::Any(to), size), Rows::one(Place::Any(from), size))
    }

    fn cuMemcpyAsync(to: CUdeviceptr, from: CUdeviceptr, size: usize, stream: CUstream) {
        copy_async(Rows::one(Place::Any(to), size), Rows::one(Place::Any(from), size), stream)
    }

    fn cuMemcpyHtoD_v2(to: CUdeviceptr, from: *const c_void, size: usize) {
        copy(Rows::one(Place::Device(to), size), Rows::one(Place::Any(from as u64), size))
    }

    fn cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, size: usize, stream: CUstream) {
        copy_async(Rows::one(Place::Device(to), size), Rows::one(Place::Any(from as u64), size), stream)
    }

    fn cuMemcpyDtoH_v2(to: *mut c_void, from: CUdeviceptr, size: usize) {
        copy(Rows::one(Place::Any(to as u64), size), Rows::one(Place::Device(from), size))
    }

    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, size: usize, stream: CUstream) {
        copy_async(Rows::one(Place::Any(to as u64), size), Rows::one(Place::Device(from), size), stream)
    }

    fn cuMemcpyDtoD_v2(to: CUdeviceptr, from: CUdeviceptr, size: usize) {
        copy(Rows::one(Place::Device(to), size), Rows::one(Place::Device(from), size))
    }

    fn cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, size: usize, stream: CUstream) {
        copy_async(Rows::one(Place::Device(to), size), Rows::one(Place::Device(from), size), stream)
    }

    fn cuMemcpy2D_v2(rectangle: Input<CUDA_MEMCPY2D>) {
        let rectangle = read(rectangle)?;
        copy(Rows::target(&rectangle)?, Rows::source(&rectangle)?)
    }

    // This driver accepts any pitch, so this call is cuMemcpy2D.
    fn cuMemcpy2DUnaligned_v2(rectangle: Input<CUDA_MEMCPY2D>) {
        let rectangle = read(rectangle)?;
        copy(Rows::target(&rectangle)?, Rows::source(&rectangle)?)
    }

    fn cuMemcpy2DAsync_v2(rectangle: Input<CUDA_MEMCPY2D>, stream: CUstream) {
        let rectangle = read(rectangle)?;
        copy_async(Rows::target(&rectangle)?, Rows::source(&rectangle)?, stream)
    }

    fn cuMemcpyPeer(to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr, from_context: CUcontext, size: usize) {
        let is_cut = fault!(
            "peer-copy-moves-whole-words",
            ["P2P-012"],
            "A copy between devices leaves out the last bytes of an odd size."
        );
        let size = if is_cut { size / 4 * 4 } else { size };
        copy_peer((to, to_context), (from, from_context), size, copy)
    }

    fn cuMemcpyPeerAsync(
        to: CUdeviceptr,
        to_context: CUcontext,
        from: CUdeviceptr,
        from_context: CUcontext,
        size: usize,
        stream: CUstream,
    ) {
        copy_peer((to, to_context), (from, from_context), size, |to, from| copy_async(to, from, stream))
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
