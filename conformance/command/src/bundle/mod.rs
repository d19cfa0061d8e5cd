//! `conformance bundle`: packs the suite into one archive, for a machine that has a GPU but no cargo.

mod archive;
mod glibc;

use std::env::consts::ARCH;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;
use conformance::report;

use crate::output::{Failure, print, replace};
use crate::suite::{self, INTERPOSER, Suite};
use archive::{Archive, Mode};

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The archive to write
    #[arg(long, short, value_name = "FILE.tar.gz")]
    output: PathBuf,

    /// The suite executable, with the reference driver and the interposer beside it [default: built by cargo in the checkout]
    #[arg(long, value_name = "PATH", conflicts_with = "glibc")]
    suite: Option<PathBuf>,

    /// Build with cargo-zigbuild for machines with this glibc or a later one
    #[arg(long, value_name = "VERSION")]
    glibc: Option<glibc::Version>,
}

const EXAMPLES: &str = "\
Examples:
  cargo conformance bundle --output conformance.tar.gz
  scp conformance.tar.gz gpu-machine: && ssh gpu-machine 'tar xzf conformance.tar.gz && cd conformance &&
    ./conformance-suite --driver system --report report.jsonl'

The suite is built as `cargo test` builds it, so a bundle contains what every change is tested with.

A bundle may need a glibc as new as that of the machine that built it; the command prints the version that it needs.
For older machines:
  pip install cargo-zigbuild ziglang
  cargo conformance bundle --glibc 2.28 --output conformance.tar.gz";

/// The oldest glibc that a bundle should run with.
const OLDEST_GLIBC: glibc::Version = glibc::Version(2, 28);

const README: &str = include_str!("README.md");

/// The reference driver's file name. The suite looks for it beside itself.
const REFERENCE_DRIVER: &str = "libreference_driver.so";
/// The file name of the reference driver's runtime, which lies beside it.
const REFERENCE_RUNTIME: &str = "libreference_runtime.so";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let folder = arguments.output.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        // Checked before the build, which takes long.
        return Err(Failure::new(format_args!(
            "cannot write {}: its folder does not exist",
            arguments.output.display()
        )));
    }
    // Looked up before the build: the build may replace this file, which then has no path.
    let this = std::env::current_exe();
    let this = this.map_err(|error| Failure::new(format_args!("this program's path is unknown: {error}")))?;
    let (suite, command) = match (&arguments.suite, arguments.glibc) {
        (Some(path), _) => (Suite::at(path.clone(), "--suite")?, this),
        (None, None) => (Suite::build()?, this),
        (None, Some(glibc)) => Suite::build_with_zig(&format!("{ARCH}-unknown-linux-gnu.{glibc}"))?,
    };
    let root = suite::checkout()?;
    let reference_driver = suite.program.with_file_name(REFERENCE_DRIVER);
    let reference_runtime = suite.program.with_file_name(REFERENCE_RUNTIME);
    let interposer = suite.program.with_file_name(INTERPOSER);
    let programs = [
        (suite::NAME, Mode::Program, stripped(&suite.program)?),
        ("conformance", Mode::Program, stripped(&command)?),
        (REFERENCE_DRIVER, Mode::Text, stripped(&reference_driver)?),
        (REFERENCE_RUNTIME, Mode::Text, stripped(&reference_runtime)?),
        (INTERPOSER, Mode::Text, stripped(&interposer)?),
    ];
    let mut needed = None;
    for (name, _, bytes) in &programs {
        let failed = |error| Failure::new(format_args!("cannot read which glibc {name} needs: {error}"));
        let of_this = glibc::needed(bytes).map_err(failed)?;
        needed = needed.max(of_this);
    }
    if let Some(asked) = arguments.glibc.filter(|asked| needed > Some(*asked)) {
        let needed = needed.unwrap_or(asked);
        return Err(Failure::new(format_args!("the programs were built for glibc {asked} but need glibc {needed}")));
    }

    let mut archive = Archive::new("conformance");
    for (name, mode, bytes) in programs {
        archive.add(name, mode, bytes);
    }
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        archive.add(name, Mode::Text, read(&root.join(name))?);
    }
    let package = root.join("conformance");
    archive.add("deviations.toml", Mode::Text, read(&package.join("deviations.toml"))?);
    archive.add_folder("records", &package.join("records"))?;
    let needs = needed.map_or_else(|| "no glibc".to_owned(), |version| format!("glibc {version} or later"));
    archive.add("README.md", Mode::Text, README.replace("{needs}", &needs).into_bytes());
    // The executable that --suite names may be built from other sources.
    if let Some(commit) = arguments.suite.is_none().then(report::commit_of_the_checkout).flatten() {
        archive.add("COMMIT", Mode::Text, format!("{commit}\n").into_bytes());
    }

    let packed = archive.packed()?;
    replace(&arguments.output, &packed)
        .map_err(|error| Failure::new(format_args!("cannot write {}: {error}", arguments.output.display())))?;
    let mut message = format!("{}: needs {needs}; {suite}\n", arguments.output.display());
    if needed > Some(OLDEST_GLIBC) {
        message +=
            &format!("machines with glibc {OLDEST_GLIBC} cannot run it; build for them with --glibc {OLDEST_GLIBC}\n");
    }
    print(&message)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::new(format_args!("cannot read {}: {error}", path.display())))
}

/// Reads a program and strips its symbols, which are most of the file. Keeps them if this machine has no `strip`.
fn stripped(program: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = read(program)?;
    let failed = |error| Failure::new(format_args!("cannot strip {}: {error}", program.display()));
    let mut copy = tempfile::NamedTempFile::new().map_err(failed)?;
    copy.write_all(&bytes).map_err(failed)?;
    match Command::new("strip").arg(copy.path()).status() {
        Ok(status) if status.success() => read(copy.path()),
        Ok(status) => Err(failed(std::io::Error::other(format!("strip ended with {status}")))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(bytes),
        Err(error) => Err(failed(error)),
    }
}
