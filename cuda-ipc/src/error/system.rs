//! System calls that failed.

use std::path::PathBuf;
use std::sync::Arc;
use std::{error, fmt, io};

use rustix::io::Errno;

use super::hint::Advice;

/// A system call that failed, and its error.
#[derive(Clone)]
#[non_exhaustive]
pub struct SystemError {
    /// The call, or the file that was read.
    pub call: &'static str,
    /// The file, or the abstract name as `@name`, if the call had one.
    pub path: Option<PathBuf>,
    /// The error that the call returned.
    pub source: Arc<io::Error>,
}

impl SystemError {
    pub(crate) fn new(call: &'static str, source: impl Into<io::Error>) -> Self {
        Self { call, path: None, source: Arc::new(source.into()) }
    }

    pub(crate) fn at(self, path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()), ..self }
    }

    /// Returns what to do about the error, if that is known.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match (self.call, Errno::from_io_error(&self.source)?) {
            (_, Errno::TOOMANYREFS) => {
                "more descriptors of this user are in transit than RLIMIT_NOFILE allows: wait until the peer receives \
                 some"
            }
            (_, Errno::MFILE) => "close descriptors, or raise the limit of open files (RLIMIT_NOFILE)",
            ("mmap" | "malloc", Errno::NOMEM) => {
                "use less memory, or raise the limits of memory and address space (RLIMIT_AS)"
            }
            ("connect", Errno::ACCESS) => {
                "the folder must be searchable, and the socket's file writable, for this user"
            }
            ("bind" | "open of the lock file", Errno::ACCESS) => "the folder must be writable for this user",
            ("open of the lock file", Errno::NOENT) => "create the folder first",
            ("open of the lock file", Errno::LOOP | Errno::ISDIR) => {
                "remove what is at the socket's path with .lock after it"
            }
            _ => return None,
        })
    }
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.call)?;
        if let Some(path) = &self.path {
            write!(f, " ({})", path.display())?;
        }
        write!(f, ": {}{}", self.source, Advice(self.hint()))
    }
}

// Not derived: thiserror would return the `Arc` as the source, which cannot be downcast to `io::Error`.
impl error::Error for SystemError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(&*self.source)
    }
}

impl From<SystemError> for io::Error {
    /// Keeps the kind of the error, and the whole message.
    fn from(error: SystemError) -> Self {
        Self::new(error.source.kind(), error)
    }
}
