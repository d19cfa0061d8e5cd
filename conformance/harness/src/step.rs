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
        crate::failure::function(&self.call)
    }
}
