//! The words of a comparison, for the text and for the Markdown.

use std::collections::BTreeMap;

use conformance::Verdict;
use conformance::catalogue::{self, Row};
use conformance::diff::{Diff, Difference, Side};
use serde_json::Value;

use crate::output::Failure;
pub(super) use crate::plural::count;

/// The rows of the catalogue by id.
pub(crate) struct Rows(BTreeMap<String, Row>);

impl Rows {
    pub(crate) fn read() -> Result<Self, Failure> {
        catalogue::rows().map(Self).map_err(Failure::new)
    }

    /// Returns the row's class and statement. A report of another version of the suite may name a row that this
    /// catalogue does not contain.
    pub(super) fn statement(&self, id: &str) -> (&'static str, &str) {
        self.0.get(id).map_or(("?", "not in this suite's catalogue"), |row| (row.class.letter(), &row.statement))
    }
}

/// Returns what the text and the Markdown add to the title of a report.
pub(super) fn remark(side: &Side) -> String {
    let end = match (side.running.as_slice(), side.is_complete) {
        ([], true) => String::new(),
        ([], false) => ", without an end line".to_owned(),
        (running, _) => format!(", incomplete: ended while running {}", running.join(", ")),
    };
    let repeated = match side.repeated {
        0 => String::new(),
        1 => ", 1 case appears more than once: its worst result counts".to_owned(),
        cases => format!(", {cases} cases appear more than once: the worst result of each counts"),
    };
    let outside = match side.bad_ends.as_slice() {
        [] => String::new(),
        [end] => format!(", a process crashed or hung outside any case: {end}"),
        [end, ..] => format!(", {} processes crashed or hung outside any case, first {end}", side.bad_ends.len()),
    };
    end + &repeated + &outside
}

/// Returns the processes of the new run that crashed or hung outside any case, if there are several: the headline has
/// only the first. Those that the old run does not have come first, and the others say so.
pub(super) fn ends(diff: &Diff) -> Vec<String> {
    let (new, all) = (diff.new_bad_ends(), &diff.new.bad_ends);
    if all.len() < 2 {
        return Vec::new();
    }
    let known = all.iter().filter(|end| !new.contains(&end.as_str())).map(|end| format!("{end}, as before"));
    new.iter().map(|end| (*end).to_owned()).chain(known).collect()
}

/// Returns the name of a difference, the old value and the new value. The old value is empty if there was no reason. A
/// difference in runs is named after their verdict: `fail: 1 of 3 -> 3 of 3 runs`.
pub(super) fn words(difference: &Difference) -> (&str, String, String) {
    const NOTHING: &str = "none";
    let reason = |reason: &Option<String>| reason.clone().unwrap_or_else(|| NOTHING.to_owned());
    let value = |value: &Option<Value>| value.as_ref().map_or_else(|| NOTHING.to_owned(), plain);
    match difference {
        Difference::Runs { verdict, old, new, .. } => (verdict.word(), old.to_string(), format!("{new} runs")),
        Difference::Verdict { old, new } => ("verdict", old.to_string(), new.to_string()),
        Difference::Reason { old: None, new } => ("reason", String::new(), reason(new)),
        Difference::Reason { old, new } => ("reason", reason(old), reason(new)),
        Difference::Observation { name, old, new } => (name, value(old), value(new)),
        Difference::Disclosure { text, is_new: true } => ("disclosure", NOTHING.to_owned(), text.clone()),
        Difference::Disclosure { text, is_new: false } => ("disclosure", text.clone(), NOTHING.to_owned()),
        Difference::Time { old, new } => ("time", milliseconds(*old), milliseconds(*new)),
        Difference::Added { verdict } => ("verdict", "not in the old report".to_owned(), verdict.to_string()),
        Difference::Removed { verdict } => ("verdict", verdict.to_string(), "not in the new report".to_owned()),
        Difference::Unended { old } => {
            let old = old.map_or_else(|| "not in the old report".to_owned(), |verdict| verdict.to_string());
            ("verdict", old, "still running at the end of the new report".to_owned())
        }
    }
}

/// Formats a value; a string without its JSON quotes.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn milliseconds(duration: f64) -> String {
    format!("{duration:.0} ms")
}

/// Returns the number of cases per verdict in the old and in the new report, without verdicts that neither has.
pub(super) fn counts(diff: &Diff) -> Vec<(Verdict, usize, usize)> {
    let count = |side: &Side, verdict: Verdict| side.summary.get(verdict.word()).copied().unwrap_or_default();
    let counts = Verdict::ALL.map(|verdict| (verdict, count(&diff.old, verdict), count(&diff.new, verdict)));
    counts.into_iter().filter(|(_, old, new)| old + new > 0).collect()
}
