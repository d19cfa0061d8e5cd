//! Finding the driver's library, and addresses in it.

use std::error::Error as _;
use std::ffi::{CStr, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library;

use crate::{
    Attempt, CUresult, CudaVersion, Functions, LoadError, PFN_cuDriverGetVersion, PFN_cuGetProcAddress, Symbol,
};

/// The environment variable that names the library to load instead of the system's driver.
pub const DRIVER_VARIABLE: &str = "CUDA_IPC_DRIVER";

/// `libcuda.so` without the number is what the toolkit's stub is called: it comes last, and the stub is recognised.
const NAMES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// `cuGetProcAddress` before CUDA 12 gave it an output for the reason.
#[allow(non_camel_case_types)]
type PFN_cuGetProcAddress_v11030 =
    unsafe extern "C" fn(*const std::ffi::c_char, *mut *mut c_void, c_int, u64) -> CUresult;

/// The names to try: the one that the environment gives, or the system's.
pub(crate) fn candidates() -> Vec<PathBuf> {
    match std::env::var_os(DRIVER_VARIABLE) {
        Some(path) => vec![path.into()],
        None => NAMES.iter().map(PathBuf::from).collect(),
    }
}

/// What was loaded. The library is never unloaded: the driver keeps threads and handlers that point into it.
pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    pub(crate) version: CudaVersion,
    pub(crate) functions: Functions,
}

/// Load the first candidate that is a driver.
pub(crate) fn load(candidates: &[PathBuf]) -> Result<Loaded, LoadError> {
    let mut attempts = Vec::new();
    let mut refused = None;
    for path in candidates {
        // SAFETY: loading runs the library's initialisers, which is what the caller asked for; there is no other way.
        match unsafe { Library::new(path) } {
            Ok(library) => match read(library, path) {
                Ok(loaded) => return Ok(loaded),
                Err(error) => refused = refused.or(Some(error)),
            },
            Err(error) => {
                let message = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                attempts.push(Attempt { library: path.clone(), message });
            }
        }
    }
    Err(refused.unwrap_or(LoadError::NotLoaded { attempts }))
}

fn read(library: Library, path: &Path) -> Result<Loaded, LoadError> {
    const VERSION: &CStr = c"cuDriverGetVersion";
    let get_version = address(&library, VERSION);
    if get_version.is_null() {
        return Err(LoadError::NotADriver { library: path.to_owned(), symbol: VERSION });
    }
    // SAFETY: the address is not null, and the signature of this function never changed.
    let get_version = unsafe { std::mem::transmute::<*const c_void, PFN_cuDriverGetVersion>(get_version) };
    let mut version = 0;
    // SAFETY: the output is valid for writing.
    let code = unsafe { get_version(&mut version) };
    match (code, u32::try_from(version)) {
        (CUresult::CUDA_SUCCESS, Ok(version)) => {
            let resolver = Resolver::new(&library);
            // SAFETY: the resolver asks for each symbol at the version of its binding.
            let functions = unsafe { Functions::resolve(|symbol| resolver.find(symbol)) };
            std::mem::forget(library);
            Ok(Loaded { path: path.to_owned(), version: CudaVersion(version), functions })
        }
        (CUresult::CUDA_ERROR_STUB_LIBRARY, _) => Err(LoadError::Stub { library: path.to_owned() }),
        (code, _) => Err(LoadError::NoVersion { library: path.to_owned(), code }),
    }
}

/// An exported address, or null.
fn address(library: &Library, name: &CStr) -> *const c_void {
    // SAFETY: the symbol is taken as an address only; its type is given where it is called.
    let symbol = unsafe { library.get::<*const c_void>(name) };
    // SAFETY: the address stays valid, because a library that is used is never unloaded.
    symbol.ok().and_then(|symbol| unsafe { symbol.try_as_raw_ptr() }).map_or(ptr::null(), <*mut c_void>::cast_const)
}

/// How addresses are found: by version where the driver can, by exported name where it is older than CUDA 11.3.
enum Resolver<'library> {
    Versioned(PFN_cuGetProcAddress),
    VersionedWithoutReason(PFN_cuGetProcAddress_v11030),
    Exported(&'library Library),
}

impl<'library> Resolver<'library> {
    fn new(library: &'library Library) -> Self {
        let newer = address(library, c"cuGetProcAddress_v2");
        let older = address(library, c"cuGetProcAddress");
        if !newer.is_null() {
            // SAFETY: the exported name fixes the signature.
            Self::Versioned(unsafe { std::mem::transmute::<*const c_void, PFN_cuGetProcAddress>(newer) })
        } else if !older.is_null() {
            // SAFETY: the exported name fixes the signature.
            let function = unsafe { std::mem::transmute::<*const c_void, PFN_cuGetProcAddress_v11030>(older) };
            Self::VersionedWithoutReason(function)
        } else {
            Self::Exported(library)
        }
    }

    /// Ask for the binding's version, never the driver's: a newer signature can hide behind the same base name.
    fn find(&self, symbol: &Symbol) -> *const c_void {
        const LEGACY_DEFAULT_STREAM: u64 = 1;
        let mut found = ptr::null_mut();
        let name = symbol.name.as_ptr();
        let version = symbol.since.0.cast_signed();
        let code = match *self {
            // SAFETY: name and outputs are valid; no reason is asked for.
            Self::Versioned(ask) => unsafe { ask(name, &mut found, version, LEGACY_DEFAULT_STREAM, ptr::null_mut()) },
            // SAFETY: name and output are valid.
            Self::VersionedWithoutReason(ask) => unsafe { ask(name, &mut found, version, LEGACY_DEFAULT_STREAM) },
            Self::Exported(library) => return address(library, symbol.exported),
        };
        if code == CUresult::CUDA_SUCCESS { found } else { ptr::null() }
    }
}
