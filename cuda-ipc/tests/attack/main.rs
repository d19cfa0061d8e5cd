//! Attempts to break the layer: any order of calls and drops, hostile peers, many threads, panics, and a context that is
//! reset behind its back. On the reference driver, or the one that `CUDA_IPC_DRIVER` names.
//!
//! On a GPU: `-- --skip reset`. Its driver follows handles of a context that is gone, which the reference driver refuses.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/peer.rs"]
mod peer;

mod hostile;
mod reset;
mod states;
mod threads;
mod unwinding;

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use cuda_ipc::{Context, DropError, set_drop_hook};

use common::device;
use peer::LONG;

/// A multiple of 2 MiB: memory that shares its block with nothing.
const SIZE: usize = 2 << 20;

static MET: Mutex<Vec<DropError>> = Mutex::new(Vec::new());

/// What drops have met since the last time.
fn met() -> Vec<DropError> {
    std::mem::take(&mut MET.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A test that has the process to itself: what it leaves behind would be seen by the next one.
struct Alone {
    _one: MutexGuard<'static, ()>,
    _watchdog: Sender<()>,
}

fn alone() -> Alone {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    start();
    Alone { _one: one, _watchdog: watchdog() }
}

/// What every process of these tests begins with.
fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        if std::env::var_os("REFERENCE_DRIVER_MACHINE").is_none() {
            // SAFETY: whoever comes here first is waited for by the others, and the driver is not loaded yet.
            // A machine of its own: what the processes of other tests hold does not count.
            unsafe { std::env::set_var("REFERENCE_DRIVER_MACHINE", format!("attack-{}", std::process::id())) };
        }
        set_drop_hook(|error| MET.lock().unwrap_or_else(PoisonError::into_inner).push(error));
    });
    met();
}

/// Ends the process unless it is dropped in time: a deadlock is a failure, not a long test.
fn watchdog() -> Sender<()> {
    let (alive, dead) = mpsc::channel();
    std::thread::spawn(move || {
        if dead.recv_timeout(4 * LONG) == Err(RecvTimeoutError::Timeout) {
            eprintln!("a test hangs");
            std::process::abort();
        }
    });
    alive
}

/// A reference on the primary context that ends with the test.
fn context() -> Context {
    Context::primary(device()).unwrap()
}

/// What the process holds of the device's memory and of descriptors, with a context open.
#[derive(Debug)]
struct Holdings {
    free_memory: usize,
    /// What they are of.
    descriptors: Vec<String>,
}

impl Holdings {
    fn now(context: &Context) -> Self {
        context.synchronize().unwrap();
        let descriptors = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
        // NVIDIA's driver opens its devices, and a file for interprocess events, when they are first used, and keeps
        // them open.
        const THE_DRIVERS: [&str; 2] = ["/dev/nvidia", "/dev/shm/cuda.shm."];
        let is_ours = |target: &String| !THE_DRIVERS.iter().any(|start| target.starts_with(start));
        let targets = descriptors.filter_map(|entry| std::fs::read_link(entry.path()).ok());
        let targets = targets.map(|target| target.to_string_lossy().into_owned());
        let mut descriptors: Vec<_> = targets.filter(is_ours).collect();
        descriptors.sort();
        Self { free_memory: context.memory_info().unwrap().0, descriptors }
    }
}

impl PartialEq for Holdings {
    fn eq(&self, other: &Self) -> bool {
        // NVIDIA's driver keeps some of what it used for the first time; the reference driver keeps nothing.
        let is_reference = common::driver().path().ends_with("libreference_driver.so");
        let kept = if is_reference { 0 } else { 256 << 20 };
        self.descriptors.len() == other.descriptors.len() && self.free_memory.abs_diff(other.free_memory) <= kept
    }
}
