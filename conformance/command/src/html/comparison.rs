//! Two reports side by side.

use std::collections::{BTreeMap, HashMap};

use conformance::diff::{Cause, Change, Diff, Difference, Severity, Why};
use conformance::report::{Report, Step};

use super::facts;
use super::headline::subject;
use super::text;

/// The changes between an older report and the one that the page shows.
pub(super) struct Comparison<'a> {
    pub(super) old: String,
    pub(super) new: String,
    pub(super) facts: Vec<Pair>,
    pub(super) verdicts: Vec<Pair>,
    /// The calls that became slower, and then those that became faster.
    pub(super) slower: Vec<String>,
    pub(super) faster: Vec<String>,
    pub(super) blocks: Vec<Block<'a>>,
    same: usize,
}

/// The same property in both reports.
pub(super) struct Pair {
    pub(super) name: String,
    pub(super) old: String,
    pub(super) new: String,
}

/// The changes of one severity.
pub(super) struct Block<'a> {
    pub(super) word: &'static str,
    pub(super) title: &'static str,
    pub(super) parts: Vec<Part<'a>>,
}

/// The changes of one severity with the same cause.
pub(super) struct Part<'a> {
    /// The kind of the defect; empty unless the cases regressed.
    pub(super) kind: String,
    /// The cause; empty if the changes have none in common.
    pub(super) title: String,
    /// How often the cases failed, if some ran several times.
    pub(super) frequency: Option<String>,
    pub(super) changes: Vec<Changed<'a>>,
}

/// A case that changed.
pub(super) struct Changed<'a> {
    pub(super) change: &'a Change,
    pub(super) pairs: Vec<Pair>,
    /// The steps in both reports, if the verdict changed.
    pub(super) scripts: Option<(&'a [Step], &'a [Step])>,
    pub(super) is_here: bool,
}

impl<'a> Comparison<'a> {
    pub(super) fn of(old: &'a Report, new: &'a Report, diff: &'a Diff) -> Self {
        let blocks = [
            (Severity::Regressed, "Regressed: no longer holds, or fails in a worse way"),
            (Severity::Unchecked, "No longer checked"),
            (Severity::Disclosure, "Disclosure: memory that was never shared can be accessed, or no longer can"),
            (Severity::Different, "Different: a result left open by the documentation, or the reason for a failure"),
            (Severity::Time, "Much slower or faster"),
            (Severity::New, "Checked for the first time"),
            (Severity::Better, "Better: holds now"),
        ];
        let changed = |change: &'a Change| Changed::of(change, old, new);
        let block = |(severity, title)| {
            let changes = diff.changes_of(severity).map(changed).collect();
            Block { word: severity.word(), title, parts: parts(severity, diff, changes) }
        };
        let verdicts = old.summary().into_iter().zip(new.summary()).map(|((word, before), (_, now))| Pair {
            name: word.to_owned(),
            old: before.to_string(),
            new: now.to_string(),
        });
        Self {
            old: subject(&old.run),
            new: subject(&new.run),
            facts: side_by_side(facts::of(&old.run), facts::of(&new.run)),
            verdicts: verdicts.filter(|pair| pair.old != "0" || pair.new != "0").collect(),
            slower: diff.times.slower.iter().map(ToString::to_string).collect(),
            faster: diff.times.faster.iter().map(ToString::to_string).collect(),
            blocks: blocks.into_iter().map(block).filter(|block| !block.parts.is_empty()).collect(),
            same: diff.same,
        }
    }

    pub(super) fn same(&self) -> String {
        text::count(self.same, "case")
    }
}

/// Divides the changes of one severity by cause. The order of the causes is that of the comparison.
fn parts<'a>(severity: Severity, diff: &Diff, changes: Vec<Changed<'a>>) -> Vec<Part<'a>> {
    let mut parts: BTreeMap<(usize, String, String), Vec<Changed<'a>>> = BTreeMap::new();
    let causes: HashMap<&str, (usize, &Cause)> = diff
        .causes
        .iter()
        .enumerate()
        .flat_map(|(place, cause)| cause.cases.iter().map(move |id| (id.as_str(), (place, cause))))
        .collect();
    for changed in changes {
        let key = match (severity, causes.get(changed.change.id.as_str()), &changed.change.why) {
            (Severity::Regressed, Some((place, cause)), _) => (*place, cause.kind.to_string(), cause.what.clone()),
            (_, _, Some(why)) => (0, String::new(), reason(why)),
            _ => Default::default(),
        };
        parts.entry(key).or_default().push(changed);
    }
    let frequency = |place: usize, kind: &str| diff.causes.get(place).filter(|_| !kind.is_empty())?.frequency();
    let part = |((place, kind, title), changes): ((usize, String, String), _)| Part {
        frequency: frequency(place, &kind),
        kind,
        title,
        changes,
    };
    parts.into_iter().map(part).collect()
}

fn reason(why: &Why) -> String {
    match why {
        Why::Machine { lacks } => format!("{}: {lacks}", why.words()),
        _ => why.words().to_owned(),
    }
}

impl Block<'_> {
    pub(super) fn count(&self) -> usize {
        self.parts.iter().map(|part| part.changes.len()).sum()
    }
}

impl<'a> Part<'a> {
    /// Returns the changes that are shown: one of each cause, and all if they have no cause in common.
    pub(super) fn first(&self) -> &[Changed<'a>] {
        let shown = if self.title.is_empty() { self.changes.len() } else { 1 };
        self.changes.get(..shown).unwrap_or_default()
    }

    /// Returns the changes that are folded.
    pub(super) fn others(&self) -> &[Changed<'a>] {
        self.changes.get(self.first().len()..).unwrap_or_default()
    }
}

impl Pair {
    pub(super) fn differs(&self) -> bool {
        self.old != self.new
    }
}

impl<'a> Changed<'a> {
    fn of(change: &'a Change, old: &'a Report, new: &'a Report) -> Self {
        let (before, now) = (old.case(&change.id), new.case(&change.id));
        let ended = change.differences.iter().any(|difference| matches!(difference, Difference::Verdict { .. }));
        let scripts = before.zip(now).map(|(before, now)| (before.steps.as_slice(), now.steps.as_slice()));
        Self {
            change,
            pairs: change.differences.iter().map(pair).collect(),
            scripts: scripts.filter(|(before, now)| ended && !(before.is_empty() && now.is_empty())),
            is_here: now.is_some(),
        }
    }

    pub(super) fn anchor(&self) -> String {
        text::anchor(&self.change.id)
    }
}

fn pair(difference: &Difference) -> Pair {
    let absent = || "not in the report".to_owned();
    let observed = |value: &Option<serde_json::Value>| value.as_ref().map_or("not observed".to_owned(), text::value);
    let (name, old, new) = match difference {
        Difference::Runs { verdict, old, new, .. } => (verdict.word(), format!("{old} runs"), format!("{new} runs")),
        Difference::Verdict { old, new } => ("verdict", old.to_string(), new.to_string()),
        Difference::Reason { old, new } => ("reason", old.clone().unwrap_or_default(), new.clone().unwrap_or_default()),
        Difference::Observation { name, old, new } => (name.as_str(), observed(old), observed(new)),
        Difference::Disclosure { text, is_new: true } => ("disclosure", "none".to_owned(), text.clone()),
        Difference::Disclosure { text, is_new: false } => ("disclosure", text.clone(), "none".to_owned()),
        Difference::Time { old, new } => ("time", text::duration(*old), text::duration(*new)),
        Difference::Added { verdict } => ("verdict", absent(), verdict.to_string()),
        Difference::Removed { verdict } => ("verdict", verdict.to_string(), absent()),
        Difference::Unended { old } => (
            "verdict",
            old.map_or_else(absent, |verdict| verdict.to_string()),
            "still running at the end of the report".to_owned(),
        ),
    };
    Pair { name: name.to_owned(), old, new }
}

/// Pairs the facts of both runs by name, in the order of the new run.
fn side_by_side(old: Vec<facts::Fact>, new: Vec<facts::Fact>) -> Vec<Pair> {
    let mut pairs: Vec<_> =
        new.into_iter().map(|fact| Pair { name: fact.name, old: String::new(), new: fact.value }).collect();
    for fact in old {
        match pairs.iter_mut().find(|pair| pair.name == fact.name) {
            Some(pair) => pair.old = fact.value,
            None => pairs.push(Pair { name: fact.name, old: fact.value, new: String::new() }),
        }
    }
    pairs
}
