//! Streams of one process and of two are ordered in safe code.
#![forbid(unsafe_code)]

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::stream::{self, WaitValue};
use cuda_ipc::{Parcel, SharedBuffer, Stream};

use crate::common::context;
use crate::peer::{Peer, roles, say};
use crate::{Gate, alone, buffer, words};

#[test]
fn an_event_orders_two_streams() {
    let _alone = alone();
    let context = context();
    let (first, second) = (Stream::non_blocking(&context).unwrap(), Stream::non_blocking(&context).unwrap());
    let event = InterprocessEvent::new(&context).unwrap();
    let (gate, from, to) = (Gate::closed(&context), buffer([1; 4]), buffer([0; 4]));
    stream::scope(|scope| {
        let _opens = gate.opens_on_failure();
        let (first, second) = (scope.on(&first), scope.on(&second));
        first.wait_value(gate.number(), WaitValue::Equal, 1)?;
        first.fill(from.slice(..)?, 2_u32)?;
        first.record(&event)?;
        second.wait(&event)?;
        second.copy(to.slice::<u32>(..)?, from.slice(..)?)?;
        assert!(!second.stream().query()?, "the second stream waits for the first");
        gate.open();
        Ok(())
    })
    .unwrap();
    assert_eq!(words(&to), [2; 4]);
}

#[test]
fn numbers_order_two_streams() {
    let _alone = alone();
    let context = context();
    let (first, second) = (Stream::non_blocking(&context).unwrap(), Stream::non_blocking(&context).unwrap());
    let (gate, from, to, number) = (Gate::closed(&context), buffer([1; 4]), buffer([0; 4]), buffer([0; 2]));
    stream::scope(|scope| {
        let _opens = gate.opens_on_failure();
        let (first, second) = (scope.on(&first), scope.on(&second));
        let number = number.slice::<u64>(..)?;
        second.wait_value(number, WaitValue::GreaterOrEqual, 1 << 40)?;
        second.copy(to.slice::<u32>(..)?, from.slice(..)?)?;
        first.wait_value(gate.number(), WaitValue::Equal, 1)?;
        first.fill(from.slice(..)?, 2_u32)?;
        first.write_value(number, (1 << 40) + 1)?;
        assert!(!second.stream().query()?, "the second stream waits for the first");
        gate.open();
        Ok(())
    })
    .unwrap();
    assert_eq!(words(&to), [2; 4]);
}

// Places of values in the shared memory, as words: each number has its own cache line.
const PING: usize = 0;
const PONG: usize = 32;
const WORD: usize = 64;
const ROUNDS: u32 = 20;

#[test]
fn numbers_order_two_processes() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let memory = SharedBuffer::new(&context, 4096).unwrap();
    memory.fill(0).unwrap();
    let mut importer = Peer::start(module_path!(), "role_answers");
    memory.share().unwrap().send(&importer.connection).unwrap();
    assert_eq!(importer.process.hear(), "enqueued");
    let sent: Vec<u32> = (0..ROUNDS).map(|round| round * round).collect();
    let mut answers = vec![0; ROUNDS as usize];
    let numbers = memory.slice::<u32>(..).unwrap();
    stream
        .scope(|stream| {
            for ((round, word), answer) in (1..).zip(&sent).zip(&mut answers) {
                stream.write(numbers.value(WORD)?, std::slice::from_ref(word))?;
                stream.write_value(numbers.value(PING)?, round)?;
                stream.wait_value(numbers.value(PONG)?, WaitValue::GreaterOrEqual, round)?;
                stream.read(numbers.value(WORD + 1)?, std::slice::from_mut(answer))?;
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(answers, sent);
    importer.finish();
}

roles! {
    fn role_answers(connection) {
        let context = context();
        let stream = Stream::non_blocking(&context).unwrap();
        let memory = Parcel::receive(&connection).unwrap().map(&context).unwrap();
        let numbers = memory.slice::<u32>(..).unwrap();
        stream
            .scope(|stream| {
                for round in 1..=ROUNDS {
                    stream.wait_value(numbers.value(PING)?, WaitValue::GreaterOrEqual, round)?;
                    stream.copy(numbers.value(WORD + 1)?, numbers.value(WORD)?)?;
                    stream.write_value(numbers.value(PONG)?, round)?;
                }
                say("enqueued");
                Ok(())
            })
            .unwrap();
    }
}
