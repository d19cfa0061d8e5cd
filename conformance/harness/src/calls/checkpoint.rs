//! Checkpoints of processes. Their functions are not in the table of `cuda-ipc-sys`: `cuGetProcAddress` returns their
//! addresses if the driver has them.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use cuda_ipc_sys::CUresult;
use serde::{Deserialize, Serialize};

use crate::message::{Refused, answered};

/// A step of a checkpoint of a process.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum CheckpointStep {
    /// `cuCheckpointProcessLock`: blocks its calls.
    Lock,
    /// `cuCheckpointProcessCheckpoint`: moves its device memory to the host.
    Checkpoint,
    /// `cuCheckpointProcessRestore`: moves its memory back to the device.
    Restore,
    /// `cuCheckpointProcessUnlock`: unblocks its calls.
    Unlock,
}

impl CheckpointStep {
    const fn function(self) -> &'static CStr {
        match self {
            Self::Lock => c"cuCheckpointProcessLock",
            Self::Checkpoint => c"cuCheckpointProcessCheckpoint",
            Self::Restore => c"cuCheckpointProcessRestore",
            Self::Unlock => c"cuCheckpointProcessUnlock",
        }
    }
}

calls! {
    /// Performs a step of a checkpoint of another process, with default arguments.
    fn checkpoint_process(session, step: CheckpointStep, process: u32) -> () {
        const SINCE: c_int = 12_080;
        let name = step.function();
        let mut address = ptr::null_mut();
        cuda!(session.cuGetProcAddress(name.as_ptr(), &mut address, SINCE, 0, ptr::null_mut()));
        let name = name.to_string_lossy();
        if address.is_null() {
            return Err(Refused::Missing(format!("the driver does not have {name}")));
        }
        type Function = unsafe extern "C" fn(c_int, *mut c_void) -> CUresult;
        // SAFETY: the driver returned the address of this function, and its header declares it with this type.
        let function = unsafe { std::mem::transmute::<*mut c_void, Function>(address) };
        // SAFETY: null means default arguments.
        answered(&name, Ok(unsafe { function(process.cast_signed(), ptr::null_mut()) }))
    }
}
