//! A number with its noun.

/// Returns a number of things: `1 case`, `2 cases`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
