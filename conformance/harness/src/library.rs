//! The library that answers a role's calls. It is not always the one that was loaded: another library may stand before
//! it.

use std::fs;
use std::path::{Path, PathBuf};

/// How the file name of the reference driver begins.
const REFERENCE: &str = "libreference_driver";

/// The file name of the reference driver's runtime, which lies beside the driver.
const RUNTIME: &str = "libreference_runtime.so";

/// Returns the runtime of a driver that was given by path: that of the reference driver lies beside it. Any other driver
/// contains its own, or has none.
pub(crate) fn runtime_of(driver: &Path) -> PathBuf {
    let beside = driver.with_file_name(RUNTIME);
    let is_reference = Library::is_reference(&driver.to_string_lossy());
    if is_reference && beside.is_file() { beside } else { driver.to_owned() }
}

/// The library that answers the calls of this process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Library {
    /// The file.
    pub(crate) path: String,
    /// The release, if the library is NVIDIA's.
    pub(crate) nvidia_release: Option<String>,
}

impl Library {
    /// Finds the library among the files that this process has mapped. `loaded` is the one that was loaded by path.
    ///
    /// A mapped file whose name begins with `libreference_driver` is the reference driver. NVIDIA's library contains the
    /// release of the loaded kernel module, so a renamed copy given by path is recognised. If neither is found, the
    /// driver is the first mapped `libcuda.so`, or else the loaded library.
    pub(crate) fn of_this_process(loaded: &Path) -> Self {
        let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let files = maps.lines().filter_map(|line| line.split_once('/')).map(|(_, path)| format!("/{path}"));
        let mut drivers: Vec<_> =
            files.filter(|path| path.contains("libcuda.so") || Self::is_reference(path)).collect();
        drivers.dedup();
        if let Some(reference) = drivers.iter().find(|path| Self::is_reference(path)) {
            return Self { path: reference.clone(), nvidia_release: None };
        }
        drivers.push(loaded.display().to_string());
        let release = nvidia_release();
        let nvidias = release.as_ref().and_then(|release| drivers.iter().find(|path| contains(path, release)));
        match nvidias {
            Some(path) => Self { path: path.clone(), nvidia_release: release },
            None => Self { path: drivers.swap_remove(0), nvidia_release: None },
        }
    }

    /// Whether the library is the reference driver.
    pub(crate) fn is_reference(path: &str) -> bool {
        Path::new(path).file_name().is_some_and(|name| name.to_string_lossy().starts_with(REFERENCE))
    }
}

fn contains(file: &str, text: &str) -> bool {
    fs::read(file).is_ok_and(|bytes| memchr::memmem::find(&bytes, text.as_bytes()).is_some())
}

/// Returns the release of NVIDIA's kernel module, such as 580.159.04.
pub(crate) fn nvidia_release() -> Option<String> {
    let text = fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let is_release = |word: &&str| word.contains('.') && word.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit());
    text.lines().next()?.split_whitespace().find(is_release).map(str::to_owned)
}
