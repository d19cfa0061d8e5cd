//! Imports are dropped in any order.

use std::any::Any;
use std::sync::Mutex;

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::{Context, DeviceBuffer, DropError, Parcel, Stream, set_drop_hook};

use crate::common::{context, device};
use crate::peer::{Peer, roles};
use crate::{SIZE, contents};

#[test]
fn imports_are_dropped_in_every_order_and_twice_opened() {
    let context = context();
    let buffer = DeviceBuffer::new(&context, SIZE).unwrap();
    let event = InterprocessEvent::new(&context).unwrap();
    buffer.fill(9).unwrap();
    let importer = Peer::start(module_path!(), "role_drops_in_every_order");
    buffer.share(..).unwrap().send(&importer.connection).unwrap();
    event.share().unwrap().send(&importer.connection).unwrap();
    importer.finish();
    // The drops in the importer did not affect the exporter's values.
    event.record(&Stream::default_of(&context)).unwrap();
    event.synchronize().unwrap();
    assert!(contents(&buffer).iter().all(|byte| *byte == 9));
}

roles! {
    fn role_drops_in_every_order(connection) {
        static MET: Mutex<Vec<DropError>> = Mutex::new(Vec::new());
        set_drop_hook(|error| MET.lock().unwrap().push(error));
        let (memory, event) = (Parcel::receive(&connection).unwrap(), Parcel::receive(&connection).unwrap());
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 0, 1, 3], [1, 3, 0, 2], [2, 3, 1, 0]] {
            let context = Context::primary(device()).unwrap();
            // SAFETY: the parcels came from a process that keeps the memory and the event as long as this one runs.
            let open = || unsafe { memory.open(&context) }.unwrap();
            let (one, other) = (open(), open());
            assert_eq!(one.pointer(), other.pointer());
            // SAFETY: as above.
            let event = unsafe { event.open_event(&context) }.unwrap();
            event.synchronize().unwrap();
            drop(one);
            assert!(contents(&other).iter().all(|byte| *byte == 9));
            let one = open();
            let mut values: [Option<Box<dyn Any>>; 4] =
                [Some(Box::new(context)), Some(Box::new(one)), Some(Box::new(other)), Some(Box::new(event))];
            for place in order {
                values[place] = None;
            }
            let errors = std::mem::take(&mut *MET.lock().unwrap());
            assert!(errors.is_empty(), "{order:?}: {errors:?}");
        }
    }
}
