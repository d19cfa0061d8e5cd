//! The end of a context: the resources that end with it, and the codes that calls with their handles return afterwards.
//!
//! The documentation leaves calls with those handles undefined. An H200 with driver 580.159.04 returns the codes here;
//! comments mark the calls in which it crashes or returns another code.

use std::ffi::c_void;
use std::ptr;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use cuda_ipc_sys::{CUcontext, CUdeviceptr, CUevent, CUgraphExec, CUresult, CUstream, CUstreamWaitValue_flags};

use crate::calls::{self, Context, GRANULE, INVALID_VALUE, free_bytes, read};
use crate::exporter::{Exporter, WORD};
use crate::resources::{Resources, allocate};

const DESTROYED: CUresult = CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED;
const INVALID_CONTEXT: CUresult = CUresult::CUDA_ERROR_INVALID_CONTEXT;
const INVALID_HANDLE: CUresult = CUresult::CUDA_ERROR_INVALID_HANDLE;
const SUCCESS: CUresult = CUresult::CUDA_SUCCESS;
const DEFAULT: CUstream = ptr::null_mut();
const PER_THREAD: CUstream = ptr::without_provenance_mut(2);

type End = fn(CUcontext) -> CUresult;

fn release(_: CUcontext) -> CUresult {
    code!(cuDevicePrimaryCtxRelease(0))
}

fn reset(_: CUcontext) -> CUresult {
    code!(cuDevicePrimaryCtxReset(0))
}

fn created() -> CUcontext {
    let mut context = ptr::null_mut();
    call!(cuCtxCreate(&mut context, 0, 0));
    context
}

fn primary() -> CUcontext {
    let mut context = ptr::null_mut();
    call!(cuDevicePrimaryCtxRetain(&mut context, 0));
    call!(cuCtxSetCurrent(context));
    context
}

/// Creates a context for each way to end one, and makes it current in this thread.
fn contexts() -> impl Iterator<Item = (CUcontext, End)> {
    type Way = (fn() -> CUcontext, End);
    // A reset leaves the reference, so it comes last.
    let ways: [Way; 3] = [(created, |context| code!(cuCtxDestroy(context))), (primary, release), (primary, reset)];
    ways.into_iter().map(|(make, end)| (make(), end))
}

fn current() -> CUcontext {
    let mut context = ptr::null_mut();
    call!(cuCtxGetCurrent(&mut context));
    context
}

/// Returns the code of an allocation in the current context.
fn allocation() -> CUresult {
    code!(cuMemAlloc(&mut 0, 512))
}

/// Makes calls with the handles of a context that has ended, while another one is current. Returns the name, the code
/// and the expected code of each.
fn answers(gone: &Resources, context: CUcontext, own: CUdeviceptr) -> Vec<(&'static str, CUresult, CUresult)> {
    let mut bytes = [0_u64; 64];
    let output: *mut c_void = bytes.as_mut_ptr().cast();
    let [memory, small] = gone.memory;
    let [event, shared_event] = gone.events;
    vec![
        ("free", code!(cuMemFree(memory)), INVALID_VALUE),
        ("free of a shared block", code!(cuMemFree(small)), INVALID_VALUE),
        ("free of managed memory", code!(cuMemFree(gone.managed)), INVALID_VALUE),
        ("free of host memory", code!(cuMemFreeHost(gone.host)), INVALID_VALUE),
        ("copy", code!(cuMemcpyDtoH(output, memory, 4)), INVALID_VALUE),
        ("copy to host memory", code!(cuMemcpyDtoH(gone.host, own, 4)), INVALID_VALUE),
        ("fill", code!(cuMemsetD8(small, 0, 4)), INVALID_VALUE),
        ("export", code!(cuIpcGetMemHandle(output.cast(), memory)), INVALID_VALUE),
        ("range", code!(cuMemGetAddressRange(output.cast(), ptr::null_mut(), memory)), CUresult::CUDA_ERROR_NOT_FOUND),
        ("event query", code!(cuEventQuery(event)), DESTROYED),
        ("event wait", code!(cuEventSynchronize(shared_event)), DESTROYED),
        ("event record", code!(cuEventRecord(event, DEFAULT)), DESTROYED),
        ("event in a stream", code!(cuStreamWaitEvent(DEFAULT, shared_event, 0)), DESTROYED),
        ("event times", code!(cuEventElapsedTime(output.cast(), event, event)), DESTROYED),
        // The H200 crashes in the next call.
        ("event export", code!(cuIpcGetEventHandle(output.cast(), shared_event)), DESTROYED),
        ("event destroy", code!(cuEventDestroy(event)), DESTROYED),
        // The H200 crashes in each call from here to the destroy of the graph executable.
        ("stream query", code!(cuStreamQuery(gone.stream)), DESTROYED),
        ("stream wait", code!(cuStreamSynchronize(gone.stream)), DESTROYED),
        ("stream context", code!(cuStreamGetCtx(gone.stream, output.cast())), DESTROYED),
        ("stream fill", code!(cuMemsetD8Async(own, 0, 4, gone.stream)), DESTROYED),
        ("stream destroy", code!(cuStreamDestroy(gone.stream)), DESTROYED),
        ("graph with its event", code!(cuGraphLaunch(gone.executable, DEFAULT)), DESTROYED),
        ("peer copy", code!(cuMemcpyPeer(own, current(), own, context, 4)), INVALID_CONTEXT),
        ("graph executable", code!(cuGraphExecDestroy(gone.executable)), SUCCESS),
        ("graph", code!(cuGraphDestroy(gone.graph)), SUCCESS),
        ("function", gone.launch(DEFAULT), INVALID_HANDLE),
        // The H200 returns CUDA_ERROR_INVALID_HANDLE from the next two calls.
        ("function of a module", module_function(gone), DESTROYED),
        ("module", code!(cuModuleUnload(gone.module)), DESTROYED),
        ("version", code!(cuCtxGetApiVersion(context, output.cast())), INVALID_CONTEXT),
        // The H200 returns CUDA_ERROR_CONTEXT_IS_DESTROYED from the next two calls.
        ("peer access", code!(cuCtxEnablePeerAccess(context, 0)), INVALID_CONTEXT),
        ("no peer access", code!(cuCtxDisablePeerAccess(context)), INVALID_CONTEXT),
        ("free of a pool's memory", code!(cuMemFree(gone.pooled)), SUCCESS),
        ("fill of what lives", code!(cuMemsetD8(own, 0, 4)), SUCCESS),
        ("synchronisation", code!(cuCtxSynchronize()), SUCCESS),
    ]
}

fn module_function(gone: &Resources) -> CUresult {
    code!(cuModuleGetFunction(&mut ptr::null_mut(), gone.module, kernels::FILL.entry.as_ptr()))
}

tests! {
    fn handles_of_a_context_that_is_gone_have_codes() {
        let other = Context::new();
        // Allocated before the end: a later allocation may get an address of freed memory.
        let own = allocate(512);
        for (context, end) in contexts() {
            let resources = Resources::new();
            call!(cuCtxSetCurrent(other.0));
            assert_eq!(end(context), SUCCESS);
            for (call, code, expected) in answers(&resources, context, own) {
                assert_eq!(code, expected, "{call}");
            }
        }
    }

    fn all_memory_is_given_back_but_that_of_the_process() {
        let other = Context::new();
        for (context, end) in contexts() {
            call!(cuCtxSetCurrent(other.0));
            let before = free_bytes();
            call!(cuCtxSetCurrent(context));
            let resources = Resources::new();
            let physical = calls::create(GRANULE, calls::NO_TYPE).unwrap();
            let mapping = calls::map(physical, GRANULE).unwrap();
            calls::grant(mapping, GRANULE, calls::READ_WRITE).unwrap();
            assert_eq!(calls::write(mapping, 5), Ok(()));
            assert_eq!(calls::write(resources.pooled, 6), Ok(()));
            // The exported block, the shared block, the pool's block and the physical memory.
            assert_eq!(free_bytes(), before - 4 * GRANULE);
            assert_eq!(end(context), SUCCESS);
            call!(cuCtxSetCurrent(other.0));
            assert_eq!(free_bytes(), before - 2 * GRANULE);
            assert_eq!((read(mapping), read(resources.pooled)), (Ok(5), Ok(6)));
            calls::unmap(mapping, GRANULE).unwrap();
            calls::release(physical).unwrap();
            call!(cuMemFree(resources.pooled));
            assert_eq!(free_bytes(), before);
        }
    }

    fn a_destroyed_context_stays_current_in_another_thread() {
        call!(cuInit(0));
        let context = created();
        let (memory, id) = (allocate(512), context as usize);
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                call!(cuCtxSetCurrent(id as CUcontext));
                barrier.wait();
                barrier.wait();
                assert_eq!(current() as usize, id);
                let (mut size, mut number) = (0, 0);
                let codes = [
                    allocation(),
                    code!(cuMemFree(memory)),
                    code!(cuMemGetInfo(&mut size, &mut 0)),
                    code!(cuCtxSynchronize()),
                    code!(cuCtxGetDevice(&mut number)),
                    code!(cuCtxSetFlags(0)),
                    code!(cuCtxGetApiVersion(ptr::null_mut(), &mut 0)),
                    code!(cuStreamQuery(DEFAULT)),
                    code!(cuStreamSynchronize(PER_THREAD)),
                    code!(cuEventCreate(&mut ptr::null_mut(), 0)),
                ];
                assert_eq!(codes, [DESTROYED; 10]);
                call!(cuCtxPopCurrent(&mut ptr::null_mut()));
                assert!(current().is_null());
            });
            barrier.wait();
            call!(cuCtxDestroy(context));
            assert!(current().is_null(), "the thread that destroys a context pops it");
            barrier.wait();
        });
    }

    fn a_context_pushed_twice_is_popped_once_when_it_is_destroyed() {
        let below = Context::new();
        let context = created();
        call!(cuCtxPushCurrent(context));
        call!(cuCtxDestroy(context));
        assert_eq!((current(), allocation()), (context, DESTROYED));
        call!(cuCtxPopCurrent(&mut ptr::null_mut()));
        assert_eq!((current(), allocation()), (below.0, SUCCESS));
    }

    fn a_destroyed_context_can_be_made_current_and_nothing_else() {
        let other = Context::new();
        let context = created();
        call!(cuCtxSetCurrent(other.0));
        call!(cuCtxDestroy(context));
        assert_eq!(current(), other.0, "only a current context is popped");
        assert_eq!(code!(cuCtxDestroy(context)), DESTROYED);
        call!(cuCtxPushCurrent(context));
        assert_eq!(allocation(), DESTROYED);
        call!(cuCtxPopCurrent(&mut ptr::null_mut()));
        assert_eq!(allocation(), SUCCESS);
        for never in [ptr::without_provenance_mut(1), ptr::without_provenance_mut(usize::MAX)] {
            assert_eq!(code!(cuCtxSetCurrent(never)), INVALID_CONTEXT);
            assert_eq!(code!(cuCtxPushCurrent(never)), INVALID_CONTEXT);
            assert_eq!(code!(cuCtxDestroy(never)), INVALID_CONTEXT);
        }
    }

    fn a_reset_primary_context_comes_back_empty_under_its_handle() {
        call!(cuInit(0));
        let ends: [(End, usize); 2] = [(reset, 2), (release, 1)];
        for (end, references) in ends {
            let context = primary();
            let resources = Resources::new();
            assert_eq!(end(context), SUCCESS);
            assert_eq!((current(), allocation()), (context, DESTROYED));
            assert_eq!(primary(), context);
            assert_eq!(code!(cuMemFree(resources.memory[0])), INVALID_VALUE);
            assert_eq!(allocation(), SUCCESS);
            assert_eq!(code!(cuEventQuery(resources.events[0])), DESTROYED);
            for _ in 0..references {
                call!(cuDevicePrimaryCtxRelease(0));
            }
            assert_eq!(code!(cuDevicePrimaryCtxRelease(0)), INVALID_CONTEXT);
        }
    }

    fn pending_work_ends_with_its_context_and_so_do_waits_for_it() {
        let other = Context::new();
        let mut flag: *mut c_void = ptr::null_mut();
        call!(cuMemAllocHost(&mut flag, 4096));
        for (context, end) in contexts() {
            let resources = Resources::new();
            let never = |stream| {
                let flags = CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_GEQ.0;
                call!(cuStreamWaitValue32(stream, flag as CUdeviceptr, 1, flags));
            };
            [resources.stream, DEFAULT, PER_THREAD].into_iter().for_each(never);
            resources.events.iter().for_each(|event| call!(cuEventRecord(*event, resources.stream)));
            call!(cuMemFreeAsync(resources.pooled, resources.stream));
            assert_eq!(code!(cuStreamQuery(resources.stream)), CUresult::CUDA_ERROR_NOT_READY);
            let [event, shared_event] = resources.events.map(|event| event as usize);
            let (stream, id) = (resources.stream as usize, context as usize);
            let begun = Barrier::new(5);
            std::thread::scope(|scope| {
                let wait_for_event = |event: usize| code!(cuEventSynchronize(event as CUevent));
                type Wait = fn(usize) -> CUresult;
                let waits: [(Wait, usize); 4] = [
                    (|stream| code!(cuStreamSynchronize(stream as CUstream)), stream),
                    (|_| code!(cuCtxSynchronize()), 0),
                    (wait_for_event, event),
                    (wait_for_event, shared_event),
                ];
                for (wait, handle) in waits {
                    let begun = &begun;
                    scope.spawn(move || {
                        call!(cuCtxSetCurrent(id as CUcontext));
                        begun.wait();
                        assert_eq!(wait(handle), DESTROYED);
                    });
                }
                begun.wait();
                assert_eq!(end(context), SUCCESS);
            });
            call!(cuCtxSetCurrent(other.0));
            assert_eq!(code!(cuMemFree(resources.pooled)), INVALID_VALUE, "the pending free was performed");
        }
        // SAFETY: the memory has 4096 bytes; the streams only read it, and they are gone.
        assert_eq!(unsafe { AtomicU32::from_ptr(flag.cast()) }.load(Ordering::SeqCst), 0);
    }

    /// The reset waits for the host function, which meanwhile makes a call that needs a lock of the reset.
    fn a_host_function_is_refused_while_its_context_is_reset() {
        unsafe extern "C" fn ask(begun: *mut c_void) {
            // SAFETY: the pointer is to the flag below, whose owner waits for this function.
            unsafe { AtomicU32::from_ptr(begun.cast()) }.store(1, Ordering::SeqCst);
            let end = Instant::now() + Duration::from_millis(50);
            while Instant::now() < end {
                let mut context = ptr::null_mut();
                assert_eq!(code!(cuDevicePrimaryCtxRetain(&mut context, 0)), CUresult::CUDA_ERROR_NOT_PERMITTED);
            }
        }
        call!(cuInit(0));
        primary();
        let begun = AtomicU32::new(0);
        call!(cuLaunchHostFunc(DEFAULT, Some(ask), begun.as_ptr().cast()));
        while begun.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        call!(cuDevicePrimaryCtxReset(0));
        call!(cuDevicePrimaryCtxRelease(0));
    }

    fn peer_access_goes_with_either_context() {
        let here = Context::new();
        let enable = |from: CUcontext, to: CUcontext| {
            call!(cuCtxSetCurrent(from));
            code!(cuCtxEnablePeerAccess(to, 0))
        };
        let there = Context::of_device(1);
        let memory = allocate(GRANULE);
        assert_eq!(enable(here.0, there.0), SUCCESS);
        assert_eq!(enable(there.0, here.0), SUCCESS);
        call!(cuCtxSetCurrent(here.0));
        assert_eq!(calls::fill(memory, 1, 1), Ok(()), "a kernel can use it");
        call!(cuCtxDestroy(there.0));
        call!(cuCtxSynchronize());
        assert_eq!(read(memory), Err(INVALID_VALUE));
        assert_eq!(code!(cuCtxDisablePeerAccess(there.0)), INVALID_CONTEXT);
        let again = Context::of_device(1);
        assert_eq!(enable(here.0, again.0), SUCCESS, "the access to the destroyed one is gone");
    }

    fn imports_go_with_the_importing_context_and_the_exporter_stays() {
        let exporter = Exporter::start();
        let other = Context::new();
        for (context, end) in contexts() {
            let (memory, event) = (exporter.open_memory().unwrap(), exporter.open_event().unwrap());
            assert_eq!((read(memory), code!(cuEventSynchronize(event))), (Ok(WORD), SUCCESS));
            call!(cuCtxSetCurrent(other.0));
            assert_eq!(exporter.open_memory(), Err(INVALID_HANDLE), "another context has the memory open");
            assert_eq!(end(context), SUCCESS);
            assert_eq!(read(memory), Err(INVALID_VALUE));
            assert_eq!(code!(cuIpcCloseMemHandle(memory)), INVALID_VALUE);
            assert_eq!([code!(cuEventQuery(event)), code!(cuEventDestroy(event))], [DESTROYED; 2]);
            let again = exporter.open_memory().unwrap();
            assert_eq!(read(again), Ok(WORD));
            call!(cuIpcCloseMemHandle(again));
        }
    }

    fn a_graph_outlives_the_context_it_was_made_in() {
        let other = Context::new();
        let context = created();
        let (mut graph, mut executable): (_, CUgraphExec) = (ptr::null_mut(), ptr::null_mut());
        call!(cuGraphCreate(&mut graph, 0));
        call!(cuCtxDestroy(context));
        assert_eq!(current(), other.0);
        call!(cuGraphInstantiateWithFlags(&mut executable, graph, 0));
        call!(cuGraphLaunch(executable, DEFAULT));
        call!(cuGraphExecDestroy(executable));
        call!(cuGraphDestroy(graph));
    }
}
