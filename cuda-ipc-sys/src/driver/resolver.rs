//! Finds the driver's functions: by version, or by exported name if the driver is older than CUDA 11.3.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use crate::library::Loaded;
use crate::table::DefaultStream;
use crate::{CUdriverProcAddress_flags as Flags, CUresult, CudaVersion, PFN_cuGetProcAddress, SYMBOLS, Symbol};

/// `cuGetProcAddress` before CUDA 12, which added an output for the reason of a failure.
#[allow(non_camel_case_types)]
type PFN_cuGetProcAddress_v11030 = unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64) -> CUresult;

pub(super) struct Resolver {
    pub(super) library: Loaded,
    ask: Ask,
    stream: DefaultStream,
}

enum Ask {
    Versioned(PFN_cuGetProcAddress),
    VersionedWithoutReason(PFN_cuGetProcAddress_v11030),
    Exported,
}

impl Resolver {
    pub(super) fn new(library: Loaded, stream: DefaultStream) -> Self {
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
        Self { library, ask, stream }
    }

    /// Finds a function of the table, at the version of its binding.
    pub(super) fn find(&self, symbol: &Symbol) -> *const c_void {
        match self.ask {
            Ask::Exported => self.library.address(symbol.exported_for(self.stream)),
            _ => self.ask(symbol.name, symbol.since),
        }
    }

    /// Finds any function. A driver that cannot be asked by version finds only those of the table, because an exported
    /// name does not determine the version.
    pub(super) fn find_any(&self, name: &CStr, since: CudaVersion) -> *const c_void {
        match self.ask {
            Ask::Exported => {
                let known = SYMBOLS.iter().find(|symbol| symbol.name == name && symbol.since == since);
                known.map_or(ptr::null(), |symbol| self.find(symbol))
            }
            _ => self.ask(name, since),
        }
    }

    /// Asks the driver for a function.
    ///
    /// At the driver's own version, the same base name can have a newer signature. A function that is newer than the
    /// driver is not looked up, because the driver would return an older signature of the same base name.
    fn ask(&self, name: &CStr, since: CudaVersion) -> *const c_void {
        if since > self.library.version {
            return ptr::null();
        }
        let flags = match self.stream {
            DefaultStream::Legacy => Flags::CU_GET_PROC_ADDRESS_LEGACY_STREAM,
            DefaultStream::PerThread => Flags::CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
        };
        let (flags, version) = (u64::from(flags.0), since.0.cast_signed());
        let mut found = ptr::null_mut();
        let code = match self.ask {
            Ask::Exported => return ptr::null(),
            // SAFETY: name and output are valid, and a null reason is allowed.
            Ask::Versioned(ask) => unsafe { ask(name.as_ptr(), &mut found, version, flags, ptr::null_mut()) },
            // SAFETY: name and output are valid.
            Ask::VersionedWithoutReason(ask) => unsafe { ask(name.as_ptr(), &mut found, version, flags) },
        };
        if code == CUresult::CUDA_SUCCESS { found } else { ptr::null() }
    }
}
