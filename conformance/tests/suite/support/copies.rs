//! Copies and memsets of imports, by each function of the driver that copies or sets.

use conformance::{MIB, Outcome, Pointer, Role, Stream, check, seed};

use super::import_kind::{ImportKind, Imported};

/// More than a driver copies in one piece through memory of its own.
const SIZE: u64 = 12 * MIB;

/// The functions that copy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Copy {
    Device,
    DeviceAsync,
    Unified,
    UnifiedAsync,
    Host,
    HostAsync,
}

impl Copy {
    /// Checks copies from an import, to an import, from one import to another, and within an import.
    pub(crate) fn reaches(self, kind: ImportKind, exporter: &Role, importer: &Role) -> Outcome {
        let share = || kind.make_of(exporter, importer, 0, SIZE);
        let (source, target) = (share()?, share()?);
        let (own, patterns) = (importer.mem_alloc(SIZE)?, [seed(), seed(), seed(), seed()]);
        exporter.fill(source.there, SIZE, patterns[0])?;
        self.make_all(importer, own, source.here, SIZE)?;
        check!(importer.mismatches(own, SIZE, patterns[0])? == 0);
        importer.fill(own, SIZE, patterns[1])?;
        self.make_all(importer, target.here, own, SIZE)?;
        check!(exporter.mismatches(target.there, SIZE, patterns[1])? == 0);
        exporter.fill(source.there, SIZE, patterns[2])?;
        self.make_all(importer, target.here, source.here, SIZE)?;
        check!(exporter.mismatches(target.there, SIZE, patterns[2])? == 0);
        self.within(exporter, importer, &target, patterns[3])
    }

    /// Checks copies from one half of an import to the other, in both directions.
    fn within(self, exporter: &Role, importer: &Role, import: &Imported, pattern: u32) -> Outcome {
        const HALF: u64 = SIZE / 2;
        for (to, from) in [(HALF, 0), (0, HALF)] {
            let pattern = pattern.wrapping_add(u32::from(from == 0));
            exporter.fill(import.there.offset(from), HALF, pattern)?;
            self.make_all(importer, import.here.offset(to), import.here.offset(from), HALF)?;
            check!(exporter.mismatches(import.there.offset(to), HALF, pattern)? == 0);
            check!(exporter.mismatches(import.there.offset(from), HALF, pattern)? == 0);
        }
        Ok(())
    }

    /// Copies a range in pieces of which the longest begins at an odd address.
    fn make_all(self, role: &Role, to: Pointer, from: Pointer, size: u64) -> Outcome {
        for (offset, count) in [(0, 1), (1, size - 2), (size - 1, 1)] {
            self.make(role, to.offset(offset), from.offset(offset), count)?;
        }
        Ok(())
    }

    /// Copies bytes, and waits until they are there.
    fn make(self, role: &Role, to: Pointer, from: Pointer, count: u64) -> Outcome {
        let stream = Stream::DEFAULT;
        match self {
            Self::Device => role.memcpy_dtod(to, from, count),
            Self::DeviceAsync => role.memcpy_dtod_async(to, from, count, stream),
            Self::Unified => role.memcpy(to, from, count),
            Self::UnifiedAsync => role.memcpy_async(to, from, count, stream),
            Self::Host => role.memcpy_through_host(to, from, count),
            Self::HostAsync => role.memcpy_through_host_async(to, from, count, stream),
        }?;
        role.stream_synchronize(stream)
    }
}

/// The functions that set memory to one value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Set {
    Bytes,
    BytesAsync,
    Words,
}

impl Set {
    /// Checks that an importer sets a part of an import, at an offset, and nothing beside it.
    pub(crate) fn reaches(self, kind: ImportKind, exporter: &Role, importer: &Role) -> Outcome {
        const BEGIN: u64 = SIZE / 2 + 4;
        const COUNT: u64 = SIZE / 4;
        const END: u64 = BEGIN + COUNT;
        const VALUE: u8 = 0x5a;
        let (import, before, after) = (kind.make_of(exporter, importer, 0, SIZE)?, seed(), seed());
        exporter.fill(import.there, END, before)?;
        exporter.fill(import.there.offset(END), SIZE - END, after)?;
        self.make(importer, import.here.offset(BEGIN), VALUE, COUNT)?;
        for offset in [BEGIN, BEGIN + COUNT / 2, END - 8] {
            check!(exporter.read(import.there.offset(offset), 8)? == [VALUE; 8]);
        }
        check!(exporter.mismatches(import.there, BEGIN, before)? == 0);
        check!(exporter.mismatches(import.there.offset(END), SIZE - END, after)? == 0);
        Ok(())
    }

    fn make(self, role: &Role, pointer: Pointer, value: u8, count: u64) -> Outcome {
        match self {
            Self::Bytes => role.memset_d8(pointer, value, count),
            Self::BytesAsync => role.memset_d8_async(pointer, value, count, Stream::DEFAULT),
            Self::Words => role.memset_d32(pointer, u32::from_ne_bytes([value; 4]), count / 4),
        }?;
        role.ctx_synchronize()
    }
}
