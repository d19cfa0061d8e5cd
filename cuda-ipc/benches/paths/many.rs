//! What opening and closing takes for each handle, if many are open at once.

use std::os::fd::AsFd as _;
use std::time::Duration;

use cuda_ipc::Parcel;
use cuda_ipc::ticket::Handle;

use crate::Importer;
use crate::exporter::Kind;
use crate::import::close;
use crate::report::{Report, time};

/// The driver gives each buffer of this size pages of its own.
const SIZE: usize = 2 << 20;

pub(crate) fn measure(importer: &Importer<'_>, count: usize, report: &mut Report) {
    let Importer { raw, exporter, .. } = importer;
    // One open takes as long as another, so few rounds of many handles are enough.
    let rounds = (200 / count).clamp(3, report.rounds.max(3));
    for kind in [Kind::Legacy, Kind::Descriptor] {
        exporter.hold(kind, count, SIZE);
        let what = format!("{count} handles, {}", kind.name());
        let ours = || importer.all(count, |parcel| importer.open(parcel), close);
        match kind {
            Kind::Legacy => {
                let open = |parcel: &Parcel| match &parcel.ticket.handle {
                    Handle::LegacyMemory(handle) => raw.open_legacy(handle),
                    _ => panic!("the exporter shares legacy memory"),
                };
                report.pairs(rounds, &what, &|| importer.all(count, open, |pointer| raw.close_legacy(pointer)), &ours);
            }
            _ => {
                let open = |parcel: &Parcel| raw.map_descriptor(parcel.descriptors[0].as_fd(), SIZE);
                report.pairs(rounds, &what, &|| importer.all(count, open, |mapped| raw.unmap(mapped)), &ours);
            }
        }
    }
}

impl Importer<'_> {
    /// Opens all of the exporter's buffers, then closes them, and returns the mean time of each.
    fn all<H>(&self, count: usize, open: impl Fn(&Parcel) -> H, close: impl Fn(H)) -> [Duration; 2] {
        let (mut opened, mut opens) = (Vec::with_capacity(count), Duration::ZERO);
        for index in 0..count {
            // A descriptor is closed as soon as it is imported: a process may not have so many.
            let parcel = self.exporter.share(index);
            let (handle, taken) = time(|| open(&parcel));
            opened.push(handle);
            opens += taken;
        }
        let ((), closes) = time(|| opened.into_iter().for_each(close));
        [opens, closes].map(|time| time / count as u32)
    }
}
