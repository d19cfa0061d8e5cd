use cuda_ipc::host::PinnedBuffer;
use cuda_ipc::{DeviceBuffer, Error, Stream};

fn read(stream: &Stream, memory: &DeviceBuffer, mut to: PinnedBuffer<u32>) -> Result<(), Error> {
    stream.scope(|stream| {
        stream.read(memory.slice(..1)?, &mut to)?;
        to.free()
    })
}

fn main() {}
