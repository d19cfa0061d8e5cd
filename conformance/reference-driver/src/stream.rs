//! Streams: each performs its work in order, on its own thread, which starts with the first work.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use cuda_ipc_sys::{
    CUcontext, CUdeviceptr, CUhostFn, CUmemAttach_flags, CUresult, CUstream, CUstream_flags, CUstreamCallback,
};

use crate::answer::{INVALID_HANDLE, INVALID_VALUE, OUT_OF_MEMORY, Output, Result};
use crate::health::Health;
use crate::process::{State, in_host_function, state, thread};
use crate::range::Memory;

type Task = Box<dyn FnOnce(&Health) -> Result<()> + Send>;

/// One entry of a stream's queue.
pub(crate) enum Work {
    /// A task. It is dropped without being performed if the context no longer works.
    Perform(Task),
    /// A record of an event. Dropping the value completes the record. It is dropped under the queue's lock, so every
    /// thread sees the record complete at the moment when the stream reaches it.
    Complete(Box<dyn Send>),
}

pub(crate) struct Stream {
    pub(crate) context: u64,
    /// Whether the stream synchronises with the context's default stream.
    is_blocking: bool,
    pub(crate) health: Arc<Health>,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<(Vec<Point>, Work)>,
    /// How many entries were ever enqueued.
    issued: u64,
    /// How many entries are done.
    done: u64,
    has_thread: bool,
    is_closed: bool,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("context", &self.context).finish_non_exhaustive()
    }
}

/// A position in a stream's order.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    stream: Arc<Stream>,
    ticket: u64,
}

impl Point {
    /// Waits until the stream has reached this point.
    pub(crate) fn wait(&self) {
        let mut queue = self.stream.lock();
        while queue.done < self.ticket {
            queue = self.stream.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.stream.lock().done >= self.ticket
    }
}

impl Stream {
    pub(crate) const fn is_blocking(&self) -> bool {
        self.is_blocking
    }

    /// Whether the stream was destroyed.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    pub(crate) fn new(context: u64, is_blocking: bool, health: &Arc<Health>) -> Arc<Self> {
        let health = Arc::clone(health);
        Arc::new(Self { context, is_blocking, health, queue: Mutex::default(), changed: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the stream's thread if it is not running, so that work can be enqueued.
    pub(crate) fn start(self: &Arc<Self>) -> Result<()> {
        let mut queue = self.lock();
        if !queue.has_thread {
            let stream = Arc::clone(self);
            let thread = std::thread::Builder::new().name("stream".to_owned());
            thread.spawn(move || stream.run()).map_err(|_| OUT_OF_MEMORY)?;
            queue.has_thread = true;
        }
        Ok(())
    }

    /// Enqueues work that also comes after points of other streams.
    pub(crate) fn push(self: &Arc<Self>, after: Vec<Point>, work: Work) -> Result<Point> {
        self.start()?;
        let mut queue = self.lock();
        let is_ahead = matches!(work, Work::Complete(_))
            && fault!(
                "record-overtakes-the-last-work",
                ["IPCEVT-018", "IPCEVT-039"],
                "A record does not cover the last work that was enqueued before it.",
            );
        // Another thread has closed the stream, or destroyed its context, since this thread looked it up.
        if queue.is_closed {
            return Err(INVALID_HANDLE);
        }
        queue.issued += 1;
        let work = match work {
            // The work before it has started.
            Work::Complete(_) if queue.waiting.is_empty() && records_complete_early() => Work::Complete(Box::new(())),
            work => work,
        };
        let place = queue.waiting.len() - usize::from(is_ahead && !queue.waiting.is_empty());
        queue.waiting.insert(place, (after, work));
        self.changed.notify_all();
        Ok(Point { stream: Arc::clone(self), ticket: queue.issued })
    }

    fn run(&self) {
        let mut queue = self.lock();
        loop {
            if let Some((after, work)) = queue.waiting.pop_front() {
                drop(queue);
                after.iter().for_each(Point::wait);
                drop(after);
                if records_complete_early()
                    && let Some((_, Work::Complete(record))) = self.lock().waiting.front_mut()
                {
                    *record = Box::new(());
                }
                queue = match work {
                    Work::Perform(task) => {
                        self.perform(task);
                        self.lock()
                    }
                    Work::Complete(record) => {
                        let queue = self.lock();
                        drop(record);
                        queue
                    }
                };
                queue.done += 1;
                self.changed.notify_all();
            } else if queue.is_closed {
                return;
            } else {
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Performs work. If it fails, later calls of the process return its error.
    fn perform(&self, task: impl FnOnce(&Health) -> Result<()>) {
        if !self.health.works() {
            return;
        }
        let performed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| task(&self.health)));
        match performed {
            Ok(Ok(())) => {}
            Ok(Err(code)) => {
                self.health.fail(code);
                if crate::ipc::spreads_faults()
                    && let Ok(state) = state()
                {
                    state.note_in_imports(u64::from(code.0));
                }
            }
            Err(_) => self.health.fail(CUresult::CUDA_ERROR_LAUNCH_FAILED),
        }
    }

    /// The point after everything that has been enqueued so far.
    pub(crate) fn now(self: &Arc<Self>) -> Point {
        let ticket = self.lock().issued;
        Point { stream: Arc::clone(self), ticket }
    }

    /// Closes the stream. It accepts no more work, but what was enqueued is still done.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }
}

fn records_complete_early() -> bool {
    fault!(
        "record-completes-when-the-work-starts",
        ["IPCEVT-018", "IPCEVT-039"],
        "A record completes when the last work before it starts.",
    )
}

/// Whether a handle stands for the default stream of all threads.
pub(crate) fn is_legacy(handle: CUstream) -> bool {
    const LEGACY: u64 = 1;
    matches!(handle as u64, 0 | LEGACY)
}

impl State {
    /// The stream behind a handle.
    pub(crate) fn stream(&mut self, handle: CUstream) -> Result<Arc<Stream>> {
        const PER_THREAD: u64 = 2;
        match handle as u64 {
            _ if is_legacy(handle) => {
                let current = self.current()?;
                self.check_default_stream(current)?;
                Ok(Arc::clone(&self.context(current)?.default_stream))
            }
            PER_THREAD => {
                let current = self.current()?;
                let context = self.context_mut(current)?;
                let new = || Stream::new(current, true, &context.health);
                Ok(Arc::clone(context.thread_streams.entry(thread()).or_insert_with(new)))
            }
            id => self.created_stream(id).map(Arc::clone),
        }
    }

    fn created_stream(&self, handle: u64) -> Result<&Arc<Stream>> {
        let stream = self.streams.get(&handle).ok_or_else(|| self.missing(handle))?;
        stream.health.check()?;
        Ok(stream)
    }

    /// Whether a stream is the legacy default stream of its context.
    pub(crate) fn is_default(&self, stream: &Arc<Stream>) -> bool {
        self.contexts.get(&stream.context).is_some_and(|context| Arc::ptr_eq(&context.default_stream, stream))
    }

    /// Every stream of a context.
    pub(crate) fn streams_of(&self, id: u64) -> Vec<Arc<Stream>> {
        let created = self.streams.values().filter(|stream| stream.context == id);
        let Some(context) = self.contexts.get(&id) else { return created.cloned().collect() };
        let others = context.thread_streams.values().chain(&context.closing_streams).chain(created);
        std::iter::once(&context.default_stream).chain(others).cloned().collect()
    }

    /// Whether a stream of the process has pending work.
    pub(crate) fn is_busy(&self) -> bool {
        self.contexts.keys().any(|context| self.streams_of(*context).iter().any(|stream| !stream.now().is_done()))
    }

    /// The points that new work of a stream waits for. The default stream waits for every blocking stream of its
    /// context, and each of those waits for the default stream.
    fn before(&self, stream: &Arc<Stream>) -> Vec<Point> {
        let Some(context) = self.contexts.get(&stream.context) else { return Vec::new() };
        let is_default = Arc::ptr_eq(&context.default_stream, stream);
        let others = if is_default {
            let others = self.streams_of(stream.context).into_iter();
            others.filter(|other| other.is_blocking && !Arc::ptr_eq(other, stream)).collect()
        } else if stream.is_blocking {
            vec![Arc::clone(&context.default_stream)]
        } else {
            Vec::new()
        };
        others.iter().map(Stream::now).filter(|point| !point.is_done()).collect()
    }

    /// The points that are still pending for a stream: its own work, and what its next work waits for.
    fn outstanding(&self, stream: &Arc<Stream>) -> Vec<Point> {
        let own = stream.now();
        self.before(stream).into_iter().chain((!own.is_done()).then_some(own)).collect()
    }

    pub(crate) fn enqueue(
        &self,
        stream: &Arc<Stream>,
        task: impl FnOnce(&Health) -> Result<()> + Send + 'static,
    ) -> Result<Point> {
        stream.push(self.before(stream), Work::Perform(Box::new(task)))
    }

    pub(crate) fn enqueue_record(&self, stream: &Arc<Stream>, record: Box<dyn Send>) -> Result<()> {
        stream.push(self.before(stream), Work::Complete(record)).map(drop)
    }
}

/// Performs work in a stream's order. If nothing comes before it, the calling thread performs it at once. Otherwise it
/// is enqueued, and the call waits for it only if `waits` is set.
pub(crate) fn perform(
    state: MutexGuard<'_, State>,
    stream: &Arc<Stream>,
    waits: bool,
    task: impl FnOnce(&Health) -> Result<()> + Send + 'static,
) -> Result<()> {
    if state.outstanding(stream).is_empty() {
        drop(state);
        stream.perform(task);
    } else {
        let point = state.enqueue(stream, task)?;
        drop(state);
        if waits {
            point.wait();
        }
    }
    stream.health.check()
}

/// Waits until a context's streams have done what was enqueued before.
pub(crate) fn synchronize(context: u64) -> Result<()> {
    let health = Arc::clone(&state()?.context(context)?.health);
    wait_for_streams(context)?;
    health.check()
}

/// The same, whether the work succeeds or not.
pub(crate) fn wait_for_streams(context: u64) -> Result<()> {
    let streams = state()?.streams_of(context);
    streams.iter().map(Stream::now).for_each(|point| point.wait());
    Ok(())
}

fn create(output: Output<CUstream>, flags: u32) -> Result<()> {
    let mut state = state()?;
    let context = state.current()?;
    output.wanted()?;
    if flags & !CUstream_flags::CU_STREAM_NON_BLOCKING.0 != 0 {
        return Err(INVALID_VALUE);
    }
    let stream = Stream::new(context, flags == 0, &state.context(context)?.health);
    let id = state.new_id();
    state.streams.insert(id, stream);
    output.give(id as CUstream)
}

entry_points! {
    fn cuStreamCreate(output: Output<CUstream>, flags: u32) {
        create(output, flags)
    }

    // Priorities are hints, and every stream has its own thread.
    fn cuStreamCreateWithPriority(output: Output<CUstream>, flags: u32, _priority: i32) {
        create(output, flags)
    }

    // Enqueued work is still done.
    fn cuStreamDestroy_v2(stream: CUstream) {
        let mut state = state()?;
        let handle = stream as u64;
        let stream = Arc::clone(state.created_stream(handle)?);
        state.streams.remove(&handle);
        state.forget_captures(|origin| std::ptr::eq(origin, &*stream));
        stream.close();
        let closing = &mut state.context_mut(stream.context)?.closing_streams;
        closing.retain(|stream| !stream.now().is_done());
        closing.push(stream);
        Ok(())
    }

    fn cuStreamQuery(stream: CUstream) {
        let mut state = state()?;
        let stream = state.stream(stream)?;
        state.check_look_at(&stream)?;
        let is_idle = state.outstanding(&stream).is_empty();
        stream.health.check()?;
        if is_idle { Ok(()) } else { Err(CUresult::CUDA_ERROR_NOT_READY) }
    }

    fn cuStreamSynchronize(stream: CUstream) {
        let (stream, outstanding) = {
            let mut state = state()?;
            let stream = state.stream(stream)?;
            state.check_look_at(&stream)?;
            let outstanding = state.outstanding(&stream);
            (stream, outstanding)
        };
        outstanding.iter().for_each(Point::wait);
        stream.health.check()
    }

    fn cuStreamGetCtx(stream: CUstream, context: Output<CUcontext>) {
        let mut state = state()?;
        let stream = state.stream(stream)?;
        context.give(stream.context as CUcontext)
    }

    fn cuLaunchHostFunc(stream: CUstream, function: CUhostFn, data: *mut c_void) {
        let mut state = state()?;
        let stream = state.stream(stream)?;
        let function = function.ok_or(INVALID_VALUE)?;
        let data = data as usize;
        state.issue(&stream, move |_| {
            in_host_function(|| {
                // SAFETY: the caller promises that another thread may call the function with this argument.
                unsafe { function(data as *mut c_void) };
            });
            Ok(())
        })
    }

    fn cuStreamAddCallback(handle: CUstream, callback: CUstreamCallback, data: *mut c_void, flags: u32) {
        let mut state = state()?;
        let stream = state.stream(handle)?;
        let callback = callback.ok_or(INVALID_VALUE)?;
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        // Callbacks, unlike host functions, cannot be captured.
        state.check_not_capturing(&stream)?;
        let (handle, data) = (handle as usize, data as usize);
        state.enqueue(&stream, move |_| {
            in_host_function(|| {
                // SAFETY: the caller promises that another thread may call the function with this argument.
                unsafe { callback(handle as CUstream, CUresult::CUDA_SUCCESS, data as *mut c_void) };
            });
            Ok(())
        })?;
        Ok(())
    }

    // Managed memory is the same for all streams here, so only the arguments matter.
    fn cuStreamAttachMemAsync(handle: CUstream, pointer: CUdeviceptr, length: usize, flags: u32) {
        type F = CUmemAttach_flags;
        let mut state = state()?;
        let stream = state.stream(handle)?;
        let range = state.ranges.get(&pointer).filter(|range| matches!(range.memory, Memory::Managed(_)));
        let size = range.ok_or(INVALID_VALUE)?.size;
        let known = [F::CU_MEM_ATTACH_GLOBAL, F::CU_MEM_ATTACH_HOST, F::CU_MEM_ATTACH_SINGLE];
        let is_known = known.iter().any(|known| known.0 == flags);
        let has_stream = flags != F::CU_MEM_ATTACH_SINGLE.0 || !state.is_default(&stream);
        if is_known && has_stream && (length == 0 || length as u64 == size) { Ok(()) } else { Err(INVALID_VALUE) }
    }

    // Lower numbers are greater priorities. The numbers are those of an H200, also without a context.
    fn cuCtxGetStreamPriorityRange(least: Output<i32>, greatest: Output<i32>) {
        let _state = state()?;
        least.give_if_wanted(0);
        greatest.give_if_wanted(-5);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn number(stream: &Arc<Stream>, after: Vec<Point>, numbers: &mpsc::Sender<u32>, number: u32) -> Point {
        let numbers = numbers.clone();
        let task = move |_: &Health| {
            numbers.send(number).unwrap();
            Ok(())
        };
        stream.push(after, Work::Perform(Box::new(task))).unwrap()
    }

    #[test]
    fn work_is_done_in_order_and_after_what_it_depends_on() {
        let health = Arc::new(Health::default());
        let (one, other) = (Stream::new(1, true, &health), Stream::new(1, true, &health));
        let (numbers, done) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        let wait = move |_: &Health| released.recv().map_err(|_| INVALID_VALUE);
        let gate = one.push(Vec::new(), Work::Perform(Box::new(wait))).unwrap();
        number(&one, Vec::new(), &numbers, 1);
        let last = number(&one, Vec::new(), &numbers, 2);
        let end = number(&other, vec![last], &numbers, 3);
        assert!(!gate.is_done() && !end.is_done());
        release.send(()).unwrap();
        end.wait();
        assert_eq!(done.try_iter().collect::<Vec<_>>(), [1, 2, 3]);
        one.close();
        other.close();
    }

    #[test]
    fn after_a_failure_nothing_more_is_performed() {
        let health = Arc::new(Health::default());
        let stream = Stream::new(1, true, &health);
        let (numbers, done) = mpsc::channel();
        let fail = |_: &Health| Err(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        stream.push(Vec::new(), Work::Perform(Box::new(fail))).unwrap();
        number(&stream, Vec::new(), &numbers, 1).wait();
        assert_eq!(health.check(), Err(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS));
        assert_eq!(done.try_iter().count(), 0);
        stream.close();
    }
}
