//! Values may be dropped in any order. Errors are returned or reach the drop hook. The current context does not change.

mod common;

use std::any::Any;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use common::{device, driver};
use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::host::PinnedBuffer;
use cuda_ipc::ipc::{ImportedBuffer, MemHandle};
use cuda_ipc::module::Module;
use cuda_ipc::peer::PeerAccess;
use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::sys::{CUcontext, CUresult};
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, Reservation, granularity};
use cuda_ipc::{Context, DeviceBuffer, DropError, Error, Stream, set_drop_hook};

/// Returns a reference to the primary context that is released at the end of the test.
fn context() -> Context {
    Context::primary(device()).unwrap()
}

static MET: Mutex<Vec<DropError>> = Mutex::new(Vec::new());

fn note(error: DropError) {
    MET.lock().unwrap_or_else(PoisonError::into_inner).push(error);
}

/// Takes the errors that drops have reported since the last call.
fn met() -> Vec<DropError> {
    std::mem::take(&mut MET.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Lets one test run at a time, because the hook and the primary context belong to the whole process.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    set_drop_hook(note);
    met();
    guard
}

/// Makes a driver call past the safe layer and checks that it succeeds.
macro_rules! raw {
    ($function:ident($($argument:expr),*)) => {{
        // SAFETY: the arguments are valid for the call. A test that frees memory behind a value's back says so.
        let code = unsafe { driver().raw().$function($($argument),*) };
        assert_eq!(code, Ok(CUresult::CUDA_SUCCESS), stringify!($function));
    }};
}

/// Returns whether the primary context is active.
fn is_active() -> bool {
    let (mut flags, mut active) = (0, 0);
    raw!(cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
    active != 0
}

fn current() -> CUcontext {
    let mut context = ptr::null_mut();
    raw!(cuCtxGetCurrent(&mut context));
    context
}

/// Returns every order of the numbers below `count`.
fn orders(count: usize) -> Vec<Vec<usize>> {
    match count {
        0 => vec![vec![]],
        _ => orders(count - 1)
            .into_iter()
            .flat_map(|order| {
                (0..count).map(move |place| {
                    let mut longer = order.clone();
                    longer.insert(place, count - 1);
                    longer
                })
            })
            .collect(),
    }
}

#[test]
fn values_are_dropped_in_every_order() {
    let _alone = alone();
    assert_eq!(orders(4).len(), 24);
    for order in orders(4) {
        let context = context();
        let buffer = DeviceBuffer::new(&context, 4096).unwrap();
        let event = InterprocessEvent::new(&context).unwrap();
        let stream = Stream::non_blocking(&context).unwrap();
        buffer.fill(1).unwrap();
        event.record(&stream).unwrap();
        assert!(is_active());
        let mut values: [Option<Box<dyn Any>>; 4] =
            [Some(Box::new(context)), Some(Box::new(buffer)), Some(Box::new(event)), Some(Box::new(stream))];
        for place in &order {
            values[*place] = None;
        }
        assert!(met().is_empty() && !is_active(), "{order:?}");
    }
}

#[test]
fn every_method_that_closes_succeeds_once_and_for_all() {
    let _alone = alone();
    let context = context();
    let buffer = DeviceBuffer::new(&context, 4096).unwrap();
    let pointer = buffer.pointer();
    buffer.free().unwrap();
    assert!(MemHandle::of_pointer(&context, pointer).is_err());
    InterprocessEvent::new(&context).unwrap().destroy().unwrap();
    Stream::new(&context).unwrap().destroy().unwrap();
    Stream::default_of(&context).destroy().unwrap();
    PinnedBuffer::<u32>::new(&context, 4).unwrap().free().unwrap();
    let size = granularity(device(), HandleTypes::NONE).unwrap();
    let allocation = Allocation::new(device(), size, HandleTypes::NONE).unwrap();
    Mapping::new(&context, &[&allocation], Access::ReadWrite).unwrap().unmap().unwrap();
    Reservation::new(driver(), size, 0).unwrap().free().unwrap();
    let pool = Pool::new(device(), HandleTypes::NONE, None).unwrap();
    PoolBuffer::new(&pool, 4096, &Stream::default_of(&context)).unwrap().free().unwrap();
    pool.destroy().unwrap();
    // SAFETY: the text is a kernel of this workspace.
    unsafe { Module::from_ptx(&context, kernels::FILL.ptx) }.unwrap().unload().unwrap();
    if let Ok(second) = driver().device(1) {
        let peer = Context::primary(second).unwrap();
        PeerAccess::enable(&context, &peer).unwrap().disable().unwrap();
        peer.release().unwrap();
    }
    let other = context.clone();
    context.release().unwrap();
    assert!(is_active());
    other.release().unwrap();
    assert!(!is_active() && met().is_empty());
}

/// Returns a buffer whose memory was freed behind its back.
fn freed_elsewhere(context: &Context) -> DeviceBuffer {
    let buffer = DeviceBuffer::new(context, 4096).unwrap();
    raw!(cuCtxPushCurrent(context.raw()));
    raw!(cuMemFree(buffer.pointer()));
    raw!(cuCtxPopCurrent(&mut ptr::null_mut()));
    buffer
}

fn assert_double_free(error: &Error) {
    let message = error.to_string();
    assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE), "{message}");
    assert!(message.starts_with("cuMemFree(0x") && message.contains("of 4096 bytes"), "{message}");
    assert!(message.contains("freed elsewhere?"), "{message}");
}

#[test]
fn an_error_of_closing_comes_back_and_does_not_reach_the_hook() {
    let _alone = alone();
    let context = context();
    assert_double_free(&freed_elsewhere(&context).free().unwrap_err());
    assert!(met().is_empty());
}

#[test]
fn an_error_of_dropping_reaches_the_hook_and_no_later_call() {
    let _alone = alone();
    let context = context();
    drop(freed_elsewhere(&context));
    DeviceBuffer::new(&context, 4096).unwrap().free().unwrap();
    let errors = met();
    let [error] = &*errors else { panic!("{errors:?}") };
    assert_eq!(error.resource, "DeviceBuffer");
    assert_double_free(&error.error);
    assert!(error.to_string().starts_with("dropping DeviceBuffer failed: cuMemFree("), "{error}");

    // Setting a hook returns the previous one, and only the current hook is called.
    fn other(_: DropError) {}
    assert!(ptr::fn_addr_eq(set_drop_hook(other), note as fn(DropError)));
    drop(freed_elsewhere(&context));
    assert!(ptr::fn_addr_eq(set_drop_hook(note), other as fn(DropError)));
    assert!(met().is_empty());
}

#[test]
fn an_error_of_a_range_comes_back_with_its_mapping() {
    let _alone = alone();
    let context = context();
    let size = granularity(device(), HandleTypes::NONE).unwrap();
    let allocation = Allocation::new(device(), size, HandleTypes::NONE).unwrap();
    let range = Reservation::new(driver(), 2 * size, 0).unwrap();
    let (begin, behind) = (range.pointer(), range.pointer() + size as u64);
    let mapping = Mapping::in_range(&context, &range, 0, &[&allocation], Access::ReadWrite).unwrap();
    drop(range);
    // Maps memory behind the layer's back, so that the driver refuses to free the range.
    raw!(cuMemMap(behind, size, 0, allocation.raw(), 0));
    let error = mapping.unmap().unwrap_err();
    assert!(error.to_string().starts_with("cuMemAddressFree("), "{error}");
    assert!(met().is_empty());
    raw!(cuMemUnmap(behind, size));
    raw!(cuMemAddressFree(begin, 2 * size));
}

#[test]
fn calls_leave_the_current_context_as_it_was() {
    let _alone = alone();
    let context = context();
    let mut own = ptr::null_mut();
    assert!(current().is_null());
    for surrounding in [None, Some(())] {
        if surrounding.is_some() {
            raw!(cuCtxCreate(&mut own, 0, 0));
        }
        let buffer = DeviceBuffer::new(&context, 4096).unwrap();
        assert_eq!(current(), own);
        buffer.fill(1).unwrap();
        buffer.write(0, &[1]).unwrap();
        let stream = Stream::new(&context).unwrap();
        let event = InterprocessEvent::new(&context).unwrap();
        event.record(&stream).unwrap();
        stream.wait(&event).unwrap();
        stream.synchronize().unwrap();
        assert!(stream.query().unwrap() && event.query().unwrap());
        context.synchronize().unwrap();
        assert_eq!(current(), own);
        // Refused calls must not change it either.
        DeviceBuffer::new(&context, 0).unwrap_err();
        assert_eq!(current(), own);
        // SAFETY: the handle is genuine; the driver refuses it in the process that exported it.
        unsafe { ImportedBuffer::open(&context, &buffer.ipc_handle().unwrap()) }.unwrap_err();
        assert_eq!(current(), own);
        freed_elsewhere(&context).free().unwrap_err();
        assert_eq!(current(), own);
        drop((buffer, stream, event));
        assert_eq!(current(), own);
    }
    raw!(cuCtxDestroy(own));
    assert!(met().is_empty());
}

#[test]
fn values_are_used_and_dropped_in_other_threads() {
    let _alone = alone();
    let context = context();
    let buffer = DeviceBuffer::new(&context, 4096).unwrap();
    std::thread::scope(|scope| {
        for part in 0..4_u8 {
            let buffer = &buffer;
            scope.spawn(move || buffer.write(usize::from(part) * 1024, &[part; 1024]).unwrap());
        }
    });
    drop(context);
    let reader = std::thread::spawn(move || {
        let mut bytes = vec![0_u8; 4096];
        buffer.read(0, &mut bytes).unwrap();
        bytes
    });
    let bytes = reader.join().unwrap();
    assert!(bytes.iter().enumerate().all(|(index, byte)| usize::from(*byte) == index / 1024));
    assert!(met().is_empty() && !is_active());
}
