//! How much of a device's memory is taken, as another process sees it.

use conformance::{GIB, Role, Stop};

/// Much larger than the contexts of processes that come and go.
pub(crate) const LARGE: u64 = 4 * GIB;

/// How much of a device's memory has gone since a moment.
pub(crate) struct Account<'role> {
    role: &'role Role,
    free: u64,
}

impl<'role> Account<'role> {
    pub(crate) fn open(role: &'role Role) -> Result<Self, Stop> {
        Ok(Self { role, free: role.mem_get_info()?.free })
    }

    /// Whether the large allocation has gone, which may take a moment where its process was killed.
    pub(crate) fn is_given_back(&self) -> Result<bool, Stop> {
        const QUESTIONS: usize = 1000;
        for _ in 0..QUESTIONS {
            if !self.is_held()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the large allocation is still there.
    pub(crate) fn is_held(&self) -> Result<bool, Stop> {
        Ok(self.role.mem_get_info()?.free + LARGE / 2 < self.free)
    }
}
