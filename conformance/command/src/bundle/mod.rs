//! `conformance bundle`: the suite as one archive, for a machine that has a GPU and no cargo.

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
use crate::suite::{self, Suite};
use archive::{Archive, Mode};

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The archive to write
    #[arg(long, short, value_name = "FILE.tar.gz")]
    output: PathBuf,

    /// The suite executable, the reference driver beside it; without it, what cargo builds in the checkout
    #[arg(long, value_name = "PATH", conflicts_with = "glibc")]
    suite: Option<PathBuf>,

    /// Build for machines with this glibc or a later one, by cargo-zigbuild
    #[arg(long, value_name = "VERSION")]
    glibc: Option<glibc::Version>,
}

const EXAMPLES: &str = "\
Examples:
  conformance bundle --output conformance.tar.gz
  scp conformance.tar.gz gpu-machine: && ssh gpu-machine 'tar xzf conformance.tar.gz && cd conformance &&
    ./conformance-suite --driver system --report report.jsonl'

The suite is built as `cargo test` builds it, so that what is packed is what every change is tested with.

What is built here needs a glibc as new as the one here, and this command prints which. For older machines:
  pip install cargo-zigbuild ziglang
  conformance bundle --glibc 2.28 --output conformance.tar.gz";

/// The glibc of the oldest machines that a bundle is for.
const OLDEST_GLIBC: glibc::Version = glibc::Version(2, 28);

const README: &str = include_str!("README.md");

/// The driver in software, as the suite looks for it beside itself.
const REFERENCE_DRIVER: &str = "libreference_driver.so";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let folder = arguments.output.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        // Told before the suite is built for nothing.
        return Err(Failure::new(format_args!("cannot write {}: its folder is not there", arguments.output.display())));
    }
    // Asked first: a build may replace this very file, which has no path of its own afterwards.
    let this = std::env::current_exe();
    let this = this.map_err(|error| Failure::new(format_args!("this program has no path: {error}")))?;
    let (suite, command) = match (&arguments.suite, arguments.glibc) {
        (Some(path), _) => (Suite::at(path.clone(), "--suite")?, this),
        (None, None) => (Suite::build()?, this),
        (None, Some(glibc)) => Suite::build_with_zig(&format!("{ARCH}-unknown-linux-gnu.{glibc}"))?,
    };
    let root = suite::checkout()?;
    let reference_driver = suite.program.with_file_name(REFERENCE_DRIVER);
    let programs = [
        (suite::NAME, Mode::Program, stripped(&suite.program)?),
        ("conformance", Mode::Program, stripped(&command)?),
        (REFERENCE_DRIVER, Mode::Text, stripped(&reference_driver)?),
    ];
    let mut needed = None;
    for (name, _, bytes) in &programs {
        let of_this = glibc::needed(bytes).map_err(|error| Failure::new(format_args!("{name}: {error}")))?;
        needed = needed.max(of_this);
    }
    if let Some(asked) = arguments.glibc.filter(|asked| needed > Some(*asked)) {
        let needed = needed.unwrap_or(asked);
        return Err(Failure::new(format_args!("what was built for glibc {asked} needs {needed}")));
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
    if let Some(commit) = report::Suite::this().commit {
        archive.add("COMMIT", Mode::Text, format!("{commit}\n").into_bytes());
    }

    let packed = archive.packed()?;
    replace(&arguments.output, &packed)
        .map_err(|error| Failure::new(format_args!("cannot write {}: {error}", arguments.output.display())))?;
    let mut message = format!("{}: {suite}; it needs {needs}\n", arguments.output.display());
    if needed > Some(OLDEST_GLIBC) {
        message +=
            &format!("machines with glibc {OLDEST_GLIBC} cannot run it: build for them with --glibc {OLDEST_GLIBC}\n");
    }
    print(&message)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::new(format_args!("cannot read {}: {error}", path.display())))
}

/// Without symbols, where this machine has `strip`: they are most of the file.
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
