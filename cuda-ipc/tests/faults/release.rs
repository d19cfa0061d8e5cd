//! Releasing fails: nothing is released that what could not be released still needs.

use std::process::Stdio;

use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::sys::CUresult;
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Error, Stream};
use rstest::rstest;

use crate::peer::roles;
use crate::{SIZE, context, driver};

/// Runs a function while a variable makes calls of the driver fail.
fn failing<T>(variable: &str, run: impl FnOnce() -> T) -> T {
    // SAFETY: only the thread of the role uses the environment, which the driver reads in its calls.
    unsafe { std::env::set_var(variable, CUresult::CUDA_ERROR_UNKNOWN.0.to_string()) };
    let result = run();
    // SAFETY: as above.
    unsafe { std::env::remove_var(variable) };
    result
}

fn is_unknown(error: &Error) -> bool {
    error.code() == Some(CUresult::CUDA_ERROR_UNKNOWN)
}

#[rstest]
fn nothing_else_is_released(
    #[values("role_cannot_unmap", "role_drops_what_it_cannot_unmap", "role_cannot_enter")] role: &str,
) {
    let (mut command, _channel) = ::peer::command().unwrap();
    let name = format!("release::{role}");
    command.args(["--exact", &name, "--ignored", "--nocapture"]).env("CUDA_IPC_TEST_ROLE", role);
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn mapping() -> Mapping {
    let device = driver().device(0).unwrap();
    let size = granularity(device, HandleTypes::NONE).unwrap();
    let allocations = [(); 2].map(|()| Allocation::new(device, size, HandleTypes::NONE).unwrap());
    Mapping::new(&context(), &allocations.each_ref().map(|allocation| &**allocation), Access::ReadWrite).unwrap()
}

roles! {
    fn role_cannot_unmap(_connection) {
        mapping().unmap().unwrap();
        let mapping = mapping();
        let error = failing("UNMAPPING_FAILS", || mapping.unmap()).unwrap_err();
        assert!(is_unknown(&error), "{error}");
    }

    fn role_drops_what_it_cannot_unmap(_connection) {
        drop(mapping());
        let mapping = mapping();
        failing("UNMAPPING_FAILS", || drop(mapping));
    }

    fn role_cannot_enter(_connection) {
        let stream = Stream::non_blocking(&context()).unwrap();
        let pool = Pool::new(driver().device(0).unwrap(), HandleTypes::NONE, None).unwrap();
        let buffer = PoolBuffer::new(&pool, SIZE, &stream).unwrap();
        let error = failing("ENTERING_A_CONTEXT_FAILS", || buffer.free()).unwrap_err();
        assert!(is_unknown(&error), "{error}");
        // The memory is still allocated, so the pool stays.
        pool.destroy().unwrap();
    }
}
