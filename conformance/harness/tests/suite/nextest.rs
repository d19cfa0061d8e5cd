//! What nextest asks before it runs anything: it counts as skipped what is listed as ignored.

use std::collections::BTreeSet;
use std::process::Command;

use conformance::runner::Probe;
use conformance::{Outcome, Stop, check};
use rstest::rstest;

use crate::suite::{harness, suite};

/// A machine with one GPU, which some cases cannot use.
fn small_machine() -> Result<Command, Stop> {
    let mut command = suite("reference")?;
    command.env("REFERENCE_DRIVER_DEVICES", "1");
    Ok(command)
}

fn text(mut command: Command) -> Result<String, Stop> {
    let output = command.output().map_err(harness)?;
    check!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The cases that nextest is told to skip.
fn ignored(mut command: Command) -> Result<BTreeSet<String>, Stop> {
    command.args(["--list", "--format", "terse", "--ignored"]);
    text(command)?
        .lines()
        .map(|line| line.strip_suffix(": test").map(str::to_owned).ok_or_else(|| harness(format!("{line:?}"))))
        .collect()
}

/// Under nextest, what the machine cannot run is listed as ignored, and nothing else is: these are its skipped cases.
#[rstest]
#[conformance::test()]
fn unsupported_cases_are_listed_as_ignored() -> Outcome {
    let mut command = small_machine()?;
    command.arg("--probe");
    let probe: Probe = serde_json::from_str(&text(command)?).map_err(harness)?;
    let lacking = probe.cases.into_iter().filter(|(_, lacks)| lacks.is_some()).map(|(id, _)| id);
    let lacking: BTreeSet<_> = lacking.collect();
    let mut command = small_machine()?;
    command.env("NEXTEST", "1");
    let ignored = ignored(command)?;
    check!(!lacking.is_empty() && ignored == lacking, "ignored {ignored:?}, lacking {lacking:?}");
    Ok(())
}

/// What is required must run: a GPU runner of nextest skips nothing.
#[rstest]
#[case::required(Some(("CONFORMANCE_REQUIRE", "gpus=2")))]
#[case::not_under_nextest(None)]
#[conformance::test()]
fn otherwise_nothing_is_ignored(#[case] required: Option<(&str, &str)>) -> Outcome {
    let mut command = small_machine()?;
    if let Some(required) = required {
        command.env("NEXTEST", "1").envs([required]);
    }
    let ignored = ignored(command)?;
    check!(ignored.is_empty(), "ignored {ignored:?}");
    Ok(())
}
