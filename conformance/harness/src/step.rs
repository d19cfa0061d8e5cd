//! A step of a case, as reports list it.

use serde::{Deserialize, Serialize};

/// One call of one role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// Who performed it.
    pub role: String,
    /// The call and what was passed.
    pub call: String,
    /// What came back.
    pub answer: String,
}
