//! What it takes to open memory and events that are not open, and to close them again.

use std::os::fd::AsFd as _;

use cuda_ipc::pool::{ImportedPool, PoolPointerData};
use cuda_ipc::ticket::Handle;
use cuda_ipc::vmm::Access;
use cuda_ipc::{ImportedMemory, Parcel};

use crate::Importer;
use crate::exporter::Kind;
use crate::report::{Report, Way};

pub(crate) fn memory(importer: &Importer<'_>, size: usize, report: &mut Report) {
    let Importer { context, raw, exporter } = importer;
    let of_size = |what: &str| format!("{what}, {} MiB", size >> 20);

    exporter.hold(Kind::Legacy, 1, size);
    let parcel = exporter.share(0);
    let ours = Way { open: &|| importer.open(&parcel), close: &close };
    let Handle::LegacyMemory(handle) = &parcel.ticket.handle else { panic!("the exporter shares legacy memory") };
    let of_raw = Way { open: &|| raw.open_legacy(handle), close: &|pointer| raw.close_legacy(pointer) };
    report.opens(&of_size("legacy"), &of_raw, &ours);

    exporter.hold(Kind::Descriptor, 1, size);
    let parcel = exporter.share(0);
    let ours = Way { open: &|| parcel.map(context).unwrap(), close: &close };
    let descriptor = parcel.descriptors[0].as_fd();
    let of_raw = Way { open: &|| raw.map_descriptor(descriptor, size), close: &|mapped| raw.unmap(mapped) };
    report.opens(&of_size("descriptor"), &of_raw, &ours);

    exporter.hold(Kind::Pool, 1, size);
    let parcel = exporter.share(0);
    let ours = Way { open: &|| importer.open(&parcel), close: &close };
    let (pointer, descriptor) = (pointer(&parcel), parcel.descriptors[0].as_fd());
    let open = || {
        let pool = raw.import_pool(descriptor);
        (pool, raw.open_pool_pointer(pool, pointer))
    };
    let of_raw = Way {
        open: &open,
        close: &|(pool, address)| {
            raw.close_pool_pointer(address);
            raw.close_pool(pool);
        },
    };
    report.opens(&of_size("pool and pointer"), &of_raw, &ours);

    let imported = ImportedPool::import(context.device(), descriptor).unwrap();
    if raw.is_remote {
        imported.set_access(context.device(), Access::ReadWrite).unwrap();
    }
    // SAFETY: the exporter keeps the memory, and the raw calls have closed it before this crate opens it.
    let open = || unsafe { imported.open(context, pointer) }.unwrap();
    let ours = Way { open: &open, close: &|buffer| buffer.close().unwrap() };
    let pool = raw.import_pool(descriptor);
    let of_raw =
        Way { open: &|| raw.open_pool_pointer(pool, pointer), close: &|address| raw.close_pool_pointer(address) };
    report.opens(&of_size("pool pointer"), &of_raw, &ours);
    raw.close_pool(pool);
}

pub(crate) fn event(importer: &Importer<'_>, report: &mut Report) {
    let Importer { context, raw, exporter } = importer;
    let parcel = exporter.event();
    let Handle::Event(handle) = &parcel.ticket.handle else { panic!("the exporter shares an event") };
    // SAFETY: the exporter keeps the event.
    let open = || unsafe { parcel.open_event(context) }.unwrap();
    let ours = Way { open: &open, close: &|event| event.close().unwrap() };
    let of_raw = Way { open: &|| raw.open_event(handle), close: &|event| raw.destroy_event(event) };
    report.opens("event", &of_raw, &ours);
}

impl Importer<'_> {
    pub(crate) fn open(&self, parcel: &Parcel) -> ImportedMemory {
        // SAFETY: the exporter keeps the memory until it is asked for other memory. If it is memory of a pool, the raw
        // calls have closed it.
        unsafe { parcel.open(self.context) }.unwrap()
    }
}

pub(crate) fn close(memory: ImportedMemory) {
    memory.close().unwrap();
}

fn pointer(parcel: &Parcel) -> &PoolPointerData {
    let Handle::PoolPointer(pointer) = &parcel.ticket.handle else { panic!("the exporter shares memory of a pool") };
    &pointer.pointer
}
