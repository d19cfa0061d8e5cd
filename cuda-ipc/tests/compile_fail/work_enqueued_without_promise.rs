//! A stream uses memory after the call returns, so the caller must promise that the memory lives on.

fn main() {}

fn enqueue(buffer: &cuda_ipc::DeviceBuffer, stream: &cuda_ipc::Stream, values: &mut [u8]) {
    let _ = buffer.read_async(0, values, stream);
    let _ = stream.write_value32(buffer, 0, 1);
}
