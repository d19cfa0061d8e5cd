//! The time that the kernel `spin` takes, and kernels whose module is unloaded.

#[macro_use]
mod common;
#[path = "common/calls.rs"]
mod calls;

use std::ptr;
use std::time::{Duration, Instant};

use calls::{Context, spin};
use cuda_ipc_sys::{CUevent, CUevent_flags, CUresult};

const TIME: Duration = Duration::from_millis(20);

/// The clock of an H200 advances in steps of about a microsecond, and so may this one.
const STEP: Duration = Duration::from_micros(1);

/// How much longer than its time a kernel may take. The machine may be busy, so only the shortest of some runs counts.
const MORE: Duration = Duration::from_millis(10);

fn event() -> CUevent {
    let mut event = ptr::null_mut();
    call!(cuEventCreate(&mut event, CUevent_flags::CU_EVENT_DEFAULT.0));
    event
}

/// Runs the kernel between two events. Returns the time between them, and the time that the caller waited.
fn run(time: Duration, [before, after]: [CUevent; 2]) -> [Duration; 2] {
    let (begin, mut milliseconds) = (Instant::now(), 0.0);
    call!(cuEventRecord(before, ptr::null_mut()));
    assert_eq!(spin(time), Ok(()));
    call!(cuEventRecord(after, ptr::null_mut()));
    call!(cuEventSynchronize(after));
    let waited = begin.elapsed();
    call!(cuEventElapsedTime(&mut milliseconds, before, after));
    [Duration::from_secs_f32(milliseconds / 1e3), waited]
}

/// The kernel reads the clock until the time is over, on a GPU as here: it takes at least this time, and not much more.
#[test]
fn spin_takes_its_time() {
    let _context = Context::new();
    let events = [event(), event()];
    let times: Vec<_> = (0..10).flat_map(|_| run(TIME, events)).collect();
    assert!(times.iter().all(|time| *time + STEP >= TIME), "shorter than {TIME:?}: {times:?}");
    assert!(times.iter().any(|time| *time < TIME + MORE), "much longer than {TIME:?}: {times:?}");
    let times: Vec<_> = (0..10).flat_map(|_| run(Duration::ZERO, events)).collect();
    assert!(times.iter().any(|time| *time < MORE), "much longer than no time: {times:?}");
}

/// On an H200, the call waits until the kernel has ended.
#[test]
fn a_kernel_outlives_its_module() {
    let _context = Context::new();
    let (mut module, mut function, done) = (ptr::null_mut(), ptr::null_mut(), event());
    let mut nanoseconds = 1_000_000_000_u64;
    call!(cuModuleLoadData(&mut module, kernels::SPIN.ptx.as_ptr().cast()));
    call!(cuModuleGetFunction(&mut function, module, kernels::SPIN.entry.as_ptr()));
    let mut arguments = [(&raw mut nanoseconds).cast()];
    let stream = ptr::null_mut();
    call!(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments.as_mut_ptr(), ptr::null_mut()));
    call!(cuEventRecord(done, stream));
    call!(cuModuleUnload(module));
    assert_eq!(code!(cuEventQuery(done)), CUresult::CUDA_ERROR_NOT_READY);
    call!(cuEventSynchronize(done));
}
