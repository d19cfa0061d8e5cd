//! Checkpoints of processes, whose functions are not in our table: a driver that has them tells their addresses.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use cuda_ipc_sys::CUresult;
use serde::{Deserialize, Serialize};

use crate::message::{Refused, answered};

/// What is done to a process.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum CheckpointStep {
    /// `cuCheckpointProcessLock`: its calls wait.
    Lock,
    /// `cuCheckpointProcessCheckpoint`: its device memory goes to the host.
    Checkpoint,
    /// `cuCheckpointProcessRestore`: and back.
    Restore,
    /// `cuCheckpointProcessUnlock`: its calls go on.
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
    /// A step of a checkpoint of another process, with nothing beside its number.
    fn checkpoint_process(session, step: CheckpointStep, process: u32) -> () {
        const SINCE: c_int = 12_080;
        let name = step.function();
        let mut address = ptr::null_mut();
        cuda!(session.cuGetProcAddress(name.as_ptr(), &mut address, SINCE, 0, ptr::null_mut()));
        let name = name.to_string_lossy();
        if address.is_null() {
            return Err(Refused::Missing(format!("the driver has no {name}")));
        }
        type Function = unsafe extern "C" fn(c_int, *mut c_void) -> CUresult;
        // SAFETY: the driver says that this is the function, and its header declares it so.
        let function = unsafe { std::mem::transmute::<*mut c_void, Function>(address) };
        // SAFETY: null stands for arguments that are all zeros.
        answered(&name, Ok(unsafe { function(process.cast_signed(), ptr::null_mut()) }))
    }
}
