//! Loading and launching kernels.

use std::ptr;

use cuda_ipc::module::{LaunchShape, Module};
use cuda_ipc::sys::CUresult;
use cuda_ipc::{DeviceBuffer, Stream};

use crate::common::context;

const COUNT: u64 = 10_000;

#[test]
fn a_kernel_fills_memory() {
    let context = context();
    let stream = Stream::new(&context).unwrap();
    let buffer = DeviceBuffer::new(&context, COUNT as usize * 4).unwrap();
    // SAFETY: the text is a kernel of this workspace.
    let module = unsafe { Module::from_ptx(&context, kernels::FILL.ptx) }.unwrap();
    let function = module.function(kernels::FILL.entry).unwrap();
    // The function keeps its module loaded.
    module.unload().unwrap();
    let (mut words, mut count, mut seed) = (buffer.pointer(), COUNT, 3_u32);
    let mut parameters =
        [ptr::from_mut(&mut words).cast(), ptr::from_mut(&mut count).cast(), ptr::from_mut(&mut seed).cast()];
    // SAFETY: the kernel takes these three, and the buffer of `COUNT` words lives until the stream is done.
    unsafe { function.launch(LaunchShape::linear(4, 64), &stream, &mut parameters) }.unwrap();
    stream.synchronize().unwrap();
    let mut filled = vec![0_u32; COUNT as usize];
    buffer.read(0, &mut filled).unwrap();
    assert!(filled.iter().enumerate().all(|(index, word)| *word == kernels::pattern(seed, index as u64)));
}

#[test]
fn what_is_no_kernel_is_refused() {
    let context = context();
    // SAFETY: the driver does not accept this text as code.
    let error = unsafe { Module::from_ptx(&context, c"this isn't PTX") }.unwrap_err();
    assert!(error.to_string().starts_with("cuModuleLoadData(14 bytes of PTX): CUDA_ERROR_"), "{error}");
    // SAFETY: the text is a kernel of this workspace.
    let module = unsafe { Module::from_ptx(&context, kernels::FILL.ptx) }.unwrap();
    let error = module.function(c"fills").unwrap_err();
    assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_NOT_FOUND), "{error}");
    let function = module.function(kernels::FILL.entry).unwrap();
    let stream = Stream::new(&context).unwrap();
    // SAFETY: the driver refuses a block of 0 threads, so it reads no parameter.
    let error = unsafe { function.launch(LaunchShape::linear(1, 0), &stream, &mut [ptr::null_mut(); 3]) }.unwrap_err();
    assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE), "{error}");
}
