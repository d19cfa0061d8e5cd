//! `cuGetProcAddress`: a function by base name and version.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use cuda_ipc_sys::{CUdriverProcAddressQueryResult as Query, CUresult, SYMBOLS};

use crate::answer::{INVALID_VALUE, Result, give, give_if_asked, wanted};

/// The version that this driver serves, which is that of the H200 it is compared with.
pub(crate) const CUDA_VERSION: c_int = 13000;

fn find(name: &CStr, version: c_int) -> std::result::Result<*mut c_void, Query> {
    let symbol = SYMBOLS.iter().find(|symbol| symbol.name == name);
    let symbol = symbol.ok_or(Query::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND)?;
    if symbol.since.0.cast_signed() > version.min(CUDA_VERSION) {
        return Err(Query::CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    }
    exported(symbol.exported).ok_or(Query::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND)
}

/// An address that this library exports: what it has is written down once, as its exports.
fn exported(name: &CStr) -> Option<*mut c_void> {
    let mut own = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: the address is one of this library, and the output is a local.
    if unsafe { libc::dladdr(exported as *const c_void, &mut own) } == 0 {
        return None;
    }
    // SAFETY: the name of a loaded library; it is not loaded again.
    let library = unsafe { libc::dlopen(own.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if library.is_null() {
        return None;
    }
    // SAFETY: a live handle and a C string.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    // SAFETY: the reference that `dlopen` took is given back; the library stays loaded, since this code runs in it.
    unsafe { libc::dlclose(library) };
    (!address.is_null()).then_some(address)
}

fn answer(name: *const c_char, output: *mut *mut c_void, version: c_int, status: *mut Query) -> Result<()> {
    wanted(output)?;
    if name.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: not null, and the caller promises a C string.
    match find(unsafe { CStr::from_ptr(name) }, version) {
        Ok(address) => {
            give_if_asked(status, Query::CU_GET_PROC_ADDRESS_SUCCESS);
            give(output, address)
        }
        Err(reason) => {
            give(output, ptr::null_mut())?;
            give_if_asked(status, reason);
            Err(CUresult::CUDA_ERROR_NOT_FOUND)
        }
    }
}

entry_points! {
    fn cuGetProcAddress(name: *const c_char, output: *mut *mut c_void, version: c_int, _flags: u64) {
        answer(name, output, version, ptr::null_mut())
    }

    fn cuGetProcAddress_v2(
        name: *const c_char, output: *mut *mut c_void, version: c_int, _flags: u64, status: *mut Query,
    ) {
        answer(name, output, version, status)
    }
}
