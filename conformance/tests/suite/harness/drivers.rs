//! What is no driver, and a machine that lacks what is required.

use std::path::PathBuf;
use std::process::Command;

use conformance::{Outcome, Stop, check};
use rstest::rstest;
use tempfile::TempDir;

use super::command::{Reports, plain, text};
use super::suite::{harness, run, suite};

/// Something that is given as a driver.
#[derive(Clone, Copy, Debug)]
enum NoDriver {
    Missing,
    Text,
    OtherLibrary,
    Stub,
}

impl NoDriver {
    fn make(self, folder: &TempDir) -> Result<PathBuf, Stop> {
        let path = folder.path().join("libcuda.so.1");
        match self {
            Self::Missing => {}
            Self::Text => std::fs::write(&path, "no library").map_err(harness)?,
            Self::OtherLibrary => compile("int nothing_of_cuda(void) { return 0; }", &path)?,
            Self::Stub => compile("int cuDriverGetVersion(int *version) { return 34; }", &path)?,
        }
        Ok(path)
    }
}

pub(super) fn compile(source: &str, library: &std::path::Path) -> Outcome {
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

/// What is no driver ends the run with one message that names the file and the cause.
#[rstest]
#[case::missing(NoDriver::Missing, "No such file")]
#[case::text(NoDriver::Text, "libcuda.so.1")]
#[case::other_library(NoDriver::OtherLibrary, "it has no cuDriverGetVersion")]
#[case::stub(NoDriver::Stub, "stub")]
#[conformance::test()]
fn what_is_no_driver_is_an_error(#[case] kind: NoDriver, #[case] cause: &str) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = kind.make(&folder)?;
    let run = run(suite(&path.to_string_lossy())?)?;
    let errors = run.errors();
    check!(!run.output.status.success(), "a run without a driver succeeded");
    check!(errors.contains(cause) && errors.contains("libcuda.so.1"), "the message is {errors:?}");
    check!(!errors.contains("panicked"), "the message is {errors:?}");
    check!(!run.text().contains("running"), "cases ran without a driver");
    Ok(())
}

const CASE: &str = "ipcmem::open::references::opening_twice_counts_references";

/// Without a device nothing runs, and the run says so.
#[rstest]
#[conformance::test()]
fn no_device_is_unsupported() -> Outcome {
    let mut command = suite("reference")?;
    command.env("REFERENCE_DRIVER_DEVICES", "0").args(["--exact", CASE]);
    let run = run(command)?;
    let report = run.report()?;
    check!(run.output.status.success(), "the suite ended with {}", run.output.status);
    check!(
        report.summary()["unsupported"] == 1 && report.summary()["pass"] == 0,
        "the summary is {:?}",
        report.summary()
    );
    let reason = report.cases[0].reason.clone().unwrap_or_default();
    check!(reason.contains("CUDA_ERROR_NO_DEVICE"), "the reason is {reason:?}");
    Ok(())
}

/// What is required and not there makes the run fail, and each requirement is named.
#[rstest]
#[case::no_device("0", "gpus=1", "gpus=1, found 0")]
#[case::too_few("1", "gpus=2,peer_access", "gpus=2, found 1")]
#[conformance::test()]
fn an_unmet_requirement_fails(#[case] devices: &str, #[case] list: &str, #[case] named: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.env("REFERENCE_DRIVER_DEVICES", devices).args(["--require", list, "--exact", CASE]);
    let run = run(command)?;
    check!(!run.output.status.success(), "the suite succeeded without {list}");
    check!(run.text().contains(named), "the output lacks {named:?}: {}", run.text());
    check!(run.report()?.run.unmet.iter().any(|unmet| unmet == named), "{:?}", run.report()?.run);
    Ok(())
}

/// A run that failed because something required was not there looks so to everyone who reads its report.
#[rstest]
#[case::show("show", "--require is not met: gpus=8, found 2")]
#[case::junit("junit", "<failure message=\"gpus=8, found 2\" type=\"unmet\">")]
#[case::html("html", "<header class=\"bad\">")]
#[conformance::test()]
fn an_unmet_requirement_shows(#[case] command: &str, #[case] shown: &str) -> Outcome {
    let mut report = plain("580.159.04", 1);
    let met = Reports::new(&report, &report)?.run(&[command, "old"])?;
    report.run.unmet = vec!["gpus=8, found 2".to_owned()];
    let unmet = Reports::new(&report, &report)?.run(&[command, "old"])?;
    let [met, unmet] = [met, unmet].map(|output| text(&output.stdout));
    check!(unmet.contains(shown) && !met.contains(shown), "{unmet}");
    Ok(())
}

/// A requirement that nobody knows is refused, with the ones there are.
#[rstest]
#[conformance::test()]
fn an_unknown_requirement_is_refused() -> Outcome {
    let mut command = suite("reference")?;
    command.args(["--require", "teleport"]);
    let run = run(command)?;
    let errors = run.errors();
    check!(!run.output.status.success() && errors.contains("teleport") && errors.contains("gpus=N"), "{errors}");
    Ok(())
}
