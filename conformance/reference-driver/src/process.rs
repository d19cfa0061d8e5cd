//! The state of the driver in this process, behind one lock.
//!
//! # Locks
//! A thread takes them in this order, and gives them back in any:
//!
//! 1. which primary contexts the runtime has retained (`runtime::context`),
//! 2. that a primary context comes or goes (`context`),
//! 3. the state,
//! 4. one stream's queue, or the table of one multicast object and then its memory, or the granules of one pool's file, or
//!    the slots of the arena of events, or the units of one shared block,
//! 5. one record of an event, or the blocks of this process.
//!
//! So no two threads wait for each other's lock. Nor does a thread hold one that the work needs which it waits for:
//!
//! - Nobody waits for work, or for another process, with a lock from the third on. One exception is no danger: the table
//!   of a multicast object is locked against other processes too, each of which holds it while it reads or writes the
//!   table, and waits for nothing meanwhile.
//! - The first two are held while a context is destroyed, which waits for its streams. What streams do takes locks from the
//!   third on only: a host function is refused before any lock, by [`check_usable`].
//! - What is dropped under a lock takes later ones only. A `cuMemFreeAsync` takes the state's when it is dropped. That is
//!   in its stream's thread: its stream is looked up and the work enqueued under one lock of the state, so the stream
//!   was not closed in between and the work is not refused.
//!
//! A forked child takes none of them, since another thread of the parent may have held it: [`check_usable`] comes first.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use cuda_ipc_sys::CUresult;

use crate::answer::Result;
use crate::context::Context;
use crate::device::Device;
use crate::event::Event;
use crate::graph::{Executable, Graph};
use crate::health::StickyError;
use crate::ipc::Imports;
use crate::module::{Function, Module};
use crate::multicast;
use crate::pool::{Pool, Target};
use crate::range::Range;
use crate::shared_event::Arena;
use crate::stream::Stream;
use crate::vmm::Physical;

#[derive(Default)]
pub(crate) struct State {
    /// The devices that this process sees.
    pub(crate) devices: Vec<Device>,
    /// The contexts that are active.
    pub(crate) contexts: HashMap<u64, Context>,
    pub(crate) destroyed_contexts: HashSet<u64>,
    /// Streams, events and modules that went with their contexts.
    pub(crate) handles_of_destroyed: HashSet<u64>,
    /// Every range of addresses that the driver knows, by base.
    pub(crate) ranges: BTreeMap<u64, Range>,
    /// What is open of other processes.
    pub(crate) imports: Imports,
    pub(crate) streams: HashMap<u64, Arc<Stream>>,
    pub(crate) events: HashMap<u64, Event>,
    /// The interprocess events of this process.
    pub(crate) arena: Option<Arc<Arena>>,
    /// Those of others, by inode.
    pub(crate) imported_arenas: HashMap<u64, Weak<Arena>>,
    pub(crate) modules: HashMap<u64, Module>,
    pub(crate) functions: HashMap<u64, Function>,
    pub(crate) pools: HashMap<u64, Pool>,
    pub(crate) default_pools: HashMap<Target, u64>,
    /// Where another pool than the default one was set.
    pub(crate) current_pools: HashMap<Target, u64>,
    /// Physical memory of `cuMemCreate`.
    pub(crate) physical: HashMap<u64, Physical>,
    pub(crate) multicasts: HashMap<u64, Arc<multicast::Object>>,
    /// Reserved ranges of addresses: base and size.
    pub(crate) reservations: BTreeMap<u64, u64>,
    pub(crate) graphs: HashMap<u64, Graph>,
    pub(crate) executables: HashMap<u64, Executable>,
    /// What device code of this process did wrong.
    pub(crate) sticky_error: Arc<StickyError>,
    last_id: u64,
}

impl State {
    /// A number that this process has not used for anything: what handles are made of. They look like aligned
    /// addresses and are never followed.
    pub(crate) fn new_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id << 8
    }
}

/// What became of `cuInit`. To ask for the process's number instead costs a system call, in each call of the driver.
static STAGE: AtomicU8 = AtomicU8::new(BEFORE);
const BEFORE: u8 = 0;
const INITIALISED: u8 = 1;
/// In a child of an initialised process, and in its children.
const FORKED: u8 = 2;

extern "C" fn in_child() {
    STAGE.store(FORKED, Ordering::Release);
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
        // FORK-001: a child of an initialised process cannot use the driver. The lock is not asked, since another
        // thread of the parent may have held it at the fork.
        _ => return Err(CUresult::CUDA_ERROR_NOT_INITIALIZED),
    }
    // What the environment says wrongly ends the process here, and not in the middle of a test.
    let _ = (crate::topology::topology(), crate::version::cuda_version());
    let devices = crate::device::visible()?;
    if devices.is_empty() {
        return Err(CUresult::CUDA_ERROR_NO_DEVICE);
    }
    let mut state = lock();
    if STAGE.load(Ordering::Acquire) == BEFORE {
        // SAFETY: the handler does what is allowed in a forked child: it stores to an atomic.
        if unsafe { libc::pthread_atfork(None, None, Some(in_child)) } != 0 {
            return Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY);
        }
        state.devices = devices;
        STAGE.store(INITIALISED, Ordering::Release);
    }
    Ok(())
}

thread_local! {
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Call a function of `cuLaunchHostFunc`, which must not call the driver.
pub(crate) fn in_host_function(function: impl FnOnce()) {
    IN_HOST_FUNCTION.set(true);
    function();
    IN_HOST_FUNCTION.set(false);
}

/// Whether this thread can call an initialised driver. It takes no lock, and comes before every one.
pub(crate) fn check_usable() -> Result<()> {
    if IN_HOST_FUNCTION.get() {
        return Err(CUresult::CUDA_ERROR_NOT_PERMITTED);
    }
    if STAGE.load(Ordering::Acquire) == INITIALISED { Ok(()) } else { Err(CUresult::CUDA_ERROR_NOT_INITIALIZED) }
}

/// The state, for a call that needs an initialised driver.
pub(crate) fn state() -> Result<MutexGuard<'static, State>> {
    check_usable()?;
    Ok(lock())
}

/// When a process started, in the kernel's ticks: with the number, a process's identity. `None` where it is gone.
pub(crate) fn start_time(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may hold anything, blanks included; the fields are counted behind it.
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    // A zombie has given everything back already.
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// This process's number in the `/proc` where others look for it, which is not its own one in another namespace.
pub(crate) fn own_number() -> u32 {
    static OWN: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {
        let link = std::fs::read_link("/proc/self");
        link.ok().and_then(|number| number.to_str()?.parse().ok()).unwrap_or_else(std::process::id)
    });
    *OWN
}

/// This process's own start time.
pub(crate) fn own_start_time() -> u64 {
    static OWN: std::sync::LazyLock<u64> = std::sync::LazyLock::new(|| start_time(own_number()).unwrap_or(0));
    *OWN
}
