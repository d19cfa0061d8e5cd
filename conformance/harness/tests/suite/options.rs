//! Environment variables of flags, and runs of several processes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::time::Duration;

use clap::{CommandFactory as _, Parser as _};
use conformance::report::Report;
use conformance::runner::Options;
use conformance::{Outcome, Stop, check};
use rstest::rstest;

use crate::suite::{harness, run, suite, without_settings};

const ONE: &str = "sample::null_is_refused";
const OTHER: &str = "sample::there_is_a_runtime";

/// Flags can be given as environment variables.
#[rstest]
#[conformance::test()]
fn variables_work_like_flags() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = folder.path().join("report.json");
    let mut command = without_settings(&std::env::current_exe().map_err(harness)?);
    command.env("CONFORMANCE_DRIVER", "reference").env("CONFORMANCE_SEED", "42").env("CONFORMANCE_FRESH", "true");
    command.env("CONFORMANCE_REPORT", &path).args(["--exact", ONE]);
    let output = command.output().map_err(harness)?;
    check!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = Report::read(&path).map_err(harness)?;
    check!(
        report.run.seed == 42 && report.run.fresh,
        "the report has seed {} and fresh {}",
        report.run.seed,
        report.run.fresh
    );
    Ok(())
}

/// The cases of a run learn whether `--load` is given.
#[rstest]
#[case::given(&["--load"], true)]
#[case::not_given(&[], false)]
#[conformance::test()]
fn a_case_learns_of_the_load(#[case] flags: &[&str], #[case] is_full: bool) -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(flags).args(["--exact", "planted::sees_the_load"]);
    let run = run(command)?;
    let report = run.report()?;
    let case = report.cases.first().ok_or_else(|| harness(format!("no case ran: {}", run.errors())))?;
    check!(case.observations["is_full"] == is_full, "{case:?}");
    Ok(())
}

/// An argument that is not UTF-8 is an invalid flag.
#[rstest]
#[conformance::test()]
fn an_argument_that_is_not_utf8_is_refused() -> Outcome {
    let program = std::env::current_exe().map_err(harness)?;
    let output = crate::suite::without_settings(&program).arg(OsStr::from_bytes(b"\xff")).output().map_err(harness)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    check!(output.status.code() == Some(2) && !errors.contains("panicked"), "{}: {errors}", output.status);
    Ok(())
}

/// The processes of one nextest run write one report. Another run starts a new one.
#[rstest]
#[conformance::test()]
fn processes_of_a_run_merge_their_reports() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = folder.path().join("report.json");
    let run = |name: &str, case: &str| -> Result<Report, Stop> {
        let mut command = suite("reference")?;
        command.env("NEXTEST", "1").env("NEXTEST_RUN_ID", name).args(["--exact", case, "--report"]).arg(&path);
        let output = command.output().map_err(harness)?;
        check!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Report::read(&path).map_err(harness)
    };
    let first = run("one", ONE)?;
    let merged = run("one", OTHER)?;
    check!(merged.cases.len() == 2 && merged.summary()["pass"] == 2, "the merged summary is {:?}", merged.summary());
    check!(first.run.seed == merged.run.seed, "two processes of one run have different seeds");
    let other = run("other", ONE)?;
    check!(other.cases.len() == 1, "another run continued the old report");
    check!(other.run.seed != first.run.seed, "two runs have the same seed");
    Ok(())
}

/// The README describes every flag of the suite, besides those of libtest.
#[rstest]
#[conformance::test()]
fn the_readme_describes_every_flag() -> Outcome {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).map_err(harness)?;
    let flags = |command: clap::Command| -> Vec<String> {
        command.get_arguments().filter_map(|argument| argument.get_long().map(|long| format!("`--{long}"))).collect()
    };
    let of_libtest = flags(libtest_mimic::Arguments::command());
    let missing: Vec<_> = flags(Options::command())
        .into_iter()
        .filter(|flag| !of_libtest.contains(flag) && !readme.contains(flag.as_str()))
        .collect();
    check!(missing.is_empty(), "the README lacks {missing:?}");
    Ok(())
}

/// A nextest run tells of its own driver, and not of the one that an earlier run found.
#[rstest]
#[conformance::test()]
fn a_nextest_run_finds_its_own_driver() -> Outcome {
    for version in ["12.9", "13.1"] {
        let mut command = suite("reference")?;
        command.env("NEXTEST", "1").env("NEXTEST_RUN_ID", format!("finds-{version}"));
        command.env("REFERENCE_DRIVER_VERSION", version).args(["--exact", ONE]);
        let driver = run(command)?.report()?.run.driver;
        check!(driver.cuda == version, "{driver:?}, expected CUDA {version}");
    }
    Ok(())
}

/// A run that names what the machine must have, and runs no case, has checked nothing. A list runs nothing anyway.
#[rstest]
#[case::without_a_case(&["--require", "gpus=1"], 0, true)]
#[case::with_a_case(&["--require", "gpus=1"], 1, false)]
#[case::nothing_is_required(&["--require", ""], 0, false)]
#[case::list(&["--require", "gpus=1", "--list"], 0, false)]
#[conformance::test()]
fn a_required_run_without_a_case_has_checked_nothing(
    #[case] flags: &[&str],
    #[case] cases: usize,
    #[case] has_not: bool,
) -> Outcome {
    let options = Options::try_parse_from(["suite"].iter().chain(flags)).map_err(harness)?;
    check!(options.has_checked_nothing(cases) == has_not, "{flags:?}");
    Ok(())
}

/// A number is in the unit that the help of its flag names. A budget names its units.
#[rstest]
#[case::minutes(&["--soak", "1.5"], |options: &Options| options.soak)]
#[case::seconds(&["--deadline", "90"], |options: &Options| Some(options.deadline))]
#[case::units(&["--budget", "1m30s"], |options: &Options| options.budget)]
#[conformance::test()]
fn a_duration_has_the_unit_of_its_flag(
    #[case] flags: &[&str],
    #[case] duration: fn(&Options) -> Option<Duration>,
) -> Outcome {
    let options = Options::try_parse_from(["suite"].iter().chain(flags)).map_err(harness)?;
    let found = duration(&options);
    check!(found == Some(Duration::from_secs(90)), "{flags:?}: {found:?}");
    Ok(())
}

/// A duration in which no step and no script could end is refused, and so is one without an end.
#[rstest]
#[case::no_deadline("--deadline=0", "a deadline of 0 seconds is invalid: it must be positive and finite")]
#[case::negative_deadline("--deadline=-1", "a deadline of -1 seconds is invalid: it must be positive and finite")]
#[case::endless_deadline("--deadline=inf", "a deadline of inf seconds is invalid: it must be positive and finite")]
#[case::no_soak("--soak=0", "0 minutes are invalid: the number must be positive and finite")]
#[case::endless_soak("--soak=inf", "inf minutes are invalid: the number must be positive and finite")]
#[conformance::test()]
fn an_impossible_duration_is_refused(#[case] flag: &str, #[case] says: &str) -> Outcome {
    let refused = Options::try_parse_from(["suite", flag]).err().map(|error| error.to_string()).unwrap_or_default();
    check!(refused.contains(says), "{refused}");
    Ok(())
}

/// Flags of libtest that leave cases out make a run partial, as filters do.
#[rstest]
#[case::none(&[], None)]
#[case::skip(&["--skip", "each_row"], Some("--skip each_row"))]
#[case::ignored(&["--ignored"], Some("--ignored"))]
#[conformance::test()]
fn flags_of_libtest_make_a_run_partial(#[case] flags: &[&str], #[case] selection: Option<&str>) -> Outcome {
    // It names the cases without a filter.
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "catalogue::").args(flags);
    let described = run(command)?.report()?.run;
    check!(described.selection.as_deref() == selection, "{described:?}");
    check!(described.is_partial == selection.is_some(), "{described:?}");
    Ok(())
}
