//! The two context calls that faults use.

use std::ptr;

use crate::answer::SUCCESS;
use crate::table::driver;

/// Leaves the thread without a current context.
pub(crate) fn forget_the_context() {
    if let Some(set) = driver().functions().cuCtxSetCurrent {
        // SAFETY: no context is a valid argument.
        let _ = unsafe { set(ptr::null_mut()) };
    }
}

/// Whether the thread has a current context.
pub(crate) fn has_a_context() -> bool {
    let mut context = ptr::null_mut();
    // SAFETY: the output is a local.
    let code = driver().functions().cuCtxGetCurrent.map(|get| unsafe { get(&mut context) });
    code == Some(SUCCESS) && !context.is_null()
}
