//! From C calls to Rust results and back.

use cuda_ipc_sys::CUresult;

pub(crate) type Result<T> = std::result::Result<T, CUresult>;

pub(crate) const INVALID_VALUE: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;
pub(crate) const INVALID_HANDLE: CUresult = CUresult::CUDA_ERROR_INVALID_HANDLE;
pub(crate) const INVALID_CONTEXT: CUresult = CUresult::CUDA_ERROR_INVALID_CONTEXT;
pub(crate) const INVALID_DEVICE: CUresult = CUresult::CUDA_ERROR_INVALID_DEVICE;
pub(crate) const OUT_OF_MEMORY: CUresult = CUresult::CUDA_ERROR_OUT_OF_MEMORY;
pub(crate) const NOT_PERMITTED: CUresult = CUresult::CUDA_ERROR_NOT_PERMITTED;
pub(crate) const NOT_SUPPORTED: CUresult = CUresult::CUDA_ERROR_NOT_SUPPORTED;

/// Exports functions of the driver: a body is a `Result`, and its error the code that the caller sees.
macro_rules! entry_points {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        $(#[$attribute])*
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> ::cuda_ipc_sys::CUresult {
            let perform = || -> $crate::answer::Result<()> { $body };
            match perform() {
                Ok(()) => ::cuda_ipc_sys::CUresult::CUDA_SUCCESS,
                Err(code) => code,
            }
        }
    )*};
}

/// Write an output that must be there.
pub(crate) fn give<T>(output: *mut T, value: T) -> Result<()> {
    if output.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: not null, and the caller of the C function promises that an output can be written.
    unsafe { output.write(value) };
    Ok(())
}

/// Write an output that may be null.
pub(crate) fn give_if_asked<T>(output: *mut T, value: T) {
    if !output.is_null() {
        // SAFETY: as for `give`.
        unsafe { output.write(value) };
    }
}

/// Refuse a null output before anything is done.
pub(crate) fn wanted<T>(output: *mut T) -> Result<()> {
    if output.is_null() { Err(INVALID_VALUE) } else { Ok(()) }
}

/// Read an input structure that must be there.
pub(crate) fn take<T: Copy>(input: *const T) -> Result<T> {
    if input.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: not null, and the caller of the C function promises that an input can be read.
    Ok(unsafe { input.read() })
}
