//! Streams keep the order that CUDA promises, and impose no other order.
//!
//! A gate holds a stream until the test opens it. While it is closed, work that runs too early has time to do so. Work
//! copies words: a value passes through a chain of copies only if they run in order. Gates are in host memory, which
//! the test writes without a stream. Words are in device memory, which the test reads in a stream of its own.
//!
//! The tests pass on an H200 with driver 580.159.04 too, if each test has a process of its own. In one process, some
//! calls of a test wait there for the gates of another test.

#[macro_use]
mod common;

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use cuda_ipc_sys::{
    CUcontext, CUdeviceptr, CUevent, CUevent_flags, CUresult, CUstream, CUstream_flags, CUstreamWaitValue_flags,
};

const DEFAULT: CUstream = ptr::null_mut();
const DEADLINE: Duration = Duration::from_secs(20);

/// A context that belongs to one test, with two gates and three words of 0.
struct Scene {
    context: CUcontext,
    /// Host memory: the two gates, and the word that was read last.
    host: &'static [AtomicU32; 3],
    words: CUdeviceptr,
    reader: CUstream,
}

const GATE: usize = 0;
const OTHER_GATE: usize = 1;
const LAST_READ: usize = 2;
const A: u64 = 0;
const B: u64 = 1;
const C: u64 = 2;

impl Scene {
    fn new() -> Self {
        let (mut context, mut host, mut words) = (ptr::null_mut(), ptr::null_mut::<c_void>(), 0);
        call!(cuInit(0));
        call!(cuCtxCreate(&mut context, 0, 0));
        call!(cuMemAllocHost(&mut host, size_of::<[AtomicU32; 3]>()));
        // SAFETY: the allocation has this size, is aligned to a page and lives as long as the context. Any bytes are
        // valid words.
        let host = unsafe { &*host.cast::<[AtomicU32; 3]>() };
        host.iter().for_each(|word| word.store(0, Ordering::SeqCst));
        call!(cuMemAlloc(&mut words, 12));
        call!(cuMemsetD32(words, 0, 3));
        call!(cuCtxSynchronize());
        Self { context, host, words, reader: free_stream() }
    }

    fn host(&self, place: usize) -> CUdeviceptr {
        self.host[place].as_ptr() as CUdeviceptr
    }

    /// Holds a stream until the gate is opened.
    fn gate(&self, stream: CUstream, gate: usize) {
        let flags = CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_GEQ.0;
        call!(cuStreamWaitValue32(stream, self.host(gate), 1, flags));
    }

    fn open(&self, gate: usize) {
        self.host[gate].store(1, Ordering::SeqCst);
    }

    fn put(&self, stream: CUstream, value: u32, word: u64) {
        call!(cuMemsetD32Async(self.words + 4 * word, value, 1, stream));
    }

    fn copy(&self, stream: CUstream, from: u64, to: u64) {
        call!(cuMemcpyDtoDAsync(self.words + 4 * to, self.words + 4 * from, 4, stream));
    }

    fn read(&self, word: u64) -> u32 {
        let output = self.host[LAST_READ].as_ptr().cast();
        call!(cuMemcpyDtoHAsync(output, self.words + 4 * word, 4, self.reader));
        settle(self.reader);
        self.host[LAST_READ].load(Ordering::SeqCst)
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // A failed check must not leave a stream waiting for ever.
        self.open(GATE);
        self.open(OTHER_GATE);
        call!(cuCtxDestroy(self.context));
    }
}

fn stream(flags: CUstream_flags) -> CUstream {
    let mut stream = ptr::null_mut();
    call!(cuStreamCreate(&mut stream, flags.0));
    stream
}

fn blocking_stream() -> CUstream {
    stream(CUstream_flags::CU_STREAM_DEFAULT)
}

fn free_stream() -> CUstream {
    stream(CUstream_flags::CU_STREAM_NON_BLOCKING)
}

fn event(flags: CUevent_flags) -> CUevent {
    let mut event = ptr::null_mut();
    call!(cuEventCreate(&mut event, flags.0));
    event
}

fn is_pending(code: CUresult) -> bool {
    assert!(matches!(code, CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_NOT_READY), "{code}");
    code == CUresult::CUDA_ERROR_NOT_READY
}

fn is_busy(stream: CUstream) -> bool {
    is_pending(code!(cuStreamQuery(stream)))
}

fn is_recorded(event: CUevent) -> bool {
    !is_pending(code!(cuEventQuery(event)))
}

/// Waits for a stream, and panics if it is busy for longer than `DEADLINE`.
fn settle(stream: CUstream) {
    let end = Instant::now() + DEADLINE;
    while is_busy(stream) {
        assert!(Instant::now() < end, "the stream is still busy after {DEADLINE:?}");
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Gives work that runs too early the time to do so.
fn linger() {
    std::thread::sleep(Duration::from_millis(20));
}

#[test]
fn the_default_stream_waits_for_blocking_streams_and_they_for_it() {
    let scene = Scene::new();
    let (first, second) = (blocking_stream(), blocking_stream());
    scene.gate(first, GATE);
    scene.put(first, 7, A);
    scene.copy(DEFAULT, A, B);
    scene.copy(second, B, C);
    linger();
    assert!(is_busy(first) && is_busy(DEFAULT) && is_busy(second));
    scene.open(GATE);
    settle(second);
    assert_eq!([A, B, C].map(|word| scene.read(word)), [7; 3]);
}

#[test]
fn free_streams_wait_for_nobody_and_nobody_for_them() {
    let scene = Scene::new();
    let (held, free, blocking) = (free_stream(), free_stream(), blocking_stream());
    scene.gate(held, GATE);
    scene.put(DEFAULT, 1, A);
    scene.put(blocking, 2, B);
    settle(DEFAULT);
    settle(blocking);
    scene.gate(blocking, OTHER_GATE);
    scene.put(free, 3, C);
    settle(free);
    assert!(is_busy(held) && is_busy(blocking));
    assert_eq!([A, B, C].map(|word| scene.read(word)), [1, 2, 3]);
}

#[test]
fn blocking_streams_do_not_wait_for_each_other() {
    let scene = Scene::new();
    let (held, other) = (blocking_stream(), blocking_stream());
    scene.gate(held, GATE);
    scene.put(other, 1, A);
    settle(other);
    assert!(is_busy(held));
    assert_eq!(scene.read(A), 1);
}

#[test]
fn a_blocking_copy_comes_after_the_blocking_streams() {
    let scene = Scene::new();
    let stream = blocking_stream();
    let (mut memory, mut word) = (0, 0_u32);
    call!(cuMemAlloc(&mut memory, 4));
    call!(cuMemsetD32(memory, 1, 1));
    scene.gate(stream, GATE);
    call!(cuMemsetD32Async(memory, 2, 1, stream));
    let gate = &scene.host[GATE];
    let opener = std::thread::spawn(move || {
        linger();
        gate.store(1, Ordering::SeqCst);
    });
    call!(cuMemcpyDtoH((&raw mut word).cast(), memory, 4));
    opener.join().unwrap();
    assert_eq!(word, 2);
}

#[test]
fn default_streams_of_two_contexts_are_independent() {
    let one = Scene::new();
    let held = blocking_stream();
    one.gate(held, GATE);
    one.put(DEFAULT, 1, A);
    let other = Scene::new();
    other.put(DEFAULT, 2, A);
    settle(DEFAULT);
    assert_eq!(other.read(A), 2);
    call!(cuCtxSetCurrent(one.context));
    assert!(is_busy(DEFAULT));
    assert_eq!(one.read(A), 0);
    one.open(GATE);
    settle(DEFAULT);
    assert_eq!(one.read(A), 1);
}

/// Checks that a wait captures the latest record of an event that is created with `flags`.
fn a_wait_captures_the_latest_record(flags: CUevent_flags) {
    let scene = Scene::new();
    let (recorder, waiter, late) = (free_stream(), free_stream(), free_stream());
    let event = event(flags);
    // Before any record there is nothing to wait for.
    assert!(is_recorded(event));
    call!(cuStreamWaitEvent(waiter, event, 0));
    settle(waiter);

    scene.gate(recorder, GATE);
    scene.put(recorder, 1, A);
    call!(cuEventRecord(event, recorder));
    call!(cuStreamWaitEvent(waiter, event, 0));
    scene.copy(waiter, A, B);
    scene.gate(recorder, OTHER_GATE);
    scene.put(recorder, 2, A);
    call!(cuEventRecord(event, recorder));
    call!(cuStreamWaitEvent(late, event, 0));
    scene.copy(late, A, C);
    linger();
    assert!(is_busy(waiter) && is_busy(late) && !is_recorded(event));

    scene.open(GATE);
    settle(waiter);
    linger();
    assert!(is_busy(late) && !is_recorded(event));
    assert_eq!([A, B, C].map(|word| scene.read(word)), [1, 1, 0]);

    scene.open(OTHER_GATE);
    settle(late);
    assert!(is_recorded(event));
    assert_eq!([A, B, C].map(|word| scene.read(word)), [2, 1, 2]);
}

#[test]
fn a_wait_captures_the_latest_record_of_a_local_event() {
    a_wait_captures_the_latest_record(CUevent_flags::CU_EVENT_DEFAULT);
}

#[test]
fn a_wait_captures_the_latest_record_of_an_interprocess_event() {
    a_wait_captures_the_latest_record(CUevent_flags::CU_EVENT_INTERPROCESS | CUevent_flags::CU_EVENT_DISABLE_TIMING);
}

#[test]
fn an_event_destroyed_while_it_is_awaited_still_holds_who_waits() {
    let scene = Scene::new();
    let (recorder, waiter) = (free_stream(), free_stream());
    let event = event(CUevent_flags::CU_EVENT_DISABLE_TIMING);
    scene.gate(recorder, GATE);
    scene.put(recorder, 1, A);
    call!(cuEventRecord(event, recorder));
    call!(cuStreamWaitEvent(waiter, event, 0));
    call!(cuEventDestroy(event));
    scene.copy(waiter, A, B);
    linger();
    assert!(is_busy(waiter));
    scene.open(GATE);
    settle(waiter);
    assert_eq!(scene.read(B), 1);
}

#[test]
fn a_destroyed_stream_finishes_its_work() {
    let scene = Scene::new();
    let (stream, after) = (free_stream(), free_stream());
    let event = event(CUevent_flags::CU_EVENT_DISABLE_TIMING);
    scene.gate(stream, GATE);
    scene.put(stream, 1, A);
    call!(cuEventRecord(event, stream));
    call!(cuStreamDestroy(stream));
    call!(cuStreamWaitEvent(after, event, 0));
    scene.copy(after, A, B);
    linger();
    assert!(is_busy(after));
    scene.open(GATE);
    settle(after);
    assert_eq!(scene.read(B), 1);
}
