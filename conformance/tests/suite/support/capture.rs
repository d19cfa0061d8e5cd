//! Stream capture.

use conformance::{Expect as _, Graph, Role, Stop, Stream, observe};
use cuda_ipc_sys::{CUresult, CUstreamCaptureStatus};

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
