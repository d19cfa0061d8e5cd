//! The balance of device memory: how much memory should be free, given the roles that live.
//!
//! Free memory is a property of the whole device: a new context of another role reduces it just as a leak does. So a
//! role cannot detect leaks by itself. Keepers are roles that only read the free memory. They read it before and after
//! every start of a role, so that the price of its context is known, and again when a case is over.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use std::{mem, thread};

use crate::MemInfo;
use crate::calls::AnyCall;
use crate::calls::memory::Call;
use crate::process::{Bytes, Process};

/// The memory that should be free on each device.
#[derive(Debug, Default)]
pub(crate) struct Balance {
    keepers: BTreeMap<i32, Process>,
    expected: Bytes,
}

impl Balance {
    /// Watches the keepers' devices. Without keepers, no leak is detected.
    pub(crate) fn new(keepers: BTreeMap<i32, Process>) -> Self {
        let mut balance = Self { keepers, expected: Bytes::new() };
        balance.expected = balance.free();
        balance
    }

    /// Lets the keepers exit. Dropping this waits for that.
    pub(crate) fn begin_to_exit(&self) {
        self.keepers.values().for_each(Process::begin_to_exit);
    }

    /// Whether no device is watched.
    pub(crate) fn is_empty(&self) -> bool {
        self.keepers.is_empty()
    }

    /// Returns the memory that is free now. A keeper that crashes or hangs is reported: without it, no leak on its device
    /// is noticed.
    pub(crate) fn free(&mut self) -> Bytes {
        let mut free = Bytes::new();
        self.keepers.retain(|device, keeper| match keeper.perform(&AnyCall::from(Call::mem_info {})) {
            Ok(Ok(MemInfo { free: bytes, .. })) => {
                free.insert(*device, bytes);
                true
            }
            Ok(Err(_)) => true,
            Err(stop) => {
                keeper.report(&stop);
                false
            }
        });
        free
    }

    /// Returns the memory that was taken since `before` was free.
    pub(crate) fn price_since(&mut self, before: &Bytes) -> Bytes {
        missing(before, &self.free())
    }

    /// Records the start of a role: its price is expected to be in use.
    pub(crate) fn role_started(&mut self, price: &Bytes) {
        for (device, bytes) in price {
            if let Some(expected) = self.expected.get_mut(device) {
                *expected = expected.saturating_sub(*bytes);
            }
        }
    }

    /// Records the end of a role: its price is expected to be free.
    pub(crate) fn role_ended(&mut self, price: &Bytes) {
        for (device, bytes) in price {
            if let Some(expected) = self.expected.get_mut(device) {
                *expected += bytes;
            }
        }
    }

    /// Returns the memory of each device that is missing now.
    pub(crate) fn missing(&mut self) -> Bytes {
        missing(&self.expected.clone(), &self.free())
    }

    /// Expects from now on what is free now.
    pub(crate) fn begin_anew(&mut self) {
        self.expected = self.free();
    }

    /// Returns the missing memory of each device after a case is over and the roles released their resources. Then
    /// expects the current values.
    ///
    /// As long as more than `kept` is missing, it reads again until `patience` is over. A leak does not come back.
    pub(crate) fn settle(&mut self, kept: u64, patience: Duration) -> Bytes {
        let expected = mem::take(&mut self.expected);
        let deadline = Instant::now() + patience;
        loop {
            self.begin_anew();
            let missing = missing(&expected, &self.expected);
            if missing.values().all(|bytes| *bytes <= kept) || Instant::now() >= deadline {
                return missing;
            }
            // Nothing signals that a driver has freed the memory of an ended process.
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn missing(expected: &Bytes, free: &Bytes) -> Bytes {
    let missing = |(device, expected): (&i32, &u64)| Some((*device, expected.saturating_sub(*free.get(device)?)));
    expected.iter().filter_map(missing).collect()
}
