//! A step of a case, as reports list it.

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
}

/// Returns the C function behind a step, such as `cuMemPoolImportPointer` for `mem_pool_import_pointer { … }`. A step
/// that is no function of CUDA keeps its own name.
pub(crate) fn function(step: &str) -> String {
    let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = step.split(|c| !is_of_a_name(c)).next().unwrap_or_default();
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
