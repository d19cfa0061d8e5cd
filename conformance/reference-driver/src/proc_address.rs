//! `cuGetProcAddress`: finds a function by its base name and version.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use cuda_ipc_sys::{
    CUdriverProcAddress_flags as Flags, CUdriverProcAddressQueryResult as Query, CUresult, SYMBOLS, Symbol,
};

use crate::answer::{INVALID_VALUE, Input, Output, Result};
use crate::version::cuda_version;

fn find(wanted: &CStr, version: c_int) -> std::result::Result<*mut c_void, Query> {
    let served = |symbol: &&Symbol| symbol.name == wanted && symbol.since.0.cast_signed() <= cuda_version();
    let known: Vec<_> = SYMBOLS.iter().filter(served).collect();
    if known.iter().all(|symbol| address(symbol.exported).is_none()) {
        return Err(Query::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    }
    let early_enough = known.iter().filter(|symbol| symbol.since.0.cast_signed() <= version);
    let newest = early_enough.max_by_key(|symbol| symbol.since);
    let newest = newest.ok_or(Query::CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT)?;
    // A caller of a signature that is not implemented passes other arguments, so an older function cannot stand in.
    address(newest.exported).ok_or(Query::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND)
}

/// The address of a function that this library exports. The exports themselves are the only list of functions.
fn address(name: &CStr) -> Option<*mut c_void> {
    let mut own = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: the address lies in this library, and the output is a local.
    if unsafe { libc::dladdr(address as *const c_void, &mut own) } == 0 {
        return None;
    }
    // SAFETY: the name is a C string. The library is loaded already, so no initialiser runs.
    let library = unsafe { libc::dlopen(own.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if library.is_null() {
        return None;
    }
    // SAFETY: a live handle and a C string.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    // SAFETY: the reference that `dlopen` took is given back; the library stays, since this code runs in it.
    unsafe { libc::dlclose(library) };
    (!address.is_null()).then_some(address)
}

/// Looks for a function. Writes its address, or writes null and returns the reason.
fn search(
    name: Input<c_char>,
    output: Output<*mut c_void>,
    version: c_int,
    flags: u64,
) -> Result<std::result::Result<(), Query>> {
    // This library has no variants with a per-thread default stream. As documented, the other functions stand in for
    // them.
    const KNOWN: u64 = Flags::CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM.0 as u64;
    output.wanted()?;
    let name = name.text()?;
    if flags > KNOWN || version > cuda_version() {
        return Err(INVALID_VALUE);
    }
    let found = find(name, version);
    output.give(found.unwrap_or(ptr::null_mut()))?;
    Ok(found.map(|_| ()))
}

entry_points! {
    // Only this signature returns an error for a function that is not found: it has no output for the reason.
    fn cuGetProcAddress(name: Input<c_char>, output: Output<*mut c_void>, version: c_int, flags: u64) {
        search(name, output, version, flags)?.map_err(|_| CUresult::CUDA_ERROR_NOT_FOUND)
    }

    fn cuGetProcAddress_v2(
        name: Input<c_char>,
        output: Output<*mut c_void>,
        version: c_int,
        flags: u64,
        reason: Output<Query>,
    ) {
        let found = search(name, output, version, flags)?;
        reason.give_if_wanted(found.err().unwrap_or(Query::CU_GET_PROC_ADDRESS_SUCCESS));
        Ok(())
    }
}
