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
//! `conformance score` runs the cases of those rows with each fault, and counts the faults that they notice. If only some
//! versions of CUDA can show a fault, it names one, which the driver then serves: `fault!(…, on = "13.4")`. If only more
//! devices can, it names their number, which the driver then has: `fault!(…, devices = 3)`.

use std::sync::OnceLock;

pub use fault::Fault;
pub(crate) use fault::Machine;

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
    (@option) => { None };
    (@option $value:literal) => { Some($value) };
    (
        $name:literal, [$($row:literal),+ $(,)?], $summary:literal
        $(, on = $version:literal)? $(, devices = $devices:literal)? $(,)?
    ) => {{
        static FAULT: $crate::fault::Fault = $crate::fault::Fault {
            name: $name,
            rows: &[$($row),+],
            summary: $summary,
            file: ::core::file!(),
            machine: $crate::fault::Machine {
                version: fault!(@option $($version)?),
                devices: fault!(@option $($devices)?),
            },
        };
        ::inventory::submit! { $crate::fault::Declared(&FAULT) }
        $crate::fault::is_active(&FAULT)
    }};
}

/// The fault that the driver has, if any.
pub(crate) fn active() -> Option<&'static Fault> {
    static ACTIVE: OnceLock<Option<&'static Fault>> = OnceLock::new();
    *ACTIVE.get_or_init(|| crate::environment::read("FAULT", |name| fault::named(name, faults())))
}

/// Whether the driver has the fault.
pub(crate) fn is_active(fault: &'static Fault) -> bool {
    active().is_some_and(|active| std::ptr::eq(active, fault))
}
