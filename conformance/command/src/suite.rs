//! Finds or builds the suite executable.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::output::Failure;

/// The environment variable that names the executable.
const VARIABLE: &str = "CONFORMANCE_SUITE";

/// The executable's file name in a bundle, where it is beside this command.
pub(crate) const NAME: &str = "conformance-suite";

/// How an executable was found that cargo has just built.
const BUILT: &str = "built by cargo";

/// The interposer's file name. Cargo builds it beside the suite, and a bundle contains it there.
pub(crate) const INTERPOSER: &str = "libfault_interposer.so";

/// The suite executable, and how it was found.
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
    /// Finds the executable that `CONFORMANCE_SUITE` names, else the one beside this command; else builds it in the
    /// checkout.
    pub(crate) fn find() -> Result<Self, Failure> {
        if let Some(path) = std::env::var_os(VARIABLE) {
            return Self::at(path.into(), VARIABLE);
        }
        let command = std::env::current_exe();
        let command = command.map_err(|error| Failure::new(format_args!("this program's path is unknown: {error}")))?;
        let beside = command.with_file_name(NAME);
        if beside.is_file() { Self::at(beside, "beside this command") } else { Self::build() }
    }

    /// Takes an executable that must exist.
    pub(crate) fn at(program: PathBuf, why: &'static str) -> Result<Self, Failure> {
        if program.is_file() {
            Ok(Self { program, why })
        } else {
            Err(Failure::new(format_args!("the suite executable {} does not exist ({why})", program.display())))
        }
    }

    /// Builds the executable that `cargo test` runs, in the profile that every change is tested with.
    pub(crate) fn build() -> Result<Self, Failure> {
        const TEST: [&str; 2] = ["test", "--no-run"];
        Self::at(executable(&messages(TEST)?, "suite")?, BUILT)
    }

    /// Returns a command that starts the suite. Only a suite that cargo has just built finds `CARGO` set, as if cargo had
    /// started it: any other may be older than the checkout.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        match self.why {
            BUILT => command.env("CARGO", cargo()),
            _ => command.env_remove("CARGO"),
        };
        command
    }

    /// Builds the suite and this command for a target of cargo-zigbuild, which names a glibc version.
    pub(crate) fn build_with_zig(target: &str) -> Result<(Self, PathBuf), Failure> {
        let built = messages(["zigbuild", "--target", target, "-p", "conformance-command", "--bin", "conformance"])
            .map_err(|failure| {
                Failure::new(format_args!("{failure}. `pip install cargo-zigbuild ziglang` installs what it needs"))
            })?;
        Ok((Self::at(executable(&built, "suite")?, "built by cargo-zigbuild")?, executable(&built, "conformance")?))
    }
}

/// Returns the cargo that started this command, or the one of the shell.
fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Builds the suite and returns cargo's messages.
fn messages<'a>(subcommand: impl IntoIterator<Item = &'a str>) -> Result<Vec<u8>, Failure> {
    const SUITE: [&str; 5] = ["-p", "conformance", "--test", "suite", "--message-format=json-render-diagnostics"];
    let root = checkout()?;
    let cargo = cargo();
    let mut command = Command::new(&cargo);
    command.current_dir(root).args(subcommand).args(SUITE).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| {
        Failure::new(format_args!("cannot run {} to build the suite: {error}", cargo.to_string_lossy()))
    })?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(Failure::new(format_args!("cargo did not build the suite: {}", output.status)))
    }
}

/// Finds the path of a target's executable in cargo's messages.
fn executable(messages: &[u8], target: &str) -> Result<PathBuf, Failure> {
    let path = messages.split(|byte| *byte == b'\n').find_map(|line| {
        let message: Value = serde_json::from_slice(line).ok()?;
        (message["target"]["name"] == target).then(|| message["executable"].as_str().map(PathBuf::from))?
    });
    path.ok_or_else(|| Failure::new(format_args!("cargo did not report the path of the executable {target}")))
}

/// Returns the checkout that this command was built in.
pub(crate) fn checkout() -> Result<&'static Path, Failure> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    match package.ancestors().nth(2) {
        Some(root) if package.join("Cargo.toml").is_file() => Ok(root),
        _ => Err(Failure::new(format_args!(
            "no {NAME} is beside this command, and the checkout that it was built in no longer exists; set {VARIABLE}"
        ))),
    }
}
