//! A drop hook may call what it likes: it runs while no lock of this crate is held.

use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use cuda_ipc::cache::Cache;
use cuda_ipc::pool::{ImportedPool, Pool, PoolBuffer, PoolPointerData};
use cuda_ipc::sys::CUresult;
use cuda_ipc::vmm::HandleTypes;
use cuda_ipc::{Context, DeviceBuffer, DeviceMemory, DropError, Error, Parcel, Stream, set_drop_hook};
use rstest::rstest;

use crate::common::{device, driver};
use crate::peer::{LONG, Peer, roles};
use crate::{SIZE, alone, context};

/// What the hook calls back into.
static CALLED_BACK: Mutex<Option<Target>> = Mutex::new(None);

static CALLS: AtomicUsize = AtomicUsize::new(0);

#[derive(Clone)]
enum Target {
    Cache(Context, Cache, Parcels),
    Pool(Context, ImportedPool, PoolPointerData),
}

/// Two parcels of an exporter that outlives the test.
type Parcels = std::sync::Arc<[Parcel; 2]>;

/// Calls everything that takes the locks under which the error may have occurred.
fn call_back(_: DropError) {
    let target = CALLED_BACK.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match target.expect("a test has set the target") {
        Target::Cache(context, cache, parcels) => {
            cache.trim_to(0);
            cache.forget(&parcels[0].ticket);
            cache.forget_exporter(&parcels[0].ticket.exporter);
            // SAFETY: the exporter keeps the memory until the test ends.
            drop(unsafe { cache.open(&context, &parcels[1]) }.unwrap());
        }
        Target::Pool(context, pool, pointer) => {
            // SAFETY: the buffer lives, and no import of its pointer is left.
            drop(unsafe { pool.open(&context, &pointer) }.unwrap());
        }
    }
    CALLS.fetch_add(1, Ordering::Relaxed);
}

/// Runs a function whose drops fail, and returns how often the hook was called. A deadlock is a failure.
fn hook_calls(target: Target, run: impl FnOnce() + Send + 'static) -> usize {
    *CALLED_BACK.lock().unwrap() = Some(target);
    let before = CALLS.load(Ordering::Relaxed);
    let previous = set_drop_hook(call_back);
    let (done, is_done) = mpsc::channel();
    std::thread::spawn(move || {
        run();
        done.send(()).unwrap();
    });
    let result = is_done.recv_timeout(LONG);
    set_drop_hook(previous);
    *CALLED_BACK.lock().unwrap() = None;
    result.expect("the hook called back and waits for a lock that its own thread holds");
    CALLS.load(Ordering::Relaxed) - before
}

/// Closes an import behind the back of its owner, whose drop then fails.
fn close_elsewhere(memory: &DeviceMemory, close: impl Fn(u64) -> Result<CUresult, cuda_ipc::sys::MissingSymbol>) {
    let answer = memory.context().within(|| close(memory.pointer())).unwrap();
    assert_eq!(answer, Ok(CUresult::CUDA_SUCCESS));
}

/// The calls that close imports of a cache.
enum Call {
    Trim,
    Forget,
    ForgetExporter,
    /// The drop of an import that exceeds the budget.
    Drop,
}

#[rstest]
#[case::trim(Call::Trim)]
#[case::forget(Call::Forget)]
#[case::forget_exporter(Call::ForgetExporter)]
#[case::drop(Call::Drop)]
fn a_hook_calls_the_cache_that_closes_imports(#[case] call: Call) {
    let _alone = alone();
    let exporter = Peer::start(module_path!(), "role_shares_two");
    let parcels = Parcels::new([(); 2].map(|()| Parcel::receive(&exporter.connection).unwrap()));
    let (context, cache) = (context(), Cache::new(if matches!(call, Call::Drop) { SIZE } else { usize::MAX }));
    let in_use = open(&context, &cache, &parcels[1]).unwrap();
    let memory = open(&context, &cache, &parcels[0]).unwrap();
    // SAFETY: nothing uses the memory any more. The cache still counts it as open.
    close_elsewhere(&memory, |pointer| unsafe { driver().raw().cuIpcCloseMemHandle(pointer) });
    let memory = matches!(call, Call::Drop).then_some(memory);
    let target = Target::Cache(context, cache.clone(), parcels.clone());
    let run = move || match call {
        Call::Trim => cache.trim_to(0),
        Call::Forget => assert!(cache.forget(&parcels[0].ticket)),
        Call::ForgetExporter => assert!(cache.forget_exporter(&parcels[0].ticket.exporter)),
        Call::Drop => drop(memory),
    };
    assert_eq!(hook_calls(target, run), 1);
    drop(in_use);
}

/// What keeps a borrowed context alive is code of others, like a hook. An import can hold the last clone of the context.
#[test]
fn the_owner_of_a_context_calls_the_cache_that_closes_the_last_import_there() {
    struct Owner(Cache);
    impl Drop for Owner {
        fn drop(&mut self) {
            self.0.trim_to(0);
        }
    }

    let _alone = alone();
    let exporter = Peer::start(module_path!(), "role_shares_two");
    let [parcel, _] = [(); 2].map(|()| Parcel::receive(&exporter.connection).unwrap());
    let (context, cache) = (context(), Cache::new(usize::MAX));
    // SAFETY: the context outlives the value.
    let borrowed = unsafe { Context::borrow_raw(driver(), context.raw(), Owner(cache.clone())) }.unwrap();
    drop(open(&borrowed, &cache, &parcel).unwrap());
    drop(borrowed);
    let (done, is_done) = mpsc::channel();
    std::thread::spawn(move || {
        cache.trim_to(0);
        done.send(cache.bytes()).unwrap();
    });
    assert_eq!(is_done.recv_timeout(LONG).expect("the owner waits for a lock that its own thread holds"), 0);
}

fn open(context: &Context, cache: &Cache, parcel: &Parcel) -> Result<cuda_ipc::cache::CachedMemory, Error> {
    // SAFETY: the exporter keeps the memory until the test ends.
    unsafe { cache.open(context, parcel) }
}

#[test]
fn a_hook_opens_the_pointer_whose_import_is_closed() {
    let _alone = alone();
    let (context, stream) = (context(), Stream::non_blocking(&context()).unwrap());
    let pool = Pool::new(device(), HandleTypes::POSIX_FILE_DESCRIPTOR, None).unwrap();
    let buffer = PoolBuffer::new(&pool, SIZE, &stream).unwrap();
    let import = ImportedPool::import(device(), pool.export().unwrap().as_fd()).unwrap();
    let pointer = buffer.export().unwrap();
    // SAFETY: the buffer outlives the import, and there is one import of the pool.
    let memory = unsafe { import.open(&context, &pointer) }.unwrap();
    // SAFETY: nothing uses the memory any more. The pool still counts it as open.
    close_elsewhere(&memory, |address| unsafe { driver().raw().cuMemFree(address) });
    assert_eq!(hook_calls(Target::Pool(context, import, pointer), move || drop(memory)), 1);
}

roles! {
    fn role_shares_two(connection) {
        let buffers = [(); 2].map(|()| DeviceBuffer::new(&context(), SIZE).unwrap());
        buffers.iter().for_each(|buffer| buffer.share(..).unwrap().send(&connection).unwrap());
        connection.receive().unwrap_err();
    }
}
