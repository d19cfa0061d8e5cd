//! The other process, which exports what the importer asks for.

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::transport::Connection;
use cuda_ipc::vmm::HandleTypes;
use cuda_ipc::{Context, DeviceBuffer, Driver, Parcel, SharedBuffer, Stream};

use crate::{context, hops};

/// How memory is shared.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Legacy,
    Descriptor,
    Pool,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Descriptor => "descriptor",
            Self::Pool => "pool",
        }
    }
}

/// The exporter, as the importer sees it.
pub(crate) struct Exporter<'a>(pub(crate) &'a Connection);

impl<'a> Exporter<'a> {
    /// The exporter uses this device from now on.
    pub(crate) fn on(connection: &'a Connection, device: usize) -> Self {
        let exporter = Self(connection);
        exporter.ask(&format!("device {device}"));
        exporter
    }

    pub(crate) fn ask(&self, request: &str) {
        self.0.send(request.as_bytes(), &[]).expect("the exporter lives");
    }

    /// The exporter allocates so many buffers, and frees those that it had.
    pub(crate) fn hold(&self, kind: Kind, count: usize, size: usize) {
        self.ask(&format!("hold {} {count} {size}", kind.name()));
    }

    /// Shares one of the buffers.
    pub(crate) fn share(&self, index: usize) -> Parcel {
        self.ask(&format!("share {index}"));
        Parcel::receive(self.0).expect("the exporter shares the memory")
    }

    /// Shares an event, which the exporter keeps.
    pub(crate) fn event(&self) -> Parcel {
        self.ask("event");
        Parcel::receive(self.0).expect("the exporter shares the event")
    }
}

/// A buffer that the exporter holds.
enum Held {
    Legacy(DeviceBuffer),
    Descriptor(SharedBuffer),
    Pool(PoolBuffer),
}

impl Held {
    fn new(context: &Context, pool: &Pool, kind: &str, size: usize) -> Self {
        match kind {
            "legacy" => Self::Legacy(DeviceBuffer::new(context, size).unwrap()),
            "descriptor" => Self::Descriptor(SharedBuffer::new(context, size).unwrap()),
            "pool" => Self::Pool(PoolBuffer::new(pool, size, &Stream::default_of(context)).unwrap()),
            other => panic!("no kind of memory is called {other}"),
        }
    }

    fn share(&self) -> Parcel {
        match self {
            Self::Legacy(buffer) => buffer.share(..),
            Self::Descriptor(buffer) => buffer.share(),
            Self::Pool(buffer) => buffer.share(..),
        }
        .unwrap()
    }
}

/// Does what the importer asks for until it hangs up.
pub(crate) fn serve(driver: Driver, importer: &Connection) {
    let (mut current, mut pool, mut held, mut event) = (None, None, Vec::new(), None);
    while let Ok(request) = importer.receive() {
        let request = String::from_utf8(request.bytes).expect("the importer sends text");
        let words: Vec<_> = request.split(' ').collect();
        if let ["device", device] = words[..] {
            let context = context(driver, number(device));
            pool = Some(Pool::new(context.device(), HandleTypes::POSIX_FILE_DESCRIPTOR, None).unwrap());
            (current, event) = (Some(context), None);
            held.clear();
            continue;
        }
        let (context, pool) = (current.as_ref().expect("a device"), pool.as_ref().expect("a device"));
        match words[..] {
            ["hold", kind, count, size] => {
                held.clear();
                held.extend((0..number(count)).map(|_| Held::new(context, pool, kind, number(size))));
            }
            ["share", index] => held[number(index)].share().send(importer).unwrap(),
            ["event"] => {
                let event = event.get_or_insert_with(|| InterprocessEvent::new(context).unwrap());
                event.share().unwrap().send(importer).unwrap();
            }
            ["hops"] => context.within(|| hops::answer(context, importer)).expect("the context can be made current"),
            _ => panic!("no request is called {request}"),
        }
    }
}

fn number(text: &str) -> usize {
    text.parse().expect("the importer sends numbers")
}
