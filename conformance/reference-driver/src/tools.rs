//! What profilers, debuggers and NVIDIA's own libraries ask of a driver.

use std::ffi::c_void;

use cuda_ipc_sys::CUuuid;

use crate::answer::{INVALID_VALUE, Input, Output, Result};
use crate::process::state;

/// A profiler of this process would begin or end to collect here. There is none.
fn profile() -> Result<()> {
    state()?.current().map(drop)
}

entry_points! {
    fn cuProfilerStart() {
        profile()
    }

    fn cuProfilerStop() {
        profile()
    }

    // The tables are private to NVIDIA's libraries, so this driver has none. The code is that of an H200 for an unknown
    // one.
    fn cuGetExportTable(_table: Output<*const c_void>, _id: Input<CUuuid>) {
        let _state = state()?;
        Err(INVALID_VALUE)
    }
}
