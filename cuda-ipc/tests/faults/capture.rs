//! Streams that other code is capturing. A graph would run the work of a scope after the scope.

use std::ptr;

use cuda_ipc::event::{Event, InterprocessEvent};
use cuda_ipc::foreign::{ForeignError, ForeignEvent};
use cuda_ipc::kernel::Kernel;
use cuda_ipc::module::LaunchShape;
use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::stream::{ScopedStream, WaitValue, scope};
use cuda_ipc::sys::{CUresult, CUstream, CUstreamCaptureMode as Mode, CUstreamCaptureStatus};
use cuda_ipc::vmm::HandleTypes;
use cuda_ipc::{Context, DeviceBuffer, DeviceSlice, Error, Stream};

use crate::peer::{Peer, roles};
use crate::{SIZE, alone, context, driver};

#[allow(dead_code, reason = "only one kernel is launched")]
#[path = "../common/kernels.rs"]
mod kernel;

#[test]
fn nothing_is_enqueued_in_a_stream_that_is_captured() {
    let _alone = alone();
    Peer::start(module_path!(), "role_enqueues_in_captured_streams").finish();
}

#[test]
fn a_stream_does_not_join_the_capture_of_an_event() {
    let _alone = alone();
    Peer::start(module_path!(), "role_waits_for_a_captured_event").finish();
}

#[test]
fn work_ends_beside_a_capture_that_forbids_waits() {
    let _alone = alone();
    Peer::start(module_path!(), "role_waits_beside_a_capture").finish();
}

/// A default stream would have to wait for a captured stream that blocks it.
#[test]
fn a_scope_of_the_default_stream_does_not_abort_beside_a_capture() {
    let _alone = alone();
    Peer::start(module_path!(), "role_uses_the_default_stream_beside_a_capture").finish();
}

/// The driver lets nothing wait for a stream that is captured. Without work, a scope need not wait.
#[test]
fn a_scope_without_work_does_not_abort_beside_a_capture() {
    let _alone = alone();
    Peer::start(module_path!(), "role_enqueues_nothing_beside_a_capture").finish();
}

#[test]
fn a_scope_waits_for_the_end_of_a_capture_and_then_for_its_work() {
    let _alone = alone();
    Peer::start(module_path!(), "role_has_work_beside_a_capture").finish();
}

#[cfg(feature = "dlpack")]
#[test]
fn the_deleter_of_a_tensor_waits_or_keeps_the_memory() {
    let _alone = alone();
    Peer::start(module_path!(), "role_releases_a_tensor_while_work_runs").finish();
}

/// The raw calls of other code.
fn begin_capture(raw: CUstream, mode: Mode) {
    // SAFETY: the stream lives.
    let code = context().within(|| unsafe { driver().raw().cuStreamBeginCapture(raw, mode) }).unwrap();
    assert_eq!(code.unwrap(), CUresult::CUDA_SUCCESS);
}

/// Ends a capture, and returns whether it was valid.
fn end_capture(raw: CUstream) -> bool {
    let mut graph = ptr::null_mut();
    // SAFETY: the stream lives, and the output is a local. The graph is never launched.
    context().within(|| unsafe { driver().raw().cuStreamEndCapture(raw, &mut graph) }).unwrap()
        == Ok(CUresult::CUDA_SUCCESS)
}

fn capture_status(raw: CUstream) -> CUstreamCaptureStatus {
    let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    // SAFETY: the stream lives, and the output is a local.
    let code = context().within(|| unsafe { driver().raw().cuStreamIsCapturing(raw, &mut status) }).unwrap();
    assert_eq!(code.unwrap(), CUresult::CUDA_SUCCESS);
    status
}

fn is_captured(raw: CUstream) -> bool {
    capture_status(raw) != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE
}

fn raw_stream(context: &Context) -> CUstream {
    Stream::non_blocking(context).unwrap().into_raw().unwrap()
}

/// A stream for which the default stream waits.
fn blocking_stream(context: &Context) -> CUstream {
    Stream::new(context).unwrap().into_raw().unwrap()
}

/// Returns whether a capture has become invalid, as it does when a call wants to wait for it.
fn is_invalid(raw: CUstream) -> bool {
    capture_status(raw) == CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_INVALIDATED
}

const RELAXED: Mode = Mode::CU_STREAM_CAPTURE_MODE_RELAXED;

/// What every call needs.
struct Things<'a> {
    slices: [DeviceSlice<'a, u32>; 2],
    event: &'a Event,
    kernel: &'a Kernel<(u64,)>,
}

impl<'scope> Things<'scope> {
    /// Each call of a scope.
    fn enqueue(&self, stream: ScopedStream<'scope, '_>, read: &'scope mut [u32; 1]) -> Vec<Result<(), Error>> {
        let [one, other] = self.slices;
        vec![
            stream.write(one, &[1]),
            stream.read(one, read),
            stream.copy(one, other),
            stream.fill(one, 1),
            stream.write_value(one, 1),
            stream.wait_value(one, WaitValue::Equal, 1),
            stream.record(self.event),
            stream.wait(self.event),
            stream.launch(self.kernel, LaunchShape::linear(1, 1), (1,)),
        ]
    }
}

fn assert_refused(results: Vec<Result<(), Error>>, text: &str) {
    for (number, result) in results.into_iter().enumerate() {
        assert!(matches!(result, Err(Error::Foreign(ForeignError::Capturing))), "{text}, {number}: {result:?}");
    }
}

roles! {
    fn role_enqueues_in_captured_streams(_connection) {
        let context = context();
        let (event, kernel) = (InterprocessEvent::new(&context).unwrap(), kernel::spin(&context));
        let memory = DeviceBuffer::new(&context, 8).unwrap();
        memory.fill(0).unwrap();
        let slices = [0, 1].map(|at| memory.slice::<u32>(at..=at).unwrap());
        let things = Things { slices, event: &event, kernel: &kernel };
        let pool = Pool::new(context.device(), HandleTypes::NONE, None).unwrap();

        let [of_others, taken] = [(); 2].map(|()| raw_stream(&context));
        let handed_out = Stream::non_blocking(&context).unwrap();
        // SAFETY: nothing destroys the first stream, or uses the second one once the value is gone.
        let [borrowed, adopted] = unsafe {
            [Stream::borrow_raw(&context, of_others, ()), Stream::from_raw(&context, taken)].map(Result::unwrap)
        };
        let streams =
            [("borrowed", of_others, &borrowed), ("taken over", taken, &adopted), ("raw", handed_out.raw(), &handed_out)];
        for (name, raw, stream) in streams {
            let buffer = PoolBuffer::new(&pool, SIZE, stream).unwrap();
            let [mut before, mut inside, mut late] = [[9_u32]; 3];
            begin_capture(raw, Mode::CU_STREAM_CAPTURE_MODE_RELAXED);
            // The scope does not wait for the capture, which lasts longer.
            stream.scope(|scoped| {
                assert_refused(things.enqueue(scoped, &mut before), name);
                Ok(())
            })
            .unwrap();
            let created = PoolBuffer::new(&pool, SIZE, stream).map(drop);
            assert_refused(vec![event.record(stream), stream.wait(&event), created, buffer.free()], name);
            assert!(end_capture(raw), "nothing has made the capture invalid");

            stream.scope(|scoped| {
                scoped.fill(things.slices[0], 5_u32)?;
                begin_capture(raw, Mode::CU_STREAM_CAPTURE_MODE_RELAXED);
                assert_refused(things.enqueue(scoped, &mut inside), name);
                assert!(end_capture(raw));
                Ok(())
            })
            .unwrap();

            // The scope has not taken the stream in, so it would not wait for the work.
            begin_capture(raw, Mode::CU_STREAM_CAPTURE_MODE_RELAXED);
            stream.scope(|scoped| {
                assert!(end_capture(raw));
                assert_refused(things.enqueue(scoped, &mut late), name);
                Ok(())
            })
            .unwrap();

            assert_eq!((memory.snapshot::<u32>(..).unwrap()[..].to_vec(), before, inside, late), (vec![5, 0], [9], [9], [9]));
            stream.scope(|scoped| scoped.fill(things.slices[0], 0_u32)).unwrap();
        }
        // Nothing can destroy a pool whose memory was not freed.
        pool.destroy().unwrap();
    }

    fn role_waits_for_a_captured_event(_connection) {
        let (context, mut raw) = (context(), ptr::null_mut());
        // SAFETY: the output is a local. The flag is CU_EVENT_DISABLE_TIMING.
        let code = context.within(|| unsafe { driver().raw().cuEventCreate(&mut raw, 2) }).unwrap();
        assert_eq!(code.unwrap(), CUresult::CUDA_SUCCESS);
        // SAFETY: nothing destroys the event.
        let event = unsafe { ForeignEvent::borrow_raw(&context, raw, ()) };
        let (theirs, ours) = (raw_stream(&context), Stream::non_blocking(&context).unwrap());
        let memory = DeviceBuffer::new(&context, 8).unwrap();
        let slice = memory.slice::<u32>(..).unwrap();
        // An event outside captures is waited for, also beside a capture that forbids this thread to query it.
        let beside = raw_stream(&context);
        begin_capture(beside, Mode::CU_STREAM_CAPTURE_MODE_GLOBAL);
        event.record(&ours).unwrap();
        ours.scope(|scoped| scoped.wait(&event)).unwrap();
        end_capture(beside);

        begin_capture(theirs, Mode::CU_STREAM_CAPTURE_MODE_RELAXED);
        // SAFETY: both live.
        let code = context.within(|| unsafe { driver().raw().cuEventRecord(raw, theirs) }).unwrap();
        assert_eq!(code.unwrap(), CUresult::CUDA_SUCCESS);
        scope(|scope| {
            let scoped = scope.on(&ours);
            scoped.fill(slice, 3_u32)?;
            let refused = [scoped.wait(&event), ours.wait(&event)];
            for result in refused {
                assert!(matches!(result, Err(Error::Foreign(ForeignError::CapturedEvent | ForeignError::Capturing))));
            }
            Ok(())
        })
        .unwrap();
        assert!(!is_captured(ours.raw()));
        end_capture(theirs);
        assert_eq!(memory.snapshot::<u32>(..).unwrap()[..], [3, 3]);
    }

    fn role_waits_beside_a_capture(_connection) {
        let context = context();
        let (theirs, ours) = (raw_stream(&context), Stream::non_blocking(&context).unwrap());
        let [one, other] = [(); 2].map(|()| DeviceBuffer::new(&context, 8).unwrap());
        one.fill(1).unwrap();
        for mode in [Mode::CU_STREAM_CAPTURE_MODE_GLOBAL, Mode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL] {
            begin_capture(theirs, mode);
            ours.scope(|scoped| scoped.fill(one.slice(..).unwrap(), 7_u32)).unwrap();
            other.copy_from(0, &one, 0, 8).unwrap();
            end_capture(theirs);
            assert_eq!(other.snapshot::<u32>(..).unwrap()[..], [7, 7]);
        }
    }

    fn role_uses_the_default_stream_beside_a_capture(_connection) {
        let context = context();
        let (theirs, ours) = (blocking_stream(&context), Stream::default_of(&context));
        let memory = DeviceBuffer::new(&context, 8).unwrap();
        memory.fill(1).unwrap();
        begin_capture(theirs, RELAXED);
        let refused = ours.scope(|scoped| scoped.fill(memory.slice(..)?, 7_u32));
        assert!(matches!(refused, Err(Error::Foreign(ForeignError::Capturing))), "{refused:?}");
        assert!(end_capture(theirs), "the scope made the capture invalid");
        assert_eq!(memory.snapshot::<u8>(..).unwrap()[..], [1; 8]);
        ours.scope(|scoped| scoped.fill(memory.slice(..)?, 7_u32)).unwrap();
    }

    fn role_enqueues_nothing_beside_a_capture(_connection) {
        let context = context();
        let theirs = blocking_stream(&context);
        // SAFETY: nothing destroys the stream.
        let borrowed = unsafe { Stream::borrow_raw(&context, theirs, ()) }.unwrap();
        for ours in [Stream::default_of(&context), borrowed] {
            let ended = ours.scope(|_| {
                begin_capture(theirs, RELAXED);
                Ok(())
            });
            assert!(ended.is_err_and(|error| error.code().is_some()));
            end_capture(theirs);
            ours.scope(|_| Ok(())).unwrap();
        }
        // Work in one stream does not mean work in another.
        // SAFETY: nothing destroys the stream.
        let idle = unsafe { Stream::borrow_raw(&context, theirs, ()) }.unwrap();
        let (busy, memory) = (Stream::non_blocking(&context).unwrap(), DeviceBuffer::new(&context, 8).unwrap());
        let ended = scope(|scope| {
            let (busy, _idle) = (scope.on(&busy), scope.on(&idle));
            busy.fill(memory.slice(..)?, 7_u32)?;
            begin_capture(theirs, RELAXED);
            Ok(())
        });
        assert!(ended.is_err_and(|error| error.code().is_some()));
        end_capture(theirs);
        assert_eq!(memory.snapshot::<u32>(..).unwrap()[..], [7, 7]);
    }

    fn role_has_work_beside_a_capture(_connection) {
        let context = context();
        let (theirs, ours) = (blocking_stream(&context), Stream::default_of(&context));
        let memory = DeviceBuffer::new(&context, 8).unwrap();
        let theirs_too = theirs as usize;
        std::thread::scope(|threads| {
            ours.scope(|scoped| {
                scoped.fill(memory.slice(..)?, 7_u32)?;
                begin_capture(theirs, RELAXED);
                threads.spawn(move || {
                    let theirs = theirs_too as CUstream;
                    // The scope wants to wait.
                    while !is_invalid(theirs) {
                        std::thread::yield_now();
                    }
                    end_capture(theirs);
                });
                Ok(())
            })
            .unwrap();
        });
        assert_eq!(memory.snapshot::<u32>(..).unwrap()[..], [7, 7]);
    }

    fn role_releases_a_tensor_while_work_runs(_connection) {
        #[cfg(feature = "dlpack")]
        tensor::is_released_while_work_runs();
    }
}

#[cfg(feature = "dlpack")]
mod tensor {
    use std::ops::Deref;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::Duration;

    use cuda_ipc::foreign::dlpack::{ManagedVersioned, Tensor};
    use cuda_ipc::host::SharedPages;
    use cuda_ipc::{DeviceMemory, set_drop_hook};

    use super::*;
    use crate::peer::LONG;

    static DROPPED: AtomicBool = AtomicBool::new(false);
    static REPORTED: AtomicUsize = AtomicUsize::new(0);

    /// Memory whose drop can be seen, and which is other memory from the second time on.
    struct Memory {
        first: DeviceBuffer,
        later: DeviceBuffer,
        uses: AtomicUsize,
    }

    impl Memory {
        fn of(first: &Context, later: &Context) -> Self {
            let [first, later] = [first, later].map(|context| DeviceBuffer::new(context, SIZE).unwrap());
            Self { first, later, uses: AtomicUsize::new(0) }
        }
    }

    impl Deref for Memory {
        type Target = DeviceMemory;

        fn deref(&self) -> &DeviceMemory {
            if self.uses.fetch_add(1, Ordering::Relaxed) == 0 { &self.first } else { &self.later }
        }
    }

    impl Drop for Memory {
        fn drop(&mut self) {
            DROPPED.store(true, Ordering::Relaxed);
        }
    }

    /// Beside a capture, the deleter cannot wait, so it keeps the memory and reports that.
    pub(super) fn is_released_while_work_runs() {
        set_drop_hook(|_| _ = REPORTED.fetch_add(1, Ordering::Relaxed));
        let primary = context();
        let other = Context::new(primary.device()).unwrap();
        let theirs = raw_stream(&primary);
        let [in_primary, in_other] = [&primary, &other].map(|context| Stream::non_blocking(context).unwrap());
        let number = SharedPages::<u32>::new(&primary, 1).unwrap();
        let rounds = [
            (Memory::of(&primary, &primary), &in_primary, false),
            (Memory::of(&primary, &primary), &in_primary, true),
            // A tensor names its device, and most consumers work in the primary context.
            (Memory::of(&other, &other), &in_primary, false),
            (Memory::of(&other, &primary), &in_other, false),
        ];
        let mut reports = 0;
        for (round, (memory, consumer, is_beside_a_capture)) in (1..).zip(rounds) {
            let tensor = Tensor::<ManagedVersioned>::export::<u8, _>(memory, 0, &[8]).unwrap();
            let (told, events) = channel();
            consumer
                .scope(|scoped| {
                    scoped.wait_value(number.memory().slice(..1)?, WaitValue::GreaterOrEqual, round)?;
                    if is_beside_a_capture {
                        begin_capture(theirs, RELAXED);
                    }
                    let releasing = std::thread::spawn(move || {
                        drop(tensor);
                        told.send("released").unwrap();
                    });
                    if is_beside_a_capture {
                        assert_eq!(events.recv_timeout(LONG), Ok("released"));
                        end_capture(theirs);
                    } else {
                        let early = events.recv_timeout(Duration::from_millis(50));
                        assert_eq!(early, Err(RecvTimeoutError::Timeout), "the work is not done");
                    }
                    assert!(!DROPPED.load(Ordering::Relaxed), "the memory is freed under work that uses it");
                    number.numbers()[0].store(round, Ordering::Release);
                    releasing.join().unwrap();
                    Ok(())
                })
                .unwrap();
            assert_eq!(DROPPED.swap(false, Ordering::Relaxed), !is_beside_a_capture);
            reports += usize::from(is_beside_a_capture);
            assert_eq!(REPORTED.load(Ordering::Relaxed), reports);
        }
    }
}
