//! Tables of calls that the driver must refuse, or that must leave everything as it was. Each is one line: the row, the
//! code, and how it reads.

use conformance::{Outcome, Role, is_listed};

/// A misuse that needs nothing but a process.
pub(crate) struct Alone {
    pub(crate) row: &'static str,
    /// The case whose listed deviation is this misuse: a driver that has it is not asked.
    pub(crate) unless: Option<&'static str>,
    pub(crate) text: &'static str,
    pub(crate) run: fn(&Role) -> Outcome,
}

/// A misuse of something that the script has made.
pub(crate) struct Of<T> {
    pub(crate) row: &'static str,
    /// The name of `T`.
    pub(crate) of: &'static str,
    pub(crate) text: &'static str,
    pub(crate) run: fn(&Role, T) -> Outcome,
}

macro_rules! alone {
    ($($row:literal $(unless $case:literal)?: |$p:ident| $body:expr;)*) => {
        &[$(Alone { row: $row, unless: alone!(@ $($case)?), text: stringify!($body), run: |$p| $body },)*]
    };
    (@) => { None };
    (@ $case:literal) => { Some($case) };
}

macro_rules! of {
    ($of:ident; $($row:literal: |$p:ident, $it:ident| $body:expr;)*) => {
        &[$(Of { row: $row, of: stringify!($of), text: stringify!($body), run: |$p, $it| $body },)*]
    };
}

pub(crate) use {alone, of};

impl Alone {
    /// Whether the driver is asked: it is not if it has the misuse as a listed bug.
    pub(crate) fn is_asked(&self) -> bool {
        !self.unless.is_some_and(is_listed)
    }

    pub(crate) fn lines(&self, by: usize) -> String {
        format!("(|p: &Role| {})(&p{by})?;", self.text)
    }
}

impl<T> Of<T> {
    /// Returns the misuse as a line of a case. `it` is what the script calls the thing.
    pub(crate) fn lines(&self, by: usize, it: &str) -> String {
        format!("(|p: &Role, it: {}| {})(&p{by}, {it})?;", self.of, self.text)
    }
}
