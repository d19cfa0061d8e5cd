//! Reserved addresses.

use std::ffi::c_void;

use cuda_ipc_sys::CUdeviceptr;

use crate::answer::{INVALID_CONTEXT, INVALID_VALUE, OUT_OF_MEMORY, Output, Result};
use crate::block::GRANULARITY;
use crate::memfd::unmap;
use crate::process::{State, state};

const PAGE: u64 = 4096;

/// The first aligned address from an address on. There is room for the size at it and at the faulty ones.
fn place(first: u64, alignment: u64) -> u64 {
    let base = first.next_multiple_of(alignment);
    if fault!("reserve-aligns-only-to-a-page", ["VMM-RES-001"], "An address is aligned only to a page.")
        && alignment == GRANULARITY
    {
        return base + PAGE;
    }
    let half = alignment / 2;
    let is_halved = fault!("reserve-halves-an-alignment-of-1-gib", ["VMM-RES-005"], "An alignment of 1 GiB is halved.")
        && alignment == 1 << 30
        || fault!("reserve-ignores-the-alignment", ["VMM-RES-005"], "The alignment has no effect.")
            && alignment > GRANULARITY;
    match is_halved {
        true if base - first >= half => base - half,
        true => base + half,
        false => base,
    }
}

/// Reserves addresses at which nothing is mapped, starting at the hint if those are free.
fn reserve(size: u64, alignment: u64, hint: u64) -> Result<u64> {
    let is_cut = fault!("reserve-cuts-the-alignment", ["VMM-RES-005"], "Only the lower 32 bits of an alignment count.");
    let alignment = if is_cut { alignment & 0xffff_ffff } else { alignment }.max(GRANULARITY);
    let length = size.checked_add(alignment).ok_or(OUT_OF_MEMORY)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping, which replaces nothing.
    let address = unsafe { libc::mmap(hint as *mut c_void, length as usize, libc::PROT_NONE, flags, -1, 0) };
    if address == libc::MAP_FAILED {
        return Err(OUT_OF_MEMORY);
    }
    let (first, end) = (address as u64, address as u64 + length);
    let base = place(first, alignment);
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
        let mut state = state().map_err(|code| {
            let names_the_context = fault!(
                "reserve-before-init-names-the-context",
                ["VMM-RES-013"],
                "Before cuInit, a reservation is refused as if only the context were missing."
            );
            if names_the_context { INVALID_CONTEXT } else { code }
        })?;
        output.wanted()?;
        if fault!("reserve-needs-a-context", ["VMM-RES-013"], "Without a current context, nothing is reserved.") {
            state.current()?;
        }
        let (size, alignment) = (size as u64, alignment as u64);
        let size = if is_size_rounded(size) { size.next_multiple_of(PAGE) } else { size };
        // VMM-RES-002 to -004, -007, -008
        let hint = if is_hint_rounded(hint) { hint & !(PAGE - 1) } else { hint };
        let is_aligned = size.is_multiple_of(PAGE) && hint.is_multiple_of(PAGE);
        if size == 0
            || !is_aligned
            || alignment != 0 && !alignment.is_power_of_two() && !is_odd_alignment_accepted(alignment)
            || flags != 0 && !are_flags_accepted(flags)
            || hint != 0 && fault!("reserve-refuses-a-hint", ["VMM-RES-006"], "Every hint is refused.")
            || size > 512 << 20
                && fault!("reserve-refuses-more-than-512-mib", ["VMM-RES-001"], "More than 512 MiB is not reserved.")
        {
            return Err(INVALID_VALUE);
        }
        let base = match state.reservation(hint) {
            Some((base, _)) if base == hint && fault!(
                "reserve-an-occupied-hint-is-given-again",
                ["VMM-RES-007"],
                "A hint that is reserved already is given again.",
            ) => hint,
            Some((base, _)) if base != hint && fault!(
                "reserve-a-hint-inside-a-reservation-is-given-again",
                ["VMM-RES-007"],
                "A hint inside a reservation is given again: only its base is checked.",
            ) => hint,
            _ => reserve(size, alignment.next_power_of_two(), hint)?,
        };
        if fault!("reserve-writes-no-address", ["VMM-RES-001"], "The reserved address is not returned.") {
            state.reservations.insert(base, size);
            return Ok(());
        }
        state.reservations.insert(base, size);
        output.give(base)
    }

    fn cuMemAddressFree(address: CUdeviceptr, size: usize) {
        let mut state = state()?;
        let size = size as u64;
        // VMM-RES-009 to -011
        let (found, length) = state.faulty_match(address, size).unwrap_or((address, size));
        if state.reservations.get(&found) != Some(&length) {
            if fault!(
                "address-free-forgets-what-it-refuses-to-free",
                ["VMM-RES-009"],
                "A refused call still forgets the reservation."
            ) {
                state.reservations.retain(|base, length| !(*base..*base + *length).contains(&address));
            }
            return Err(INVALID_VALUE);
        }
        if state.is_taken(found, found + length) {
            state.free_mapped(found, length)?;
        }
        if fault!(
            "address-free-keeps-the-reservation",
            ["VMM-MAP-007"],
            "Freed addresses still count as reserved, so memory can be mapped there."
        ) {
            return Ok(());
        }
        state.reservations.remove(&found);
        unmap(found, length);
        Ok(())
    }
}

/// The faults of a size that is not a multiple of a page.
fn is_size_rounded(size: u64) -> bool {
    !size.is_multiple_of(PAGE)
        && fault!("reserve-rounds-the-size-up", ["VMM-RES-003"], "A size is rounded up to pages.")
        || size % PAGE == PAGE / 2
            && fault!("reserve-accepts-half-a-page", ["VMM-RES-003"], "A size may end in the middle of a page.")
        || size % PAGE == 1
            && fault!("reserve-accepts-one-byte-more", ["VMM-RES-003"], "A size may have one byte more than its pages.")
}

/// The faults of a hint that is not a multiple of a page.
fn is_hint_rounded(hint: u64) -> bool {
    !hint.is_multiple_of(PAGE)
        && (fault!("reserve-rounds-the-hint-down", ["VMM-RES-007"], "A hint is rounded down to a page.")
            || hint.is_multiple_of(512)
                && fault!(
                    "reserve-accepts-a-hint-within-a-page",
                    ["VMM-RES-007"],
                    "A hint need only be a multiple of 512."
                ))
}

/// The faults of an alignment that is not a power of two.
fn is_odd_alignment_accepted(alignment: u64) -> bool {
    fault!("reserve-rounds-the-alignment-up", ["VMM-RES-004"], "Any alignment is rounded up to a power of two.")
        || alignment.is_multiple_of(GRANULARITY)
            && fault!(
                "reserve-accepts-an-alignment-of-whole-granules",
                ["VMM-RES-004"],
                "An alignment need only be a multiple of the granularity."
            )
}

/// The faults of flags that are not 0.
fn are_flags_accepted(flags: u64) -> bool {
    fault!("reserve-ignores-flags", ["VMM-RES-008"], "Flags have no effect.")
        || flags & 1 == 0
            && fault!("reserve-checks-only-one-flag", ["VMM-RES-008"], "Only bit 0 of the flags is checked.")
        || flags as u32 == 0
            && fault!("reserve-checks-only-32-flags", ["VMM-RES-008"], "The upper half of the flags is not checked.")
}

impl State {
    /// The reservation that a faulty `cuMemAddressFree` frees for arguments that do not match.
    fn faulty_match(&self, address: u64, size: u64) -> Option<(u64, u64)> {
        if address == 0 {
            let is_accepted =
                fault!("address-free-accepts-null", ["VMM-RES-009"], "Freeing null frees some reservation.");
            return self.reservations.iter().next().filter(|_| is_accepted).map(|(base, length)| (*base, *length));
        }
        let (base, length) = self.reservation(address)?;
        let is_accepted = if address != base {
            address + size > base + length
                && fault!("address-free-rounds-the-address-down", ["VMM-RES-009"], "An address inside is accepted.")
                || address + size == base + length
                    && fault!(
                        "address-free-accepts-the-last-part",
                        ["VMM-RES-009"],
                        "The last part of a reservation is accepted."
                    )
        } else {
            size != 0
                && size < length
                && fault!(
                    "address-free-accepts-the-first-part",
                    ["VMM-RES-009"],
                    "A size that is too small is accepted."
                )
                || size > length
                    && fault!(
                        "address-free-accepts-a-larger-size",
                        ["VMM-RES-009"],
                        "A size that is too large is accepted."
                    )
                || size == 0
                    && fault!(
                        "address-free-takes-0-for-the-whole",
                        ["VMM-RES-009"],
                        "Size 0 stands for the whole reservation."
                    )
        };
        is_accepted.then_some((base, length))
    }

    /// Refuses to free a reservation that contains a mapping (VMM-RES-010).
    fn free_mapped(&mut self, base: u64, size: u64) -> Result<()> {
        if fault!(
            "address-free-leaves-a-mapping-dangling",
            ["VMM-RES-010"],
            "The mapping stays where nothing is reserved."
        ) || fault!(
            "address-free-checks-only-the-first-granule",
            ["VMM-RES-010"],
            "A mapping further on is not seen."
        ) && !self.is_taken(base, base + GRANULARITY)
        {
            return Ok(());
        }
        if fault!("address-free-unmaps", ["VMM-RES-010"], "The mapping is unmapped silently, and the call succeeds.") {
            self.ranges.retain(|_, range| range.end() <= base || base + size <= range.base);
            return Ok(());
        }
        if fault!("address-free-refuses-and-unmaps", ["VMM-RES-010"], "The call is refused, but the mapping is gone.") {
            self.ranges.retain(|_, range| range.end() <= base || base + size <= range.base);
        }
        Err(INVALID_VALUE)
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
