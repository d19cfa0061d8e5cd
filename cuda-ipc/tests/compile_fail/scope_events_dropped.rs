//! Work uses events, streams and kernels until the scope ends, so they must live longer than the scope.

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::kernel::Kernel;
use cuda_ipc::module::{Function, LaunchShape};
use cuda_ipc::{Context, Stream, stream};

fn main() {}

fn record(context: &Context, stream: &Stream) {
    let _ = stream.scope(|stream| {
        let event = InterprocessEvent::new(context)?;
        stream.record(&event)
    });
}

fn enter(context: &Context) {
    let _ = stream::scope(|scope| {
        let stream = Stream::new(context)?;
        scope.on(&stream);
        Ok(())
    });
}

fn launch(function: Function, stream: &Stream) {
    let _ = stream.scope(|stream| {
        let kernel: Kernel<()> = unsafe { Kernel::new(function) };
        stream.launch(&kernel, LaunchShape::linear(1, 1), ())
    });
}
