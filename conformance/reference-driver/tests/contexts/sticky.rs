//! An error in device code affects its whole process: no context of the process works any longer, and no new one can be
//! created.
//!
//! Two such errors occur here: an illegal address and a misaligned address. No kernel of ours asserts, traps or has a
//! time limit. The calls that return the error are those that return it on an H200 with driver 580.159.04.

use std::ffi::c_void;
use std::ptr;

use cuda_ipc_sys::{CUcontext, CUpointer_attribute as Attribute, CUresult, CUstream};

use crate::calls::{self, Context, GRANULE, read};
use crate::exporter::{Exporter, SEED, WORD};
use crate::resources::{NOWHERE, Resources, allocate};

const ILLEGAL_ADDRESS: CUresult = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;
const MISALIGNED: CUresult = CUresult::CUDA_ERROR_MISALIGNED_ADDRESS;
const SUCCESS: CUresult = CUresult::CUDA_SUCCESS;
const DEFAULT: CUstream = ptr::null_mut();

/// Creates a context with every kind of resource, and makes it current.
fn whole(device: i32) -> (Context, Resources) {
    (Context::of_device(device), Resources::new())
}

/// Creates such a context and makes a kernel fail in it.
fn failed() -> (Context, Resources) {
    let (context, resources) = whole(0);
    assert_eq!(resources.launch(resources.stream), SUCCESS, "the launch itself succeeds");
    assert_eq!(code!(cuCtxSynchronize()), ILLEGAL_ADDRESS);
    (context, resources)
}

fn outputs() -> [u64; 64] {
    [0; 64]
}

/// Makes calls that use the context, which is current. Returns the name and the code of each.
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

/// Makes calls that do not depend on the state of the context. Returns the name and the code of each.
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

/// Makes the calls that create or retain a context of a device, and returns their codes.
fn that_make_contexts(device: i32) -> [CUresult; 2] {
    let mut context = ptr::null_mut();
    [code!(cuCtxCreate(&mut context, 0, device)), code!(cuDevicePrimaryCtxRetain(&mut context, device))]
}

tests! {
    fn every_call_that_touches_a_context_of_the_process_says_so_each_time() {
        let (same_device, other_device) = (whole(0), whole(1));
        let failed = failed();
        let with_a_peer = [(&failed, &same_device), (&same_device, &failed), (&other_device, &failed)];
        for ((context, resources), other) in with_a_peer {
            call!(cuCtxSetCurrent(context.0));
            for _ in 0..2 {
                for (call, code) in that_touch(resources, other.0.0) {
                    assert_eq!(code, ILLEGAL_ADDRESS, "{call}");
                }
            }
        }
    }

    fn calls_that_ask_nothing_of_it_go_on() {
        let (same_device, other_device) = (whole(0), whole(1));
        for (context, resources) in [failed(), same_device, other_device] {
            call!(cuCtxSetCurrent(context.0));
            for (call, code) in that_do_not(&resources, context.0) {
                assert_eq!(code, SUCCESS, "{call}");
            }
            let physical = calls::create(GRANULE, calls::NO_TYPE).unwrap();
            let mapping = calls::map(physical, GRANULE).unwrap();
            calls::grant(mapping, GRANULE, calls::READ_WRITE).unwrap();
            calls::unmap(mapping, GRANULE).unwrap();
            calls::release(physical).unwrap();
        }
    }

    fn the_first_error_is_the_one_that_stays() {
        let other = Context::new();
        let (words, resources) = (allocate(64), Resources::new());
        let _context = Context::new();
        let memory = allocate(64);
        assert_eq!(calls::fill(memory + 2, 1, 1), Err(MISALIGNED));
        assert_eq!(code!(cuMemFree(memory)), MISALIGNED);
        assert_eq!(code!(cuStreamCreate(&mut ptr::null_mut(), 0)), MISALIGNED);
        call!(cuCtxSetCurrent(other.0));
        assert_eq!((resources.launch(DEFAULT), read(words)), (MISALIGNED, Err(MISALIGNED)));
        assert_eq!(that_make_contexts(1), [MISALIGNED; 2]);
    }

    fn work_behind_the_error_is_not_done() {
        let (_context, resources) = whole(0);
        let word = resources.host.cast::<u32>();
        assert_eq!(resources.launch(resources.stream), SUCCESS);
        // The call is either enqueued and never performed, or refused.
        let late = code!(cuMemsetD32Async(word as u64, 7, 1, resources.stream));
        assert!([SUCCESS, ILLEGAL_ADDRESS].contains(&late), "{late}");
        assert_eq!(code!(cuStreamSynchronize(resources.stream)), ILLEGAL_ADDRESS);
        // SAFETY: the memory is page-locked, and no stream writes it any longer.
        assert_eq!(unsafe { word.read_volatile() }, 0);
    }

    fn waits_in_other_contexts_end() {
        let (_waiting, waits) = whole(1);
        let flag = allocate(4);
        call!(cuStreamWaitValue32(waits.stream, flag, 1, 0));
        call!(cuEventRecord(waits.events[0], waits.stream));
        let _failed = failed();
        assert_eq!(code!(cuStreamSynchronize(waits.stream)), ILLEGAL_ADDRESS);
        assert_eq!(code!(cuEventSynchronize(waits.events[0])), ILLEGAL_ADDRESS);
    }

    fn other_processes_go_on() {
        let mut exporter = Exporter::start();
        let (_context, _resources) = failed();
        assert_eq!(exporter.fill(), Ok(()));
    }

    fn what_a_process_that_failed_exported_stays() {
        let mut exporter = Exporter::start();
        let _context = Context::new();
        let memory = exporter.open_memory().unwrap();
        assert_eq!((exporter.fail(), exporter.fill()), (Err(ILLEGAL_ADDRESS), Err(ILLEGAL_ADDRESS)));
        assert_eq!(read(memory), Ok(WORD));
        assert_eq!(calls::fill(memory, 4, SEED), Ok(()));
        assert_eq!(read(memory), Ok(kernels::pattern(SEED, 0)));
        let event = exporter.open_event().unwrap();
        call!(cuEventSynchronize(event));
    }

    fn nothing_heals_the_process() {
        let mut primary = ptr::null_mut();
        call!(cuInit(0));
        call!(cuDevicePrimaryCtxRetain(&mut primary, 0));
        let (context, _resources) = failed();
        for device in [0, 1] {
            assert_eq!(that_make_contexts(device), [ILLEGAL_ADDRESS; 2]);
        }
        call!(cuCtxDestroy(context.0));
        call!(cuDevicePrimaryCtxReset(0));
        call!(cuDevicePrimaryCtxRelease(0));
        call!(cuInit(0));
        for device in [0, 1] {
            assert_eq!(that_make_contexts(device), [ILLEGAL_ADDRESS; 2], "although no context is left");
        }
    }

    fn a_context_that_failed_gives_its_memory_back() {
        let mut exporter = Exporter::start();
        let before = exporter.free_bytes();
        let context = Context::new();
        allocate(GRANULE);
        assert_eq!(calls::fill(NOWHERE, 1, SEED), Err(ILLEGAL_ADDRESS));
        assert_eq!(exporter.free_bytes(), before - GRANULE as u64);
        call!(cuCtxDestroy(context.0));
        assert_eq!(exporter.free_bytes(), before);
    }
}
