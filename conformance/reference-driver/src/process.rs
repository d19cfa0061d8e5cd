//! The state of the driver in this process, behind one lock. Nothing that waits holds it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use cuda_ipc_sys::CUresult;

use crate::answer::Result;
use crate::block::Block;
use crate::context::Context;
use crate::device::Device;
use crate::event::Event;
use crate::graph::{Executable, Graph};
use crate::ipc::Import;
use crate::memory::{Range, SmallBlock};
use crate::module::{Function, Module};
use crate::pool::Pool;
use crate::shared_event::Arena;
use crate::stream::Stream;
use crate::vmm::Physical;

#[derive(Default)]
pub(crate) struct State {
    /// The process that called `cuInit`; a forked child is another.
    initialised_by: Option<u32>,
    /// The devices that this process sees.
    pub(crate) devices: Vec<Device>,
    pub(crate) contexts: HashMap<u64, Context>,
    /// Every address range that the driver knows, by base.
    pub(crate) ranges: BTreeMap<u64, Range>,
    pub(crate) small_blocks: Vec<SmallBlock>,
    pub(crate) imports: Vec<Import>,
    /// Handles that were open here when their exporter freed the memory.
    pub(crate) freed_while_open: HashSet<[u8; 64]>,
    pub(crate) imported_blocks: HashMap<(u64, u64), Weak<Block>>,
    pub(crate) streams: HashMap<u64, Arc<Stream>>,
    pub(crate) events: HashMap<u64, Event>,
    pub(crate) arena: Option<Arc<Arena>>,
    pub(crate) imported_arenas: HashMap<(u32, u64), Weak<Arena>>,
    pub(crate) modules: HashMap<u64, Module>,
    pub(crate) functions: HashMap<u64, Function>,
    pub(crate) pools: HashMap<u64, Pool>,
    pub(crate) physical: HashMap<u64, Physical>,
    /// Reserved ranges of addresses: base and size.
    pub(crate) reservations: BTreeMap<u64, u64>,
    pub(crate) graphs: HashMap<u64, Graph>,
    pub(crate) executables: HashMap<u64, Executable>,
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

fn lock() -> MutexGuard<'static, State> {
    static STATE: OnceLock<Mutex<State>> = OnceLock::new();
    STATE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// `cuInit`.
pub(crate) fn initialise() -> Result<()> {
    let mut state = lock();
    match state.initialised_by {
        Some(process) if process == std::process::id() => return Ok(()),
        // FORK-001: a child of an initialised process cannot use the driver.
        Some(_) => return Err(CUresult::CUDA_ERROR_NOT_INITIALIZED),
        None => {}
    }
    let devices = crate::device::visible();
    if devices.is_empty() {
        return Err(CUresult::CUDA_ERROR_NO_DEVICE);
    }
    state.devices = devices;
    state.initialised_by = Some(std::process::id());
    Ok(())
}

/// The state, for a call that needs an initialised driver.
pub(crate) fn state() -> Result<MutexGuard<'static, State>> {
    let state = lock();
    if state.initialised_by == Some(std::process::id()) { Ok(state) } else { Err(CUresult::CUDA_ERROR_NOT_INITIALIZED) }
}

/// When a process started, in the kernel's ticks: with the id, a process's identity.
pub(crate) fn start_time(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may hold anything, blanks included; the fields are counted behind it.
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    // A zombie has given everything back already.
    if fields.next()? == "Z" {
        return None;
    }
    fields.nth(18)?.parse().ok()
}
