//! Work uses the memory of a ring until the scope ends, so the ring cannot end in the scope. A message that calls use
//! cannot be released while work of a scope uses it.

use std::time::Duration;

use cuda_ipc::Stream;
use cuda_ipc::ring::{Consumer, Message, Producer, Slot};

fn main() {}

fn close(ring: Producer, stream: &Stream) {
    let _ = stream.scope(|stream| {
        let slot = ring.reserve(Duration::MAX)?.in_stream(stream);
        stream.fill(slot.slice(..)?, 1_u8)?;
        ring.close()
    });
}

fn drop_in_the_scope(ring: Consumer, stream: &Stream) {
    let _ = stream.scope(|stream| {
        let message = ring.next(Duration::MAX)?.unwrap().in_stream(stream);
        stream.fill(message.slice(..)?, 1_u8)?;
        drop(ring);
        Ok(())
    });
}

fn release(message: Message<'_>, stream: &Stream) {
    let _ = stream.scope(|stream| {
        stream.fill(message.slice(..)?, 1_u8)?;
        message.release()
    });
}

fn commit(slot: Slot<'_>, stream: &Stream) {
    let _ = stream.scope(|stream| {
        stream.fill(slot.slice(..)?, 1_u8)?;
        slot.commit(1, 0)
    });
}
