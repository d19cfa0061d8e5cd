//! Prints which driver and which runtime this process gets, and the result of a call to each, or why it gets none.

#![deny(warnings)]

use std::error::Error;
use std::ffi::c_int;

use cuda_ipc_sys::runtime::Runtime;
use cuda_ipc_sys::{CUresult, Driver, LoadError};

fn main() {
    report("driver", driver());
    report("runtime", runtime());
}

fn report(what: &str, result: Result<String, Box<dyn Error>>) {
    match result {
        Ok(found) => println!("{what}: {found}"),
        Err(error) => println!("{what}: {error}"),
    }
}

fn driver() -> Result<String, Box<dyn Error>> {
    let driver: Result<&'static Driver, LoadError> = Driver::get();
    let driver = driver?;
    let mut version: c_int = 0;
    // SAFETY: the output is valid for writing.
    let code: CUresult = unsafe { driver.cuDriverGetVersion(&mut version)? };
    code.result()?;
    Ok(format!("{} supports CUDA {version}", driver.path().display()))
}

fn runtime() -> Result<String, Box<dyn Error>> {
    let runtime = Runtime::get()?;
    let mut version: c_int = 0;
    // SAFETY: the output is valid for writing.
    unsafe { runtime.cudaRuntimeGetVersion(&mut version)? }.result()?;
    Ok(format!("{} is of CUDA {version}", runtime.path().display()))
}
