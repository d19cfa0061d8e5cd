//! `cuGetProcAddress`: asks the real driver, and returns this library's function in place of the driver's.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use cuda_ipc_sys::{CUdriverProcAddressQueryResult as Query, CUresult, SYMBOLS, cuuint64_t};
use interposer_faults::driver;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetProcAddress_v2(
    name: *const c_char,
    output: *mut *mut c_void,
    version: c_int,
    flags: cuuint64_t,
    reason: *mut Query,
) -> CUresult {
    let Some(real) = driver().functions().cuGetProcAddress else {
        // SAFETY: as this function's caller promises.
        return unsafe { from_the_table(name, output, version) };
    };
    // SAFETY: the caller's arguments, to the function that they are for.
    let code = unsafe { real(name, output, version, flags, reason) };
    if code == CUresult::CUDA_SUCCESS {
        // SAFETY: the driver has read the name and written the output.
        unsafe { *output = own(CStr::from_ptr(name), *output) };
    }
    code
}

/// The signature from before CUDA 12. It returns an error for a function that is not found.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetProcAddress(
    name: *const c_char,
    output: *mut *mut c_void,
    version: c_int,
    flags: cuuint64_t,
) -> CUresult {
    // SAFETY: as this function's caller promises, and a null reason is allowed.
    let code = unsafe { cuGetProcAddress_v2(name, output, version, flags, ptr::null_mut()) };
    // SAFETY: the call has written the output.
    if code == CUresult::CUDA_SUCCESS && unsafe { *output }.is_null() { CUresult::CUDA_ERROR_NOT_FOUND } else { code }
}

/// Returns this library's function in place of a function of the driver, or the driver's own if this library has none.
fn own(name: &CStr, address: *mut c_void) -> *mut c_void {
    let mut known = SYMBOLS.iter().zip(driver().addresses()).enumerate();
    let found = known.find(|(_, (symbol, known))| symbol.name == name && known.cast_mut() == address);
    match found {
        Some((_, (symbol, _))) if symbol.name == c"cuGetProcAddress" => cuGetProcAddress_v2 as *mut c_void,
        Some((place, _)) => crate::export(place),
        None => address,
    }
}

/// Looks a function up for a driver from before CUDA 12, whose cuGetProcAddress has another signature. Finds only the
/// functions in the table.
///
/// # Safety
/// The name is null or a C string, and the output is null or can be written.
unsafe fn from_the_table(name: *const c_char, output: *mut *mut c_void, version: c_int) -> CUresult {
    if name.is_null() || output.is_null() {
        return CUresult::CUDA_ERROR_INVALID_VALUE;
    }
    // SAFETY: as this function's caller promises, and the name is not null.
    let name = unsafe { CStr::from_ptr(name) };
    let known = SYMBOLS.iter().zip(driver().addresses()).enumerate();
    let found = known.filter(|(_, (symbol, address))| {
        symbol.name == name && symbol.since.0.cast_signed() <= version && !address.is_null()
    });
    let found = found.max_by_key(|(_, (symbol, _))| symbol.since);
    let address = found.map_or(ptr::null_mut(), |(place, _)| crate::export(place));
    // SAFETY: as this function's caller promises, and the output is not null.
    unsafe { *output = address };
    if address.is_null() { CUresult::CUDA_ERROR_NOT_FOUND } else { CUresult::CUDA_SUCCESS }
}
