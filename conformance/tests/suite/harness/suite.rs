//! The suite executable, run as a child.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use conformance::Stop;
use conformance::report::Report;
use tempfile::TempDir;

/// What a run of the suite left.
pub(crate) struct Run {
    pub(crate) output: Output,
    report: PathBuf,
    _folder: TempDir,
}

/// A run of the suite on a driver, with nothing of this run's own settings.
pub(crate) fn suite(driver: &str) -> Result<Command, Stop> {
    let program = std::env::current_exe().map_err(harness)?;
    let mut command = without_settings(&program);
    command.arg("--driver").arg(driver);
    Ok(command)
}

/// A program that is not told how this run was set up, and reads nothing.
pub(crate) fn without_settings(program: &Path) -> Command {
    const SETTINGS: [&str; 6] = ["CONFORMANCE_", "NEXTEST", "REFERENCE_DRIVER_", "CUDA_", "NO_COLOR", "CLICOLOR"];
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if SETTINGS.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
}

pub(crate) fn run(mut command: Command) -> Result<Run, Stop> {
    let folder = tempfile::tempdir().map_err(harness)?;
    let report = folder.path().join("report.jsonl");
    let output = command.arg("--report").arg(&report).output().map_err(harness)?;
    Ok(Run { output, report, _folder: folder })
}

impl Run {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    pub(crate) fn errors(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// The file of the report.
    pub(crate) fn path(&self) -> &Path {
        &self.report
    }

    pub(crate) fn report(&self) -> Result<Report, Stop> {
        Report::read(&self.report).map_err(harness)
    }
}

pub(crate) fn harness(error: impl std::fmt::Display) -> Stop {
    Stop::Harness(error.to_string())
}
