//! A filter that selects no case. libtest calls such a run green, and a check that names a case must not be.

use libtest_mimic::Arguments;

use crate::case::Case;

/// How many names with parameters a message lists.
const SHOWN: usize = 3;

/// Prints a warning if no case matches the filter.
///
/// # Errors
/// With `--exact`, no case has the name.
pub(super) fn check(arguments: &Arguments, cases: &[Case]) -> Result<(), String> {
    let Some(filter) = &arguments.filter else { return Ok(()) };
    if arguments.exact {
        let is_case = |case: &Case| case.id == *filter || format!("{}: test", case.id) == *filter;
        return if cases.iter().any(is_case) { Ok(()) } else { Err(format!("--exact: {}", unknown(filter, cases))) };
    }
    if !cases.iter().any(|case| case.id.contains(filter.as_str())) {
        eprintln!("conformance: warning: no case matches `{filter}`, so no case runs; --list prints the names");
    }
    Ok(())
}

/// Says that no case has a name, and which one comes closest: with the same name and parameters, or similar letters.
pub(super) fn unknown(name: &str, cases: &[Case]) -> String {
    let distance = |case: &&Case| strsim::levenshtein(&case.id, name).min(strsim::levenshtein(&case.base, name));
    let parameters: Vec<_> = cases.iter().filter(|case| case.base == name).map(|case| case.id.as_str()).collect();
    match (parameters.as_slice(), cases.iter().min_by_key(distance)) {
        ([], None) => format!("no case is called `{name}`: there are no cases"),
        ([], Some(closest)) => format!("no case is called `{name}`; the closest is `{}`", closest.id),
        (ids, _) => {
            let more = if ids.len() > SHOWN { " …" } else { "" };
            let ids = ids.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
            format!("no case is called `{name}` without its parameters: {ids}{more}")
        }
    }
}
