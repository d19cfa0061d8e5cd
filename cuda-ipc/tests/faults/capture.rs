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

fn is_captured(raw: CUstream) -> bool {
    let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    // SAFETY: the stream lives, and the output is a local.
    let code = context().within(|| unsafe { driver().raw().cuStreamIsCapturing(raw, &mut status) }).unwrap();
    assert_eq!(code.unwrap(), CUresult::CUDA_SUCCESS);
    status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE
}

fn raw_stream(context: &Context) -> CUstream {
    Stream::non_blocking(context).unwrap().into_raw().unwrap()
}

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
}
