//! The loaded driver.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::library::{Loaded, candidates, load};
use crate::{CudaVersion, Functions, LoadError, MissingSymbol, Symbol};

/// A CUDA driver: its library, and the functions that were found in it.
///
/// Each function of the table is a method that answers [`MissingSymbol`] where the driver does not have it. The
/// methods cost one comparison over the C call; [`Driver::functions`] hands out the pointers themselves.
pub struct Driver {
    path: PathBuf,
    version: CudaVersion,
    functions: Functions,
}

impl Driver {
    /// The process's driver, loaded on the first call: `libcuda.so.1`, or what [`DRIVER_VARIABLE`] names.
    ///
    /// A failure is not kept: the next call tries again.
    ///
    /// # Errors
    /// [`LoadError`], with every name that was tried and the loader's message for it.
    ///
    /// [`DRIVER_VARIABLE`]: crate::DRIVER_VARIABLE
    pub fn get() -> Result<&'static Self, LoadError> {
        static DRIVER: OnceLock<Driver> = OnceLock::new();
        static LOADING: Mutex<()> = Mutex::new(());
        if let Some(driver) = DRIVER.get() {
            return Ok(driver);
        }
        let _one_at_a_time = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(driver) = DRIVER.get() {
            return Ok(driver);
        }
        let driver = Self::from(load(&candidates())?);
        Ok(DRIVER.get_or_init(|| driver))
    }

    /// Load a library by path (or by name, through the loader's search) whatever the environment says.
    ///
    /// The library stays loaded for the rest of the process.
    ///
    /// # Errors
    /// [`LoadError`], as for [`Driver::get`].
    pub fn load_from(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        load(&[path.as_ref().to_owned()]).map(Self::from)
    }

    /// The name or path that was loaded.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The newest CUDA version that the driver serves.
    #[must_use]
    pub const fn version(&self) -> CudaVersion {
        self.version
    }

    /// The function pointers; `None` where the driver does not have a function.
    #[inline]
    #[must_use]
    pub const fn functions(&self) -> &Functions {
        &self.functions
    }

    #[cold]
    pub(crate) fn missing(&self, symbol: &Symbol) -> MissingSymbol {
        MissingSymbol::new(symbol.name, symbol.since, self.version)
    }
}

impl From<Loaded> for Driver {
    fn from(Loaded { path, version, functions }: Loaded) -> Self {
        Self { path, version, functions }
    }
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").field("path", &self.path).field("version", &self.version).finish_non_exhaustive()
    }
}
