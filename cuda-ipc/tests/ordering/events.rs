//! Events order the work of two processes. A wait for an event ends with the work or with the exporter.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::liveness::ProcessWatch;
use cuda_ipc::sys::CUresult;
use cuda_ipc::{DeviceBuffer, Error, Parcel, Stream};

use crate::common::{context, driver};
use crate::peer::{LONG, Peer, roles, say, wait_for_the_end};
use crate::{SIZE, alone, contents};

static GATE_IS_OPEN: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn wait_at_the_gate(_: *mut c_void) {
    while !GATE_IS_OPEN.load(Ordering::Acquire) {
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Makes later work of the stream wait until this process opens its gate.
fn enqueue_gate(stream: &Stream) {
    // SAFETY: the function takes no data and makes no CUDA call.
    let launch =
        || unsafe { driver().raw().cuLaunchHostFunc(stream.raw(), Some(wait_at_the_gate), std::ptr::null_mut()) };
    assert_eq!(stream.context().within(launch).unwrap(), Ok(CUresult::CUDA_SUCCESS));
}

#[test]
fn an_event_orders_the_work_of_two_processes() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let buffer = DeviceBuffer::new(&context, SIZE).unwrap();
    let event = InterprocessEvent::new(&context).unwrap();
    assert!(event.query().unwrap(), "an event that was never recorded is complete");
    buffer.fill(1).unwrap();
    enqueue_gate(&stream);
    // SAFETY: the buffer lives to the end of the test, which waits for the stream.
    unsafe { buffer.fill_async(2, &stream) }.unwrap();
    event.record(&stream).unwrap();
    assert!(!event.query().unwrap() && !stream.query().unwrap());

    let mut importer = Peer::start(module_path!(), "role_waits_and_records");
    buffer.share(..).unwrap().send(&importer.connection).unwrap();
    event.share().unwrap().send(&importer.connection).unwrap();
    assert_eq!(importer.process.hear(), "pending");
    GATE_IS_OPEN.store(true, Ordering::Release);
    assert_eq!(importer.process.hear(), "recorded");
    // This waits for the importer's record, which replaced the exporter's.
    stream.wait(&event).unwrap();
    stream.synchronize().unwrap();
    assert!(event.query().unwrap());
    assert!(contents(&buffer).iter().all(|byte| *byte == 3));
    importer.finish();
}

#[test]
fn a_wait_ends_with_the_exporter() {
    let _alone = alone();
    let mut exporter = Peer::start(module_path!(), "role_records_and_hangs");
    let parcel = Parcel::receive(&exporter.connection).unwrap();
    // SAFETY: the exporter does not destroy the event. The test kills it, to see what a wait does then.
    let event = unsafe { parcel.open_event(&context()) }.unwrap();
    let watch = ProcessWatch::of(parcel.ticket.exporter.process).unwrap();
    assert!(matches!(event.synchronize_within(Duration::ZERO, &watch), Err(Error::TimedOut { .. })));
    let short = Duration::from_millis(5);
    let waited = event.synchronize_within(short, &watch);
    assert!(matches!(waited, Err(Error::TimedOut { waited, .. }) if waited == short), "{waited:?}");
    let (by_watch, by_lease) = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| event.synchronize_within(LONG, &watch));
        let leased = scope.spawn(|| event.synchronize_within(LONG, parcel.tenancy.as_ref().expect("a tenancy")));
        exporter.process.kill();
        (waiting.join().unwrap(), leased.join().unwrap())
    });
    assert!(matches!(by_watch, Err(Error::PeerDied)), "{by_watch:?}");
    assert!(matches!(by_lease, Err(Error::PeerDied)), "{by_lease:?}");
    assert!(!watch.is_alive().unwrap());
}

#[test]
fn a_wait_ends_with_the_work() {
    let _alone = alone();
    let exporter = Peer::start(module_path!(), "role_records_and_goes_on");
    let parcel = Parcel::receive(&exporter.connection).unwrap();
    // SAFETY: the exporter keeps the event until this test tells it to end.
    let event = unsafe { parcel.open_event(&context()) }.unwrap();
    let watch = ProcessWatch::of(parcel.ticket.exporter.process).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| event.synchronize_within(Duration::MAX, &watch));
        exporter.connection.send(b"open the gate", &[]).unwrap();
        waiting.join().unwrap().unwrap();
    });
    event.close().unwrap();
    exporter.connection.send(b"end", &[]).unwrap();
    exporter.finish();
    watch.wait(Duration::ZERO).unwrap();
}

roles! {
    fn role_waits_and_records(connection) {
        let context = context();
        let (memory, event) = (Parcel::receive(&connection).unwrap(), Parcel::receive(&connection).unwrap());
        // SAFETY: the parcels came from a process that keeps the memory and the event as long as this one runs.
        let (import, event) = unsafe { (memory.open(&context).unwrap(), event.open_event(&context).unwrap()) };
        assert!(contents(&import).iter().all(|byte| *byte == 1));
        assert!(!event.query().unwrap());
        let stream = Stream::new(&context).unwrap();
        stream.wait(&event).unwrap();
        // SAFETY: the memory stays open until the stream is done.
        unsafe { import.fill_async(3, &stream) }.unwrap();
        say("pending");
        event.synchronize().unwrap();
        event.record(&stream).unwrap();
        say("recorded");
        stream.synchronize().unwrap();
        assert!(event.query().unwrap());
        event.close().unwrap();
        import.close().unwrap();
    }

    fn role_records_and_hangs(connection) {
        let context = context();
        let stream = Stream::non_blocking(&context).unwrap();
        let event = InterprocessEvent::new(&context).unwrap();
        enqueue_gate(&stream);
        event.record(&stream).unwrap();
        let mut parcel = event.share().unwrap();
        let _lease = parcel.lease().unwrap();
        parcel.send(&connection).unwrap();
        drop(parcel);
        wait_for_the_end();
    }

    fn role_records_and_goes_on(connection) {
        let context = context();
        let stream = Stream::non_blocking(&context).unwrap();
        let event = InterprocessEvent::new(&context).unwrap();
        enqueue_gate(&stream);
        event.record(&stream).unwrap();
        event.share().unwrap().send(&connection).unwrap();
        connection.receive().unwrap();
        GATE_IS_OPEN.store(true, Ordering::Release);
        connection.receive().unwrap();
        stream.synchronize().unwrap();
        event.destroy().unwrap();
    }
}
