//! A comparison in one sentence, for a reader who knows neither the suite nor the reports.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::cause::Cause;
use super::change::{Change, Difference, Severity, TIMES, Why};
use super::scope::BOTH;
use super::types::{Diff, Side};
use crate::{Defect, Verdict, catalogue};

/// Returns the sentence, without a full stop.
pub(super) fn headline(diff: &Diff) -> String {
    let sentence = of_the_cases(diff);
    match diff.new.unmet.as_slice() {
        [] => sentence,
        unmet => format!(
            "The new run was not on the machine that it required ({}); {}",
            unmet.join("; "),
            uncapitalised(&sentence)
        ),
    }
}

fn of_the_cases(diff: &Diff) -> String {
    let mut clauses = if diff.scope.is_empty() { vec![nothing(diff)] } else { broken(diff) };
    clauses.extend(outside(diff));
    clauses.extend(slower_calls(diff));
    // Whether that is the driver or a busier machine, the times do not tell.
    if let Some(factor) = diff.times.slowdown.filter(|factor| *factor >= TIMES) {
        clauses.push(format!("a typical call took {factor:.1} times as long"));
    }
    clauses.extend(unchecked(diff));
    clauses.extend(first_time(diff));
    let count = |severity, is_it: &dyn Fn(&Change) -> bool| diff.changes_of(severity).filter(|one| is_it(one)).count();
    let is_apart = |change: &&Change| change.severity != Severity::Regressed && change.discloses();
    let disclosed = diff.changes.iter().filter(is_apart).count();
    if disclosed > 0 {
        clauses.push(format!("{} memory that was never shared", cases(disclosed, "discloses", "disclose")));
    }
    let slower = count(Severity::Time, &|change| change.failure.is_some());
    if slower > 0 && diff.times.slower.is_empty() {
        clauses.push(format!("{} much slower", cases(slower, "became", "became")));
    }
    clauses.extend(better(diff));
    let sentence = clauses.join("; ");
    if !diff.scope.is_partial() || diff.scope.is_empty() {
        return sentence;
    }
    let sentence = uncapitalised(&sentence);
    let limits = diff.scope.limits.join(" and ");
    match (diff.scope.compared, diff.scope.cases) {
        (1, 1) => format!("Compared the only case that both runs check ({limits}): {sentence}"),
        // No case was left out: a record has only the cases that ran, or no case needs the missing GPUs.
        (compared, cases) if compared == cases => {
            format!("Compared the {cases} cases that both runs check ({limits}): {sentence}")
        }
        (compared, cases) => format!("Compared {compared} of {cases} cases, because {limits}: {sentence}"),
    }
}

/// Says why no case could be compared, and what to do.
fn nothing(diff: &Diff) -> String {
    let says_nothing = |verdict: &str| [Verdict::Unsupported, Verdict::Error].iter().any(|one| one.word() == verdict);
    let checks = |side: &Side| side.summary.iter().any(|(verdict, cases)| !says_nothing(verdict) && *cases > 0);
    let has_errors = |side: &Side| side.summary.get(Verdict::Error.word()).is_some_and(|cases| *cases > 0);
    let sides = [&diff.old, &diff.new];
    let mut why = diff.scope.limits.clone();
    // If both runs had the same filter, it does not explain why one of them checked nothing, or only cases that the other
    // does not have.
    let is_idle = |side: &Side| side.is_complete && !checks(side) && !has_errors(side);
    let have_ended = sides.iter().all(|side| side.is_complete);
    let have_one_filter = have_ended && matches!(&*why, [one] if one.starts_with(BOTH));
    match sides.map(is_idle) {
        [true, _] => why.push("the old run checked none".to_owned()),
        [_, true] => why.push("the new run checked none".to_owned()),
        _ if have_one_filter && sides.into_iter().all(checks) => why.push("none is in both reports".to_owned()),
        _ if diff.scope.is_partial() => {}
        _ if sides.into_iter().all(checks) => why.push("none is in both reports".to_owned()),
        // The harness failed in all of its cases.
        _ if !checks(&diff.old) => why.push("the old run checked none".to_owned()),
        _ => why.push("the new run checked none".to_owned()),
    }
    let why = why.join(" and ");
    let advice = if !have_ended {
        "compare reports of runs that ended"
    } else if sides.iter().any(|side| !checks(side) && has_errors(side)) {
        "`conformance show` says why the harness failed"
    } else if !sides.into_iter().all(checks) {
        "`conformance doctor` says what its machine lacks"
    } else if sides.iter().any(|side| side.is_partial) && !have_one_filter {
        "compare runs with the same filters"
    } else {
        "compare runs of the same suite"
    };
    format!("Compared no case, because {why}, so nothing is known of the driver; {advice}")
}

fn uncapitalised(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(characters).collect()
}

/// Says how many documented rules broke, and how many other cases regressed. A passed case that discloses breaks no rule,
/// and neither does one in which the harness failed, or one that failed before and fails more often or in a worse way now,
/// as before although no list excuses it any more, or in another way than a list says.
fn broken(diff: &Diff) -> Vec<String> {
    let mut rules: BTreeMap<&str, Defect> = BTreeMap::new();
    let (mut others, mut unknown, mut worse, mut unexcused, mut more_often) = (Vec::new(), 0, 0, 0, Vec::new());
    let mut unlike = 0;
    for change in diff.changes_of(Severity::Regressed) {
        let kind = change.failure.as_ref().map_or(Defect::Result, |failure| failure.kind);
        if kind == Defect::Unknown {
            unknown += 1;
            continue;
        }
        if change.fails_worse {
            worse += 1;
            continue;
        }
        if change.is_no_longer_excused {
            unexcused += 1;
            continue;
        }
        if change.fails_unlike_the_list {
            unlike += 1;
            continue;
        }
        if let Some(runs) = change.fails_more_often() {
            more_often.push(runs);
            continue;
        }
        let mut documented = change.rows.iter().filter(|row| is_documented(row)).peekable();
        if change.is_new_disclosure() {
            others.push(kind);
            continue;
        }
        if documented.peek().is_none() {
            others.push(kind);
        }
        for row in documented {
            // Of a rule that broke in several ways, the worst counts.
            rules.entry(row).and_modify(|worst| *worst = kind.min(*worst)).or_insert(kind);
        }
    }
    let since = since(&diff.old, &diff.new);
    // It counts cases, and the clause before it counts rules.
    let of_others = |noun: &str, since: &str| {
        let regressed = plural(others.len(), noun);
        format!("{regressed} regressed{since}, where no documented rule decides ({})", kinds(others.iter()))
    };
    let told = match rules.len() {
        0 if others.is_empty() => format!("No documented rule broke {since}"),
        0 => of_others("case", &format!(" {since}")),
        count => {
            let told = format!("{} broke {since} ({})", plural(count, "documented rule"), kinds(rules.values()));
            if others.is_empty() { told } else { format!("{told}; {}", of_others("other case", "")) }
        }
    };
    let mut clauses = vec![told];
    let (unknown_causes, known_causes): (Vec<_>, Vec<_>) =
        diff.causes.iter().partition(|cause| cause.kind == Defect::Unknown);
    if worse > 0 {
        clauses.push(format!("{} in a worse way than before", cases(worse, "fails", "fail")));
    }
    if unexcused > 0 {
        let it = if unexcused == 1 { "it" } else { "them" };
        let fails = cases(unexcused, "fails", "fail");
        clauses.push(format!("{fails} as before, but no list excuses {it} any more"));
    }
    if unlike > 0 {
        clauses.push(format!("{} in another way than a list says", cases(unlike, "fails", "fail")));
    }
    match (more_often.as_slice(), known_causes.as_slice()) {
        ([], _) => {}
        // The cause has the number of runs.
        ([(old, _)], [cause]) if cause.cases.len() == 1 => {
            clauses.push(format!("1 case fails more often (before: {old} runs)"))
        }
        ([(old, new)], _) => clauses.push(format!("1 case fails more often ({new} runs, before: {old})")),
        (several, _) => clauses.push(format!("{} more often", cases(several.len(), "fails", "fail"))),
    }
    if let Some(last) = clauses.last_mut() {
        *last += &main_cause(&known_causes);
    }
    if unknown > 0 {
        let rule = if unknown == 1 { "its rule" } else { "their rules" };
        let clause = format!("the harness failed in {}, so nothing is known of {rule}", plural(unknown, "case"));
        // One sentence has room for one cause.
        let cause = if known_causes.is_empty() { main_cause(&unknown_causes) } else { String::new() };
        clauses.push(clause + &cause);
    }
    clauses
}

/// Names the only cause, or that of the most cases, the worst if several have as many.
fn main_cause(causes: &[&Cause]) -> String {
    let total: usize = causes.iter().map(|cause| cause.cases.len()).sum();
    // They are sorted from worst to least bad, and the first of equals is wanted.
    let Some(main) = causes.iter().rev().max_by_key(|cause| cause.cases.len()) else { return String::new() };
    let before = match causes.len() {
        1 => ": ".to_owned(),
        _ if 2 * main.cases.len() > total => "; most of them: ".to_owned(),
        several => format!("; one of {several} causes: "),
    };
    let extent = if main.extent().is_empty() { String::new() } else { format!(", {}", main.extent()) };
    format!("{before}{}{extent}", main.what)
}

/// Names the process that crashed or hung outside any case, or says how many did, or that it was so before.
fn outside(diff: &Diff) -> Option<String> {
    let ends = diff.new_bad_ends();
    let Some(first) = ends.first() else {
        return (!diff.new.bad_ends.is_empty())
            .then(|| "as before, a process crashed or hung outside any case".to_owned());
    };
    match (first, ends.len()) {
        (end, 1) => Some(format!("a process crashed or hung outside any case: {end}")),
        (end, several) => Some(format!("{several} processes crashed or hung outside any case, first {end}")),
    }
}

/// Names the call that became slower, or says how many did.
fn slower_calls(diff: &Diff) -> Option<String> {
    // A call may stand there twice: where it succeeds, and where it is refused.
    let calls: BTreeSet<_> = diff.times.slower.iter().map(|call| &call.call).collect();
    match (diff.times.slower.first()?, calls.len()) {
        (call, 1) => Some(format!("1 call became slower: {call}")),
        (call, several) => Some(format!("{several} calls became slower, first {call}")),
    }
}

/// Returns the number of defects of each kind: `1 wrong result, 2 crashes`.
fn kinds<'kinds>(kinds: impl Iterator<Item = &'kinds Defect>) -> String {
    let mut counts: BTreeMap<Defect, usize> = BTreeMap::new();
    for kind in kinds {
        *counts.entry(*kind).or_default() += 1;
    }
    counts.into_iter().map(|(kind, count)| kind.count(count)).collect::<Vec<_>>().join(", ")
}

/// Says how many cases are no longer checked, and why.
fn unchecked(diff: &Diff) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for why in diff.changes_of(Severity::Unchecked).filter_map(|change| change.why.as_ref()) {
        *counts.entry(why.words()).or_default() += 1;
    }
    let total = counts.values().sum();
    let clause = format!("{} no longer checked", cases(total, "is", "are"));
    let mut reasons: Vec<_> = counts.into_iter().map(|(words, count)| (count, words)).collect();
    reasons.sort_by_key(|(count, _)| usize::MAX - count);
    match reasons.as_slice() {
        [] => None,
        [(_, words)] => Some(format!("{clause}: {words}")),
        several => {
            let words: Vec<_> = several.iter().map(|(count, words)| format!("{words} ({count})")).collect();
            Some(format!("{clause}: {}", words.join(", ")))
        }
    }
}

impl Why {
    /// Returns the reason in a few words, without what exactly the machine lacks.
    #[must_use]
    pub const fn words(&self) -> &'static str {
        match self {
            Self::Machine { .. } => "the machine lacks something that is needed",
            Self::Filter => "left out by a filter",
            Self::Level => "left out by --level quick",
            Self::Budget => "left out because the budget was spent",
            Self::Selection => "left out by a filter, a level or a budget",
            Self::Unfinished { running: false } => "the report ends earlier",
            Self::Unfinished { running: true } => "still running when the report ends",
            Self::Suite => "no longer in the suite",
        }
    }
}

fn first_time(diff: &Diff) -> Option<String> {
    let failing = diff.changes_of(Severity::New).filter(|change| change.is_new_failure());
    let kinds: Vec<_> = failing.filter_map(|change| change.failure.as_ref()).map(|failure| failure.kind).collect();
    let total = diff.changes_of(Severity::New).count();
    match (total, kinds.len()) {
        (0, _) => None,
        (_, 0) => Some(format!("{} checked for the first time", cases(total, "is", "are"))),
        (_, failing) => {
            let fail = match (total, failing) {
                (1, _) => "it fails".to_owned(),
                (_, 1) => "1 of them fails".to_owned(),
                _ => format!("{failing} of them fail"),
            };
            let (are, kinds) = (cases(total, "is", "are"), self::kinds(kinds.iter()));
            Some(format!("{are} checked for the first time, and {fail} ({kinds})"))
        }
    }
}

fn better(diff: &Diff) -> Option<String> {
    let total = diff.changes_of(Severity::Better).count();
    let is_fixed = |change: &&Change| {
        change
            .differences
            .iter()
            .any(|difference| matches!(difference, Difference::Verdict { new: Verdict::Fixed, .. }))
    };
    let fixed = diff.changes_of(Severity::Better).filter(is_fixed).count();
    match (total, fixed) {
        (0, _) => None,
        (total, fixed) => {
            let gone = if fixed == 0 { String::new() } else { format!(" ({} gone)", bugs(fixed)) };
            Some(format!(
                "{}{} {} better{gone}",
                plural(total, "case"),
                only_rule(diff),
                if total == 1 { "is" } else { "are" }
            ))
        }
    }
}

/// Names the documented rule of the cases that are better, if it is only one.
fn only_rule(diff: &Diff) -> String {
    let rows = diff.changes_of(Severity::Better).flat_map(|change| &change.rows).filter(|row| is_documented(row));
    let rules: BTreeSet<_> = rows.collect();
    match rules.iter().next() {
        Some(rule) if rules.len() == 1 => format!(" of {rule}"),
        _ => String::new(),
    }
}

fn bugs(fixed: usize) -> String {
    if fixed == 1 { "1 listed bug is".to_owned() } else { format!("{fixed} listed bugs are") }
}

fn since(old: &Side, new: &Side) -> String {
    if old.driver == new.driver {
        return "since the earlier run of this driver".to_owned();
    }
    format!("since {}", if old.name == new.name { &old.version } else { &old.driver })
}

/// Whether the documentation states the rule of a row. An unknown row, as of another suite, counts as documented.
pub(super) fn is_documented(row: &str) -> bool {
    static OTHERS: OnceLock<BTreeSet<String>> = OnceLock::new();
    !OTHERS.get_or_init(|| catalogue::undocumented_rows().unwrap_or_default()).contains(row)
}

fn cases(count: usize, one: &str, several: &str) -> String {
    format!("{} {}", plural(count, "case"), if count == 1 { one } else { several })
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
