//! Spare roles: processes that start while a case runs, because a driver takes more than 0.1 s to start.

use std::collections::BTreeMap;
use std::thread::{self, JoinHandle};

use crate::Placement;
use crate::process::{Bytes, Process, Settings};

/// A role that starts in another thread. Its memory is not in the balance yet.
#[derive(Debug)]
pub(super) struct Starting(JoinHandle<Option<Process>>);

impl Starting {
    /// Begins to start a role. Returns `None` if the system has no thread for it.
    fn begin(placement: Placement, settings: Settings) -> Option<Self> {
        // A spare that does not start is not missed: the case that needs a role starts one, and reports why it failed.
        let start = move || Process::start("spare", placement, &settings).ok();
        thread::Builder::new().name("spare role".to_owned()).spawn(start).ok().map(Self)
    }

    /// Waits until the role has started.
    pub(super) fn finish(self) -> Option<Process> {
        self.0.join().ok().flatten()
    }
}

/// What is known about spare roles.
#[derive(Debug, Default)]
pub(super) struct Spares {
    /// The role that starts now. Drivers start one process after another, so two would not start faster.
    starting: Option<Starting>,
    /// The price of a role on each device. It is measured while nothing else starts, so the first role on a device is
    /// no spare.
    prices: BTreeMap<i32, Bytes>,
    /// Whether the running case reads the free memory, which a start would change.
    held: bool,
}

impl Spares {
    /// Records the price of a role that was started while nothing else started.
    pub(super) fn learn(&mut self, placement: &Placement, price: &Bytes) {
        if *placement == Placement::device(placement.device) {
            self.prices.insert(placement.device, price.clone());
        }
    }

    /// Returns the price of a role on a device.
    pub(super) fn price(&self, device: i32) -> Bytes {
        self.prices.get(&device).cloned().unwrap_or_default()
    }

    /// Begins to start a role on the first device of which `is_short` is true.
    pub(super) fn begin(&mut self, settings: &Settings, is_short: impl Fn(&Placement) -> bool) {
        if self.held || self.starting.is_some() {
            return;
        }
        let short = self.prices.keys().map(|device| Placement::device(*device)).find(is_short);
        self.starting = short.and_then(|placement| Starting::begin(placement, settings.clone()));
    }

    /// Whether a role is still starting.
    pub(super) fn is_starting(&self) -> bool {
        self.starting.as_ref().is_some_and(|starting| !starting.0.is_finished())
    }

    /// Takes the role that starts, or has started.
    pub(super) const fn take(&mut self) -> Option<Starting> {
        self.starting.take()
    }

    /// Sets whether no role may begin to start.
    pub(super) const fn hold(&mut self, held: bool) {
        self.held = held;
    }
}
