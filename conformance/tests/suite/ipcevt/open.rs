//! `cuIpcOpenEventHandle`.

use std::collections::{BTreeMap, BTreeSet};

use conformance::{EventHandle, Expect as _, MIB, Outcome, Role, Stop, Stream, observe};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use super::{NOT_READY, export, share};
use crate::support::fixtures::{exporter, importer, on_gpus_that_are_no_peers, start};
use crate::support::latch::Latch;

/// An exported event opens in another process and works there.
#[rstest]
#[conformance::test("IPCEVT-011")]
fn an_event_opens_in_another_process(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    exporter.event_record(event, Stream::DEFAULT)?;
    importer.event_synchronize(imported)?;
    importer.event_query(imported)
}

/// The creating process cannot open its own event.
#[rstest]
#[conformance::test("IPCEVT-012")]
fn the_creating_process_is_refused(exporter: Role) -> Outcome {
    let (_, handle) = export(&exporter)?;
    exporter.ipc_open_event_handle(handle).refused_and_recorded(&[])?;
    exporter.ctx_synchronize()
}

/// What a second open in one process gives is recorded, and each is destroyed once.
#[rstest]
#[conformance::test("IPCEVT-013")]
fn opening_twice_is_recorded(exporter: Role, importer: Role) -> Outcome {
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

/// Uniform bytes are no event.
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

/// No single flipped bit harms the exporter; what the driver makes of each byte is recorded.
#[rstest]
#[conformance::test("IPCEVT-015")]
fn flipped_bits_leave_the_exporter_sound(exporter: Role) -> Outcome {
    // Two bits of each byte, because each open that ends its process costs a new one.
    const STEP: usize = 4;
    let (event, handle) = export(&exporter)?;
    let mut answers: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let mut sacrifice = start("sacrifice", Default::default());
    for bit in (0..512).step_by(STEP) {
        let answer = match sacrifice.ipc_open_event_handle(handle.with_bit_flipped(bit)) {
            Ok(_) => "CUDA_SUCCESS".to_owned(),
            Err(Stop::Refused(refusal)) => refusal.code.to_string(),
            Err(Stop::Crashed { end, .. }) => {
                sacrifice = start("sacrifice", Default::default());
                end
            }
            Err(other) => return Err(other),
        };
        answers.entry(answer).or_default().insert(bit / 8);
    }
    // What it opened may be anything; it is not to serve another case.
    sacrifice.kill()?;
    for (answer, bytes) in answers {
        observe(&format!("bytes with {answer}"), Vec::from_iter(bytes));
    }
    exporter.event_record(event, Stream::DEFAULT)?;
    exporter.event_synchronize(event)
}

/// The bytes of a memory handle are no event.
#[rstest]
#[conformance::test("IPCEVT-016")]
fn a_memory_handle_is_no_event_handle(exporter: Role, importer: Role) -> Outcome {
    let memory = exporter.ipc_get_mem_handle(exporter.mem_alloc(2 * MIB)?)?;
    importer.ipc_open_event_handle(EventHandle::from_bytes(memory.to_bytes())).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// An event of one GPU opens on a peer and orders its streams.
#[rstest]
#[conformance::test("IPCEVT-030", needs(gpus = 2, peer_access))]
fn an_event_opens_on_a_peer(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let (produce, consume) = (exporter.stream_create()?, importer.stream_create()?);
    let latch = Latch::hold(&exporter, produce)?;
    exporter.event_record(event, produce)?;
    importer.event_query(imported).refused(NOT_READY)?;
    importer.stream_wait_event(consume, imported)?;
    importer.stream_query(consume).refused(NOT_READY)?;
    latch.release()?;
    importer.stream_synchronize(consume)?;
    importer.event_query(imported)
}

/// An event does not open on a GPU that cannot reach the exporter's.
#[rstest]
#[conformance::test("IPCEVT-030", needs(gpus = 2, no_peer_access))]
fn an_event_does_not_open_without_peer_access() -> Outcome {
    let (exporter, importer) = on_gpus_that_are_no_peers();
    let (_, handle) = export(&exporter)?;
    importer.ipc_open_event_handle(handle).refused(&[CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED])?;
    importer.ctx_synchronize()
}
