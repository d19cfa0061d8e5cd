//! The memory in use on a device, as another process sees it.

use std::cell::Cell;
use std::time::{Duration, Instant};

use conformance::{GIB, MIB, Outcome, Role, Stop, check};

/// Returns a size in bytes that is at most a quarter of the device's memory, and much larger than the contexts that
/// other processes may create meanwhile.
pub(crate) fn large(role: &Role) -> Result<u64, Stop> {
    const GRANULARITY: u64 = 32 * MIB;
    let quarter = role.mem_get_info()?.total / 4;
    Ok(quarter.min(4 * GIB) / GRANULARITY * GRANULARITY)
}

/// Device memory left free for contexts and other allocations.
const RESERVE: u64 = GIB;

/// Ends the case as unsupported if the device has too little free memory for allocations of the given size.
pub(crate) fn need_free_memory(role: &Role, size: u64) -> Outcome {
    if role.mem_get_info()?.free >= size + RESERVE {
        return Ok(());
    }
    Err(Stop::Unsupported(format!("needs {} MiB of free device memory", (size + RESERVE) / MIB)))
}

/// Compares the free memory of a device with its free memory at [`Account::open`].
///
/// The conditions of the checks begin with a comparison of what two calls returned, which a program of the case can
/// repeat. The rest of them allows for small allocations of others.
pub(crate) struct Account<'role> {
    role: &'role Role,
    free: u64,
    /// The free memory when [`Account::check_held`] last saw the large allocation in use.
    free_while_held: Cell<u64>,
    /// The size of the allocation that the account can see, in bytes.
    pub(crate) large: u64,
}

impl<'role> Account<'role> {
    pub(crate) fn open(role: &'role Role) -> Result<Self, Stop> {
        // With some memory in use, the free memory is never the total: a program knows the two by their numbers.
        role.mem_alloc(2 * MIB)?;
        let free = role.mem_get_info()?.free;
        Ok(Self { role, free, free_while_held: Cell::new(0), large: large(role)? })
    }

    /// Checks that the large allocation is in use.
    pub(crate) fn check_held(&self) -> Outcome {
        let free = self.role.mem_get_info()?.free;
        check!(free < self.free && self.shows_the_allocation(free), "the memory is not in use: {free} bytes are free");
        self.free_while_held.set(free);
        Ok(())
    }

    /// Checks that the large allocation, which [`Account::check_held`] saw in use, has been freed by a call. Asks several
    /// times, because the driver may free it after a delay.
    pub(crate) fn check_given_back(&self) -> Outcome {
        self.check_more_than_held(self.free_in_the_end()?)
    }

    /// Checks that the large allocation, which [`Account::check_held`] saw in use, has been freed by the last call.
    pub(crate) fn check_given_back_at_once(&self) -> Outcome {
        self.check_more_than_held(self.role.mem_get_info()?.free)
    }

    fn check_more_than_held(&self, free: u64) -> Outcome {
        let held = self.free_while_held.get();
        check!(free > held && !self.shows_the_allocation(free), "the memory is still in use: {free} bytes are free");
        Ok(())
    }

    /// Returns the free memory when the large allocation has been freed, or when that has taken too long.
    fn free_in_the_end(&self) -> Result<u64, Stop> {
        const PATIENCE: Duration = Duration::from_secs(3);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let free = self.role.mem_get_info()?.free;
            if !self.shows_the_allocation(free) || Instant::now() > deadline {
                return Ok(free);
            }
        }
    }

    /// Returns whether the large allocation is still in use.
    pub(crate) fn is_held(&self) -> Result<bool, Stop> {
        Ok(self.shows_the_allocation(self.role.mem_get_info()?.free))
    }

    const fn shows_the_allocation(&self, free: u64) -> bool {
        free + self.large / 2 < self.free
    }
}
