//! `cuStreamWaitEvent`: order between the streams of two processes.

use conformance::{Event, Expect as _, KIB, MIB, Outcome, Pointer, Role, Stop, Stream, check, seed};
use rstest::rstest;

use super::{NOT_READY, begin_to_wait, begin_to_wait_for_stream, share};
use crate::support::by_kernel::{enqueue_fill, enqueue_verify};
use crate::support::fixtures::{exporter, importer};
use crate::support::import_kind::ImportKind;
use crate::support::latch::Latch;
use crate::support::legacy::{self, open};

/// A stream of one process runs after the recorded work of the other without a host wait, whichever process records, and
/// also at the second wait for the same event.
#[rstest]
#[case::exporter_records(false)]
#[case::importer_records(true)]
#[conformance::test("IPCEVT-019", "IPCEVT-020")]
fn a_stream_waits_for_work_of_the_other_process(
    exporter: Role,
    importer: Role,
    #[case] importer_records: bool,
) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let (one, other) = ((exporter, event), (importer, imported));
    let ((recorder, recorded), (waiter, awaited)) = if importer_records { (other, one) } else { (one, other) };
    let (produce, consume) = (recorder.stream_create()?, waiter.stream_create()?);
    for _ in 0..2 {
        let latch = Latch::hold(&recorder, produce)?;
        recorder.event_record(recorded, produce)?;
        waiter.stream_wait_event(consume, awaited)?;
        waiter.stream_query(consume).refused(NOT_READY)?;
        let waiting = begin_to_wait_for_stream(&waiter, consume)?;
        latch.release()?;
        waiting.finish()?;
    }
    Ok(())
}

/// A stream that waits for two events of the other process goes on only after the recorded work of both, whichever ends
/// first.
#[rstest]
#[conformance::test("IPCEVT-019")]
fn a_stream_waits_for_two_events(exporter: Role, importer: Role, #[values(0, 1)] first: usize) -> Outcome {
    let consume = importer.stream_create()?;
    let (mut events, mut latches) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let stream = exporter.stream_create()?;
        latches.push(Latch::open(&exporter, stream)?);
        events.push((share(&exporter, &importer)?, stream));
    }
    for (((event, _), stream), latch) in events.iter().zip(&latches) {
        latch.close()?;
        exporter.event_record(*event, *stream)?;
    }
    for ((_, imported), _) in &events {
        importer.stream_wait_event(consume, *imported)?;
    }
    latches[first].release()?;
    let (done, _) = events[first].0;
    exporter.event_synchronize(done)?;
    let waiting = begin_to_wait_for_stream(&importer, consume)?;
    latches[1 - first].release()?;
    waiting.finish()
}

/// Two streams of a process wait for one record of the other, whichever process records.
#[rstest]
#[conformance::test("IPCEVT-019", "IPCEVT-020")]
fn two_streams_wait_for_one_record(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let (one, other) = ((&exporter, event), (&importer, imported));
    for ((recorder, recorded), (waiter, awaited)) in [(one, other), (other, one)] {
        let produce = recorder.stream_create()?;
        let streams = [waiter.stream_create()?, waiter.stream_create()?];
        let latch = Latch::hold(recorder, produce)?;
        recorder.event_record(recorded, produce)?;
        for stream in streams {
            waiter.stream_wait_event(stream, awaited)?;
        }
        for stream in streams {
            waiter.stream_query(stream).refused(NOT_READY)?;
        }
        latch.release()?;
        for stream in streams {
            waiter.stream_synchronize(stream)?;
        }
    }
    Ok(())
}

/// A stream that waits for two records of one event goes on only after the work of both, whichever process records.
#[rstest]
#[conformance::test("IPCEVT-019", "IPCEVT-020")]
fn a_stream_waits_for_two_records(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let (one, other) = ((&exporter, event), (&importer, imported));
    for ((recorder, recorded), (waiter, awaited)) in [(one, other), (other, one)] {
        let (produce, consume) = (recorder.stream_create()?, waiter.stream_create()?);
        let (first, last) = (Latch::open(recorder, produce)?, Latch::open(recorder, produce)?);
        for latch in [&first, &last] {
            latch.close()?;
            recorder.event_record(recorded, produce)?;
            waiter.stream_wait_event(consume, awaited)?;
        }
        first.release()?;
        let waiting = begin_to_wait_for_stream(waiter, consume)?;
        last.release()?;
        waiting.finish()?;
    }
    Ok(())
}

/// Streams wait for the exporter's recorded work if threads other than the first one of the importer enqueue the waits.
#[rstest]
#[conformance::test("IPCEVT-019")]
fn waits_of_other_threads_count(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let produce = exporter.stream_create()?;
    let streams = vec![importer.stream_create()?, importer.stream_create()?];
    // The first thread enqueues a wait before the others, and that wait ends at once.
    importer.stream_wait_event(streams[0], imported)?;
    let latch = Latch::hold(&exporter, produce)?;
    exporter.event_record(event, produce)?;
    importer.stream_wait_event_from_threads(streams.clone(), imported)?;
    for stream in &streams {
        importer.stream_query(*stream).refused(NOT_READY)?;
    }
    latch.release()?;
    streams.into_iter().try_for_each(|stream| importer.stream_synchronize(stream))
}

/// The default streams of the importer run after the recorded work of the exporter, whichever handle names them.
#[rstest]
#[conformance::test("IPCEVT-019")]
fn the_default_stream_waits_for_work_of_the_other_process(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let produce = exporter.stream_create()?;
    for consume in [Stream::DEFAULT, Stream::LEGACY, Stream::PER_THREAD] {
        let latch = Latch::hold(&exporter, produce)?;
        exporter.event_record(event, produce)?;
        importer.stream_wait_event(consume, imported)?;
        let waiting = begin_to_wait_for_stream(&importer, consume)?;
        latch.release()?;
        waiting.finish()?;
    }
    Ok(())
}

/// The default streams of the exporter run after the recorded work of the importer, whichever handle names them.
#[rstest]
#[conformance::test("IPCEVT-020")]
fn the_default_stream_of_the_exporter_waits(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let produce = importer.stream_create()?;
    for consume in [Stream::DEFAULT, Stream::LEGACY, Stream::PER_THREAD] {
        let latch = Latch::hold(&importer, produce)?;
        importer.event_record(imported, produce)?;
        exporter.stream_wait_event(consume, event)?;
        let waiting = begin_to_wait_for_stream(&exporter, consume)?;
        latch.release()?;
        waiting.finish()?;
    }
    Ok(())
}

/// The default stream of a second context of the GPU waits for an event of the first context, in the exporter and in the
/// importer.
#[rstest]
#[case::in_the_exporter(false)]
#[case::in_the_importer(true)]
#[conformance::test("IPCEVT-042")]
fn the_default_stream_of_another_context_waits(exporter: Role, importer: Role, #[case] in_importer: bool) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let ((recorder, recorded), (waiter, awaited)) = if in_importer {
        ((&exporter, event), (&importer, imported))
    } else {
        ((&importer, imported), (&exporter, event))
    };
    let (produce, first) = (recorder.stream_create()?, waiter.ctx_get_current()?);
    let latch = Latch::hold(recorder, produce)?;
    recorder.event_record(recorded, produce)?;
    waiter.ctx_create(0)?;
    waiter.stream_wait_event(Stream::DEFAULT, awaited)?;
    let waiting = begin_to_wait_for_stream(waiter, Stream::DEFAULT)?;
    latch.release()?;
    waiting.finish()?;
    waiter.ctx_set_current(Some(first))
}

/// A stream of a second context of the GPU waits for an interprocess event, in the exporter and in the importer.
#[rstest]
#[case::in_the_exporter(false)]
#[case::in_the_importer(true)]
#[conformance::test("IPCEVT-042")]
fn a_stream_of_another_context_waits(exporter: Role, importer: Role, #[case] in_importer: bool) -> Outcome {
    wait_in_another_context(exporter, importer, in_importer, 0)
}

/// A stream of another GPU waits for an interprocess event, in the exporter and in the importer.
#[rstest]
#[case::in_the_exporter(false)]
#[case::in_the_importer(true)]
#[conformance::test("IPCEVT-042", needs(gpus = 2))]
fn a_stream_of_another_gpu_waits(exporter: Role, importer: Role, #[case] in_importer: bool) -> Outcome {
    wait_in_another_context(exporter, importer, in_importer, 1)
}

/// Checks that a stream of a new context waits for an event of the first context, and continues after it.
fn wait_in_another_context(exporter: Role, importer: Role, in_importer: bool, device: i32) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let produce = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, produce)?;
    exporter.event_record(event, produce)?;
    let (waiter, awaited) = if in_importer { (&importer, imported) } else { (&exporter, event) };
    let first = waiter.ctx_get_current()?;
    waiter.ctx_create(device)?;
    let consume = waiter.stream_create()?;
    waiter.stream_wait_event(consume, awaited)?;
    waiter.stream_query(consume).refused(NOT_READY)?;
    latch.release()?;
    waiter.stream_synchronize(consume)?;
    exporter.event_query(event)?;
    waiter.ctx_set_current(Some(first))
}

/// A stream of each of two processes, and the events that order the work of one round: one process writes, the other one
/// reads.
struct Relay<'case> {
    writer: &'case Role,
    reader: &'case Role,
    produce: Stream,
    consume: Stream,
    /// The writer's event, and the reader's.
    written: (Event, Event),
    /// The reader's event, and the writer's.
    read: (Event, Event),
}

impl<'case> Relay<'case> {
    fn new(writer: &'case Role, reader: &'case Role) -> Result<Self, Stop> {
        let (produce, consume) = (writer.stream_create()?, reader.stream_create()?);
        let (written, read) = (share(writer, reader)?, share(reader, writer)?);
        Ok(Self { writer, reader, produce, consume, written, read })
    }

    /// Enqueues the work of a round. The write waits for the read of the round before.
    fn round(&self, write: impl FnOnce() -> Outcome, read: impl FnOnce() -> Outcome) -> Outcome {
        self.writer.stream_wait_event(self.produce, self.read.1)?;
        write()?;
        self.writer.event_record(self.written.0, self.produce)?;
        self.reader.stream_wait_event(self.consume, self.written.1)?;
        read()?;
        self.reader.event_record(self.read.0, self.consume)
    }
}

/// In each of many rounds, the importer copies the bytes that the exporter wrote before its record. The exporter's next
/// write waits for the importer's record.
#[rstest]
#[conformance::test("IPCEVT-019", "IPCEVT-020", needs(legacy_memory))]
fn rounds_of_fills_and_copies_do_not_race(exporter: Role, importer: Role) -> Outcome {
    const ROUNDS: u8 = 200;
    const SIZE: u64 = 32 * KIB;
    let relay = Relay::new(&exporter, &importer)?;
    let buffer = exporter.mem_alloc(SIZE)?;
    let import = open(&exporter, buffer, &importer)?;
    let copies = importer.mem_alloc(SIZE * u64::from(ROUNDS))?;
    let copy = |round| copies.offset(SIZE * u64::from(round));
    importer.memset_d8(copies, 0, SIZE * u64::from(ROUNDS))?;
    importer.ctx_synchronize()?;
    // The first fill is late, so that a copy that does not wait is too early.
    let latch = Latch::hold(&exporter, relay.produce)?;
    for round in 0..ROUNDS {
        let write = || exporter.memset_d8_async(buffer, round + 1, SIZE, relay.produce);
        relay.round(write, || importer.memcpy_dtod_async(copy(round), import, SIZE, relay.consume))?;
        latch.release()?;
    }
    importer.stream_synchronize(relay.consume)?;
    for round in 0..ROUNDS {
        let foreign = importer.other_bytes(copy(round), SIZE, round + 1)?;
        check!(foreign == 0, "round {round} has {foreign} wrong bytes");
    }
    Ok(())
}

/// The bytes that a kernel writes in each round.
const WRITTEN: u64 = 256 * KIB;

/// In each of many rounds, a kernel of the importer sees every word that a kernel of the exporter wrote before its
/// record.
#[rstest]
#[conformance::test("IPCEVT-039", needs(legacy_memory))]
fn writes_before_the_record_are_visible_after_the_wait(exporter: Role, importer: Role) -> Outcome {
    let buffer = exporter.mem_alloc(WRITTEN)?;
    let import = open(&exporter, buffer, &importer)?;
    see_writes_before_the_record((&exporter, buffer), (&importer, import))
}

/// A kernel on each of two peers sees every word that a kernel on the other wrote to shared memory before its record.
#[rstest]
#[case::exporter_writes(false)]
#[case::importer_writes(true)]
#[conformance::test("IPCEVT-039", needs(gpus = 2, peer_access))]
fn writes_before_the_record_are_visible_on_a_peer(
    exporter: Role,
    #[with(1)] importer: Role,
    #[values(ImportKind::Legacy, ImportKind::VirtualMemory)] kind: ImportKind,
    #[case] importer_writes: bool,
) -> Outcome {
    let import = kind.make(&exporter, &importer, 1)?;
    let (one, other) = ((&exporter, import.there), (&importer, import.here));
    let (writer, reader) = if importer_writes { (other, one) } else { (one, other) };
    see_writes_before_the_record(writer, reader)
}

/// Checks that a kernel of one process sees, in each of many rounds, what a kernel of the other one wrote before its
/// record.
fn see_writes_before_the_record((writer, there): (&Role, Pointer), (reader, here): (&Role, Pointer)) -> Outcome {
    const ROUNDS: u32 = 200;
    let (relay, first) = (Relay::new(writer, reader)?, seed());
    let wrong = reader.mem_alloc(4096)?;
    reader.memset_d8(wrong, 0, 8)?;
    let fill = |size, pattern| enqueue_fill(writer, there, size, pattern, relay.produce);
    let verify = |size, pattern| enqueue_verify(reader, here, size, pattern, wrong, relay.consume);
    // Load the modules before the stream is held, because loading may wait for the device.
    fill(0, 0)?;
    verify(0, 0)?;
    reader.ctx_synchronize()?;
    // The first fill is late, so that a kernel that does not wait is too early.
    let latch = Latch::hold(writer, relay.produce)?;
    for pattern in (0..ROUNDS).map(|round| first.wrapping_add(round)) {
        relay.round(|| fill(WRITTEN, pattern), || verify(WRITTEN, pattern))?;
        latch.release()?;
    }
    reader.stream_synchronize(relay.consume)?;
    check!(reader.other_bytes(wrong, 8, 0)? == 0);
    Ok(())
}

/// In each of many rounds, a copy after a host wait has every word that a kernel of the exporter wrote before its
/// record.
#[rstest]
#[conformance::test("IPCEVT-039", needs(legacy_memory))]
fn writes_before_the_record_are_copied_after_a_host_wait(exporter: Role, importer: Role) -> Outcome {
    const ROUNDS: u32 = 8;
    const SIZE: u64 = 32 * KIB;
    let (written, written_here) = share(&exporter, &importer)?;
    // This also loads the kernel, which must not happen later: loading may wait for the stream.
    let (buffer, import, first) = legacy::share(&exporter, &importer, SIZE)?;
    let produce = exporter.stream_create()?;
    for pattern in (1..=ROUNDS).map(|round| first.wrapping_add(round)) {
        let latch = Latch::hold(&exporter, produce)?;
        enqueue_fill(&exporter, buffer, SIZE, pattern, produce)?;
        exporter.event_record(written, produce)?;
        let waiting = begin_to_wait(&importer, written_here)?;
        latch.release()?;
        waiting.finish()?;
        check!(importer.mismatches(import, SIZE, pattern)? == 0);
    }
    Ok(())
}

/// A stream wait uses the most recent record at the time of the call, also behind pending work of its own stream.
#[rstest]
#[conformance::test("IPCEVT-021")]
fn a_wait_behind_pending_work_keeps_its_record(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let (done, held) = (exporter.stream_create()?, exporter.stream_create()?);
    let consume = importer.stream_create()?;
    exporter.event_record(event, done)?;
    let own = Latch::hold(&importer, consume)?;
    importer.stream_wait_event(consume, imported)?;
    let latch = Latch::hold(&exporter, held)?;
    exporter.event_record(event, held)?;
    own.release()?;
    importer.stream_synchronize(consume)?;
    latch.release()
}

/// A pending stream wait ends with its own record, although the event was recorded again after other pending work.
#[rstest]
#[conformance::test("IPCEVT-021")]
fn a_pending_wait_ends_with_its_record(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let (first, second) = (exporter.stream_create()?, exporter.stream_create()?);
    let consume = importer.stream_create()?;
    let latch = Latch::hold(&exporter, first)?;
    let later_latch = Latch::hold(&exporter, second)?;
    exporter.event_record(event, first)?;
    importer.stream_wait_event(consume, imported)?;
    exporter.event_record(event, second)?;
    importer.stream_query(consume).refused(NOT_READY)?;
    latch.release()?;
    importer.stream_synchronize(consume)?;
    importer.event_query(imported).refused(NOT_READY)?;
    later_latch.release()
}

/// A pending stream wait of the exporter ends with its record, although the importer recorded the event again after
/// other pending work.
#[rstest]
#[conformance::test("IPCEVT-021")]
fn a_pending_wait_of_the_exporter_ignores_the_importers_record(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let (produce, consume) = (exporter.stream_create()?, exporter.stream_create()?);
    let held = importer.stream_create()?;
    let latch = Latch::hold(&exporter, produce)?;
    let later_latch = Latch::hold(&importer, held)?;
    exporter.event_record(event, produce)?;
    exporter.stream_wait_event(consume, event)?;
    importer.event_record(imported, held)?;
    exporter.stream_query(consume).refused(NOT_READY)?;
    latch.release()?;
    exporter.stream_synchronize(consume)?;
    exporter.event_query(event).refused(NOT_READY)?;
    later_latch.release()
}

/// A pending stream wait does not end with a later record after no work, because its own record is pending.
#[rstest]
#[conformance::test("IPCEVT-021")]
fn a_pending_wait_outlasts_later_records(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let (held, free) = (exporter.stream_create()?, exporter.stream_create()?);
    let consume = importer.stream_create()?;
    let latch = Latch::hold(&exporter, held)?;
    exporter.event_record(event, held)?;
    importer.stream_wait_event(consume, imported)?;
    exporter.event_record(event, free)?;
    let waiting = begin_to_wait_for_stream(&importer, consume)?;
    latch.release()?;
    waiting.finish()?;
    importer.event_synchronize(imported)
}

/// If an importer is killed while its stream and its host wait, the exporter is unaffected.
#[rstest]
#[conformance::test("IPCEVT-029")]
fn the_exporter_survives_the_death_of_a_waiting_importer(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let buffer = exporter.mem_alloc(2 * MIB)?;
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    importer.stream_wait_event(Stream::DEFAULT, imported)?;
    let _waiting = begin_to_wait(&importer, imported)?;
    importer.kill()?;
    latch.release()?;
    exporter.event_synchronize(event)?;
    exporter.memset_d8(buffer, 3, 2 * MIB)?;
    exporter.ctx_synchronize()
}
