//! `conformance run` passes on the suite's exit code and signals, and shows a bar only on a terminal.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use conformance::report::Report;
use conformance::{Outcome, Stop, check, random};
use rstest::rstest;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::command::{conformance, finish};
use crate::suite::{self, harness, left_of, suite};

const ONE: &str = "sample::null_is_refused";

/// The exit code is that of the suite.
#[rstest]
#[case::pass(&["--exact", ONE])]
#[case::fail(&["--exact", "planted::fail"])]
#[case::unmet(&["--require", "gpus=99", "--exact", ONE])]
#[case::list(&["--list"])]
#[case::unknown_flag(&["--teleport"])]
#[conformance::test()]
fn the_exit_code_is_that_of_the_suite(#[case] flags: &[&str]) -> Outcome {
    let expected = suite("reference")?.env("CONFORMANCE_PLANTED", "1").args(flags).output().map_err(harness)?;
    let mut command = conformance(&["run"])?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--driver", "reference"]).args(flags);
    let (code, _, errors) = finish(command)?;
    check!(code == expected.status.code(), "{code:?} instead of {}: {errors}", expected.status);
    Ok(())
}

/// An executable that cargo has not just built may be older than the checkout, so its report names no commit.
#[rstest]
#[conformance::test()]
fn the_commit_of_another_suite_is_not_known() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = folder.path().join("report.jsonl");
    let mut command = conformance(&["run"])?;
    command.env("CARGO", "cargo").args(["--driver", "reference", "--exact", ONE, "--report"]).arg(&path);
    let (code, _, errors) = finish(command)?;
    check!(code == Some(0), "{code:?}: {errors}");
    let suite = Report::read(&path).map_err(harness)?.run.suite;
    check!(suite.as_ref().is_some_and(|suite| suite.commit.is_none()), "{suite:?}");
    Ok(())
}

/// Without a suite the command fails, and the message names the file that it looked for.
#[rstest]
#[conformance::test()]
fn without_a_suite_run_fails() -> Outcome {
    let mut command = conformance(&["run"])?;
    command.env("CONFORMANCE_SUITE", "/nonexistent/suite");
    let (code, _, errors) = finish(command)?;
    check!(code == Some(2) && errors.contains("/nonexistent/suite"), "{code:?}: {errors}");
    Ok(())
}

/// Without a terminal, the output is that of the suite, without a bar and without colours.
#[rstest]
#[conformance::test()]
fn a_pipe_gets_plain_output() -> Outcome {
    let mut command = conformance(&["run"])?;
    command.args(["--driver", "reference", "--exact", ONE]);
    let (_, text, errors) = finish(command)?;
    check!(!text.contains('\x1b') && !text.contains("1/1"), "{text:?}");
    check!(text.contains("conformance: 1 pass"), "{text}");
    check!(errors.contains("suite: ") && errors.contains("CONFORMANCE_SUITE"), "{errors}");
    Ok(())
}

/// On a terminal, a bar below the suite's output counts the cases. A report is written if the user asked for one.
#[rstest]
#[conformance::test()]
fn a_terminal_gets_a_bar() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let report = folder.path().join("report.jsonl");
    let mut command = conformance(&["run"])?;
    command.args(["--driver", "reference", "--report"]).arg(&report).arg("sample::memory");
    let mut terminal = Terminal::start(command)?;
    let text = terminal.read_until(|_| false)?;
    check!(terminal.wait()?.code() == Some(0), "{text:?}");
    let ran = Report::read(&report).map_err(harness)?.cases.len();
    check!(text.contains(&format!("{ran}/{ran}")), "the bar did not count to {ran}: {text:?}");
    check!(text.contains(&format!("conformance: {ran} pass")), "{text:?}");
    Ok(())
}

/// Each case takes one line of a narrow terminal, with the beginning of its name and its parameters.
#[rstest]
#[conformance::test()]
fn a_case_takes_one_line() -> Outcome {
    const COLUMNS: u16 = 50;
    let mut command = conformance(&["run"])?;
    command.args(["--driver", "reference", "sample::memory", "sample::null"]);
    let mut terminal = Terminal::start_with(command, COLUMNS)?;
    let text = terminal.read_until(|_| false)?;
    check!(terminal.wait()?.code() == Some(0), "{text:?}");
    let plain = without_colours(&text);
    let lines = plain.lines().filter_map(|line| line.get(line.find("test sample::")?..)).map(str::trim_end);
    let lines: Vec<_> = lines.collect();
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    check!(lines.len() == 41 && longest <= usize::from(COLUMNS), "{longest}: {lines:?}");
    check!(lines.contains(&"test sample::null_is_refused ... ok"), "{lines:?}");
    check!(lines.iter().any(|line| line.contains('…') && line.ends_with(",is_filled=true ... ok")), "{lines:?}");
    Ok(())
}

/// Removes what controls a terminal.
fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut pieces = text.split('\x1b');
    plain.extend(pieces.next());
    for piece in pieces {
        let end = piece.find(|c: char| c.is_ascii_alphabetic()).map_or(piece.len(), |end| end + 1);
        plain.push_str(&piece[end..]);
    }
    plain
}

/// The help says what the exit codes mean.
#[rstest]
#[conformance::test()]
fn the_help_names_the_exit_codes() -> Outcome {
    let (_, help, _) = finish(conformance(&["run", "--help"])?)?;
    for part in [
        "0        no case failed",
        "1        the run cannot start, or its report or its output cannot be written",
        "2        a flag is invalid, or the suite could not be started",
        "101      a case failed, a process crashed or hung outside any case",
        "128 + N  signal N ended the suite",
    ] {
        check!(help.contains(part), "{part} is not in {help}");
    }
    Ok(())
}

/// The suite's own help says what the exit codes mean, and that cases run one at a time.
#[rstest]
#[conformance::test()]
fn the_help_of_the_suite_names_the_exit_codes() -> Outcome {
    let mut command = suite("reference")?;
    command.arg("--help");
    let (code, help, _) = finish(command)?;
    check!(code == Some(0), "{code:?}");
    for part in [
        "\n  0    no case failed",
        "\n  1    the run cannot start, or its report or its output cannot be written",
        "\n  2    invalid flags",
        "\n  101  a case failed, a process crashed or hung outside any case, a requirement is not met",
    ] {
        check!(help.contains(part), "{part:?} is not in {help}");
    }
    check!(!help.contains("run in parallel"), "{help}");
    Ok(())
}

/// A signal to the command ends the suite too, and no process and no file is left.
#[rstest]
#[case::interrupt(Signal::INT)]
#[case::terminate(Signal::TERM)]
#[conformance::test()]
fn signals_are_passed_on(#[case] signal: Signal) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let value = format!("{:x}", random().u64(..));
    let mut command = conformance(&["run"])?;
    command.env("TMPDIR", folder.path()).env("CONFORMANCE_MARK", &value).env("CONFORMANCE_PLANTED", "1");
    command.args(["--driver", "reference", "--deadline", "60", "planted::timeout"]);
    let mut terminal = Terminal::start(command)?;
    terminal.read_until(|text| text.contains("0/1") && text.contains("planted::timeout"))?;
    kill_process(Pid::from_child(&terminal.child), signal).map_err(harness)?;
    terminal.read_until(|_| false)?;
    let status = terminal.wait()?;
    check!(status.code() == Some(128 + signal.as_raw()), "the command ended with {status}");
    let left = left_of(&format!("CONFORMANCE_MARK={value}"));
    check!(left.is_empty(), "processes {left:?} outlived the command");
    let files = fs::read_dir(folder.path()).map_err(harness)?.count();
    check!(files == 0, "{files} files are left");
    Ok(())
}

/// The report that the bar follows has no file name, so a killed command leaves no file.
#[rstest]
#[conformance::test()]
fn a_killed_command_leaves_no_file() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let value = format!("{:x}", random().u64(..));
    let mut command = conformance(&["run"])?;
    command.env("TMPDIR", folder.path()).env("CONFORMANCE_MARK", &value).env("CONFORMANCE_PLANTED", "1");
    command.args(["--driver", "reference", "--deadline", "1", "planted::timeout"]);
    let mut terminal = Terminal::start(command)?;
    terminal.read_until(|text| text.contains("0/1") && text.contains("planted::timeout"))?;
    terminal.child.kill().map_err(harness)?;
    terminal.wait()?;
    let files = fs::read_dir(folder.path()).map_err(harness)?.count();
    check!(files == 0, "{files} files are left");
    let left = left_of(&format!("CONFORMANCE_MARK={value}"));
    check!(left.is_empty(), "processes {left:?} outlived the command");
    Ok(())
}

/// A command that a signal ends which it does not pass on does not leave its suite, even in the middle of a long case.
#[rstest]
#[case::kill(Signal::KILL)]
#[case::hang_up(Signal::HUP)]
#[conformance::test()]
fn a_command_that_ends_takes_its_suite_with_it(#[case] signal: Signal) -> Outcome {
    let value = format!("{:x}", random().u64(..));
    let mut command = conformance(&["run"])?;
    command.env("CONFORMANCE_MARK", &value).env("CONFORMANCE_PLANTED", "1");
    command.args(["--driver", "reference", "--deadline", "60", "planted::timeout"]);
    let mut terminal = Terminal::start(command)?;
    terminal.read_until(|text| text.contains("0/1") && text.contains("planted::timeout"))?;
    kill_process(Pid::from_child(&terminal.child), signal).map_err(harness)?;
    let status = terminal.wait()?;
    check!(status.signal() == Some(signal.as_raw()), "the command ended with {status}");
    let left = left_of(&format!("CONFORMANCE_MARK={value}"));
    check!(left.is_empty(), "processes {left:?} outlived the command");
    Ok(())
}

/// Without a terminal, the process becomes the suite, so a signal ends it as it ends the suite.
#[rstest]
#[conformance::test()]
fn without_a_terminal_the_command_becomes_the_suite() -> Outcome {
    let mut command = conformance(&["run"])?;
    command.env("CONFORMANCE_PLANTED", "1").stdout(Stdio::piped()).stderr(Stdio::null());
    command.args(["--driver", "reference", "--deadline", "60", "planted::timeout"]);
    let mut child = command.spawn().map_err(harness)?;
    let mut first = [0; 12];
    child.stdout.as_mut().ok_or_else(|| harness("no output"))?.read_exact(&mut first).map_err(harness)?;
    // Not SIGINT, which a shell's background jobs ignore.
    kill_process(Pid::from_child(&child), Signal::TERM).map_err(harness)?;
    let status = child.wait().map_err(harness)?;
    check!(status.signal() == Some(Signal::TERM.as_raw()), "the command ended with {status}");
    Ok(())
}

/// A command whose output is a terminal.
struct Terminal {
    child: Child,
    screen: File,
    text: Vec<u8>,
}

impl Terminal {
    fn start(command: Command) -> Result<Self, Stop> {
        const COLUMNS: u16 = 200;
        Self::start_with(command, COLUMNS)
    }

    fn start_with(mut command: Command, columns: u16) -> Result<Self, Stop> {
        let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).map_err(harness)?;
        grantpt(&screen).and_then(|()| unlockpt(&screen)).map_err(harness)?;
        let name = ptsname(&screen, Vec::new()).map_err(harness)?;
        let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
        let side: OwnedFd = rustix::fs::open(&name, flags, rustix::fs::Mode::empty()).map_err(harness)?;
        let size = rustix::termios::Winsize { ws_row: 25, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&side, size).map_err(harness)?;
        // The bar needs a terminal that can move the cursor.
        command.env("TERM", "xterm").env_remove("NO_COLOR");
        let child = command.stderr(side.try_clone().map_err(harness)?).stdout(side).spawn().map_err(harness)?;
        Ok(Self { child, screen: screen.into(), text: Vec::new() })
    }

    /// Reads until the text is enough or the other side closes the terminal, and returns the text.
    fn read_until(&mut self, enough: impl Fn(&str) -> bool) -> Result<String, Stop> {
        const PATIENCE: Timespec = Timespec { tv_sec: 20, tv_nsec: 0 };
        let mut bytes = [0; 4096];
        loop {
            let text = String::from_utf8_lossy(&self.text).into_owned();
            if enough(&text) {
                return Ok(text);
            }
            let mut screen = [PollFd::new(&self.screen, PollFlags::IN)];
            if poll(&mut screen, Some(&PATIENCE)).map_err(harness)? == 0 {
                return Err(harness(format!("no more output within 20 s after {text:?}")));
            }
            match self.screen.read(&mut bytes) {
                Ok(count) => self.text.extend_from_slice(&bytes[..count]),
                // A terminal reports EIO if its other side is closed.
                Err(error) if error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) => return Ok(text),
                Err(error) => return Err(harness(error)),
            }
        }
    }

    fn wait(&mut self) -> Result<ExitStatus, Stop> {
        self.child.wait().map_err(harness)
    }
}

impl Drop for Terminal {
    /// Ends the command and the suite that it started, even if a check failed.
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
            let _ = self.child.wait();
        }
    }
}

/// If its output pipe is closed, the suite and its roles end without a message, with the exit code of SIGPIPE.
#[rstest]
#[case::run(&["planted::fail"])]
#[case::list(&["--list"])]
#[conformance::test()]
fn a_closed_pipe_ends_the_suite(#[case] arguments: &[&str]) -> Outcome {
    const ENDED_BY_SIGPIPE: i32 = 128 + 13;
    let value = format!("{:x}", random().u64(..));
    let (reader, writer) = std::io::pipe().map_err(harness)?;
    drop(reader);
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_MARK", &value).env("CONFORMANCE_PLANTED", "1").args(arguments).stdout(writer);
    let output = command.stderr(Stdio::piped()).output().map_err(harness)?;
    check!(output.status.code() == Some(ENDED_BY_SIGPIPE), "the suite ended with {}", output.status);
    check!(output.stderr.is_empty(), "the suite printed {}", String::from_utf8_lossy(&output.stderr));
    let left = left_of(&format!("CONFORMANCE_MARK={value}"));
    check!(left.is_empty(), "processes {left:?} outlived the suite");
    Ok(())
}

/// If its output cannot be written, the run ends with a message and the exit code of a run that cannot be told of.
#[rstest]
#[conformance::test()]
fn output_that_cannot_be_written_is_no_failed_case() -> Outcome {
    let mut command = conformance(&["run", "--driver", "reference", "sample::null_is_refused"])?;
    let output = command.stdout(File::options().write(true).open("/dev/full").map_err(harness)?).output();
    let output = output.map_err(harness)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    check!(output.status.code() == Some(1), "{}: {errors}", output.status);
    check!(errors.contains("conformance: cannot write to standard output: No space left on device"), "{errors}");
    check!(!errors.contains("panicked"), "{errors}");
    Ok(())
}

/// The report says whether the run was restricted to a part of the cases.
#[rstest]
#[case::filter(&["sample::memory"], true)]
#[case::skip(&["--skip", "sample::memory"], true)]
#[case::all(&[], false)]
#[conformance::test()]
fn the_report_says_if_the_run_is_partial(#[case] arguments: &[&str], #[case] is_partial: bool) -> Outcome {
    let mut command = suite("reference")?;
    // Without devices no case can run, which keeps this check short.
    command.env("REFERENCE_DRIVER_DEVICES", "0").args(arguments);
    let report = suite::run(command)?.report()?;
    check!(report.run.is_partial == is_partial, "{:?}", report.run);
    Ok(())
}

/// A standard output that is closed from the start counts as `/dev/null`, so the run succeeds.
#[rstest]
#[conformance::test()]
fn an_output_that_is_closed_from_the_start_is_no_failure() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let report = folder.path().join("report.jsonl");
    let run = conformance(&["run"])?;
    let mut shell = suite::without_settings(Path::new("sh"));
    shell.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.args(["-c", "exec \"$0\" \"$@\" >&-"]).arg(run.get_program()).args(run.get_args());
    shell.args(["--driver", "reference", "--exact", ONE, "--report"]).arg(&report);
    let (code, _, errors) = finish(shell)?;
    check!(code == Some(0) && !errors.contains("cannot write"), "{code:?}: {errors}");
    check!(Report::read(&report).map_err(harness)?.is_complete, "{errors}");
    Ok(())
}
