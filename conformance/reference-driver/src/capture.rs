//! Captures: work that is enqueued in a stream becomes a node of a graph instead of being done. Codes, and what ends a
//! capture early, are those of an H200.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuda_ipc_sys::{
    CUevent, CUgraph, CUgraphEdgeData, CUgraphNode, CUresult, CUstream, CUstreamCaptureMode as Mode,
    CUstreamCaptureStatus as Status,
};

use crate::answer::{INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::graph::{Graph, Node, Work};
use crate::health::Health;
use crate::process::{State, state, thread};
use crate::stream::Stream;
use crate::stream::is_legacy;

const UNSUPPORTED: CUresult = CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
const INVALIDATED: CUresult = CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;

#[derive(Debug)]
pub(crate) struct Capture {
    id: u64,
    mode: Mode,
    /// The thread that began it.
    thread: u64,
    /// The stream in which it began, and those that joined it by waiting for an event that was recorded in it.
    branches: Vec<Branch>,
    nodes: Vec<Node>,
    is_valid: bool,
}

#[derive(Debug)]
struct Branch {
    stream: Arc<Stream>,
    earlier: Earlier,
}

/// The nodes, by their places in the capture, that come before the next work of a stream.
type Earlier = BTreeSet<usize>;

/// Where an event was last recorded, if that was in a capture.
#[derive(Clone, Debug)]
pub(crate) struct Captured {
    capture: u64,
    earlier: Earlier,
}

impl Capture {
    /// The stream in which the capture began.
    fn origin(&self) -> &Branch {
        &self.branches[0]
    }

    /// What comes before the next work of a stream. A stream that is not in the capture yet joins it.
    fn earlier(&mut self, stream: &Arc<Stream>) -> &mut Earlier {
        let place = self.branches.iter().position(|branch| Arc::ptr_eq(&branch.stream, stream));
        let place = place.unwrap_or_else(|| {
            self.branches.push(Branch { stream: Arc::clone(stream), earlier: Earlier::new() });
            self.branches.len() - 1
        });
        &mut self.branches[place].earlier
    }

    fn streams(&self) -> impl Iterator<Item = &Arc<Stream>> {
        self.branches.iter().map(|branch| &branch.stream)
    }

    fn has(&self, stream: &Arc<Stream>) -> bool {
        self.streams().any(|own| Arc::ptr_eq(own, stream))
    }

    /// Whether the default stream of a context would have to wait for one of the capture's streams.
    fn blocks(&self, context: u64) -> bool {
        self.streams().any(|stream| stream.context == context && stream.is_blocking() && !stream.is_closed())
    }

    /// Adds a node after all others. That respects every dependency, because a call depends only on earlier ones.
    fn add(&mut self, stream: &Arc<Stream>, node: Node) -> Result<()> {
        if !self.is_valid {
            return Err(INVALIDATED);
        }
        let place = self.nodes.len();
        self.nodes.push(node);
        self.earlier(stream).insert(place);
        Ok(())
    }
}

/// How many captures there are: the check of each call must be cheap when there is none.
static CAPTURES: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The mode of `cuThreadExchangeStreamCaptureMode`: the captures that forbid calls to this thread.
    static HEEDED: Cell<Mode> = const { Cell::new(Mode::CU_STREAM_CAPTURE_MODE_GLOBAL) };
}

/// The calls that a capture forbids to its thread, or in the global mode to every thread.
const FORBIDDEN: [&str; 11] = [
    "cuMemAlloc_v2",
    "cuMemAllocPitch_v2",
    "cuMemFree_v2",
    "cuMemAllocHost_v2",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemHostRegister_v2",
    "cuMemHostUnregister",
    "cuMemAllocManaged",
    "cuMemPoolCreate",
    "cuMemPoolDestroy",
];

/// Refuses a call that a capture forbids. The capture is then invalid.
pub(crate) fn check(function: &str) -> Result<()> {
    if CAPTURES.load(Ordering::Relaxed) == 0 || !FORBIDDEN.contains(&function) {
        return Ok(());
    }
    state()?.check_forbidden()
}

impl State {
    /// Changes the captures, and counts them.
    fn with_captures<T>(&mut self, change: impl FnOnce(&mut Vec<Capture>) -> T) -> T {
        let result = change(&mut self.captures);
        CAPTURES.store(self.captures.len(), Ordering::Relaxed);
        result
    }

    pub(crate) fn forget_captures(&mut self, ends: impl Fn(&Stream) -> bool) {
        self.with_captures(|captures| captures.retain(|capture| !ends(&capture.origin().stream)));
    }

    fn capture_of(&mut self, stream: &Arc<Stream>) -> Option<&mut Capture> {
        self.captures.iter_mut().find(|capture| capture.has(stream))
    }

    pub(crate) fn is_capturing(&self, stream: &Arc<Stream>) -> bool {
        self.captures.iter().any(|capture| capture.has(stream))
    }

    /// Invalidates captures. Returns an error if there is one.
    fn invalidate(&mut self, are_meant: impl Fn(&Capture) -> bool, code: CUresult) -> Result<()> {
        let mut meant = self.captures.iter_mut().filter(|capture| are_meant(capture)).peekable();
        if meant.peek().is_none() {
            return Ok(());
        }
        meant.for_each(|capture| capture.is_valid = false);
        Err(code)
    }

    /// Refuses a call that a capture forbids to this thread.
    pub(crate) fn check_forbidden(&mut self) -> Result<()> {
        let thread = thread();
        let heeded = HEEDED.get();
        let forbids = |capture: &Capture| match capture.mode {
            Mode::CU_STREAM_CAPTURE_MODE_RELAXED => false,
            _ if heeded == Mode::CU_STREAM_CAPTURE_MODE_RELAXED => false,
            Mode::CU_STREAM_CAPTURE_MODE_GLOBAL if heeded == Mode::CU_STREAM_CAPTURE_MODE_GLOBAL => true,
            _ => capture.thread == thread,
        };
        self.invalidate(forbids, UNSUPPORTED)
    }

    /// Refuses to look at a stream that is captured, or at any stream if a capture forbids that.
    pub(crate) fn check_look_at(&mut self, stream: &Arc<Stream>) -> Result<()> {
        self.check_forbidden()?;
        self.check_not_capturing(stream)
    }

    /// Refuses a call that no stream of a capture takes.
    pub(crate) fn check_not_capturing(&mut self, stream: &Arc<Stream>) -> Result<()> {
        self.invalidate(|capture| capture.has(stream), UNSUPPORTED)
    }

    /// Refuses to wait for a whole context of which a stream is captured.
    pub(crate) fn check_no_capture_in(&mut self, context: u64) -> Result<()> {
        let is_within = |capture: &Capture| capture.streams().any(|stream| stream.context == context);
        self.invalidate(is_within, UNSUPPORTED)
    }

    /// Returns a stream of which a call asks whether it is captured. Captures stay valid, also if the default stream would
    /// have to wait for one.
    fn observed(&mut self, stream: CUstream) -> Result<Arc<Stream>> {
        let current = self.current()?;
        if is_legacy(stream) && self.captures.iter().any(|capture| capture.blocks(current)) {
            return Err(CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        }
        self.stream(stream)
    }

    /// Refuses the default stream while a stream is captured that it would have to wait for.
    pub(crate) fn check_default_stream(&mut self, context: u64) -> Result<()> {
        self.invalidate(|capture| capture.blocks(context), CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
    }

    /// Refuses to look at an event that was last recorded in a capture.
    pub(crate) fn check_event_outside(&mut self, event: CUevent) -> Result<()> {
        let Some(captured) = self.event(event)?.captured.clone() else { return Ok(()) };
        self.invalidate(|capture| capture.id == captured.capture, CUresult::CUDA_ERROR_CAPTURED_EVENT)?;
        Err(INVALID_VALUE)
    }

    /// Adds a node to the capture of a stream.
    pub(crate) fn capture(&mut self, stream: &Arc<Stream>, node: Node) -> Result<()> {
        self.capture_of(stream).ok_or(INVALID_VALUE)?.add(stream, node)
    }

    /// Enqueues work, or captures it. Captured work is done at each launch of its graph.
    pub(crate) fn issue(
        &mut self,
        stream: &Arc<Stream>,
        work: impl Fn(&Health) -> Result<()> + Send + Sync + 'static,
    ) -> Result<()> {
        if !self.is_capturing(stream) {
            return self.enqueue(stream, work).map(drop);
        }
        let work = Arc::new(work);
        if fault!(
            "captured-work-is-done-at-once",
            ["IPCMEM-GET-032", "IPCMEM-OPEN-048"],
            "Captured work is also done when it is captured."
        ) {
            let work = Arc::clone(&work);
            self.enqueue(stream, move |health| work(health))?;
        }
        self.capture(stream, Node::Work(Work(work)))
    }

    /// Refuses an allocation or a free that a capture forbids. One in a stream of a capture is not implemented.
    pub(crate) fn check_ordered_memory(&mut self, stream: &Arc<Stream>) -> Result<()> {
        if self.is_capturing(stream) { Err(NOT_SUPPORTED) } else { self.check_forbidden() }
    }

    /// Records an event in a stream of a capture, and returns whether that is the case.
    pub(crate) fn record_in_capture(&mut self, stream: &Arc<Stream>, handle: CUevent) -> Result<bool> {
        let event = self.event(handle)?;
        let is_shared = event.is_imported() || event.is_exportable();
        let captured = match self.capture_of(stream) {
            // IPCEVT-036: the capture stays valid.
            Some(_) if is_shared => return Err(UNSUPPORTED),
            Some(capture) if !capture.is_valid => return Err(INVALIDATED),
            Some(capture) => Some(Captured { capture: capture.id, earlier: capture.earlier(stream).clone() }),
            None => None,
        };
        let is_captured = captured.is_some();
        if let Some(event) = self.events.get_mut(&(handle as u64)) {
            event.captured = captured;
        }
        Ok(is_captured)
    }

    /// Makes a stream wait for an event if either belongs to a capture, and returns whether that is the case.
    pub(crate) fn wait_in_capture(&mut self, stream: &Arc<Stream>, handle: CUevent) -> Result<bool> {
        let event = self.event(handle)?;
        let is_shared = event.is_imported() || event.is_exportable();
        let (captured, is_recorded) = (event.captured.clone(), event.is_recorded());
        let own = self.capture_of(stream).map(|capture| capture.id);
        let of_event = captured.as_ref().map(|captured| captured.capture);
        if let Some(of_event) = of_event.filter(|of_event| own.is_some_and(|own| own != *of_event)) {
            let are_merged = |capture: &Capture| Some(capture.id) == own || capture.id == of_event;
            self.invalidate(are_merged, CUresult::CUDA_ERROR_STREAM_CAPTURE_MERGE)?;
        }
        match (captured, own) {
            (None, None) => Ok(false),
            (None, Some(_)) if is_shared => self.check_not_capturing(stream).map(|()| true),
            (None, Some(_)) if !is_recorded => Ok(true),
            (None, Some(own)) => {
                let isolation = CUresult::CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
                self.invalidate(|capture| capture.id == own, isolation).map(|()| true)
            }
            (Some(captured), _) if self.is_default(stream) => {
                let implicit = CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
                self.invalidate(|capture| capture.id == captured.capture, implicit)?;
                Err(INVALID_VALUE)
            }
            (Some(captured), _) => {
                let capture = self.captures.iter_mut().find(|capture| capture.id == captured.capture);
                let capture = capture.ok_or(INVALID_VALUE)?;
                if !capture.is_valid {
                    return Err(INVALIDATED);
                }
                capture.earlier(stream).extend(captured.earlier);
                Ok(true)
            }
        }
    }

    /// For faults: the captures lose what they have, and stay valid.
    pub(crate) fn empty_captures(&mut self) {
        self.captures.iter_mut().for_each(|capture| capture.nodes.clear());
    }

    fn begin_capture(&mut self, stream: Arc<Stream>, mode: Mode) -> Result<()> {
        if self.is_capturing(&stream) {
            return Err(CUresult::CUDA_ERROR_ILLEGAL_STATE);
        }
        let capture = Capture {
            id: self.new_id(),
            mode,
            thread: thread(),
            branches: vec![Branch { stream, earlier: Earlier::new() }],
            nodes: Vec::new(),
            is_valid: true,
        };
        self.with_captures(|captures| captures.push(capture));
        Ok(())
    }

    fn end_capture(&mut self, stream: &Arc<Stream>) -> Result<Graph> {
        let place = self.captures.iter().position(|capture| capture.has(stream));
        let place = place.ok_or(CUresult::CUDA_ERROR_ILLEGAL_STATE)?;
        if !Arc::ptr_eq(&self.captures[place].origin().stream, stream) {
            self.captures[place].is_valid = false;
            return Err(CUresult::CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
        }
        let capture = self.with_captures(|captures| captures.remove(place));
        if !capture.is_valid {
            return Err(INVALIDATED);
        }
        if capture.mode != Mode::CU_STREAM_CAPTURE_MODE_RELAXED && capture.thread != thread() {
            return Err(CUresult::CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
        }
        // A stream that joined and added nothing need not be waited for.
        if capture.origin().earlier.len() < capture.nodes.len() {
            return Err(CUresult::CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
        }
        let nodes = capture.nodes.into_iter().map(|node| (self.new_id(), node)).collect();
        Ok(Graph { nodes })
    }
}

/// Whether a mode is one of the documented ones.
fn is_known(mode: Mode) -> bool {
    mode.0 <= Mode::CU_STREAM_CAPTURE_MODE_RELAXED.0
}

/// Tells the status and the number of a stream's capture. What it has captured so far is not told.
fn tell(stream: CUstream, status: Output<Status>, id: Output<u64>, asks_for_nodes: bool) -> Result<()> {
    let mut state = state()?;
    let stream = state.observed(stream)?;
    status.wanted()?;
    let Some(capture) = state.capture_of(&stream) else {
        return status.give(Status::CU_STREAM_CAPTURE_STATUS_NONE);
    };
    if !capture.is_valid {
        return status.give(Status::CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    }
    if asks_for_nodes {
        return Err(NOT_SUPPORTED);
    }
    id.give_if_wanted(capture.id);
    status.give(Status::CU_STREAM_CAPTURE_STATUS_ACTIVE)
}

entry_points! {
    fn cuStreamBeginCapture_v2(stream: CUstream, mode: Mode) {
        let mut state = state()?;
        let stream = state.stream(stream)?;
        if state.is_default(&stream) {
            return Err(UNSUPPORTED);
        }
        if !is_known(mode) {
            return Err(INVALID_VALUE);
        }
        state.begin_capture(stream, mode)
    }

    fn cuStreamEndCapture(stream: CUstream, graph: Output<CUgraph>) {
        let mut state = state()?;
        let stream = state.stream(stream)?;
        graph.wanted()?;
        graph.give_if_wanted(std::ptr::null_mut());
        let ended = state.end_capture(&stream)?;
        let id = state.new_id();
        state.graphs.insert(id, ended);
        graph.give(id as CUgraph)
    }

    fn cuStreamIsCapturing(stream: CUstream, status: Output<Status>) {
        let mut state = state()?;
        let stream = state.observed(stream)?;
        status.give(match state.capture_of(&stream) {
            None => Status::CU_STREAM_CAPTURE_STATUS_NONE,
            Some(capture) if capture.is_valid => Status::CU_STREAM_CAPTURE_STATUS_ACTIVE,
            Some(_) => Status::CU_STREAM_CAPTURE_STATUS_INVALIDATED,
        })
    }

    fn cuStreamGetCaptureInfo_v2(
        stream: CUstream,
        status: Output<Status>,
        id: Output<u64>,
        graph: Output<CUgraph>,
        dependencies: Output<*const CUgraphNode>,
        count: Output<usize>,
    ) {
        tell(stream, status, id, graph.wanted().is_ok() || dependencies.wanted().is_ok() || count.wanted().is_ok())
    }

    fn cuStreamGetCaptureInfo_v3(
        stream: CUstream,
        status: Output<Status>,
        id: Output<u64>,
        graph: Output<CUgraph>,
        dependencies: Output<*const CUgraphNode>,
        edges: Output<*const CUgraphEdgeData>,
        count: Output<usize>,
    ) {
        let asks_for_edges = edges.wanted().is_ok() || count.wanted().is_ok();
        tell(stream, status, id, graph.wanted().is_ok() || dependencies.wanted().is_ok() || asks_for_edges)
    }

    fn cuThreadExchangeStreamCaptureMode(mode: Output<Mode>) {
        let _state = state()?;
        mode.wanted()?;
        // SAFETY: the caller promises a mode that can be read and written.
        let wished = unsafe { Input::new(mode.pointer()) }.value()?;
        if !is_known(wished) {
            return Err(INVALID_VALUE);
        }
        mode.give(HEEDED.replace(wished))
    }
}
