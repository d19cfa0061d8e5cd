//! Conversion of calls of the runtime to Rust results and back.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::LazyLock;

use cuda_ipc_sys::CUresult;
use cuda_ipc_sys::runtime::cudaError;

use super::error::of_driver;
use crate::answer::Output;

/// An error of the runtime: a driver error under its runtime name, or one that only the runtime has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Error(pub(super) cudaError);

pub(super) type Result<T> = std::result::Result<T, Error>;

pub(super) const INVALID_DEVICE: Error = Error(cudaError::cudaErrorInvalidDevice);
pub(super) const INVALID_VALUE: Error = Error(cudaError::cudaErrorInvalidValue);
pub(super) const NOT_SUPPORTED: Error = Error(cudaError::cudaErrorNotSupported);
pub(super) const INCOMPATIBLE_CONTEXT: Error = Error(cudaError::cudaErrorIncompatibleDriverContext);

impl From<CUresult> for Error {
    fn from(code: CUresult) -> Self {
        Self(of_driver(code))
    }
}

/// A function of the runtime, as the linker collects it. This library does not export it by name: a program that links
/// both libraries would find it here, whatever its libcudart is. The library of `reference-runtime` exports the names,
/// and jumps here.
pub(super) struct Offered {
    pub(super) name: &'static CStr,
    pub(super) address: *const c_void,
}

// SAFETY: the address is that of a function.
unsafe impl Sync for Offered {}

inventory::collect!(Offered);

/// Offers functions of the runtime.
macro_rules! offer {
    ($($name:ident)*) => {$(
        ::inventory::submit!($crate::runtime::answer::Offered {
            name: match ::std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("a name ends with its NUL"),
            },
            address: $name as *const ::std::ffi::c_void,
        });
    )*};
}

/// The functions of the runtime, as `cuGetExportTable` returns them: names and addresses, and nulls at the end.
pub(crate) fn table() -> *const c_void {
    #[repr(C)]
    struct Function(*const c_char, *const c_void);
    // SAFETY: both are addresses of what never changes.
    unsafe impl Send for Function {}
    // SAFETY: as above.
    unsafe impl Sync for Function {}
    static TABLE: LazyLock<Vec<Function>> = LazyLock::new(|| {
        let offered =
            inventory::iter::<Offered>.into_iter().map(|offered| Function(offered.name.as_ptr(), offered.address));
        offered.chain([Function(ptr::null(), ptr::null())]).collect()
    });
    TABLE.as_ptr().cast()
}

/// Defines functions of the runtime. The word before `fn` names a function of [`context`](super::context), which checks
/// what the call needs first.
macro_rules! runtime_calls {
    ($($(#[$attribute:meta])*
       $needs:ident fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        $(#[$attribute])*
        unsafe extern "C" fn $name($($argument: $type),*) -> ::cuda_ipc_sys::runtime::cudaError {
            $crate::runtime::answer::code(|| {
                $crate::runtime::context::$needs()?;
                $body
            })
        }

        offer!($name);
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
