//! Values in imports that streams write and wait for.

use conformance::{Outcome, Role, check, seed};

use super::by_kernel::{enqueue_late_fill, enqueue_verify};
use super::import_kind::{ImportKind, SIZE};
use super::waiting::begin_to_wait_for_stream;

/// Checks that a stream of each process waits for a value that a stream of the other writes to shared memory, and that
/// it then sees the work before that write.
pub(crate) fn order_work(kind: ImportKind, exporter: &Role, importer: &Role) -> Outcome {
    const DATA: u64 = SIZE / 2;
    let import = kind.make(exporter, importer, 0)?;
    let (one, other) = ((exporter, import.there), (importer, import.here));
    for ((writer, there), (waiter, here)) in [(one, other), (other, one)] {
        let (pattern, wrong) = (seed(), waiter.mem_alloc(4096)?);
        let (produce, consume) = (writer.stream_create()?, waiter.stream_create()?);
        waiter.memset_d8(wrong, 0, 8)?;
        waiter.memset_d8(here, 0, 4)?;
        waiter.ctx_synchronize()?;
        // Load the modules before a stream is held, because loading may wait for the device.
        enqueue_late_fill(writer, there, 0, 0, produce)?;
        writer.stream_synchronize(produce)?;
        enqueue_verify(waiter, here, 0, 0, wrong, consume)?;
        waiter.stream_synchronize(consume)?;
        waiter.stream_wait_value(consume, here, 1)?;
        enqueue_verify(waiter, here.offset(DATA), DATA, pattern, wrong, consume)?;
        let waiting = begin_to_wait_for_stream(waiter, consume)?;
        // The work is late, so that a write that does not wait for it is too early.
        enqueue_late_fill(writer, there.offset(DATA), DATA, pattern, produce)?;
        writer.stream_write_value(produce, there, 1)?;
        waiting.finish()?;
        check!(waiter.other_bytes(wrong, 8, 0)? == 0);
    }
    Ok(())
}
