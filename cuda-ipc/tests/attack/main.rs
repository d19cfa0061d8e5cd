//! Attempts to break the layer: any order of calls and drops, hostile peers, many threads, panics, hooks that call back,
//! and a context that is reset behind its back. They use the driver that `CUDA_IPC_DRIVER` names, or else the reference
//! driver. On a GPU, run them with `-- --skip multicast --skip reset`.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/peer.rs"]
mod peer;

mod hooks;
mod hostile;
mod pools;
mod reset;
mod second_copy;
mod states;
mod threads;
mod two_devices;
mod unwinding;

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use cuda_ipc::{Context, DropError, set_drop_hook};

use common::{device, driver};
use peer::LONG;

/// A multiple of 2 MiB, so the memory shares its block with no other allocation.
const SIZE: usize = 2 << 20;

static MET: Mutex<Vec<DropError>> = Mutex::new(Vec::new());

/// Takes the errors that drops have reported since the last call.
fn met() -> Vec<DropError> {
    std::mem::take(&mut MET.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Gives a test the process to itself, because the next test would see anything that it leaves behind.
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

/// Prepares a process. Every process of these tests begins with it.
fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        if std::env::var_os("REFERENCE_DRIVER_MACHINE").is_none() {
            // A simulated machine of its own, so that memory held by processes of other tests does not count.
            // SAFETY: other threads wait in `call_once`, and the driver is not loaded yet.
            unsafe { std::env::set_var("REFERENCE_DRIVER_MACHINE", format!("attack-{}", std::process::id())) };
        }
        set_drop_hook(|error| MET.lock().unwrap_or_else(PoisonError::into_inner).push(error));
    });
    met();
}

/// Aborts the process unless the returned sender is dropped in time, so that a deadlock is a failure.
fn watchdog() -> Sender<()> {
    let (alive, dead) = mpsc::channel();
    std::thread::spawn(move || {
        if dead.recv_timeout(4 * LONG) == Err(RecvTimeoutError::Timeout) {
            eprintln!("a test hangs: the process is aborted");
            std::process::abort();
        }
    });
    alive
}

/// Returns a reference to the primary context that is released at the end of the test.
fn context() -> Context {
    Context::primary(device()).unwrap()
}

fn is_reference() -> bool {
    driver().path().ends_with("libreference_driver.so")
}

/// The device's free memory and the process's open descriptors, while a context is open.
#[derive(Clone, Debug)]
struct Holdings {
    free_memory: usize,
    /// What each open descriptor refers to, as `/proc/self/fd` shows it.
    descriptors: Vec<String>,
}

impl Holdings {
    fn now(context: &Context) -> Self {
        context.synchronize().unwrap();
        Self { free_memory: context.memory_info().unwrap().0, descriptors: Self::descriptors() }
    }

    fn descriptors() -> Vec<String> {
        let descriptors = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
        // NVIDIA's driver opens its device files, and a file for interprocess events, at their first use, and keeps
        // them open.
        const THE_DRIVERS: [&str; 2] = ["/dev/nvidia", "/dev/shm/cuda.shm."];
        let is_ours = |target: &String| !THE_DRIVERS.iter().any(|start| target.starts_with(start));
        let targets = descriptors.filter_map(|entry| std::fs::read_link(entry.path()).ok());
        let targets = targets.map(|target| target.to_string_lossy().into_owned());
        let mut descriptors: Vec<_> = targets.filter(is_ours).collect();
        descriptors.sort();
        descriptors
    }
}

impl PartialEq for Holdings {
    fn eq(&self, other: &Self) -> bool {
        // NVIDIA's driver keeps some memory from the first use of a feature. The reference driver keeps none.
        let kept = if is_reference() { 0 } else { 256 << 20 };
        self.descriptors.len() == other.descriptors.len() && self.free_memory.abs_diff(other.free_memory) <= kept
    }
}
