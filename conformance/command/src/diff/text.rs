//! The comparison as text for a terminal: the result in one sentence first, then the regressions by cause.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use conformance::diff::{Cause, Change, Diff, Severity, Why};
use conformance::records::Comparison;

use super::phrase::{Rows, count, counts, ends, plain, remark, words};

/// The number of cases that a group names. `--all` names all of them.
const NAMED: usize = 5;

/// The slowdown of all calls that is told.
const NOTED: f64 = 1.5;

pub(super) fn text(comparison: &Comparison, rows: &Rows, all: bool) -> String {
    let diff = &comparison.diff;
    let bold = Style::new().bold();
    let mut text = format!("{bold}{}.{bold:#}\n", diff.headline);
    for (name, side) in [("old", &diff.old), ("new", &diff.new)] {
        let _ = writeln!(text, "{name}: {}{}", side.title, remark(side));
    }
    if let Some(title) = comparison.title() {
        text += &format!("{title}\n");
    }
    if !diff.environment.is_empty() {
        text += "\ndriver and environment\n";
    }
    let value = |value: &Option<_>| value.as_ref().map_or_else(|| "none".to_owned(), plain);
    for setting in &diff.environment {
        line(&mut text, "  ", &setting.name, &value(&setting.old), &value(&setting.new));
    }
    let named = if all { usize::MAX } else { NAMED };
    add_ends(&mut text, diff, named);
    add_times(&mut text, diff, named);
    for severity in Severity::ALL {
        let changes: Vec<_> = diff.changes_of(severity).collect();
        if changes.is_empty() {
            continue;
        }
        let style = style(severity);
        let _ = writeln!(text, "\n{style}{} ({}){style:#}", severity.words(), changes.len());
        match severity {
            Severity::Regressed => {
                diff.causes.iter().for_each(|cause| add_cause(&mut text, cause, &changes, rows, named));
            }
            Severity::Unchecked => add_unchecked(&mut text, &changes, named),
            Severity::New => add_new(&mut text, &changes, rows, named),
            _ => changes.iter().for_each(|change| add(&mut text, "  ", change, rows)),
        }
    }
    text + "\n" + &totals(diff)
}

/// Adds the processes that crashed or hung outside any case, if there are several.
fn add_ends(text: &mut String, diff: &Diff, named: usize) {
    let ends = ends(diff);
    if ends.is_empty() {
        return;
    }
    let _ = writeln!(text, "\nprocesses that crashed or hung outside any case ({})", ends.len());
    ends.iter().take(named).for_each(|end| *text += &format!("  {end}\n"));
    if ends.len() > named {
        let _ = writeln!(text, "  and {} more, which --all lists", ends.len() - named);
    }
}

/// Adds the calls that became slower or faster, and how much all of them did.
fn add_times(text: &mut String, diff: &Diff, named: usize) {
    let times = &diff.times;
    for (word, severity, calls) in
        [("slower", Severity::Regressed, &times.slower), ("faster", Severity::Better, &times.faster)]
    {
        if calls.is_empty() {
            continue;
        }
        let style = style(severity);
        let _ = writeln!(text, "\n{style}{word} calls ({}){style:#}, by the median of their steps", calls.len());
        calls.iter().take(named).for_each(|call| *text += &format!("  {call}\n"));
        more(text, "  ", calls.len(), named, "call");
    }
    if let Some(slowdown) = times.slowdown.filter(|slowdown| *slowdown >= NOTED) {
        let cause = match (diff.old.load, diff.new.load) {
            (Some(old), Some(new)) if new.exceeds(&old) => {
                format!(" The machine was busier before this run (load {new}) than before the old one ({old}).")
            }
            (Some(old), Some(new)) => {
                format!(
                    " The machine was about as busy before this run (load {new}) as before the old one ({old}), or less."
                )
            }
            _ => String::new(),
        };
        let counts = match diff.is_slower_without_excuse() {
            true => "That does not explain it, so each call that became slower counts.",
            false => "Only what slowed down more counts.",
        };
        let _ = writeln!(text, "\nA typical call took {slowdown:.1} times as long.{cause} {counts}");
    }
}

/// Adds the regressions with one cause: their rules, and what changed in the first of them.
fn add_cause(text: &mut String, cause: &Cause, regressed: &[&Change], rows: &Rows, named: usize) {
    let bold = Style::new().bold();
    let frequency = cause.frequency().map(|frequency| format!(", {frequency}")).unwrap_or_default();
    let cases = count(cause.cases.len(), "case");
    let _ = writeln!(text, "  {bold}{}: {}{bold:#} ({cases}{frequency})", cause.kind, cause.what);
    add_rows(text, "    ", cause.rows.iter().take(named), rows);
    more(text, "    ", cause.rows.len(), named, "rule");
    let of_the_cause = regressed.iter().filter(|change| cause.cases.binary_search(&change.id).is_ok());
    for (place, change) in of_the_cause.enumerate().take(named) {
        let at = change.failure.as_ref().and_then(|failure| failure.place());
        let at = at.map(|place| format!(" ({place})")).unwrap_or_default();
        let runs = change.runs.filter(|_| cause.cases.len() > 1);
        let runs = runs.map(|runs| format!(", fails in {runs} runs")).unwrap_or_default();
        let _ = writeln!(text, "    {bold}{}{bold:#}{at}{runs}", change.id);
        if place == 0 || named == usize::MAX {
            add_differences(text, "      ", change);
        }
    }
    more(text, "    ", cause.cases.len(), named, "case");
}

/// Adds the cases that are no longer checked, for each reason.
fn add_unchecked(text: &mut String, changes: &[&Change], named: usize) {
    let mut groups: BTreeMap<&Why, Vec<&str>> = BTreeMap::new();
    for change in changes {
        if let Some(why) = &change.why {
            groups.entry(why).or_default().push(&change.id);
        }
    }
    for (why, ids) in groups {
        let lacks = match why {
            Why::Machine { lacks } => format!(": {lacks}"),
            _ => String::new(),
        };
        let _ = writeln!(text, "  {}{lacks} ({})", why.words(), count(ids.len(), "case"));
        ids.iter().take(named).for_each(|id| *text += &format!("    {id}\n"));
        more(text, "    ", ids.len(), named, "case");
    }
}

/// Adds the cases that are checked for the first time: those that fail, and then the names of the others.
fn add_new(text: &mut String, changes: &[&Change], rows: &Rows, named: usize) {
    let (failing, others): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(|change| change.is_new_failure());
    failing.iter().for_each(|change| add(text, "  ", change, rows));
    others.iter().take(named).for_each(|change| *text += &format!("  {}\n", change.id));
    more(text, "  ", others.len(), named, "case");
}

fn add(text: &mut String, indent: &str, change: &Change, rows: &Rows) {
    let bold = Style::new().bold();
    let _ = writeln!(text, "{indent}{bold}{}{bold:#}", change.id);
    let indent = format!("{indent}  ");
    add_rows(text, &indent, change.rows.iter(), rows);
    add_differences(text, &indent, change);
}

fn add_rows<'a>(text: &mut String, indent: &str, ids: impl Iterator<Item = &'a String>, rows: &Rows) {
    for id in ids {
        let (class, statement) = rows.statement(id);
        let _ = writeln!(text, "{indent}{id} {class}: {statement}");
    }
}

fn add_differences(text: &mut String, indent: &str, change: &Change) {
    for difference in &change.differences {
        let (name, old, new) = words(difference);
        line(text, indent, name, &old, &new);
    }
}

fn more(text: &mut String, indent: &str, total: usize, named: usize, noun: &str) {
    if total > named {
        let _ = writeln!(text, "{indent}and {}, which --all lists", count(total - named, &format!("more {noun}")));
    }
}

/// Writes the old and the new value on one line, or on two lines if they are long. If there was no old value, writes
/// only the new one.
fn line(text: &mut String, indent: &str, name: &str, old: &str, new: &str) {
    const SHORT: usize = 80;
    let [old, new] = [old, new].map(|text| text.replace('\n', &format!("\n{indent}     ")));
    let dimmed = Style::new().dimmed();
    let _ = if old.is_empty() {
        writeln!(text, "{indent}{dimmed}{name}:{dimmed:#} {new}")
    } else if old.len() + new.len() <= SHORT {
        writeln!(text, "{indent}{dimmed}{name}:{dimmed:#} {old} -> {new}")
    } else {
        writeln!(text, "{indent}{dimmed}{name}:{dimmed:#} {old}\n{indent}  -> {new}")
    };
}

fn totals(diff: &Diff) -> String {
    let mut words: Vec<_> = Severity::ALL
        .iter()
        .map(|severity| (diff.changes_of(*severity).count(), severity.words()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    words.push(format!("{} the same", diff.same));
    let verdicts: Vec<_> = counts(diff)
        .into_iter()
        .map(
            |(verdict, old, new)| {
                if old == new { format!("{new} {verdict}") } else { format!("{old} -> {new} {verdict}") }
            },
        )
        .collect();
    format!("cases: {}\nverdicts: {}\n", words.join(", "), verdicts.join(", "))
}

fn style(severity: Severity) -> Style {
    let colour = match severity {
        Severity::Regressed => AnsiColor::Red,
        Severity::Disclosure => AnsiColor::Magenta,
        Severity::Unchecked | Severity::Different => AnsiColor::Yellow,
        Severity::Time | Severity::New => AnsiColor::Cyan,
        Severity::Better => AnsiColor::Green,
    };
    Style::new().bold().fg_color(Some(colour.into()))
}
