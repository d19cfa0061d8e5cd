//! The driver that the suite is measured on, and its faults.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use conformance::driver::Choice;
use fault::Fault;

use crate::output::Failure;
use crate::suite::INTERPOSER;

/// The driver that the suite is measured on.
pub(super) enum Target {
    /// The reference driver, which has faults of its own.
    Reference,
    /// Another driver, with the interposer before it: a library by path, or the system's driver.
    Interposed(Option<PathBuf>),
}

impl Target {
    pub(super) fn new(driver: &Choice) -> Result<Self, Failure> {
        match driver {
            Choice::Reference => Ok(Self::Reference),
            Choice::System => Ok(Self::Interposed(None)),
            Choice::Path(path) => {
                let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                if path.is_file() {
                    Ok(Self::Interposed(Some(path)))
                } else {
                    Err(Failure::new(format_args!("--driver {}: the file does not exist", path.display())))
                }
            }
            Choice::Auto => Err(Failure::new("--driver auto: choose reference, system or the path of a library")),
        }
    }

    /// Returns every declared fault, by name.
    pub(super) fn faults(&self) -> Vec<&'static Fault> {
        match self {
            Self::Reference => reference_driver::faults(),
            Self::Interposed(_) => interposer_faults::faults(),
        }
    }

    /// Whether a run costs little. A run on a real driver starts contexts, so it ends at the first case that notices.
    pub(super) const fn is_cheap(&self) -> bool {
        matches!(self, Self::Reference)
    }

    /// Returns the value of the suite's `--driver`.
    pub(super) fn driver(&self, suite: &Path) -> Result<OsString, Failure> {
        match self {
            Self::Reference => Ok("reference".into()),
            Self::Interposed(_) => {
                let library = suite.with_file_name(INTERPOSER);
                if library.is_file() {
                    Ok(library.into())
                } else {
                    Err(Failure::new(format_args!(
                        "the interposer does not exist at {}: build it together with the suite",
                        library.display()
                    )))
                }
            }
        }
    }

    /// Returns the environment of a run. A variable without a value must not be set.
    pub(super) fn environment(&self, fault: Option<&Fault>) -> [(&'static str, Option<OsString>); 3] {
        const REFERENCE: &str = "REFERENCE_DRIVER_FAULT";
        let name = fault.map(|fault| fault.name.into());
        match self {
            Self::Reference => [
                (REFERENCE, name),
                (interposer_faults::FAULT_VARIABLE, None),
                (interposer_faults::LIBRARY_VARIABLE, None),
            ],
            Self::Interposed(library) => [
                (REFERENCE, None),
                (interposer_faults::FAULT_VARIABLE, name),
                (interposer_faults::LIBRARY_VARIABLE, library.clone().map(Into::into)),
            ],
        }
    }
}
