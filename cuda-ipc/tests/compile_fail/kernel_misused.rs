//! The maker of a kernel promises what it does. Then its arguments must have the types of its parameters.

use cuda_ipc::kernel::{Kernel, Write};
use cuda_ipc::module::{Function, LaunchShape};
use cuda_ipc::{DeviceBuffer, DeviceSlice, Stream};

fn main() {}

fn make(function: Function) -> Kernel<(Write<u32>, u32)> {
    Kernel::new(function)
}

fn launch(kernel: &Kernel<(Write<u32>, u32)>, buffer: &DeviceBuffer, stream: &Stream) {
    let shape = LaunchShape::linear(1, 1);
    let _ = stream.scope(|stream| stream.launch(kernel, shape, (buffer.slice::<f32>(..)?, 1)));
    let _ = stream.scope(|stream| stream.launch(kernel, shape, (buffer.slice(..)?, 1, 2)));
    let _ = stream.scope(|stream| stream.launch(kernel, shape, (buffer.pointer(), 1)));
}

fn outlive(buffer: DeviceBuffer) -> DeviceSlice<'static, u8> {
    buffer.slice(..).unwrap()
}
