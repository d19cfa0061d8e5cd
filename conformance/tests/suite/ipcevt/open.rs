//! `cuIpcOpenEventHandle`.

use std::collections::{BTreeMap, BTreeSet};

use conformance::{EventHandle, Expect as _, MIB, Outcome, Role, Stop, Stream, observe};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use super::{NOT_READY, begin_to_wait, begin_to_wait_for_stream, export, share};
use crate::support::constants::PEER_ACCESS_UNSUPPORTED;
use crate::support::fixtures::{exporter, importer, on_gpus_that_are_no_peers, start};
use crate::support::import_kind::ImportKind;
use crate::support::latch::Latch;

/// An exported event opens in another process, which can query it and wait for it.
#[rstest]
#[conformance::test("IPCEVT-011")]
fn an_event_opens_in_another_process(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    exporter.event_record(event, Stream::DEFAULT)?;
    importer.event_synchronize(imported)?;
    importer.event_query(imported)
}

/// A process that has exported memory opens an event of the process that imported the memory.
#[rstest]
#[conformance::test("IPCEVT-011")]
fn an_exporter_of_memory_opens_an_event(
    exporter: Role,
    importer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] exported: ImportKind,
) -> Outcome {
    exported.make(&importer, &exporter, 0)?;
    let (event, imported) = share(&exporter, &importer)?;
    exporter.event_record(event, Stream::DEFAULT)?;
    importer.event_synchronize(imported)
}

/// Each handle of a process opens its own event.
#[rstest]
#[conformance::test("IPCEVT-011")]
fn each_handle_opens_its_own_event(exporter: Role, importer: Role) -> Outcome {
    let (pending, pending_here) = share(&exporter, &importer)?;
    let (done, done_here) = share(&exporter, &importer)?;
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(pending, stream)?;
    exporter.event_record(done, exporter.stream_create()?)?;
    importer.event_synchronize(done_here)?;
    importer.event_query(pending_here).refused(NOT_READY)?;
    latch.release()?;
    importer.event_synchronize(pending_here)
}

/// The driver refuses to open an event in the process that created it.
#[rstest]
#[conformance::test("IPCEVT-012")]
fn the_creating_process_is_refused(exporter: Role) -> Outcome {
    let (_, handle) = export(&exporter)?;
    exporter.ipc_open_event_handle(handle).refused_and_recorded(&[])?;
    exporter.ctx_synchronize()
}

/// If two opens in one process give two events, destroying one leaves the other usable. The result of the second open
/// is recorded.
#[rstest]
#[conformance::test("IPCEVT-013")]
fn events_of_two_opens_are_destroyed_separately(exporter: Role, importer: Role) -> Outcome {
    let (_, handle) = export(&exporter)?;
    let first = importer.ipc_open_event_handle(handle)?;
    if let Some(second) = importer.ipc_open_event_handle(handle).recorded("second open")? {
        observe("the events are equal", first == second);
        if first != second {
            importer.event_destroy(second)?;
            importer.event_query(first)?;
        }
    }
    importer.event_destroy(first)
}

/// The driver refuses an event handle whose bytes are all 0x00 or all 0xff.
#[rstest]
#[case::zeroed(0)]
#[case::ones(0xff)]
#[conformance::test("IPCEVT-014")]
fn uniform_bytes_do_not_open(importer: Role, #[case] byte: u8) -> Outcome {
    importer.ipc_open_event_handle(EventHandle::from_bytes([byte; 64])).refused_and_recorded(&[
        CUresult::CUDA_ERROR_INVALID_VALUE,
        CUresult::CUDA_ERROR_MAP_FAILED,
        CUresult::CUDA_ERROR_INVALID_HANDLE,
    ])?;
    importer.ctx_synchronize()
}

/// Opening an event handle with one flipped bit leaves the exporter unaffected. The results for each byte are recorded.
#[rstest]
#[conformance::test("IPCEVT-015")]
fn flipped_bits_leave_the_exporter_unharmed(exporter: Role) -> Outcome {
    // Flip only two bits of each byte, because every open that crashes its process needs a new process.
    const STEP: usize = 4;
    let (event, handle) = export(&exporter)?;
    for (answer, bytes) in open_with_flips(handle, (0..512).step_by(STEP))? {
        observe(&format!("bytes with {answer}"), Vec::from_iter(bytes));
    }
    exporter.event_record(event, Stream::DEFAULT)?;
    exporter.event_synchronize(event)
}

/// Opens the handle with each bit flipped, in a process that may crash. Returns the bytes with each result.
fn open_with_flips(
    handle: EventHandle,
    bits: impl Iterator<Item = usize>,
) -> Result<BTreeMap<String, BTreeSet<usize>>, Stop> {
    let mut results: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let mut sacrifice = start("sacrifice", Default::default());
    for bit in bits {
        let result = match sacrifice.ipc_open_event_handle(handle.with_bit_flipped(bit)) {
            Ok(_) => "CUDA_SUCCESS".to_owned(),
            Err(Stop::Refused(refusal)) => refusal.code.to_string(),
            Err(Stop::Crashed { end, .. }) => {
                sacrifice = start("sacrifice", Default::default());
                end
            }
            Err(other) => return Err(other),
        };
        results.entry(result).or_default().insert(bit / 8);
    }
    // The opened events may be anything, so no other case may use this process.
    sacrifice.kill()?;
    Ok(results)
}

/// The driver refuses to open the bytes of a memory handle as an event.
#[rstest]
#[conformance::test("IPCEVT-016", needs(legacy_memory))]
fn a_memory_handle_does_not_open_as_an_event(exporter: Role, importer: Role) -> Outcome {
    let memory = exporter.ipc_get_mem_handle(exporter.mem_alloc(2 * MIB)?)?;
    importer.ipc_open_event_handle(EventHandle::from_bytes(memory.to_bytes())).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// An event of one GPU opens on a peer, where streams and the host can wait for it.
#[rstest]
#[conformance::test("IPCEVT-030", needs(gpus = 2, peer_access))]
fn an_event_opens_on_a_peer(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    opens_on_a_peer(&exporter, &importer)
}

/// An event of the second GPU opens on the first, where streams and the host see its records.
#[rstest]
#[conformance::test("IPCEVT-030", needs(gpus = 2, peer_access))]
fn an_event_of_the_second_gpu_opens_on_the_first(#[with(1)] exporter: Role, importer: Role) -> Outcome {
    opens_on_a_peer(&exporter, &importer)
}

fn opens_on_a_peer(exporter: &Role, importer: &Role) -> Outcome {
    let (event, imported) = share(exporter, importer)?;
    let (produce, consume) = (exporter.stream_create()?, importer.stream_create()?);
    let latch = Latch::hold(exporter, produce)?;
    exporter.event_record(event, produce)?;
    importer.event_query(imported).refused(NOT_READY)?;
    importer.stream_wait_event(consume, imported)?;
    let waiting = begin_to_wait_for_stream(importer, consume)?;
    latch.release()?;
    waiting.finish()?;
    importer.event_query(imported)?;
    let latch = Latch::hold(exporter, produce)?;
    exporter.event_record(event, produce)?;
    let waiting = begin_to_wait(importer, imported)?;
    latch.release()?;
    waiting.finish()
}

/// The driver refuses to open an event on a GPU without peer access to the exporter's GPU.
#[rstest]
#[conformance::test("IPCEVT-030", needs(gpus = 2, no_peer_access))]
fn an_event_does_not_open_without_peer_access() -> Outcome {
    let (exporter, importer) = on_gpus_that_are_no_peers();
    let (_, handle) = export(&exporter)?;
    importer.ipc_open_event_handle(handle).refused(PEER_ACCESS_UNSUPPORTED)?;
    importer.ctx_synchronize()
}
