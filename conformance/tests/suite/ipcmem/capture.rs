//! Memory handles during a stream capture.

use conformance::{Expect as _, Outcome, Role, check};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::capture::Capture;
use crate::support::fixtures::{exporter, importer};

/// Captures a fill, and makes other calls before the capture ends. Checks that the fill does not run during the
/// capture, and that the graph performs it if the capture gives one.
fn capture_a_fill_around(role: &Role, something: impl FnOnce() -> Outcome) -> Outcome {
    let target = role.mem_alloc(SIZE)?;
    role.memset_d8(target, 1, SIZE)?;
    role.ctx_synchronize()?;
    let capture = Capture::begin(role)?;
    let stream = capture.stream;
    role.memset_d8_async(target, 2, SIZE, stream)?;
    something()?;
    let graph = capture.end()?;
    check!(role.other_bytes(target, SIZE, 1)? == 0, "the captured fill ran during the capture");
    if let Some(graph) = graph {
        role.graph_launch(graph, stream)?;
        role.stream_synchronize(stream)?;
        check!(role.other_bytes(target, SIZE, 2)? == 0, "the graph did not perform the captured fill");
    }
    role.ctx_synchronize()
}

/// An export during a capture invalidates the capture or leaves it complete. The code is recorded.
#[rstest]
#[conformance::test("IPCMEM-GET-032")]
fn an_export_invalidates_a_capture_or_leaves_it_complete(exporter: Role) -> Outcome {
    let buffer = exporter.mem_alloc(SIZE)?;
    capture_a_fill_around(&exporter, || exporter.ipc_get_mem_handle(buffer).recorded("get").map(drop))
}

/// Opening and closing a handle during a capture invalidates the capture or leaves it complete. The codes are recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-048")]
fn opening_invalidates_a_capture_or_leaves_it_complete(exporter: Role, importer: Role) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?;
    capture_a_fill_around(&importer, || {
        let import = importer.ipc_open_mem_handle(handle).recorded("open")?;
        import.map_or(Ok(()), |import| importer.ipc_close_mem_handle(import).recorded("close").map(drop))
    })
}
