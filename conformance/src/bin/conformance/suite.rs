//! The suite executable: where it is.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::output::Failure;

/// Names the executable.
const VARIABLE: &str = "CONFORMANCE_SUITE";

/// What the executable is called in a bundle, beside this command.
pub(crate) const NAME: &str = "conformance-suite";

/// The suite executable, and why this one.
pub(crate) struct Suite {
    pub(crate) program: PathBuf,
    why: &'static str,
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "suite: {} ({})", self.program.display(), self.why)
    }
}

impl Suite {
    /// The one that `CONFORMANCE_SUITE` names, else the one beside this command, else the checkout's.
    pub(crate) fn find() -> Result<Self, Failure> {
        if let Some(path) = std::env::var_os(VARIABLE) {
            return Self::at(path.into(), VARIABLE);
        }
        let command = std::env::current_exe();
        let command = command.map_err(|error| Failure::new(format_args!("this program has no path: {error}")))?;
        let beside = command.with_file_name(NAME);
        if beside.is_file() { Self::at(beside, "beside this command") } else { Self::build() }
    }

    /// A file that has to be there.
    pub(crate) fn at(program: PathBuf, why: &'static str) -> Result<Self, Failure> {
        if program.is_file() {
            Ok(Self { program, why })
        } else {
            Err(Failure::new(format_args!("there is no suite executable {} ({why})", program.display())))
        }
    }

    /// What `cargo test` would run. Its profile is the one that every change is tested with.
    pub(crate) fn build() -> Result<Self, Failure> {
        const BUILD: [&str; 7] =
            ["test", "-p", "conformance", "--test", "suite", "--no-run", "--message-format=json-render-diagnostics"];
        let root = checkout()?;
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(&cargo).current_dir(root).args(BUILD).stderr(Stdio::inherit()).output();
        let output = output.map_err(|error| {
            Failure::new(format_args!("{} cannot be run to build the suite: {error}", cargo.to_string_lossy()))
        })?;
        if !output.status.success() {
            return Err(Failure::new(format_args!("cargo did not build the suite: {}", output.status)));
        }
        let program = output.stdout.split(|byte| *byte == b'\n').find_map(executable);
        let program = program.ok_or_else(|| Failure::new("cargo did not say where it built the suite"))?;
        Self::at(program, "built by cargo")
    }
}

/// The path in cargo's message about the suite.
fn executable(line: &[u8]) -> Option<PathBuf> {
    let message: Value = serde_json::from_slice(line).ok()?;
    (message["target"]["name"] == "suite").then(|| message["executable"].as_str().map(PathBuf::from))?
}

/// The checkout that this command was built in.
pub(crate) fn checkout() -> Result<&'static Path, Failure> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    match package.parent() {
        Some(root) if package.join("Cargo.toml").is_file() => Ok(root),
        _ => Err(Failure::new(format_args!(
            "there is no {NAME} beside this command, and the checkout that it was built in is gone: set {VARIABLE}"
        ))),
    }
}
