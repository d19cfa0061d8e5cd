//! What programs like PyTorch ask of the runtime besides memory: properties, rows, captures and the driver's functions.

use std::ffi::{c_char, c_void};
use std::ptr;

use cuda_ipc_sys::runtime::{
    cudaDeviceProp, cudaDriverEntryPointQueryResult as Query, cudaError, cudaMemcpyKind as Kind,
    cudaStreamCaptureMode as Mode, cudaStreamCaptureStatus as Status,
};
use cuda_ipc_sys::{CUdevice_attribute as A, CUuuid};

use crate::*;

fn stream() -> CUstream {
    let mut stream = ptr::null_mut();
    call!(cudaStreamCreate(&mut stream));
    stream
}

fn bytes_of(memory: *const c_void, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    call!(cudaMemcpy(bytes.as_mut_ptr().cast(), memory, count, Kind::cudaMemcpyDeviceToHost));
    bytes
}

fn attribute(attribute: A, device: i32) -> i32 {
    let mut value = -1;
    driver_call!(cuDeviceGetAttribute(&mut value, attribute, device));
    value
}

tests! {
    fn the_properties_of_a_device_are_its_attributes() {
        let mut properties = cudaDeviceProp::default();
        call!(cudaGetDeviceProperties(&mut properties, 1));
        let (mut uuid, mut size) = (CUuuid::default(), 0);
        driver_call!(cuDeviceGetUuid(&mut uuid, 1));
        driver_call!(cuDeviceTotalMem(&mut size, 1));
        assert_eq!(text(properties.name.as_ptr()), "Reference device (software, CUDA 13.0)");
        assert_eq!((properties.uuid.bytes, properties.totalGlobalMem), (uuid.bytes, size));
        for (found, expected) in [
            (properties.major, A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
            (properties.warpSize, A::CU_DEVICE_ATTRIBUTE_WARP_SIZE),
            (properties.maxThreadsDim[2], A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z),
            (properties.maxGridSize[1], A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
            (properties.multiProcessorCount, A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
            (properties.maxThreadsPerMultiProcessor, A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
            (properties.unifiedAddressing, A::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING),
            (properties.managedMemory, A::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY),
            (properties.memoryPoolsSupported, A::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED),
            (properties.ipcEventSupported, A::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED),
            (properties.pciBusID, A::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
        ] {
            assert_eq!(found, attribute(expected, 1), "{expected:?}");
            assert_ne!(found, 0, "{expected:?}");
        }
        // Programs divide by the one and compare with the other.
        assert!(properties.maxThreadsPerMultiProcessor >= properties.maxThreadsPerBlock);
        assert_eq!(code!(cudaGetDeviceProperties(&mut properties, 2)), INVALID_DEVICE);
        assert_eq!(code!(cudaGetDeviceProperties(ptr::null_mut(), 0)), INVALID_VALUE);
    }

    fn rows_are_copied_and_what_is_between_them_stays() {
        let memory = memory(64);
        call!(cudaMemset(memory, 0xee, 64));
        let rows: Vec<u8> = (0..12).collect();
        let copy = |pitch, width| {
            let (source, kind) = (rows.as_ptr().cast(), Kind::cudaMemcpyHostToDevice);
            code!(cudaMemcpy2DAsync(memory, 16, source, pitch, width, 3, kind, DEFAULT))
        };
        assert_eq!(copy(4, 3), SUCCESS);
        let found = bytes_of(memory, 64);
        for (row, found) in found.chunks(16).enumerate() {
            let first = (row * 4) as u8;
            let expected = if row < 3 { [first, first + 1, first + 2, 0xee] } else { [0xee; 4] };
            assert_eq!((&found[..4], &found[4..]), (&expected[..], &[0xee; 12][..]), "row {row}");
        }
        assert_eq!([copy(4, 5), copy(20, 17)], [cudaError::cudaErrorInvalidPitchValue; 2]);
    }

    fn captured_work_is_done_by_its_graph() {
        let (memory, stream) = (memory(16), stream());
        let (mut graph, mut executable, mut status, mut nodes) = (ptr::null_mut(), ptr::null_mut(), Status(9), 0);
        call!(cudaMemset(memory, 1, 16));
        call!(cudaStreamBeginCapture(stream, Mode::cudaStreamCaptureModeThreadLocal));
        call!(cudaMemsetAsync(memory, 2, 16, stream));
        call!(cudaStreamIsCapturing(stream, &mut status));
        assert_eq!(status, Status::cudaStreamCaptureStatusActive);
        assert_eq!(code!(cudaStreamSynchronize(stream)), cudaError::cudaErrorStreamCaptureUnsupported);
        assert_eq!(code!(cudaStreamEndCapture(stream, &mut graph)), cudaError::cudaErrorStreamCaptureInvalidated);
        call!(cudaStreamBeginCapture(stream, Mode::cudaStreamCaptureModeThreadLocal));
        call!(cudaMemsetAsync(memory, 2, 16, stream));
        call!(cudaStreamEndCapture(stream, &mut graph));
        call!(cudaGraphGetNodes(graph, ptr::null_mut(), &mut nodes));
        assert_eq!((nodes, bytes_of(memory, 1)), (1, vec![1]));
        call!(cudaGraphInstantiate(&mut executable, graph, 0));
        call!(cudaGraphLaunch(executable, stream));
        call!(cudaStreamSynchronize(stream));
        assert_eq!(bytes_of(memory, 16), [2; 16]);
        call!(cudaGraphExecDestroy(executable));
        call!(cudaGraphDestroy(graph));
    }

    fn functions_of_the_driver_are_found_by_version() {
        let ask = |name: *const c_char, version| {
            let (mut address, mut status) = (ptr::dangling_mut(), Query(9));
            let code = code!(cudaGetDriverEntryPointByVersion(name, &mut address, version, 0, &mut status));
            (code, address.is_null(), status)
        };
        assert_eq!(ask(c"cuMemAlloc".as_ptr(), 13000), (SUCCESS, false, Query::cudaDriverEntryPointSuccess));
        assert_eq!(ask(c"cuNothing".as_ptr(), 13000), (SUCCESS, true, Query::cudaDriverEntryPointSymbolNotFound));
    }

    fn a_stream_calls_functions_of_the_host_in_order() {
        unsafe extern "C" fn add_two(data: *mut c_void) {
            // SAFETY: the test passes a number, which lives until the stream is synchronised.
            unsafe { *data.cast::<u32>() += 2 };
        }
        unsafe extern "C" fn double(_: CUstream, code: cudaError, data: *mut c_void) {
            assert_eq!(code, SUCCESS);
            // SAFETY: as above.
            unsafe { *data.cast::<u32>() *= 2 };
        }
        let mut number = 1_u32;
        let data: *mut c_void = (&raw mut number).cast();
        let stream = stream();
        call!(cudaLaunchHostFunc(stream, Some(add_two), data));
        call!(cudaStreamAddCallback(stream, Some(double), data, 0));
        call!(cudaStreamSynchronize(stream));
        assert_eq!(number, 6);
    }

    fn events_and_streams_are_made_in_every_form() {
        let (mut event, mut stream, mut least, mut greatest) = (ptr::null_mut(), ptr::null_mut(), 9, 9);
        call!(cudaDeviceGetStreamPriorityRange(&mut least, &mut greatest));
        assert!(greatest < least);
        call!(cudaStreamCreateWithPriority(&mut stream, 1, greatest));
        call!(cudaEventCreate(&mut event));
        call!(cudaEventRecordWithFlags(event, stream, 0));
        call!(cudaEventSynchronize(event));
        assert_eq!(code!(cudaEventRecordWithFlags(event, stream, 1)), cudaError::cudaErrorNotSupported);
        assert_eq!(code!(cudaEventRecordWithFlags(event, stream, 2)), INVALID_VALUE);
    }
}
