//! Work uses host values until the scope ends, so the values must live longer than the scope.

use cuda_ipc::{DeviceBuffer, Stream, stream};

fn main() {}

fn write(buffer: &DeviceBuffer, stream: &Stream) {
    let _ = stream::scope(|scope| {
        let values = vec![1_u8; 4];
        scope.on(stream).write(buffer.slice(..4)?, &values)
    });
}

fn write_through_one_stream(buffer: &DeviceBuffer, stream: &Stream) {
    let _ = stream.scope(|stream| {
        let values = [1_u8; 4];
        stream.write(buffer.slice(..4)?, &values)
    });
}
