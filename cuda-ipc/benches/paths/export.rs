//! What it takes to export memory and events for the first time.

use std::time::Duration;

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::vmm::{Allocation, HandleTypes, granularity};
use cuda_ipc::{DeviceBuffer, Parcel, SharedBuffer, Stream};

use crate::Importer;
use crate::report::{Report, time};

const SIZE: usize = 2 << 20;

/// Measures the exports of this process. The exporter's are the same.
pub(crate) fn measure(importer: &Importer<'_>, report: &mut Report) {
    let Importer { context, raw, .. } = importer;
    let buffer = || DeviceBuffer::new(context, SIZE).unwrap();
    let get = || of(buffer(), |buffer| raw.export_legacy(buffer.pointer()));
    report.step("export legacy", &get, &|| of(buffer(), |buffer| buffer.share(..).unwrap()));

    let size = granularity(context.device(), HandleTypes::POSIX_FILE_DESCRIPTOR).unwrap();
    let allocation = || Allocation::new(context.device(), size, HandleTypes::POSIX_FILE_DESCRIPTOR).unwrap();
    let shared = || SharedBuffer::new(context, SIZE).unwrap();
    let get = || of(allocation(), |allocation| raw.export_descriptor(allocation.raw()));
    report.step("export descriptor", &get, &|| of(shared(), |buffer| buffer.share().unwrap()));

    let pool = Pool::new(context.device(), HandleTypes::POSIX_FILE_DESCRIPTOR, None).unwrap();
    let stream = Stream::default_of(context);
    // A pointer of a pool that was never exported cannot be imported.
    pool.export().unwrap();
    let buffer = || PoolBuffer::new(&pool, SIZE, &stream).unwrap();
    let get = || of(buffer(), |buffer| raw.export_pool_pointer(buffer.pointer()));
    report.step("export pool pointer", &get, &|| of(buffer(), |buffer| buffer.share_without_pool(..).unwrap()));

    let event = || InterprocessEvent::new(context).unwrap();
    let get = || of(event(), |event| raw.export_event(event.raw()));
    report.step("export event", &get, &|| of(event(), |event| -> Parcel { event.share().unwrap() }));
}

/// Returns how long it takes to export something new, without its making and its end.
fn of<T, H>(what: T, export: impl FnOnce(&T) -> H) -> Duration {
    let (handle, time) = time(|| export(&what));
    drop(handle);
    time
}
