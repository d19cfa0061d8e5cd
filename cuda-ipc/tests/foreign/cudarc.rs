//! Contexts, streams and slices of the real crate cudarc, in and out.
//!
//! cudarc loads the driver by its system name. So each test starts itself again where that name leads to the driver under
//! test.

use std::ffi::c_void;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cuda_ipc::foreign::{ForeignError, ForeignMemory};
use cuda_ipc::sys::{CUcontext, CUresult};
use cuda_ipc::{Context, DeviceBuffer, Error, Parcel, SharedBuffer, Stream};
use cudarc::driver::sys as theirs_sys;
use cudarc::driver::{CudaContext, CudaSlice};

use crate::common::{context, device, driver, reference_driver};
use crate::peer::{Peer, roles};

/// Runs the body in a process of its own, in which the library at `system` is `libcuda.so.1` and this crate loads `ours`.
fn beside_cudarc_on(system: &Path, ours: &Path, test: &str, body: fn()) {
    const STARTED: &str = "FOREIGN_CUDARC";
    if std::env::var_os(STARTED).is_some() {
        return body();
    }
    let folder = tempfile::tempdir().unwrap();
    for name in ["libcuda.so", "libcuda.so.1"] {
        symlink(system, folder.path().join(name)).unwrap();
    }
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", &format!("cudarc::{test}"), "--nocapture"]).env(STARTED, "1");
    again.env("CUDA_IPC_DRIVER", ours);
    // A driver that has no path was found by its name, by which cudarc finds it too.
    if system.is_absolute() {
        again.env("LD_LIBRARY_PATH", folder.path());
    }
    let output = again.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{output:?}");
}

fn beside_cudarc(test: &str, body: fn()) {
    beside_cudarc_on(driver().path(), driver().path(), test, body);
}

fn theirs() -> Arc<CudaContext> {
    CudaContext::new(0).unwrap()
}

#[test]
fn a_context_comes_in() {
    beside_cudarc("a_context_comes_in", || {
        driver();
        let theirs = theirs();
        let ours = Context::from_cudarc(&theirs).unwrap();
        assert_eq!((ours.device(), ours == context()), (device(), true));
        let held = Arc::downgrade(&theirs);
        drop(theirs);
        let buffer = DeviceBuffer::new(&ours, 64).unwrap();
        ours.release().unwrap();
        buffer.fill(3).unwrap();
        assert!(held.upgrade().is_some());
        buffer.free().unwrap();
        assert!(held.upgrade().is_none());
    });
}

#[test]
fn a_context_goes_out() {
    beside_cudarc("a_context_goes_out", || {
        let theirs = context().to_cudarc().unwrap();
        assert!(theirs.is_primary());
        let slice = theirs.default_stream().clone_htod(&[1_u32, 2, 3]).unwrap();
        assert_eq!(theirs.default_stream().clone_dtoh(&slice).unwrap(), [1, 2, 3]);

        let other = Context::new(device()).unwrap().to_cudarc();
        assert!(matches!(other, Err(Error::Foreign(ForeignError::NotPrimary))), "{other:?}");
    });
}

fn current() -> CUcontext {
    let mut current = ptr::null_mut();
    // SAFETY: the output is a local.
    assert_eq!(unsafe { driver().raw().cuCtxGetCurrent(&mut current) }.unwrap(), CUresult::CUDA_SUCCESS);
    current
}

#[test]
fn conversions_leave_the_current_context_as_it_was() {
    beside_cudarc("conversions_leave_the_current_context_as_it_was", || {
        let (ours, other) = (context(), Context::new(device()).unwrap());
        let (theirs, buffer) = (theirs(), DeviceBuffer::new(&ours, 64).unwrap());
        let stream = theirs.new_stream().unwrap();
        let slice = stream.clone_htod(&[1_u8]).unwrap();
        // cudarc makes a context current when it drops its values, so each is kept until the end.
        let convert = || {
            let before = current();
            let made = ours.to_cudarc();
            assert_eq!((made.is_ok(), current()), (true, before));
            let refused = other.to_cudarc();
            assert_eq!((refused.is_ok(), current()), (false, before));
            let came_in = ForeignMemory::from_cudarc(&ours, &slice);
            assert_eq!((came_in.is_ok(), current()), (true, before));
            // SAFETY: nothing uses the slice.
            let went_out = unsafe { buffer.to_cudarc::<u8>(&stream) };
            assert_eq!((went_out.is_ok(), current()), (true, before));
        };
        ours.within(convert).unwrap();
        other.within(convert).unwrap();
        // SAFETY: no context is passed, which makes none current.
        assert_eq!(unsafe { driver().raw().cuCtxSetCurrent(ptr::null_mut()) }.unwrap(), CUresult::CUDA_SUCCESS);
        convert();
    });
}

#[test]
fn a_stream_comes_in() {
    beside_cudarc("a_stream_comes_in", || {
        let (ours, theirs) = (context(), theirs());
        let stream = theirs.new_stream().unwrap();
        let held = Arc::downgrade(&stream);
        let borrowed = Stream::from_cudarc(&ours, &stream).unwrap();
        drop(stream);
        let buffer = DeviceBuffer::new(&ours, 64).unwrap();
        // SAFETY: the buffer stays until the stream is synchronised.
        unsafe { buffer.fill_async(5, &borrowed).unwrap() };
        borrowed.synchronize().unwrap();
        borrowed.destroy().unwrap();
        assert!(held.upgrade().is_none());

        let default = Stream::from_cudarc(&ours, &theirs.default_stream()).unwrap();
        assert_eq!(default.raw(), Stream::default_of(&ours).raw());
        let refused = Stream::from_cudarc(&ours, &theirs.per_thread_stream());
        assert!(matches!(refused, Err(Error::Foreign(ForeignError::PerThreadStream))), "{refused:?}");
        let other = Context::new(device()).unwrap();
        let refused = Stream::from_cudarc(&other, &theirs.new_stream().unwrap());
        assert!(matches!(refused, Err(Error::Foreign(ForeignError::OtherContext))), "{refused:?}");
    });
}

#[test]
fn a_stream_goes_out() {
    beside_cudarc("a_stream_goes_out", || {
        let (ours, theirs) = (context(), theirs());
        let stream = Stream::new(&ours).unwrap();
        // SAFETY: the stream outlives the test's values, and no other stream works on the slice.
        let borrowed = unsafe { stream.to_cudarc(&theirs) }.unwrap();
        let slice = borrowed.clone_htod(&[7_u8; 100]).unwrap();
        assert_eq!(borrowed.clone_dtoh(&slice).unwrap(), [7; 100]);
        drop((slice, borrowed));
        stream.synchronize().unwrap();
        let other = Context::new(device()).unwrap();
        // SAFETY: the stream is refused.
        let refused = unsafe { Stream::new(&other).unwrap().to_cudarc(&theirs) };
        assert!(matches!(refused, Err(Error::Foreign(ForeignError::OtherContext))), "{refused:?}");
    });
}

/// cudarc's functions are safe, so that nothing unsafe is needed to launch the graph after the memory is freed.
#[test]
fn nothing_is_enqueued_in_a_stream_that_cudarc_captures() {
    beside_cudarc("nothing_is_enqueued_in_a_stream_that_cudarc_captures", || {
        let (ours, theirs) = (context(), theirs());
        let stream = Stream::non_blocking(&ours).unwrap();
        // SAFETY: the stream outlives the test's values, and no other stream works on the buffer.
        let handed_out = unsafe { stream.to_cudarc(&theirs) }.unwrap();
        let own = theirs.new_stream().unwrap();
        let came_in = Stream::from_cudarc(&ours, &own).unwrap();
        let buffer = DeviceBuffer::new(&ours, 4).unwrap();
        buffer.fill(0).unwrap();
        for (of_cudarc, stream) in [(handed_out, stream), (own, came_in)] {
            let graph = stream.scope(|scoped| {
                of_cudarc.begin_capture(theirs_sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED).unwrap();
                let refused = scoped.fill(buffer.slice(..)?, 7_u32);
                assert!(matches!(refused, Err(Error::Foreign(ForeignError::Capturing))), "{refused:?}");
                Ok(of_cudarc
                    .end_capture(theirs_sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH))
            });
            if let Some(graph) = graph.unwrap().unwrap() {
                graph.launch().unwrap();
                of_cudarc.synchronize().unwrap();
            }
            let mut values = [1_u32];
            buffer.read(0, &mut values).unwrap();
            assert_eq!(values, [0]);
        }
    });
}

#[test]
fn a_slice_comes_in() {
    beside_cudarc("a_slice_comes_in", || {
        let (ours, theirs) = (context(), theirs());
        let stream = theirs.new_stream().unwrap();
        let slice: CudaSlice<u32> = stream.clone_htod(&[1, 2, 3]).unwrap();

        let borrowed = ForeignMemory::from_cudarc(&ours, &slice).unwrap();
        let mut values = [0_u32; 3];
        borrowed.read(0, &mut values).unwrap();
        assert_eq!((values, borrowed.size()), ([1, 2, 3], 12));
        borrowed.write(4, &[20_u32]).unwrap();
        assert_eq!(stream.clone_dtoh(&slice).unwrap(), [1, 20, 3]);

        drop(borrowed);
        // The slice itself, and cudarc gets it back.
        let owned = ForeignMemory::from_cudarc(&ours, slice).unwrap();
        owned.write(0, &[10_u32]).unwrap();
        assert_eq!(stream.clone_dtoh(&owned.into_owner()).unwrap(), [10, 20, 3]);

        let refused = ForeignMemory::from_cudarc(&ours, theirs.per_thread_stream().clone_htod(&[1_u8]).unwrap());
        assert!(matches!(refused, Err(Error::Foreign(ForeignError::PerThreadStream))), "{refused:?}");
        let other = Context::new(device()).unwrap();
        let refused = ForeignMemory::from_cudarc(&other, stream.clone_htod(&[1_u8]).unwrap());
        assert!(matches!(refused, Err(Error::Foreign(ForeignError::OtherContext))), "{refused:?}");
    });
}

#[test]
fn a_slice_comes_in_after_the_work_of_its_stream() {
    static DONE: AtomicBool = AtomicBool::new(false);
    extern "C" fn work(_: *mut c_void) {
        (0..10_000).for_each(|_| std::thread::yield_now());
        DONE.store(true, Ordering::Relaxed);
    }
    beside_cudarc("a_slice_comes_in_after_the_work_of_its_stream", || {
        let (ours, theirs) = (context(), theirs());
        let stream = theirs.new_stream().unwrap();
        // SAFETY: the function uses only a static.
        let code = unsafe { driver().raw().cuLaunchHostFunc(stream.cu_stream().cast(), Some(work), ptr::null_mut()) };
        assert_eq!(code.unwrap(), CUresult::CUDA_SUCCESS);
        let slice = stream.alloc_zeros::<u8>(64).unwrap();
        let borrowed = ForeignMemory::from_cudarc(&ours, &slice).unwrap();
        assert!(DONE.load(Ordering::Relaxed), "the memory was not allocated yet");
        drop(borrowed);
    });
}

#[test]
fn memory_goes_out_as_a_slice() {
    beside_cudarc("memory_goes_out_as_a_slice", || {
        let (ours, theirs) = (context(), theirs());
        let stream = theirs.new_stream().unwrap();
        let buffer = DeviceBuffer::new(&ours, 14).unwrap();
        buffer.write(0, &[1_u32, 2, 3]).unwrap();
        // SAFETY: the stream is synchronised before the buffer is freed.
        let mut slice = unsafe { buffer.to_cudarc::<u32>(&stream) }.unwrap();
        assert_eq!(stream.clone_dtoh(&*slice).unwrap(), [1, 2, 3]);
        stream.memcpy_htod(&[4_u32, 5, 6], &mut slice.as_view_mut()).unwrap();
        stream.synchronize().unwrap();
        drop(slice);
        let mut values = [0_u32; 3];
        buffer.read(0, &mut values).unwrap();
        assert_eq!(values, [4, 5, 6]);
        // cudarc has not freed it.
        buffer.free().unwrap();

        let buffer = DeviceBuffer::new(&ours, 14).unwrap();
        // SAFETY: the bytes are within the buffer.
        let odd = unsafe { ForeignMemory::borrow_raw(&ours, buffer.pointer() + 2, 12, &buffer) };
        // SAFETY: the memory is refused.
        let refused = unsafe { odd.to_cudarc::<u32>(&stream) }.unwrap_err();
        assert!(matches!(refused, Error::Misaligned { alignment: 4, .. }), "{refused}");
    });
}

#[test]
fn another_copy_of_the_driver_is_refused() {
    // A copy of the file is another library to the loader.
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.so");
    std::fs::copy(reference_driver(), &copy).unwrap();
    beside_cudarc_on(&copy, &reference_driver(), "another_copy_of_the_driver_is_refused", || {
        let refused = |error| matches!(error, Some(Error::Foreign(ForeignError::OtherDriver)));
        let (ours, theirs) = (context(), theirs());
        assert!(refused(Context::from_cudarc(&theirs).err()));
        assert!(refused(ours.to_cudarc().err()));
        assert!(refused(Stream::from_cudarc(&ours, &theirs.default_stream()).err()));
        let slice = theirs.default_stream().clone_htod(&[1_u8]).unwrap();
        assert!(refused(ForeignMemory::from_cudarc(&ours, slice).err()));
        let buffer = DeviceBuffer::new(&ours, 64).unwrap();
        // SAFETY: both are refused.
        unsafe {
            assert!(refused(Stream::default_of(&ours).to_cudarc(&theirs).err()));
            assert!(refused(buffer.to_cudarc::<u8>(&theirs.default_stream()).err()));
        }
    });
}

/// The numbers that the exporter writes, and those that the importer writes over them.
const SENT: [u32; 4] = [1, 2, 3, 4];
const RETURNED: [u32; 4] = [50, 60, 70, 80];

/// The importer reads and writes the memory with cudarc alone.
#[test]
fn memory_goes_to_a_process_that_uses_cudarc() {
    beside_cudarc("memory_goes_to_a_process_that_uses_cudarc", || {
        let buffer = SharedBuffer::new(&context(), size_of_val(&SENT)).unwrap();
        buffer.write(0, &SENT).unwrap();
        let peer = Peer::start(module_path!(), "role_imports_with_cudarc");
        buffer.share().unwrap().send(&peer.connection).unwrap();
        assert_eq!(peer.connection.receive().unwrap().bytes, b"done");
        let mut values = [0; 4];
        buffer.read(0, &mut values).unwrap();
        assert_eq!(values, RETURNED);
        peer.finish();
    });
}

/// The exporter allocates, writes and reads the memory with cudarc alone.
#[test]
fn memory_of_cudarc_goes_to_another_process() {
    beside_cudarc("memory_of_cudarc_goes_to_another_process", || {
        let peer = Peer::start(module_path!(), "role_exports_memory_of_cudarc");
        let parcel = Parcel::receive(&peer.connection).unwrap();
        // SAFETY: the exporter frees the memory after the answer.
        let import = unsafe { parcel.open(&context()) }.unwrap();
        let mut values = [0; 4];
        import.read(0, &mut values).unwrap();
        assert_eq!(values, SENT);
        import.write(0, &RETURNED).unwrap();
        import.close().unwrap();
        peer.connection.send(b"done", &[]).unwrap();
        peer.finish();
    });
}

roles! {
    fn role_imports_with_cudarc(connection) {
        let import = Parcel::receive(&connection).unwrap().map(&context()).unwrap();
        let stream = theirs().new_stream().unwrap();
        // SAFETY: the stream is synchronised before the memory is unmapped, and the other process waits for the answer.
        let mut slice = unsafe { import.to_cudarc::<u32>(&stream) }.unwrap();
        assert_eq!(stream.clone_dtoh(&slice.slice(..SENT.len())).unwrap(), SENT);
        stream.memcpy_htod(&RETURNED, &mut slice.as_view_mut().slice_mut(..SENT.len())).unwrap();
        stream.synchronize().unwrap();
        connection.send(b"done", &[]).unwrap();
    }

    fn role_exports_memory_of_cudarc(connection) {
        let theirs = theirs();
        // `CudaStream::alloc` takes memory from a pool, which has no legacy handle.
        // SAFETY: the memory is freed below.
        let pointer = unsafe { cudarc::driver::result::malloc_sync(size_of_val(&SENT)) }.unwrap();
        // SAFETY: as above, and the numbers are as long as the memory.
        unsafe { cudarc::driver::result::memcpy_htod_sync(pointer, &SENT) }.unwrap();
        let ours = Context::from_cudarc(&theirs).unwrap();
        // SAFETY: the memory is of this context, and this value frees it.
        let buffer = unsafe { DeviceBuffer::from_raw(&ours, pointer) }.unwrap();
        buffer.share(..).unwrap().send(&connection).unwrap();
        assert_eq!(connection.receive().unwrap().bytes, b"done");
        let mut values = [0; 4];
        // SAFETY: the numbers are as long as the memory.
        unsafe { cudarc::driver::result::memcpy_dtoh_sync(&mut values, buffer.pointer()) }.unwrap();
        assert_eq!(values, RETURNED);
        buffer.free().unwrap();
    }
}
