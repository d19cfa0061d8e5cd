//! Conversion of calls of the runtime to Rust results and back.

use std::cell::Cell;

use cuda_ipc_sys::CUresult;
use cuda_ipc_sys::runtime::cudaError;

use super::error::of_driver;
use crate::answer::Output;

/// An error of the runtime: a driver error under its runtime name, or one that only the runtime has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Error(pub(super) cudaError);

pub(super) type Result<T> = std::result::Result<T, Error>;

pub(super) const INVALID_DEVICE: Error = Error(cudaError::cudaErrorInvalidDevice);
pub(super) const INCOMPATIBLE_CONTEXT: Error = Error(cudaError::cudaErrorIncompatibleDriverContext);

impl From<CUresult> for Error {
    fn from(code: CUresult) -> Self {
        Self(of_driver(code))
    }
}

/// Exports functions of the runtime. The word before `fn` names a function of [`context`](super::context), which checks
/// what the call needs first.
macro_rules! runtime_calls {
    ($($(#[$attribute:meta])*
       $needs:ident fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        $(#[$attribute])*
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> ::cuda_ipc_sys::runtime::cudaError {
            $crate::runtime::answer::code(|| {
                $crate::runtime::context::$needs()?;
                $body
            })
        }
    )*};
}

/// Calls a function of the driver, named by its module.
macro_rules! driver {
    ($($function:ident)::+($($argument:expr),* $(,)?)) => {{
        // SAFETY: the runtime's caller promises the same about an argument as the driver's caller must.
        let code = unsafe { $crate::$($function)::+($($argument),*) };
        code.result().map_err($crate::runtime::answer::Error::from)
    }};
}

thread_local! {
    static LAST: Cell<cudaError> = const { Cell::new(cudaError::cudaSuccess) };
}

/// Performs a call and returns its code. An error also becomes the thread's last error. It stays until it is read, even
/// if other calls succeed meanwhile.
pub(super) fn code(call: impl FnOnce() -> Result<()>) -> cudaError {
    let code = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)) {
        Ok(Ok(())) => return cudaError::cudaSuccess,
        Ok(Err(Error(code))) => code,
        Err(_) => cudaError::cudaErrorUnknown,
    };
    // Documented as not an error.
    if code != cudaError::cudaErrorNotReady {
        LAST.set(code);
    }
    code
}

/// `cudaPeekAtLastError`.
pub(super) fn last() -> cudaError {
    LAST.get()
}

/// `cudaGetLastError`.
pub(super) fn take_last() -> cudaError {
    LAST.replace(cudaError::cudaSuccess)
}

/// Calls a function of the driver, and returns its output.
pub(super) fn output_of<T: Default>(call: impl FnOnce(Output<T>) -> Result<()>) -> Result<T> {
    let mut value = T::default();
    // SAFETY: a local, which the call can write.
    call(unsafe { Output::new(&raw mut value) })?;
    Ok(value)
}
