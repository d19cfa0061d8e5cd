//! Kernels that run until they are waited for.

use std::ptr;

use cuda_ipc::module::{Function, LaunchShape, Module};
use cuda_ipc::peer::PeerAccess;
use cuda_ipc::{Context, DeviceBuffer, Error, Stream};

use crate::{alone, driver};

fn kernel(context: &Context) -> Function {
    // SAFETY: the text is a kernel of this workspace.
    let module = unsafe { Module::from_ptx(context, kernels::FILL.ptx) }.unwrap();
    module.function(kernels::FILL.entry).unwrap()
}

/// Launches a kernel, which writes to the buffer.
fn launch(function: &Function, stream: &Stream, buffer: &DeviceBuffer) {
    let (mut words, mut count, mut seed) = (buffer.pointer(), 1_u64, 1_u32);
    let mut parameters =
        [ptr::from_mut(&mut words).cast(), ptr::from_mut(&mut count).cast(), ptr::from_mut(&mut seed).cast()];
    // SAFETY: the kernel takes these three, and each caller keeps the buffer until its context is synchronised.
    unsafe { function.launch(LaunchShape::linear(1, 1), stream, &mut parameters) }.unwrap();
}

fn contexts() -> [Context; 2] {
    [0, 1].map(|ordinal| Context::new(driver().device(ordinal).unwrap()).unwrap())
}

#[test]
fn a_module_stays_loaded_until_its_kernels_are_done() {
    let _alone = alone();
    let [context, _] = contexts();
    let (stream, buffer) = (Stream::non_blocking(&context).unwrap(), DeviceBuffer::new(&context, 4).unwrap());
    let function = kernel(&context);
    launch(&function, &stream, &buffer);
    let module = function.module().clone();
    drop(function);
    module.unload().unwrap();
    // The kernel is done: the stream needs no wait.
    let mut word = [0_u32];
    buffer.read(0, &mut word).unwrap();
    assert_eq!(word, [kernels::pattern(1, 0)]);
}

#[test]
fn peer_access_lasts_until_the_work_of_both_contexts_is_done() -> Result<(), Error> {
    let _alone = alone();
    let [one, other] = contexts();
    for busy in [&one, &other] {
        let (stream, buffer) = (Stream::non_blocking(busy)?, DeviceBuffer::new(busy, 4)?);
        let access = PeerAccess::enable(&one, &other)?;
        let function = kernel(busy);
        launch(&function, &stream, &buffer);
        access.disable()?;
        busy.synchronize()?;
    }
    Ok(())
}
