//! Streams: work in order, each on a thread of its own that starts with the first work.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use cuda_ipc_sys::{CUcontext, CUdeviceptr, CUhostFn, CUresult, CUstream, CUstream_flags, CUstreamWaitValue_flags};

use crate::answer::{INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED, Result, give, wanted};
use crate::process::{State, state};

type Work = Box<dyn FnOnce() + Send>;

pub(crate) struct Stream {
    pub(crate) context: u64,
    /// Whether it keeps order with the context's default stream.
    blocking: bool,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Work>,
    /// Pieces of work that were ever enqueued.
    issued: u64,
    /// Pieces of work that are done.
    done: u64,
    runs: bool,
    closed: bool,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("context", &self.context).finish_non_exhaustive()
    }
}

/// A place in a stream's order.
pub(crate) struct Point {
    stream: Arc<Stream>,
    ticket: u64,
}

impl Point {
    /// Wait until the stream has come here.
    pub(crate) fn wait(&self) {
        self.stream.wait_for(self.ticket);
    }
}

impl Stream {
    fn new(context: u64, blocking: bool) -> Arc<Self> {
        Arc::new(Self { context, blocking, queue: Mutex::default(), changed: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enqueue; the ticket is done when the work is.
    fn push(self: &Arc<Self>, work: Work) -> u64 {
        let mut queue = self.lock();
        queue.issued += 1;
        queue.waiting.push_back(work);
        if !queue.runs {
            queue.runs = true;
            let stream = Arc::clone(self);
            std::thread::spawn(move || stream.run());
        }
        self.changed.notify_all();
        queue.issued
    }

    fn run(&self) {
        let mut queue = self.lock();
        loop {
            if let Some(work) = queue.waiting.pop_front() {
                drop(queue);
                work();
                queue = self.lock();
                queue.done += 1;
                self.changed.notify_all();
            } else if queue.closed {
                return;
            } else {
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn wait_for(&self, ticket: u64) {
        let mut queue = self.lock();
        while queue.done < ticket {
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wait for everything that was enqueued until now.
    pub(crate) fn synchronize(&self) {
        let ticket = self.lock().issued;
        self.wait_for(ticket);
    }

    fn is_idle(&self) -> bool {
        let queue = self.lock();
        queue.done == queue.issued
    }

    /// No more work will come; what waits is still done.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn now(self: &Arc<Self>) -> Point {
        let ticket = self.lock().issued;
        Point { stream: Arc::clone(self), ticket }
    }
}

impl State {
    /// The stream behind a handle, in the current context or its own.
    pub(crate) fn stream(&mut self, handle: CUstream) -> Result<Arc<Stream>> {
        const LEGACY: u64 = 1;
        const PER_THREAD: u64 = 2;
        let current = self.current()?;
        match handle as u64 {
            0 | LEGACY => {
                let context = self.contexts.get_mut(&current).ok_or(INVALID_HANDLE)?;
                Ok(Arc::clone(context.default_stream.get_or_insert_with(|| Stream::new(current, true))))
            }
            PER_THREAD => {
                let context = self.contexts.get_mut(&current).ok_or(INVALID_HANDLE)?;
                Ok(Arc::clone(context.per_thread_stream.get_or_insert_with(|| Stream::new(current, true))))
            }
            id => self.streams.get(&id).cloned().ok_or(INVALID_HANDLE),
        }
    }

    /// What must be done before new work of a stream: the default stream waits for every blocking stream of its
    /// context, and each of those for the default stream.
    fn dependencies(&self, stream: &Arc<Stream>) -> Vec<Point> {
        let Some(context) = self.contexts.get(&stream.context) else { return Vec::new() };
        let is_default = context.default_stream.as_ref().is_some_and(|default| Arc::ptr_eq(default, stream));
        if is_default {
            let others = self.streams.values().filter(|other| other.context == stream.context && other.blocking);
            others.chain(context.per_thread_stream.iter()).map(Stream::now).collect()
        } else if stream.blocking {
            context.default_stream.iter().map(Stream::now).collect()
        } else {
            Vec::new()
        }
    }

    /// Enqueue work that may fail; a failure is the context's from then on.
    pub(crate) fn enqueue(
        &self,
        stream: &Arc<Stream>,
        work: impl FnOnce() -> Result<()> + Send + 'static,
    ) -> Result<Point> {
        let error = Arc::clone(&self.context(stream.context)?.error);
        let dependencies = self.dependencies(stream);
        let ticket = stream.push(Box::new(move || {
            dependencies.iter().for_each(Point::wait);
            // After an error of device code nothing more is executed.
            if error.get().is_ok()
                && let Err(code) = work()
            {
                error.set(code);
            }
        }));
        Ok(Point { stream: Arc::clone(stream), ticket })
    }
}

/// Wait until a 32- or 64-bit value meets a condition. The writer may be another process, which has no way to
/// signal: a GPU polls too.
fn poll(condition: impl Fn() -> bool) {
    let mut pause = std::time::Duration::from_micros(1);
    while !condition() {
        std::thread::sleep(pause);
        pause = (pause * 2).min(std::time::Duration::from_micros(200));
    }
}

/// Compare as `CUstreamWaitValue_flags` says; the difference is signed, so that counters may wrap.
fn condition<T: Copy + Eq>(
    flags: u32,
    difference: impl Fn(T) -> i64,
    and: impl Fn(T) -> bool,
) -> Result<impl Fn(T) -> bool> {
    type F = CUstreamWaitValue_flags;
    let flags = CUstreamWaitValue_flags(flags);
    if ![F::CU_STREAM_WAIT_VALUE_GEQ, F::CU_STREAM_WAIT_VALUE_EQ, F::CU_STREAM_WAIT_VALUE_AND].contains(&flags) {
        return Err(if flags.0 > 3 { INVALID_VALUE } else { NOT_SUPPORTED });
    }
    Ok(move |found| match flags {
        F::CU_STREAM_WAIT_VALUE_GEQ => difference(found) >= 0,
        F::CU_STREAM_WAIT_VALUE_EQ => difference(found) == 0,
        _ => and(found),
    })
}

macro_rules! stream_values {
    ($($write:ident, $wait:ident: $value:ty, $atomic:ty;)*) => {
        entry_points! {$(
            fn $write(stream: CUstream, address: CUdeviceptr, value: $value, _flags: u32) {
                let mut state = state()?;
                let stream = state.stream(stream)?;
                let memory = state.holding(address, size_of::<$value>() as u64)?.memory();
                if !address.is_multiple_of(size_of::<$value>() as u64) {
                    return Err(INVALID_VALUE);
                }
                state.enqueue(&stream, move || {
                    // SAFETY: a checked, aligned address in memory that `memory` keeps mapped.
                    unsafe { <$atomic>::from_ptr(address as *mut $value) }
                        .store(value, std::sync::atomic::Ordering::SeqCst);
                    drop(memory);
                    Ok(())
                })?;
                Ok(())
            }

            fn $wait(stream: CUstream, address: CUdeviceptr, value: $value, flags: u32) {
                let mut state = state()?;
                let stream = state.stream(stream)?;
                let memory = state.holding(address, size_of::<$value>() as u64)?.memory();
                if !address.is_multiple_of(size_of::<$value>() as u64) {
                    return Err(INVALID_VALUE);
                }
                let met = condition::<$value>(
                    flags,
                    move |found| i64::from(found.wrapping_sub(value).cast_signed()),
                    move |found| found & value != 0,
                )?;
                state.enqueue(&stream, move || {
                    // SAFETY: as for the write.
                    let found = unsafe { <$atomic>::from_ptr(address as *mut $value) };
                    poll(|| met(found.load(std::sync::atomic::Ordering::SeqCst)));
                    drop(memory);
                    Ok(())
                })?;
                Ok(())
            }
        )*}
    };
}

stream_values! {
    cuStreamWriteValue32_v2, cuStreamWaitValue32_v2: u32, std::sync::atomic::AtomicU32;
    cuStreamWriteValue64_v2, cuStreamWaitValue64_v2: u64, std::sync::atomic::AtomicU64;
}

fn create(output: *mut CUstream, flags: u32) -> Result<()> {
    wanted(output)?;
    if flags & !CUstream_flags::CU_STREAM_NON_BLOCKING.0 != 0 {
        return Err(INVALID_VALUE);
    }
    let mut state = state()?;
    let context = state.current()?;
    let id = state.new_id();
    state.streams.insert(id, Stream::new(context, flags == 0));
    give(output, id as CUstream)
}

entry_points! {
    fn cuStreamCreate(output: *mut CUstream, flags: u32) {
        create(output, flags)
    }

    fn cuStreamCreateWithPriority(output: *mut CUstream, flags: u32, _priority: i32) {
        create(output, flags)
    }

    fn cuStreamDestroy_v2(stream: CUstream) {
        let mut state = state()?;
        state.streams.remove(&(stream as u64)).ok_or(INVALID_HANDLE)?.close();
        Ok(())
    }

    fn cuStreamQuery(stream: CUstream) {
        let mut state = state()?;
        let stream = state.stream(stream)?;
        if stream.is_idle() { Ok(()) } else { Err(CUresult::CUDA_ERROR_NOT_READY) }
    }

    fn cuStreamSynchronize(stream: CUstream) {
        let (stream, error) = {
            let mut state = state()?;
            let stream = state.stream(stream)?;
            let error = Arc::clone(&state.context(stream.context)?.error);
            (stream, error)
        };
        stream.synchronize();
        error.get()
    }

    fn cuStreamGetCtx(stream: CUstream, context: *mut CUcontext) {
        let mut state = state()?;
        let stream = state.stream(stream)?;
        give(context, stream.context as CUcontext)
    }

    fn cuLaunchHostFunc(stream: CUstream, function: CUhostFn, data: *mut std::ffi::c_void) {
        let function = function.ok_or(INVALID_VALUE)?;
        let mut state = state()?;
        let stream = state.stream(stream)?;
        let data = data as usize;
        state.enqueue(&stream, move || {
            // SAFETY: the caller promises that the function may be called with this argument from another thread.
            unsafe { function(data as *mut _) };
            Ok(())
        })?;
        Ok(())
    }
}
