//! `cuEventRecord` and `cuEventQuery` in both processes.

use std::time::Duration;

use conformance::calls::event::Call as EventCall;
use conformance::calls::many::{Call as ManyCall, Wait};
use conformance::{Event, Expect as _, Outcome, Role, Stream, check, observe};
use rstest::rstest;

use super::{INTERPROCESS, INTERPROCESS_BLOCKING, NOT_READY, begin_to_wait, export, has_ended, share};
use crate::support::constants::INVALID_HANDLE;
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::latch::Latch;

/// The threads of a process that query or wait at the same time.
const THREADS: usize = 2;

/// An imported event that was never recorded is complete, for the host and for a stream.
#[rstest]
#[conformance::test("IPCEVT-017")]
fn an_unrecorded_event_is_complete(exporter: Role, importer: Role) -> Outcome {
    let (_, imported) = share(&exporter, &importer)?;
    importer.event_query(imported)?;
    importer.event_synchronize(imported)?;
    let stream = importer.stream_create()?;
    importer.stream_wait_event(stream, imported)?;
    importer.stream_synchronize(stream)
}

/// A new event is complete, even if the exporter destroyed another one whose work is pending.
#[rstest]
#[conformance::test("IPCEVT-017")]
fn a_new_event_lacks_the_record_of_a_destroyed_one(exporter: Role, importer: Role) -> Outcome {
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    let destroyed = exporter.event_create(INTERPROCESS)?;
    exporter.event_record(destroyed, stream)?;
    exporter.event_destroy(destroyed)?;
    let (_, imported) = share(&exporter, &importer)?;
    importer.event_query(imported)?;
    importer.event_synchronize(imported)?;
    latch.release()
}

/// After each record, the importer sees an event as pending while the exporter's work is pending, and as complete
/// afterwards, in a created stream and in each default stream.
#[rstest]
#[conformance::test("IPCEVT-018")]
fn the_importer_sees_work_pending_then_done(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    for stream in [exporter.stream_create()?, Stream::DEFAULT, Stream::LEGACY, Stream::PER_THREAD] {
        let latch = Latch::hold(&exporter, stream)?;
        exporter.event_record(event, stream)?;
        importer.event_query(imported).refused(NOT_READY)?;
        exporter.event_query(event).refused(NOT_READY)?;
        let waiting = begin_to_wait(&importer, imported)?;
        latch.release()?;
        waiting.finish()?;
        importer.event_query(imported)?;
    }
    Ok(())
}

/// An importer that has recorded an event itself still sees the exporter's next record as pending, and waits for it.
#[rstest]
#[conformance::test("IPCEVT-018")]
fn a_record_after_the_importers_own_counts(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    importer.event_record(imported, Stream::DEFAULT)?;
    importer.event_synchronize(imported)?;
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    importer.event_query(imported).refused(NOT_READY)?;
    let waiting = begin_to_wait(&importer, imported)?;
    latch.release()?;
    waiting.finish()?;
    importer.event_query(imported)
}

/// An importer that opens an event after its record sees that record.
#[rstest]
#[conformance::test("IPCEVT-018")]
fn a_record_before_the_open_counts(exporter: Role, importer: Role) -> Outcome {
    let (event, handle) = export(&exporter)?;
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    let imported = importer.ipc_open_event_handle(handle)?;
    importer.event_query(imported).refused(NOT_READY)?;
    let waiting = begin_to_wait(&importer, imported)?;
    latch.release()?;
    waiting.finish()?;
    importer.event_query(imported)
}

/// After thousands of records of an event by one process, the other still sees a new one as pending.
#[rstest]
#[conformance::test("IPCEVT-018", "IPCEVT-020")]
fn the_number_of_records_does_not_matter(exporter: Role, importer: Role) -> Outcome {
    const ROUNDS: usize = 5000;
    let (event, imported) = share(&exporter, &importer)?;
    let (one, other) = ((&exporter, event), (&importer, imported));
    for ((recorder, recorded), (waiter, awaited)) in [(one, other), (other, one)] {
        let stream = recorder.stream_create()?;
        recorder.event_record_repeatedly(recorded, stream, ROUNDS)?;
        waiter.event_query(awaited)?;
        let latch = Latch::hold(recorder, stream)?;
        recorder.event_record(recorded, stream)?;
        waiter.event_query(awaited).refused(NOT_READY)?;
        latch.release()?;
        waiter.event_synchronize(awaited)?;
    }
    Ok(())
}

/// After more than a thousand queries and waits, a process still sees a record of the other as pending, and its host and
/// streams wait for it.
#[rstest]
#[conformance::test("IPCEVT-018", "IPCEVT-019", "IPCEVT-020")]
fn the_number_of_waits_does_not_matter(exporter: Role, importer: Role) -> Outcome {
    // More than 10 bits count.
    const ROUNDS: usize = 1100;
    let (event, imported) = share(&exporter, &importer)?;
    let (one, other) = ((&exporter, event), (&importer, imported));
    for ((recorder, recorded), (waiter, awaited)) in [(one, other), (other, one)] {
        let (produce, consume) = (recorder.stream_create()?, waiter.stream_create()?);
        for _ in 0..ROUNDS {
            waiter.event_query(awaited)?;
            waiter.event_synchronize(awaited)?;
            waiter.stream_wait_event(consume, awaited)?;
        }
        let latch = Latch::hold(recorder, produce)?;
        recorder.event_record(recorded, produce)?;
        waiter.event_query(awaited).refused(NOT_READY)?;
        waiter.stream_wait_event(consume, awaited)?;
        waiter.stream_query(consume).refused(NOT_READY)?;
        let waiting = begin_to_wait(waiter, awaited)?;
        latch.release()?;
        waiting.finish()?;
        waiter.stream_synchronize(consume)?;
    }
    Ok(())
}

/// A record covers all earlier work of its stream, the last kernel too.
#[rstest]
#[conformance::test("IPCEVT-018")]
fn a_record_covers_the_last_work_before_it(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let stream = exporter.stream_create()?;
    let (first, last) = (Latch::open(&exporter, stream)?, Latch::open(&exporter, stream)?);
    first.close()?;
    last.close()?;
    exporter.event_record(event, stream)?;
    first.release()?;
    let waiting = begin_to_wait(&importer, imported)?;
    last.release()?;
    waiting.finish()
}

/// A second record in the same stream covers the work since the first, whichever process records.
#[rstest]
#[conformance::test("IPCEVT-018", "IPCEVT-020")]
fn a_second_record_covers_the_work_since_the_first(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let (one, other) = ((&exporter, event), (&importer, imported));
    for ((recorder, recorded), (waiter, awaited)) in [(one, other), (other, one)] {
        let stream = recorder.stream_create()?;
        let (first, last) = (Latch::open(recorder, stream)?, Latch::open(recorder, stream)?);
        first.close()?;
        recorder.event_record(recorded, stream)?;
        last.close()?;
        recorder.event_record(recorded, stream)?;
        first.release()?;
        let waiting = begin_to_wait(waiter, awaited)?;
        last.release()?;
        waiting.finish()?;
    }
    Ok(())
}

/// What a process waits for after the last record of an event. The work before an earlier record must not delay it.
#[derive(Clone, Copy, Debug)]
enum Awaits {
    Event,
    WorkBehindIt,
}

/// A record replaces a pending one of another stream: the event completes although the work before the earlier record is
/// pending, and so does what follows the record in its stream.
#[rstest]
#[conformance::test("IPCEVT-043")]
fn a_record_replaces_a_pending_one(
    exporter: Role,
    importer: Role,
    #[values(Awaits::Event, Awaits::WorkBehindIt)] it: Awaits,
    #[values(false, true)] is_imported: bool,
) -> Outcome {
    let events = [share(&exporter, &importer)?, share(&exporter, &importer)?];
    let [(replaced, there), (behind, behind_there)] =
        events.map(|(event, imported)| if is_imported { (imported, event) } else { (event, imported) });
    let (recorder, waiter) = if is_imported { (&importer, &exporter) } else { (&exporter, &importer) };
    let (held, free) = (recorder.stream_create()?, recorder.stream_create()?);
    let latch = Latch::hold(recorder, held)?;
    recorder.event_record(replaced, held)?;
    waiter.event_query(there).refused(NOT_READY)?;
    recorder.event_record(replaced, free)?;
    recorder.event_record(behind, free)?;
    let (awaited, what) = match it {
        Awaits::Event => (there, "the event"),
        Awaits::WorkBehindIt => (behind_there, "what follows the record"),
    };
    let waiting = waiter.begin::<()>(EventCall::event_synchronize { event: awaited })?;
    let ends = has_ended(&waiting)?;
    recorder.stream_query(held).refused(NOT_READY)?;
    latch.release()?;
    waiting.finish()?;
    check!(ends, "{what} waits for the work before an earlier record of the event");
    Ok(())
}

/// Two events that a process records one after the other in a stream are both pending while its work is.
#[rstest]
#[conformance::test("IPCEVT-018", "IPCEVT-020")]
fn two_events_are_recorded_in_one_stream(exporter: Role, importer: Role) -> Outcome {
    let events = [share(&exporter, &importer)?, share(&exporter, &importer)?];
    let (there, here): (Vec<_>, Vec<_>) = events.into_iter().unzip();
    for (recorder, recorded, waiter, awaited) in
        [(&exporter, &there, &importer, &here), (&importer, &here, &exporter, &there)]
    {
        let stream = recorder.stream_create()?;
        let latch = Latch::hold(recorder, stream)?;
        for event in recorded {
            recorder.event_record(*event, stream)?;
        }
        for event in awaited {
            waiter.event_query(*event).refused(NOT_READY)?;
        }
        latch.release()?;
        for event in awaited {
            waiter.event_synchronize(*event)?;
        }
    }
    Ok(())
}

/// A record covers a pending wait of its stream: work that waits for the record also waits for what the stream waits for.
#[rstest]
#[conformance::test("IPCEVT-018", "IPCEVT-019", "IPCEVT-020")]
fn a_record_covers_a_pending_wait(exporter: Role, importer: Role, #[values(false, true)] is_imported: bool) -> Outcome {
    let (event, awaited) = share(&exporter, &importer)?;
    let (relayed_here, relayed_there) = if is_imported {
        let (there, here) = share(&exporter, &importer)?;
        (here, there)
    } else {
        share(&importer, &exporter)?
    };
    let (produce, consume) = (exporter.stream_create()?, exporter.stream_create()?);
    let relay = importer.stream_create()?;
    let latch = Latch::hold(&exporter, produce)?;
    exporter.event_record(event, produce)?;
    importer.stream_wait_event(relay, awaited)?;
    importer.event_record(relayed_here, relay)?;
    importer.event_query(relayed_here).refused(NOT_READY)?;
    exporter.event_query(relayed_there).refused(NOT_READY)?;
    exporter.stream_wait_event(consume, relayed_there)?;
    exporter.stream_query(consume).refused(NOT_READY)?;
    latch.release()?;
    exporter.stream_synchronize(consume)?;
    exporter.event_query(relayed_there)
}

/// After the importer records an event, the exporter sees it as pending and can wait for it.
#[rstest]
#[conformance::test("IPCEVT-020")]
fn the_exporter_waits_for_the_importers_record(exporter: Role, importer: Role) -> Outcome {
    wait_for_the_importers_records(&exporter, &importer)
}

/// After an importer on another GPU records an event, the exporter sees it as pending and can wait for it.
#[rstest]
#[conformance::test("IPCEVT-020", needs(gpus = 2, peer_access))]
fn the_exporter_waits_for_the_record_of_a_peer(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    wait_for_the_importers_records(&exporter, &importer)
}

/// Lets the importer record an event several times, and the exporter wait for each record.
fn wait_for_the_importers_records(exporter: &Role, importer: &Role) -> Outcome {
    let (event, imported) = share(exporter, importer)?;
    for _ in 0..3 {
        let stream = importer.stream_create()?;
        let latch = Latch::hold(importer, stream)?;
        importer.event_record(imported, stream)?;
        exporter.event_query(event).refused(NOT_READY)?;
        let waiting = begin_to_wait(exporter, event)?;
        latch.release()?;
        waiting.finish()?;
        exporter.event_query(event)?;
    }
    Ok(())
}

/// If both processes record an event at the same time, it is complete after both have finished.
#[rstest]
#[conformance::test("IPCEVT-022")]
fn an_event_that_both_processes_record_completes(exporter: Role, importer: Role) -> Outcome {
    const ROUNDS: usize = 500;
    let (event, imported) = share(&exporter, &importer)?;
    let stream = exporter.stream_create()?;
    let recording = exporter.begin::<()>(EventCall::event_record_repeatedly { event, stream, rounds: ROUNDS })?;
    importer.event_record_repeatedly(imported, importer.stream_create()?, ROUNDS)?;
    recording.finish()?;
    exporter.event_synchronize(event)?;
    importer.event_synchronize(imported)?;
    importer.event_query(imported)
}

/// The driver refuses to measure time with an imported event.
#[rstest]
#[conformance::test("IPCEVT-023")]
fn an_imported_event_has_no_timing(exporter: Role, importer: Role) -> Outcome {
    let (_, imported) = share(&exporter, &importer)?;
    let local = importer.event_create(0)?;
    importer.event_record(local, Stream::DEFAULT)?;
    importer.event_record(imported, Stream::DEFAULT)?;
    importer.ctx_synchronize()?;
    for (first, second) in [(imported, local), (local, imported), (imported, imported)] {
        importer.event_elapsed_time(first, second).refused(INVALID_HANDLE)?;
    }
    importer.ctx_synchronize()
}

/// The driver refuses to record an event in a stream of another context, in the importer and in the exporter.
#[rstest]
#[conformance::test("IPCEVT-031")]
fn a_stream_of_another_context_is_refused(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    refuse_streams_of_another_context(&importer, imported, 0)?;
    refuse_streams_of_another_context(&exporter, event, 0)
}

/// The driver refuses to record an imported event in a stream of another GPU.
#[rstest]
#[conformance::test("IPCEVT-031", needs(gpus = 2))]
fn a_stream_of_another_gpu_is_refused(exporter: Role, importer: Role) -> Outcome {
    let (_, imported) = share(&exporter, &importer)?;
    refuse_streams_of_another_context(&importer, imported, 1)
}

/// Checks that an event can be recorded in its own context, but not in a new one.
fn refuse_streams_of_another_context(role: &Role, event: Event, device: i32) -> Outcome {
    let first = role.ctx_get_current()?;
    role.ctx_create(device)?;
    role.event_record(event, role.stream_create()?).refused(INVALID_HANDLE)?;
    role.event_record(event, Stream::DEFAULT).refused(INVALID_HANDLE)?;
    role.ctx_set_current(Some(first))?;
    role.event_record(event, Stream::DEFAULT)
}

/// An imported event belongs to the context that was current at the open: streams of that context can record it.
#[rstest]
#[conformance::test("IPCEVT-031")]
fn an_event_belongs_to_the_context_that_opens_it(exporter: Role, importer: Role) -> Outcome {
    importer.ctx_create(0)?;
    let (event, imported) = share(&exporter, &importer)?;
    let stream = importer.stream_create()?;
    let latch = Latch::hold(&importer, stream)?;
    importer.event_record(imported, stream)?;
    exporter.event_query(event).refused(NOT_READY)?;
    latch.release()?;
    exporter.event_synchronize(event)
}

/// A record covers only its own stream: pending work of another stream does not delay the event.
#[rstest]
#[conformance::test("IPCEVT-018")]
fn work_of_another_stream_does_not_count(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let (held, free) = (exporter.stream_create()?, exporter.stream_create()?);
    let latch = Latch::hold(&exporter, held)?;
    exporter.event_record(event, free)?;
    importer.event_synchronize(imported)?;
    exporter.stream_query(held).refused(NOT_READY)?;
    latch.release()
}

/// Whether a host wait spins is recorded in both processes. The flag of the exporter's event promises nothing for the
/// imported event.
#[rstest]
#[case::spinning(INTERPROCESS)]
#[case::blocking(INTERPROCESS_BLOCKING)]
#[conformance::test("IPCEVT-032")]
fn whether_a_wait_spins(exporter: Role, importer: Role, #[case] flags: u32) -> Outcome {
    // A tenth of this time distinguishes a sleeping thread, which runs for some hundred microseconds, from a spinning
    // one that gets half of a busy processor.
    const TIME: Duration = Duration::from_millis(100);
    let event = exporter.event_create(flags)?;
    let imported = importer.ipc_open_event_handle(exporter.ipc_get_event_handle(event)?)?;
    // The importer records too, so that a wait of the exporter can be measured.
    for (recorder, recorded, waiter, awaited, name) in [
        (&exporter, event, &importer, imported, "the importer spins"),
        (&importer, imported, &exporter, event, "the exporter spins"),
    ] {
        let stream = recorder.stream_create()?;
        let latch = Latch::hold(recorder, stream)?;
        recorder.event_record(recorded, stream)?;
        let waiting = waiter.begin::<Wait>(ManyCall::event_synchronize_watched { event: awaited })?;
        check!(waiting.still_waits_after(TIME)?, "the wait ended while the work was pending");
        latch.release()?;
        let wait = waiting.finish()?;
        observe(name, wait.running > wait.elapsed / 10);
    }
    Ok(())
}

/// Records of threads other than the first one of a process count: the other process sees them as pending, and waits for
/// them.
#[rstest]
#[conformance::test("IPCEVT-018", "IPCEVT-020")]
fn records_of_other_threads_count(exporter: Role, importer: Role) -> Outcome {
    let events = [share(&exporter, &importer)?, share(&exporter, &importer)?];
    let (there, here): (Vec<_>, Vec<_>) = events.into_iter().unzip();
    for (recorder, recorded, waiter, awaited) in
        [(&exporter, &there, &importer, &here), (&importer, &here, &exporter, &there)]
    {
        let stream = recorder.stream_create()?;
        // The first thread records first.
        for event in recorded {
            recorder.event_record(*event, stream)?;
        }
        recorder.stream_synchronize(stream)?;
        let latch = Latch::hold(recorder, stream)?;
        recorder.event_record_from_threads(recorded.clone(), stream)?;
        for event in awaited {
            waiter.event_query(*event).refused(NOT_READY)?;
        }
        latch.release()?;
        for event in awaited {
            waiter.event_synchronize(*event)?;
        }
    }
    Ok(())
}

/// Threads other than the first one of an importer see an event as pending while the exporter's work is pending, and as
/// complete afterwards.
#[rstest]
#[conformance::test("IPCEVT-018")]
fn other_threads_see_work_pending_then_done(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    // The first thread asks first.
    importer.event_query(imported).refused(NOT_READY)?;
    importer.event_query_from_threads(imported, THREADS).refused(NOT_READY)?;
    latch.release()?;
    importer.event_synchronize(imported)?;
    importer.event_query_from_threads(imported, THREADS)
}

/// Host waits on threads other than the first one of an importer end after the exporter's recorded work.
#[rstest]
#[conformance::test("IPCEVT-018")]
fn host_waits_of_other_threads_end_after_the_work(exporter: Role, importer: Role) -> Outcome {
    // The kernel ends by itself, because the case goes on only after the waits.
    const NANOSECONDS: u64 = 200_000_000;
    let (event, imported) = share(&exporter, &importer)?;
    let stream = exporter.stream_create()?;
    // The first thread waits first, and the kernel is loaded.
    exporter.launch("spin".into(), vec![1_u64.into()], stream)?;
    exporter.event_record(event, stream)?;
    importer.event_synchronize(imported)?;
    exporter.launch("spin".into(), vec![NANOSECONDS.into()], stream)?;
    exporter.event_record(event, stream)?;
    importer.event_synchronize_from_threads(imported, THREADS)?;
    importer.event_query(imported)
}

/// Threads other than the first one of the exporter see the importer's record as pending, their streams wait for it, and
/// their host waits end after its work.
#[rstest]
#[case::spinning(INTERPROCESS)]
#[case::blocking(INTERPROCESS_BLOCKING)]
#[conformance::test("IPCEVT-020")]
fn other_threads_of_the_exporter_await_the_importers_record(
    exporter: Role,
    importer: Role,
    #[case] flags: u32,
) -> Outcome {
    // The last kernel ends by itself, because the case goes on only after the waits.
    const NANOSECONDS: u64 = 200_000_000;
    let event = exporter.event_create(flags)?;
    let imported = importer.ipc_open_event_handle(exporter.ipc_get_event_handle(event)?)?;
    let produce = importer.stream_create()?;
    let streams = vec![exporter.stream_create()?, exporter.stream_create()?];
    // The first thread waits first, and the kernel is loaded.
    importer.launch("spin".into(), vec![1_u64.into()], produce)?;
    importer.event_record(imported, produce)?;
    exporter.stream_wait_event(streams[0], event)?;
    exporter.event_synchronize(event)?;
    importer.stream_synchronize(produce)?;
    let latch = Latch::hold(&importer, produce)?;
    importer.event_record(imported, produce)?;
    exporter.event_query(event).refused(NOT_READY)?;
    exporter.event_query_from_threads(event, THREADS).refused(NOT_READY)?;
    exporter.stream_wait_event_from_threads(streams.clone(), event)?;
    for stream in &streams {
        exporter.stream_query(*stream).refused(NOT_READY)?;
    }
    latch.release()?;
    streams.into_iter().try_for_each(|stream| exporter.stream_synchronize(stream))?;
    importer.launch("spin".into(), vec![NANOSECONDS.into()], produce)?;
    importer.event_record(imported, produce)?;
    exporter.event_synchronize_from_threads(event, THREADS)?;
    exporter.event_query(event)
}

/// In another context than the event's, the importer sees the event as pending while the exporter's work is pending, and
/// waits for it.
#[rstest]
#[conformance::test("IPCEVT-018")]
fn another_context_sees_work_pending_then_done(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let first = importer.ctx_get_current()?;
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    importer.ctx_create(0)?;
    importer.event_query(imported).refused(NOT_READY)?;
    let waiting = begin_to_wait(&importer, imported)?;
    latch.release()?;
    waiting.finish()?;
    importer.event_query(imported)?;
    importer.ctx_set_current(Some(first))
}

/// If the exporter destroys a stream with a pending record, the record completes with its work, and not before.
#[rstest]
#[conformance::test("IPCEVT-018")]
fn a_record_outlives_its_stream(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    exporter.stream_destroy(stream)?;
    importer.event_query(imported).refused(NOT_READY)?;
    let waiting = begin_to_wait(&importer, imported)?;
    latch.release()?;
    waiting.finish()?;
    importer.event_query(imported)
}

/// An event with blocking waits is pending while its recorded work is, and the host and streams wait for it, whichever
/// process records.
#[rstest]
#[conformance::test("IPCEVT-003", "IPCEVT-018", "IPCEVT-019", "IPCEVT-020")]
fn an_event_with_blocking_waits_orders_work(exporter: Role, importer: Role) -> Outcome {
    let event = exporter.event_create(INTERPROCESS_BLOCKING)?;
    let imported = importer.ipc_open_event_handle(exporter.ipc_get_event_handle(event)?)?;
    orders_work((&exporter, event), (&importer, imported))
}

/// An event of a created context orders work like one of a primary context, in the process that created it and in the one
/// that opened it.
#[rstest]
#[case::of_the_exporter(true, false)]
#[case::of_the_importer(false, true)]
#[case::of_both(true, true)]
#[conformance::test("IPCEVT-018", "IPCEVT-019", "IPCEVT-020")]
fn an_event_of_a_created_context_orders_work(
    exporter: Role,
    importer: Role,
    #[case] is_created_there: bool,
    #[case] is_created_here: bool,
) -> Outcome {
    for (role, is_created) in [(&exporter, is_created_there), (&importer, is_created_here)] {
        if is_created {
            role.ctx_create(0)?;
        }
    }
    let (event, imported) = share(&exporter, &importer)?;
    orders_work((&exporter, event), (&importer, imported))
}

/// An event of the second GPU orders the work of two processes on it.
#[rstest]
#[conformance::test("IPCEVT-018", "IPCEVT-019", "IPCEVT-020", needs(gpus = 2))]
fn an_event_of_the_second_gpu_orders_work(#[with(1)] exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    orders_work((&exporter, event), (&importer, imported))
}

/// Each of two events that a process has opened orders work.
#[rstest]
#[conformance::test("IPCEVT-018", "IPCEVT-019", "IPCEVT-020")]
fn each_of_two_events_orders_work(exporter: Role, importer: Role) -> Outcome {
    for (event, imported) in [share(&exporter, &importer)?, share(&exporter, &importer)?] {
        orders_work((&exporter, event), (&importer, imported))?;
    }
    Ok(())
}

/// An event orders the work of its exporter and of each of two importers.
#[rstest]
#[conformance::test("IPCEVT-011", "IPCEVT-018", "IPCEVT-019", "IPCEVT-020")]
fn an_event_orders_the_work_of_two_importers(
    exporter: Role,
    importer: Role,
    #[from(observer)] other_importer: Role,
) -> Outcome {
    let (event, handle) = export(&exporter)?;
    let imported = importer.ipc_open_event_handle(handle)?;
    let imported_too = other_importer.ipc_open_event_handle(handle)?;
    orders_work((&exporter, event), (&importer, imported))?;
    orders_work((&exporter, event), (&other_importer, imported_too))
}

/// Two importers that have opened an event see the exporter's work as pending at the same time, and the streams and hosts
/// of both wait for it.
#[rstest]
#[conformance::test("IPCEVT-018", "IPCEVT-019")]
fn two_importers_wait_at_the_same_time(
    exporter: Role,
    importer: Role,
    #[from(observer)] other_importer: Role,
) -> Outcome {
    let (event, handle) = export(&exporter)?;
    let importers = [&importer, &other_importer];
    let mut waiters = Vec::new();
    for role in importers {
        waiters.push((role, role.ipc_open_event_handle(handle)?, role.stream_create()?));
    }
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    let mut waits = Vec::new();
    for (role, imported, consume) in &waiters {
        role.event_query(*imported).refused(NOT_READY)?;
        role.stream_wait_event(*consume, *imported)?;
        role.stream_query(*consume).refused(NOT_READY)?;
        waits.push(begin_to_wait(role, *imported)?);
    }
    latch.release()?;
    for ((role, imported, consume), waiting) in waiters.into_iter().zip(waits) {
        waiting.finish()?;
        role.stream_synchronize(consume)?;
        role.event_query(imported)?;
    }
    Ok(())
}

/// An importer sees the record of another importer as pending while its work is, and its host and streams wait for it.
#[rstest]
#[conformance::test("IPCEVT-020")]
fn an_importer_waits_for_the_record_of_another(
    exporter: Role,
    importer: Role,
    #[from(observer)] other_importer: Role,
) -> Outcome {
    let (_, handle) = export(&exporter)?;
    let imported = importer.ipc_open_event_handle(handle)?;
    let imported_too = other_importer.ipc_open_event_handle(handle)?;
    orders_work((&importer, imported), (&other_importer, imported_too))
}

/// Checks that an event is pending while its recorded work is, and that the host and streams wait for it, whichever process
/// records, and also at its second record.
fn orders_work(one: (&Role, Event), other: (&Role, Event)) -> Outcome {
    for ((recorder, recorded), (waiter, awaited)) in [(one, other), (other, one), (one, other), (other, one)] {
        let (produce, consume) = (recorder.stream_create()?, waiter.stream_create()?);
        let latch = Latch::hold(recorder, produce)?;
        recorder.event_record(recorded, produce)?;
        recorder.event_query(recorded).refused(NOT_READY)?;
        waiter.event_query(awaited).refused(NOT_READY)?;
        waiter.stream_wait_event(consume, awaited)?;
        waiter.stream_query(consume).refused(NOT_READY)?;
        let waiting = begin_to_wait(waiter, awaited)?;
        latch.release()?;
        waiting.finish()?;
        waiter.stream_synchronize(consume)?;
        recorder.event_synchronize(recorded)?;
        waiter.event_query(awaited)?;
    }
    Ok(())
}
