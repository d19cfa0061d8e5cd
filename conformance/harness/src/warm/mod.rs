//! Warm roles: processes with an initialised driver and a context, which serve one case after another.

mod balance;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::process::{Bytes, Process, Settings, Start};
use crate::{Placement, Stop};

pub(crate) use balance::Balance;

/// The roles that wait for a case, and the balance of the device memory that all roles use.
#[derive(Debug)]
pub(crate) struct WarmRoles {
    settings: Settings,
    fresh: bool,
    idle: Mutex<Vec<Process>>,
    balance: Mutex<Balance>,
}

/// The maximum number of idle roles, because each one holds device memory: enough to replace what the next cases kill.
const MOST_IDLE: usize = 10;

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

    /// Returns a role with this placement: a warm one if there is one, else a new one.
    pub(crate) fn take(&self, name: &str, placement: Placement) -> Result<Process, Stop> {
        let mut idle = self.idle();
        if let Some(index) = idle.iter().position(|process| process.placement == placement) {
            let mut process = idle.swap_remove(index);
            name.clone_into(&mut process.name);
            process.deadline = self.settings.deadline;
            process.may_be_lost = false;
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

    /// Keeps a clean role for the next case, or ends it if it must serve one case only.
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

    /// Ends a role.
    pub(crate) fn end(&self, process: Process) {
        let price = process.price.clone();
        drop(process);
        self.balance().role_ended(&price);
    }

    /// Returns the memory that is missing after a case is over and the roles released their resources. Memory beyond
    /// `kept` may come back within `patience`.
    pub(crate) fn settle(&self, kept: u64, patience: Duration) -> Bytes {
        self.balance().settle(kept, patience)
    }

    /// Ends every idle role and every keeper.
    pub(crate) fn clear(&self) {
        self.idle().clear();
        *self.balance() = Balance::default();
    }
}
