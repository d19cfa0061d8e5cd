//! `conformance score --models`: which faults the models find without the cases.
//!
//! A fault that a model misses costs the time of all its scripts, one that it finds a moment. So the faults that were
//! found are listed in a file, and a check runs only these.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use fault::Fault;

use super::run::{Cases, Runner};
use super::sample::is_sample_for_models;
use crate::output::{Failure, print, remark};

/// Each model, and the group of rows whose faults it looks for.
const MODELS: [(&str, &str); 4] = [
    ("model::legacy_memory", "IPCMEM"),
    ("model::interprocess_events", "IPCEVT"),
    ("model::virtual_memory_descriptors", "VMM"),
    ("model::pools", "POOL"),
];

/// These groups, in words.
const GROUPS: &str = "IPCMEM, IPCEVT, VMM or POOL";

/// The share of a group's faults that its model must find, in percent.
const LEAST: usize = 60;

/// Returns the model that looks for a fault: that of the group of its first row.
fn model_of(fault: &Fault) -> Option<&'static str> {
    let group = fault.rows.first()?.split('-').next()?;
    MODELS.iter().find(|(_, of)| *of == group).map(|(model, _)| *model)
}

/// The file with the faults that were found before.
#[derive(Clone, Copy)]
pub(super) enum Listed<'a> {
    /// All faults run, and no file has a part in it.
    Nothing,
    /// All faults run, and the file then lists those that were found.
    Written(&'a Path),
    /// Every fault that the file lists runs.
    All(&'a Path),
    /// A sample of the faults that the file lists runs.
    Sample(&'a Path),
}

/// Runs the models on the given faults, or on those of them that a file lists.
pub(super) fn run(runner: &Runner, faults: &[&'static Fault], file: Listed) -> Result<ExitCode, Failure> {
    let listed = match file {
        Listed::All(file) | Listed::Sample(file) => Some(read(file)?),
        Listed::Nothing | Listed::Written(_) => None,
    };
    let is_chosen = |name: &str| !matches!(file, Listed::Sample(_)) || is_sample_for_models(name);
    let is_wanted = |fault: &&&'static Fault| {
        let is_listed = listed.as_ref().is_none_or(|listed| listed.contains(fault.name));
        model_of(fault).is_some() && is_listed && is_chosen(fault.name)
    };
    let wanted: Vec<_> = faults.iter().filter(is_wanted).copied().collect();
    if wanted.is_empty() {
        let left_out = match file {
            Listed::Nothing | Listed::Written(_) => "",
            Listed::All(_) => ", and here only for those that the file of --found lists",
            Listed::Sample(_) => ", and here only for a sample of those that the file of --found lists: add --all",
        };
        return Err(Failure::new(format_args!(
            "no model looks for these faults: the models look for faults whose first row is of {GROUPS}{left_out}"
        )));
    }
    let clean = clean(runner, &wanted)?;
    let found = runner.each(&wanted, |fault| {
        let cases = model_of(fault).map(str::to_owned).into_iter().collect();
        Ok((fault.name, !runner.noticed(fault, Some(&cases), &clean)?.is_empty()))
    })?;
    let (found, missed): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, is_found)| *is_found);
    let found: BTreeSet<_> = found.into_iter().map(|(name, _)| name.to_owned()).collect();
    for (name, _) in &missed {
        remark(format_args!("no model finds {name}"));
    }
    if let Listed::Written(path) = file {
        write(path, &found)?;
    }
    // What was not run counts as the file says.
    let is_missed = |name: &String| missed.iter().any(|(missed, _)| missed == name);
    let found: BTreeSet<_> = listed.iter().flatten().filter(|name| !is_missed(name)).cloned().chain(found).collect();
    print(&table(faults, &found))?;
    let shares = shares(faults, &found);
    let too_small: Vec<_> = shares.iter().filter(|share| !share.is_enough()).collect();
    for Share { model, found, all, .. } in &too_small {
        remark(format_args!("{model} finds {found} of {all} faults, and must find {LEAST} %"));
    }
    let is_bad = listed.is_some() && !missed.is_empty();
    Ok(ExitCode::from(u8::from(is_bad || !too_small.is_empty())))
}

/// Prints the table of the faults that a file lists, without a run.
pub(super) fn print_table(faults: &[&'static Fault], file: &Path) -> Result<ExitCode, Failure> {
    print(&table(faults, &read(file)?))?;
    Ok(ExitCode::SUCCESS)
}

/// The models on the driver without a fault, which must be clean.
fn clean(runner: &Runner, faults: &[&'static Fault]) -> Result<Cases, Failure> {
    let cases = faults.iter().filter_map(|fault| model_of(fault)).map(str::to_owned).collect();
    runner.baseline(fault::Machine::default(), &cases)
}

/// The part of a group's faults that its model finds.
struct Share {
    model: &'static str,
    group: &'static str,
    found: usize,
    all: usize,
}

impl Share {
    const fn is_enough(&self) -> bool {
        self.found * 100 >= self.all * LEAST
    }
}

fn shares(faults: &[&'static Fault], found: &BTreeSet<String>) -> Vec<Share> {
    let share = |(model, group): (&'static str, &'static str)| {
        let of_group = faults.iter().filter(|fault| model_of(fault) == Some(model));
        let all = of_group.clone().count();
        Share { model, group, found: of_group.filter(|fault| found.contains(fault.name)).count(), all }
    };
    MODELS.into_iter().map(share).filter(|share| share.all > 0).collect()
}

/// The table of docs/how-we-know.md.
fn table(faults: &[&'static Fault], found: &BTreeSet<String>) -> String {
    let mut text = "| Model | Rows | Faults | Found | Share |\n| --- | --- | ---: | ---: | ---: |\n".to_owned();
    for Share { model, group, found, all } in shares(faults, found) {
        let _ = writeln!(text, "| `{model}` | {group} | {all} | {found} | {} % |", found * 100 / all);
    }
    text
}

/// The names in a file, one on each line. What follows `#` is a comment.
fn read(file: &Path) -> Result<BTreeSet<String>, Failure> {
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::new(format_args!("cannot read {}: {error}", file.display())))?;
    let names = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    Ok(names.filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn write(file: &Path, found: &BTreeSet<String>) -> Result<(), Failure> {
    let mut text =
        "# Faults of the reference driver that a model finds without the cases, in its default run with seed 1.\n\
                    # `cargo conformance score --models --found FILE --write` writes this file.\n"
            .to_owned();
    found.iter().for_each(|name| text.extend([name, "\n"]));
    fs::write(file, text).map_err(|error| Failure::new(format_args!("cannot write {}: {error}", file.display())))
}
