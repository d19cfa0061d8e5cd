//! `check!`: checks a condition in a case. The message shows the compared values.

/// Fails the case if the condition does not hold.
///
/// A comparison prints both sides. Any condition can be followed by a message with format arguments, which takes their
/// place.
#[macro_export]
macro_rules! check {
    ($condition:expr, $($message:tt)+) => { $crate::check_told!($condition, $($message)+) };
    ($($condition:tt)+) => { $crate::check_shown!($($condition)+) };
}
