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
        const TEST: [&str; 2] = ["test", "--no-run"];
        Self::at(executable(&messages(TEST)?, "suite")?, "built by cargo")
    }

    /// The same, and the command around it, for a target of cargo-zigbuild's, which names a glibc.
    pub(crate) fn build_with_zig(target: &str) -> Result<(Self, PathBuf), Failure> {
        let built = messages(["zigbuild", "--target", target, "-p", "conformance-command", "--bin", "conformance"])
            .map_err(|failure| {
                Failure::new(format_args!("{failure}. `pip install cargo-zigbuild ziglang` installs what it needs"))
            })?;
        Ok((Self::at(executable(&built, "suite")?, "built by cargo-zigbuild")?, executable(&built, "conformance")?))
    }
}

/// What cargo says when it has built the suite.
fn messages<'a>(subcommand: impl IntoIterator<Item = &'a str>) -> Result<Vec<u8>, Failure> {
    const SUITE: [&str; 5] = ["-p", "conformance", "--test", "suite", "--message-format=json-render-diagnostics"];
    let root = checkout()?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.current_dir(root).args(subcommand).args(SUITE).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| {
        Failure::new(format_args!("{} cannot be run to build the suite: {error}", cargo.to_string_lossy()))
    })?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(Failure::new(format_args!("cargo did not build the suite: {}", output.status)))
    }
}

/// The path of a target in cargo's messages.
fn executable(messages: &[u8], target: &str) -> Result<PathBuf, Failure> {
    let path = messages.split(|byte| *byte == b'\n').find_map(|line| {
        let message: Value = serde_json::from_slice(line).ok()?;
        (message["target"]["name"] == target).then(|| message["executable"].as_str().map(PathBuf::from))?
    });
    path.ok_or_else(|| Failure::new(format_args!("cargo did not say where it built {target}")))
}

/// The checkout that this command was built in.
pub(crate) fn checkout() -> Result<&'static Path, Failure> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    match package.ancestors().nth(2) {
        Some(root) if package.join("Cargo.toml").is_file() => Ok(root),
        _ => Err(Failure::new(format_args!(
            "there is no {NAME} beside this command, and the checkout that it was built in is gone: set {VARIABLE}"
        ))),
    }
}
