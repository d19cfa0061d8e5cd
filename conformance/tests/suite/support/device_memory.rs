//! The memory in use on a device, as another process sees it.

use std::time::{Duration, Instant};

use conformance::{GIB, MIB, Outcome, Role, Stop};

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
pub(crate) struct Account<'role> {
    role: &'role Role,
    free: u64,
    /// The size of the allocation that the account can see, in bytes.
    pub(crate) large: u64,
}

impl<'role> Account<'role> {
    pub(crate) fn open(role: &'role Role) -> Result<Self, Stop> {
        Ok(Self { role, free: role.mem_get_info()?.free, large: large(role)? })
    }

    /// Returns whether the large allocation has been freed. Asks several times, because the memory of a killed process
    /// may return after a delay.
    pub(crate) fn is_given_back(&self) -> Result<bool, Stop> {
        const PATIENCE: Duration = Duration::from_secs(3);
        let deadline = Instant::now() + PATIENCE;
        while self.is_held()? {
            if Instant::now() > deadline {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether the large allocation is still in use.
    pub(crate) fn is_held(&self) -> Result<bool, Stop> {
        Ok(self.role.mem_get_info()?.free + self.large / 2 < self.free)
    }
}
