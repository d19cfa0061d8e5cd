//! Variables that would change what is measured.

use conformance::driver::Choice;

use crate::output::Failure;

/// The variables of the suite that change nothing in a score.
const HARMLESS: [&str; 2] = ["CONFORMANCE_RECORDS", "CONFORMANCE_SUITE"];

/// Refuses variables that change the suite or the driver. Scores can be compared only if all are of the defaults.
/// `CUDA_VISIBLE_DEVICES` may choose among the GPUs of a real driver.
pub(super) fn check(driver: &Choice) -> Result<(), Failure> {
    let is_changed = |name: &String| {
        name.starts_with("REFERENCE_DRIVER_")
            || name.starts_with("CONFORMANCE_") && !HARMLESS.contains(&name.as_str())
            || name == "CUDA_VISIBLE_DEVICES" && *driver == Choice::Reference
    };
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let mut names: Vec<_> = names.filter(is_changed).collect();
    names.sort();
    if names.is_empty() {
        return Ok(());
    }
    let unset: String = names.iter().map(|name| format!(" -u {name}")).collect();
    // As it was called: in a checkout or a bundle, no `conformance` is on the path. Without the names of its faults, the
    // command would run them all.
    let called: String = std::env::args_os().map(|word| format!(" {}", word.to_string_lossy())).collect();
    Err(Failure::new(format_args!(
        "the score is that of the default suite and driver, and {} must not be set: run env{unset}{called}",
        names.join(", ")
    )))
}
