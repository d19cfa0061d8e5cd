//! Streams of two processes wait for each other through values in shared memory.

use cuda_ipc::stream::WaitValue;
use cuda_ipc::{DeviceBuffer, Parcel, Stream};

use crate::common::context;
use crate::peer::{Peer, roles, say};
use crate::{SIZE, alone};

// Offsets in the shared memory: each value has its own cache line.
const PING: usize = 0;
const PONG: usize = 128;
const WORD: usize = 256;
const ROUNDS: u32 = 20;

#[test]
fn numbers_order_the_work_of_two_processes() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let buffer = DeviceBuffer::new(&context, SIZE).unwrap();
    buffer.fill(0).unwrap();
    let mut importer = Peer::start(module_path!(), "role_answers");
    buffer.share(..4096).unwrap().send(&importer.connection).unwrap();
    assert_eq!(importer.process.hear(), "enqueued");
    let words: Vec<u32> = (0..ROUNDS).collect();
    let mut answers = vec![0_u32; ROUNDS as usize];
    for (word, answer) in words.iter().zip(&mut answers) {
        // SAFETY: the buffer, the words and the answers live until the stream is done.
        unsafe {
            buffer.write_async(WORD, std::slice::from_ref(word), &stream).unwrap();
            stream.write_value32(&buffer, PING, word + 1).unwrap();
            stream.wait_value32(&buffer, PONG, WaitValue::GreaterOrEqual, word + 1).unwrap();
            buffer.read_async(WORD + 4, std::slice::from_mut(answer), &stream).unwrap();
        }
    }
    stream.synchronize().unwrap();
    assert_eq!(answers, words);
    importer.finish();
}

roles! {
    fn role_answers(connection) {
        let context = context();
        let stream = Stream::non_blocking(&context).unwrap();
        // SAFETY: the parcel came from a process that keeps the memory as long as this one runs.
        let shared = unsafe { Parcel::receive(&connection).unwrap().open(&context) }.unwrap();
        assert_eq!(shared.size(), 4096);
        for round in 1..=ROUNDS {
            // SAFETY: the memory stays open until the stream is done.
            unsafe {
                stream.wait_value32(&shared, PING, WaitValue::GreaterOrEqual, round).unwrap();
                shared.copy_from_async(WORD + 4, &shared, WORD, 4, &stream).unwrap();
                stream.write_value32(&shared, PONG, round).unwrap();
            }
        }
        say("enqueued");
        stream.synchronize().unwrap();
    }
}
