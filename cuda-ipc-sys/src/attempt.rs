//! Why the loader did not open a library.

use std::error::Error as _;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::image;

/// A library name that was tried, and why it was not loaded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attempt {
    /// A file name that the loader searches for, or a path.
    pub library: PathBuf,
    /// Why it was not loaded.
    pub cause: Cause,
    /// The loader's message.
    pub message: String,
}

/// Why the loader did not open a library.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The file does not exist, or is not in a folder that the loader searches.
    NotFound,
    /// The file is not a library: not in the ELF format, or not in the PE format on Windows.
    NotALibrary,
    /// The library is for a different processor than this process.
    OtherArchitecture {
        /// The processor that the library is for, such as `aarch64`.
        machine: String,
    },
    /// The library exists, but another library that it needs was not found.
    MissingDependency {
        /// The library that was not found. Windows does not name it.
        library: Option<String>,
    },
    /// This program is linked statically with musl, which has no loader.
    StaticProgram,
    /// Another cause, which the loader's message describes.
    Other,
}

impl Attempt {
    /// The loader would open the program itself.
    pub(crate) fn empty() -> Self {
        let message = "it would name this program".to_owned();
        Self { library: PathBuf::new(), cause: Cause::NotFound, message }
    }

    /// Describes why the loader did not open a library.
    pub(crate) fn failed(library: &Path, error: &libloading::Error) -> Self {
        let message = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        Self { cause: cause(library, error, &message), library: library.to_owned(), message }
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let library = self.library.display();
        match &self.cause {
            _ if self.library.as_os_str().is_empty() => f.write_str("an empty path names no library"),
            Cause::NotFound => write!(f, "{library} was not found"),
            Cause::NotALibrary => write!(f, "{library} is not a shared library"),
            Cause::OtherArchitecture { machine } => {
                write!(f, "{library} is for {machine}, but this process runs on {}", std::env::consts::ARCH)
            }
            Cause::MissingDependency { library: Some(missing) } => {
                write!(f, "{library} needs {missing}, which is missing")
            }
            Cause::MissingDependency { library: None } => write!(f, "{library} needs a library that is missing"),
            Cause::StaticProgram => write!(f, "{library} cannot be loaded by a program that is linked statically"),
            Cause::Other => write!(f, "{library} could not be loaded"),
        }?;
        write!(f, " ({})", self.message)
    }
}

/// Whether this program cannot load any library: musl's `dlopen` always fails if the program is linked statically.
const IS_STATIC: bool = cfg!(all(target_env = "musl", target_feature = "crt-static"));

/// Returns the cause, from the file if the path leads to one that shows the cause, otherwise from the loader's error.
///
/// The error alone is misleading. For a library of another processor, glibc reports that the file does not exist.
/// For a missing dependency, Windows reports that the library itself does not exist.
fn cause(path: &Path, error: &libloading::Error, message: &str) -> Cause {
    if IS_STATIC {
        return Cause::StaticProgram;
    }
    // The loader searches for a bare name in its own folders.
    let is_path = path.components().count() > 1;
    if is_path && !path.exists() {
        return Cause::NotFound;
    }
    let in_file = if is_path { image::defect(path) } else { None };
    in_file.unwrap_or_else(|| reported(path, error, message))
}

#[cfg(not(windows))]
fn reported(path: &Path, _: &libloading::Error, message: &str) -> Cause {
    match dependency(path, message) {
        Some(library) => Cause::MissingDependency { library: Some(library) },
        None if message.contains("No such file") => Cause::NotFound,
        None => Cause::Other,
    }
}

/// Returns the library that the message names, if it is not the one at `path`.
#[cfg(not(windows))]
fn dependency(path: &Path, message: &str) -> Option<String> {
    // musl
    if message.contains("(needed by ") {
        let (_, rest) = message.split_once("shared library ")?;
        return Some(rest.split_once(':')?.0.to_owned());
    }
    // glibc
    let (subject, rest) = message.split_once(": ")?;
    (rest.starts_with("cannot open shared object file") && subject != path.to_string_lossy())
        .then(|| subject.to_owned())
}

#[cfg(windows)]
fn reported(path: &Path, error: &libloading::Error, _: &str) -> Cause {
    const ERROR_FILE_NOT_FOUND: &str = "2";
    const ERROR_PATH_NOT_FOUND: &str = "3";
    const ERROR_MOD_NOT_FOUND: &str = "126";
    const ERROR_BAD_EXE_FORMAT: &str = "193";
    // libloading keeps the code private, but prints it.
    match error.source().map(|code| format!("{code:?}")).as_deref() {
        // The file exists, so a library that it needs is missing.
        Some(ERROR_MOD_NOT_FOUND) if path.components().count() > 1 => Cause::MissingDependency { library: None },
        Some(ERROR_FILE_NOT_FOUND | ERROR_PATH_NOT_FOUND | ERROR_MOD_NOT_FOUND) => Cause::NotFound,
        Some(ERROR_BAD_EXE_FORMAT) => Cause::NotALibrary,
        _ => Cause::Other,
    }
}
