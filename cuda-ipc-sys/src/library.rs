//! Finds CUDA's libraries and the addresses of their functions.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::fmt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

use libloading::Library;

use crate::{Attempt, CudaVersion, LoadError, environment};

/// The environment variable that names the library to load instead of the system's driver.
///
/// It takes effect if the process was started with it. It is ignored if it is empty, and in programs that run with more
/// rights than the user who starts them (`AT_SECURE`, such as set-user-ID programs). Both are checked on Linux only. On
/// other systems, the variable takes effect whenever it is set, also by the program itself in safe code.
///
/// It is read until the driver is loaded. From then on, the process keeps that driver.
pub const DRIVER_VARIABLE: &str = "CUDA_IPC_DRIVER";

/// The environment variable that names the library to load instead of the runtime that the process has loaded or
/// that the loader finds. It takes effect as [`DRIVER_VARIABLE`] does.
pub const RUNTIME_VARIABLE: &str = "CUDA_IPC_RUNTIME";

/// The newest major version of the runtime whose signatures are bound.
pub(crate) const NEWEST_RUNTIME: u32 = 13;

/// One of the two libraries that these bindings load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CudaLibrary {
    /// `libcuda`, which the driver's package installs.
    Driver,
    /// `libcudart`, which comes with the toolkit or with an application.
    Runtime,
}

impl CudaLibrary {
    /// Returns the environment variable that names the library to load.
    #[must_use]
    pub const fn variable(self) -> &'static str {
        match self {
            Self::Driver => DRIVER_VARIABLE,
            Self::Runtime => RUNTIME_VARIABLE,
        }
    }

    /// Returns the usual names to try.
    ///
    /// The toolkit's stub is called `libcuda.so`, so that name comes last, and the stub is detected. The runtime has its
    /// major version in its name: `13`, `12` or, for CUDA 11, `11.0` and `110`.
    pub(crate) const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Driver if cfg!(windows) => &["nvcuda.dll"],
            Self::Driver => &["libcuda.so.1", "libcuda.so"],
            Self::Runtime if cfg!(windows) => &["cudart64_13.dll", "cudart64_12.dll", "cudart64_110.dll"],
            Self::Runtime => &["libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"],
        }
    }

    /// Returns what to do if none of the usual names is found.
    pub(crate) fn advice(self) -> &'static str {
        // Where Windows puts the driver for its Linux guests. WSL also adds that folder to the loader's configuration.
        self.advice_beside(Path::new("/usr/lib/wsl/lib"))
    }

    fn advice_beside(self, wsl: &Path) -> &'static str {
        match self {
            Self::Driver if cfg!(windows) => "Install the NVIDIA driver",
            Self::Driver if wsl.join("libcuda.so.1").exists() => {
                "Add /usr/lib/wsl/lib, which has a libcuda.so.1, to LD_LIBRARY_PATH"
            }
            Self::Driver => "Install the NVIDIA driver; in a container, start the container with access to the GPUs",
            Self::Runtime if cfg!(windows) => "Install the CUDA runtime, or add its folder to PATH",
            Self::Runtime => "Install the CUDA runtime, or add its folder to LD_LIBRARY_PATH",
        }
    }

    /// Returns a function that every release has and whose signature never changed.
    const fn version_function(self) -> &'static CStr {
        match self {
            Self::Driver => c"cuDriverGetVersion",
            Self::Runtime => c"cudaRuntimeGetVersion",
        }
    }

    /// Calls `load` with the names to try: the one in the environment variable if it is set, otherwise the usual ones.
    pub(crate) fn load<T>(self, load: impl FnOnce(&[PathBuf]) -> Result<T, LoadError>) -> Result<T, LoadError> {
        match environment::library(self.variable()) {
            Ok(Some(path)) => {
                load(&[path]).map_err(|error| LoadError::BadVariable { wanted: self, error: Box::new(error) })
            }
            Ok(None) => load(&self.names().iter().map(PathBuf::from).collect::<Vec<_>>()),
            Err(library) => Err(LoadError::SetTooLate { wanted: self, library }),
        }
    }
}

impl fmt::Display for CudaLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Driver => "driver",
            Self::Runtime => "runtime",
        })
    }
}

/// An open library that has reported its version.
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) version: CudaVersion,
    library: Library,
}

impl Opened {
    /// Opens the first candidate that is the wanted library and that this process has loaded already. If there is none,
    /// loads the first candidate that is the wanted library.
    ///
    /// A second runtime would have another current device and other errors than the one that the process uses.
    pub(crate) fn first(wanted: CudaLibrary, candidates: &[PathBuf]) -> Result<Self, LoadError> {
        let (empty, candidates): (Vec<_>, Vec<_>) = candidates.iter().partition(|path| path.as_os_str().is_empty());
        let loaded = candidates.iter().filter_map(|path| Some((already_loaded(path)?, path)));
        for (library, path) in loaded {
            if let Ok(opened) = Self::read(wanted, library, path) {
                return Ok(opened);
            }
        }
        let mut attempts: Vec<_> = empty.iter().map(|_| Attempt::empty()).collect();
        let mut refused = None;
        for path in candidates {
            // SAFETY: loading always runs the library's initialisers, and the caller asked for it to be loaded.
            match unsafe { Library::new(path) } {
                Ok(library) => match Self::read(wanted, library, path) {
                    Ok(opened) => return Ok(opened),
                    Err(error) => refused = refused.or(Some(error)),
                },
                Err(error) => attempts.push(Attempt::failed(path, &error)),
            }
        }
        Err(refused.unwrap_or(LoadError::NotLoaded { wanted, attempts }))
    }

    fn read(wanted: CudaLibrary, library: Library, path: &Path) -> Result<Self, LoadError> {
        const SUCCESS: c_uint = 0;
        const STUB_LIBRARY: c_uint = 34;
        const INSUFFICIENT_DRIVER: c_uint = 35;
        let (path, symbol) = (path.to_owned(), wanted.version_function());
        let get_version = address(&library, symbol);
        if get_version.is_null() {
            return Err(LoadError::AnotherLibrary { wanted, library: path, symbol });
        }
        type GetVersion = unsafe extern "C" fn(*mut c_int) -> c_uint;
        // SAFETY: the address is not null, and both libraries' functions have this signature.
        let get_version = unsafe { std::mem::transmute::<*const c_void, GetVersion>(get_version) };
        let mut version = 0;
        // SAFETY: the output is valid for writing.
        let code = unsafe { get_version(&mut version) };
        match (code, u32::try_from(version)) {
            (SUCCESS, Ok(version)) if wanted == CudaLibrary::Runtime && version / 1000 > NEWEST_RUNTIME => {
                Err(LoadError::NewerRuntime { library: path, version: CudaVersion(version) })
            }
            (SUCCESS, Ok(version)) if version > 0 => Ok(Self { path, version: CudaVersion(version), library }),
            // The runtime of CUDA 11 asks the driver first; later ones report their version without a driver.
            (INSUFFICIENT_DRIVER, _) if wanted == CudaLibrary::Runtime => {
                Ok(Self { path, version: CudaVersion(11_000), library })
            }
            (STUB_LIBRARY, _) => Err(LoadError::Stub { library: path }),
            (code, _) => Err(LoadError::NoVersion { wanted, library: path, code }),
        }
    }

    /// Keeps the library loaded for the rest of the process, because CUDA's threads and exit handlers point into it.
    pub(crate) fn keep(self) -> Loaded {
        Loaded { path: self.path, version: self.version, library: Box::leak(Box::new(self.library)) }
    }
}

/// A library that stays loaded.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    pub(crate) version: CudaVersion,
    library: &'static Library,
}

impl Loaded {
    /// Returns the address of an exported symbol, or null.
    pub(crate) fn address(&self, name: &CStr) -> *const c_void {
        address(self.library, name)
    }
}

/// Opens a library that this process has loaded already, by any path.
#[cfg(target_os = "linux")]
fn already_loaded(path: &Path) -> Option<Library> {
    use libloading::os::unix::{Library, RTLD_LAZY};

    /// glibc and musl have this value for the processors that CUDA supports.
    const RTLD_NOLOAD: std::ffi::c_int = 4;
    // SAFETY: the library's initialisers have run already.
    unsafe { Library::open(Some(path), RTLD_LAZY | RTLD_NOLOAD) }.ok().map(Into::into)
}

#[cfg(windows)]
fn already_loaded(path: &Path) -> Option<Library> {
    libloading::os::windows::Library::open_already_loaded(path).ok().map(Into::into)
}

#[cfg(not(any(target_os = "linux", windows)))]
const fn already_loaded(_: &Path) -> Option<Library> {
    None
}

fn address(library: &Library, name: &CStr) -> *const c_void {
    // SAFETY: only the address of the symbol is used here; the caller gives it the function's type.
    let symbol = unsafe { library.get::<*const c_void>(name) };
    // SAFETY: the address stays valid, because a library that is used is never unloaded.
    symbol.ok().and_then(|symbol| unsafe { symbol.try_as_raw_ptr() }).map_or(ptr::null(), <*mut c_void>::cast_const)
}

/// A value that a process loads once, on first use. A failure is not cached.
pub(crate) struct Once<T> {
    loaded: OnceLock<T>,
    loading: Mutex<()>,
}

impl<T> Once<T> {
    pub(crate) const fn new() -> Self {
        Self { loaded: OnceLock::new(), loading: Mutex::new(()) }
    }

    pub(crate) fn get(&self, load: fn() -> Result<T, LoadError>) -> Result<&T, LoadError> {
        if let Some(loaded) = self.loaded.get() {
            return Ok(loaded);
        }
        let _one_at_a_time = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = self.loaded.get() {
            return Ok(loaded);
        }
        let loaded = load()?;
        Ok(self.loaded.get_or_init(|| loaded))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::CudaLibrary;

    #[test]
    fn a_driver_of_wsl_that_the_loader_does_not_find_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(CudaLibrary::Driver.advice_beside(folder.path()).starts_with("Install the NVIDIA driver"));
        std::fs::write(folder.path().join("libcuda.so.1"), "").unwrap();
        assert!(CudaLibrary::Driver.advice_beside(folder.path()).contains("LD_LIBRARY_PATH"));
        assert!(CudaLibrary::Runtime.advice_beside(folder.path()).starts_with("Install the CUDA runtime"));
    }
}
