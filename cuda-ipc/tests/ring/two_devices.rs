//! Rings from one device to another. These tests need two GPUs with peer access.

use cuda_ipc::module::LaunchShape;
use cuda_ipc::ring::{Options, Placement};
use cuda_ipc::{Context, DeviceBuffer, Stream};
use rstest::rstest;

use crate::common::{context, driver};
use crate::kernel;
use crate::peer::{LONG, Peer, roles};
use crate::{Order, SLOT, WORDS, receive, seed, send};

const SHAPE: LaunchShape = LaunchShape::linear(2, 32);
const MESSAGES: u64 = 40;

/// Each side uses kernels of its own device, which read and write the memory of the other, and copies.
#[rstest]
fn messages_cross_devices(
    #[values(Placement::Consumer, Placement::Producer)] placement: Placement,
    #[values(Order::Values, Order::Events)] order: Order,
) {
    let producer = Peer::start(module_path!(), "role_produces_on_the_other_device");
    order.send(&producer.connection);
    let options = Options::new(SLOT).slots(3).placement(placement).numbered();
    let context = context();
    let ring = order.create(&producer.connection, &context, options);
    let (verify, stream) = (kernel::verify(&context), Stream::non_blocking(&context).unwrap());
    let (own, mismatches) = (DeviceBuffer::new(&context, SLOT).unwrap(), DeviceBuffer::new(&context, 8).unwrap());
    mismatches.fill(0).unwrap();
    stream
        .scope(|stream| {
            while let Some(message) = ring.next(LONG)? {
                let (message, counter) = (message.in_stream(stream), mismatches.slice(..)?);
                assert_eq!(message.len(), SLOT);
                let words = own.slice(..WORDS)?;
                stream.copy(words, message.slice(..)?)?;
                for words in [words, message.slice(..)?] {
                    stream.launch(&verify, SHAPE, (words, seed(message.sequence()), counter))?;
                }
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(ring.next_sequence(), MESSAGES);
    assert_eq!(*mismatches.snapshot::<u64>(..).unwrap(), [0], "words that differ");
    drop(ring);
    send(&producer.connection, 0);
    producer.finish();
}

roles! {
    fn role_produces_on_the_other_device(connection) {
        let order = Order::receive(&connection);
        let context = Context::primary(driver().device(1).expect("a second device")).unwrap();
        let ring = order.open(&connection, &context);
        let (fill, stream) = (kernel::fill(&context), Stream::non_blocking(&context).unwrap());
        let own = DeviceBuffer::new(&context, SLOT).unwrap();
        stream.scope(|stream| {
            for sequence in 0..MESSAGES {
                let slot = ring.reserve(LONG)?.in_stream(stream);
                let words = if sequence % 2 == 0 { slot.slice(..)? } else { own.slice(..)? };
                stream.launch(&fill, SHAPE, (words, seed(sequence)))?;
                if sequence % 2 == 1 {
                    stream.copy(slot.slice(..)?, words)?;
                }
                slot.commit(SLOT, 0)?;
            }
            Ok(())
        }).unwrap();
        ring.close().unwrap();
        receive(&connection);
    }
}
