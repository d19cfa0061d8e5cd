//! Warm roles: a process whose driver is started and whose context is made, used by one case after another.

mod balance;

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::process::{Bytes, Process, Settings, Start};
use crate::{Placement, Stop};

pub(crate) use balance::Balance;

/// The roles that wait for a case, and the balance of the device memory that all roles take.
#[derive(Debug)]
pub(crate) struct WarmRoles {
    settings: Settings,
    fresh: bool,
    idle: Mutex<Vec<Process>>,
    balance: Mutex<Balance>,
}

/// More would only hold device memory.
const MOST_IDLE: usize = 6;

impl WarmRoles {
    pub(crate) fn new(settings: Settings, fresh: bool, balance: Balance) -> Self {
        Self { settings, fresh, idle: Mutex::default(), balance: Mutex::new(balance) }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Process>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn balance(&self) -> MutexGuard<'_, Balance> {
        self.balance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A role at this place: a warm one, or a new one.
    pub(crate) fn take(&self, name: &str, placement: Placement) -> Result<Process, Stop> {
        let mut idle = self.idle();
        if let Some(index) = idle.iter().position(|process| process.placement == placement) {
            let mut process = idle.swap_remove(index);
            name.clone_into(&mut process.name);
            process.deadline = self.settings.deadline;
            return Ok(process);
        }
        drop(idle);
        let mut balance = self.balance();
        let before = balance.free();
        let mut process = Process::start(name, placement, &self.settings).map_err(|start| match start {
            Start::NoDriver(message) => Stop::Harness(format!("{name}: {message}")),
            Start::NoDevice(message) => Stop::Missing(format!("{name}: {message}")),
            Start::Failed(stop) => stop,
        })?;
        process.price = balance.role_started(&before);
        Ok(process)
    }

    /// A role that proved clean waits for the next case.
    pub(crate) fn put_back(&self, process: Process) {
        if self.fresh || process.placement.is_fresh || process.placement.pid_namespace.is_some() {
            return self.end(process);
        }
        let mut idle = self.idle();
        idle.push(process);
        let oldest = (idle.len() > MOST_IDLE).then(|| idle.remove(0));
        drop(idle);
        if let Some(oldest) = oldest {
            self.end(oldest);
        }
    }

    /// End a role for good.
    pub(crate) fn end(&self, process: Process) {
        let price = process.price.clone();
        drop(process);
        self.balance().role_ended(&price);
    }

    /// A case is over: what is missing although everything was given back.
    pub(crate) fn settle(&self) -> Bytes {
        self.balance().settle()
    }

    /// End every role and every keeper.
    pub(crate) fn clear(&self) {
        self.idle().clear();
        *self.balance() = Balance::default();
    }
}
