//! One listed bug: which cases, which drivers, which machines, and what it leads to.

use std::collections::BTreeSet;

use globset::{Glob, GlobMatcher};
use serde::Deserialize;

use crate::Verdict;
use crate::identity::release;
use crate::report::{CaseReport, Run};

/// Whose driver an entry is about where it does not say.
const NVIDIA: &str = "NVIDIA";

/// An entry as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    case: Option<String>,
    row: Option<String>,
    driver: Option<String>,
    from: String,
    until: Option<String>,
    gpu: Option<String>,
    mode: Option<Mode>,
    verdict: Verdict,
    reason: String,
    #[serde(default)]
    sometimes: bool,
    link: String,
    date: String,
}

/// How processes are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Fresh,
    Warm,
}

/// One listed bug.
#[derive(Debug)]
pub(super) struct Entry {
    which: Which,
    driver: String,
    from: Vec<u32>,
    until: Option<Vec<u32>>,
    gpu: Option<GlobMatcher>,
    mode: Option<Mode>,
    /// The verdict that the bug leads to.
    verdict: Verdict,
    reason: String,
    /// Whether chance decides if it shows.
    sometimes: bool,
    link: String,
}

/// What an entry is about.
#[derive(Debug)]
enum Which {
    /// A case, with or without its parameters.
    Case(String),
    /// Cases by a name with wildcards.
    Cases(GlobMatcher),
    /// Every case that checks a row.
    Row(String),
}

impl Entry {
    /// Check an entry.
    ///
    /// # Errors
    /// Says what is missing or wrong in it.
    pub(super) fn new(value: toml::Value) -> Result<Self, String> {
        let written: Written = value.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
        let which = match (written.case, written.row) {
            (Some(case), None) if case.contains(['*', '?', '[', '{']) => Which::Cases(glob(&case)?),
            (Some(case), None) => Which::Case(case),
            (None, Some(row)) => Which::Row(row),
            _ => return Err("it needs `case` or `row`, one of them".to_owned()),
        };
        if !["https://", "http://"].iter().any(|scheme| written.link.starts_with(scheme)) {
            return Err(format!("`link` has to be where the bug is described, not `{}`", written.link));
        }
        if !is_date(&written.date) {
            return Err(format!("`date` has to be a day such as 2026-11-21, not `{}`", written.date));
        }
        if !matches!(written.verdict, Verdict::Fail | Verdict::Leak | Verdict::Timeout | Verdict::Crash) {
            return Err(format!("a bug leads to fail, leak, timeout or crash, not to {}", written.verdict));
        }
        if written.reason.is_empty() {
            return Err("`reason` has to name a code or a step: every reason contains an empty one".to_owned());
        }
        let from = checked_release(&written.from)?;
        let until = written.until.as_deref().map(checked_release).transpose()?;
        if until.as_ref().is_some_and(|until| *until <= from) {
            return Err(format!("no release lies from {} until {}", written.from, written.until.unwrap_or_default()));
        }
        Ok(Self {
            which,
            driver: written.driver.unwrap_or_else(|| NVIDIA.to_owned()),
            from,
            until,
            gpu: written.gpu.as_deref().map(glob).transpose()?,
            mode: written.mode,
            verdict: written.verdict,
            reason: written.reason,
            sometimes: written.sometimes,
            link: written.link,
        })
    }

    /// Whether it is about a case, which checks rows.
    pub(super) fn names(&self, id: &str, rows: &[impl AsRef<str>]) -> bool {
        match &self.which {
            Which::Case(name) => id == name || id.split('/').next() == Some(name),
            Which::Cases(glob) => glob.is_match(id),
            Which::Row(row) => rows.iter().any(|checked| checked.as_ref() == row),
        }
    }

    /// Whether it is about this driver, these GPUs and this way of running.
    pub(super) fn applies(&self, run: &Run) -> bool {
        let version = release(&run.driver.version);
        let mode = if run.fresh { Mode::Fresh } else { Mode::Warm };
        run.driver.name == self.driver
            && version >= self.from
            && self.until.as_ref().is_none_or(|until| version < *until)
            && self.gpu.as_ref().is_none_or(|gpu| run.devices.iter().any(|device| gpu.is_match(&device.name)))
            && self.mode.is_none_or(|wanted| wanted == mode)
    }

    /// Whether a case ended as the bug makes it end: of one that shows at times a pass is no news.
    pub(super) fn is_met(&self, verdict: Verdict, reason: &str) -> bool {
        (verdict == self.verdict && reason.contains(&self.reason)) || (self.sometimes && verdict == Verdict::Pass)
    }

    /// The reason of a case that met it. Where chance decides, it is the same every time.
    pub(super) fn deviation(&self, reason: &str) -> String {
        if self.sometimes {
            return format!("at times {}: {}{}", self.verdict, self.reason, self.mark());
        }
        format!("{reason}{}", self.mark())
    }

    /// Whether a case that has been judged had met it.
    pub(super) fn was_met(&self, case: &CaseReport) -> bool {
        let reason = case.reason.as_deref().and_then(|reason| reason.strip_suffix(&self.mark()));
        case.verdict == Verdict::Deviation && reason.is_some_and(|reason| reason.contains(&self.reason))
    }

    fn mark(&self) -> String {
        format!(" (listed: {})", self.link)
    }

    /// The reason of a case that passes although this lists it.
    pub(super) fn unexpected_pass(&self, list: &str) -> String {
        format!("passes, but {list} lists it as {} ({})", self.verdict, self.link)
    }

    /// What it is about, as it is written.
    pub(super) fn name(&self) -> &str {
        match &self.which {
            Which::Case(name) | Which::Row(name) => name,
            Which::Cases(glob) => glob.glob().glob(),
        }
    }

    /// What it expects.
    pub(super) fn expected(&self) -> String {
        format!("{} with {:?} as listed ({})", self.verdict, self.reason, self.link)
    }

    /// Why it names no case.
    pub(super) fn unknown(&self, rows: &BTreeSet<String>) -> String {
        match &self.which {
            Which::Case(name) => format!("no case is called {name}"),
            Which::Cases(glob) => format!("{} matches no case", glob.glob().glob()),
            Which::Row(row) if rows.contains(row) => format!("no case checks the row {row}"),
            Which::Row(row) => format!("no row is called {row}"),
        }
    }
}

fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    Glob::new(pattern).map(|glob| glob.compile_matcher()).map_err(|error| error.to_string())
}

fn checked_release(text: &str) -> Result<Vec<u32>, String> {
    let parts =
        text.split('.').map(|part| part.parse().map_err(|_| format!("`{text}` is no release such as 580.65.06")));
    parts.collect()
}

/// Whether a text is a day of the calendar as `2026-11-21`.
fn is_date(text: &str) -> bool {
    let midnight = humantime::parse_rfc3339(&format!("{text}T00:00:00Z"));
    midnight.is_ok_and(|time| humantime::format_rfc3339_seconds(time).to_string() == format!("{text}T00:00:00Z"))
}
