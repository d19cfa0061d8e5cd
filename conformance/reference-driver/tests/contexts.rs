//! Primary contexts are counted, whoever retains them and when.

mod common;

use std::ptr;

use cuda_ipc_sys::{CUresult, Driver};

#[test]
fn a_retained_primary_context_lives_until_it_is_released() {
    // SAFETY: it is the reference driver.
    let driver = unsafe { Driver::load_from(common::library()) }.unwrap_or_else(|error| panic!("{error}"));
    let use_once = || {
        let mut context = ptr::null_mut();
        // SAFETY: the output is a local, and the context is retained while it is used.
        unsafe {
            [
                driver.cuDevicePrimaryCtxRetain(&mut context, 0),
                driver.cuCtxPushCurrent(context),
                driver.cuCtxSynchronize(),
                driver.cuCtxPopCurrent(&mut context),
                driver.cuDevicePrimaryCtxRelease(0),
            ]
        }
    };
    // SAFETY: the call has no preconditions.
    assert_eq!(unsafe { driver.cuInit(0) }, Ok(CUresult::CUDA_SUCCESS));
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
