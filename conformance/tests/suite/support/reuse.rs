//! Addresses that an allocation has after another one was freed there.

use conformance::{Outcome, Pointer, Role, Stop};

/// Allocates until an allocation has the address of one that was freed. Ends the case as unsupported if none has.
pub(crate) fn allocate_again_at(role: &Role, address: Pointer, size: u64) -> Outcome {
    const TRIES: usize = 16;
    for _ in 0..TRIES {
        if role.mem_alloc(size)? == address {
            return Ok(());
        }
    }
    Err(Stop::Unsupported(format!("the address was not reused in {TRIES} allocations")))
}
