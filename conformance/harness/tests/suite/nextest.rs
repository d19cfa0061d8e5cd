//! The list of ignored cases that nextest reads before it runs anything. It counts them as skipped.

use std::collections::BTreeSet;
use std::process::Command;

use conformance::runner::Probe;
use conformance::{Outcome, Stop, check};
use rstest::rstest;

use crate::suite::{harness, suite};

/// A machine with one GPU, which cannot run all cases.
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

/// Returns the cases that are listed as ignored.
fn ignored(mut command: Command) -> Result<BTreeSet<String>, Stop> {
    command.args(["--list", "--format", "terse", "--ignored"]);
    text(command)?
        .lines()
        .map(|line| line.strip_suffix(": test").map(str::to_owned).ok_or_else(|| harness(format!("{line:?}"))))
        .collect()
}

/// Under nextest, exactly the cases that the machine cannot run are listed as ignored.
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

/// With `--require`, or without nextest, no case is listed as ignored.
#[rstest]
#[case::required(Some(("CONFORMANCE_REQUIRE", "gpus=2")))]
#[case::not_under_nextest(None)]
#[conformance::test()]
fn no_case_is_ignored_with_requirements_or_without_nextest(#[case] required: Option<(&str, &str)>) -> Outcome {
    let mut command = small_machine()?;
    if let Some(required) = required {
        command.env("NEXTEST", "1").envs([required]);
    }
    let ignored = ignored(command)?;
    check!(ignored.is_empty(), "ignored {ignored:?}");
    Ok(())
}
