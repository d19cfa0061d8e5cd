//! A primary context has a reference count, whichever thread retains it and when.

use std::ptr;

use cuda_ipc_sys::CUresult;

use crate::common::driver;

tests! {
    fn a_retained_primary_context_lives_until_it_is_released() {
        let use_once = || {
            let mut context = ptr::null_mut();
            // SAFETY: the output is a local, and the context is retained while it is used.
            unsafe {
                [
                    driver().cuDevicePrimaryCtxRetain(&mut context, 0),
                    driver().cuCtxPushCurrent(context),
                    driver().cuCtxSynchronize(),
                    driver().cuCtxPopCurrent(&mut context),
                    driver().cuDevicePrimaryCtxRelease(0),
                ]
            }
        };
        call!(cuInit(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 0..500 {
                        assert_eq!(use_once(), [Ok(CUresult::CUDA_SUCCESS); 5], "round {round}");
                    }
                });
            }
        });
    }
}
