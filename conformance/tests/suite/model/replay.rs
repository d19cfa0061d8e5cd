//! Proves what the suite prints of a finding of a model: that it is short, that its command finds it again, and that it
//! is the failure that the model found first.

use std::process::{Command, Stdio};

use conformance::{Outcome, Stop, check, models};

use super::legacy;
use super::process::{self, Event};
use super::processes::Processes;
use super::script::Script;
use super::step::Step;
use super::world::Machine;

/// A bug of the reference driver, by the way in which a model finds it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bug {
    /// A call returns the wrong code. Only a model finds it, and not in its first script.
    Result,
    /// Memory stays in use after a script.
    Memory,
    /// A row that is not documented is broken.
    Difference,
    /// Without the last step that fails, a shorter script fails for another reason.
    Count,
}

impl Bug {
    /// Its fault, the model that finds it, and the most steps of a script that shows it.
    const fn details(self) -> (&'static str, &'static str, usize) {
        match self {
            // Create, get the handle, open, create, destroy.
            Self::Result => ("destroy-import-fails-after-an-own-destroy", "model::interprocess_events", 5),
            Self::Memory => ("memory-is-inherited-over-exec", "model::virtual_memory_descriptors", 2),
            Self::Difference => ("pool-access-applies-what-comes-before-a-refusal", "model::pools", 2),
            Self::Count => ("close-ignores-the-count", "model::legacy_memory", 6),
        }
    }
}

/// What the suite printed of a finding.
struct Finding {
    /// Why the script failed, without the numbers of addresses and handles.
    reason: String,
    /// How long the script is, in words, without the number of scripts that differ.
    length: String,
    /// How many scripts differ, if more than one.
    differ: Option<usize>,
    /// The script as a case.
    script: String,
    /// The row that was broken.
    rows: String,
    /// The command that runs it again.
    again: String,
}

/// Runs this suite on a reference driver with a fault, as its own simulated machine. Returns what it prints.
fn run(mut command: Command, fault: &str) -> Result<String, Stop> {
    const SETTINGS: [&str; 5] = ["CONFORMANCE_", "REFERENCE_DRIVER_", "CUDA_", "NEXTEST", "CARGO"];
    let names = std::env::vars_os().map(|(name, _)| name);
    for name in names.filter(|name| SETTINGS.iter().any(|prefix| name.to_string_lossy().starts_with(prefix))) {
        command.env_remove(name);
    }
    let command = command.env("REFERENCE_DRIVER_FAULT", fault).stdin(Stdio::null());
    let output = command.output().map_err(harness)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command, and reads what the model found.
fn found(command: Command, bug: Bug) -> Result<Finding, Stop> {
    let (fault, model, _) = bug.details();
    let text = run(command, fault)?;
    let unknown = || Stop::failed(format!("the model found nothing: {text}"));
    let differs = format!("\nconformance: differs: {model}: ");
    let begins = ["\nfail: ", "\nleak: ", &differs];
    let (_, rest) = begins.iter().find_map(|begin| text.split_once(begin)).ok_or_else(unknown)?;
    let (reason, rest) = rest.split_once('\n').ok_or_else(unknown)?;
    let (length, rest) = rest.split_once('\n').ok_or_else(unknown)?;
    let (script, rest) = rest.split_once("\n}\n").ok_or_else(unknown)?;
    let (_, rest) = rest.split_once("  rows: ").ok_or_else(unknown)?;
    let (rows, rest) = rest.split_once('\n').ok_or_else(unknown)?;
    let (_, again) = rest.split_once("run again: ").ok_or_else(unknown)?;
    let (length, differ) = length.split_once(" (").unwrap_or((length.trim_end_matches(':'), ""));
    Ok(Finding {
        reason: reason.chars().filter(|c| !c.is_ascii_digit()).collect(),
        length: length.to_owned(),
        differ: differ.split(' ').next().and_then(|count| count.parse().ok()),
        script: script.to_owned(),
        rows: rows.to_owned(),
        again: again.lines().next().unwrap_or_default().to_owned(),
    })
}

fn harness(error: impl std::fmt::Display) -> Stop {
    Stop::Harness(error.to_string())
}

/// Returns the command that runs one case of this suite.
fn suite(case: &str) -> Result<Command, Stop> {
    let mut command = Command::new(std::env::current_exe().map_err(harness)?);
    command.args(["--driver", "reference", "--seed", "1", "--reruns", "0", "--exact", case]);
    Ok(command)
}

fn need_the_reference_driver() -> Outcome {
    if models().is_reference {
        return Ok(());
    }
    Err(Stop::Unsupported("only the reference driver has the bug".to_owned()))
}

/// Runs a model on a driver with a bug, and then the command that its failure prints.
pub(crate) fn a_finding_is_found_again(bug: Bug) -> Outcome {
    need_the_reference_driver()?;
    let (_, model, most_steps) = bug.details();
    let first = found(suite(model)?, bug)?;
    // `script 20, shortened from 19 steps to 5`
    let steps = first.length.split(" steps to ").nth(1).and_then(|rest| rest.split(';').next()?.parse::<usize>().ok());
    check!(steps.is_some_and(|steps| steps <= most_steps), "{}", first.length);
    // The difference is in a step. The others show only after the last one.
    let is_after_the_steps = first.script.contains("// It fails after its last step: ");
    check!(is_after_the_steps != matches!(bug, Bug::Difference), "{}", first.script);
    // Otherwise the first script that differs would have ended the search.
    check!(!matches!(bug, Bug::Difference) || first.differ > Some(1), "{:?} scripts differ", first.differ);
    let number = first.length.split([' ', ',']).nth(1).unwrap_or_default();
    check!(number != "0" && first.again.contains(&format!(" --script {number} ")), "{}", first.again);
    let mut again = Command::new("sh");
    again.args(["-c", &first.again]);
    let again = found(again, bug)?;
    check!(again.reason == first.reason, "{} {}", again.reason, first.reason);
    check!(again.length == first.length, "{} {}", again.length, first.length);
    check!(again.script == first.script, "{}\n{}", again.script, first.script);
    check!(again.again == first.again, "{} {}", again.again, first.again);
    Ok(())
}

/// Runs a model on a driver with a bug twice: once it reports the first script that fails as it is.
pub(crate) fn a_shorter_script_fails_in_the_same_way() -> Outcome {
    need_the_reference_driver()?;
    let (bug, (_, model, _)) = (Bug::Count, Bug::Count.details());
    let mut whole = suite(model)?;
    whole.arg("--no-shrink");
    let (whole, short) = (found(whole, bug)?, found(suite(model)?, bug)?);
    check!(short.script.len() < whole.script.len(), "{}", short.length);
    check!(short.rows == whole.rows, "{} {}", short.rows, whole.rows);
    check!(short.reason == whole.reason, "{} {}", short.reason, whole.reason);
    Ok(())
}

/// A process opens memory of one that ends, and twice memory of one that lives. At the end it gives all of it back.
pub(crate) fn give_back_beside_an_orphan() -> Outcome {
    let steps = [
        legacy::Step::alloc(0, 1),
        legacy::Step::get(0, 2, 1),
        legacy::Step::alloc(2, 3),
        legacy::Step::get(2, 4, 3),
        legacy::Step::open(1, 5, 2),
        legacy::Step::open(1, 6, 4),
        legacy::Step::open(1, 7, 4),
    ];
    let kill = Step::Process(process::Step { by: 0, event: Event::Kill });
    let steps = steps.into_iter().map(Step::Legacy).chain([kill]).collect();
    let script = Script { machine: Machine::under_test(), devices: vec![0; 3], steps };
    Processes::default().perform(&script).map_err(|failed| failed.stop)
}

/// Runs that case on a driver that takes back an import only once.
pub(crate) fn a_refused_release_is_noticed_beside_an_orphan() -> Outcome {
    const CASE: &str = "model::imports_of_the_living_are_given_back_beside_those_of_the_ended";
    need_the_reference_driver()?;
    let text = run(suite(CASE)?, Bug::Count.details().0)?;
    check!(text.contains("after the script, cannot release an import: cuIpcCloseMemHandle"), "{text}");
    Ok(())
}
