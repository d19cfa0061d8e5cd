//! Known driver bugs: the case still runs, the verdict becomes `deviation`, and an unexpected pass is a failure.

use serde::Deserialize;

use crate::Verdict;
use crate::driver::{Identity, Kind};

const FILE: &str = include_str!("../deviations.toml");

/// The listed bugs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviations {
    #[serde(default)]
    deviation: Vec<Deviation>,
}

/// One listed bug.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// The case, with or without its parameters.
    pub case: String,
    /// The first driver release that has it, such as `580.65.06`.
    pub from: String,
    /// The first release that does not, once there is one.
    pub until: Option<String>,
    /// The verdict that the bug leads to.
    pub verdict: Verdict,
    /// What the reason of that verdict contains: a code or a step.
    pub reason: String,
    /// Where the bug is described.
    pub link: String,
    /// When this was listed.
    pub date: String,
}

impl Deviations {
    /// The file of this suite.
    ///
    /// # Errors
    /// Names what cannot be read in it.
    pub fn read() -> Result<Self, String> {
        toml::from_str(FILE).map_err(|error| format!("deviations.toml: {error}"))
    }

    /// Entries that name no case.
    pub(crate) fn unknown(&self, is_known: impl Fn(&str) -> bool) -> Vec<&str> {
        self.deviation.iter().map(|deviation| deviation.case.as_str()).filter(|case| !is_known(case)).collect()
    }

    /// The verdict and reason once the listed bugs are taken into account.
    pub(crate) fn judge(
        &self,
        id: &str,
        driver: &Identity,
        verdict: Verdict,
        reason: Option<String>,
    ) -> (Verdict, Option<String>) {
        let Some(listed) = self.deviation.iter().find(|deviation| deviation.applies(id, driver)) else {
            return (verdict, reason);
        };
        let text = reason.as_deref().unwrap_or_default();
        if verdict == listed.verdict && text.contains(&listed.reason) {
            (Verdict::Deviation, Some(format!("{text} (listed: {})", listed.link)))
        } else if verdict == Verdict::Pass {
            let reason = format!("passes, but deviations.toml lists it as {} ({})", listed.verdict, listed.link);
            (Verdict::Fail, Some(reason))
        } else {
            (verdict, reason)
        }
    }
}

impl Deviation {
    fn applies(&self, id: &str, driver: &Identity) -> bool {
        let named = id.strip_prefix(&self.case).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let version = release(&driver.version);
        let before_end = self.until.as_deref().is_none_or(|until| version < release(until));
        named && driver.kind == Kind::System && version >= release(&self.from) && before_end
    }
}

/// A release as numbers, so that 580.65 comes before 580.159.
fn release(text: &str) -> Vec<u32> {
    text.split('.').map_while(|part| part.parse().ok()).collect()
}
