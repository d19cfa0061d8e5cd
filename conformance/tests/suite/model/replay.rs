//! Proves that a finding of a model is short, and that the command which the suite prints for it finds it again.

use std::process::{Command, Stdio};

use conformance::{Outcome, Stop, check, models};

/// A bug of the reference driver that only a model finds, and not in its first script.
const FAULT: (&str, &str) = ("REFERENCE_DRIVER_FAULT", "destroy-import-fails-after-an-own-destroy");
const MODEL: &str = "model::interprocess_events";
/// The most steps of a script that shows the bug: create, get the handle, open, create, destroy.
const MOST_STEPS: usize = 5;

/// What the suite printed of a finding.
struct Finding {
    /// Why the script failed, without the numbers of addresses and handles.
    reason: String,
    /// How long the script is, and the script as a case.
    script: String,
    /// The command that runs it again.
    again: String,
}

/// Runs this suite on a reference driver with the bug, as its own simulated machine.
fn found(mut command: Command) -> Result<Finding, Stop> {
    const SETTINGS: [&str; 5] = ["CONFORMANCE_", "REFERENCE_DRIVER_", "CUDA_", "NEXTEST", "CARGO"];
    let names = std::env::vars_os().map(|(name, _)| name);
    for name in names.filter(|name| SETTINGS.iter().any(|prefix| name.to_string_lossy().starts_with(prefix))) {
        command.env_remove(name);
    }
    let output = command.env(FAULT.0, FAULT.1).stdin(Stdio::null()).output().map_err(harness)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let unknown = || Stop::failed(format!("the model found nothing: {text}"));
    let (_, rest) = text.split_once("\nfail: ").ok_or_else(unknown)?;
    let (reason, rest) = rest.split_once('\n').ok_or_else(unknown)?;
    let (script, rest) = rest.split_once("\n}\n").ok_or_else(unknown)?;
    let (_, rest) = rest.split_once("run again: ").ok_or_else(unknown)?;
    Ok(Finding {
        reason: reason.chars().filter(|c| !c.is_ascii_digit()).collect(),
        script: script.to_owned(),
        again: rest.lines().next().unwrap_or_default().to_owned(),
    })
}

fn harness(error: impl std::fmt::Display) -> Stop {
    Stop::Harness(error.to_string())
}

/// Runs a model on a driver with a bug, and then the command that its failure prints.
pub(crate) fn a_finding_is_found_again() -> Outcome {
    if !models().is_reference {
        return Err(Stop::Unsupported("only the reference driver has the bug".to_owned()));
    }
    let mut first = Command::new(std::env::current_exe().map_err(harness)?);
    first.args(["--driver", "reference", "--seed", "1", "--reruns", "0", "--exact", MODEL]);
    let first = found(first)?;
    // `script 20, 5 of its 19 steps`
    let steps = first.script.split(", ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
    check!(steps.is_some_and(|steps| steps <= MOST_STEPS), "{}", first.script);
    let number = first.script.split([' ', ',']).nth(1).unwrap_or_default();
    check!(number != "0" && first.again.contains(&format!(" --script {number} ")), "{}", first.again);
    let mut again = Command::new("sh");
    again.args(["-c", &first.again]);
    let again = found(again)?;
    check!(again.reason == first.reason, "{} {}", again.reason, first.reason);
    check!(again.script == first.script, "{}\n{}", again.script, first.script);
    check!(again.again == first.again, "{} {}", again.again, first.again);
    Ok(())
}
