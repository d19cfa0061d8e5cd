//! Faults: small, plausible bugs that the environment switches on, one at a time.
//!
//! A suite that a broken driver passes is worse than none. So each rule has a driver that breaks it: this one, with
//! `REFERENCE_DRIVER_FAULT=name`. A fault is declared where it acts, and names the rows of the catalogue that it
//! violates:
//!
//! ```text
//! if import.references == 0 || fault!("close-ignores-the-count", ["IPCMEM-CLOSE-002"], "The first close unmaps.") {
//! ```
//!
//! `conformance score` runs the cases of those rows with each fault, and counts the faults that they notice. A fault that
//! only some versions of CUDA can show names one: `fault!(…, on = "13.4")`.

use std::sync::OnceLock;

/// A bug that the driver can have.
#[derive(Debug)]
pub struct Fault {
    /// The name, as `REFERENCE_DRIVER_FAULT` takes it.
    pub name: &'static str,
    /// The rows of the catalogue that a driver with this bug violates.
    pub rows: &'static [&'static str],
    /// What the driver does wrong, in one sentence.
    pub summary: &'static str,
    /// The source file that has it.
    pub file: &'static str,
    /// The CUDA version that the driver must serve for the bug to show; `None` if the default version shows it.
    pub version: Option<&'static str>,
}

/// A declared fault, as the linker collects it.
pub(crate) struct Declared(pub(crate) &'static Fault);

inventory::collect!(Declared);

/// Every declared fault, by name.
#[must_use]
pub fn faults() -> Vec<&'static Fault> {
    let mut faults: Vec<_> = inventory::iter::<Declared>.into_iter().map(|declared| declared.0).collect();
    faults.sort_by_key(|fault| fault.name);
    faults
}

/// Declares a fault, and says whether the driver has it.
macro_rules! fault {
    ($name:literal, [$($row:literal),+ $(,)?], $summary:literal $(,)?) => {
        fault!(@declare $name, [$($row),+], $summary, None)
    };
    ($name:literal, [$($row:literal),+ $(,)?], $summary:literal, on = $version:literal $(,)?) => {
        fault!(@declare $name, [$($row),+], $summary, Some($version))
    };
    (@declare $name:literal, [$($row:literal),+], $summary:literal, $version:expr) => {{
        static FAULT: $crate::fault::Fault = $crate::fault::Fault {
            name: $name,
            rows: &[$($row),+],
            summary: $summary,
            file: ::core::file!(),
            version: $version,
        };
        ::inventory::submit! { $crate::fault::Declared(&FAULT) }
        $crate::fault::is_active(&FAULT)
    }};
}

/// Whether the driver has the fault.
pub(crate) fn is_active(fault: &'static Fault) -> bool {
    static ACTIVE: OnceLock<Option<&'static Fault>> = OnceLock::new();
    ACTIVE.get_or_init(chosen).is_some_and(|active| std::ptr::eq(active, fault))
}

/// The fault that the environment names. A name that no fault has ends the process: a test that asked for the fault must
/// not pass without it.
fn chosen() -> Option<&'static Fault> {
    let name = std::env::var("REFERENCE_DRIVER_FAULT").ok().filter(|name| !name.is_empty())?;
    let found = faults().into_iter().find(|fault| fault.name == name);
    if found.is_none() {
        eprintln!("reference driver: REFERENCE_DRIVER_FAULT: unknown fault `{name}`");
        std::process::exit(1);
    }
    found
}
