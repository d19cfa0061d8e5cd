//! Copies from and to imports, by each function of the driver that copies.

use conformance::{MIB, Outcome, Pointer, Role, Stop, Stream, check, seed};
use rstest::rstest;

use crate::support::fixtures::{exporter, importer};
use crate::support::legacy::open;

/// More than a driver copies in one piece through memory of its own.
const SIZE: u64 = 12 * MIB;

/// The functions that copy.
#[derive(Clone, Copy, Debug)]
enum Copy {
    Device,
    DeviceAsync,
    Unified,
    UnifiedAsync,
    Host,
    HostAsync,
}

impl Copy {
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

    /// Copies all of the memory, in pieces of which the longest begins at an odd address.
    fn make_all(self, role: &Role, to: Pointer, from: Pointer) -> Outcome {
        for (offset, count) in [(0, 1), (1, SIZE - 2), (SIZE - 1, 1)] {
            self.make(role, to.offset(offset), from.offset(offset), count)?;
        }
        Ok(())
    }
}

/// Every function that copies reads and writes imports: from an import, to an import, and from one import to another.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-OPEN-046")]
fn every_copy_reaches_imports(
    exporter: Role,
    importer: Role,
    #[values(Copy::Device, Copy::DeviceAsync, Copy::Unified, Copy::UnifiedAsync, Copy::Host, Copy::HostAsync)]
    copy: Copy,
) -> Outcome {
    let share = || {
        let buffer = exporter.mem_alloc(SIZE)?;
        Ok::<_, Stop>((buffer, open(&exporter, buffer, &importer)?))
    };
    let ((source, from), (target, to)) = (share()?, share()?);
    let (own, patterns) = (importer.mem_alloc(SIZE)?, [seed(), seed(), seed()]);
    exporter.fill(source, SIZE, patterns[0])?;
    copy.make_all(&importer, own, from)?;
    check!(importer.mismatches(own, SIZE, patterns[0])? == 0);
    importer.fill(own, SIZE, patterns[1])?;
    copy.make_all(&importer, to, own)?;
    check!(exporter.mismatches(target, SIZE, patterns[1])? == 0);
    exporter.fill(source, SIZE, patterns[2])?;
    copy.make_all(&importer, to, from)?;
    check!(exporter.mismatches(target, SIZE, patterns[2])? == 0);
    Ok(())
}
