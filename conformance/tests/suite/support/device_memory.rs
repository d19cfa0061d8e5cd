//! The memory in use on a device, as another process sees it.

use std::time::{Duration, Instant};

use conformance::{GIB, MIB, Outcome, Role, Stop, trace};

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

/// Returns the free memory when it is enough, or when that has taken too long.
pub(crate) fn free_in_the_end(role: &Role, is_enough: impl Fn(u64) -> bool) -> Result<u64, Stop> {
    const PATIENCE: Duration = Duration::from_secs(3);
    const PAUSE: Duration = Duration::from_millis(10);
    let deadline = Instant::now() + PATIENCE;
    loop {
        let free = role.mem_get_info()?.free;
        if is_enough(free) || Instant::now() > deadline {
            return Ok(free);
        }
        // Nothing signals that a driver has freed memory, after a delay or of an ended process.
        std::thread::sleep(PAUSE);
    }
}

/// Compares the free memory of a device with its free memory at [`Account::open`]. The trace gets each comparison, so that
/// the C program of a report makes it too. Half of the large allocation allows for small allocations of others.
pub(crate) struct Account<'role> {
    role: &'role Role,
    free: u64,
    /// The size of the allocation that the account can see, in bytes.
    pub(crate) large: u64,
}

impl<'role> Account<'role> {
    pub(crate) fn open(role: &'role Role) -> Result<Self, Stop> {
        // With some memory in use, the free memory is never the total: the trace knows the two by their numbers.
        role.mem_alloc(2 * MIB)?;
        let free = role.mem_get_info()?.free;
        Ok(Self { role, free: trace::computed(free, "{0}", &[free]), large: large(role)? })
    }

    /// Checks that the large allocation is in use.
    pub(crate) fn check_held(&self) -> Outcome {
        let free = self.role.mem_get_info()?.free;
        let is_held = self.shows_the_allocation(free);
        trace::check(&format!("after.free + {} < before.free", self.large / 2), &free, "<", &self.free, is_held);
        self.require(is_held, "not in use", free)
    }

    /// Checks that the large allocation has been freed by a call. Asks several times, because the driver may free it after
    /// a delay.
    pub(crate) fn check_given_back(&self) -> Outcome {
        let free = free_in_the_end(self.role, |free| !self.shows_the_allocation(free))?;
        self.check_free("", free)
    }

    /// Checks that the large allocation has been freed by the last call.
    pub(crate) fn check_given_back_at_once(&self) -> Outcome {
        self.check_free(" at once", self.role.mem_get_info()?.free)
    }

    fn check_free(&self, when: &str, free: u64) -> Outcome {
        let is_free = !self.shows_the_allocation(free);
        let text = format!("after.free + {} >= before.free{when}", self.large / 2);
        trace::check(&text, &free, ">=", &self.free, is_free);
        self.require(is_free, "still in use", free)
    }

    fn require(&self, holds: bool, what: &str, free: u64) -> Outcome {
        if holds {
            return Ok(());
        }
        Err(Stop::failed(format!("the memory is {what}: {free} bytes are free, {} were before", self.free)))
    }

    /// Returns whether the large allocation is still in use.
    pub(crate) fn is_held(&self) -> Result<bool, Stop> {
        Ok(self.shows_the_allocation(self.role.mem_get_info()?.free))
    }

    const fn shows_the_allocation(&self, free: u64) -> bool {
        free.saturating_add(self.large / 2) < self.free
    }
}
