//! The comparison as Markdown for a comment on a pull request. The regressions, by cause, and the disclosures are shown,
//! the others are folded.

use std::fmt::Write as _;

use conformance::diff::{Change, Severity};
use conformance::records::Comparison;

use super::phrase::{Rows, count, counts, ends, plain, remark, words};
use crate::markup::{code, inline};

/// The maximum number of changes shown per severity; the others are only counted. GitHub limits a comment to 65,536
/// characters.
const SHOWN: usize = 50;

pub(super) fn markdown(comparison: &Comparison, rows: &Rows) -> String {
    let diff = &comparison.diff;
    let regressed = diff.changes_of(Severity::Regressed).count();
    let verdict = match (regressed, diff.changes.is_empty()) {
        (0, _) if !diff.times.slower.is_empty() => format!("{} slower", count(diff.times.slower.len(), "call")),
        (0, _) if diff.has_regressed() => "a process crashed or hung outside any case".to_owned(),
        (0, _) if diff.scope.is_empty() => "no case was compared".to_owned(),
        (0, true) => "no case changed".to_owned(),
        (0, false) => "nothing regressed".to_owned(),
        _ => format!("{} regressed", count(regressed, "case")),
    };
    let mut text = format!("### CUDA inter-process memory: {verdict}\n\n**{}.**\n\n", inline(&diff.headline));
    for (name, side) in [("old", &diff.old), ("new", &diff.new)] {
        let _ = writeln!(text, "- {name}: {}", inline(&format!("{}{}", side.title, remark(side))));
    }
    if let Some(title) = comparison.title() {
        let _ = writeln!(text, "- {}", inline(&title));
    }
    text += "\n| verdict | old | new |\n|---|---:|---:|\n";
    for (verdict, old, new) in counts(diff) {
        let _ = writeln!(text, "| {verdict} | {old} | {new} |");
    }
    // A list begins after an empty line.
    let mut first = "\n";
    for cause in diff.causes.iter().take(SHOWN) {
        let frequency = cause.frequency().map(|frequency| format!(", {frequency}")).unwrap_or_default();
        let cases = count(cause.cases.len(), "case") + &frequency;
        let _ = writeln!(text, "{}- {}: {} ({cases})", first, cause.kind, code(&cause.what));
        first = "";
    }
    for call in diff.times.slower.iter().take(SHOWN) {
        let _ = writeln!(text, "{first}- slower: {}", code(&call.to_string()));
        first = "";
    }
    let ends = ends(diff);
    for end in ends.iter().take(SHOWN) {
        let _ = writeln!(text, "{first}- outside any case: {}", code(end));
        first = "";
    }
    if ends.len() > SHOWN {
        let _ = writeln!(text, "- and {} more processes outside any case", ends.len() - SHOWN);
    }
    for severity in Severity::ALL {
        add(&mut text, severity, &diff.changes_of(severity).collect::<Vec<_>>(), rows);
    }
    if !diff.environment.is_empty() {
        let _ = write!(text, "\n<details><summary>driver and environment ({})</summary>\n\n", diff.environment.len());
        text += "| | old | new |\n|---|---|---|\n";
        let value = |value: &Option<_>| value.as_ref().map_or_else(String::new, |value| inline(&plain(value)));
        for setting in &diff.environment {
            let _ = writeln!(text, "| {} | {} | {} |", inline(&setting.name), value(&setting.old), value(&setting.new));
        }
        text += "\n</details>\n";
    }
    let _ = write!(text, "\n{} cases are the same.\n", diff.same);
    text
}

fn add(text: &mut String, severity: Severity, changes: &[&Change], rows: &Rows) {
    if changes.is_empty() {
        return;
    }
    let open = if matches!(severity, Severity::Regressed | Severity::Disclosure) { " open" } else { "" };
    let _ = write!(text, "\n<details{open}><summary>{} ({})</summary>\n\n", severity.words(), changes.len());
    for change in changes.iter().take(SHOWN) {
        let _ = writeln!(text, "- {}", code(&change.id));
        for row in &change.rows {
            let (class, statement) = rows.statement(row);
            let _ = writeln!(text, "  - {} {}: {}", inline(row), inline(class), inline(statement));
        }
        for difference in &change.differences {
            let (name, old, new) = words(difference);
            let old = if old.is_empty() { old } else { format!("{} → ", code(&old)) };
            let _ = writeln!(text, "  - {}: {old}{}", inline(name), code(&new));
        }
    }
    if changes.len() > SHOWN {
        let _ = writeln!(text, "\n… and {} more, which `conformance diff --all` prints", changes.len() - SHOWN);
    }
    *text += "\n</details>\n";
}
