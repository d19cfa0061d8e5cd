//! Streams.

use std::ptr;

use cuda_ipc_sys::{CUstream_flags, CUstreamCaptureMode, CUstreamCaptureStatus, CUstreamWaitValue_flags};

use crate::role::Resource;
use crate::{Graph, Pointer, Stream};

calls! {
    /// `cuStreamCreate` of a stream that does not synchronise with the default stream.
    fn stream_create(session) -> Stream {
        let mut stream = ptr::null_mut();
        cuda!(session.cuStreamCreate(&mut stream, CUstream_flags::CU_STREAM_NON_BLOCKING.0));
        session.ledger.add(Resource::Stream(stream as u64));
        Ok(Stream(stream as u64))
    }

    /// `cuStreamDestroy`.
    fn stream_destroy(session, stream: Stream) -> () {
        cuda!(session.cuStreamDestroy(stream.0 as _));
        session.ledger.remove(&Resource::Stream(stream.0));
        Ok(())
    }

    /// `cuStreamSynchronize`.
    fn stream_synchronize(session, stream: Stream) -> () {
        cuda!(session.cuStreamSynchronize(stream.0 as _));
        Ok(())
    }

    /// `cuStreamQuery`.
    fn stream_query(session, stream: Stream) -> () {
        cuda!(session.cuStreamQuery(stream.0 as _));
        Ok(())
    }

    /// `cuStreamBeginCapture` in the global mode, the most restrictive one.
    fn stream_begin_capture(session, stream: Stream) -> () {
        cuda!(session.cuStreamBeginCapture(stream.0 as _, CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL));
        Ok(())
    }

    /// `cuStreamIsCapturing`: returns a `CUstreamCaptureStatus`.
    fn stream_is_capturing(session, stream: Stream) -> u32 {
        let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
        cuda!(session.cuStreamIsCapturing(stream.0 as _, &mut status));
        Ok(status.0)
    }

    /// `cuStreamEndCapture`.
    fn stream_end_capture(session, stream: Stream) -> Graph {
        let mut graph = ptr::null_mut();
        cuda!(session.cuStreamEndCapture(stream.0 as _, &mut graph));
        session.ledger.add(Resource::Graph(graph as u64));
        Ok(Graph(graph as u64))
    }

    /// `cuStreamWriteValue32`.
    fn stream_write_value(session, stream: Stream, pointer: Pointer, value: u32) -> () {
        cuda!(session.cuStreamWriteValue32(stream.0 as _, pointer.0, value, 0));
        Ok(())
    }

    /// `cuStreamWaitValue32`, which waits until the value in memory is at least `value`.
    fn stream_wait_value(session, stream: Stream, pointer: Pointer, value: u32) -> () {
        let flags = CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_GEQ.0;
        cuda!(session.cuStreamWaitValue32(stream.0 as _, pointer.0, value, flags));
        Ok(())
    }
}
