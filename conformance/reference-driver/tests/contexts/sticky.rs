//! An error of device code stays with its context.
//!
//! Two can be had here: an address that the kernel may not touch, and one that is not aligned. No kernel of ours
//! asserts, traps or is given a time limit. Which calls say so is what an H200 with driver 580.159.04 does. There, as
//! documented, nothing in the process works any more; here the other contexts do, so that a program can be tested for
//! more than one failure.

use std::ffi::c_void;
use std::ptr;

use cuda_ipc_sys::{CUcontext, CUpointer_attribute as Attribute, CUresult, CUstream};

use crate::calls::{self, Context, GRANULE, read};
use crate::exporter::{Exporter, WORD};
use crate::resources::{Resources, allocate};

const ILLEGAL_ADDRESS: CUresult = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;
const MISALIGNED: CUresult = CUresult::CUDA_ERROR_MISALIGNED_ADDRESS;
const SUCCESS: CUresult = CUresult::CUDA_SUCCESS;
const DEFAULT: CUstream = ptr::null_mut();

/// A context with everything, in which a kernel has failed. It is current.
fn failed() -> (Context, Resources) {
    let context = Context::new();
    let resources = Resources::new();
    assert_eq!(resources.launch(resources.stream), SUCCESS, "the launch itself is fine");
    assert_eq!(code!(cuCtxSynchronize()), ILLEGAL_ADDRESS);
    (context, resources)
}

fn outputs() -> [u64; 64] {
    [0; 64]
}

/// Calls that touch the context, which is current and has failed.
fn that_touch(of: &Resources, other: CUcontext) -> Vec<(&'static str, CUresult)> {
    let mut bytes = outputs();
    let output: *mut c_void = bytes.as_mut_ptr().cast();
    let Resources { memory: [memory, _], host, stream, events: [event, shared_event], module, .. } = *of;
    let mut object = ptr::null_mut();
    let ptx = kernels::FILL.ptx.as_ptr().cast();
    vec![
        ("synchronisation", code!(cuCtxSynchronize())),
        ("allocation", code!(cuMemAlloc(output.cast(), 64))),
        ("information", code!(cuMemGetInfo(output.cast(), output.cast()))),
        ("copy to the host", code!(cuMemcpyDtoH(output, memory, 4))),
        ("copy to the device", code!(cuMemcpyHtoD(memory, output, 4))),
        ("fill", code!(cuMemsetD8(memory, 0, 4))),
        ("fill in a stream", code!(cuMemsetD8Async(memory, 0, 4, stream))),
        ("write of a value", code!(cuStreamWriteValue32(stream, memory, 1, 0))),
        ("launch", of.launch(stream)),
        ("graph", code!(cuGraphLaunch(of.executable, stream))),
        ("stream", code!(cuStreamCreate(output.cast(), 0))),
        ("stream query", code!(cuStreamQuery(stream))),
        ("default stream query", code!(cuStreamQuery(DEFAULT))),
        ("stream wait", code!(cuStreamSynchronize(stream))),
        ("stream context", code!(cuStreamGetCtx(stream, output.cast()))),
        ("stream capture", code!(cuStreamIsCapturing(stream, output.cast()))),
        ("event", code!(cuEventCreate(output.cast(), 0))),
        ("interprocess event", code!(cuEventCreate(output.cast(), 6))),
        ("event query", code!(cuEventQuery(event))),
        ("event wait", code!(cuEventSynchronize(event))),
        ("event record", code!(cuEventRecord(event, stream))),
        ("event in a stream", code!(cuStreamWaitEvent(stream, event, 0))),
        ("event times", code!(cuEventElapsedTime(output.cast(), event, event))),
        ("event export", code!(cuIpcGetEventHandle(output.cast(), shared_event))),
        ("memory export", code!(cuIpcGetMemHandle(output.cast(), memory))),
        ("range", code!(cuMemGetAddressRange(output.cast(), ptr::null_mut(), memory))),
        ("module", code!(cuModuleLoadData(&mut object, ptx))),
        ("function", code!(cuModuleGetFunction(&mut ptr::null_mut(), module, kernels::FILL.entry.as_ptr()))),
        ("host memory", code!(cuMemAllocHost(output.cast(), 64))),
        ("host pointer", code!(cuMemHostGetDevicePointer(output.cast(), host, 0))),
        ("managed memory", code!(cuMemAllocManaged(output.cast(), 64, 1))),
        ("pool allocation", code!(cuMemAllocAsync(output.cast(), 64, stream))),
        ("pool free", code!(cuMemFreeAsync(of.pooled, stream))),
        ("peer access", code!(cuCtxEnablePeerAccess(other, 0))),
        ("free", code!(cuMemFree(memory))),
        ("free of host memory", code!(cuMemFreeHost(host))),
        ("event destroy", code!(cuEventDestroy(event))),
        ("stream destroy", code!(cuStreamDestroy(stream))),
        ("module unload", code!(cuModuleUnload(module))),
    ]
}

/// Calls that ask nothing of the context.
fn that_do_not(of: &Resources, context: CUcontext) -> Vec<(&'static str, CUresult)> {
    let mut bytes = outputs();
    let output: *mut c_void = bytes.as_mut_ptr().cast();
    let memory = of.memory[0];
    let get = |attribute| code!(cuPointerGetAttribute(output, attribute, memory));
    let value = 1_u32;
    let set = |attribute| code!(cuPointerSetAttribute((&raw const value).cast(), attribute, memory));
    vec![
        ("current", code!(cuCtxGetCurrent(output.cast()))),
        ("push", code!(cuCtxPushCurrent(context))),
        ("pop", code!(cuCtxPopCurrent(output.cast()))),
        ("device", code!(cuCtxGetDevice(output.cast()))),
        ("flags", code!(cuCtxGetFlags(output.cast()))),
        ("set flags", code!(cuCtxSetFlags(0))),
        ("version", code!(cuCtxGetApiVersion(context, output.cast()))),
        ("memory type", get(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE)),
        ("access", get(Attribute::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS)),
        ("set attribute", set(Attribute::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)),
        ("default pool", code!(cuDeviceGetDefaultMemPool(output.cast(), 0))),
        ("reservation", code!(cuMemAddressReserve(output.cast(), GRANULE, 0, 0, 0))),
        ("graph", code!(cuGraphCreate(output.cast(), 0))),
        ("peers", code!(cuDeviceCanAccessPeer(output.cast(), 0, 1))),
        ("primary context", code!(cuDevicePrimaryCtxGetState(0, output.cast(), output.cast()))),
    ]
}

tests! {
    fn every_call_that_touches_the_context_says_so_each_time() {
        let other = Context::new();
        let (_context, resources) = failed();
        for _ in 0..2 {
            for (call, code) in that_touch(&resources, other.0) {
                assert_eq!(code, ILLEGAL_ADDRESS, "{call}");
            }
        }
    }

    fn calls_that_ask_nothing_of_it_go_on() {
        let (context, resources) = failed();
        for (call, code) in that_do_not(&resources, context.0) {
            assert_eq!(code, SUCCESS, "{call}");
        }
        let physical = calls::create(GRANULE, calls::NO_TYPE).unwrap();
        let mapping = calls::map(physical, GRANULE).unwrap();
        calls::grant(mapping, GRANULE, calls::READ_WRITE).unwrap();
        calls::unmap(mapping, GRANULE).unwrap();
        calls::release(physical).unwrap();
    }

    fn the_first_error_is_the_one_that_stays() {
        let _context = Context::new();
        let memory = allocate(64);
        assert_eq!(calls::fill(memory + 2, 1, 1), Err(MISALIGNED));
        assert_eq!(code!(cuMemFree(memory)), MISALIGNED);
        let resources = code!(cuStreamCreate(&mut ptr::null_mut(), 0));
        assert_eq!(resources, MISALIGNED);
    }

    fn work_behind_the_error_is_not_done() {
        let other = Context::new();
        let words = allocate(GRANULE);
        let _context = Context::new();
        let resources = Resources::new();
        assert_eq!(resources.launch(resources.stream), SUCCESS);
        // Either it is enqueued and never done, or refused.
        let late = code!(cuMemsetD32Async(words, 7, 1, resources.stream));
        assert!([SUCCESS, ILLEGAL_ADDRESS].contains(&late), "{late}");
        assert_eq!(code!(cuStreamSynchronize(resources.stream)), ILLEGAL_ADDRESS);
        call!(cuCtxSetCurrent(other.0));
        assert_eq!(read(words), Ok(0));
    }

    fn other_contexts_and_processes_go_on() {
        let exporter = Exporter::start();
        let same_device = Context::new();
        let memory = allocate(64);
        let other_device = Context::of_device(1);
        let (_context, resources) = failed();
        for context in [same_device.0, other_device.0] {
            call!(cuCtxSetCurrent(context));
            call!(cuCtxSynchronize());
            assert_eq!(calls::fill(allocate(64), 1, 1), Ok(()));
        }
        call!(cuCtxSetCurrent(same_device.0));
        assert_eq!(code!(cuMemFree(resources.memory[0])), ILLEGAL_ADDRESS, "it would wait for the failed one");
        call!(cuMemFree(memory));
        assert_eq!(read(exporter.open_memory().unwrap()), Ok(WORD));
    }

    fn a_failed_context_is_destroyed_and_a_new_one_works() {
        let other = Context::new();
        let before = calls::free_bytes();
        let (context, resources) = failed();
        call!(cuCtxDestroy(context.0));
        let _new = Context::new();
        assert_eq!(calls::fill(allocate(64), 1, 1), Ok(()));
        drop(_new);
        call!(cuCtxSetCurrent(other.0));
        call!(cuMemFree(resources.pooled));
        assert_eq!(calls::free_bytes(), before);
    }

    fn a_failed_primary_context_works_after_a_reset() {
        let mut context = ptr::null_mut();
        call!(cuInit(0));
        call!(cuDevicePrimaryCtxRetain(&mut context, 0));
        call!(cuCtxSetCurrent(context));
        assert_eq!(Resources::new().launch(DEFAULT), SUCCESS);
        assert_eq!(code!(cuCtxSynchronize()), ILLEGAL_ADDRESS);
        call!(cuDevicePrimaryCtxRetain(&mut context, 0));
        assert_eq!(code!(cuCtxSynchronize()), ILLEGAL_ADDRESS, "retaining does not heal it");
        call!(cuDevicePrimaryCtxReset(0));
        assert_eq!(code!(cuCtxSynchronize()), CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED);
        call!(cuDevicePrimaryCtxRetain(&mut context, 0));
        call!(cuCtxSynchronize());
        assert_eq!(calls::fill(allocate(64), 1, 1), Ok(()));
    }
}
