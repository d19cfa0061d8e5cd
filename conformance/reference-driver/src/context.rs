//! Contexts: one primary context per device, any number of created contexts, and per thread a stack of current ones.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuda_ipc_sys::{CUcontext, CUctx_flags, CUctxCreateParams, CUdevice, CUexecAffinityParam, CUresult};

use crate::answer::{
    CONTEXT_IS_DESTROYED, INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result,
};
use crate::health::Health;
use crate::ipc::outlives;
use crate::piece::Divider;
use crate::process::{State, check_usable, state};
use crate::range::Memory;
use crate::stream::{Stream, synchronize};

const UNSUPPORTED_AFFINITY: CUresult = CUresult::CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;

#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) device: CUdevice,
    /// The device's index in the machine.
    pub(crate) device_index: usize,
    pub(crate) is_primary: bool,
    pub(crate) flags: u32,
    /// The contexts whose memory this context's kernels may access.
    pub(crate) peers: HashSet<u64>,
    /// The memory that `cuMemAlloc` allocates from.
    pub(crate) memory: Divider,
    pub(crate) default_stream: Arc<Stream>,
    /// The default streams of threads that asked for a per-thread one.
    pub(crate) thread_streams: HashMap<u64, Arc<Stream>>,
    /// Destroyed streams that still have work to do.
    pub(crate) closing_streams: Vec<Arc<Stream>>,
    pub(crate) health: Arc<Health>,
}

// A thread's stack of contexts. Neither part has a destructor, so calls from `atexit` and from late destructors of a thread
// find it too.
thread_local! {
    /// The current context; 0 if there is none.
    static TOP: Cell<u64> = const { Cell::new(0) };
    /// The contexts below. What is left of them when the thread ends is leaked.
    static BELOW: ManuallyDrop<RefCell<Vec<u64>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

/// This thread's current context, which may be destroyed; 0 if there is none.
pub(crate) fn top() -> u64 {
    TOP.get()
}

fn pop() -> Option<u64> {
    let top = TOP.replace(0);
    if top == 0 {
        return None;
    }
    BELOW.with(|below| {
        let mut below = below.borrow_mut();
        TOP.set(below.pop().unwrap_or(0));
        if below.is_empty() {
            *below = Vec::new();
        }
    });
    Some(top)
}

fn push(context: u64) {
    let below = TOP.replace(context);
    if below != 0 {
        BELOW.with(|stack| stack.borrow_mut().push(below));
    }
}

impl State {
    /// This thread's current context, for calls that need only the context's own properties. They succeed even after an
    /// error of device code, as on an H200.
    pub(crate) fn current_context(&self) -> Result<&Context> {
        match top() {
            0 => Err(INVALID_CONTEXT),
            id => self.contexts.get(&id).ok_or(CONTEXT_IS_DESTROYED),
        }
    }

    /// This thread's current context. Returns an error if it no longer works.
    pub(crate) fn current(&self) -> Result<u64> {
        self.current_context()?.health.check()?;
        Ok(top())
    }

    /// Returns the error that every call in the current context returns. Some calls need no context, as on an H200.
    pub(crate) fn check_current_if_any(&self) -> Result<()> {
        if top() == 0 { self.sticky_error.check() } else { self.current().map(drop) }
    }

    /// The code for an unknown handle of a stream, an event or a module.
    pub(crate) fn missing(&self, handle: u64) -> CUresult {
        if self.handles_of_destroyed.contains(&handle) { CONTEXT_IS_DESTROYED } else { INVALID_HANDLE }
    }

    /// Checks that a context can be made current. A destroyed one can, as on an H200: calls in it then return an error.
    fn check_current(&self, id: u64) -> Result<()> {
        if self.destroyed_contexts.contains(&id) { Ok(()) } else { self.context(id).map(drop) }
    }

    /// The context that a call names.
    pub(crate) fn context(&self, id: u64) -> Result<&Context> {
        self.contexts.get(&id).ok_or(INVALID_CONTEXT)
    }

    pub(crate) fn context_mut(&mut self, id: u64) -> Result<&mut Context> {
        self.contexts.get_mut(&id).ok_or(INVALID_CONTEXT)
    }

    fn add_context(&mut self, id: u64, device: CUdevice, is_primary: bool, flags: u32) -> Result<()> {
        let health = Health::new(&self.sticky_error)?;
        let context = Context {
            device,
            device_index: self.device(device)?.index,
            is_primary,
            flags,
            peers: HashSet::new(),
            memory: Divider::default(),
            default_stream: Stream::new(id, true, &health),
            thread_streams: HashMap::new(),
            closing_streams: Vec::new(),
            health,
        };
        self.contexts.insert(id, context);
        self.destroyed_contexts.remove(&id);
        Ok(())
    }

    fn retain_primary(&mut self, device: CUdevice) -> Result<u64> {
        self.sticky_error.check()?;
        let id = match self.device(device)?.primary_context {
            Some(id) => id,
            None => self.new_id(),
        };
        if !self.contexts.contains_key(&id) {
            self.add_context(id, device, true, 0)?;
        }
        let device = self.device(device)?;
        device.primary_context = Some(id);
        device.primary_references += 1;
        Ok(id)
    }

    /// Removes a context. IPCMEM-GET-025: everything that belongs to it goes with it; memory of the process stays.
    fn forget_context(&mut self, id: u64) {
        let is_primary = self.contexts.remove(&id).is_some_and(|context| context.is_primary);
        self.destroyed_contexts.insert(id);
        self.handles_of_destroyed
            .extend(self.streams.extract_if(|_, stream| stream.context == id).map(|(handle, _)| handle));
        self.handles_of_destroyed
            .extend(self.events.extract_if(|_, event| event.context == id).map(|(handle, _)| handle));
        self.handles_of_destroyed
            .extend(self.modules.extract_if(|_, module| module.context == id).map(|(handle, _)| handle));
        self.functions.retain(|_, function| function.context != id);
        self.forget_captures(|stream| stream.context == id);
        self.imports.forget_context(id);
        self.ranges.retain(|_, range| range.context != id || outlives(&range.memory, is_primary));
        if fault!(
            "ctx-destroy-releases-physical-memory",
            ["VMM-MAP-035"],
            "Handles of cuMemCreate end with the context that was current then."
        ) {
            self.physical.retain(|_, physical| physical.context != id);
        }
        if fault!("ctx-destroy-unmaps-imports", ["VMM-MAP-035"], "Mappings of imported memory end with any context.") {
            let is_import =
                |memory: &Memory| matches!(memory, Memory::Mapping { allocation, .. } if allocation.is_import());
            self.ranges.retain(|_, range| !is_import(&range.memory));
        }
        if fault!("ctx-destroy-revokes-access", ["VMM-MAP-035"], "Mappings of every context lose their access.") {
            for range in self.ranges.values_mut() {
                if let Memory::Mapping { access, .. } = &mut range.memory {
                    access.clear();
                }
            }
        }
        for other in self.contexts.values_mut() {
            other.peers.remove(&id);
        }
    }
}

/// Destroys an active context. Running work ends early, and queued work never begins, since device code could wait
/// forever.
fn destroy(id: u64) -> Result<()> {
    let streams = {
        let state = state()?;
        let Some(context) = state.contexts.get(&id) else { return Ok(()) };
        context.health.end();
        state.streams_of(id)
    };
    // The state's lock is not held here, because kernels need it to finish.
    for stream in streams {
        stream.close();
        stream.now().wait();
    }
    state()?.forget_context(id);
    Ok(())
}

/// Held while a primary context is created or destroyed. Destruction releases the state's lock for a while, and a
/// retain in that time must return a new context. This lock is taken before the state's.
fn primary_contexts() -> Result<MutexGuard<'static, ()>> {
    static CHANGES: Mutex<()> = Mutex::new(());
    check_usable()?;
    Ok(CHANGES.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Checks the flags of a context. CU_CTX_MAP_HOST is always on, and a coredump is never written.
fn check_flags(flags: u32) -> Result<()> {
    let schedules = [0, 1, 2, 4];
    let known = flags & !CUctx_flags::CU_CTX_FLAGS_MASK.0 == 0;
    let schedule = flags & CUctx_flags::CU_CTX_SCHED_MASK.0;
    if known && schedules.contains(&schedule) { Ok(()) } else { Err(INVALID_VALUE) }
}

/// Creates a context and makes it current.
fn create(output: Output<CUcontext>, flags: u32, device: CUdevice) -> Result<()> {
    let mut state = state()?;
    output.wanted()?;
    check_flags(flags)?;
    state.device(device)?;
    let id = state.new_id();
    state.add_context(id, device, false, flags)?;
    push(id);
    output.give(id as CUcontext)
}

entry_points! {
    fn cuDevicePrimaryCtxRetain(output: Output<CUcontext>, device: CUdevice) {
        let _one_at_a_time = primary_contexts()?;
        let mut state = state()?;
        state.device(device)?;
        output.wanted()?;
        output.give(state.retain_primary(device)? as CUcontext)
    }

    fn cuDevicePrimaryCtxRelease_v2(device: CUdevice) {
        let _one_at_a_time = primary_contexts()?;
        let unused = {
            let mut state = state()?;
            let device = state.device(device)?;
            device.primary_references = device.primary_references.checked_sub(1).ok_or(INVALID_CONTEXT)?;
            device.primary_context.filter(|_| device.primary_references == 0)
        };
        unused.map_or(Ok(()), destroy)
    }

    // The references stay: callers that retained the context still release it.
    fn cuDevicePrimaryCtxReset_v2(device: CUdevice) {
        let _one_at_a_time = primary_contexts()?;
        let context = state()?.device(device)?.primary_context;
        context.map_or(Ok(()), destroy)
    }

    fn cuDevicePrimaryCtxGetState(device: CUdevice, flags: Output<u32>, active: Output<i32>) {
        let mut state = state()?;
        let context = state.device(device)?.primary_context;
        flags.wanted()?;
        let context = context.and_then(|context| state.contexts.get(&context));
        active.give(i32::from(context.is_some()))?;
        flags.give(context.map_or(0, |context| context.flags))
    }

    fn cuCtxCreate_v2(output: Output<CUcontext>, flags: u32, device: CUdevice) {
        create(output, flags, device)
    }

    // Execution affinity needs MPS; without it, an H200 answers as here.
    fn cuCtxCreate_v3(
        output: Output<CUcontext>,
        affinities: Input<CUexecAffinityParam>,
        count: i32,
        flags: u32,
        device: CUdevice,
    ) {
        check_usable()?;
        if count > 0 {
            return Err(if affinities.is_null() { INVALID_VALUE } else { UNSUPPORTED_AFFINITY });
        }
        create(output, flags, device)
    }

    fn cuCtxCreate_v4(output: Output<CUcontext>, parameters: Input<CUctxCreateParams>, flags: u32, device: CUdevice) {
        check_usable()?;
        if !parameters.is_null() {
            let parameters = parameters.value()?;
            if parameters.numExecAffinityParams > 0 {
                return Err(UNSUPPORTED_AFFINITY);
            }
            if !parameters.cigParams.is_null() {
                return Err(NOT_SUPPORTED);
            }
        }
        create(output, flags, device)
    }

    fn cuCtxDestroy_v2(context: CUcontext) {
        let id = context as u64;
        {
            let state = state()?;
            if id == 0 {
                return Err(INVALID_VALUE);
            }
            // An H200 returns this code.
            if state.destroyed_contexts.contains(&id) {
                return Err(CONTEXT_IS_DESTROYED);
            }
            if state.context(id)?.is_primary {
                return Err(INVALID_CONTEXT);
            }
        }
        destroy(id)?;
        if top() == id {
            pop();
        }
        Ok(())
    }

    fn cuCtxPushCurrent_v2(context: CUcontext) {
        state()?.check_current(context as u64)?;
        push(context as u64);
        Ok(())
    }

    fn cuCtxPopCurrent_v2(output: Output<CUcontext>) {
        let _state = state()?;
        let popped = pop().ok_or(INVALID_CONTEXT)?;
        output.give_if_wanted(popped as CUcontext);
        Ok(())
    }

    fn cuCtxSetCurrent(context: CUcontext) {
        let state = state()?;
        if !context.is_null() {
            state.check_current(context as u64)?;
        }
        pop();
        if !context.is_null() {
            push(context as u64);
        }
        Ok(())
    }

    fn cuCtxGetCurrent(output: Output<CUcontext>) {
        let _state = state()?;
        output.give(top() as CUcontext)
    }

    fn cuCtxGetDevice(output: Output<CUdevice>) {
        let state = state()?;
        output.give(state.current_context()?.device)
    }

    fn cuCtxSynchronize() {
        let context = {
            let mut state = state()?;
            let context = state.current()?;
            state.check_no_capture_in(context)?;
            if let Some(code) = state.error_of_an_importer() {
                state.context(context)?.health.fail(code);
            }
            context
        };
        synchronize(context)
    }

    fn cuCtxGetFlags(output: Output<u32>) {
        let state = state()?;
        output.give(state.current_context()?.flags)
    }

    fn cuCtxSetFlags(flags: u32) {
        let mut state = state()?;
        state.current_context()?;
        check_flags(flags)?;
        state.context_mut(top())?.flags = flags;
        Ok(())
    }

    // Seen on an H200: null gives 0 if no context is current.
    fn cuCtxGetId(context: CUcontext, id: Output<u64>) {
        let state = state()?;
        id.wanted()?;
        let number = if context.is_null() { top() } else { context as u64 };
        if state.destroyed_contexts.contains(&number) {
            return Err(CONTEXT_IS_DESTROYED);
        }
        if number != 0 {
            state.context(number)?;
        }
        id.give(number)
    }

    fn cuCtxGetApiVersion(context: CUcontext, version: Output<u32>) {
        const VERSION_OF_CTX_CREATE_V2: u32 = 3020;
        let state = state()?;
        if context.is_null() { state.current_context()? } else { state.context(context as u64)? };
        version.give(VERSION_OF_CTX_CREATE_V2)
    }
}
