//! A listed bug: the cases, drivers and machines that it affects, and how those cases end.

use std::collections::BTreeSet;

use globset::{Glob, GlobMatcher};
use serde::Deserialize;

use crate::Verdict;
use crate::case::{Case, closest};
use crate::identity::release;
use crate::report::{CaseReport, Run};
use crate::step::{check_in_c, reason_in_c};

/// The driver of an entry that does not name one.
const NVIDIA: &str = "NVIDIA";

/// What stands before the link in the reason of a deviation.
const LISTED: &str = " (listed: ";

/// What stands between the list and the date in the reason of an expired entry.
const EXCUSED: &str = " excused it until ";

/// An entry as the file contains it.
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
    owner: Option<String>,
    expires: Option<String>,
}

/// How a run uses processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Fresh,
    Warm,
}

/// A listed bug.
#[derive(Debug)]
pub(super) struct Entry {
    /// The file name of the list that has the entry.
    list: String,
    which: Which,
    driver: String,
    from: Vec<u32>,
    until: Option<Vec<u32>>,
    gpu: Option<GlobMatcher>,
    mode: Option<Mode>,
    /// The verdict that the bug causes.
    verdict: Verdict,
    reason: String,
    /// Whether the bug is intermittent.
    sometimes: bool,
    link: String,
    /// Who answers for the entry.
    owner: Option<String>,
    /// The last day on which the entry excuses a failure. Dates in this form sort as texts.
    expires: Option<String>,
}

/// The cases that an entry affects.
#[derive(Debug)]
enum Which {
    /// A case, with or without its parameters.
    Case(String),
    /// The cases whose name matches a pattern.
    Cases(GlobMatcher),
    /// Every case that checks a row.
    Row(String),
}

impl Entry {
    /// Parses and checks an entry of a list.
    ///
    /// # Errors
    /// Names the field that is missing or invalid, and why.
    pub(super) fn new(list: &str, value: toml::Value) -> Result<Self, String> {
        let written: Written = value.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
        let which = match (written.case, written.row) {
            (Some(case), None) if case.contains(['*', '?', '[', '{']) => Which::Cases(glob(&case)?),
            (Some(case), None) => Which::Case(case),
            (None, Some(row)) => Which::Row(row),
            _ => return Err("it needs either `case` or `row`".to_owned()),
        };
        if !["https://", "http://"].iter().any(|scheme| written.link.starts_with(scheme)) {
            return Err(format!("`link` must be a URL that describes the bug, not `{}`", written.link));
        }
        for (field, date) in [("date", Some(&written.date)), ("expires", written.expires.as_ref())] {
            if let Some(date) = date.filter(|date| !is_date(date)) {
                return Err(format!("`{field}` must be a date such as 2026-11-21, not `{date}`"));
            }
        }
        match &written.owner {
            Some(owner) if owner.trim().is_empty() => return Err("`owner` must name somebody".to_owned()),
            None if written.expires.is_some() => {
                return Err("`expires` needs an `owner`, who is asked when the entry expires".to_owned());
            }
            _ => {}
        }
        if !matches!(written.verdict, Verdict::Fail | Verdict::Leak | Verdict::Timeout | Verdict::Crash) {
            return Err(format!("`verdict` must be fail, leak, timeout or crash, not {}", written.verdict));
        }
        if written.reason.trim().is_empty() {
            return Err("`reason` must name a code or a step: an empty text would match every reason".to_owned());
        }
        let from = checked_release(&written.from)?;
        let until = written.until.as_deref().map(checked_release).transpose()?;
        if until.as_ref().is_some_and(|until| *until <= from) {
            return Err(format!(
                "`from` ({}) must be an earlier release than `until` ({})",
                written.from,
                written.until.unwrap_or_default()
            ));
        }
        Ok(Self {
            list: list.to_owned(),
            which,
            driver: written.driver.unwrap_or_else(|| NVIDIA.to_owned()),
            from,
            until,
            gpu: written.gpu.as_deref().map(glob).transpose()?,
            mode: written.mode,
            verdict: written.verdict,
            reason: without_the_call(reason_in_c(&written.reason)),
            sometimes: written.sometimes,
            link: written.link,
            owner: written.owner,
            expires: written.expires,
        })
    }

    /// Whether the entry names a case that checks these rows.
    pub(super) fn names(&self, id: &str, rows: &[impl AsRef<str>]) -> bool {
        match &self.which {
            Which::Case(name) => id == name || id.split('/').next() == Some(name),
            Which::Cases(glob) => glob.is_match(id),
            Which::Row(row) => rows.iter().any(|checked| checked.as_ref() == row),
        }
    }

    /// Whether the entry applies to the driver, the GPUs and the mode of a run, and had not expired when the run began.
    pub(super) fn applies(&self, run: &Run) -> bool {
        self.is_about(run) && !self.had_expired(run)
    }

    /// Whether the entry had expired when a run began, and would apply to it otherwise.
    pub(super) fn no_longer_applies(&self, run: &Run) -> bool {
        self.is_about(run) && self.had_expired(run)
    }

    /// A report is judged as of its own day, so that an old report is shown as it was.
    fn had_expired(&self, run: &Run) -> bool {
        const LENGTH_OF_A_DATE: usize = 10;
        let day = run.began.as_ref().and_then(|began| began.get(..LENGTH_OF_A_DATE));
        self.expires.as_deref().zip(day).is_some_and(|(expires, day)| expires < day)
    }

    fn is_about(&self, run: &Run) -> bool {
        let version = release(&run.driver.version);
        let mode = if run.fresh { Mode::Fresh } else { Mode::Warm };
        run.driver.name == self.driver
            && version >= self.from
            && self.until.as_ref().is_none_or(|until| version < *until)
            && self.gpu.as_ref().is_none_or(|gpu| run.devices.iter().any(|device| gpu.is_match(&device.name)))
            && self.mode.is_none_or(|wanted| wanted == mode)
    }

    /// Whether a case ended as the entry lists it. For an intermittent bug, a pass counts too.
    pub(super) fn is_met(&self, verdict: Verdict, reason: &str) -> bool {
        (verdict == self.verdict && self.is_in(reason)) || (self.sometimes && verdict == Verdict::Pass)
    }

    /// Returns the reason of a case that matched the entry. For an intermittent bug it is always the same, so that two
    /// runs do not differ.
    pub(super) fn deviation(&self, reason: &str) -> String {
        if self.sometimes {
            return format!("intermittent {}: {}{}", self.verdict, self.reason, self.mark());
        }
        format!("{reason}{}", self.mark())
    }

    /// Whether a case in a report became a deviation because of this entry, in one of its runs at least.
    pub(super) fn was_met(&self, case: &CaseReport) -> bool {
        let met = case.reason.as_deref().and_then(|reason| reason.split_once(&self.mark()));
        met.is_some_and(|(reason, _)| self.is_in(reason))
    }

    /// Whether a case in a report failed as listed, although the run did not make it a deviation.
    pub(super) fn would_be_met(&self, case: &CaseReport) -> bool {
        case.verdict == self.verdict && self.is_in(case.reason.as_deref().unwrap_or_default())
    }

    /// Whether a reason contains that of the entry. A report has the calls of a failed check as Rust, while comparisons and
    /// pages show them as CUDA names them, so an entry can have them in either way. As Rust, they name the role,
    /// which must then be the same.
    fn is_in(&self, reason: &str) -> bool {
        let is_rust = check_in_c(&self.reason) != self.reason;
        // The compiler writes `? ,` where people write `?,`.
        let without_spaces = |text: &str| text.split_whitespace().collect::<String>();
        reason.contains(&self.reason)
            || match is_rust {
                true => without_spaces(reason).contains(&without_spaces(&self.reason)),
                false => check_in_c(reason).contains(&self.reason),
            }
    }

    fn mark(&self) -> String {
        format!("{LISTED}{})", self.link)
    }

    /// Returns the reason of a case that passed although the entry lists it.
    pub(super) fn fixed(&self) -> String {
        format!(
            "{} lists it as {} ({}{}). Set `until` in the entry to the first release without the bug",
            self.list,
            self.verdict,
            self.link,
            self.owner()
        )
    }

    /// Returns the reason of a case that failed as the entry listed it before it expired.
    pub(super) fn overdue(&self, reason: &str) -> String {
        let until = self.expires.as_deref().unwrap_or_default();
        format!("{reason} ({}{EXCUSED}{until}{})", self.list, self.owner())
    }

    fn owner(&self) -> String {
        self.owner.as_ref().map_or_else(String::new, |owner| format!("; owner: {owner}"))
    }

    /// Returns a sentence that says that no case met the entry.
    pub(super) fn unmatched(&self, has_passed: bool) -> String {
        if has_passed {
            return format!(
                "deviation: {}: {} lists it as failing, but it passed here, so the bug may be gone ({}{})",
                self.name(),
                self.list,
                self.link,
                self.owner()
            );
        }
        format!(
            "deviation: {}: {} lists it as failing, but it did not fail like that here: expected {} with a reason that \
             contains {:?} ({}{})",
            self.name(),
            self.list,
            self.verdict,
            self.reason,
            self.link,
            self.owner()
        )
    }

    /// Returns a sentence that says that a case failed as the entry lists it, but in a run without the entry.
    pub(super) fn unused(&self) -> String {
        format!(
            "deviation: {}: {} lists this failure, but the run did not have this entry, so the failure counted ({}{})",
            self.name(),
            self.list,
            self.link,
            self.owner()
        )
    }

    /// Returns a sentence that says that the entry has expired.
    pub(super) fn expired(&self) -> String {
        let expires = self.expires.as_deref().unwrap_or_default();
        format!("deviation: {}: the entry of {} expired on {expires}{}", self.name(), self.list, self.owner())
    }

    /// Returns the case, pattern or row as the entry names it.
    fn name(&self) -> &str {
        match &self.which {
            Which::Case(name) | Which::Row(name) => name,
            Which::Cases(glob) => glob.glob().glob(),
        }
    }

    /// Returns the list, and why the entry names no case.
    pub(super) fn unknown(&self, rows: &BTreeSet<String>, cases: &[Case]) -> String {
        let why = match &self.which {
            Which::Case(name) => {
                let closest = closest(name, cases).map(|case| format!("; the closest is {}", case.id));
                let closest = closest.unwrap_or_default();
                format!("the case {name} does not exist{closest}")
            }
            Which::Cases(glob) => format!("{} matches no case", glob.glob().glob()),
            Which::Row(row) if rows.contains(row) => format!("no case checks the row {row}"),
            Which::Row(row) => format!("the row {row} does not exist"),
        };
        format!("{}: {why}", self.list)
    }
}

/// Returns a reason without what a list adds at its end: the same defect may be listed in one case and not in another.
pub(crate) fn without_list(reason: &str) -> &str {
    let listed = reason.rfind(LISTED);
    let excused = reason.rfind(EXCUSED).and_then(|place| reason[..place].rfind(" ("));
    match listed.or(excused) {
        Some(place) if reason.ends_with(')') => &reason[..place],
        _ => reason,
    }
}

fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    Glob::new(pattern).map(|glob| glob.compile_matcher()).map_err(|error| error.to_string())
}

fn checked_release(text: &str) -> Result<Vec<u32>, String> {
    let parts =
        text.split('.').map(|part| part.parse().map_err(|_| format!("`{text}` is not a release such as 580.65.06")));
    parts.collect()
}

/// Whether a text is a date of the calendar such as `2026-11-21`.
fn is_date(text: &str) -> bool {
    let midnight = humantime::parse_rfc3339(&format!("{text}T00:00:00Z"));
    midnight.is_ok_and(|time| humantime::format_rfc3339_seconds(time).to_string() == format!("{text}T00:00:00Z"))
}

/// Returns a listed reason without its first words if it does not name the call that succeeded, as those of earlier suites:
/// `returned CUDA_SUCCESS, expected an error`. The reason of a case has the call in this place.
fn without_the_call(reason: String) -> String {
    match reason.strip_prefix("the call ") {
        Some(rest) if rest.starts_with("returned CUDA_SUCCESS") => rest.to_owned(),
        _ => reason,
    }
}
