//! Calls that return before the memory is written.

use cuda_ipc::DeviceBuffer;

use crate::{alone, context};

#[test]
fn what_was_written_is_there() {
    let _alone = alone();
    let buffer = DeviceBuffer::new(&context(), 4).unwrap();
    let mut bytes = [0_u8; 4];
    buffer.fill(1).unwrap();
    buffer.read(0, &mut bytes).unwrap();
    assert_eq!(bytes, [1; 4]);
    buffer.write(1, &[2_u8, 3]).unwrap();
    buffer.read(0, &mut bytes).unwrap();
    assert_eq!(bytes, [1, 2, 3, 1]);
}
