//! Warm roles: processes with an initialised driver and a context, which serve one case after another. Spare roles start
//! while a case runs.

mod balance;
mod spare;

use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::process::{Bytes, Process, Settings, Start, orphans};
use crate::{Placement, Stop};

pub(crate) use balance::Balance;
use spare::Spares;

/// Where the role for a case comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Supply {
    /// A new process.
    Fresh,
    /// A process that has served another case, if one is idle.
    Warm,
    /// As `Warm`. In addition, processes start while a case runs.
    WarmAndSpare,
}

thread_local! {
    static WAITED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Starts or awaits a role, and counts the time as that of [`take_waited`].
fn waited<T>(start: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let started = start();
    WAITED.set(WAITED.get() + began.elapsed());
    started
}

/// Returns how long this thread has waited for roles to start since the last call. Which case waits for a start is
/// chance, so it is not part of the duration of the case.
pub(crate) fn take_waited() -> Duration {
    WAITED.take()
}

/// The roles that wait for a case, and the balance of the device memory that all roles use.
#[derive(Debug)]
pub(crate) struct WarmRoles {
    settings: Settings,
    supply: Supply,
    idle: Mutex<Vec<Process>>,
    balance: Mutex<Balance>,
    spares: Mutex<Spares>,
}

/// The maximum number of idle roles, because each one holds device memory: enough to replace what the next cases kill.
const MOST_IDLE: usize = 10;

/// The number of idle roles on a device below which another one starts: the most that a usual case kills.
const FEWEST_IDLE: usize = 2;

impl WarmRoles {
    pub(crate) fn new(settings: Settings, supply: Supply, balance: Balance) -> Self {
        Self { settings, supply, idle: Mutex::default(), balance: Mutex::new(balance), spares: Mutex::default() }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Process>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn balance(&self) -> MutexGuard<'_, Balance> {
        self.balance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spares(&self) -> MutexGuard<'_, Spares> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a role with this placement: a warm one if there is one, else a new one.
    pub(crate) fn take(&self, name: &str, placement: Placement) -> Result<Process, Stop> {
        let process = match self.take_idle(name, &placement) {
            Some(process) => process,
            None => {
                // The spare may have this placement. If not, its start would be measured as part of the price.
                self.collect_spare();
                self.take_idle(name, &placement).map_or_else(|| self.start(name, placement), Ok)?
            }
        };
        self.begin_spare();
        Ok(process)
    }

    fn take_idle(&self, name: &str, placement: &Placement) -> Option<Process> {
        let mut process = loop {
            let mut idle = self.idle();
            let index = idle.iter().position(|process| process.placement == *placement)?;
            let mut process = idle.swap_remove(index);
            drop(idle);
            // The memory of one that ended is free already, or will be: its price stays out of the balance, so that the
            // case is not blamed.
            if !process.has_ended_unasked() {
                break process;
            }
        };
        name.clone_into(&mut process.name);
        process.deadline = self.settings.deadline;
        process.may_be_lost = false;
        Some(process)
    }

    fn start(&self, name: &str, placement: Placement) -> Result<Process, Stop> {
        let mut balance = self.balance();
        let before = balance.free();
        let mut process = waited(|| Process::start(name, placement, &self.settings)).map_err(|start| match start {
            Start::NoDriver(message) => Stop::Harness(format!("{name}: {message}")),
            Start::NoDevice(message) => Stop::Missing(format!("{name}: {message}")),
            Start::Failed(stop) => stop,
        })?;
        process.price = balance.price_since(&before);
        balance.role_started(&process.price);
        self.spares().learn(&process.placement, &process.price);
        Ok(process)
    }

    /// Begins to start a role for later, if a device has too few idle ones.
    fn begin_spare(&self) {
        if self.supply != Supply::WarmAndSpare {
            return;
        }
        self.collect_started_spare();
        let idle = self.idle();
        let is_short =
            |placement: &Placement| idle.iter().filter(|process| process.placement == *placement).count() < FEWEST_IDLE;
        self.spares().begin(&self.settings, is_short);
    }

    /// Adds the spare role to the idle ones. Waits until it has started.
    fn collect_spare(&self) {
        // The locks are not held while this thread waits.
        let Some(starting) = self.spares().take() else { return };
        let Some(mut process) = waited(|| starting.finish()) else { return };
        process.price = self.spares().price(process.placement.device);
        self.balance().role_started(&process.price);
        self.idle().push(process);
    }

    /// Adds the spare role to the idle ones if it has started. Returns whether one is still starting.
    fn collect_started_spare(&self) -> bool {
        let is_starting = self.spares().is_starting();
        if !is_starting {
            self.collect_spare();
        }
        is_starting
    }

    /// Lets no role begin to start until [`WarmRoles::end_case`], because the case reads the free memory.
    pub(crate) fn hold_starts(&self) {
        self.spares().hold(true);
        self.collect_spare();
    }

    /// Prepares for the next case, after the account of a case is settled.
    pub(crate) fn end_case(&self) {
        self.spares().hold(false);
        self.begin_spare();
    }

    /// Whether a clean role may serve another case.
    pub(crate) fn serves_again(&self, placement: &Placement) -> bool {
        self.supply != Supply::Fresh && !placement.is_fresh && placement.pid_namespace.is_none()
    }

    /// Keeps a clean role for the next case, or ends it if it must serve one case only.
    ///
    /// # Errors
    /// [`Stop`], if the role did not end in order.
    pub(crate) fn put_back(&self, process: Process) -> Result<(), Stop> {
        if !self.serves_again(&process.placement) {
            return self.end(process);
        }
        let mut idle = self.idle();
        idle.push(process);
        let oldest = (idle.len() > MOST_IDLE).then(|| idle.remove(0));
        drop(idle);
        if let Some(oldest) = oldest {
            self.end_unowned(oldest);
        }
        Ok(())
    }

    /// Ends a role of a case.
    ///
    /// # Errors
    /// [`Stop`], if the role did not end in order.
    pub(crate) fn end(&self, mut process: Process) -> Result<(), Stop> {
        let ended = process.end();
        self.end_unowned(process);
        ended
    }

    /// Ends a role that belongs to no case any more. If it does not end in order, [`WarmRoles::bad_ends`] has that.
    fn end_unowned(&self, process: Process) {
        let price = process.price.clone();
        drop(process);
        self.balance().role_ended(&price);
    }

    /// Takes what is known of processes that did not end in order when no case owned them any more.
    pub(crate) fn bad_ends(&self) -> Vec<String> {
        self.settings.bad_ends.take()
    }

    /// Returns the memory that is missing after a case is over and the roles released their resources. Memory beyond
    /// `kept` may come back within `patience`.
    pub(crate) fn settle(&self, kept: u64, patience: Duration) -> Bytes {
        if self.collect_started_spare() {
            // An unknown part of the spare's price is in use. If nothing is missing, the part does not matter.
            let missing = self.balance().missing();
            if missing.values().all(|bytes| *bytes <= kept) {
                return missing;
            }
            self.collect_spare();
        }
        self.balance().settle(kept, patience)
    }

    /// Returns the memory that is missing now, and expects as much as before.
    pub(crate) fn missing(&self) -> Bytes {
        let missing = self.balance().missing();
        if missing.values().all(|bytes| *bytes == 0) {
            return missing;
        }
        // A spare role that is starting may use this memory.
        self.collect_spare();
        self.balance().missing()
    }

    /// Expects from now on what is free now. The roles that ended may have freed more than their price.
    pub(crate) fn begin_anew(&self) {
        if !self.collect_started_spare() {
            self.balance().begin_anew();
        }
    }

    /// Waits until no role is starting.
    pub(crate) fn finish_spare(&self) {
        self.collect_spare();
    }

    /// Ends every idle role, so that the next case gets new processes. The keepers live on.
    pub(crate) fn renew(&self) {
        self.collect_spare();
        self.take_all_idle().into_iter().for_each(|process| self.end_unowned(process));
    }

    /// Takes every idle role that lives, and lets it exit.
    fn take_all_idle(&self) -> Vec<Process> {
        let mut idle = std::mem::take(&mut *self.idle());
        idle.retain_mut(|process| !process.has_ended_unasked());
        idle.iter().for_each(Process::begin_to_exit);
        idle
    }

    /// Ends every idle role and every keeper, and then the processes that a driver left. [`WarmRoles::bad_ends`] has those.
    pub(crate) fn clear(&self) {
        self.collect_spare();
        let (idle, balance) = (self.take_all_idle(), std::mem::take(&mut *self.balance()));
        balance.begin_to_exit();
        drop((idle, balance));
        orphans::end(&self.settings.bad_ends);
    }
}
