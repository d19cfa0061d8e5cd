//! A step of a case, as reports list it.

mod access;
mod check;
mod names;

pub(crate) use access::{Accepted, Access};
pub use check::check_in_c;

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One call of one role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// The role that performed the call.
    pub role: String,
    /// The call and its arguments.
    pub call: String,
    /// The result: the call's output, an error code, or how the role ended.
    pub answer: String,
    /// How long the role was in the call, in milliseconds; absent if it did not return, or in reports of earlier suites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<f64>,
    /// What the driver's own log said about a refusal, from CUDA 12.9 on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
}

impl Step {
    /// Returns the C function that the step calls, such as `cuMemPoolImportPointer`. A step that is no function of CUDA has
    /// the name of the suite's helper.
    #[must_use]
    pub fn function(&self) -> String {
        function(&self.call)
    }

    /// Returns the helpers of the suite that are one call of CUDA under another name, each with the C function.
    #[doc(hidden)]
    pub fn helpers() -> impl Iterator<Item = (&'static str, &'static str)> {
        names::HELPERS.iter().flat_map(|(function, helpers)| helpers.iter().map(move |helper| (*helper, *function)))
    }

    /// Whether CUDA refused the call: the answer is a code, and not that of success. A refusal takes another time than a
    /// call that does its work.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        ["CUDA_ERROR_", "CUDA error "].iter().any(|begin| self.answer.starts_with(begin))
    }

    /// Returns the call as C writes it: `cuMemAlloc(size: 4)` for `mem_alloc { size: 4 }`.
    #[must_use]
    pub fn in_c(&self) -> String {
        in_c(&self.call)
    }
}

/// Returns a duration as reports have it: in milliseconds, rounded to microseconds.
pub(crate) fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// Returns a step as C writes it. The end of a long one may be cut off.
pub(crate) fn in_c(step: &str) -> String {
    let end = step.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(step.len());
    let (name, rest) = (function(step), step[end..].trim());
    match rest.strip_prefix('{') {
        Some(rest) => match rest.strip_suffix('}') {
            Some(arguments) => format!("{name}({})", arguments.trim()),
            None => format!("{name}({}", rest.trim()),
        },
        None if rest.is_empty() => format!("{name}()"),
        None if rest.starts_with('(') => name + rest,
        // Words, such as `loading the driver`.
        None => step.to_owned(),
    }
}

/// Returns a reason with the step in which a process ended or hung as C writes it. Reports and lists of deviations of
/// earlier suites have the suite's own names: `in mem_pool_destroy { pool: Pool(0x7) }`.
pub(crate) fn reason_in_c(reason: &str) -> String {
    const BEFORE: [&str; 2] = [" in ", "no answer to "];
    const AFTER: [&str; 3] = [" (listed: ", " before the deadline", "\n"];
    // An entry of a list can begin with it.
    let begins = reason.strip_prefix("in ").map(|_| "in ".len());
    let within = BEFORE.iter().find_map(|before| Some(reason.find(before)? + before.len()));
    let Some(start) = begins.or(within) else { return reason.to_owned() };
    let (before, rest) = reason.split_at(start);
    let end = AFTER.iter().filter_map(|after| rest.find(after)).min().unwrap_or(rest.len());
    let (step, after) = rest.split_at(end);
    let (name, arguments) = step.split_at(step.find([' ', '(']).unwrap_or(step.len()));
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    match arguments {
        _ if !is_name => reason.to_owned(),
        "" => format!("{before}{}{after}", function(name)),
        // The suite wrote some helpers as C writes a function.
        _ if arguments.starts_with('(') => format!("{before}{}{arguments}{after}", function(name)),
        _ if arguments.starts_with(" {") => format!("{before}{}{after}", in_c(step)),
        _ => reason.to_owned(),
    }
}

/// Reads the reason of a case, and gives calls the names of C.
pub(crate) fn read_reason<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.map(|reason| reason_in_c(&reason)))
}

/// Reads the call of a failure, which reports of earlier suites have under the suite's own name.
pub(crate) fn read_call<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.map(|call| function(&call)))
}

/// Returns the C function behind a step, such as `cuMemPoolImportPointer` for `mem_pool_import_pointer { … }`. A step
/// that is no function of CUDA keeps its own name.
pub(crate) fn function(step: &str) -> String {
    let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = step.split(|c| !is_of_a_name(c)).next().unwrap_or_default();
    if let Some(function) = names::function_of(name) {
        return function.to_owned();
    }
    let letters = |text: &str| text.replace('_', "").to_ascii_lowercase();
    let wanted = letters(name);
    let symbols = cuda_ipc_sys::SYMBOLS.iter().chain(cuda_ipc_sys::runtime::SYMBOLS);
    let names = symbols.filter_map(|symbol| symbol.name.to_str().ok());
    let is_it = |known: &&str| {
        let known = known.to_ascii_lowercase();
        known == wanted || known.strip_prefix("cu").is_some_and(|rest| rest == wanted)
    };
    names.into_iter().find(is_it).unwrap_or(name).to_owned()
}
