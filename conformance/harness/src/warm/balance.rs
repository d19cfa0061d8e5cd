//! The balance of device memory: what should be free, with every role that lives.
//!
//! Free memory is a number of the whole device, so no role can judge by itself: a context that another role makes
//! looks like a leak to it. Keepers, which do nothing else, read the number around every start of a role, so that the
//! price of its context is known, and once a case is over.

use std::collections::BTreeMap;

use crate::MemInfo;
use crate::calls::AnyCall;
use crate::calls::memory::Call;
use crate::process::{Bytes, Process};

/// What the devices should have free.
#[derive(Debug, Default)]
pub(crate) struct Balance {
    keepers: BTreeMap<i32, Process>,
    expected: Bytes,
}

impl Balance {
    /// Watch these devices. Without keepers nothing is judged.
    pub(crate) fn new(keepers: BTreeMap<i32, Process>) -> Self {
        let mut balance = Self { keepers, expected: Bytes::new() };
        balance.expected = balance.free();
        balance
    }

    /// What is free now.
    pub(crate) fn free(&mut self) -> Bytes {
        let read = |(device, keeper): (&i32, &mut Process)| {
            let info: MemInfo = keeper.perform(&AnyCall::from(Call::mem_get_info {})).ok()?.ok()?;
            Some((*device, info.free))
        };
        self.keepers.iter_mut().filter_map(read).collect()
    }

    /// A role started: what it took is not missing. Returns its price.
    pub(crate) fn role_started(&mut self, before: &Bytes) -> Bytes {
        let after = self.free();
        let price = |(device, free): (&i32, &u64)| {
            let after = after.get(device)?;
            Some((*device, free.saturating_sub(*after)))
        };
        let price: Bytes = before.iter().filter_map(price).collect();
        for (device, bytes) in &price {
            if let Some(expected) = self.expected.get_mut(device) {
                *expected = expected.saturating_sub(*bytes);
            }
        }
        price
    }

    /// A role is gone: what it took should be back.
    pub(crate) fn role_ended(&mut self, price: &Bytes) {
        for (device, bytes) in price {
            if let Some(expected) = self.expected.get_mut(device) {
                *expected += bytes;
            }
        }
    }

    /// A case is over and everything was given back: what is missing, by device. From here on the present counts.
    pub(crate) fn settle(&mut self) -> Bytes {
        let free = self.free();
        let missing = |(device, expected): (&i32, &u64)| {
            let missing = expected.saturating_sub(*free.get(device)?);
            Some((*device, missing))
        };
        let missing = self.expected.iter().filter_map(missing).collect();
        self.expected = free;
        missing
    }
}
