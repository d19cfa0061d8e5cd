//! The memory in use on a device, as another process sees it.

use std::time::{Duration, Instant};

use conformance::{GIB, Role, Stop};

/// The size of an allocation that is much larger than the contexts of processes that start or end meanwhile.
pub(crate) const LARGE: u64 = 4 * GIB;

/// Compares the free memory of a device with its free memory at [`Account::open`].
pub(crate) struct Account<'role> {
    role: &'role Role,
    free: u64,
}

impl<'role> Account<'role> {
    pub(crate) fn open(role: &'role Role) -> Result<Self, Stop> {
        Ok(Self { role, free: role.mem_get_info()?.free })
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
        Ok(self.role.mem_get_info()?.free + LARGE / 2 < self.free)
    }
}
