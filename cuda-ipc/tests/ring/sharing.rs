//! The bytes of messages arrive, for each placement and order.

use cuda_ipc::module::LaunchShape;
use cuda_ipc::ring::{Consumer, Options, Placement, Producer};
use cuda_ipc::{DeviceBuffer, Stream, stream};
use rstest::rstest;

use crate::common::context;
use crate::kernel;
use crate::peer::{LONG, Peer, roles};
use crate::{Order, SLOT, WORDS, kind_of, receive, seed, send, words_of};

const SHAPE: LaunchShape = LaunchShape::linear(2, 32);

/// Sends messages in two streams and by the host, in turns.
pub(crate) fn produce(ring: &Producer, messages: u64) {
    let context = context();
    let fill = kernel::fill(&context);
    let streams = [(); 2].map(|()| Stream::non_blocking(&context).unwrap());
    stream::scope(|scope| {
        for _ in 0..messages {
            let slot = ring.reserve(LONG)?;
            let (sequence, length) = (slot.sequence(), words_of(slot.sequence()));
            let bytes = length * size_of::<u32>();
            match sequence % 3 {
                2 => {
                    let stream = Stream::non_blocking(&context)?;
                    stream.scope(|stream| stream.launch(&fill, SHAPE, (slot.slice(..length)?, seed(sequence))))?;
                    slot.commit(bytes, kind_of(sequence))?;
                }
                stream => {
                    let slot = slot.in_stream(scope.on(&streams[stream as usize]));
                    slot.stream().launch(&fill, SHAPE, (slot.slice(..length)?, seed(sequence)))?;
                    slot.commit(bytes, kind_of(sequence))?;
                }
            }
        }
        Ok(())
    })
    .unwrap();
}

/// Receives messages until the ring is closed, in two streams and by the host, in turns. Each message is compared on
/// the device. Returns how many there were.
pub(crate) fn consume(ring: &Consumer) -> u64 {
    let context = context();
    let (verify, mismatches) = (kernel::verify(&context), DeviceBuffer::new(&context, 16).unwrap());
    mismatches.fill(0).unwrap();
    let counters = [0, 1].map(|stream| mismatches.slice::<u64>(stream..=stream).unwrap());
    let streams = [(); 2].map(|()| Stream::non_blocking(&context).unwrap());
    let first = ring.next_sequence();
    stream::scope(|scope| {
        while let Some(message) = ring.next(LONG)? {
            let sequence = message.sequence();
            assert_eq!(sequence + 1, ring.next_sequence());
            assert_eq!((message.len(), message.kind()), (words_of(sequence) * 4, kind_of(sequence)));
            assert_eq!(message.slice::<u32>(..)?.len(), words_of(sequence));
            match sequence % 4 {
                2 => {
                    let mut words = vec![0; words_of(sequence)];
                    message.slice(..)?.read(&mut words)?;
                    let expected = (0..words.len() as u64).map(|index| ::kernels::pattern(seed(sequence), index));
                    assert!(words.iter().copied().eq(expected), "message {sequence}");
                    message.release()?;
                }
                3 => drop(message),
                stream => {
                    let stream = stream as usize;
                    let message = message.in_stream(scope.on(&streams[stream]));
                    let arguments = (message.slice(..)?, seed(sequence), counters[stream]);
                    message.stream().launch(&verify, SHAPE, arguments)?;
                    message.release()?;
                }
            }
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(*mismatches.snapshot::<u64>(..).unwrap(), [0, 0], "words that differ");
    ring.next_sequence() - first
}

#[rstest]
fn messages_arrive_with_their_bytes(
    #[values(Placement::Consumer, Placement::Producer)] placement: Placement,
    #[values(Order::Values, Order::Events)] order: Order,
    #[values(1, 3, 8)] slots: usize,
) {
    let producer = Peer::start(module_path!(), "role_produces");
    order.send(&producer.connection);
    send(&producer.connection, 60);
    let ring = order.create(&producer.connection, &context(), Options::new(SLOT).slots(slots).placement(placement));
    assert_eq!((ring.slots(), ring.slot_size()), (slots, SLOT));
    assert_eq!(consume(&ring), 60);
    ring.close();
    send(&producer.connection, 0);
    producer.finish();
}

/// The sides exchange more events than a socket has room for. They are fewer than the slots that are allowed, because a
/// process has at most 4096 events that others can open, also if several tests run in it.
#[rstest]
fn a_ring_can_have_many_slots(
    #[values(Placement::Consumer, Placement::Producer)] placement: Placement,
    #[values((Order::Values, 4096), (Order::Events, 1000))] (order, slots): (Order, usize),
) {
    let producer = Peer::start(module_path!(), "role_produces");
    order.send(&producer.connection);
    send(&producer.connection, 20);
    let options = Options::new(SLOT).slots(slots).placement(placement);
    let ring = order.create(&producer.connection, &context(), options);
    assert_eq!((ring.slots(), consume(&ring)), (slots, 20));
    ring.close();
    send(&producer.connection, 0);
    producer.finish();
}

/// The numbers in memory have 32 bits, and a slot's number depends on the number of slots.
#[rstest]
fn the_numbers_wrap(#[values(Order::Values, Order::Events)] order: Order, #[values(1, 2, 7)] slots: usize) {
    let producer = Peer::start(module_path!(), "role_produces");
    order.send(&producer.connection);
    send(&producer.connection, 40);
    let options = Options::new(SLOT).slots(slots).first(u64::from(u32::MAX) - 20).numbered();
    let ring = order.create(&producer.connection, &context(), options);
    assert_eq!(consume(&ring), 40);
    assert!(ring.next_sequence() > u64::from(u32::MAX));
    ring.close();
    send(&producer.connection, 0);
    producer.finish();
}

/// A device writes the number beside each slot. `many_messages` compares such numbers with a kernel.
#[rstest]
fn the_numbers_beside_the_slots_are_those_of_the_messages(
    #[values(Placement::Consumer, Placement::Producer)] placement: Placement,
) {
    let producer = Peer::start(module_path!(), "role_produces");
    Order::Values.send(&producer.connection);
    send(&producer.connection, 20);
    let options = Options::new(SLOT).slots(3).placement(placement).numbered();
    let ring = Consumer::create(&producer.connection, &context(), options).unwrap();
    for sequence in 0..20 {
        let message = ring.next(LONG).unwrap().expect("a message");
        let (beside, mut number) = (message.number().unwrap().expect("a numbered ring"), [0]);
        beside.read(&mut number).unwrap();
        assert_eq!(number, [sequence + 1]);
    }
    assert!(ring.next(LONG).unwrap().is_none());
    drop(ring);
    send(&producer.connection, 0);
    producer.finish();
}

/// Either side may end first: the other keeps the memory that it has mapped.
#[rstest]
fn messages_outlive_the_producer(#[values(Placement::Consumer, Placement::Producer)] placement: Placement) {
    let producer = Peer::start(module_path!(), "role_produces");
    Order::Values.send(&producer.connection);
    send(&producer.connection, 4);
    let options = Options::new(SLOT).slots(4).placement(placement);
    let ring = Consumer::create(&producer.connection, &context(), options).unwrap();
    send(&producer.connection, 0);
    producer.finish();
    assert_eq!(consume(&ring), 4);
}

#[test]
fn messages_are_views_of_their_length() {
    let producer = Peer::start(module_path!(), "role_sends_five_bytes");
    let ring = Consumer::create(&producer.connection, &context(), Options::new(SLOT)).unwrap();
    let message = ring.next(LONG).unwrap().expect("a message");
    assert_eq!((message.len(), message.is_empty(), message.memory().size()), (5, false, SLOT));
    assert_eq!(message.slice::<u8>(..).unwrap().len(), 5);
    assert_eq!(message.slice::<u32>(..).unwrap().len(), 1);
    assert!(message.slice::<u8>(..6).is_err() && message.slice::<u32>(1..2).is_err());
    let mut bytes = [0; 3];
    message.slice::<u8>(2..).unwrap().read(&mut bytes).unwrap();
    assert_eq!(bytes, [3, 4, 5]);
    let empty = ring.next(LONG).unwrap().expect("a message");
    assert!(empty.is_empty() && empty.slice::<u32>(..).unwrap().is_empty());
    producer.finish();
}

roles! {
    fn role_produces(connection) {
        let order = Order::receive(&connection);
        let messages = receive(&connection);
        let ring = order.open(&connection, &context());
        produce(&ring, messages);
        ring.close().unwrap();
        // The consumer is done.
        receive(&connection);
    }

    fn role_sends_five_bytes(connection) {
        let ring = Producer::open(&connection, &context()).unwrap();
        let slot = ring.reserve(LONG).unwrap();
        assert_eq!((slot.memory().size(), slot.slice::<u32>(..).unwrap().len()), (SLOT, WORDS));
        slot.slice(..5).unwrap().write(&[1_u8, 2, 3, 4, 5]).unwrap();
        slot.commit(5, 0).unwrap();
        ring.reserve(LONG).unwrap().commit(0, 0).unwrap();
        ring.close().unwrap();
    }
}
