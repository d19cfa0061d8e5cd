//! A condition that a program checks.

/// A condition in C, and the participant that has its values.
pub(crate) struct Condition {
    pub(crate) participant: usize,
    pub(crate) text: String,
}
