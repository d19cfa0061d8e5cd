//! Fills.

use std::ptr;
use std::sync::Arc;

use cuda_ipc_sys::{CUdeviceptr, CUstream};

use crate::answer::{INVALID_VALUE, Result};
use crate::process::{State, state};
use crate::range::{Access, By, Memory, Span};
use crate::stream::{Stream, perform};

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
                && fault!(
                    "fill-of-a-mapped-import-begins-at-its-base",
                    ["VMM-IMP-001"],
                    "A fill ignores the offset."
                ) =>
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

/// Rows of memory that a fill sets, and that begin a pitch apart. Memory without a pitch is one row.
#[derive(Clone, Copy)]
struct Rows {
    address: u64,
    pitch: usize,
    /// How many values a row has.
    width: usize,
    height: usize,
}

impl Rows {
    const fn one(address: u64, count: usize) -> Self {
        Self { address, pitch: 0, width: count, height: 1 }
    }

    /// Rows of bytes.
    const fn of_bytes(address: u64, pitch: usize, width: usize, height: usize) -> Result<Self> {
        if height > 1 && width > pitch { Err(INVALID_VALUE) } else { Ok(Self { address, pitch, width, height }) }
    }
}

/// Checks the arguments of a fill, and returns the memory to fill.
fn prepare(state: &State, stream: &Arc<Stream>, rows: &Rows, unit: usize) -> Result<Vec<Span>> {
    // Rows without bytes are checked once, however many there are.
    let height = if rows.width == 0 { rows.height.min(1) } else { rows.height };
    let is_cut = height > 1
        && state.is_import(rows.address)
        && fault!(
            "fill-of-rows-of-an-import-leaves-out-the-last",
            ["IPCMEM-OPEN-001", "POOL-PTR-001", "VMM-IMP-001"],
            "A fill of rows of an import sets all but the last one."
        );
    let mut all = Vec::new();
    for row in 0..height - usize::from(is_cut) {
        let offset = row.checked_mul(rows.pitch).ok_or(INVALID_VALUE)?;
        let address = rows.address.checked_add(offset as u64).ok_or(INVALID_VALUE)?;
        all.extend(prepare_row(state, stream, address, unit, rows.width)?);
    }
    Ok(all)
}

/// Checks one row of a fill, and returns its memory.
fn prepare_row(state: &State, stream: &Arc<Stream>, address: u64, unit: usize, count: usize) -> Result<Vec<Span>> {
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
fn fill(rows: Rows, value: &[u8]) -> Result<()> {
    let mut state = state()?;
    let stream = state.stream(ptr::null_mut())?;
    let spans = prepare(&state, &stream, &rows, value.len())?;
    let waits = state.synchronizes(stream.context, rows.address)?;
    let value = value.to_vec();
    perform(state, &stream, waits, move |_| {
        paint(&spans, &value);
        Ok(())
    })
}

fn fill_async(rows: Rows, value: &[u8], stream: CUstream) -> Result<()> {
    let mut state = state()?;
    state.current()?;
    let stream = state.stream(stream)?;
    let spans = prepare(&state, &stream, &rows, value.len())?;
    let value = value.to_vec();
    state.issue(&stream, move |_| {
        paint(&spans, &value);
        Ok(())
    })
}

entry_points! {
    fn cuMemsetD8_v2(pointer: CUdeviceptr, value: u8, count: usize) {
        fill(Rows::one(pointer, count), &[value])
    }

    fn cuMemsetD16_v2(pointer: CUdeviceptr, value: u16, count: usize) {
        fill(Rows::one(pointer, count), &value.to_ne_bytes())
    }

    fn cuMemsetD32_v2(pointer: CUdeviceptr, value: u32, count: usize) {
        fill(Rows::one(pointer, count), &value.to_ne_bytes())
    }

    fn cuMemsetD8Async(pointer: CUdeviceptr, value: u8, count: usize, stream: CUstream) {
        fill_async(Rows::one(pointer, count), &[value], stream)
    }

    fn cuMemsetD16Async(pointer: CUdeviceptr, value: u16, count: usize, stream: CUstream) {
        fill_async(Rows::one(pointer, count), &value.to_ne_bytes(), stream)
    }

    fn cuMemsetD32Async(pointer: CUdeviceptr, value: u32, count: usize, stream: CUstream) {
        fill_async(Rows::one(pointer, count), &value.to_ne_bytes(), stream)
    }

    fn cuMemsetD2D8_v2(pointer: CUdeviceptr, pitch: usize, value: u8, width: usize, height: usize) {
        fill(Rows::of_bytes(pointer, pitch, width, height)?, &[value])
    }

    fn cuMemsetD2D8Async(
        pointer: CUdeviceptr,
        pitch: usize,
        value: u8,
        width: usize,
        height: usize,
        stream: CUstream,
    ) {
        fill_async(Rows::of_bytes(pointer, pitch, width, height)?, &[value], stream)
    }
}
