//! Streams.

use std::ptr;

use cuda_ipc_sys::{CUstream_flags, CUstreamWaitValue_flags};

use crate::role::ledger::Resource;
use crate::{Pointer, Stream};

calls! {
    /// `cuStreamCreate`, without synchronisation with the default stream.
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

    /// `cuStreamWriteValue32`.
    fn stream_write_value(session, stream: Stream, pointer: Pointer, value: u32) -> () {
        cuda!(session.cuStreamWriteValue32(stream.0 as _, pointer.0, value, 0));
        Ok(())
    }

    /// `cuStreamWaitValue32`, until the value is at least this.
    fn stream_wait_value(session, stream: Stream, pointer: Pointer, value: u32) -> () {
        let flags = CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_GEQ.0;
        cuda!(session.cuStreamWaitValue32(stream.0 as _, pointer.0, value, flags));
        Ok(())
    }
}
