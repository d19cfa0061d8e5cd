//! Reserved addresses.

use std::ffi::c_void;

use cuda_ipc_sys::CUdeviceptr;

use crate::answer::{INVALID_VALUE, OUT_OF_MEMORY, Output, Result};
use crate::block::GRANULARITY;
use crate::memfd::unmap;
use crate::process::{State, state};

const PAGE: u64 = 4096;

/// Reserves addresses at which nothing is mapped, starting at the hint if those are free.
fn reserve(size: u64, alignment: u64, hint: u64) -> Result<u64> {
    let alignment = alignment.max(GRANULARITY);
    let length = size.checked_add(alignment).ok_or(OUT_OF_MEMORY)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping, which replaces nothing.
    let address = unsafe { libc::mmap(hint as *mut c_void, length as usize, libc::PROT_NONE, flags, -1, 0) };
    if address == libc::MAP_FAILED {
        return Err(OUT_OF_MEMORY);
    }
    let (first, end) = (address as u64, address as u64 + length);
    let base = first.next_multiple_of(alignment);
    for (from, to) in [(first, base), (base + size, end)] {
        if from < to {
            unmap(from, to - from);
        }
    }
    Ok(base)
}

impl State {
    /// The reservation that an address lies in: base and size.
    pub(crate) fn reservation(&self, address: u64) -> Option<(u64, u64)> {
        let (base, size) = self.reservations.range(..=address).next_back()?;
        (address - base < *size).then_some((*base, *size))
    }

    pub(super) fn is_reserved(&self, address: u64, size: u64) -> bool {
        let end = address.checked_add(size);
        self.reservation(address).is_some_and(|(base, length)| end.is_some_and(|end| end <= base + length))
    }
}

entry_points! {
    // VMM-RES-013: needs no context.
    fn cuMemAddressReserve(output: Output<CUdeviceptr>, size: usize, alignment: usize, hint: CUdeviceptr, flags: u64) {
        let mut state = state()?;
        output.wanted()?;
        let (size, alignment) = (size as u64, alignment as u64);
        // VMM-RES-002 to -004, -007, -008
        let is_aligned = size.is_multiple_of(PAGE) && hint.is_multiple_of(PAGE);
        if size == 0 || !is_aligned || alignment != 0 && !alignment.is_power_of_two() || flags != 0 {
            return Err(INVALID_VALUE);
        }
        let base = reserve(size, alignment, hint)?;
        state.reservations.insert(base, size);
        output.give(base)
    }

    fn cuMemAddressFree(address: CUdeviceptr, size: usize) {
        let mut state = state()?;
        let size = size as u64;
        // VMM-RES-009 to -011
        if state.reservations.get(&address) != Some(&size) || state.is_taken(address, address + size) {
            return Err(INVALID_VALUE);
        }
        state.reservations.remove(&address);
        unmap(address, size);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vmm::is_granular;

    #[test]
    fn reservations_are_aligned_and_hints_are_taken() {
        let one = reserve(GRANULARITY, 0, 0).unwrap();
        let other = reserve(GRANULARITY, 1 << 30, 0).unwrap();
        assert!(is_granular(one) && other.is_multiple_of(1 << 30));
        unmap(one, GRANULARITY);
        assert_eq!(reserve(GRANULARITY, 0, one), Ok(one));
        unmap(one, GRANULARITY);
        unmap(other, GRANULARITY);
    }
}
