//! `check!`: checks a condition in a case. The message shows the compared values.

/// Fails the case if the condition does not hold.
///
/// `check!(a == b)` prints both sides. Any condition can be followed by a message with format arguments.
#[macro_export]
macro_rules! check {
    ($left:ident == $right:expr) => { $crate::check!(@compare $left, ==, $right, stringify!($left == $right)) };
    ($left:ident != $right:expr) => { $crate::check!(@compare $left, !=, $right, stringify!($left != $right)) };
    (@compare $left:expr, $operator:tt, $right:expr, $text:expr) => {{
        let (left, right) = (&$left, &$right);
        if !(left $operator right) {
            return Err($crate::Stop::failed(format!("{} does not hold: {left:?} and {right:?}", $text)));
        }
    }};
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err($crate::Stop::failed(format!($($message)+)));
        }
    };
    ($condition:expr) => { $crate::check!($condition, "{} does not hold", stringify!($condition)) };
}
