//! Work of kernels in a stream, and memory as kernels of two processes see it.

use conformance::{Outcome, Pointer, Role, Stream, check, seed};

use super::import_kind::{ImportKind, Imported, SIZE};
use super::latch::wait_for;
use super::waiting::begin_to_wait_for_stream;

/// Enqueues a kernel that writes the pattern of a seed over the range. With a size of 0, the kernel is only loaded.
pub(crate) fn enqueue_fill(role: &Role, pointer: Pointer, size: u64, seed: u32, stream: Stream) -> Outcome {
    role.launch("fill".into(), vec![pointer.into(), (size / 4).into(), seed.into()], stream)
}

/// Enqueues a kernel that writes the pattern of a seed, behind one that takes 50 ms: work that does not wait overtakes it.
/// With a size of 0, both kernels are only loaded.
pub(crate) fn enqueue_late_fill(role: &Role, pointer: Pointer, size: u64, seed: u32, stream: Stream) -> Outcome {
    const NANOSECONDS: u64 = 50_000_000;
    role.launch("spin".into(), vec![NANOSECONDS.into()], stream)?;
    enqueue_fill(role, pointer, size, seed, stream)
}

/// Enqueues a kernel that adds the number of words without the pattern of a seed to a counter. With a size of 0, the
/// kernel is only loaded.
pub(crate) fn enqueue_verify(
    role: &Role,
    pointer: Pointer,
    size: u64,
    seed: u32,
    counter: Pointer,
    stream: Stream,
) -> Outcome {
    let arguments = vec![pointer.into(), (size / 4).into(), seed.into(), counter.into()];
    role.launch("verify".into(), arguments, stream)
}

/// Checks that kernels of an importer read and write an import in every kind of stream.
pub(crate) fn reach_in_each_stream(kind: ImportKind, exporter: &Role, importer: &Role) -> Outcome {
    let import = kind.make(exporter, importer, 0)?;
    let wrong = importer.mem_alloc(4096)?;
    for stream in [Stream::DEFAULT, Stream::LEGACY, Stream::PER_THREAD, importer.stream_create()?] {
        let (there, here) = (seed(), seed());
        exporter.fill(import.there, SIZE, there)?;
        importer.memset_d8(wrong, 0, 8)?;
        importer.ctx_synchronize()?;
        enqueue_verify(importer, import.here, SIZE, there, wrong, stream)?;
        // If the kernel fails, the next launch can fail too, or be too early for that.
        importer.stream_synchronize(stream)?;
        enqueue_fill(importer, import.here, SIZE, here, stream)?;
        importer.stream_synchronize(stream)?;
        check!(importer.other_bytes(wrong, 8, 0)? == 0);
        check!(exporter.mismatches(import.there, SIZE, here)? == 0);
    }
    Ok(())
}

/// Checks that kernels which several threads of an importer launch at once write an import.
pub(crate) fn of_threads_reach(kind: ImportKind, exporter: &Role, importer: &Role) -> Outcome {
    const PARTS: u64 = 4;
    const PART: u64 = SIZE / PARTS;
    let (import, pattern) = (kind.make(exporter, importer, 0)?, seed());
    let rest: Vec<_> = (1..PARTS).map(|part| import.here.offset(part * PART)).collect();
    let streams = rest.iter().map(|_| importer.stream_create()).collect::<Result<Vec<_>, _>>()?;
    // The first thread of the importer fills the first part, and other threads the rest.
    importer.fill(import.here, PART, pattern)?;
    importer.fill_from_threads(rest, PART, pattern, streams)?;
    for part in 0..PARTS {
        check!(exporter.mismatches(import.there.offset(part * PART), PART, pattern)? == 0);
    }
    Ok(())
}

/// Checks that each of two processes reads what the other wrote: all of it with kernels, and both ends with copies.
pub(crate) fn both_see(one: (&Role, Pointer), other: (&Role, Pointer), size: u64) -> Outcome {
    for (seed, (writer, there), (reader, here)) in [(7, one, other), (8, other, one)] {
        let (from, to) = (writer.name(), reader.name());
        writer.fill(there, size, seed)?;
        check!(reader.mismatches(here, size, seed)? == 0);
        for offset in [0, size - 4] {
            let bytes = vec![seed as u8; 4];
            writer.write(there.offset(offset), bytes.clone())?;
            check!(
                reader.read(here.offset(offset), 4)? == bytes,
                "{to} copied other bytes from offset {offset} than {bytes:?}, which {from} had copied there"
            );
        }
    }
    Ok(())
}

/// Checks that a running kernel of each process sees what a kernel of the other writes meanwhile, and that the kernel
/// after it sees all that was written before.
pub(crate) fn see_writes_while_running(exporter: &Role, importer: &Role, memory: &Imported) -> Outcome {
    const DATA: u64 = SIZE / 2;
    // The seed of the flag at the start of the memory. A store sets the flag, because a link may lack atomics.
    const FLAG: u32 = 1;
    const WRITTEN: u32 = kernels::pattern(FLAG, 0);
    let (one, other) = ((exporter, memory.there), (importer, memory.here));
    for ((writer, there), (waiter, here)) in [(one, other), (other, one)] {
        let (pattern, wrong, stream) = (seed(), waiter.mem_alloc(4096)?, waiter.stream_create()?);
        waiter.memset_d8(wrong, 0, 8)?;
        waiter.memset_d8(here, 0, 4)?;
        waiter.ctx_synchronize()?;
        // Load the modules before a kernel waits, because loading may wait for the device.
        writer.fill(there, 0, 0)?;
        enqueue_verify(waiter, here, 0, 0, wrong, stream)?;
        wait_for(waiter, here, WRITTEN, stream)?;
        enqueue_verify(waiter, here.offset(DATA), DATA, pattern, wrong, stream)?;
        let waiting = begin_to_wait_for_stream(waiter, stream)?;
        writer.fill(there.offset(DATA), DATA, pattern)?;
        writer.fill(there, 4, FLAG)?;
        waiting.finish()?;
        check!(waiter.other_bytes(wrong, 8, 0)? == 0);
    }
    Ok(())
}
