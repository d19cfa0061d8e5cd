//! The state of the driver in this process, behind one lock.
//!
//! # Locks
//! A thread takes locks in this order, and releases them in any order:
//!
//! 1. the set of primary contexts that the runtime has retained (`runtime::context`),
//! 2. the creation and destruction of primary contexts (`context`),
//! 3. the state,
//! 4. one of these: a stream's queue; the table of a multicast object and then its memory; the granules of a pool's
//!    file; the slots of the arena of events; the units of a shared block,
//! 5. the lock of a device's memory (`machine_lock`),
//! 6. one record of an event, or the list of this process's blocks.
//!
//! So no two threads wait for each other's locks. Nor does a thread wait for work while holding a lock that the work
//! needs:
//!
//! - A thread that holds a lock from number 3 on does not wait for work or for another process. Two exceptions
//!   are harmless: the table of a multicast object and the memory of a device are also locked against other processes.
//!   Each of them holds such a lock only while it reads or writes the table, or looks for free memory and takes it, and
//!   waits for nothing meanwhile.
//! - Locks 1 and 2 are held while a context is destroyed, which waits for its streams. The work of streams takes only
//!   locks from number 3 on: if a host function calls the driver, [`check_usable`] rejects the call before it takes a
//!   lock.
//! - A value that is dropped under a lock takes only later locks. A `cuMemFreeAsync` takes the state's lock when it is
//!   dropped. That happens in the thread of its stream. The call looks up the stream and enqueues the work under one
//!   lock of the state. So the stream cannot be closed in between, and the work is not refused.
//!
//! A forked child takes none of these locks, since another thread of the parent may have held them: [`check_usable`]
//! comes first.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use cuda_ipc_sys::CUresult;

use crate::answer::Result;
use crate::capture::Capture;
use crate::context::Context;
use crate::device::Device;
use crate::event::Event;
use crate::graph::{Executable, Graph};
use crate::health::StickyError;
use crate::ipc::Imports;
use crate::library::Library;
use crate::module::{Function, Module};
use crate::multicast;
use crate::pool::{Pool, Target};
use crate::range::Range;
use crate::shared_event::Arena;
use crate::stream::Stream;
use crate::vmm::Physical;
use crate::vmm::fabric::Fabric;

#[derive(Default)]
pub(crate) struct State {
    /// The devices that this process sees.
    pub(crate) devices: Vec<Device>,
    /// The contexts that are active.
    pub(crate) contexts: HashMap<u64, Context>,
    pub(crate) destroyed_contexts: HashSet<u64>,
    /// Handles of streams, events and modules that were destroyed with their contexts.
    pub(crate) handles_of_destroyed: HashSet<u64>,
    /// Every range of addresses that the driver knows, by base.
    pub(crate) ranges: BTreeMap<u64, Range>,
    /// The open memory of other processes.
    pub(crate) imports: Imports,
    pub(crate) streams: HashMap<u64, Arc<Stream>>,
    pub(crate) events: HashMap<u64, Event>,
    /// The interprocess events of this process.
    pub(crate) arena: Option<Arc<Arena>>,
    /// The interprocess events of other processes, by inode.
    pub(crate) imported_arenas: HashMap<u64, Weak<Arena>>,
    pub(crate) modules: HashMap<u64, Module>,
    pub(crate) functions: HashMap<u64, Function>,
    pub(crate) libraries: HashMap<u64, Library>,
    pub(crate) pools: HashMap<u64, Pool>,
    pub(crate) default_pools: HashMap<Target, u64>,
    /// The pools that were set as current in place of the default ones.
    pub(crate) current_pools: HashMap<Target, u64>,
    /// Physical memory of `cuMemCreate`.
    pub(crate) physical: HashMap<u64, Physical>,
    pub(crate) multicasts: HashMap<u64, Arc<multicast::Object>>,
    /// Reserved ranges of addresses: base and size.
    pub(crate) reservations: BTreeMap<u64, u64>,
    pub(crate) graphs: HashMap<u64, Graph>,
    pub(crate) executables: HashMap<u64, Executable>,
    pub(crate) captures: Vec<Capture>,
    /// The error of device code in this process, if any.
    pub(crate) sticky_error: Arc<StickyError>,
    last_id: u64,
}

impl State {
    /// Returns a number that this process has not used before, for a new handle. Handles look like aligned addresses
    /// but are never dereferenced.
    pub(crate) fn new_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id << 8
    }
}

/// The state of `cuInit`. Comparing PIDs instead would cost a system call in every call of the driver.
static STAGE: AtomicU8 = AtomicU8::new(BEFORE);
const BEFORE: u8 = 0;
const INITIALISED: u8 = 1;
/// In a child that was forked during or after `cuInit`, and in its children.
const FORKED: u8 = 2;

/// How many threads are in `cuInit`. Each may hold locks that a child which is forked at that moment could never take.
static INITIALISING: AtomicU32 = AtomicU32::new(0);

extern "C" fn in_child() {
    if STAGE.load(Ordering::Acquire) == INITIALISED || INITIALISING.load(Ordering::SeqCst) > 0 {
        STAGE.store(FORKED, Ordering::Release);
    }
}

/// Makes forks call [`in_child`].
fn watch_forks() -> Result<()> {
    static IS_DONE: AtomicBool = AtomicBool::new(false);
    if IS_DONE.load(Ordering::Acquire) {
        return Ok(());
    }
    // Two threads may both register the handler. That is harmless, and no thread waits for a lock here.
    // SAFETY: the handler only loads and stores atomics, which is allowed in a forked child.
    if unsafe { libc::pthread_atfork(None, None, Some(in_child)) } != 0 {
        return Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY);
    }
    IS_DONE.store(true, Ordering::Release);
    Ok(())
}

fn lock() -> MutexGuard<'static, State> {
    static STATE: std::sync::LazyLock<Mutex<State>> = std::sync::LazyLock::new(Mutex::default);
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `cuInit`.
pub(crate) fn initialise() -> Result<()> {
    match STAGE.load(Ordering::Acquire) {
        BEFORE => {}
        INITIALISED => return Ok(()),
        // FORK-001: a child of an initialised process cannot use the driver. The lock is not taken, since another
        // thread of the parent may have held it at the fork.
        _ => return Err(CUresult::CUDA_ERROR_NOT_INITIALIZED),
    }
    watch_forks()?;
    INITIALISING.fetch_add(1, Ordering::SeqCst);
    let initialised = initialise_once();
    INITIALISING.fetch_sub(1, Ordering::SeqCst);
    initialised
}

fn initialise_once() -> Result<()> {
    // All variables are read now, so that an invalid value fails this call and not a later one.
    let _ = (crate::topology::topology(), crate::version::cuda_version(), Fabric::of_environment());
    let _ = crate::fault::active();
    crate::environment::check()?;
    let devices = crate::device::visible()?;
    if devices.is_empty() {
        return Err(CUresult::CUDA_ERROR_NO_DEVICE);
    }
    let mut state = lock();
    if STAGE.load(Ordering::Acquire) == BEFORE {
        crate::account::prepare();
        crate::machine_lock::prepare();
        state.devices = devices;
        STAGE.store(INITIALISED, Ordering::Release);
        if fault!("exit-aborts", ["PROC-003"], "A process that has initialised the driver aborts while it exits.") {
            // SAFETY: the handler is a function of this library, which is never unloaded.
            unsafe { libc::atexit(abort_at_exit) };
        }
    }
    Ok(())
}

extern "C" fn abort_at_exit() {
    std::process::abort();
}

thread_local! {
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function of `cuLaunchHostFunc`. The function must not call the driver.
pub(crate) fn in_host_function(function: impl FnOnce()) {
    IN_HOST_FUNCTION.set(true);
    function();
    IN_HOST_FUNCTION.set(false);
}

/// Checks that the driver is initialised and that this thread may call it. It takes no lock, and is called before any
/// lock is taken.
pub(crate) fn check_usable() -> Result<()> {
    if IN_HOST_FUNCTION.get() {
        return Err(CUresult::CUDA_ERROR_NOT_PERMITTED);
    }
    if STAGE.load(Ordering::Acquire) == INITIALISED { Ok(()) } else { Err(CUresult::CUDA_ERROR_NOT_INITIALIZED) }
}

/// Locks the state, for a call that needs an initialised driver.
pub(crate) fn state() -> Result<MutexGuard<'static, State>> {
    check_usable()?;
    Ok(lock())
}

/// A number of the calling thread, which no other thread of this process has or had. Unlike `std::thread::current`, it
/// works in the last destructors of a thread, since nothing of it is ever released.
pub(crate) fn thread() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static OWN: Cell<u64> = const { Cell::new(0) };
    }
    if OWN.get() == 0 {
        OWN.set(LAST.fetch_add(1, Ordering::Relaxed) + 1);
    }
    OWN.get()
}

/// The start time of a process, in the kernel's ticks. Together with the PID it identifies the process. `None` if the
/// process is gone.
pub(crate) fn start_time(process: u32) -> Option<u64> {
    // The main thread began when the process did. QEMU's user mode invents the file `stat` of its own process, in which
    // the time differs from the one that other processes read there, but not this file.
    let text = std::fs::read_to_string(format!("/proc/{process}/task/{process}/stat")).ok()?;
    // The name in parentheses may contain anything, even blanks, so the fields are counted after it.
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    let has_ended = matches!(fields.next()?, "Z" | "X");
    let threads: u64 = fields.nth(16)?.parse().ok()?;
    // A zombie has already released everything, unless other threads go on after the main one.
    if has_ended && threads < 2 {
        return None;
    }
    fields.nth(1)?.parse().ok()
}

/// Looks at the folder of a process in `/proc`. If that fails, looks at those of its other threads: when the main thread
/// has ended, the folder of the process shows neither descriptors nor memory.
pub(crate) fn look_at<T>(process: u32, look: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
    let folder = PathBuf::from(format!("/proc/{process}"));
    let mut found = look(&folder);
    if found.is_err() {
        for thread in std::fs::read_dir(folder.join("task")).into_iter().flatten().flatten() {
            if found.is_ok() {
                break;
            }
            found = look(&thread.path());
        }
    }
    found
}

/// The links to the files that a process has open.
pub(crate) fn descriptors(process: u32) -> Vec<PathBuf> {
    let list = |folder: &Path| {
        let links: Vec<_> = std::fs::read_dir(folder.join("fd"))?.flatten().map(|entry| entry.path()).collect();
        // A main thread that has ended shows none. Another thread may show them.
        if links.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(links) }
    };
    look_at(process, list).unwrap_or_default()
}

/// This process's PID in the `/proc` where other processes look for it. In another PID namespace, that differs from
/// `getpid`.
pub(crate) fn own_number() -> u32 {
    static OWN: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {
        let link = std::fs::read_link("/proc/self");
        link.ok().and_then(|number| number.to_str()?.parse().ok()).unwrap_or_else(std::process::id)
    });
    *OWN
}

/// Whether this process was forked and has called no `exec` since.
pub(crate) fn is_forked() -> bool {
    /// `PF_FORKNOEXEC`
    const FORKED_WITHOUT_EXEC: u64 = 0x40;
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let flags = text.rsplit_once(')').and_then(|(_, fields)| fields.split_whitespace().nth(6)?.parse::<u64>().ok());
    flags.is_some_and(|flags| flags & FORKED_WITHOUT_EXEC != 0)
}

/// This process's own start time.
pub(crate) fn own_start_time() -> u64 {
    static OWN: std::sync::LazyLock<u64> = std::sync::LazyLock::new(|| start_time(own_number()).unwrap_or(0));
    *OWN
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// The test below starts this one in a process of its own, in which nothing else has called the driver.
    #[test]
    #[ignore = "started by another test, as another process"]
    fn forks_while_another_thread_is_in_initialise() {
        let state = lock();
        let status = std::thread::scope(|scope| {
            let other = scope.spawn(initialise);
            while INITIALISING.load(Ordering::SeqCst) == 0 {
                assert!(!other.is_finished(), "it waits for the lock of the state");
                std::thread::yield_now();
            }
            // SAFETY: the child only makes the call that this test is about, and exits.
            let child = unsafe { libc::fork() };
            if child == 0 {
                // SAFETY: the call only sets a timer, whose signal ends a child that hangs.
                unsafe { libc::alarm(10) };
                let is_refused = initialise() == Err(CUresult::CUDA_ERROR_NOT_INITIALIZED);
                // SAFETY: the call ends the child at once.
                unsafe { libc::_exit(i32::from(!is_refused)) };
            }
            let mut status = 0;
            // SAFETY: the child is ours, and the output is a local.
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            // The thread waits for the state's lock at the latest.
            drop(state);
            assert_eq!(other.join().expect("it does not panic"), Ok(()));
            status
        });
        assert_eq!(status, 0, "a signal ended the child that hung, or the call returned something else");
        assert_eq!(initialise(), Ok(()));
    }

    #[test]
    fn a_child_that_is_forked_during_initialisation_does_not_hang() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let name = "process::tests::forks_while_another_thread_is_in_initialise";
        command.args(["--exact", name, "--ignored", "--nocapture"]);
        for (variable, _) in std::env::vars_os() {
            if ["REFERENCE_DRIVER_", "CUDA_"].iter().any(|prefix| variable.to_string_lossy().starts_with(prefix)) {
                command.env_remove(variable);
            }
        }
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains("1 passed"), "{text}");
    }
}
