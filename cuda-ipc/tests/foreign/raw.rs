//! Raw handles: taking over, borrowing and handing over.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::foreign::{ForeignError, ForeignEvent, ForeignMemory};
use cuda_ipc::memory::MemoryKind;
use cuda_ipc::sys::{CUcontext, CUdeviceptr, CUevent, CUevent_flags, CUresult, CUstream, CUstream_flags};
use cuda_ipc::{Context, DeviceBuffer, Error, Stream};

use crate::common::{context, device, driver};

/// What the C functions return, for handles that no value of the crate owns.
fn raw_context() -> CUcontext {
    let (calls, mut raw, mut popped) = (driver().raw(), ptr::null_mut(), ptr::null_mut());
    // SAFETY: the outputs are locals.
    let codes = unsafe { [calls.cuCtxCreate(&mut raw, 0, device().raw()), calls.cuCtxPopCurrent(&mut popped)] };
    assert_eq!(codes.map(Result::unwrap), [CUresult::CUDA_SUCCESS; 2]);
    raw
}

fn raw_stream(context: &Context) -> CUstream {
    let mut raw = ptr::null_mut();
    let flags = CUstream_flags::CU_STREAM_NON_BLOCKING.0;
    // SAFETY: the output is a local.
    let code = context.within(|| unsafe { driver().raw().cuStreamCreate(&mut raw, flags) }).unwrap();
    assert_eq!(code.unwrap(), CUresult::CUDA_SUCCESS);
    raw
}

fn raw_event(context: &Context, flags: CUevent_flags) -> CUevent {
    let mut raw = ptr::null_mut();
    // SAFETY: the output is a local.
    let code = context.within(|| unsafe { driver().raw().cuEventCreate(&mut raw, flags.0) }).unwrap();
    assert_eq!(code.unwrap(), CUresult::CUDA_SUCCESS);
    raw
}

fn raw_memory(context: &Context, size: usize) -> CUdeviceptr {
    let mut raw = 0;
    // SAFETY: the output is a local.
    let code = context.within(|| unsafe { driver().raw().cuMemAlloc(&mut raw, size) }).unwrap();
    assert_eq!(code.unwrap(), CUresult::CUDA_SUCCESS);
    raw
}

/// The code of a call that releases a raw handle, made with the context current.
fn release(context: &Context, call: impl FnOnce() -> CUresult) -> CUresult {
    context.within(call).unwrap()
}

/// Checks that a raw handle is not live any more. A GPU's driver may dereference the handle, so only the reference driver
/// is asked.
fn assert_released(call: impl FnOnce() -> CUresult) {
    if driver().path().ends_with("libreference_driver.so") {
        assert_ne!(call(), CUresult::CUDA_SUCCESS);
    }
}

/// An owner, and a way to see whether it was dropped.
fn owner() -> (Arc<()>, impl Fn() -> bool) {
    let owner = Arc::new(());
    let seen = Arc::downgrade(&owner);
    (owner, move || seen.strong_count() == 0)
}

#[test]
fn a_context_that_was_taken_over_is_destroyed() {
    let raw = raw_context();
    // SAFETY: the context was created just now, and nothing else destroys it.
    let taken = unsafe { Context::from_raw(driver(), raw) }.unwrap();
    assert_eq!((taken.raw(), taken.device()), (raw, device()));
    let buffer = DeviceBuffer::new(&taken, 64).unwrap();
    buffer.fill(3).unwrap();
    drop(buffer);
    taken.release().unwrap();
    // SAFETY: this driver looks the handle up.
    assert_released(|| unsafe { driver().raw().cuCtxDestroy(raw) }.unwrap());
}

#[test]
fn a_borrowed_context_outlives_the_value_and_is_held_by_what_is_created_in_it() {
    let raw = raw_context();
    let (owner, is_dropped) = owner();
    // SAFETY: the context is destroyed at the end of the test, after the owner was dropped.
    let borrowed = unsafe { Context::borrow_raw(driver(), raw, owner) }.unwrap();
    let buffer = DeviceBuffer::new(&borrowed, 64).unwrap();
    borrowed.release().unwrap();
    assert!(!is_dropped());
    buffer.fill(3).unwrap();
    buffer.free().unwrap();
    assert!(is_dropped());
    // SAFETY: no value uses the context any more.
    assert_eq!(unsafe { driver().raw().cuCtxDestroy(raw) }.unwrap(), CUresult::CUDA_SUCCESS);
}

#[test]
fn a_context_is_handed_over_when_nothing_else_uses_it() {
    let created = Context::new(device()).unwrap();
    let stream = Stream::new(&created).unwrap();
    let created = created.into_raw().expect_err("a stream uses the context");
    drop(stream);
    let raw = created.into_raw().unwrap();
    let (owner, is_dropped) = owner();
    // SAFETY: the context lives until the next statement but one, and the owner does not.
    let borrowed = unsafe { Context::borrow_raw(driver(), raw, owner) }.unwrap();
    drop(borrowed.into_raw().expect_err("a borrowed context is not handed over"));
    assert!(is_dropped());
    // SAFETY: the context was handed over, and no value uses it.
    assert_eq!(unsafe { driver().raw().cuCtxDestroy(raw) }.unwrap(), CUresult::CUDA_SUCCESS);
}

#[test]
fn no_context_is_an_error() {
    // SAFETY: a null context is refused.
    let refused = unsafe { Context::from_raw(driver(), ptr::null_mut()) };
    assert!(matches!(refused, Err(Error::Refused { .. })), "{refused:?}");
}

#[test]
fn a_stream_that_was_taken_over_is_destroyed() {
    let context = context();
    let raw = raw_stream(&context);
    // SAFETY: the stream was created just now, and nothing else destroys it.
    let taken = unsafe { Stream::from_raw(&context, raw) }.unwrap();
    taken.synchronize().unwrap();
    taken.destroy().unwrap();
    // SAFETY: this driver looks the handle up.
    assert_released(|| release(&context, || unsafe { driver().raw().cuStreamDestroy(raw) }.unwrap()));
}

#[test]
fn a_borrowed_stream_outlives_the_value_and_its_clones() {
    let context = context();
    let raw = raw_stream(&context);
    let (owner, is_dropped) = owner();
    // SAFETY: the stream is destroyed at the end of the test, after the owner was dropped.
    let borrowed = unsafe { Stream::borrow_raw(&context, raw, owner) }.unwrap();
    let clone = borrowed.clone();
    borrowed.destroy().unwrap();
    assert!(!is_dropped());
    let clone = clone.into_raw().expect_err("a borrowed stream is not handed over");
    clone.synchronize().unwrap();
    clone.destroy().unwrap();
    assert!(is_dropped());
    // SAFETY: no value uses the stream any more.
    let code = release(&context, || unsafe { driver().raw().cuStreamDestroy(raw) }.unwrap());
    assert_eq!(code, CUresult::CUDA_SUCCESS);
}

/// The owner destroys the stream, which the context must not have done before.
#[test]
fn the_owner_of_a_stream_is_dropped_while_the_context_lives() {
    struct Owner(usize, usize, Arc<AtomicBool>);

    impl Drop for Owner {
        fn drop(&mut self) {
            let (calls, mut popped) = (driver().raw(), ptr::null_mut());
            let [context, stream] = [self.0, self.1].map(ptr::without_provenance_mut::<c_void>);
            // SAFETY: the owner is responsible for the stream. The reference driver looks both handles up.
            let codes = unsafe {
                [
                    calls.cuCtxPushCurrent(context.cast()),
                    calls.cuStreamDestroy(stream.cast()),
                    calls.cuCtxPopCurrent(&mut popped),
                ]
            };
            self.2.store(codes.map(Result::unwrap) == [CUresult::CUDA_SUCCESS; 3], Ordering::Relaxed);
        }
    }

    let context = Context::new(device()).unwrap();
    let (raw, is_destroyed) = (raw_stream(&context), Arc::new(AtomicBool::new(false)));
    let owner = Owner(context.raw().addr(), raw.addr(), Arc::clone(&is_destroyed));
    // SAFETY: only the owner destroys the stream.
    let borrowed = unsafe { Stream::borrow_raw(&context, raw, owner) }.unwrap();
    drop(context);
    borrowed.synchronize().unwrap();
    drop(borrowed);
    assert!(is_destroyed.load(Ordering::Relaxed), "the context was destroyed before the owner was dropped");
}

#[test]
fn a_stream_is_handed_over_when_it_has_no_clones() {
    let context = context();
    let stream = Stream::new(&context).unwrap();
    let clone = stream.clone();
    let stream = stream.into_raw().expect_err("the stream has a clone");
    drop(clone);
    let raw = stream.into_raw().unwrap();
    // SAFETY: the stream was handed over.
    let code = release(&context, || unsafe { driver().raw().cuStreamDestroy(raw) }.unwrap());
    assert_eq!(code, CUresult::CUDA_SUCCESS);
    Stream::default_of(&context).into_raw().expect_err("a default stream belongs to its context");
}

#[test]
fn a_stream_of_another_context_is_refused() {
    let (context, other) = (context(), Context::new(device()).unwrap());
    let stream = Stream::new(&other).unwrap();
    // SAFETY: the stream lives, and is refused.
    let refused = unsafe { Stream::borrow_raw(&context, stream.raw(), ()) };
    assert!(matches!(refused, Err(Error::Foreign(ForeignError::OtherContext))), "{refused:?}");
    // SAFETY: as above.
    let refused = unsafe { Stream::from_raw(&context, stream.raw()) };
    assert!(matches!(refused, Err(Error::Foreign(ForeignError::OtherContext))), "{refused:?}");
    stream.synchronize().unwrap();
}

#[test]
fn default_streams_are_borrowed_by_their_casts() {
    let context = context();
    let [null, legacy, per_thread] = [0, 1, 2].map(ptr::without_provenance_mut);
    for raw in [null, legacy] {
        // SAFETY: the context's default stream lives as long as the context.
        let borrowed = unsafe { Stream::borrow_raw(&context, raw, ()) }.unwrap();
        assert_eq!(borrowed.raw(), Stream::default_of(&context).raw());
        // SAFETY: a default stream is refused.
        let refused = unsafe { Stream::from_raw(&context, raw) };
        assert!(matches!(refused, Err(Error::Foreign(ForeignError::DefaultStream))), "{refused:?}");
    }
    // SAFETY: the stream is refused.
    let refused =
        [unsafe { Stream::borrow_raw(&context, per_thread, ()) }, unsafe { Stream::from_raw(&context, per_thread) }];
    let expected = |error: &_| matches!(error, Err(Error::Foreign(ForeignError::PerThreadStream)));
    assert!(refused.iter().all(expected), "{refused:?}");
}

#[test]
fn an_event_is_taken_over_and_handed_over() {
    let context = context();
    let flags = CUevent_flags::CU_EVENT_INTERPROCESS | CUevent_flags::CU_EVENT_DISABLE_TIMING;
    let raw = raw_event(&context, flags);
    // SAFETY: the event was created just now with these flags, and nothing else destroys it.
    let taken = unsafe { InterprocessEvent::from_raw(&context, raw) };
    taken.record(&Stream::default_of(&context)).unwrap();
    taken.synchronize().unwrap();
    taken.ipc_handle().unwrap();
    let raw = taken.into_raw();
    // SAFETY: it was handed over, and is taken back.
    let taken = unsafe { InterprocessEvent::from_raw(&context, raw) };
    taken.destroy().unwrap();
    // SAFETY: this driver looks the handle up.
    assert_released(|| release(&context, || unsafe { driver().raw().cuEventDestroy(raw) }.unwrap()));
}

#[test]
fn a_borrowed_event_outlives_the_value() {
    let context = context();
    let raw = raw_event(&context, CUevent_flags::CU_EVENT_DEFAULT);
    let (owner, is_dropped) = owner();
    // SAFETY: the event is destroyed at the end of the test, after the owner was dropped.
    let borrowed = unsafe { ForeignEvent::borrow_raw(&context, raw, owner) };
    let stream = Stream::new(&context).unwrap();
    borrowed.record(&stream).unwrap();
    stream.wait(&borrowed).unwrap();
    borrowed.synchronize().unwrap();
    assert!(!is_dropped() && Arc::strong_count(borrowed.owner()) == 1);
    drop(borrowed);
    assert!(is_dropped());
    // SAFETY: no value uses the event any more.
    let code = release(&context, || unsafe { driver().raw().cuEventDestroy(raw) }.unwrap());
    assert_eq!(code, CUresult::CUDA_SUCCESS);
}

#[test]
fn memory_is_taken_over_and_handed_over() {
    let context = context();
    let raw = raw_memory(&context, 4096);
    // SAFETY: the memory was allocated just now in this context, and nothing else frees it.
    let taken = unsafe { DeviceBuffer::from_raw(&context, raw) }.unwrap();
    assert_eq!((taken.pointer(), taken.size()), (raw, 4096));
    taken.fill(7).unwrap();
    let raw = taken.into_raw();
    assert_eq!(MemoryKind::of_pointer(&context, raw).unwrap(), MemoryKind::Linear);
    // SAFETY: it was handed over, and is taken back.
    let taken = unsafe { DeviceBuffer::from_raw(&context, raw) }.unwrap();
    let mut last = [0_u8];
    taken.read(4095, &mut last).unwrap();
    assert_eq!(last, [7]);
    taken.free().unwrap();
    // SAFETY: the address is looked up, and refused.
    let refused = unsafe { DeviceBuffer::from_raw(&context, raw) };
    assert!(matches!(refused, Err(Error::Refused { .. })), "{refused:?}");
}

#[test]
fn borrowed_memory_outlives_the_value_and_has_the_given_size() {
    let context = context();
    let buffer = DeviceBuffer::new(&context, 4096).unwrap();
    // SAFETY: the bytes are within the buffer, which the value borrows.
    let borrowed = unsafe { ForeignMemory::borrow_raw(&context, buffer.pointer() + 64, 128, &buffer) };
    borrowed.fill(9).unwrap();
    assert!(matches!(borrowed.write(128, &[1_u8]), Err(Error::OutOfBounds { size: 128, .. })));
    assert_eq!(borrowed.into_owner().pointer(), buffer.pointer());
    let mut bytes = [0_u8; 256];
    buffer.read(0, &mut bytes).unwrap();
    let expected: Vec<u8> = (0..256).map(|at| if (64..192).contains(&at) { 9 } else { bytes[at] }).collect();
    assert_eq!(bytes.as_slice(), expected);
    buffer.free().unwrap();
}
