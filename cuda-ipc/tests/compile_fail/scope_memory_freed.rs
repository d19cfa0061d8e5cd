//! Work uses device memory until the scope ends, so the memory can be neither freed nor dropped in the scope.

use cuda_ipc::{Context, DeviceBuffer, Stream};

fn main() {}

fn free(buffer: DeviceBuffer, stream: &Stream) {
    let _ = stream.scope(|stream| {
        stream.fill(buffer.slice(..)?, 1_u8)?;
        buffer.free()
    });
}

fn drop_at_the_end(context: &Context, stream: &Stream) {
    let _ = stream.scope(|stream| {
        let buffer = DeviceBuffer::new(context, 4)?;
        stream.fill(buffer.slice(..)?, 1_u8)
    });
}
