//! `conformance bundle`: an archive that runs without cargo.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use conformance::report::Report;
use conformance::{Outcome, Stop, check};
use flate2::read::GzDecoder;
use rstest::rstest;

use crate::command::{conformance, finish};
use crate::suite::{harness, suite};

const FILTER: &str = "sample::memory";

fn pack(output: &Path) -> Result<(Option<i32>, String, String), Stop> {
    if !Path::new(env!("CARGO_MANIFEST_DIR")).is_dir() {
        return Err(Stop::Unsupported("the checkout does not exist, and bundles are made from it".to_owned()));
    }
    let mut command = conformance(&["bundle"])?;
    command.arg("--output").arg(output).arg("--suite").arg(std::env::current_exe().map_err(harness)?);
    finish(command)
}

fn verdicts(command: &mut Command, report: &Path) -> Result<Report, Stop> {
    let output = command.args(["--seed", "1", FILTER, "--report"]).arg(report).output().map_err(harness)?;
    let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    check!(output.status.success(), "{}: {printed}{errors}", output.status);
    Report::read(report).map_err(harness)
}

/// An unpacked bundle runs without anything else of this machine, with the same results as this suite. A second archive
/// of the same files is identical.
#[rstest]
#[conformance::test()]
fn a_bundle_runs_without_the_checkout() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = |name: &str| folder.path().join(name);
    let (code, text, errors) = pack(&path("one.tar.gz"))?;
    check!(code == Some(0), "{code:?}: {errors}");
    pack(&path("two.tar.gz"))?;
    let read = |name: &str| fs::read(path(name)).map_err(harness);
    check!(read("one.tar.gz")? == read("two.tar.gz")?, "two archives of the same files differ");

    let archive = File::open(path("one.tar.gz")).map_err(harness)?;
    tar::Archive::new(GzDecoder::new(archive)).unpack(folder.path()).map_err(harness)?;
    let bundle = path("conformance");
    for name in [
        "conformance",
        "libreference_driver.so",
        "libreference_runtime.so",
        "libfault_interposer.so",
        "records",
        "deviations.toml",
        "LICENSE-MIT",
    ] {
        check!(bundle.join(name).exists(), "the bundle lacks {name}");
    }
    check!(!bundle.join("COMMIT").exists(), "nothing says from which commit the suite was built");
    fs::write(bundle.join("COMMIT"), "c0ffee\n").map_err(harness)?;
    let mut alone = Command::new("./conformance-suite");
    alone.current_dir(&bundle).env_clear().env("PATH", "").args(["--driver", "reference"]);
    let alone = verdicts(&mut alone, &path("alone.jsonl"))?;
    let here = verdicts(&mut suite("reference")?, &path("here.jsonl"))?;
    let outcomes = |report: &Report| -> Vec<_> {
        report.cases.iter().map(|case| (case.id.clone(), case.verdict, case.observations.clone())).collect()
    };
    check!(!here.cases.is_empty() && outcomes(&alone) == outcomes(&here), "the bundle found {:?}", alone.summary());
    let library = fs::canonicalize(bundle.join("libreference_driver.so")).map_err(harness)?;
    check!(Path::new(&alone.run.driver.path) == library, "the bundle used {}", alone.run.driver.path);
    let commit = alone.run.suite.and_then(|suite| suite.commit);
    check!(commit.as_deref() == Some("c0ffee"), "COMMIT differs from the report: {commit:?}");

    let mut needs = (0, 0);
    for program in ["conformance-suite", "conformance", "libreference_driver.so"] {
        needs = needs.max(newest_glibc(&bundle.join(program))?);
    }
    let needs = format!("glibc {}.{} or later", needs.0, needs.1);
    let readme = fs::read_to_string(bundle.join("README.md")).map_err(harness)?;
    check!(readme.contains(&needs) && text.contains(&needs), "expected {needs} in {text} and in {readme}");
    Ok(())
}

/// Returns the newest glibc version that readelf lists among the symbol versions that the file requires.
fn newest_glibc(program: &Path) -> Result<(u32, u32), Stop> {
    let output = Command::new("readelf").arg("--version-info").arg(program).output().map_err(harness)?;
    check!(output.status.success(), "readelf: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).map_err(harness)?;
    let versions = text.split("Name: GLIBC_").skip(1).filter_map(|rest| {
        let (major, minor) = rest.split_whitespace().next()?.split_once('.')?;
        Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
    });
    versions.max().ok_or_else(|| harness(format!("readelf names no glibc version that {} requires", program.display())))
}

/// If the archive cannot be written, the command fails and leaves nothing behind.
#[rstest]
#[conformance::test()]
fn an_unwritable_archive_is_an_error() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = folder.path().join("missing/bundle.tar.gz");
    let (code, _, errors) = pack(&path)?;
    check!(code == Some(2) && errors.contains("missing/bundle.tar.gz"), "{code:?}: {errors}");
    check!(fs::read_dir(folder.path()).map_err(harness)?.count() == 0);
    Ok(())
}
