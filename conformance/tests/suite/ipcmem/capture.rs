//! Handles while a stream's work is captured.

use conformance::{Expect as _, Outcome, Role, check};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::capture::Capture;
use crate::support::fixtures::{exporter, importer};

/// A fill that is captured around something else: it is not performed then, and where the capture has an end, its graph
/// performs it.
fn capture_a_fill_around(role: &Role, something: impl FnOnce() -> Outcome) -> Outcome {
    let target = role.mem_alloc(SIZE)?;
    role.memset_d8(target, 1, SIZE)?;
    role.ctx_synchronize()?;
    let capture = Capture::begin(role)?;
    let stream = capture.stream;
    role.memset_d8_async(target, 2, SIZE, stream)?;
    something()?;
    let graph = capture.end()?;
    check!(role.other_bytes(target, SIZE, 1)? == 0, "what was captured was performed");
    if let Some(graph) = graph {
        role.graph_launch(graph, stream)?;
        role.stream_synchronize(stream)?;
        check!(role.other_bytes(target, SIZE, 2)? == 0, "the graph has lost what was captured");
    }
    role.ctx_synchronize()
}

/// What an export during a capture answers is recorded; the capture is ended, or whole.
#[rstest]
#[conformance::test("IPCMEM-GET-032")]
fn an_export_during_a_capture_is_recorded(exporter: Role) -> Outcome {
    let buffer = exporter.mem_alloc(SIZE)?;
    capture_a_fill_around(&exporter, || exporter.ipc_get_mem_handle(buffer).recorded("get").map(drop))
}

/// What opening and closing during a capture answer is recorded; the capture is ended, or whole.
#[rstest]
#[conformance::test("IPCMEM-OPEN-048")]
fn opening_during_a_capture_is_recorded(exporter: Role, importer: Role) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?;
    capture_a_fill_around(&importer, || {
        let import = importer.ipc_open_mem_handle(handle).recorded("open")?;
        import.map_or(Ok(()), |import| importer.ipc_close_mem_handle(import).recorded("close").map(drop))
    })
}
