//! Work of kernels in a stream, and memory as kernels of two processes see it.

use conformance::{Outcome, Pointer, Role, Stream, check, seed};

use super::import_kind::{ImportKind, SIZE};

/// Enqueues a kernel that writes the pattern of a seed over the range. With a size of 0, the kernel is only loaded.
pub(crate) fn enqueue_fill(role: &Role, pointer: Pointer, size: u64, seed: u32, stream: Stream) -> Outcome {
    role.launch("fill".into(), vec![pointer.into(), (size / 4).into(), seed.into()], stream)
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
