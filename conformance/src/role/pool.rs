//! Warm roles: a process whose driver is started and whose context is made, used by one case after another.

use std::sync::{Mutex, PoisonError};

use crate::Stop;
use crate::role::Placement;
use crate::role::process::{Process, Settings, Start};

/// The roles that wait for a case.
#[derive(Debug)]
pub(crate) struct Pool {
    settings: Settings,
    fresh: bool,
    idle: Mutex<Vec<Process>>,
}

/// More would only hold device memory.
const MOST_IDLE: usize = 6;

impl Pool {
    pub(crate) const fn new(settings: Settings, fresh: bool) -> Self {
        Self { settings, fresh, idle: Mutex::new(Vec::new()) }
    }

    /// A role at this place: a warm one, or a new one.
    pub(crate) fn take(&self, name: &str, placement: Placement) -> Result<Process, Stop> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = idle.iter().position(|process| process.placement == placement) {
            let mut process = idle.swap_remove(index);
            name.clone_into(&mut process.name);
            process.deadline = self.settings.deadline;
            return Ok(process);
        }
        drop(idle);
        Process::start(name, placement, &self.settings).map_err(|start| match start {
            Start::NoDriver(message) => Stop::Harness(format!("{name}: {message}")),
            Start::NoDevice(message) => Stop::Unsupported(format!("{name}: {message}")),
            Start::Failed(stop) => stop,
        })
    }

    /// A role that proved clean. The others are dropped, which ends them.
    pub(crate) fn put_back(&self, process: Process) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.fresh {
            if idle.len() >= MOST_IDLE {
                idle.remove(0);
            }
            idle.push(process);
        }
    }

    /// End every idle role.
    pub(crate) fn clear(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
