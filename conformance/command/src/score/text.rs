//! The score as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fault::Fault;

use super::{End, Outcome, Score};

pub(super) fn list(faults: &[&Fault]) -> String {
    let line = |fault: &&Fault| {
        let version = fault.machine.version.map_or_else(String::new, |version| format!("CUDA {version}: "));
        let devices = fault.machine.devices.map_or_else(String::new, |devices| format!("{devices} devices: "));
        format!("{:48} {:40} {version}{devices}{}\n", fault.name, fault.rows.join(" "), fault.summary)
    };
    faults.iter().map(line).collect()
}

/// The group of a row: `IPCMEM-OPEN-002` is of `IPCMEM-OPEN`.
fn group(row: &str) -> &str {
    row.rsplit_once('-').map_or(row, |(group, _)| group)
}

pub(super) fn text(score: &Score) -> String {
    let mut groups: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for fault in &score.faults {
        let (killed, all) = groups.entry(group(fault.rows[0])).or_default();
        *killed += usize::from(fault.end == End::Killed);
        *all += 1;
    }
    let mut text = String::from("killed of declared faults, by the group of their first row:\n");
    for (group, (killed, all)) in &groups {
        let _ = writeln!(text, "  {group:14} {killed:4} of {all:4}");
    }
    let killed = score.faults.iter().filter(|fault| fault.end == End::Killed).count();
    let _ = writeln!(text, "  {:14} {killed:4} of {:4}", "all", score.faults.len());
    let parts: [(&str, End); 3] = [
        ("survived: no case noticed", End::Survived),
        ("killed only by cases of other rows", End::KilledByOthers),
        ("untested: no case of the rows passed without the fault", End::Untested),
    ];
    for (title, end) in parts {
        let faults: Vec<_> = score.faults.iter().filter(|fault| fault.end == end).collect();
        if !faults.is_empty() {
            let _ = writeln!(text, "\n{title} ({}):", faults.len());
            faults.into_iter().for_each(|fault| text.push_str(&survivor(fault)));
        }
    }
    if !score.idle.is_empty() {
        let _ = writeln!(text, "\ncases that noticed no fault of their rows ({}):", score.idle.len());
        score.idle.iter().for_each(|case| text.push_str(&format!("  {case}\n")));
    }
    if !score.rows_without_a_fault.is_empty() {
        let count = score.rows_without_a_fault.len();
        let _ =
            writeln!(text, "\ndocumented rows without a fault ({count}):\n  {}", score.rows_without_a_fault.join(" "));
    }
    text
}

fn survivor(fault: &Outcome) -> String {
    let mut text = format!("  {} ({}): {}\n", fault.name, fault.rows.join(", "), fault.summary);
    for case in fault.foreign.iter().take(3) {
        let _ = writeln!(text, "      noticed by {case}");
    }
    text
}
