//! Helpers that run this program again, as the suite that it also is.
#![allow(dead_code, reason = "two programs include this file, and neither uses all of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use conformance::Stop;
use conformance::report::Report;
use tempfile::TempDir;

/// The output and the report of a run of the suite.
pub(crate) struct Run {
    pub(crate) output: Output,
    report: PathBuf,
    _folder: TempDir,
}

/// Returns a command that runs the suite on a driver, without the settings of this run.
pub(crate) fn suite(driver: &str) -> Result<Command, Stop> {
    let program = std::env::current_exe().map_err(harness)?;
    let mut command = without_settings(&program);
    command.arg("--driver").arg(driver);
    Ok(command)
}

/// The reference driver under another name. An unknown driver counts as a real one.
pub(crate) struct UnknownDriver(TempDir);

impl UnknownDriver {
    pub(crate) fn new() -> Result<Self, Stop> {
        let unknown = Self(tempfile::tempdir().map_err(harness)?);
        let reference = std::env::current_exe().map_err(harness)?.with_file_name("libreference_driver.so");
        std::fs::copy(reference, unknown.path()).map_err(harness)?;
        Ok(unknown)
    }

    pub(crate) fn path(&self) -> String {
        self.0.path().join("libunknown.so").to_string_lossy().into_owned()
    }
}

/// Returns a command that runs a program without the environment variables of this run's settings and without input. It
/// has no `HOME` either: a report shortens paths in it.
pub(crate) fn without_settings(program: &Path) -> Command {
    const SETTINGS: [&str; 7] =
        ["CONFORMANCE_", "FAULT_INTERPOSER_", "NEXTEST", "REFERENCE_DRIVER_", "CUDA_", "NO_COLOR", "CLICOLOR"];
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if SETTINGS.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command.env_remove("HOME").stdin(Stdio::null());
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

    /// Returns the path of the report.
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

/// Compiles a C library that is not a driver.
pub(crate) fn compile(source: &str, library: &Path) -> conformance::Outcome {
    let input = library.with_extension("c");
    std::fs::write(&input, source).map_err(harness)?;
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut build = cc::Build::new();
    let compiler = build.cargo_metadata(false).opt_level(0).target(&target).host(&target).try_get_compiler();
    let Ok(compiler) = compiler else { return Err(Stop::Unsupported("this machine has no C compiler".to_owned())) };
    let status = Command::new(compiler.path()).args(["-shared", "-fPIC", "-o"]).arg(library).arg(&input).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(harness(format!("the C compiler ended with {status}"))),
        Err(_) => Err(Stop::Unsupported("this machine has no C compiler".to_owned())),
    }
}

/// Returns the processes whose environment contains the variable.
pub(crate) fn marked(mark: &str) -> Vec<String> {
    let has_mark = |entry: &std::fs::DirEntry| {
        std::fs::read(entry.path().join("environ"))
            .is_ok_and(|environment| environment.windows(mark.len()).any(|window| window == mark.as_bytes()))
    };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter(has_mark).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Returns the marked processes that are still alive after 5 seconds. A killed process takes a moment to end.
pub(crate) fn left_of(mark: &str) -> Vec<String> {
    const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);
    let deadline = std::time::Instant::now() + PATIENCE;
    let mut left = marked(mark);
    while !left.is_empty() && std::time::Instant::now() < deadline {
        std::thread::yield_now();
        left = marked(mark);
    }
    left
}
