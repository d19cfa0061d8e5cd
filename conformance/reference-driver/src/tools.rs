//! What profilers, debuggers and NVIDIA's own libraries ask of a driver.

use std::ffi::c_void;

use cuda_ipc_sys::CUuuid;

use crate::answer::{INVALID_VALUE, Input, Output, Result};
use crate::environment::note;
use crate::process::state;
use crate::runtime;

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

    // The tables are private to NVIDIA's libraries, so this driver has none but its own, for its own runtime. The code is
    // that of an H200 for an unknown one.
    fn cuGetExportTable(table: Output<*const c_void>, id: Input<CUuuid>) {
        if id.value().is_ok_and(|id| id.bytes.map(|byte| byte as u8) == runtime::TABLE) {
            return table.give(runtime::table());
        }
        let _state = state()?;
        note(format_args!(
            "a library of NVIDIA's asked for a private table; if it was libcudart, let the program find this driver's \
             libcudart: link it dynamically, and remove the package nvidia-cuda-runtime"
        ));
        Err(INVALID_VALUE)
    }
}
