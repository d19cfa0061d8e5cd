//! Numbers that must be distinct.

use std::collections::HashSet;

use conformance::{Outcome, Stop, trace};

/// Checks that no two of the numbers that calls returned are equal.
pub(crate) fn check_distinct(what: &str, numbers: &[u64]) -> Outcome {
    let count = numbers.iter().collect::<HashSet<_>>().len();
    let holds = count == numbers.len();
    trace::check(&format!("{what} are distinct"), numbers, "are distinct", "", holds);
    // The steps have all of them, and the reason is a title and a sentence of a comparison.
    let mut known = HashSet::new();
    match numbers.iter().find(|number| !known.insert(**number)) {
        Some(again) => Err(Stop::failed(format!(
            "{what}: only {count} of {} are distinct, and {again} comes again",
            numbers.len()
        ))),
        None => Ok(()),
    }
}
