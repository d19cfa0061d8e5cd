//! In which way a case failed, in words that are the same in every case with the same defect.

use super::noise::{ANY, without_addresses};
use crate::deviations::without_list;
use crate::report::{CaseReport, Runs};
use crate::step::check_in_c;
use crate::{Defect, Failure, Verdict};

/// What is known of one failed case.
pub(super) struct Failed<'a> {
    pub(super) id: &'a str,
    pub(super) rows: &'a [String],
    pub(super) failure: Failure,
    pub(super) reason: Option<&'a str>,
    pub(super) runs: Option<Runs>,
}

/// Returns the kind of a case's failure, and what went wrong, in words without addresses, and without what a list
/// adds.
pub(crate) fn cause_of(case: &CaseReport) -> (Defect, String) {
    let failure = case.how_it_failed().unwrap_or(Failure::of(Defect::Result));
    let kind = failure.kind;
    let reason = case.reason.as_deref();
    (kind, Failed { id: &case.id, rows: &case.rows, failure, reason, runs: None }.what())
}

impl Failed<'_> {
    /// Returns the reason of a corruption as it is: its bytes are no addresses, and one example says more than none.
    pub(super) fn shown(&self) -> Option<String> {
        let line = self.line()?;
        let is_shown = self.failure.kind == Defect::Corruption && self.failure.call.is_none();
        is_shown.then(|| without_list(&line).to_owned())
    }

    /// Returns the first line of the reason, of the run that failed.
    fn line(&self) -> Option<String> {
        self.reason.map(|reason| check_in_c(of_the_worst_run(reason.lines().next().unwrap_or_default())))
    }

    /// Returns what went wrong, in words that are the same for every case with this cause, also if a list knows the defect in
    /// some of them.
    pub(super) fn what(&self) -> String {
        let told = self.line().map(|line| without_addresses(&line));
        let what = match (self.failure.kind, self.failure.what()) {
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
        };
        without_list(&what).to_owned()
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
    let key = without_numbers(without_role(what));
    key.replace(" wrong word ", " wrong words ").replace(" wrong byte of ", " wrong bytes of ")
}

/// Whether words say what a role read, but not which one.
pub(super) fn is_a_read(what: &str) -> bool {
    what.strip_prefix("read ").is_some_and(|rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.starts_with(" wrong ")
    })
}

/// Returns the role with which a reason begins: `importer`, `importer 3`. The number may be hidden, as that of a process is.
pub(super) fn role_of(what: &str) -> Option<&str> {
    let reads = what.find(" read ").filter(|place| is_a_read(&what[place + 1..]));
    let role = reads.map(|place| &what[..place]).or_else(|| what.split_once(": ").map(|(role, _)| role))?;
    let (name, number) = role.split_once(' ').unwrap_or((role, ""));
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let begins = |name: &str| name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    let is_number = number == ANY || number.bytes().all(|byte| byte.is_ascii_digit());
    (begins(name) && is_name(name) && is_number).then_some(role)
}

pub(super) fn without_role(what: &str) -> &str {
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
