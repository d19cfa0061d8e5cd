//! A declared fault: a small, plausible bug of a driver that an environment variable switches on.
//!
//! Two libraries have faults: the reference driver, and the interposer, which stands before another driver.
//! `conformance score` runs the cases of a fault's rows with the fault, and counts the faults that they notice.

/// A bug that a driver can have.
#[derive(Debug)]
pub struct Fault {
    /// The name, as the environment variable takes it.
    pub name: &'static str,
    /// The rows of the catalogue that a driver with this bug violates.
    pub rows: &'static [&'static str],
    /// What the driver does wrong, in one sentence.
    pub summary: &'static str,
    /// The source file that has it.
    pub file: &'static str,
    /// The CUDA version that the reference driver must serve for the bug to show; `None` if the default version shows
    /// it.
    pub version: Option<&'static str>,
}

/// Returns the fault that an environment variable names, or `None` if the variable is unset or empty.
///
/// A name that no fault has ends the process: a test that asked for the fault must not pass without it.
pub fn chosen(variable: &str, faults: impl IntoIterator<Item = &'static Fault>) -> Option<&'static Fault> {
    let name = std::env::var(variable).ok().filter(|name| !name.is_empty())?;
    let found = faults.into_iter().find(|fault| fault.name == name);
    if found.is_none() {
        eprintln!("{variable}: unknown fault `{name}`; `conformance score --list` prints the names");
        std::process::exit(1);
    }
    found
}
