//! Where a report is written, and what was there before.

use std::path::PathBuf;

use conformance::report::Report;
use conformance::{Outcome, check};
use rstest::rstest;

use crate::select::{Failing, finish};
use crate::suite::{harness, suite};

/// A new report does not take the place of an older one without a word.
#[rstest]
#[conformance::test()]
fn an_older_report_is_kept() -> Outcome {
    let failing = Failing::new()?;
    let before = std::fs::read(failing.path()).map_err(harness)?;
    let mut command = failing.suite()?;
    command.args(["--exact", "sample::null_is_refused", "--report"]).arg(failing.path());
    let (_, errors) = finish(command)?;
    let kept = failing.folder.path().join("report.jsonl.old");
    check!(std::fs::read(&kept).map_err(harness)? == before && errors.contains("report.jsonl.old"), "{errors}");
    check!(Report::read(&failing.path()).map_err(harness)?.cases.len() == 1);
    Ok(())
}

/// The report takes the place of a file that is no report, such as one that `mktemp` made.
#[rstest]
#[case::empty(b"")]
#[case::foreign(b"something else\n")]
#[case::no_text(b"\xff\n")]
#[conformance::test()]
fn a_file_that_is_no_report_is_replaced(#[case] content: &[u8]) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let report = folder.path().join("report.jsonl");
    std::fs::write(&report, content).map_err(harness)?;
    let mut command = suite("reference")?;
    command.args(["--exact", "sample::null_is_refused", "--report"]).arg(&report);
    let (code, errors) = finish(command)?;
    check!(code == Some(0) && !errors.contains("report.jsonl.old"), "{code:?}: {errors}");
    check!(!report.with_extension("jsonl.old").exists(), "the file is kept");
    check!(Report::read(&report).map_err(harness)?.cases.len() == 1);
    Ok(())
}

/// An older report that is named by a descriptor is not renamed, and neither is a link to the descriptor, such as
/// `/dev/stdout`. The new report takes its place.
#[rstest]
#[case::descriptor(false)]
#[case::link(true)]
#[conformance::test()]
fn a_descriptor_is_not_renamed(#[case] is_linked: bool) -> Outcome {
    let failing = Failing::new()?;
    let (descriptor, link) = (PathBuf::from("/proc/self/fd/0"), failing.folder.path().join("link"));
    std::os::unix::fs::symlink(&descriptor, &link).map_err(harness)?;
    let report = std::fs::File::options().read(true).append(true).open(failing.path()).map_err(harness)?;
    let mut command = failing.suite()?;
    command.args(["--exact", "sample::null_is_refused", "--report"]).arg(if is_linked { &link } else { &descriptor });
    command.stdin(report);
    let (code, errors) = finish(command)?;
    check!(code == Some(0) && link.is_symlink(), "{code:?}: {errors}");
    let report = Report::read(&failing.path()).map_err(harness)?;
    check!(report.is_complete && report.cases.len() == 1, "{} cases: {errors}", report.cases.len());
    Ok(())
}

/// If the report can no longer be written, the run ends at once: no case fails because of a full disk.
#[rstest]
#[conformance::test()]
fn an_unwritable_report_ends_the_run() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let report = folder.path().join("report.jsonl");
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").env("PLANTED_REPORT", &report);
    command.args(["planted::spoils_the_report", "sample::null", "--report"]).arg(&report);
    let (code, errors) = finish(command)?;
    check!(code == Some(1) && errors.contains("cannot write the report"), "{code:?}: {errors}");
    check!(errors.matches("cannot write the report").count() == 1, "{errors}");
    Ok(())
}
