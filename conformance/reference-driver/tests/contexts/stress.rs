//! Sixteen threads use, share and destroy everything at once.
//!
//! A thread uses handles and addresses of other threads. They may be destroyed already, so every call has a list of
//! permitted codes. At the end no memory, no descriptor and no thread is left. Each thread's number determines its
//! actions.

use std::ffi::c_void;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::ptr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cuda_ipc_sys::{
    CUcontext, CUevent, CUipcEventHandle, CUipcMemHandle, CUmemAllocationType, CUmemLocation, CUmemPoolProps,
    CUpointer_attribute, CUresult, CUstream,
};

use crate::calls::{self, Context, DESCRIPTOR, GRANULE, NO_TYPE};
use crate::exporter::Exporter;

const THREADS: u64 = 16;
const STEPS: usize = 150;

type C = CUresult;
const SUCCESS: C = C::CUDA_SUCCESS;
const NOT_READY: C = C::CUDA_ERROR_NOT_READY;
const INVALID_VALUE: C = C::CUDA_ERROR_INVALID_VALUE;
const INVALID_HANDLE: C = C::CUDA_ERROR_INVALID_HANDLE;
/// The codes that any call may return in a context that another thread destroys.
const OF_CONTEXTS: [C; 3] = [SUCCESS, C::CUDA_ERROR_INVALID_CONTEXT, C::CUDA_ERROR_CONTEXT_IS_DESTROYED];

/// Makes a call whose arguments may be destroyed already, and returns whether it succeeded. The code must be one of
/// `OF_CONTEXTS` or of `$codes`.
macro_rules! may {
    ($function:ident($($argument:expr),* $(,)?), $codes:expr) => {
        is_success(stringify!($function), code!($function($($argument),*)), &$codes)
    };
}

fn is_success(call: &str, code: CUresult, permitted: &[CUresult]) -> bool {
    assert!(OF_CONTEXTS.contains(&code) || permitted.contains(&code), "{call}: {code}");
    code == SUCCESS
}

/// Handles or addresses that all threads use.
#[derive(Default)]
struct Shared(Mutex<Vec<u64>>);

impl Shared {
    fn put(&self, handle: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(handle);
    }

    /// Returns one of them without removing it, or 0 if there is none.
    fn one(&self, random: &mut Random) -> u64 {
        let handles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if handles.is_empty() { 0 } else { handles[random.below(handles.len())] }
    }

    /// Removes one of them and returns it, or 0 if there is none.
    fn take(&self, random: &mut Random) -> u64 {
        let mut handles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = handles.len();
        if count == 0 { 0 } else { handles.swap_remove(random.below(count)) }
    }

    fn all(&self) -> Vec<u64> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A generator of pseudorandom numbers: xorshift, by Marsaglia.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

struct World {
    exporter: Exporter,
    contexts: Shared,
    memory: Shared,
    pooled: Shared,
    streams: Shared,
    events: Shared,
    pools: Shared,
}

/// The actions. A thread performs one in each step.
const ACTIONS: [fn(&World, &mut Random); 14] = [
    create_context,
    use_context,
    destroy_context,
    use_primary,
    reset_primary,
    allocate,
    use_memory,
    free,
    use_streams,
    use_events,
    import,
    map_physical,
    use_pools,
    change_peers,
];

fn create_context(world: &World, random: &mut Random) {
    let mut context = ptr::null_mut();
    call!(cuCtxCreate(&mut context, 0, random.below(2) as i32));
    call!(cuCtxPopCurrent(&mut ptr::null_mut()));
    call!(cuCtxSetCurrent(context));
    world.contexts.put(context as u64);
}

fn use_context(world: &World, random: &mut Random) {
    let context = world.contexts.one(random) as CUcontext;
    may!(cuCtxSetCurrent(context), []);
    may!(cuCtxGetDevice(&mut 0), []);
    may!(cuCtxSynchronize(), []);
    may!(cuMemGetInfo(&mut 0, &mut 0), []);
}

fn destroy_context(world: &World, random: &mut Random) {
    may!(cuCtxDestroy(world.contexts.take(random) as CUcontext), [INVALID_VALUE]);
}

fn use_primary(_: &World, random: &mut Random) {
    let (mut context, device) = (ptr::null_mut(), random.below(2) as i32);
    call!(cuDevicePrimaryCtxRetain(&mut context, device));
    call!(cuCtxPushCurrent(context));
    let mut memory = 0;
    if may!(cuMemAlloc(&mut memory, 512), []) {
        may!(cuMemsetD8(memory, 1, 512), [INVALID_VALUE]);
    }
    // INVALID_HANDLE: the module was destroyed before the launch.
    let code = calls::spin(Duration::from_micros(50)).err().unwrap_or(SUCCESS);
    is_success("spin", code, &[INVALID_HANDLE]);
    call!(cuCtxPopCurrent(&mut context));
    call!(cuDevicePrimaryCtxRelease(device));
}

fn reset_primary(_: &World, random: &mut Random) {
    call!(cuDevicePrimaryCtxReset(random.below(2) as i32));
}

fn allocate(world: &World, random: &mut Random) {
    let (mut memory, size) = (0, [64, 512, 100_000, GRANULE][random.below(4)]);
    if may!(cuMemAlloc(&mut memory, size), []) {
        world.memory.put(memory);
    }
}

fn use_memory(world: &World, random: &mut Random) {
    let (one, other, mut word) = (world.memory.one(random), world.memory.one(random), 0_u64);
    let stream = world.streams.one(random) as CUstream;
    may!(cuMemsetD8(one, 7, 64), [INVALID_VALUE]);
    may!(cuMemcpyDtoD(one, other, 64), [INVALID_VALUE]);
    may!(cuMemcpyDtoH((&raw mut word).cast(), other, 8), [INVALID_VALUE]);
    may!(cuMemsetD8Async(one, 7, 64, stream), [INVALID_VALUE, INVALID_HANDLE]);
    may!(cuIpcGetMemHandle(&mut CUipcMemHandle::default(), one), [INVALID_VALUE]);
    let kind = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    may!(cuPointerGetAttribute((&raw mut word).cast(), kind, other), [INVALID_VALUE]);
}

fn free(world: &World, random: &mut Random) {
    may!(cuMemFree(world.memory.take(random)), [INVALID_VALUE]);
}

fn use_streams(world: &World, random: &mut Random) {
    let mut stream = ptr::null_mut();
    if may!(cuStreamCreate(&mut stream, random.below(2) as u32), []) {
        world.streams.put(stream as u64);
    }
    let stream = world.streams.one(random) as CUstream;
    may!(cuStreamQuery(stream), [NOT_READY, INVALID_HANDLE]);
    may!(cuStreamSynchronize(stream), [INVALID_HANDLE]);
    // If there is no stream left, this is the null stream, which is not destroyed.
    may!(cuStreamDestroy(world.streams.take(random) as CUstream), [INVALID_HANDLE]);
}

fn use_events(world: &World, random: &mut Random) {
    let mut event = ptr::null_mut();
    if may!(cuEventCreate(&mut event, [0, 6][random.below(2)]), []) {
        world.events.put(event as u64);
    }
    let (event, stream) = (world.events.one(random) as CUevent, world.streams.one(random) as CUstream);
    may!(cuEventRecord(event, stream), [INVALID_HANDLE]);
    may!(cuStreamWaitEvent(stream, event, 0), [INVALID_HANDLE]);
    may!(cuEventQuery(event), [NOT_READY, INVALID_HANDLE]);
    may!(cuEventSynchronize(event), [INVALID_HANDLE]);
    may!(cuIpcGetEventHandle(&mut CUipcEventHandle::default(), event), [INVALID_HANDLE, INVALID_VALUE]);
    may!(cuEventDestroy(world.events.take(random) as CUevent), [INVALID_HANDLE]);
}

fn import(world: &World, _: &mut Random) {
    match world.exporter.open_memory() {
        Ok(memory) => {
            let mut word = 0_u64;
            may!(cuMemcpyDtoH((&raw mut word).cast(), memory, 8), [INVALID_VALUE]);
            may!(cuIpcCloseMemHandle(memory), [INVALID_VALUE]);
        }
        // Another context of the device may have the memory open.
        Err(code) => assert!(!is_success("cuIpcOpenMemHandle", code, &[INVALID_HANDLE])),
    }
    match world.exporter.open_event() {
        Ok(event) => {
            may!(cuEventSynchronize(event), []);
            may!(cuEventDestroy(event), []);
        }
        Err(code) => assert!(!is_success("cuIpcOpenEventHandle", code, &[])),
    }
}

/// Uses physical memory. It does not depend on any context, so every call on it succeeds.
fn map_physical(_: &World, random: &mut Random) {
    let device = CUmemLocation::device(random.below(2) as i32);
    let handle = calls::create_at(device, GRANULE, [NO_TYPE, DESCRIPTOR][random.below(2)]).unwrap();
    let address = calls::map(handle, GRANULE).unwrap();
    calls::grant_to(device, address, GRANULE, calls::READ_WRITE).unwrap();
    if let Ok(descriptor) = calls::export_descriptor(handle) {
        // SAFETY: the descriptor is new, and nothing else owns it.
        let _owned = unsafe { OwnedFd::from_raw_fd(descriptor) };
        calls::release(calls::import_descriptor(descriptor).unwrap()).unwrap();
    }
    may!(cuMemsetD8(address, 3, 64), [INVALID_VALUE]);
    calls::unmap(address, GRANULE).unwrap();
    calls::release(handle).unwrap();
}

fn use_pools(world: &World, random: &mut Random) {
    let (mut pool, mut memory, mut descriptor) = (ptr::null_mut(), 0, -1);
    let properties = CUmemPoolProps {
        allocType: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: DESCRIPTOR,
        location: CUmemLocation::device(random.below(2) as i32),
        ..Default::default()
    };
    call!(cuMemPoolCreate(&mut pool, &properties));
    world.pools.put(pool as u64);
    let output: *mut c_void = (&raw mut descriptor).cast();
    let stream = world.streams.one(random) as CUstream;
    let pool = world.pools.one(random) as cuda_ipc_sys::CUmemoryPool;
    if may!(cuMemPoolExportToShareableHandle(output, pool, DESCRIPTOR, 0), [INVALID_VALUE]) {
        // SAFETY: the descriptor is new, and nothing else owns it.
        drop(unsafe { OwnedFd::from_raw_fd(descriptor) });
    }
    if may!(cuMemAllocFromPoolAsync(&mut memory, 4096, pool, stream), [INVALID_VALUE, INVALID_HANDLE]) {
        world.pooled.put(memory);
    }
    if may!(cuMemAllocAsync(&mut memory, 4096, stream), [INVALID_HANDLE]) {
        world.pooled.put(memory);
    }
    let memory = world.pooled.take(random);
    if !may!(cuMemFreeAsync(memory, stream), [INVALID_VALUE, INVALID_HANDLE]) && memory != 0 {
        world.pooled.put(memory);
    }
    may!(cuMemPoolDestroy(world.pools.take(random) as cuda_ipc_sys::CUmemoryPool), [INVALID_VALUE]);
}

fn change_peers(world: &World, random: &mut Random) {
    let peer = world.contexts.one(random) as CUcontext;
    let refusals = [C::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, C::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED];
    may!(cuCtxEnablePeerAccess(peer, 0), refusals);
    may!(cuCtxDisablePeerAccess(peer), [C::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED]);
}

/// Returns the number of entries of a folder in `/proc/self`.
fn entries(folder: &str) -> usize {
    std::fs::read_dir(format!("/proc/self/{folder}")).expect("/proc is mounted").count()
}

/// Returns the free bytes of each device and the number of descriptors of this process. `.ci/sanitizers` lets the
/// descriptors not count, because ThreadSanitizer opens some.
fn what_is_left() -> ([usize; 2], usize) {
    let free = [0, 1].map(|device| {
        let _context = Context::of_device(device);
        calls::free_bytes()
    });
    let counts_descriptors = std::env::var_os("STRESS_COUNTS_NO_DESCRIPTORS").is_none();
    (free, if counts_descriptors { entries("fd") } else { 0 })
}

/// Destroys everything that the threads have left.
fn end(world: &World) {
    for context in world.contexts.all() {
        call!(cuCtxDestroy(context as CUcontext));
    }
    let _context = Context::new();
    for memory in world.pooled.all() {
        // It may have been freed already: an address is listed twice if a later allocation got it again.
        may!(cuMemFree(memory), [INVALID_VALUE]);
    }
    for pool in world.pools.all() {
        call!(cuMemPoolDestroy(pool as cuda_ipc_sys::CUmemoryPool));
    }
    for device in [0, 1] {
        call!(cuDevicePrimaryCtxReset(device));
        assert_eq!(code!(cuDevicePrimaryCtxRelease(device)), C::CUDA_ERROR_INVALID_CONTEXT, "all are released");
    }
}

tests! {
    fn nothing_is_left_where_sixteen_threads_have_used_everything() {
        call!(cuInit(0));
        let world = World {
            exporter: Exporter::start(),
            contexts: Shared::default(),
            memory: Shared::default(),
            pooled: Shared::default(),
            streams: Shared::default(),
            events: Shared::default(),
            pools: Shared::default(),
        };
        // The file of the interprocess events stays open until the process ends.
        let context = Context::new();
        call!(cuEventCreate(&mut ptr::null_mut(), 6));
        drop(context);
        let (before, threads) = (what_is_left(), entries("task"));
        std::thread::scope(|scope| {
            for number in 1..=THREADS {
                let world = &world;
                scope.spawn(move || {
                    let mut random = Random(number << 32 | 0x9E37_79B9);
                    create_context(world, &mut random);
                    for _ in 0..STEPS {
                        ACTIONS[random.below(ACTIONS.len())](world, &mut random);
                    }
                });
            }
        });
        end(&world);
        assert_eq!(what_is_left(), before);
        // The thread of a destroyed stream ends some time after the destruction.
        let deadline = Instant::now() + Duration::from_secs(10);
        while entries("task") != threads {
            assert!(Instant::now() < deadline, "{} threads instead of {threads}", entries("task"));
            std::thread::yield_now();
        }
    }
}
