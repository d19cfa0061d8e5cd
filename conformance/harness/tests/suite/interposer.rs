//! A library before the driver: the interposer, and how a run names the driver that answers.

use std::path::{Path, PathBuf};
use std::process::Command;

use conformance::identity::Kind;
use conformance::report::Report;
use conformance::{Outcome, Stop, Verdict, check};
use rstest::rstest;

use crate::suite::{harness, run, suite};

/// The cases that these checks run.
const CASES: &str = "sample::";

/// Returns the path of a library that Cargo builds beside this program.
fn beside(name: &str) -> Result<PathBuf, Stop> {
    Ok(std::env::current_exe().map_err(harness)?.with_file_name(name))
}

/// Returns a command that runs the suite on the interposer, which loads a library.
fn interposed(library: &Path) -> Result<Command, Stop> {
    let mut command = suite(&beside("libfault_interposer.so")?.to_string_lossy())?;
    command.env("FAULT_INTERPOSER_LIBRARY", library).arg(CASES);
    Ok(command)
}

fn reference() -> Result<PathBuf, Stop> {
    beside("libreference_driver.so")
}

/// Without a fault, the interposer changes no verdict and no observation, whatever CUDA version the driver has. It has
/// no functions of the runtime.
#[rstest]
#[case::newest("13.0")]
#[case::oldest("11.8")]
#[conformance::test()]
fn forwarding_adds_nothing(#[case] version: &str) -> Outcome {
    let verdicts = |mut command: Command| -> Result<Vec<_>, Stop> {
        command.env("REFERENCE_DRIVER_VERSION", version).args(["--seed", "1", "--skip", "runtime"]);
        let report = run(command)?.report()?;
        Ok(report.cases.into_iter().map(|case| (case.id, case.verdict, case.observations)).collect())
    };
    let mut plain = suite("reference")?;
    plain.arg(CASES);
    let (plain, interposed) = (verdicts(plain)?, verdicts(interposed(&reference()?)?)?);
    check!(plain.iter().any(|(_, verdict, _)| *verdict == Verdict::Pass), "no case passed: {plain:?}");
    check!(plain == interposed, "without the interposer: {plain:?}, with it: {interposed:?}");
    Ok(())
}

/// The chosen fault alters the result of one function, and only cases that call this function notice.
#[rstest]
#[case::of_another_function("pool-trim-refuses-a-shared-pool", &[])]
#[case::of_a_range("range-is-one-byte-short", &["sample::memory_has_its_size"])]
#[conformance::test()]
fn a_fault_alters_an_answer(#[case] fault: &str, #[case] noticed: &[&str]) -> Outcome {
    let mut command = interposed(&reference()?)?;
    command.env("FAULT_INTERPOSER_FAULT", fault);
    let report = run(command)?.report()?;
    let bad = report.cases.iter().filter(|case| !case.verdict.is_good());
    let mut bad: Vec<_> = bad.map(|case| case.id.split('/').next().unwrap_or_default()).collect();
    bad.dedup();
    check!(bad == noticed, "{fault} was noticed by {bad:?}");
    Ok(())
}

/// An unknown fault and a library that cannot be loaded end the run with a message that names the variable.
#[rstest]
#[case::fault("FAULT_INTERPOSER_FAULT", "no-such-fault", "invalid value `no-such-fault`: no fault has this name")]
#[case::missing(
    "FAULT_INTERPOSER_LIBRARY",
    "/nonexistent/libcuda.so.1",
    "cannot load the driver /nonexistent/libcuda.so.1"
)]
#[case::itself("FAULT_INTERPOSER_LIBRARY", "libfault_interposer.so", "is the interposer itself")]
#[conformance::test()]
fn what_the_interposer_cannot_do_is_an_error(
    #[case] variable: &str,
    #[case] value: &str,
    #[case] says: &str,
) -> Outcome {
    let mut command = interposed(&reference()?)?;
    command.env(variable, if variable.ends_with("LIBRARY") { beside(value)? } else { value.into() });
    let run = run(command)?;
    check!(!run.output.status.success(), "the run succeeded with {variable}={value}");
    check!(run.errors().contains(says) && run.errors().contains(variable), "{}", run.errors());
    check!(!run.text().contains("running"), "cases ran: {}", run.text());
    Ok(())
}

/// What counts is the driver that answers: the reference driver behind the interposer is the reference driver. The line
/// and the report say which path was given.
#[rstest]
#[conformance::test()]
fn the_driver_behind_the_interposer_is_named() -> Outcome {
    let mut command = interposed(&reference()?)?;
    // Otherwise the report hides the home folder in which the checkout may be.
    command.args(["--identify", "--kernel-log", "/dev/null"]);
    let run = run(command)?;
    let driver = run.report()?.run.driver;
    let given = beside("libfault_interposer.so")?.display().to_string();
    check!(driver.kind == Kind::Reference && driver.name == "reference", "{driver:?}");
    check!(driver.path.ends_with("libreference_driver.so"), "{driver:?}");
    check!(driver.given_path.as_deref() == Some(&*given), "{driver:?}");
    let line = format!("driver: reference (software, no GPU), CUDA 13.0, given by path {given}");
    check!(run.text().contains(&line), "{}", run.text());
    Ok(())
}

/// The command that runs a failed case again names the library that was given, and not the driver behind it.
#[rstest]
#[conformance::test()]
fn a_case_runs_again_with_the_given_library() -> Outcome {
    let mut command = interposed(&reference()?)?;
    command.env("FAULT_INTERPOSER_FAULT", "range-is-one-byte-short").args(["--reruns", "0"]);
    let text = run(command)?.text();
    let given = beside("libfault_interposer.so")?.display().to_string();
    let again: Vec<_> = text.lines().filter(|line| line.contains("run again: ")).collect();
    check!(!again.is_empty() && again.iter().all(|line| line.contains(&format!(" --driver {given} "))), "{again:?}");
    Ok(())
}

/// The release of the planted kernel module.
const RELEASE: &str = "999.01.02";

/// Runs the suite where NVIDIA's kernel module seems to be loaded.
fn beside_a_kernel_module(suite: &Command) -> Result<Report, Stop> {
    const PLANT: &str = r#"mount -t tmpfs none /proc/driver && mkdir /proc/driver/nvidia &&
        echo "NVRM version: NVIDIA UNIX ${FLAVOUR}Kernel Module  $RELEASE  Thu" >/proc/driver/nvidia/version || exit 77
        exec "$0" "$@""#;
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", PLANT]).arg(suite.get_program()).args(suite.get_args());
    for (name, value) in suite.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let run = run({
        command.env("RELEASE", RELEASE);
        command
    })?;
    if !run.path().is_file() && matches!(run.output.status.code(), Some(1 | 77)) && !run.errors().contains("driver") {
        return Err(Stop::Unsupported(format!("cannot plant a kernel module: {}", run.errors().trim())));
    }
    run.report()
}

/// NVIDIA's library is recognised if it is given by path under any name, and as `libcuda.so.1` behind the interposer.
/// The test uses a copy of the reference driver with the release of the planted kernel module.
#[rstest]
#[case::by_its_name("libcuda.so.1", false)]
#[case::by_another_name("copy.so", false)]
#[case::behind_the_interposer("libcuda.so.1", true)]
#[conformance::test()]
fn nvidias_library_is_recognised(#[case] name: &str, #[case] is_interposed: bool) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let library = folder.path().join(name);
    let mut bytes = std::fs::read(reference()?).map_err(harness)?;
    bytes.extend_from_slice(RELEASE.as_bytes());
    std::fs::write(&library, bytes).map_err(harness)?;
    let command = if is_interposed {
        interposed(&library)?
    } else {
        let mut command = suite(&library.to_string_lossy())?;
        command.arg(CASES);
        command
    };
    let driver = beside_a_kernel_module(&command)?.run.driver;
    check!(driver.kind == Kind::System && driver.name == "NVIDIA" && driver.version == RELEASE, "{driver:?}");
    check!(Path::new(&driver.path) == library, "{driver:?}");
    let line = driver.to_string();
    check!(line.starts_with("driver: system, NVIDIA 999.01.02, ") && line.contains("given by path /"), "{line}");
    Ok(())
}

/// A library that only has the name of NVIDIA's stays a library given by path.
#[rstest]
#[conformance::test()]
fn a_name_alone_is_not_nvidias() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let library = folder.path().join("libcuda.so.1");
    std::fs::copy(reference()?, &library).map_err(harness)?;
    let mut command = suite(&library.to_string_lossy())?;
    command.arg(CASES);
    let driver = beside_a_kernel_module(&command)?.run.driver;
    check!(driver.kind == Kind::Path && driver.name == "libcuda.so.1", "{driver:?}");
    Ok(())
}

/// A report says which of NVIDIA's two kernel modules is loaded.
#[rstest]
#[case::open("Open ", "open")]
#[case::proprietary("", "proprietary")]
#[conformance::test()]
fn a_report_has_the_flavour_of_the_kernel_module(#[case] flavour: &str, #[case] expected: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.env("FLAVOUR", flavour).args(["--exact", "sample::null_is_refused"]);
    let environment = beside_a_kernel_module(&command)?.run.environment;
    let environment = environment.ok_or_else(|| harness("no environment was recorded"))?;
    check!(environment.kernel_module.as_deref() == Some(expected), "{environment:?}");
    Ok(())
}
