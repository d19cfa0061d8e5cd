//! The runtime initialises itself, and uses the context that the driver API made current.

use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::*;

const CONTEXT_IS_DESTROYED: CUresult = CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED;

tests! {
    fn the_first_call_makes_the_primary_context_current() {
        assert_eq!(current(), Err(CUresult::CUDA_ERROR_NOT_INITIALIZED));
        let mut count = 0;
        call!(cudaGetDeviceCount(&mut count));
        assert_eq!((count, current_device()), (2, Ok(0)));
        assert_eq!((current(), is_active(0)), (Ok(ptr::null_mut()), false), "counting devices needs no context");
        let memory = memory(4);
        assert!(is_active(0) && !is_active(1));
        assert_eq!((current(), context_of(memory)), (Ok(primary(0)), primary(0) as u64));
    }

    fn choosing_a_device_initialises_it_at_once() {
        call!(cudaSetDevice(1));
        assert!(is_active(1) && !is_active(0));
        assert_eq!((current(), current_device()), (Ok(primary(1)), Ok(1)));
        assert_eq!(context_of(memory(4)), primary(1) as u64);
        call!(cudaSetDevice(0));
        assert_eq!((current(), current_device()), (Ok(primary(0)), Ok(0)));
    }

    fn the_current_device_is_a_threads_own() {
        call!(cudaSetDevice(1));
        std::thread::spawn(|| {
            assert_eq!(current_device(), Ok(0));
            assert_eq!(context_of(memory(4)), primary(0) as u64);
        }).join().unwrap();
        assert_eq!(current_device(), Ok(1));
    }

    fn a_device_that_is_not_there_changes_nothing() {
        for device in [-1, 2, i32::MAX] {
            assert_eq!(code!(cudaSetDevice(device)), INVALID_DEVICE);
        }
        assert_eq!((current_device(), current()), (Ok(0), Ok(ptr::null_mut())));
    }

    fn a_primary_context_that_the_drivers_api_made_current_is_used() {
        let context = primary(1);
        driver_call!(cuCtxSetCurrent(context));
        assert_eq!((current_device(), context_of(memory(4))), (Ok(1), context as u64));
        driver_call!(cuCtxSetCurrent(ptr::null_mut()));
        assert_eq!(current_device(), Ok(0), "the thread has chosen no device");
    }

    fn a_thread_without_a_context_comes_back_to_the_device_it_chose() {
        call!(cudaSetDevice(1));
        driver_call!(cuCtxSetCurrent(ptr::null_mut()));
        assert_eq!((current_device(), context_of(memory(4))), (Ok(1), primary(1) as u64));
    }

    fn what_somebody_else_retained_is_retained_too() {
        let context = primary(0);
        call!(cudaSetDevice(0));
        driver_call!(cuDevicePrimaryCtxRelease(0));
        assert_eq!((is_active(0), current()), (true, Ok(context)));
    }

    fn the_runtime_keeps_the_primary_context_by_a_reference_of_its_own() {
        call!(cudaSetDevice(0));
        let context = primary(0);
        driver_call!(cuDevicePrimaryCtxRelease(0));
        assert_eq!((is_active(0), current()), (true, Ok(context)));
        call!(cudaSetDevice(0));
        call!(cudaDeviceSynchronize());
        driver_call!(cuDevicePrimaryCtxRelease(0));
        assert!(!is_active(0), "the runtime has one reference, however often it is used");
    }

    fn a_created_context_is_used_where_it_is_current() {
        let context = created(1);
        let memory = memory(4);
        assert_eq!((context_of(memory), current_device(), is_active(1)), (context as u64, Ok(1), false));
        call!(cudaFree(memory));
    }

    fn what_needs_a_primary_context_refuses_a_created_one() {
        created(0);
        let memory = memory(4);
        assert_eq!(code!(cudaDeviceEnablePeerAccess(1, 0)), INCOMPATIBLE);
        assert_eq!(code!(cudaDeviceDisablePeerAccess(1)), INCOMPATIBLE);
        assert_eq!(code!(cudaPointerGetAttributes(&mut Default::default(), memory)), INCOMPATIBLE);
    }

    fn a_destroyed_context_is_refused() {
        let context = created(0);
        driver_call!(cuCtxPushCurrent(context));
        driver_call!(cuCtxDestroy(context));
        assert_eq!((current(), malloc(4)), (Ok(context), Err(INCOMPATIBLE)));
        assert_eq!(current_device(), Err(INCOMPATIBLE));
        call!(cudaSetDevice(0));
        assert_eq!(malloc(4).map(drop), Ok(()));
    }

    fn a_reset_ends_everything_and_the_next_call_begins_again() {
        let before = memory(4);
        let context = current();
        call!(cudaDeviceReset());
        assert_eq!((is_active(0), current()), (false, context), "the context stays current");
        assert_eq!(driver_code!(cuCtxSynchronize()), CONTEXT_IS_DESTROYED);
        assert_eq!(code!(cudaFree(before)), INVALID_VALUE, "the reset freed the memory");
        assert_eq!((is_active(0), current()), (true, context));
        driver_call!(cuDevicePrimaryCtxRelease(0));
        assert!(!is_active(0), "there is one reference again");
    }

    fn a_reset_before_anything_else_is_fine() {
        call!(cudaDeviceReset());
        assert!(!is_active(0));
    }

    fn a_reset_leaves_a_created_context_and_the_primary_one_alone() {
        call!(cudaSetDevice(0));
        let context = created(0);
        let memory = memory(4);
        call!(cudaDeviceReset());
        assert_eq!((context_of(memory), current()), (context as u64, Ok(context)));
        assert!(is_active(0));
    }

    fn a_reset_leaves_stream_ordered_memory_and_other_devices() {
        call!(cudaSetDevice(1));
        let elsewhere = memory(4);
        call!(cudaSetDevice(0));
        let mut pooled = ptr::null_mut();
        call!(cudaMallocAsync(&mut pooled, 4, DEFAULT));
        call!(cudaDeviceReset());
        call!(cudaFreeAsync(pooled, DEFAULT));
        call!(cudaFree(elsewhere));
    }

    /// The reset waits for the host function, which meanwhile makes a call that needs a lock of the reset.
    fn a_host_function_is_refused_while_its_device_is_reset() {
        unsafe extern "C" fn ask(begun: *mut c_void) {
            // SAFETY: the pointer is to the flag below, whose owner waits for this function.
            unsafe { AtomicU32::from_ptr(begun.cast()) }.store(1, Ordering::SeqCst);
            let end = Instant::now() + Duration::from_millis(50);
            while Instant::now() < end {
                assert_eq!(code!(cudaSetDevice(0)), cudaError::cudaErrorNotPermitted);
            }
        }
        call!(cudaSetDevice(0));
        let begun = AtomicU32::new(0);
        driver_call!(cuLaunchHostFunc(DEFAULT, Some(ask), begun.as_ptr().cast()));
        while begun.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        call!(cudaDeviceReset());
        call!(cudaDeviceSynchronize());
    }

    fn what_the_drivers_api_reset_comes_back_too() {
        call!(cudaSetDevice(0));
        driver_call!(cuDevicePrimaryCtxReset(0));
        assert_eq!(driver_code!(cuCtxSynchronize()), CONTEXT_IS_DESTROYED);
        call!(cudaDeviceSynchronize());
        driver_call!(cuCtxSynchronize());
        driver_call!(cuDevicePrimaryCtxRelease(0));
        assert!(!is_active(0), "still one reference");
        call!(cudaDeviceSynchronize());
        assert!(is_active(0), "although the reference of the runtime was released");
    }
}
