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
    /// What the reference driver must be for the bug to show.
    pub machine: Machine,
}

/// What the reference driver must be, where its default is not enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Machine {
    /// The CUDA version.
    pub version: Option<&'static str>,
    /// The number of devices.
    pub devices: Option<usize>,
}

/// Returns the fault with a name.
///
/// # Errors
/// No fault has this name.
pub fn named(name: &str, faults: impl IntoIterator<Item = &'static Fault>) -> Result<&'static Fault, &'static str> {
    let found = faults.into_iter().find(|fault| fault.name == name);
    found.ok_or("no fault has this name; see faults.txt of the archive, or `cargo conformance score --list`")
}
