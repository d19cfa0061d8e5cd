//! Copies and memsets of imports, by each function of the driver that copies or sets.

use conformance::{KIB, MIB, Outcome, Pointer, Role, Stop, Stream, check, seed};

use super::by_kernel::enqueue_late_fill;
use super::import_kind::{ImportKind, Imported, SIZE as IMPORTED};

/// More than a driver copies in one piece through memory of its own.
const SIZE: u64 = 12 * MIB;

/// A large copy with an odd tail.
const LARGE: u64 = 33 * MIB + 4093;
/// Room for such a copy: a multiple of every granularity.
const ROOM: u64 = 34 * MIB;

/// The functions that copy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Copy {
    Device,
    DeviceAsync,
    Unified,
    UnifiedAsync,
    Host,
    HostAsync,
    Peer,
    Rows,
    RowsAsync,
    RowsUnaligned,
}

impl Copy {
    /// Checks copies from an import, to an import, from one import to another, and within an import, in each stream.
    pub(crate) fn reaches(self, kind: ImportKind, exporter: &Role, importer: &Role) -> Outcome {
        let share = || kind.make_of(exporter, importer, 0, SIZE);
        let (source, target, own) = (share()?, share()?, importer.mem_alloc(SIZE)?);
        for stream in streams(importer, self.takes_a_stream())? {
            let patterns = [seed(), seed(), seed(), seed()];
            exporter.fill(source.there, SIZE, patterns[0])?;
            self.make_all(importer, own, source.here, SIZE, stream)?;
            check!(importer.mismatches(own, SIZE, patterns[0])? == 0);
            importer.fill(own, SIZE, patterns[1])?;
            self.make_all(importer, target.here, own, SIZE, stream)?;
            check!(exporter.mismatches(target.there, SIZE, patterns[1])? == 0);
            exporter.fill(source.there, SIZE, patterns[2])?;
            self.make_all(importer, target.here, source.here, SIZE, stream)?;
            check!(exporter.mismatches(target.there, SIZE, patterns[2])? == 0);
            self.within(exporter, importer, &target, patterns[3], stream)?;
        }
        Ok(())
    }

    /// Checks one large copy from an import, one to an import, one from one import to another, and one within an import.
    pub(crate) fn reaches_far(self, kind: ImportKind, exporter: &Role, importer: &Role) -> Outcome {
        let share = || kind.make_of(exporter, importer, 0, 2 * ROOM);
        let (source, target, own) = (share()?, share()?, importer.mem_alloc(ROOM)?);
        let stream = streams(importer, self.takes_a_stream())?.pop().unwrap_or(Stream::DEFAULT);
        let behind = Imported { there: source.there.offset(ROOM), here: source.here.offset(ROOM) };
        let own = Imported { there: own, here: own };
        self.make_large(importer, (importer, &own), (exporter, &source), stream)?;
        self.make_large(importer, (exporter, &target), (importer, &own), stream)?;
        self.make_large(importer, (exporter, &target), (exporter, &source), stream)?;
        self.make_large(importer, (exporter, &behind), (exporter, &source), stream)
    }

    /// Checks that a copy from an import, and one to an import, come after a kernel that was enqueued before to write the
    /// import. The kernel is in the default stream, or in a stream that synchronises with it.
    pub(crate) fn follows_a_kernel(self, kind: ImportKind, exporter: &Role, importer: &Role) -> Outcome {
        let (import, own) = (kind.make(exporter, importer, 0)?, importer.mem_alloc(IMPORTED)?);
        let write_late = |size, pattern, stream| enqueue_late_fill(importer, import.here, size, pattern, stream);
        // Load the kernels before one is late, because loading may wait for the device.
        write_late(0, 0, Stream::DEFAULT)?;
        for stream in [Stream::DEFAULT, Stream::PER_THREAD] {
            let (written, copied) = (seed(), seed());
            write_late(IMPORTED, written, stream)?;
            self.make(importer, own, import.here, IMPORTED, Stream::DEFAULT)?;
            check!(importer.mismatches(own, IMPORTED, written)? == 0);
            importer.fill(own, IMPORTED, copied)?;
            write_late(IMPORTED, written, stream)?;
            match self {
                // The copy to host memory, which comes first, would wait for the kernel.
                Self::Host => importer.fill_by_copy(import.here, IMPORTED, copied)?,
                _ => self.make(importer, import.here, own, IMPORTED, Stream::DEFAULT)?,
            }
            importer.ctx_synchronize()?;
            check!(exporter.mismatches(import.there, IMPORTED, copied)? == 0);
        }
        Ok(())
    }

    /// Copies more than 32 MiB, and checks both ends and the middle. Each side has the process that writes or reads its
    /// memory at the address `there`. The importer copies at the addresses `here`.
    fn make_large(
        self,
        importer: &Role,
        (reader, to): (&Role, &Imported),
        (writer, from): (&Role, &Imported),
        stream: Stream,
    ) -> Outcome {
        const PIECE: u64 = 4 * KIB;
        const PLACES: [u64; 3] = [0, 16 * MIB, 32 * MIB];
        const TAIL: u64 = LARGE - 4;
        let (pattern, tail) = (seed(), seed().to_le_bytes().to_vec());
        for place in PLACES {
            writer.fill(from.there.offset(place), PIECE, pattern)?;
        }
        writer.write(from.there.offset(TAIL), tail.clone())?;
        self.make(importer, to.here, from.here, LARGE, stream)?;
        for place in PLACES {
            check!(reader.mismatches(to.there.offset(place), PIECE, pattern)? == 0);
        }
        check!(reader.read(to.there.offset(TAIL), 4)? == tail);
        Ok(())
    }

    /// Whether the function takes a stream.
    const fn takes_a_stream(self) -> bool {
        matches!(self, Self::DeviceAsync | Self::UnifiedAsync | Self::HostAsync | Self::RowsAsync)
    }

    /// Checks copies from one half of an import to the other, in both directions.
    fn within(self, exporter: &Role, importer: &Role, import: &Imported, pattern: u32, stream: Stream) -> Outcome {
        const HALF: u64 = SIZE / 2;
        for (to, from) in [(HALF, 0), (0, HALF)] {
            let pattern = pattern.wrapping_add(u32::from(from == 0));
            exporter.fill(import.there.offset(from), HALF, pattern)?;
            self.make_all(importer, import.here.offset(to), import.here.offset(from), HALF, stream)?;
            check!(exporter.mismatches(import.there.offset(to), HALF, pattern)? == 0);
            check!(exporter.mismatches(import.there.offset(from), HALF, pattern)? == 0);
        }
        Ok(())
    }

    /// Copies a range in pieces of which the longest begins at an odd address.
    fn make_all(self, role: &Role, to: Pointer, from: Pointer, size: u64, stream: Stream) -> Outcome {
        for (offset, count) in [(0, 1), (1, size - 2), (size - 1, 1)] {
            self.make(role, to.offset(offset), from.offset(offset), count, stream)?;
        }
        Ok(())
    }

    /// Copies bytes, and waits until they are there.
    fn make(self, role: &Role, to: Pointer, from: Pointer, count: u64, stream: Stream) -> Outcome {
        match self {
            Self::Device => role.memcpy_dtod(to, from, count),
            Self::DeviceAsync => role.memcpy_dtod_async(to, from, count, stream),
            Self::Unified => role.memcpy(to, from, count),
            Self::UnifiedAsync => role.memcpy_async(to, from, count, stream),
            Self::Host => role.memcpy_through_host(to, from, count),
            Self::HostAsync => role.memcpy_through_host_async(to, from, count, stream),
            Self::Peer => {
                let context = role.ctx_get_current()?;
                role.memcpy_peer(to, context, from, context, count)
            }
            Self::Rows => role.memcpy_2d(to, from, count),
            Self::RowsAsync => role.memcpy_2d_async(to, from, count, stream),
            Self::RowsUnaligned => role.memcpy_2d_unaligned(to, from, count),
        }?;
        role.stream_synchronize(stream)
    }
}

/// Returns the streams in which a function works: the default stream, and others if the function takes a stream.
fn streams(role: &Role, takes_one: bool) -> Result<Vec<Stream>, Stop> {
    let mut streams = vec![Stream::DEFAULT];
    if takes_one {
        streams.extend([Stream::LEGACY, Stream::PER_THREAD, role.stream_create()?]);
    }
    Ok(streams)
}

/// Checks one copy of each kind from and to memory of another process, and one fill of each width. For memory that is
/// reached in another way than by an import in the primary context of its own GPU.
pub(crate) fn reach(exporter: &Role, importer: &Role, import: &Imported, size: u64) -> Outcome {
    let (own, stream) = (importer.mem_alloc(size)?, importer.stream_create()?);
    let copies = [
        Copy::Device,
        Copy::DeviceAsync,
        Copy::Unified,
        Copy::UnifiedAsync,
        Copy::Host,
        Copy::HostAsync,
        Copy::Peer,
        Copy::Rows,
        Copy::RowsAsync,
        Copy::RowsUnaligned,
    ];
    for copy in copies {
        let (there, here) = (seed(), seed());
        exporter.fill(import.there, size, there)?;
        copy.make(importer, own, import.here, size, stream)?;
        check!(importer.mismatches(own, size, there)? == 0);
        importer.fill(own, size, here)?;
        copy.make(importer, import.here, own, size, stream)?;
        check!(exporter.mismatches(import.there, size, here)? == 0);
    }
    let sets = [
        Set::Bytes,
        Set::BytesAsync,
        Set::Halves,
        Set::HalvesAsync,
        Set::Words,
        Set::WordsAsync,
        Set::Rows,
        Set::RowsAsync,
    ];
    for (set, value) in sets.into_iter().zip(1..) {
        set.make(importer, import.here, value, size, stream)?;
        check!(exporter.other_bytes(import.there, size, value)? == 0);
    }
    Ok(())
}

/// Checks copies between an import and page-locked memory of the host, in each stream.
pub(crate) fn of_page_locked_memory(kind: ImportKind, exporter: &Role, importer: &Role, registered: bool) -> Outcome {
    let import = kind.make(exporter, importer, 0)?;
    let host = if registered { importer.mem_host_register(IMPORTED)? } else { importer.mem_host_alloc(IMPORTED, 0)? };
    for stream in streams(importer, true)? {
        let (there, here) = (seed(), seed());
        exporter.fill(import.there, IMPORTED, there)?;
        importer.memcpy_async(host, import.here, IMPORTED, stream)?;
        importer.stream_synchronize(stream)?;
        check!(importer.mismatches_by_host(host, IMPORTED, there)? == 0);
        importer.fill_by_host(host, IMPORTED, here)?;
        importer.memcpy_async(import.here, host, IMPORTED, stream)?;
        importer.stream_synchronize(stream)?;
        check!(exporter.mismatches(import.there, IMPORTED, here)? == 0);
    }
    // The functions that name the host's side, without a stream and in each stream.
    for stream in streams(importer, true)?.into_iter().map(Some).chain([None]) {
        let (there, here) = (seed(), seed());
        exporter.fill(import.there, IMPORTED, there)?;
        importer.memcpy_to_host(host, import.here, IMPORTED, stream)?;
        importer.stream_synchronize(stream.unwrap_or(Stream::DEFAULT))?;
        check!(importer.mismatches_by_host(host, IMPORTED, there)? == 0);
        importer.fill_by_host(host, IMPORTED, here)?;
        importer.memcpy_from_host(import.here, host, IMPORTED, stream)?;
        importer.stream_synchronize(stream.unwrap_or(Stream::DEFAULT))?;
        check!(exporter.mismatches(import.there, IMPORTED, here)? == 0);
    }
    Ok(())
}

/// Checks that copies of several threads at once read and write an import.
pub(crate) fn of_threads_reach(kind: ImportKind, exporter: &Role, importer: &Role) -> Outcome {
    const PARTS: u64 = 4;
    const PART: u64 = SIZE / PARTS;
    // The first thread of the importer copies the first part, and other threads the rest.
    let copy = |to: Pointer, from: Pointer| {
        let rest = |whole: Pointer| (1..PARTS).map(|part| whole.offset(part * PART)).collect::<Vec<_>>();
        importer.memcpy_dtod(to, from, PART)?;
        importer.memcpy_dtod_from_threads(rest(to), rest(from), PART)
    };
    let (import, own) = (kind.make_of(exporter, importer, 0, SIZE)?, importer.mem_alloc(SIZE)?);
    let (there, here) = (seed(), seed());
    exporter.fill(import.there, SIZE, there)?;
    copy(own, import.here)?;
    check!(importer.mismatches(own, SIZE, there)? == 0);
    importer.fill(own, SIZE, here)?;
    copy(import.here, own)?;
    check!(exporter.mismatches(import.there, SIZE, here)? == 0);
    Ok(())
}

/// Checks copies between imports of different kinds.
pub(crate) fn reaches_across(exporter: &Role, importer: &Role, from: ImportKind, to: ImportKind) -> Outcome {
    let (source, target) = (from.make(exporter, importer, 0)?, to.make(exporter, importer, 0)?);
    let stream = importer.stream_create()?;
    for copy in [Copy::Device, Copy::DeviceAsync, Copy::Unified, Copy::UnifiedAsync] {
        let pattern = seed();
        exporter.fill(source.there, IMPORTED, pattern)?;
        copy.make(importer, target.here, source.here, IMPORTED, stream)?;
        check!(exporter.mismatches(target.there, IMPORTED, pattern)? == 0);
    }
    Ok(())
}

/// The functions that set memory to one value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Set {
    Bytes,
    BytesAsync,
    Halves,
    HalvesAsync,
    Words,
    WordsAsync,
    Rows,
    RowsAsync,
}

impl Set {
    /// Checks that an importer sets a part of an import, at an offset and to the end, and nothing before it.
    pub(crate) fn reaches(self, kind: ImportKind, exporter: &Role, importer: &Role) -> Outcome {
        const BEGIN: u64 = SIZE / 2 + 4;
        const END: u64 = BEGIN + SIZE / 4;
        let import = kind.make_of(exporter, importer, 0, SIZE)?;
        for stream in streams(importer, self.takes_a_stream())? {
            let (before, after) = (seed(), seed());
            exporter.fill(import.there, END, before)?;
            exporter.fill(import.there.offset(END), SIZE - END, after)?;
            self.make(importer, import.here.offset(BEGIN), 0x5a, END - BEGIN, stream)?;
            is_set(exporter, import.there, 0x5a, BEGIN, END)?;
            check!(exporter.mismatches(import.there, BEGIN, before)? == 0);
            check!(exporter.mismatches(import.there.offset(END), SIZE - END, after)? == 0);
            self.make(importer, import.here.offset(END), 0xa5, SIZE - END, stream)?;
            is_set(exporter, import.there, 0xa5, END, SIZE)?;
            is_set(exporter, import.there, 0x5a, BEGIN, END)?;
        }
        Ok(())
    }

    /// Whether the function takes a stream.
    const fn takes_a_stream(self) -> bool {
        matches!(self, Self::BytesAsync | Self::HalvesAsync | Self::WordsAsync | Self::RowsAsync)
    }

    fn make(self, role: &Role, pointer: Pointer, value: u8, count: u64, stream: Stream) -> Outcome {
        let (half, word) = (u16::from_ne_bytes([value; 2]), u32::from_ne_bytes([value; 4]));
        match self {
            Self::Bytes => role.memset_d8(pointer, value, count),
            Self::BytesAsync => role.memset_d8_async(pointer, value, count, stream),
            Self::Halves => role.memset_d16(pointer, half, count / 2),
            Self::HalvesAsync => role.memset_d16_async(pointer, half, count / 2, stream),
            Self::Words => role.memset_d32(pointer, word, count / 4),
            Self::WordsAsync => role.memset_d32_async(pointer, word, count / 4, stream),
            Self::Rows => role.memset_2d(pointer, value, count),
            Self::RowsAsync => role.memset_2d_async(pointer, value, count, stream),
        }?;
        role.ctx_synchronize()
    }
}

/// Checks the ends and the middle of a range that was set.
fn is_set(role: &Role, pointer: Pointer, value: u8, begin: u64, end: u64) -> Outcome {
    for offset in [begin, begin.midpoint(end), end - 8] {
        check!(role.read(pointer.offset(offset), 8)? == [value; 8]);
    }
    Ok(())
}
