//! The last error of a thread, and the names of codes.

use std::ffi::c_void;
use std::ptr;

use cuda_ipc_sys::CUresult;
use cuda_ipc_sys::runtime::cudaError;

use crate::*;

fn last() -> cudaError {
    code!(cudaGetLastError())
}

fn peek() -> cudaError {
    code!(cudaPeekAtLastError())
}

tests! {
    fn the_last_error_stays_until_it_is_asked_for() {
        assert_eq!((peek(), last()), (SUCCESS, SUCCESS));
        assert_eq!(code!(cudaSetDevice(7)), INVALID_DEVICE);
        call!(cudaSetDevice(0));
        assert_eq!((peek(), peek()), (INVALID_DEVICE, INVALID_DEVICE), "neither a success nor a peek clears it");
        assert_eq!((last(), last(), peek()), (INVALID_DEVICE, SUCCESS, SUCCESS));
    }

    fn the_newest_error_is_the_last() {
        assert_eq!(code!(cudaSetDevice(7)), INVALID_DEVICE);
        assert_eq!(code!(cudaFree(8 as *mut c_void)), INVALID_VALUE);
        assert_eq!(last(), INVALID_VALUE);
    }

    fn the_last_error_is_a_threads_own() {
        assert_eq!(code!(cudaSetDevice(7)), INVALID_DEVICE);
        std::thread::spawn(|| assert_eq!(last(), SUCCESS)).join().unwrap();
        assert_eq!(last(), INVALID_DEVICE);
    }

    fn errors_of_the_drivers_api_are_not_the_runtimes() {
        assert_eq!(driver_code!(cuMemFree(8)), CUresult::CUDA_ERROR_NOT_INITIALIZED);
        assert_eq!(last(), SUCCESS);
    }

    fn work_that_is_not_done_is_no_error() {
        let (mut stream, mut event) = (ptr::null_mut(), ptr::null_mut());
        call!(cudaStreamCreateWithFlags(&mut stream, 1));
        call!(cudaEventCreateWithFlags(&mut event, 2));
        let flag = memory(4) as u64;
        driver_call!(cuStreamWaitValue32(stream, flag, 1, 0));
        call!(cudaEventRecord(event, stream));
        assert_eq!(code!(cudaStreamQuery(stream)), cudaError::cudaErrorNotReady);
        assert_eq!(code!(cudaEventQuery(event)), cudaError::cudaErrorNotReady);
        assert_eq!(last(), SUCCESS);
        let mut other = ptr::null_mut();
        call!(cudaStreamCreateWithFlags(&mut other, 1));
        driver_call!(cuStreamWriteValue32(other, flag, 1, 0));
        call!(cudaEventSynchronize(event));
        call!(cudaEventQuery(event));
        call!(cudaStreamSynchronize(stream));
        call!(cudaStreamQuery(stream));
        call!(cudaEventDestroy(event));
        call!(cudaStreamDestroy(stream));
        assert_eq!(code!(cudaStreamDestroy(stream)), cudaError::cudaErrorInvalidResourceHandle);
    }

    fn codes_have_names_and_words() {
        let name = |code| text(code!(cudaGetErrorName(cudaError(code))));
        let words = |code| text(code!(cudaGetErrorString(cudaError(code))));
        let known = [0, 1, 2, 3, 49, 100, 101, 201, 205, 400, 600, 704, 801, 999];
        for number in known {
            assert_eq!(Some(name(number).as_str()), cudaError(number).name());
            assert_ne!(words(number), name(number));
        }
        assert_eq!((name(400).as_str(), words(704).as_str()), ("cudaErrorInvalidResourceHandle", "peer access is already enabled"));
        // Codes that never existed, and one that a later version added.
        for number in [998, 12345, u32::MAX, cudaError::cudaErrorFabricNotReady.0] {
            assert_eq!((name(number), words(number)), ("unrecognized error code".into(), "unrecognized error code".into()));
        }
    }

    fn the_driver_answers_host_code_in_a_stream_with_a_refusal() {
        unsafe extern "C" fn ask(code: *mut c_void) {
            let answer = code!(cudaDeviceSynchronize());
            // SAFETY: the address of the local below, whose owner waits for this function.
            unsafe { code.cast::<cudaError>().write(answer) };
        }
        call!(cudaSetDevice(0));
        let mut answer = SUCCESS;
        driver_call!(cuLaunchHostFunc(DEFAULT, Some(ask), (&raw mut answer).cast()));
        call!(cudaDeviceSynchronize());
        assert_eq!(answer, cudaError::cudaErrorNotPermitted);
    }

    fn an_error_of_device_code_stays_until_the_process_ends() {
        const ILLEGAL_ADDRESS: cudaError = cudaError::cudaErrorIllegalAddress;
        let words = memory(4096) as u64;
        let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
        driver_call!(cuModuleLoadData(&mut module, kernels::FILL.ptx.as_ptr().cast()));
        driver_call!(cuModuleGetFunction(&mut function, module, kernels::FILL.entry.as_ptr()));
        let (count, seed) = (1025_u64, 7_u32);
        let arguments = [(&raw const words).cast::<c_void>(), (&raw const count).cast(), (&raw const seed).cast()];
        let arguments = arguments.as_ptr().cast_mut().cast();
        driver_call!(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, DEFAULT, arguments, ptr::null_mut()));
        assert_eq!(code!(cudaDeviceSynchronize()), ILLEGAL_ADDRESS);
        assert_eq!((last(), malloc(4)), (ILLEGAL_ADDRESS, Err(ILLEGAL_ADDRESS)));
        // The reset may return the error too.
        let _ = code!(cudaDeviceReset());
        for device in [0, 1] {
            assert_eq!((code!(cudaSetDevice(device)), malloc(4)), (ILLEGAL_ADDRESS, Err(ILLEGAL_ADDRESS)));
        }
    }
}
