//! Failures with one cause: one reason, many cases.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::change::{Change, Severity};
use super::noise::{ANY, without_addresses};
use crate::deviations::without_list;
use crate::report::{CaseReport, Runs};
use crate::step::check_in_c;
use crate::{Defect, Failure, Verdict};

/// Failures with the same cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cause {
    /// The kind of the defect.
    pub kind: Defect,
    /// What went wrong, in words: `SIGSEGV in cuMemPoolImportPointer`.
    pub what: String,
    /// The cases that failed, in the order in which they are given: by name.
    pub cases: Vec<String>,
    /// The rows that these cases check.
    pub rows: BTreeSet<String>,
    /// How often the cases failed, added up over those that ran several times; null if none did.
    pub runs: Option<Runs>,
    /// How many of the cases ran several times: after a few that failed in every run, the others do not run again.
    pub repeated: usize,
}

/// What is known of one failed case.
struct Failed<'a> {
    id: &'a str,
    rows: &'a [String],
    failure: Failure,
    reason: Option<&'a str>,
    runs: Option<Runs>,
}

impl Cause {
    /// Returns how many cases there are and how often they fail: `in 79 cases (3 of them ran several times, and 9 of 9
    /// runs failed)`, `in 1 of 3 runs`. Empty for one case that ran once.
    #[must_use]
    pub fn extent(&self) -> String {
        match (self.cases.len(), self.frequency()) {
            (1, None) => String::new(),
            (several, None) => format!("in {several} cases"),
            (1, Some(_)) => self.runs.map(|runs| format!("in {runs} runs")).unwrap_or_default(),
            (several, Some(frequency)) => format!("in {several} cases ({frequency})"),
        }
    }

    /// Returns how often the cases fail, if any ran several times: `fails in 1 of 3 runs`, `3 of them ran several times,
    /// and 9 of 9 runs failed`.
    #[must_use]
    pub fn frequency(&self) -> Option<String> {
        let runs = self.runs?;
        Some(match (self.cases.len(), self.repeated) {
            (1, _) => format!("fails in {runs} runs"),
            (cases, repeated) if cases == repeated => format!("{runs} runs failed"),
            (_, 1) => format!("1 of them ran several times, and {runs} runs failed"),
            (_, repeated) => format!("{repeated} of them ran several times, and {runs} runs failed"),
        })
    }

    /// Groups the failed cases of a report by cause. The worst kind comes first, and of one kind the cause of the most
    /// cases. Listed deviations are not among them.
    #[must_use]
    pub fn of_cases(cases: &[CaseReport]) -> Vec<Self> {
        let failed = cases.iter().filter(|case| !case.verdict.is_good()).filter_map(|case| {
            Some(Failed {
                id: &case.id,
                rows: &case.rows,
                failure: case.how_it_failed()?,
                reason: case.reason.as_deref(),
                runs: case.runs,
            })
        });
        group(failed)
    }

    /// Groups regressions by cause, in the same order.
    pub(super) fn of_changes(changes: &[Change]) -> Vec<Self> {
        let regressed = changes.iter().filter(|change| change.severity == Severity::Regressed);
        group(regressed.map(|change| Failed {
            id: &change.id,
            rows: &change.rows,
            failure: change.failure.clone().unwrap_or(Failure::of(Defect::Result)),
            reason: change.disclosure().or_else(|| change.reason()),
            runs: change.runs,
        }))
    }
}

/// Returns the kind of a case's failure, and what went wrong, in words without addresses, and without what a list adds.
pub(crate) fn cause_of(case: &CaseReport) -> (Defect, String) {
    let failure = case.how_it_failed().unwrap_or(Failure::of(Defect::Result));
    let kind = failure.kind;
    let reason = case.reason.as_deref();
    let what = Failed { id: &case.id, rows: &case.rows, failure, reason, runs: None }.what();
    (kind, without_list(&what).to_owned())
}

fn group<'a>(failed: impl Iterator<Item = Failed<'a>>) -> Vec<Cause> {
    let mut causes: BTreeMap<(Defect, String), Cause> = BTreeMap::new();
    // Those that no longer name a role.
    let mut are_of_several = BTreeSet::new();
    for case in failed {
        // A list that knows a case makes no other defect of it.
        let (kind, what) = (case.failure.kind, without_list(&case.what()).to_owned());
        let at = (kind, key(&what));
        let cause = causes.entry(at.clone()).or_insert_with(|| Cause {
            kind,
            what: case.shown().unwrap_or_else(|| what.clone()),
            cases: Vec::new(),
            rows: BTreeSet::new(),
            runs: None,
            repeated: 0,
        });
        // Where several roles show it, naming the first of them would mislead.
        if !are_of_several.contains(&at) && role_of(&what) != role_of(&cause.what) {
            let without = without_role(&cause.what);
            // A sentence about what a role read needs somebody who read it.
            cause.what = if is_a_read(without) { format!("a process {without}") } else { without.to_owned() };
            are_of_several.insert(at);
        }
        cause.cases.push(case.id.to_owned());
        cause.rows.extend(case.rows.iter().cloned());
        cause.runs = Runs::sum(cause.runs, case.runs);
        cause.repeated += usize::from(case.runs.is_some());
    }
    let mut causes: Vec<_> = causes.into_values().collect();
    causes.sort_by_key(|cause| (cause.kind, usize::MAX - cause.cases.len()));
    causes
}

impl Failed<'_> {
    /// Returns the reason of a corruption as it is: its bytes are no addresses, and one example says more than none.
    fn shown(&self) -> Option<String> {
        let line = self.line()?;
        let is_shown = self.failure.kind == Defect::Corruption && self.failure.call.is_none();
        is_shown.then(|| without_list(&line).to_owned())
    }

    /// Returns the first line of the reason, of the run that failed.
    fn line(&self) -> Option<String> {
        self.reason.map(|reason| check_in_c(of_the_worst_run(reason.lines().next().unwrap_or_default())))
    }

    /// Returns what went wrong, in words that are the same for every case with this cause.
    fn what(&self) -> String {
        let told = self.line().map(|line| without_addresses(&line));
        match (self.failure.kind, self.failure.what()) {
            // The reason also says what was expected.
            (Defect::Code, Some(what)) => {
                let expected = told.as_deref().and_then(|reason| reason.rsplit_once(", expected "));
                expected.map_or(what.clone(), |(_, expected)| format!("{what}, expected {expected}"))
            }
            // The reason also says if a kernel did it.
            (Defect::Disclosure | Defect::Corruption, Some(what)) => {
                told.map_or(what, |told| without_role(&told).to_owned())
            }
            (_, Some(what)) => what,
            (_, None) => told.unwrap_or_else(|| "no reason is given".to_owned()),
        }
    }
}

/// Returns the worst end of a case whose runs ended differently: `x does not hold` of `run 1: pass; run 7: fail: x does not
/// hold`, whichever run failed. Another reason is returned as it is.
fn of_the_worst_run(reason: &str) -> &str {
    let Some(first) = reason.strip_prefix("run 1: ") else { return reason };
    // What the first run says can contain the words, so the last place counts.
    let later = first.rmatch_indices("; run ").find_map(|(place, words)| {
        let (number, end) = first[place + words.len()..].split_once(": ")?;
        number.parse::<u32>().ok()?;
        Some((ending(&first[..place])?, ending(end)?))
    });
    match later {
        Some((first, later)) => {
            if first.0 > later.0 {
                first.1
            } else {
                later.1
            }
        }
        // A reason of several lines is cut off after the first one.
        None => ending(first).map_or(reason, |(_, why)| why),
    }
}

/// Reads how a run ended: the verdict, and why if there is a reason.
fn ending(text: &str) -> Option<(Verdict, &str)> {
    let (word, why) = text.split_once(": ").unwrap_or((text, text));
    let verdict = Verdict::ALL.into_iter().find(|verdict| verdict.word() == word)?;
    Some((verdict, why))
}

/// Returns what is the same in every case with a cause: its words without numbers, and without the role that showed it.
pub(crate) fn key(what: &str) -> String {
    without_numbers(without_role(what)).replace(" wrong word ", " wrong words ")
}

/// Whether words say what a role read, but not which one.
fn is_a_read(what: &str) -> bool {
    what.strip_prefix("read ").is_some_and(|rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.starts_with(" wrong ")
    })
}

/// Returns the role with which a reason begins: `importer`, `importer 3`. The number may be hidden, as that of a process is.
fn role_of(what: &str) -> Option<&str> {
    let reads = what.find(" read ").filter(|place| is_a_read(&what[place + 1..]));
    let role = reads.map(|place| &what[..place]).or_else(|| what.split_once(": ").map(|(role, _)| role))?;
    let (name, number) = role.split_once(' ').unwrap_or((role, ""));
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let begins = |name: &str| name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    let is_number = number == ANY || number.bytes().all(|byte| byte.is_ascii_digit());
    (begins(name) && is_name(name) && is_number).then_some(role)
}

fn without_role(what: &str) -> &str {
    role_of(what).map_or(what, |role| what[role.len()..].trim_start_matches([':', ' ']))
}

/// Replaces numbers: `importer read 3 wrong words of 1024` has the same cause in every case.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut quiet = String::with_capacity(text.len());
    let mut is_in_a_name = false;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        if c.is_ascii_digit() && !is_in_a_name {
            while characters.next_if(char::is_ascii_digit).is_some() {}
            quiet.push('#');
        } else {
            is_in_a_name = c.is_alphanumeric() || c == '_';
            quiet.push(c);
        }
    }
    quiet
}
