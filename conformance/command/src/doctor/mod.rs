//! `conformance doctor`: shows which cases this machine can run, and why it cannot run the others.
//!
//! The suite probes the driver in a child process, as it does before a run. A driver that crashes or hangs therefore
//! leads to a line of the output.

mod devices;
mod driver;
mod groups;
mod surroundings;

use std::fmt;
use std::process::{Command, ExitCode, Stdio};

use clap::{Args, ValueEnum};
use conformance::driver::Choice;
use conformance::report::Environment;
use conformance::runner::Probe;
use serde::Serialize;
use serde_json::json;

use crate::output::{Failure, print};
use crate::suite::Suite;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// The driver to probe: auto, system, reference, or the path of a library
    #[arg(long, env = "CONFORMANCE_DRIVER", default_value = "auto", value_name = "DRIVER")]
    driver: Choice,
}

const EXAMPLES: &str = "\
Examples:
  cargo conformance doctor
  cargo conformance doctor --driver system --format json

In an unpacked bundle, the command is ./conformance.
Exit codes: 0 some cases can run here, 1 no case can run here, 2 invalid arguments or the suite cannot be probed";

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Text for people
    Text,
    /// JSON for programs
    Json,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let suite = Suite::find()?;
    let probe = ask(&suite, &arguments.driver)?;
    let environment = Environment::find();
    let mut findings = vec![Finding::ok("suite", suite.program.display())];
    if arguments.driver == Choice::Auto && driver::is_reference(&probe) {
        findings.extend(driver::why_not_the_system_s(&ask(&suite, &Choice::System)?));
    }
    findings.extend(driver::findings(&probe, &environment));
    findings.extend(driver::bad_ends(&probe));
    findings.extend(devices::findings(&probe));
    findings.extend(surroundings::findings(&environment));
    let groups = groups::of(&probe);
    print(&match arguments.format {
        Format::Text => text(&findings, &groups),
        Format::Json => format!("{:#}\n", json!({ "findings": findings, "groups": groups })),
    })?;
    let can_run = groups.iter().any(|group| group.can_run > 0);
    Ok(if can_run { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn ask(suite: &Suite, driver: &Choice) -> Result<Probe, Failure> {
    let failed =
        |why: &dyn fmt::Display| Failure::new(format_args!("{} --probe failed: {why}", suite.program.display()));
    let mut command = Command::new(&suite.program);
    command.arg("--probe").arg("--driver").arg(driver.to_string()).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| failed(&error))?;
    if !output.status.success() {
        return Err(failed(&output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(&error))
}

/// One line of the output.
#[derive(Debug, Serialize)]
struct Finding {
    subject: String,
    state: State,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Missing,
    Unknown,
}

impl Finding {
    fn new(state: State, subject: impl fmt::Display, found: impl fmt::Display) -> Self {
        Self { subject: subject.to_string(), state, found: found.to_string(), remedy: None }
    }

    fn ok(subject: impl fmt::Display, found: impl fmt::Display) -> Self {
        Self::new(State::Ok, subject, found)
    }

    fn missing(subject: impl fmt::Display, found: impl fmt::Display) -> Self {
        Self::new(State::Missing, subject, found)
    }

    fn unknown(subject: impl fmt::Display, found: impl fmt::Display) -> Self {
        Self::new(State::Unknown, subject, found)
    }

    /// Adds what to do about it.
    fn remedy(mut self, remedy: impl fmt::Display) -> Self {
        self.remedy = Some(remedy.to_string());
        self
    }
}

fn text(findings: &[Finding], groups: &[groups::Group]) -> String {
    let mut text = String::new();
    for Finding { subject, state, found, remedy } in findings {
        let state = match state {
            State::Ok => "ok",
            State::Missing => "missing",
            State::Unknown => "unknown",
        };
        text += &format!("{state:8} {subject:20} {found}\n");
        if let Some(remedy) = remedy {
            text += &format!("{:29} → {remedy}\n", "");
        }
    }
    text += "\nCases that can run here:\n";
    for group in groups {
        text += &format!("{:>8} of {:4} {}\n", group.can_run, group.cases, group.group);
        for (reason, count) in &group.lacks {
            text += &format!("{:17} {count} cannot run: {reason}\n", "");
        }
    }
    text
}
