//! `cuStreamWaitEvent`: order between the streams of two processes.

use conformance::{Expect as _, MIB, Outcome, Role, Stream, check, seed};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use super::latch::Latch;
use super::share;
use crate::fixtures::{exporter, importer};

const SIZE: u64 = 256 * 1024;
const NOT_READY: &[CUresult] = &[CUresult::CUDA_ERROR_NOT_READY];

/// A stream of the importer runs after the exporter's work, without a host that waits.
#[rstest]
#[conformance::test("IPCEVT-019")]
fn a_stream_waits_for_the_exporters_work(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let (produce, consume) = (exporter.stream_create()?, importer.stream_create()?);
    let latch = Latch::hold(&exporter, produce)?;
    exporter.event_record(event, produce)?;
    importer.stream_wait_event(consume, imported)?;
    importer.stream_query(consume).refused(NOT_READY)?;
    latch.release()?;
    importer.stream_synchronize(consume)
}

/// Round after round, what the exporter wrote before its record is what the importer copies after its wait, and the
/// importer's record lets the exporter write again.
#[rstest]
#[conformance::test("IPCEVT-019", "IPCEVT-020")]
fn rounds_of_fills_and_copies_do_not_race(exporter: Role, importer: Role) -> Outcome {
    const ROUNDS: u8 = 200;
    let (written, written_here) = share(&exporter, &importer)?;
    let (copied, copied_here) = share(&importer, &exporter)?;
    let buffer = exporter.mem_alloc(SIZE)?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    let copies = importer.mem_alloc(SIZE * u64::from(ROUNDS))?;
    let (produce, consume) = (exporter.stream_create()?, importer.stream_create()?);
    for round in 0..ROUNDS {
        exporter.stream_wait_event(produce, copied_here)?;
        exporter.memset_d8_async(buffer, round, SIZE, produce)?;
        exporter.event_record(written, produce)?;
        importer.stream_wait_event(consume, written_here)?;
        importer.memcpy_dtod_async(copies.offset(SIZE * u64::from(round)), import, SIZE, consume)?;
        importer.event_record(copied, consume)?;
    }
    importer.stream_synchronize(consume)?;
    for round in 0..ROUNDS {
        let foreign = importer.other_bytes(copies.offset(SIZE * u64::from(round)), SIZE, round)?;
        check!(foreign == 0, "round {round} holds {foreign} bytes of another");
    }
    Ok(())
}

/// Round after round, a kernel of the importer sees every word that a kernel of the exporter wrote before its record.
#[rstest]
#[conformance::test("IPCEVT-039")]
fn what_was_written_before_the_record_is_visible_after_the_wait(exporter: Role, importer: Role) -> Outcome {
    const ROUNDS: u32 = 100;
    let words = SIZE / 4;
    let first = seed();
    let (written, written_here) = share(&exporter, &importer)?;
    let (checked, checked_here) = share(&importer, &exporter)?;
    let buffer = exporter.mem_alloc(SIZE)?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    let mismatches = importer.mem_alloc(4096)?;
    importer.memset_d8(mismatches, 0, 8)?;
    importer.ctx_synchronize()?;
    let (produce, consume) = (exporter.stream_create()?, importer.stream_create()?);
    for round in 0..ROUNDS {
        let pattern = first.wrapping_add(round);
        exporter.stream_wait_event(produce, checked_here)?;
        exporter.launch("fill".into(), vec![buffer.into(), words.into(), pattern.into()], produce)?;
        exporter.event_record(written, produce)?;
        importer.stream_wait_event(consume, written_here)?;
        let arguments = vec![import.into(), words.into(), pattern.into(), mismatches.into()];
        importer.launch("verify".into(), arguments, consume)?;
        importer.event_record(checked, consume)?;
    }
    importer.stream_synchronize(consume)?;
    check!(importer.read(mismatches, 8)? == [0; 8]);
    Ok(())
}

/// A wait is for the record that was the latest when it was asked for, whatever is recorded later.
#[rstest]
#[conformance::test("IPCEVT-021")]
fn a_later_record_does_not_matter(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let (done, held) = (exporter.stream_create()?, exporter.stream_create()?);
    let consume = importer.stream_create()?;
    exporter.event_record(event, done)?;
    exporter.stream_synchronize(done)?;
    importer.stream_wait_event(consume, imported)?;
    let latch = Latch::hold(&exporter, held)?;
    exporter.event_record(event, held)?;
    importer.stream_synchronize(consume)?;
    importer.event_query(imported).refused(NOT_READY)?;
    latch.release()?;
    importer.event_synchronize(imported)
}

/// A stream that waits behind pending work of its own keeps the record it was given.
#[rstest]
#[conformance::test("IPCEVT-021")]
fn a_wait_keeps_its_record_behind_pending_work(exporter: Role, importer: Role) -> Outcome {
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

/// An importer's death in a wait does not reach the exporter.
#[rstest]
#[conformance::test("IPCEVT-029")]
fn the_exporter_survives_a_waiting_importer(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let buffer = exporter.mem_alloc(2 * MIB)?;
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    importer.stream_wait_event(Stream::DEFAULT, imported)?;
    importer.kill()?;
    latch.release()?;
    exporter.event_synchronize(event)?;
    exporter.memset_d8(buffer, 3, 2 * MIB)?;
    exporter.ctx_synchronize()
}
