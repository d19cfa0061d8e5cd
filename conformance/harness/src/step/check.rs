//! The conditions of checks, which a reason has in Rust, in the words of CUDA.

use super::function;

/// Returns a reason with the calls of its condition as CUDA names them: `cuMemGetAccess(address, 0) == NONE does not hold:
/// 3 and 0` for `importer.mem_get_access(address, 0) ? == NONE does not hold: 3 and 0`. What shows reasons to people who
/// do not know the suite uses it.
#[must_use]
pub fn check_in_c(reason: &str) -> String {
    match reason.split_once(" does not hold") {
        Some((condition, rest)) => format!("{} does not hold{rest}", calls_in_c(condition)),
        None => reason.to_owned(),
    }
}

/// Replaces each `ROLE.method(arguments)?` whose method is a call of CUDA.
fn calls_in_c(condition: &str) -> String {
    let mut told = String::with_capacity(condition.len());
    let mut rest = condition;
    while let Some(open) = rest.find('(') {
        let (before, from) = rest.split_at(open);
        match call(before, from) {
            Some((start, name, arguments, after)) => {
                told += &format!("{}{name}({})", &before[..start], calls_in_c(arguments));
                // The compiler writes `? ,` between two arguments.
                rest = if after.starts_with(" ,") { &after[1..] } else { after };
            }
            None => {
                told += &rest[..=open];
                rest = &from[1..];
            }
        }
    }
    told + rest
}

/// Reads a call of a role: where it starts, the function of CUDA, its arguments, and what follows its `?`.
fn call<'text>(before: &'text str, from: &'text str) -> Option<(usize, String, &'text str, &'text str)> {
    let method = &before[before.trim_end_matches(is_of_a_name).len()..];
    let receiver = before[..before.len() - method.len()].strip_suffix('.')?;
    let name = function(method);
    if name == method {
        return None;
    }
    let close = closing(from)?;
    let after = from[close + 1..].trim_start().strip_prefix('?')?;
    Some((start(receiver), name, &from[1..close], after))
}

/// Returns where the expression at the end of a text starts: `self.importers[0]`.
fn start(receiver: &str) -> usize {
    let mut rest = receiver;
    loop {
        let inner = rest.strip_suffix(']').and_then(|inner| Some(&inner[..inner.rfind('[')?]));
        let name = inner.unwrap_or(rest).trim_end_matches(is_of_a_name);
        match name.strip_suffix('.') {
            Some(before) => rest = before,
            None => return name.len(),
        }
    }
}

/// Returns the place of the bracket that closes the one with which a text begins.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(place, c)| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        (depth == 0).then_some(place)
    })
}

fn is_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
