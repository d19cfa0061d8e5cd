//! The comparison as text for a terminal.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use conformance::diff::{Change, Diff, Severity};
use conformance::records::Comparison;

use super::phrase::{Rows, counts, plain, remark, words};

pub(super) fn text(comparison: &Comparison, rows: &Rows) -> String {
    let diff = &comparison.diff;
    let mut text = format!("{}{} -> {}{}\n", diff.old.title, remark(&diff.old), diff.new.title, remark(&diff.new));
    if let Some(title) = comparison.title() {
        text += &format!("{title}\n");
    }
    if !diff.environment.is_empty() {
        text += "\nenvironment\n";
    }
    let value = |value: &Option<_>| value.as_ref().map_or_else(|| "none".to_owned(), plain);
    for setting in &diff.environment {
        line(&mut text, "  ", &setting.name, &value(&setting.old), &value(&setting.new));
    }
    for severity in Severity::ALL {
        let changes: Vec<_> = diff.changes_of(severity).collect();
        if let Some(first) = changes.first() {
            let style = style(first.severity);
            let _ = write!(text, "\n{style}{} ({}){style:#}\n", severity.word(), changes.len());
        }
        for change in changes {
            add(&mut text, change, rows);
        }
    }
    text + "\n" + &totals(diff)
}

fn add(text: &mut String, change: &Change, rows: &Rows) {
    let bold = Style::new().bold();
    let _ = writeln!(text, "  {bold}{}{bold:#}", change.id);
    for row in &change.rows {
        let (class, statement) = rows.statement(row);
        let _ = writeln!(text, "    {row} {class}: {statement}");
    }
    for difference in &change.differences {
        let (name, old, new) = words(difference);
        line(text, "    ", name, &old, &new);
    }
}

/// Writes the old and the new value on one line, or on two lines if they are long.
fn line(text: &mut String, indent: &str, name: &str, old: &str, new: &str) {
    const SHORT: usize = 80;
    let [old, new] = [old, new].map(|text| text.replace('\n', &format!("\n{indent}     ")));
    let dimmed = Style::new().dimmed();
    let _ = if old.len() + new.len() <= SHORT {
        writeln!(text, "{indent}{dimmed}{name}:{dimmed:#} {old} -> {new}")
    } else {
        writeln!(text, "{indent}{dimmed}{name}:{dimmed:#} {old}\n{indent}  -> {new}")
    };
}

fn totals(diff: &Diff) -> String {
    let mut words: Vec<_> = Severity::ALL
        .iter()
        .map(|severity| (diff.changes_of(*severity).count(), severity.word()))
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
        Severity::Worse => AnsiColor::Red,
        Severity::Disclosure => AnsiColor::Magenta,
        Severity::Different => AnsiColor::Yellow,
        Severity::Time => AnsiColor::Cyan,
        Severity::Better => AnsiColor::Green,
    };
    Style::new().bold().fg_color(Some(colour.into()))
}
