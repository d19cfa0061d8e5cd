//! Stream capture.

use conformance::{Expect as _, Graph, Outcome, Role, Stop, Stream, check, observe, seed};
use cuda_ipc_sys::{CUresult, CUstreamCaptureStatus};

use super::by_kernel::enqueue_fill;
use super::import_kind::{ImportKind, SIZE};

/// A stream that is being captured in global mode, the strictest one.
pub(crate) struct Capture<'role> {
    role: &'role Role,
    pub(crate) stream: Stream,
}

impl<'role> Capture<'role> {
    pub(crate) fn begin(role: &'role Role) -> Result<Self, Stop> {
        let stream = role.stream_create()?;
        match role.stream_begin_capture(stream) {
            Ok(()) => Ok(Self { role, stream }),
            Err(Stop::Refused(refusal)) if refusal.code == CUresult::CUDA_ERROR_NOT_SUPPORTED => {
                Err(Stop::Unsupported("the driver does not support stream capture".to_owned()))
            }
            Err(stop) => Err(stop),
        }
    }

    /// Ends the capture and returns its graph, or `None` if the driver refuses to end it, as it does for an invalidated
    /// capture. Records the status before the end, and the code of the end.
    pub(crate) fn end(self) -> Result<Option<Graph>, Stop> {
        let status = match CUstreamCaptureStatus(self.role.stream_is_capturing(self.stream)?) {
            CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE => "active",
            CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_INVALIDATED => "invalidated",
            CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE => "none",
            _ => "unknown",
        };
        observe("capture status", status);
        self.role.stream_end_capture(self.stream).recorded("end of the capture")
    }
}

/// Checks that each launch of a graph copies what an import holds then, and writes the import with a kernel and a memset.
pub(crate) fn reaches_imports(kind: ImportKind, exporter: &Role, importer: &Role) -> Outcome {
    const PART: u64 = SIZE / 4;
    let import = kind.make(exporter, importer, 0)?;
    let (copy, here) = (importer.mem_alloc(PART)?, seed());
    // Load the kernel before the capture, which may forbid that.
    enqueue_fill(importer, import.here, 0, 0, Stream::DEFAULT)?;
    importer.ctx_synchronize()?;
    let capture = Capture::begin(importer)?;
    let stream = capture.stream;
    importer.memcpy_dtod_async(copy, import.here, PART, stream)?;
    enqueue_fill(importer, import.here.offset(PART), PART, here, stream)?;
    importer.memset_d32_async(import.here.offset(2 * PART), 0x5a5a_5a5a, PART / 4, stream)?;
    let graph = capture.end()?.ok_or_else(|| Stop::failed("work on an import invalidated the capture"))?;
    // One executable graph, as programs that replay their work have it.
    let executable = importer.graph_instantiate(graph)?;
    for there in [seed(), seed()] {
        exporter.fill(import.there, SIZE, there)?;
        importer.graph_exec_launch(executable, stream)?;
        importer.stream_synchronize(stream)?;
        check!(importer.mismatches(copy, PART, there)? == 0);
        check!(exporter.mismatches(import.there, PART, there)? == 0);
        check!(exporter.mismatches(import.there.offset(PART), PART, here)? == 0);
        check!(exporter.other_bytes(import.there.offset(2 * PART), PART, 0x5a)? == 0);
    }
    Ok(())
}
