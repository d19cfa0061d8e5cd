//! Streams of one process wait for values in memory.

use cuda_ipc::stream::WaitValue;
use cuda_ipc::{DeviceBuffer, Stream};
use rstest::rstest;

use crate::alone;
use crate::common::context;

#[rstest]
#[case::greater_or_equal(WaitValue::GreaterOrEqual, 5, 4, 5)]
#[case::wrapped(WaitValue::GreaterOrEqual, u32::MAX, u32::MAX - 1, 0)]
#[case::equal(WaitValue::Equal, 5, 6, 5)]
#[case::and(WaitValue::And, 0b0110, 0b1001, 0b1100)]
#[case::nor(WaitValue::Nor, u32::MAX - 1, 1, u32::MAX - 1)]
fn a_stream_waits_for_a_number(#[case] wait: WaitValue, #[case] value: u32, #[case] not_yet: u32, #[case] now: u32) {
    let _alone = alone();
    let context = context();
    let (waiting, writing) = (Stream::non_blocking(&context).unwrap(), Stream::non_blocking(&context).unwrap());
    let numbers = DeviceBuffer::new(&context, 64).unwrap();
    numbers.write(4, &[not_yet]).unwrap();
    // SAFETY: the buffer lives until both streams are done, below.
    unsafe {
        waiting.wait_value32(&numbers, 4, wait, value).unwrap();
        waiting.write_value32(&numbers, 8, 77).unwrap();
    }
    let is_waiting = !waiting.query().unwrap();
    // SAFETY: as above.
    unsafe { writing.write_value32(&numbers, 4, now).unwrap() };
    waiting.synchronize().unwrap();
    let mut read = [0_u32; 2];
    numbers.read(4, &mut read).unwrap();
    assert_eq!((is_waiting, read), (true, [now, 77]));
}

#[test]
fn numbers_of_64_bits_are_written_and_awaited() {
    let _alone = alone();
    let context = context();
    let (waiting, writing) = (Stream::non_blocking(&context).unwrap(), Stream::non_blocking(&context).unwrap());
    let numbers = DeviceBuffer::new(&context, 16).unwrap();
    numbers.fill(0).unwrap();
    // SAFETY: the buffer lives until both streams are done, below.
    unsafe {
        waiting.wait_value64(&numbers, 8, WaitValue::Equal, u64::MAX).unwrap();
        assert!(!waiting.query().unwrap());
        writing.write_value64(&numbers, 8, u64::MAX).unwrap();
    }
    waiting.synchronize().unwrap();
    let mut read = [0_u64; 2];
    numbers.read(0, &mut read).unwrap();
    assert_eq!(read, [0, u64::MAX]);
}
