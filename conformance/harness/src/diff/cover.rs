//! Whether a run checks as much as an earlier one.

use std::collections::BTreeSet;

use super::change::{Change, Severity, Why};
use super::headline::is_documented;
use super::setting::Setting;
use crate::report::Run;

/// Whether the new run checks every case that the old one checked, except those that its suite no longer has.
///
/// With the same `--level quick`, another suite leaves such cases out too, because it has others that check the same rules.
/// The level also leaves out what the machine cannot run, so it explains nothing on a machine that changed, nor where
/// the new run checks a documented rule by no other case: `checked` are the rows that it checks.
pub(super) fn covers(
    old: &Run,
    new: &Run,
    settings: &[Setting],
    changes: &[Change],
    checked: &BTreeSet<String>,
) -> bool {
    let has_changed = |is_it: &dyn Fn(&str) -> bool| settings.iter().any(|setting| is_it(&setting.name));
    let chooses_others = have_one_level(old.selection.as_deref(), new.selection.as_deref())
        && has_changed(&|name| name.starts_with("suite"))
        && !has_changed(&is_of_the_machine);
    let is_still_checked = |row: &String| checked.contains(row) || !is_documented(row);
    let is_excused = |change: &Change| match &change.why {
        Some(Why::Suite) => true,
        Some(Why::Filter | Why::Level | Why::Budget | Why::Selection) => {
            chooses_others && change.rows.iter().all(is_still_checked)
        }
        Some(Why::Machine { .. } | Why::Unfinished { .. }) | None => false,
    };
    changes.iter().filter(|change| change.severity == Severity::Unchecked).all(is_excused)
}

/// Whether both runs were at the same level, of the same filters, and had neither a list of cases nor a budget.
fn have_one_level(old: Option<&str>, new: Option<&str>) -> bool {
    let Some(selection) = new.filter(|new| old == Some(new)) else { return false };
    let mut parts = selection.split(" with ");
    let is_other = |part: &str| ["--cases ", "--from ", "--budget "].iter().any(|other| part.starts_with(other));
    parts.clone().any(|part| part.starts_with("--level ")) && !parts.any(is_other)
}

/// Whether a setting says which cases a machine can run. The number of bytes and the UUID of a GPU do not: a new driver or a
/// replaced GPU has others.
fn is_of_the_machine(name: &str) -> bool {
    let is_a_detail = || [".memory", ".uuid"].iter().any(|detail| name.ends_with(detail));
    ["devices", "links"].iter().any(|of| name.starts_with(of)) && !is_a_detail()
}
