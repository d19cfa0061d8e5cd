//! What of a trace a program contains as it is, neither as a text in quotation marks nor as a number. A trace can come from
//! a stranger, who must not be able to write C.

use conformance::trace::{Comparison, Place};

use super::story::{Act, Story, Unwritable};

/// The operators of comparisons: those of Rust, and those of the suite's own checks.
const OPERATORS: [&str; 9] = ["==", "!=", "<", "<=", ">", ">=", "%", "is a power of", "are distinct"];

/// Returns why a story is not one that the suite recorded.
pub(crate) fn check(story: &Story) -> Result<(), Unwritable> {
    story.roles.iter().try_for_each(|role| placed(&role.place))?;
    story.acts.iter().try_for_each(|act| match act {
        // The name of a step is in a comment.
        Act::Step(step) if !is_name(step.name()) => no_suite(format!("a step is called `{}`", step.name())),
        Act::Check { comparison: Some(Comparison { operator, .. }), .. } if !OPERATORS.contains(&operator.as_str()) => {
            no_suite(format!("a check compares with `{operator}`"))
        }
        Act::Computed { expression, from, .. } if !is_arithmetic(expression, from.len()) => {
            no_suite(format!("a case computes `{expression}`"))
        }
        _ => Ok(()),
    })
}

fn no_suite(what: String) -> Result<(), Unwritable> {
    Err(Unwritable::new(format!("{what} in the trace, which no suite writes, so it may be made by hand")))
}

/// Checks the variables that place a role. Others, such as `LD_PRELOAD`, can load a library.
fn placed(place: &Place) -> Result<(), Unwritable> {
    let is_known = |name: &str| name == "CUDA_VISIBLE_DEVICES" || name.starts_with("REFERENCE_DRIVER_");
    match place.environment.iter().find(|(name, _)| !is_known(name)) {
        Some((name, _)) => no_suite(format!("a role sets the variable `{name}`")),
        None => Ok(()),
    }
}

fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether an expression has only numbers, arithmetic and `{0}`, `{1}` for as many values.
fn is_arithmetic(expression: &str, values: usize) -> bool {
    // These are comments, or change a variable.
    if ["//", "/*", "*/", "++", "--"].iter().any(|sign| expression.contains(sign)) {
        return false;
    }
    let mut parts = expression.split('{');
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || b" +-*/%()".contains(&byte));
    let is_first_plain = parts.next().is_none_or(is_plain);
    is_first_plain
        && parts.all(|part| {
            let Some((number, rest)) = part.split_once('}') else { return false };
            number.parse().is_ok_and(|number: usize| number < values) && is_plain(rest)
        })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::is_arithmetic;

    /// What a case computes is arithmetic with what calls returned.
    #[rstest]
    #[case::value("{0}", true)]
    #[case::product("3 * {0}", true)]
    #[case::rounded("({0} + {1} - 1) / {1} * {1}", true)]
    #[case::call("system({0})", false)]
    #[case::text("{0} + \"x\"", false)]
    #[case::statement("{0}; 1", false)]
    #[case::comment("{0} /* 1", false)]
    #[case::assignment("{0}++", false)]
    #[case::unknown_value("{2}", false)]
    #[case::no_number("{x}", false)]
    #[case::open("{0", false)]
    fn only_arithmetic_is_computed(#[case] expression: &str, #[case] is_good: bool) {
        assert_eq!(is_arithmetic(expression, 2), is_good);
    }
}
