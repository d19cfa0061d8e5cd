//! Numbers that must be distinct.

use std::collections::HashSet;

use conformance::{Outcome, Stop, trace};

/// Checks that no two of the numbers that calls returned are equal.
pub(crate) fn check_distinct(what: &str, numbers: &[u64]) -> Outcome {
    let count = numbers.iter().collect::<HashSet<_>>().len();
    let holds = count == numbers.len();
    trace::check(&format!("{what} are distinct"), numbers, "are distinct", "", holds);
    if holds {
        return Ok(());
    }
    Err(Stop::failed(format!("only {count} of {} are distinct: {what} {numbers:?}", numbers.len())))
}
