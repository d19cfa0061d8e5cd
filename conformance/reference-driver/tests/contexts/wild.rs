//! Null pointers and invalid handles: every call returns a code, and none crashes.

use std::ffi::c_void;
use std::ptr;

use cuda_ipc_sys::{CUresult, CUstream};
use reference_driver::{UNSUPPORTED, UNSUPPORTED_OF_RUNTIME};

use crate::calls::{Context, GRANULE};
use crate::functions::{functions, with_zeros};
use crate::resources::{Resources, allocate};

const UNKNOWN: CUresult = CUresult::CUDA_ERROR_UNKNOWN;
const SUCCESS: CUresult = CUresult::CUDA_SUCCESS;

/// Functions for which zeros are valid: no bytes, no output, the first device, the default stream or no flags.
const RIGHT_IN_A_CONTEXT: [&str; 29] = [
    "cuInit",
    "cuDevicePrimaryCtxReset_v2",
    "cuCtxPopCurrent_v2",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuCtxSetFlags",
    "cuCtxGetStreamPriorityRange",
    "cuProfilerStart",
    "cuProfilerStop",
    "cuStreamQuery",
    "cuStreamSynchronize",
    "cuMemFree_v2",
    "cuMemcpy",
    "cuMemcpyHtoD_v2",
    "cuMemcpyDtoH_v2",
    "cuMemcpyDtoD_v2",
    "cuMemcpyAsync",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyDtoDAsync_v2",
    "cuMemsetD8_v2",
    "cuMemsetD16_v2",
    "cuMemsetD32_v2",
    "cuMemsetD8Async",
    "cuMemsetD16Async",
    "cuMemsetD32Async",
    "cuMemsetD2D8_v2",
    "cuMemsetD2D8Async",
    "cuMemFreeAsync",
];

/// The same for the runtime, which makes a context current if there is none.
const RIGHT_OF_RUNTIME: [&str; 17] = [
    "cudaPeekAtLastError",
    "cudaSetDevice",
    "cudaDeviceSynchronize",
    "cudaDeviceReset",
    "cudaDeviceGetStreamPriorityRange",
    "cudaStreamSynchronize",
    "cudaStreamQuery",
    "cudaFree",
    "cudaFreeHost",
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cudaMemcpyPeer",
    "cudaMemcpyPeerAsync",
    "cudaMemset",
    "cudaMemsetAsync",
    "cudaMemcpy2DAsync",
    "cudaFreeAsync",
];

/// Calls functions with zeros, each after `prepare`, and returns their names and codes.
fn codes(is_meant: fn(&str) -> bool, prepare: impl Fn()) -> Vec<(&'static str, CUresult)> {
    let functions = functions().into_iter().map(|(name, function)| (name.to_str().expect("ASCII"), function));
    let ask = |(name, function)| {
        prepare();
        (name, CUresult(with_zeros(function)))
    };
    let answers: Vec<_> = functions.filter(|(name, _)| is_meant(name)).map(ask).collect();
    assert!(answers.iter().all(|(_, code)| *code != UNKNOWN), "{answers:?}");
    answers
}

/// Returns the names of the functions that returned a code.
fn with_code(code: CUresult, answers: &[(&'static str, CUresult)]) -> Vec<&'static str> {
    answers.iter().filter(|(_, found)| *found == code).map(|(name, _)| *name).collect()
}

fn is_of_runtime(name: &str) -> bool {
    name.starts_with("cuda")
}

/// Makes calls with an invalid handle or address, and returns their names and codes.
fn answers(wild: usize) -> Vec<(&'static str, CUresult)> {
    let mut bytes = [0_u64; 64];
    let output: *mut c_void = bytes.as_mut_ptr().cast();
    let (object, address) = (wild as *mut c_void, wild as u64);
    let default: CUstream = ptr::null_mut();
    let own = allocate(512);
    let fill = kernels::FILL.entry.as_ptr();
    vec![
        ("cuStreamQuery", code!(cuStreamQuery(object.cast()))),
        ("cuStreamSynchronize", code!(cuStreamSynchronize(object.cast()))),
        ("cuStreamDestroy", code!(cuStreamDestroy(object.cast()))),
        ("cuStreamGetCtx", code!(cuStreamGetCtx(object.cast(), output.cast()))),
        ("cuMemsetD8Async", code!(cuMemsetD8Async(own, 0, 4, object.cast()))),
        ("cuMemAllocAsync", code!(cuMemAllocAsync(output.cast(), 64, object.cast()))),
        ("cuStreamWaitValue32", code!(cuStreamWaitValue32(default, address, 0, 0))),
        ("cuStreamWriteValue64", code!(cuStreamWriteValue64(default, address, 0, 0))),
        ("cuEventQuery", code!(cuEventQuery(object.cast()))),
        ("cuEventSynchronize", code!(cuEventSynchronize(object.cast()))),
        ("cuEventRecord", code!(cuEventRecord(object.cast(), default))),
        ("cuEventDestroy", code!(cuEventDestroy(object.cast()))),
        ("cuEventElapsedTime", code!(cuEventElapsedTime(output.cast(), object.cast(), object.cast()))),
        ("cuStreamWaitEvent", code!(cuStreamWaitEvent(default, object.cast(), 0))),
        ("cuIpcGetEventHandle", code!(cuIpcGetEventHandle(output.cast(), object.cast()))),
        ("cuModuleUnload", code!(cuModuleUnload(object.cast()))),
        ("cuModuleGetFunction", code!(cuModuleGetFunction(output.cast(), object.cast(), fill))),
        (
            "cuLaunchKernel",
            code!(cuLaunchKernel(object.cast(), 1, 1, 1, 1, 1, 1, 0, default, ptr::null_mut(), ptr::null_mut())),
        ),
        ("cuGraphLaunch", code!(cuGraphLaunch(object.cast(), default))),
        ("cuGraphDestroy", code!(cuGraphDestroy(object.cast()))),
        ("cuGraphExecDestroy", code!(cuGraphExecDestroy(object.cast()))),
        ("cuGraphInstantiateWithFlags", code!(cuGraphInstantiateWithFlags(output.cast(), object.cast(), 0))),
        ("cuMemPoolDestroy", code!(cuMemPoolDestroy(object.cast()))),
        ("cuMemPoolTrimTo", code!(cuMemPoolTrimTo(object.cast(), 0))),
        ("cuDeviceSetMemPool", code!(cuDeviceSetMemPool(0, object.cast()))),
        ("cuMemAllocFromPoolAsync", code!(cuMemAllocFromPoolAsync(output.cast(), 64, object.cast(), default))),
        ("cuMemRelease", code!(cuMemRelease(address))),
        ("cuMemMap", code!(cuMemMap(address, GRANULE, 0, address, 0))),
        ("cuMemUnmap", code!(cuMemUnmap(address, GRANULE))),
        ("cuMemAddressFree", code!(cuMemAddressFree(address, GRANULE))),
        ("cuMemRetainAllocationHandle", code!(cuMemRetainAllocationHandle(output.cast(), object))),
        ("cuMulticastAddDevice", code!(cuMulticastAddDevice(address, 0))),
        ("cuMulticastUnbind", code!(cuMulticastUnbind(address, 0, 0, GRANULE))),
        ("cuMemFree", code!(cuMemFree(address))),
        ("cuMemFreeAsync", code!(cuMemFreeAsync(address, default))),
        ("cuMemFreeHost", code!(cuMemFreeHost(object))),
        ("cuMemHostUnregister", code!(cuMemHostUnregister(object))),
        ("cuMemHostRegister", code!(cuMemHostRegister(object, GRANULE, 0))),
        ("cuMemHostGetDevicePointer", code!(cuMemHostGetDevicePointer(output.cast(), object, 0))),
        ("cuIpcGetMemHandle", code!(cuIpcGetMemHandle(output.cast(), address))),
        ("cuIpcCloseMemHandle", code!(cuIpcCloseMemHandle(address))),
        ("cuMemPoolExportPointer", code!(cuMemPoolExportPointer(output.cast(), address))),
        ("cuMemGetAddressRange", code!(cuMemGetAddressRange(output.cast(), ptr::null_mut(), address))),
        ("cuMemcpyDtoH", code!(cuMemcpyDtoH(output, address, 8))),
        ("cuMemcpyHtoD", code!(cuMemcpyHtoD(address, output, 8))),
        ("cuMemcpyDtoH to there", code!(cuMemcpyDtoH(object, own, 8))),
        ("cuMemcpyHtoD from there", code!(cuMemcpyHtoD(own, object, 8))),
        ("cuMemcpy", code!(cuMemcpy(own, address, 8))),
        ("cuMemcpyDtoD of all memory", code!(cuMemcpyDtoD(own, own, wild.max(1 << 20)))),
        ("cuMemcpyPeer", code!(cuMemcpyPeer(own, object.cast(), own, object.cast(), 8))),
        ("cuMemsetD32", code!(cuMemsetD32(address, 0, 2))),
        ("cuCtxSetCurrent", code!(cuCtxSetCurrent(object.cast()))),
        ("cuCtxPushCurrent", code!(cuCtxPushCurrent(object.cast()))),
        ("cuCtxDestroy", code!(cuCtxDestroy(object.cast()))),
        ("cuCtxGetApiVersion", code!(cuCtxGetApiVersion(object.cast(), output.cast()))),
        ("cuCtxRecordEvent", code!(cuCtxRecordEvent(object.cast(), object.cast()))),
        ("cuCtxEnablePeerAccess", code!(cuCtxEnablePeerAccess(object.cast(), 0))),
        ("cuCtxDisablePeerAccess", code!(cuCtxDisablePeerAccess(object.cast()))),
    ]
}

tests! {
    fn null_is_refused_by_every_call_that_wants_something() {
        call!(cuInit(0));
        let of_driver = |name: &str| !is_of_runtime(name);
        let right =
            ["cuInit", "cuDevicePrimaryCtxReset_v2", "cuCtxSetCurrent", "cuCtxGetStreamPriorityRange", "cuMemFree_v2"];
        assert_eq!(with_code(SUCCESS, &codes(of_driver, || ())), right, "without a context");
        let context = Context::new();
        let _resources = Resources::new();
        let found = codes(of_driver, || call!(cuCtxSetCurrent(context.0)));
        assert_eq!(with_code(SUCCESS, &found), RIGHT_IN_A_CONTEXT, "with a context");
    }

    fn null_is_refused_by_every_call_of_the_runtime_that_wants_something() {
        assert_eq!(with_code(SUCCESS, &codes(is_of_runtime, || ())), RIGHT_OF_RUNTIME);
    }

    fn what_is_not_written_is_listed_with_its_reason() {
        let context = Context::new();
        // A function that is implemented refuses null before it returns that something is unsupported.
        let answers = codes(|_| true, || call!(cuCtxSetCurrent(context.0)));
        let reasons = || UNSUPPORTED.iter().chain(UNSUPPORTED_OF_RUNTIME);
        let mut listed: Vec<_> = reasons().map(|(name, _)| *name).collect();
        let mut found = with_code(CUresult::CUDA_ERROR_NOT_SUPPORTED, &answers);
        listed.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, listed);
        assert!(reasons().all(|(_, reason)| !reason.is_empty()));
    }

    fn an_ordinal_that_is_none_is_an_invalid_device() {
        call!(cuInit(0));
        let (mut number, mut object) = (0, ptr::null_mut());
        for wild in [-1, 2, i32::MAX, i32::MIN] {
            let codes = [
                code!(cuDeviceGet(&mut number, wild)),
                code!(cuCtxCreate(&mut object, 0, wild)),
                code!(cuDevicePrimaryCtxRetain(&mut object, wild)),
                code!(cuDevicePrimaryCtxRelease(wild)),
                code!(cuDevicePrimaryCtxReset(wild)),
                code!(cuDevicePrimaryCtxGetState(wild, &mut 0, &mut number)),
                code!(cuDeviceCanAccessPeer(&mut number, wild, 0)),
                code!(cuDeviceCanAccessPeer(&mut number, 0, wild)),
                code!(cuDeviceTotalMem(&mut 0, wild)),
            ];
            assert_eq!(codes, [CUresult::CUDA_ERROR_INVALID_DEVICE; 9], "{wild}");
        }
    }

    fn a_handle_that_is_none_has_a_code_everywhere() {
        let _context = Context::new();
        // Odd and unaligned numbers, addresses that no program has mapped, the last address, and numbers near handles.
        for wild in [3, 0xFF, 0x1234, 1 << 47, usize::MAX, usize::MAX << 8, 0x7FFF_FFFF] {
            for (call, code) in answers(wild) {
                assert!(code != SUCCESS && code != UNKNOWN, "{call} of {wild:#x}: {code}");
            }
        }
        call!(cuCtxSynchronize());
    }
}
