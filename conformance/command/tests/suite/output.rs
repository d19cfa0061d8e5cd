//! Where the `conformance` command writes: what is there is kept, and a message reaches who can read it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Stdio;

use conformance::{Outcome, check};
use rstest::rstest;

use crate::command::{Reports, conformance, plain, text};
use crate::suite::harness;

fn reports() -> Result<Reports, conformance::Stop> {
    let report = plain("1.0", 2);
    Reports::new(&report, &report)
}

/// The report that is read, or the one that should have been compared with, is not written over.
#[rstest]
#[case::html(&["html", "new", "--output", "new"])]
#[case::other(&["html", "new", "--output", "old"])]
#[case::link(&["html", "new", "--output", "link"])]
#[case::junit(&["junit", "new", "--output", "new"])]
#[case::diff(&["diff", "old", "new", "--output", "new"])]
#[conformance::test()]
fn a_report_is_not_written_over(#[case] arguments: &[&str]) -> Outcome {
    let reports = reports()?;
    symlink("new", reports.path("link")).map_err(harness)?;
    let read = |name| fs::read(reports.path(name)).map_err(harness);
    let before = (read("old")?, read("new")?);
    let output = reports.run(arguments)?;
    let errors = text(&output.stderr);
    check!(output.status.code() == Some(2) && errors.contains("a report is there"), "{}: {errors}", output.status);
    check!((read("old")?, read("new")?) == before, "a report is lost");
    Ok(())
}

/// A page or a table of before gives way, and nothing else of the file changes: who may read it, and what links to it.
#[rstest]
#[conformance::test()]
fn a_file_keeps_its_permissions_and_links() -> Outcome {
    let reports = reports()?;
    let (file, link) = (reports.path("page.html"), reports.path("latest.html"));
    fs::write(&file, "before").map_err(harness)?;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).map_err(harness)?;
    symlink("page.html", &link).map_err(harness)?;
    let output = reports.run(&["html", "new", "--output", "latest.html"])?;
    check!(output.status.success(), "{}", text(&output.stderr));
    check!(fs::symlink_metadata(&link).map_err(harness)?.is_symlink(), "the link is a file now");
    check!(fs::read_to_string(&file).map_err(harness)?.starts_with("<!DOCTYPE html>"));
    let mode = fs::metadata(&file).map_err(harness)?.permissions().mode() & 0o777;
    check!(mode == 0o600, "{mode:o}");
    Ok(())
}

/// `-` is the standard output, as everywhere.
#[rstest]
#[conformance::test()]
fn a_dash_is_the_standard_output() -> Outcome {
    let reports = reports()?;
    let output = reports.run(&["junit", "new", "--output", "-"])?;
    check!(output.status.success() && output.stdout.starts_with(b"<?xml"), "{}", text(&output.stderr));
    check!(!reports.path("-").exists(), "a file is called -");
    Ok(())
}

/// What cannot be written is named as it was given, and nothing else is.
#[rstest]
#[case::no_folder("missing/page.html", "No such file or directory")]
#[case::in_a_file("old/page.html", "Not a directory")]
#[case::folder(".", "Is a directory")]
#[case::circle("circle", "Too many levels of symbolic links")]
#[conformance::test()]
fn a_place_that_cannot_be_written_is_named(#[case] place: &str, #[case] why: &str) -> Outcome {
    let reports = reports()?;
    symlink("circle", reports.path("circle")).map_err(harness)?;
    let output = reports.run(&["html", "new", "--output", place])?;
    let errors = text(&output.stderr);
    check!(output.status.code() == Some(2), "{}: {errors}", output.status);
    let begin = format!("conformance: cannot write {place}: {why} (os error ");
    check!(errors.starts_with(&begin) && errors.trim_end().ends_with(')') && !errors.contains(".tmp"), "{errors}");
    Ok(())
}

/// A message that nobody reads does not change the exit code.
#[rstest]
#[conformance::test()]
fn a_message_that_is_lost_is_no_panic() -> Outcome {
    let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(harness)?;
    drop(reader);
    let mut command = conformance(&["show", "/nonexistent/report.jsonl"])?;
    let status = command.stdout(Stdio::null()).stderr(writer).status().map_err(harness)?;
    check!(status.code() == Some(2), "{status}");
    Ok(())
}

/// What a message quotes of a report cannot do more to a terminal than what is printed of it.
#[rstest]
#[conformance::test()]
fn a_message_commands_no_terminal() -> Outcome {
    let reports = reports()?;
    let lines = fs::read_to_string(reports.path("new")).map_err(harness)?;
    let hostile = lines.replacen(r#""verdict":"pass""#, r#""verdict":"\u001b]0;title\u0007""#, 1);
    fs::write(reports.path("new"), hostile).map_err(harness)?;
    let output = reports.run(&["show", "new"])?;
    let errors = text(&output.stderr);
    check!(output.status.code() == Some(2) && errors.contains("title"), "{}: {errors}", output.status);
    check!(!errors.trim_end().contains(char::is_control), "{errors:?}");
    Ok(())
}
