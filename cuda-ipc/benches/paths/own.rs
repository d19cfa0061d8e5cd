//! What has no counterpart in C: tickets, and memory that the cache has open.

use cuda_ipc::Ticket;
use cuda_ipc::cache::Cache;

use crate::Importer;
use crate::exporter::Kind;
use crate::report::Report;

const SIZE: usize = 2 << 20;

pub(crate) fn measure(importer: &Importer<'_>, report: &mut Report) {
    let Importer { context, exporter, .. } = importer;
    exporter.hold(Kind::Legacy, 1, SIZE);
    let parcel = exporter.share(0);
    let bytes = parcel.ticket.to_bytes();
    report.own("write a ticket", &|| drop(parcel.ticket.to_bytes()));
    report.own("read a ticket", &|| drop(Ticket::from_bytes(&bytes).unwrap()));
    let cache = Cache::new(SIZE);
    // SAFETY: the exporter keeps the memory until it is asked for other memory.
    let open = || unsafe { cache.open(context, &parcel) }.unwrap();
    drop(open());
    report.own("open and close, cached", &|| drop(open()));
    cache.trim_to(0);
}
