//! Streams. `tests/ordering` tests streams that wait.

use cuda_ipc::stream::WaitValue;
use cuda_ipc::{DeviceBuffer, Error, Stream};

use crate::common::context;

#[test]
fn a_number_lies_within_the_memory_and_at_a_multiple_of_its_size() {
    let context = context();
    let stream = Stream::new(&context).unwrap();
    let numbers = DeviceBuffer::new(&context, 16).unwrap();
    // SAFETY: all of these calls are refused, so nothing is enqueued.
    let errors = unsafe {
        [
            stream.write_value32(&numbers, 2, 1).unwrap_err(),
            stream.wait_value32(&numbers, 7, WaitValue::Equal, 0).unwrap_err(),
            stream.write_value64(&numbers, 4, 1).unwrap_err(),
            stream.wait_value64(&numbers, 12, WaitValue::Equal, 0).unwrap_err(),
            stream.write_value32(&numbers, 16, 1).unwrap_err(),
        ]
    };
    let [misaligned_32, misaligned_wait, misaligned_64, outside, beyond] = errors;
    for (error, alignment) in [(misaligned_32, 4), (misaligned_wait, 4), (misaligned_64, 8)] {
        assert!(matches!(error, Error::Misaligned { alignment: found, .. } if found == alignment), "{error}");
        assert!(error.to_string().contains(&format!("multiple of {alignment} bytes")), "{error}");
    }
    assert!(matches!(outside, Error::OutOfBounds { length: 8, .. }) && matches!(beyond, Error::OutOfBounds { .. }));
}

#[test]
fn clones_are_one_stream() {
    let stream = Stream::new(&context()).unwrap();
    let clone = stream.clone();
    assert_eq!(stream.raw(), clone.raw());
    stream.destroy().unwrap();
    clone.synchronize().unwrap();
    clone.destroy().unwrap();
}
