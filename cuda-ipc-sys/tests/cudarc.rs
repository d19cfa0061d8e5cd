//! The table beside cudarc, unmodified, in one process: both load the library of the driver's usual name, here the
//! reference driver, and a context, a buffer and a stream of one are those of the other.
//!
//! cudarc has no variable that names a driver. So each test starts itself again, where the loader finds the reference
//! driver by that name.

use std::env;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::ptr;
use std::sync::Arc;

use cuda_ipc_sys::{
    CUcontext, CUdevice, CUdeviceptr, CUresult, CUstream, CUstream_flags, DRIVER_VARIABLE, Driver, MissingSymbol,
};
use cudarc::driver::{CudaContext, DevicePtr as _, DevicePtrMut as _};

/// Runs the body of a test in a process whose `libcuda.so.1` is the reference driver.
fn beside_cudarc(test: &str, body: impl FnOnce(&Driver, Arc<CudaContext>)) {
    const STARTED: &str = "CUDA_IPC_TEST_STARTED";
    if env::var_os(STARTED).is_some() {
        let theirs = CudaContext::new(0).expect("the reference driver has a device");
        return body(Driver::get().expect("cudarc has loaded the driver"), theirs);
    }
    let program = env::current_exe().expect("a test executable has a path");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["libcuda.so", "libcuda.so.1"] {
        let library = program.with_file_name("libreference_driver.so");
        symlink(library, folder.path().join(name)).expect("the folder can be written");
    }
    let mut again = Command::new(program);
    again.args(["--exact", test]).env_remove(DRIVER_VARIABLE);
    let output = again.env(STARTED, "1").env("LD_LIBRARY_PATH", folder.path()).output().expect("this executable runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// Checks the result of a call.
fn done(result: Result<CUresult, MissingSymbol>) {
    assert_eq!(result.expect("the reference driver has every function"), CUresult::CUDA_SUCCESS);
}

#[test]
fn a_context_is_shared() {
    beside_cudarc("a_context_is_shared", |driver, theirs| {
        let (mut current, mut primary): (CUcontext, CUcontext) = (ptr::null_mut(), ptr::null_mut());
        let mut device: CUdevice = -1;
        // SAFETY: the outputs are valid for writing, and cudarc has made its context current.
        unsafe {
            done(driver.cuCtxGetCurrent(&mut current));
            done(driver.cuCtxGetDevice(&mut device));
            done(driver.cuDevicePrimaryCtxRetain(&mut primary, device));
        }
        assert_eq!((current, primary, device), (theirs.cu_ctx().cast(), theirs.cu_ctx().cast(), 0));
        // SAFETY: the context was retained above; cudarc keeps its own reference.
        done(unsafe { driver.cuDevicePrimaryCtxRelease(device) });
        theirs.synchronize().expect("the context lives on");
    });
}

#[test]
fn a_buffer_of_cudarc_is_read_and_written() {
    beside_cudarc("a_buffer_of_cudarc_is_read_and_written", |driver, theirs| {
        let stream = theirs.default_stream();
        let mut slice = stream.clone_htod(&[1_u32, 2, 3]).expect("the memory is there");
        let mut read = [0_u32; 3];
        {
            let (pointer, _order) = slice.device_ptr(&stream);
            // SAFETY: both sides have 12 bytes.
            done(unsafe { driver.cuMemcpyDtoH(read.as_mut_ptr().cast(), pointer, 12) });
        }
        {
            let (pointer, _order) = slice.device_ptr_mut(&stream);
            // SAFETY: as above.
            done(unsafe { driver.cuMemcpyHtoD(pointer + 4, (&raw const read[2]).cast(), 4) });
        }
        assert_eq!((read, stream.clone_dtoh(&slice).expect("a copy")), ([1, 2, 3], vec![1, 3, 3]));
    });
}

#[test]
fn a_buffer_of_the_table_becomes_a_slice_of_cudarc() {
    beside_cudarc("a_buffer_of_the_table_becomes_a_slice_of_cudarc", |driver, theirs| {
        let mut pointer: CUdeviceptr = 0;
        // SAFETY: the output is valid for writing, and the memory has 4 words.
        unsafe {
            done(driver.cuMemAlloc(&mut pointer, 16));
            done(driver.cuMemsetD32(pointer, 7, 4));
        }
        let stream = theirs.default_stream();
        // SAFETY: the memory has 4 words, and nothing else frees it: `leak` below takes it back.
        let mut slice = unsafe { stream.upgrade_device_ptr::<u32>(pointer, 4) };
        assert_eq!(stream.clone_dtoh(&slice).expect("a copy"), [7; 4]);
        stream.memcpy_htod(&[9], &mut slice.slice_mut(3..)).expect("a copy");
        stream.synchronize().expect("the copy ends");
        assert_eq!(slice.leak(), pointer);
        let mut last = 0_u32;
        // SAFETY: the memory is still there, and `last` is valid for writing.
        unsafe {
            done(driver.cuMemcpyDtoH((&raw mut last).cast(), pointer + 12, 4));
            done(driver.cuMemFree(pointer));
        }
        assert_eq!(last, 9);
    });
}

#[test]
fn a_stream_of_each_works_for_the_other() {
    beside_cudarc("a_stream_of_each_works_for_the_other", |driver, theirs| {
        let mut ours: CUstream = ptr::null_mut();
        // SAFETY: the output is valid for writing.
        done(unsafe { driver.cuStreamCreate(&mut ours, CUstream_flags::CU_STREAM_NON_BLOCKING.0) });
        // SAFETY: the stream outlives what cudarc makes of it.
        let wrapped = unsafe { theirs.wrap_borrowed_stream(ours.cast()) };
        let slice = wrapped.clone_htod(&[5_u8; 100]).expect("the stream works");
        let stream = theirs.new_stream().expect("another stream");
        stream.join(&wrapped).expect("the copy comes first");
        {
            let (pointer, _order) = slice.device_ptr(&stream);
            // SAFETY: the memory has 100 bytes, and the stream belongs to the current context.
            unsafe {
                done(driver.cuMemsetD8Async(pointer, 6, 50, stream.cu_stream().cast()));
                done(driver.cuStreamSynchronize(stream.cu_stream().cast()));
            }
        }
        let read = stream.clone_dtoh(&slice).expect("a copy");
        assert_eq!((&read[..50], &read[50..]), (&[6; 50][..], &[5; 50][..]));
        drop((slice, wrapped));
        // SAFETY: nobody uses the stream.
        done(unsafe { driver.cuStreamDestroy(ours) });
    });
}
