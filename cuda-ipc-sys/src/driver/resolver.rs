//! Finds the driver's functions: by version, or by exported name if the driver is older than CUDA 11.3.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use crate::library::Opened;
use crate::{CUresult, PFN_cuGetProcAddress, Symbol};

/// `cuGetProcAddress` before CUDA 12, which added an output for the reason of a failure.
#[allow(non_camel_case_types)]
type PFN_cuGetProcAddress_v11030 = unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64) -> CUresult;

pub(super) struct Resolver<'library> {
    library: &'library Opened,
    ask: Ask,
}

enum Ask {
    Versioned(PFN_cuGetProcAddress),
    VersionedWithoutReason(PFN_cuGetProcAddress_v11030),
    Exported,
}

impl<'library> Resolver<'library> {
    pub(super) fn new(library: &'library Opened) -> Self {
        let newer = library.address(c"cuGetProcAddress_v2");
        let older = library.address(c"cuGetProcAddress");
        let ask = if !newer.is_null() {
            // SAFETY: the exported name determines the signature.
            Ask::Versioned(unsafe { std::mem::transmute::<*const c_void, PFN_cuGetProcAddress>(newer) })
        } else if !older.is_null() {
            // SAFETY: the exported name determines the signature.
            let function = unsafe { std::mem::transmute::<*const c_void, PFN_cuGetProcAddress_v11030>(older) };
            Ask::VersionedWithoutReason(function)
        } else {
            Ask::Exported
        };
        Self { library, ask }
    }

    /// Finds a function by name, at the version of its binding.
    ///
    /// At the driver's own version, the same base name can have a newer signature. A function that is newer than the
    /// driver is not looked up, because the driver would return an older signature of the same base name.
    pub(super) fn find(&self, symbol: &Symbol) -> *const c_void {
        const LEGACY_DEFAULT_STREAM: u64 = 1;
        let is_newer = symbol.since > self.library.version;
        let mut found = ptr::null_mut();
        let name = symbol.name.as_ptr();
        let version = symbol.since.0.cast_signed();
        let code = match self.ask {
            Ask::Exported => return self.library.address(symbol.exported),
            _ if is_newer => return ptr::null(),
            // SAFETY: name and output are valid, and a null reason is allowed.
            Ask::Versioned(ask) => unsafe { ask(name, &mut found, version, LEGACY_DEFAULT_STREAM, ptr::null_mut()) },
            // SAFETY: name and output are valid.
            Ask::VersionedWithoutReason(ask) => unsafe { ask(name, &mut found, version, LEGACY_DEFAULT_STREAM) },
        };
        if code == CUresult::CUDA_SUCCESS { found } else { ptr::null() }
    }
}
