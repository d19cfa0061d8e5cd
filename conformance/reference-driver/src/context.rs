//! Contexts: one primary a device, any number of created ones, a stack of current ones a thread.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cuda_ipc_sys::{CUcontext, CUdevice, CUresult};

use crate::answer::{INVALID_CONTEXT, INVALID_VALUE, Result, give, wanted};
use crate::process::{State, state};
use crate::stream::Stream;

#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) device: CUdevice,
    /// The device's place in the machine.
    pub(crate) device_index: usize,
    pub(crate) is_primary: bool,
    pub(crate) flags: u32,
    /// Contexts whose memory kernels of this one may reach.
    pub(crate) peers: HashSet<u64>,
    pub(crate) default_stream: Option<Arc<Stream>>,
    pub(crate) per_thread_stream: Option<Arc<Stream>>,
    pub(crate) error: Arc<StickyError>,
}

/// An error of device code: every later call in the context answers it.
#[derive(Debug, Default)]
pub(crate) struct StickyError(AtomicU32);

impl StickyError {
    pub(crate) fn set(&self, code: CUresult) {
        // The first error is the one that stays.
        let _ = self.0.compare_exchange(0, code.0, Ordering::AcqRel, Ordering::Acquire);
    }

    pub(crate) fn get(&self) -> Result<()> {
        CUresult(self.0.load(Ordering::Acquire)).result()
    }
}

thread_local! {
    static CURRENT: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// This thread's current context by number, alive or not.
pub(crate) fn top() -> u64 {
    CURRENT.with_borrow(|stack| stack.last().copied().unwrap_or(0))
}

fn replace_top(context: u64) {
    CURRENT.with_borrow_mut(|stack| {
        stack.pop();
        if context != 0 {
            stack.push(context);
        }
    });
}

impl State {
    /// This thread's current context, in working order.
    pub(crate) fn current(&self) -> Result<u64> {
        let id = top();
        self.contexts.get(&id).ok_or(INVALID_CONTEXT)?.error.get()?;
        Ok(id)
    }

    /// A context that a call names.
    pub(crate) fn context(&self, id: u64) -> Result<&Context> {
        self.contexts.get(&id).ok_or(INVALID_CONTEXT)
    }

    fn new_context(&mut self, device: CUdevice, is_primary: bool, flags: u32) -> Result<u64> {
        let device_index = self.device(device)?.index;
        let id = self.new_id();
        let context = Context {
            device,
            device_index,
            is_primary,
            flags,
            peers: HashSet::new(),
            default_stream: None,
            per_thread_stream: None,
            error: Arc::default(),
        };
        self.contexts.insert(id, context);
        Ok(id)
    }

    /// Everything of a context goes with it, except physical memory, which `cuMemCreate` made for the process.
    fn destroy_context(&mut self, id: u64) {
        let Some(context) = self.contexts.remove(&id) else { return };
        for stream in self.streams.values().filter(|stream| stream.context == id) {
            stream.close();
        }
        self.streams.retain(|_, stream| stream.context != id);
        for stream in [context.default_stream, context.per_thread_stream].into_iter().flatten() {
            stream.close();
        }
        self.events.retain(|_, event| event.context != id);
        self.modules.retain(|_, module| module.context != id);
        self.functions.retain(|_, function| function.context != id);
        self.forget_imports_of(id);
        self.forget_ranges_of(id);
        for other in self.contexts.values_mut() {
            other.peers.remove(&id);
        }
    }
}

/// Wait until a context's streams have done what was enqueued before.
pub(crate) fn synchronize(id: u64) -> Result<()> {
    let streams = {
        let state = state()?;
        let context = state.context(id)?;
        let own = [&context.default_stream, &context.per_thread_stream].into_iter().flatten();
        let streams: Vec<_> =
            own.chain(state.streams.values().filter(|stream| stream.context == id)).cloned().collect();
        streams
    };
    for stream in streams {
        stream.synchronize();
    }
    state()?.context(id)?.error.get()
}

entry_points! {
    fn cuDevicePrimaryCtxRetain(output: *mut CUcontext, device: CUdevice) {
        let mut state = state()?;
        wanted(output)?;
        let context = match state.device(device)?.primary_context {
            Some(context) => context,
            None => state.new_context(device, true, 0)?,
        };
        let device = state.device(device)?;
        device.primary_context = Some(context);
        device.primary_references += 1;
        give(output, context as CUcontext)
    }

    fn cuDevicePrimaryCtxRelease_v2(device: CUdevice) {
        let mut state = state()?;
        let device = state.device(device)?;
        let Some(context) = device.primary_context else { return Err(INVALID_CONTEXT) };
        device.primary_references = device.primary_references.saturating_sub(1);
        if device.primary_references == 0 {
            device.primary_context = None;
            state.destroy_context(context);
        }
        Ok(())
    }

    fn cuDevicePrimaryCtxReset_v2(device: CUdevice) {
        let mut state = state()?;
        let device = state.device(device)?;
        device.primary_references = 0;
        if let Some(context) = device.primary_context.take() {
            state.destroy_context(context);
        }
        Ok(())
    }

    fn cuDevicePrimaryCtxGetState(device: CUdevice, flags: *mut u32, active: *mut i32) {
        let mut state = state()?;
        let context = state.device(device)?.primary_context;
        wanted(flags)?;
        give(active, i32::from(context.is_some()))?;
        give(flags, context.and_then(|context| state.contexts.get(&context)).map_or(0, |context| context.flags))
    }

    fn cuCtxCreate_v2(output: *mut CUcontext, flags: u32, device: CUdevice) {
        let mut state = state()?;
        wanted(output)?;
        let context = state.new_context(device, false, flags)?;
        CURRENT.with_borrow_mut(|stack| stack.push(context));
        give(output, context as CUcontext)
    }

    fn cuCtxDestroy_v2(context: CUcontext) {
        let id = context as u64;
        if state()?.context(id)?.is_primary {
            return Err(INVALID_CONTEXT);
        }
        // What runs in it is waited for, unless device code already failed.
        let _ = synchronize(id);
        state()?.destroy_context(id);
        if top() == id {
            replace_top(0);
        }
        Ok(())
    }

    fn cuCtxPushCurrent_v2(context: CUcontext) {
        state()?.context(context as u64)?;
        CURRENT.with_borrow_mut(|stack| stack.push(context as u64));
        Ok(())
    }

    fn cuCtxPopCurrent_v2(output: *mut CUcontext) {
        drop(state()?);
        let popped = CURRENT.with_borrow_mut(Vec::pop).ok_or(INVALID_CONTEXT)?;
        crate::answer::give_if_asked(output, popped as CUcontext);
        Ok(())
    }

    fn cuCtxSetCurrent(context: CUcontext) {
        let state = state()?;
        if !context.is_null() {
            state.context(context as u64)?;
        }
        replace_top(context as u64);
        Ok(())
    }

    fn cuCtxGetCurrent(output: *mut CUcontext) {
        drop(state()?);
        give(output, top() as CUcontext)
    }

    fn cuCtxGetDevice(output: *mut CUdevice) {
        let state = state()?;
        let context = state.current()?;
        give(output, state.context(context)?.device)
    }

    fn cuCtxSynchronize() {
        let context = state()?.current()?;
        synchronize(context)
    }

    fn cuCtxGetFlags(output: *mut u32) {
        let state = state()?;
        let context = state.current()?;
        give(output, state.context(context)?.flags)
    }

    fn cuCtxSetFlags(flags: u32) {
        let mut state = state()?;
        let context = state.current()?;
        state.contexts.get_mut(&context).ok_or(INVALID_CONTEXT)?.flags = flags;
        Ok(())
    }

    fn cuCtxGetApiVersion(context: CUcontext, version: *mut u32) {
        const VERSION_OF_CTX_CREATE_V2: u32 = 3020;
        let state = state()?;
        if context.is_null() {
            state.current()?;
        } else {
            state.context(context as u64).map_err(|_| INVALID_VALUE)?;
        }
        give(version, VERSION_OF_CTX_CREATE_V2)
    }
}
