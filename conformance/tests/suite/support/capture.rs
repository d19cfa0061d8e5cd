//! Streams whose work is captured into a graph.

use conformance::{Expect as _, Graph, Role, Stop, Stream, observe};
use cuda_ipc_sys::{CUresult, CUstreamCaptureStatus};

/// A stream whose work is being captured, in the mode that forbids most.
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
                Err(Stop::Unsupported("the driver captures no streams".to_owned()))
            }
            Err(stop) => Err(stop),
        }
    }

    /// The graph, unless something in between ended the capture. Both are recorded.
    pub(crate) fn end(self) -> Result<Option<Graph>, Stop> {
        let status = match CUstreamCaptureStatus(self.role.stream_is_capturing(self.stream)?) {
            CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE => "active",
            CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_INVALIDATED => "invalidated",
            CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE => "none",
            _ => "another",
        };
        observe("capture afterwards", status);
        self.role.stream_end_capture(self.stream).recorded("end of the capture")
    }
}
