//! The files and messages that the `conformance` command writes, and the existing files that it keeps.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Stdio;

use conformance::{Outcome, Verdict, check};
use rstest::rstest;

use crate::command::{Reports, conformance, plain, text};
use crate::suite::harness;

fn reports() -> Result<Reports, conformance::Stop> {
    let report = plain("1.0", 2);
    Reports::new(&report, &report)
}

/// A report is not overwritten, neither the one that is read nor another one.
#[rstest]
#[case::html(&["html", "new", "--output", "new"])]
#[case::other(&["html", "new", "--output", "old"])]
#[case::link(&["html", "new", "--output", "link"])]
#[case::junit(&["junit", "new", "--output", "new"])]
#[case::diff(&["diff", "old", "new", "--output", "new"])]
#[conformance::test()]
fn a_report_is_not_overwritten(#[case] arguments: &[&str]) -> Outcome {
    let reports = reports()?;
    symlink("new", reports.path("link")).map_err(harness)?;
    let read = |name| fs::read(reports.path(name)).map_err(harness);
    let before = (read("old")?, read("new")?);
    let output = reports.run(arguments)?;
    let errors = text(&output.stderr);
    check!(output.status.code() == Some(2) && errors.contains("it is a report"), "{}: {errors}", output.status);
    check!((read("old")?, read("new")?) == before, "a report was overwritten");
    Ok(())
}

/// An existing file that is not a report is replaced. Its permissions and the links to it stay.
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
    check!(fs::symlink_metadata(&link).map_err(harness)?.is_symlink(), "the link was replaced by a file");
    check!(fs::read_to_string(&file).map_err(harness)?.starts_with("<!DOCTYPE html>"));
    let mode = fs::metadata(&file).map_err(harness)?.permissions().mode() & 0o777;
    check!(mode == 0o600, "{mode:o}");
    Ok(())
}

/// `-` means standard output.
#[rstest]
#[conformance::test()]
fn a_dash_means_standard_output() -> Outcome {
    let reports = reports()?;
    let output = reports.run(&["junit", "new", "--output", "-"])?;
    check!(output.status.success() && output.stdout.starts_with(b"<?xml"), "{}", text(&output.stderr));
    check!(!reports.path("-").exists(), "the command wrote a file named -");
    Ok(())
}

/// The error names the path as it was given, and no other path.
#[rstest]
#[case::no_folder("missing/page.html", "No such file or directory")]
#[case::in_a_file("old/page.html", "Not a directory")]
#[case::folder(".", "Is a directory")]
#[case::circle("circle", "Too many levels of symbolic links")]
#[conformance::test()]
fn a_path_that_cannot_be_written_is_named(#[case] place: &str, #[case] why: &str) -> Outcome {
    let reports = reports()?;
    symlink("circle", reports.path("circle")).map_err(harness)?;
    let output = reports.run(&["html", "new", "--output", place])?;
    let errors = text(&output.stderr);
    check!(output.status.code() == Some(2), "{}: {errors}", output.status);
    let begin = format!("conformance: cannot write {place}: {why} (os error ");
    check!(errors.starts_with(&begin) && errors.trim_end().ends_with(')') && !errors.contains(".tmp"), "{errors}");
    Ok(())
}

/// The command on a page names the report as it is called, in a form for a shell, and without its folder.
#[rstest]
#[case::plain("node-7.jsonl", "node-7.jsonl")]
#[case::with_a_space("of node 7.jsonl", "&#39;of node 7.jsonl&#39;")]
#[case::with_a_quote("o'clock", "&#39;o&#39;\\&#39;&#39;clock&#39;")]
#[conformance::test()]
fn a_page_names_its_report(#[case] name: &str, #[case] named: &str) -> Outcome {
    let mut report = plain("1.0", 2);
    report.cases[0].verdict = Verdict::Fail;
    let reports = Reports::new(&report, &report)?;
    let path = reports.path(name);
    fs::rename(reports.path("new"), &path).map_err(harness)?;
    let page = text(&reports.run(&["html", &path.to_string_lossy()])?.stdout);
    let command = page.split_once("<code>conformance run ").and_then(|(_, rest)| rest.split_once("</code>"));
    let command = command.map(|(command, _)| command).unwrap_or_default();
    check!(command.ends_with(&format!(" --from {named}")), "{command}");
    Ok(())
}

/// A message that nobody reads does not change the exit code.
#[rstest]
#[conformance::test()]
fn a_message_that_nobody_reads_causes_no_panic() -> Outcome {
    let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(harness)?;
    drop(reader);
    let mut command = conformance(&["show", "/nonexistent/report.jsonl"])?;
    let status = command.stdout(Stdio::null()).stderr(writer).status().map_err(harness)?;
    check!(status.code() == Some(2), "{status}");
    Ok(())
}

/// Text of a report in an error message cannot control the terminal.
#[rstest]
#[conformance::test()]
fn a_message_cannot_control_the_terminal() -> Outcome {
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
