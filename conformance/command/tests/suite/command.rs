//! Runs the `conformance` command as a child process, and checks what all its subcommands do with bad input.

use std::num::NonZeroU32;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use conformance::identity::{Identity, Kind};
use conformance::machine::Device;
use conformance::report::{CaseReport, FORMAT, Report, Run, Step};
use conformance::{Defect, Failure, Outcome, Stop, Verdict, check};
use rstest::rstest;

use crate::suite::{harness, without_settings};

/// Returns the command, which uses this program as its suite and none of this run's settings. The executable is the one
/// that nextest names, or that cargo built, or that is beside the suite in a bundle.
pub(crate) fn conformance(arguments: &[&str]) -> Result<Command, Stop> {
    let suite = std::env::current_exe().map_err(harness)?;
    let built = PathBuf::from(env!("CARGO_BIN_EXE_conformance"));
    let unpacked = std::env::var_os("NEXTEST_BIN_EXE_conformance").map(PathBuf::from);
    let mut places = unpacked.into_iter().chain([built, suite.with_file_name("conformance")]);
    let place = places.find(|place| place.is_file());
    let place = place.ok_or_else(|| Stop::Unsupported("the conformance command is not built".to_owned()))?;
    let mut command = without_settings(&place);
    command.args(arguments).env("CONFORMANCE_SUITE", suite);
    Ok(command)
}

/// Runs a command; returns its exit code, its standard output and its standard error.
pub(super) fn finish(mut command: Command) -> Result<(Option<i32>, String, String), Stop> {
    let Output { status, stdout, stderr } = command.output().map_err(harness)?;
    Ok((status.code(), text(&stdout), text(&stderr)))
}

/// A folder with two reports: `old` and `new`.
pub(crate) struct Reports {
    pub(crate) folder: tempfile::TempDir,
}

impl Reports {
    pub(crate) fn new(old: &Report, new: &Report) -> Result<Self, Stop> {
        let folder = tempfile::tempdir().map_err(harness)?;
        let reports = Self { folder };
        for (name, report) in [("old", old), ("new", new)] {
            std::fs::write(reports.path(name), report.to_lines().map_err(harness)?).map_err(harness)?;
        }
        Ok(reports)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the command in the folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<Output, Stop> {
        conformance(arguments)?.current_dir(self.folder.path()).output().map_err(harness)
    }
}

pub(crate) fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

/// Returns a report of a driver on two GPUs with the given number of passed cases.
pub(crate) fn plain(version: &str, cases: usize) -> Report {
    let driver = Identity {
        kind: Kind::System,
        name: "NVIDIA".to_owned(),
        version: version.to_owned(),
        cuda: "13.0".to_owned(),
        path: "/usr/lib/libcuda.so.1".to_owned(),
        given_path: None,
        sha256: Some("ab".repeat(32)),
    };
    let device = |place: usize| Device {
        name: "NVIDIA H200".to_owned(),
        uuid: format!("{place:032x}"),
        memory: 1 << 37,
        ..Device::default()
    };
    let run = Run {
        format: FORMAT,
        run: "1".to_owned(),
        began: Some("2026-11-21T08:00:00.123456789Z".to_owned()),
        suite: None,
        driver,
        devices: (0..2).map(device).collect(),
        links: Vec::new(),
        environment: None,
        load: None,
        identification: None,
        seed: 7,
        fresh: false,
        repeat: NonZeroU32::MIN,
        unmet: Vec::new(),
        calls: Default::default(),
        selection: None,
        is_partial: false,
    };
    let case = |number: usize| case(&format!("ipcmem::open::planted/number={number:05}"));
    Report { run, cases: (0..cases).map(case).collect(), running: Vec::new(), bad_ends: Vec::new(), is_complete: true }
}

/// Returns a case that passed.
pub(crate) fn case(id: &str) -> CaseReport {
    let step = Step {
        role: "importer".to_owned(),
        call: "ipc_open_mem_handle(…)".to_owned(),
        answer: "CUDA_SUCCESS (0)".to_owned(),
        ms: None,
        log: Vec::new(),
    };
    CaseReport {
        id: id.to_owned(),
        rows: vec!["IPCMEM-OPEN-002".to_owned()],
        verdict: Verdict::Pass,
        reason: None,
        failure: None,
        flags: Vec::new(),
        runs: None,
        observations: [("code".to_owned(), "CUDA_SUCCESS (0)".into())].into(),
        disclosures: Vec::new(),
        xids: Vec::new(),
        steps: vec![step; 3],
        duration_ms: 10.0,
    }
}

/// Returns a case that checks no row, and so says nothing about a driver.
pub(crate) fn without_rows(id: &str) -> CaseReport {
    CaseReport { rows: Vec::new(), ..case(id) }
}

/// A file that cannot be read as a report.
#[derive(Clone, Copy, Debug)]
enum Bad {
    Missing,
    Empty,
    Foreign,
    Future,
    Past,
    Broken,
    Continued,
}

impl Bad {
    fn make(self, path: &Path) -> Outcome {
        let text = match self {
            Self::Missing => return Ok(()),
            Self::Empty => String::new(),
            Self::Foreign => "<html>".to_owned(),
            Self::Future => "{\"line\":\"run\",\"format\":99}\n".to_owned(),
            Self::Past => "{\"line\":\"run\",\"format\":0}\n".to_owned(),
            Self::Continued => {
                let lines = plain("1.0", 2).to_lines().map_err(harness)?;
                let case = lines.lines().nth(1).unwrap_or_default();
                format!("{lines}{case}\n")
            }
            Self::Broken => {
                let lines = plain("1.0", 2).to_lines().map_err(harness)?;
                lines.replacen("\"line\":\"case\"", "\"line\":\"cake\"", 1)
            }
        };
        std::fs::write(path, text).map_err(harness)
    }
}

/// If a file is not a report, one sentence names it, the exit code is 2, and nothing is written.
#[rstest]
#[conformance::test()]
fn a_file_that_is_not_a_report_is_refused(
    #[values(Bad::Missing, Bad::Empty, Bad::Foreign, Bad::Future, Bad::Past, Bad::Broken, Bad::Continued)] bad: Bad,
    #[values("diff", "show", "junit", "record", "report")] command: &str,
) -> Outcome {
    let report = plain("1.0", 2);
    let reports = Reports::new(&report, &report)?;
    bad.make(&reports.path("bad"))?;
    let output = match command {
        "diff" => reports.run(&["diff", "old", "bad", "--output", "written"])?,
        "show" => reports.run(&["show", "bad"])?,
        "junit" => reports.run(&["junit", "bad", "--output", "written"])?,
        "report" => reports.run(&["report", "bad", "--output", "written"])?,
        _ => reports.run(&["record", "update", "bad", "--records", "."])?,
    };
    let errors = text(&output.stderr);
    check!(output.status.code() == Some(2), "the command ended with {}: {errors}", output.status);
    check!(errors.starts_with("conformance: bad") && errors.lines().count() == 1, "the message is {errors:?}");
    let names_a_line = |rest: &&str| rest.starts_with(|c: char| c.is_ascii_digit());
    let lines = errors.split(" line ").skip(1).filter(names_a_line).count();
    check!(lines <= 1, "the message names the line twice: {errors:?}");
    check!(output.stdout.is_empty(), "the command printed {:?}", text(&output.stdout));
    let names = std::fs::read_dir(reports.folder.path()).map_err(harness)?.flatten().map(|entry| entry.file_name());
    let new: Vec<_> = names.filter(|name| !["old", "new", "bad"].iter().any(|known| name == *known)).collect();
    check!(new.is_empty(), "the command wrote {new:?}");
    Ok(())
}

/// Returns the lines of a report in which one text is replaced by another.
fn altered(from: &str, to: &str) -> Result<Vec<u8>, Stop> {
    let lines = plain("1.0", 2).to_lines().map_err(harness)?;
    check!(lines.contains(from), "{from} is not in {lines}");
    Ok(lines.replacen(from, to, 1).into_bytes())
}

const THE_END: &str = "{\"line\":\"end\"";

/// The message says what the file is, and what to do.
#[rstest]
#[case::gzip(|| Ok(vec![0x1f, 0x8b, 8, 0, b'\n']), "FILE is compressed with gzip: unpack it first, with `gunzip < FILE > report.jsonl`")]
#[case::zstd(|| Ok(vec![0x28, 0xb5, 0x2f, 0xfd, b'\n']), "FILE is compressed with zstd: unpack it first, with `zstd -d < FILE > report.jsonl`")]
#[case::mark(|| altered("{", "\u{feff}{"), "FILE begins with a byte order mark, which no run writes: remove it with `sed -i '1s/^\\xEF\\xBB\\xBF//' FILE`")]
#[case::utf_16(|| Ok(vec![0xff, 0xfe, b'{', 0, b'\n', 0]), "FILE is UTF-16 text, and a report is UTF-8: convert it, with `iconv -f UTF-16 -t UTF-8 FILE > report.jsonl`")]
#[case::blank_first(|| altered("{", "\n{"), "line 1 is blank, and a run writes no blank lines: copy the report again from its machine, or remove the line")]
#[case::blank_later(|| altered(THE_END, "\n{\"line\":\"end\""), "line 4 is blank, and a run writes no blank lines: copy the report again from its machine, or remove the line")]
#[case::damaged(|| altered("\"verdict\":\"pass\"", "\"verdict\":pass\""), "line 2: expected value at column ")]
#[case::damaged_tail(|| altered("\"duration_ms\":10.0", "\"duration_ms\":\"ten\""), "line 2: invalid type: string \"ten\", expected f64")]
#[case::unknown_line(|| altered(THE_END, "{\"line\":\"future\"}\n{\"line\":\"end\""), ": another version of the suite wrote it, or it is damaged; use the command of that suite, or copy the report again")]
#[case::what_to_do(|| altered("\"verdict\":\"pass\"", "\"verdict\":pass\""), ": the line is damaged; copy the report again from its machine")]
#[case::what_to_do_with_another_type(|| altered("\"id\":\"", "\"id\":7,\"more\":\""), ": the line is damaged; copy the report again from its machine")]
#[case::same_suite(|| {
    let lines = String::from_utf8(altered("\"verdict\":\"pass\"", "\"verdict\":\"slow\"")?).map_err(harness)?;
    let suite = concat!("\"suite\":{\"version\":\"", env!("CARGO_PKG_VERSION"), "\",\"commit\":null},\"began\"");
    Ok(lines.replacen("\"began\"", suite, 1).into_bytes())
}, ": another version of the suite wrote it, or it is damaged")]
#[case::newer_suite(|| {
    let lines = String::from_utf8(altered("\"verdict\":\"pass\"", "\"verdict\":\"slow\"")?).map_err(harness)?;
    Ok(lines.replacen("\"began\"", "\"suite\":{\"version\":\"99.1.0\",\"commit\":null},\"began\"", 1).into_bytes())
}, ": suite 99.1.0 wrote it, and this command is of suite 0.")]
#[case::newer_run(|| {
    let lines = String::from_utf8(altered("\"kind\":\"system\"", "\"kind\":\"remote\"")?).map_err(harness)?;
    Ok(lines.replacen("\"began\"", "\"suite\":{\"version\":\"99.1.0\",\"commit\":null},\"began\"", 1).into_bytes())
}, ": suite 99.1.0 wrote it, and this command is of suite 0.")]
#[conformance::test()]
fn a_file_that_cannot_be_read_is_described(
    #[case] make: fn() -> Result<Vec<u8>, Stop>,
    #[case] says: &str,
    #[values("diff", "show", "fleet")] command: &str,
) -> Outcome {
    let report = plain("1.0", 2);
    let reports = Reports::new(&report, &report)?;
    std::fs::write(reports.path("bad"), make()?).map_err(harness)?;
    // A fleet reads only files that are called like reports.
    let file = if command == "fleet" { "bad.jsonl" } else { "bad" };
    std::fs::rename(reports.path("bad"), reports.path(file)).map_err(harness)?;
    let (arguments, path): (&[&str], _) = match command {
        "diff" => (&["diff", "old", "bad"], "bad"),
        "show" => (&["show", "bad"], "bad"),
        _ => (&["fleet", "."], "./bad.jsonl"),
    };
    let output = reports.run(arguments)?;
    let errors = text(&output.stderr);
    // It reads of a case only how it ended.
    if command == "fleet" && says.contains("ten") {
        return Ok(());
    }
    check!(output.status.code() == Some(2), "{}: {errors}{}", output.status, text(&output.stdout));
    check!(errors.contains(&says.replace("FILE", path)) && errors.starts_with("conformance: "), "{errors}");
    check!(!errors.contains("was changed while"), "{errors}");
    Ok(())
}

/// Names that are neither a row nor a case, and unknown flags, are refused.
#[rstest]
#[case::row(&["show", "old", "IPCMEM-OPEN-999"], "IPCMEM-OPEN-999 is neither a row")]
#[case::case(&["show", "old", "ipcmem::open"], "ipcmem::open is neither a row")]
#[case::verdict(&["show", "old", "--verdict", "fine"], "invalid value 'fine'")]
#[case::format(&["diff", "old", "new", "--format", "html"], "invalid value 'html'")]
#[case::no_report(&["diff"], "<NEW>")]
#[conformance::test()]
fn unknown_names_are_refused(#[case] arguments: &[&str], #[case] says: &str) -> Outcome {
    let report = plain("1.0", 2);
    let output = Reports::new(&report, &report)?.run(arguments)?;
    let errors = text(&output.stderr);
    check!(output.status.code() == Some(2) && errors.contains(says), "{}: {errors}", output.status);
    check!(output.stdout.is_empty(), "the command printed {:?}", text(&output.stdout));
    Ok(())
}

/// If the reader of the output has closed the pipe, the command neither fails nor panics.
#[rstest]
#[case::diff(&["diff", "old", "new"])]
#[case::show(&["show", "old", "IPCMEM-OPEN-002"])]
#[case::junit(&["junit", "old"])]
#[case::list(&["list"])]
#[conformance::test()]
fn a_closed_pipe_is_not_a_failure(#[case] arguments: &[&str]) -> Outcome {
    let report = plain("1.0", 2);
    let reports = Reports::new(&report, &report)?;
    let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(harness)?;
    drop(reader);
    let mut command = conformance(arguments)?;
    command.current_dir(reports.folder.path()).stdout(writer).stderr(Stdio::piped());
    let output = command.output().map_err(harness)?;
    check!(output.status.success() && output.stderr.is_empty(), "{}: {}", output.status, text(&output.stderr));
    Ok(())
}

/// The error names a folder that cannot be written to, and the files in it stay.
#[rstest]
#[case::diff(&["diff", "old", "new", "--output", "kept/file"])]
#[case::junit(&["junit", "old", "--output", "kept/file"])]
#[case::record(&["record", "update", "new", "--records", "kept"])]
#[conformance::test()]
fn the_error_names_a_read_only_folder(#[case] arguments: &[&str]) -> Outcome {
    if rustix::process::geteuid().is_root() {
        return Err(Stop::Unsupported("root writes to read-only folders".to_owned()));
    }
    let report = plain("1.0", 2);
    let reports = Reports::new(&report, &report)?;
    let kept = reports.path("kept");
    std::fs::create_dir(&kept).map_err(harness)?;
    std::fs::write(kept.join("file"), "as it was").map_err(harness)?;
    std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o555)).map_err(harness)?;
    let output = reports.run(arguments)?;
    std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o755)).map_err(harness)?;
    let errors = text(&output.stderr);
    check!(output.status.code() == Some(2) && errors.contains("cannot write kept/"), "{}: {errors}", output.status);
    check!(std::fs::read_to_string(kept.join("file")).map_err(harness)? == "as it was");
    check!(std::fs::read_dir(&kept).map_err(harness)?.count() == 1, "an unfinished file is left in the folder");
    Ok(())
}

/// If the output is a device, the command writes to it and does not replace it by a file.
#[rstest]
#[conformance::test()]
fn an_output_device_is_not_replaced() -> Outcome {
    use std::os::unix::fs::FileTypeExt as _;
    let report = plain("1.0", 2);
    let output = Reports::new(&report, &report)?.run(&["junit", "old", "--output", "/dev/null"])?;
    check!(output.status.success(), "{}", text(&output.stderr));
    check!(std::fs::metadata("/dev/null").map_err(harness)?.file_type().is_char_device());
    Ok(())
}

/// Text of a report can colour the terminal, but not control it in another way.
#[rstest]
#[case::title("\u{1b}]0;title\u{7}x", "\u{fffd}]0;title\u{fffd}x")]
#[case::clear("\u{1b}[2Jx", "\u{fffd}[2Jx")]
#[case::direction("a\u{202e}x", "a\u{fffd}x")]
#[case::before_a_colour("\u{7}\u{1b}[31mx", "\u{fffd}\u{1b}[31mx")]
#[case::before_a_line("a\r\nx", "a\u{fffd}\n")]
#[case::colour("\u{1b}[31mx", "\u{1b}[31mx")]
#[conformance::test()]
fn control_characters_are_not_printed(
    #[values("show", "diff")] command: &str,
    #[case] reason: &str,
    #[case] printed: &str,
) -> Outcome {
    let (old, mut new) = (plain("1.0", 1), plain("1.0", 1));
    (new.cases[0].verdict, new.cases[0].reason) = (Verdict::Fail, Some(reason.to_owned()));
    let reports = Reports::new(&old, &new)?;
    let arguments: &[&str] = if command == "show" { &["show", "new"] } else { &["diff", "old", "new"] };
    let mut command = conformance(arguments)?;
    command.current_dir(reports.folder.path()).env("CLICOLOR_FORCE", "1");
    let found = text(&command.output().map_err(harness)?.stdout);
    check!(found.contains(printed), "{found:?}");
    Ok(())
}

/// The help of every command has an example.
#[rstest]
#[conformance::test()]
fn every_command_has_examples(
    #[values(
        "bundle",
        "diff",
        "doctor",
        "fleet",
        "html",
        "junit",
        "list",
        "record",
        "report",
        "run",
        "score",
        "show",
        "schema",
        "completions"
    )]
    command: &str,
) -> Outcome {
    let output = conformance(&[command, "--help"])?.output().map_err(harness)?;
    let help = text(&output.stdout);
    check!(help.contains(&format!("  cargo conformance {command}")) || help.contains("(conformance "), "{help}");
    Ok(())
}

/// The help of `report` names the cases that get a page.
#[rstest]
#[conformance::test()]
fn the_help_of_report_names_its_cases() -> Outcome {
    let output = conformance(&["report", "--help"])?.output().map_err(harness)?;
    let help = text(&output.stdout);
    check!(help.contains("failed, are listed deviations or disclosed memory"), "{help}");
    Ok(())
}

/// No line of the help is longer than the lines of our sources: nothing wraps it.
#[rstest]
#[conformance::test()]
fn the_help_of_diff_has_no_long_line() -> Outcome {
    const LONGEST: usize = 123;
    let output = conformance(&["diff", "--help"])?.output().map_err(harness)?;
    let help = text(&output.stdout);
    let long: Vec<_> = help.lines().filter(|line| line.chars().count() > LONGEST).collect();
    check!(!help.is_empty() && long.is_empty(), "{long:?}");
    Ok(())
}

/// Lets a case fail with a kind of defect.
pub(crate) fn failed(case: &mut CaseReport, verdict: Verdict, kind: Defect) {
    let reason = format!("the importer showed a {}", kind.words());
    (case.verdict, case.reason, case.failure) = (verdict, Some(reason), Some(Failure::of(kind)));
}
