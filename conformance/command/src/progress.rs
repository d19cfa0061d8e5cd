//! Shows the output of a run, and below it a progress bar that follows the lines of the run's report.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, IsTerminal as _, PipeReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::Duration;

use conformance::Verdict;
use conformance::report::Line;
use conformance::runner::Options;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::inotify;
use rustix::process::{Pid, Signal, getpid, getppid, kill_process, set_parent_process_death_signal};
use rustix::termios::tcgetwinsize;
use signal_hook::consts::{SIGCHLD, SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

use crate::output::Failure;

/// Runs the suite and shows a bar below its output.
pub(crate) fn follow(mut command: Command, flags: &[OsString], options: &Options) -> Result<ExitCode, Failure> {
    let failed = |error: io::Error| Failure::new(format_args!("cannot run the suite with a progress bar: {error}"));
    // A file without a name disappears however this process ends.
    let unnamed = tempfile::tempfile().map_err(failed)?;
    let report = options.report_file().map(Path::to_owned).unwrap_or_else(|| {
        let report = PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), unnamed.as_raw_fd()));
        command.arg("--report").arg(&report);
        report
    });
    if options.libtest.color.is_none() && std::env::var_os("NO_COLOR").is_none() {
        command.args(["--color", "always"]);
    }
    let (output, of_the_suite) = io::pipe().map_err(failed)?;
    if io::stderr().is_terminal() {
        command.stderr(of_the_suite.try_clone().map_err(failed)?);
    }
    command.args(flags).stdout(of_the_suite);
    end_with_this_process(&mut command);
    let signals = Signals::new().map_err(failed)?;
    let follower = Follower {
        bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout()).with_style(style()),
        changes: changes(&report),
        tail: Tail::new(report),
        output,
        unfinished_line: Vec::new(),
        counts: BTreeMap::new(),
        signals,
    };
    let child = command.spawn().map_err(failed)?;
    // `command` holds copies of the pipe's write end, and the output would not end before they are closed.
    drop(command);
    let status = follower.follow(child).map_err(failed)?;
    Ok(code(status))
}

/// Lets the suite end with this process, however that ends. Otherwise it would go on until it prints its next line, which can
/// be long after.
fn end_with_this_process(suite: &mut Command) {
    let this = getpid();
    let tie = move || -> io::Result<()> {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // This process may have ended before.
        if getppid() == Some(this) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    };
    // SAFETY: the closure only makes system calls. The thread whose end counts is that of `main`.
    unsafe { suite.pre_exec(tie) };
}

/// Returns the exit code as a shell does: 128 plus the signal's number if a signal ended the suite.
fn code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
}

/// Returns a descriptor that becomes readable when the report is written to. If the report does not exist yet, this
/// applies to any file in its folder. If the system cannot provide one, the bar moves with the lines of the output.
fn changes(report: &Path) -> Option<OwnedFd> {
    let folder = report.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A suite gives an older report another name, so that the file is another one.
    let watched = if report.starts_with("/proc") { report } else { folder };
    let changes = inotify::init(inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK).ok()?;
    inotify::add_watch(&changes, watched, inotify::WatchFlags::MODIFY).ok()?;
    Some(changes)
}

/// Signals as streams, so that `poll` waits for them together with the output.
struct Signals {
    child: UnixStream,
    interrupt: UnixStream,
    terminate: UnixStream,
}

impl Signals {
    fn new() -> io::Result<Self> {
        let stream = |signal| {
            let (ours, of_the_handler) = UnixStream::pair()?;
            ours.set_nonblocking(true)?;
            pipe::register(signal, of_the_handler)?;
            Ok::<_, io::Error>(ours)
        };
        Ok(Self { child: stream(SIGCHLD)?, interrupt: stream(SIGINT)?, terminate: stream(SIGTERM)? })
    }

    /// Sends the signals that this process received to the suite.
    fn pass_on(&self, child: &Child) -> io::Result<()> {
        let pid = Pid::from_child(child);
        for (mut stream, signal) in [(&self.interrupt, Signal::INT), (&self.terminate, Signal::TERM)] {
            if stream.read(&mut [0; 64]).is_ok() {
                kill_process(pid, signal)?;
            }
        }
        Ok(())
    }
}

struct Follower {
    bar: ProgressBar,
    changes: Option<OwnedFd>,
    tail: Tail,
    output: PipeReader,
    unfinished_line: Vec<u8>,
    counts: BTreeMap<Verdict, usize>,
    signals: Signals,
}

impl Follower {
    /// Shows output and progress until the suite has ended.
    fn follow(mut self, mut child: Child) -> io::Result<ExitStatus> {
        const TICK: Duration = Duration::from_millis(200);
        rustix::io::ioctl_fionbio(&self.output, true)?;
        self.bar.enable_steady_tick(TICK);
        loop {
            self.wait()?;
            // Checks whether the suite has ended before the last read, so that all of its output is read.
            let ended = child.try_wait()?;
            self.pass_output()?;
            self.read_report();
            if let Some(status) = ended {
                self.bar.finish_and_clear();
                return Ok(status);
            }
            let mut child_has_changed = &self.signals.child;
            let _ = child_has_changed.read(&mut [0; 64]);
            self.signals.pass_on(&child)?;
        }
    }

    fn wait(&self) -> io::Result<()> {
        let Signals { child, interrupt, terminate } = &self.signals;
        let streams = [child.as_fd(), interrupt.as_fd(), terminate.as_fd(), self.output.as_fd()];
        let readable = streams.into_iter().chain(self.changes.as_ref().map(|changes| changes.as_fd()));
        let mut readable: Vec<_> = readable.map(|stream| PollFd::from_borrowed_fd(stream, PollFlags::IN)).collect();
        match poll(&mut readable, None) {
            Err(rustix::io::Errno::INTR) | Ok(_) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Prints the suite's output above the bar.
    fn pass_output(&mut self) -> io::Result<()> {
        let mut bytes = [0; 4096];
        loop {
            match self.output.read(&mut bytes) {
                Ok(0) => break,
                Ok(count) => self.unfinished_line.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        let Some(end) = self.unfinished_line.iter().rposition(|byte| *byte == b'\n') else { return Ok(()) };
        let rest = self.unfinished_line.split_off(end + 1);
        let lines = std::mem::replace(&mut self.unfinished_line, rest);
        if let Some(total) = String::from_utf8_lossy(&lines).lines().find_map(total) {
            self.bar.set_length(total);
        }
        let columns = tcgetwinsize(io::stdout()).map_or(usize::MAX, |size| usize::from(size.ws_col));
        let lines: String =
            String::from_utf8_lossy(&lines).split_inclusive('\n').map(|line| fitted(line, columns)).collect();
        self.bar.suspend(|| io::stdout().write_all(lines.as_bytes()))
    }

    fn read_report(&mut self) {
        if let Some(changes) = &self.changes {
            // Only wakes `poll`; the report itself is read below.
            while rustix::io::read(changes, &mut [0; 4096]).is_ok() {}
        }
        for line in self.tail.read().unwrap_or_default() {
            match line {
                Line::Start { id } => self.bar.set_message(format!("{}{id}", self.worth_knowing())),
                Line::Case(case) => {
                    *self.counts.entry(case.verdict).or_default() += 1;
                    self.bar.inc(1);
                }
                Line::Run(_) | Line::Process { .. } | Line::End { .. } => {}
            }
        }
    }

    /// Returns the counts of all verdicts except pass.
    fn worth_knowing(&self) -> String {
        let counts = self.counts.iter().filter(|(verdict, _)| **verdict != Verdict::Pass);
        counts.map(|(verdict, count)| format!("{count} {verdict}, ")).collect()
    }
}

/// Returns the number of cases from the first line of the suite's output, such as `running 3 tests`.
fn total(line: &str) -> Option<u64> {
    line.strip_prefix("running ")?.split_once(" test")?.0.parse().ok()
}

/// Shortens the line of a case, so that it takes one line of the terminal. The beginning of the name and its parameters
/// stay.
fn fitted(line: &str, columns: usize) -> String {
    /// The room for the longest verdict; the reason of an ignored case follows it.
    const VERDICT: usize = "ignored".len();
    const SHORTEST: usize = 20;
    let parts = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "));
    let Some((name, end)) = parts.filter(|_| columns != 0) else { return line.to_owned() };
    let name: Vec<char> = name.trim_end().chars().collect();
    let room = columns.saturating_sub("test  ... ".len() + VERDICT).max(SHORTEST);
    let name: String = match name.len() > room {
        true => name[..room / 3].iter().chain(&['…']).chain(&name[name.len() - (room - room / 3 - 1)..]).collect(),
        false => name.into_iter().collect(),
    };
    format!("test {name} ... {end}")
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Reads the lines that are added to a report.
struct Tail {
    path: PathBuf,
    /// The number of the file, once it exists. The suite begins a new file if there was an older report.
    inode: Option<u64>,
    position: u64,
    unfinished_line: Vec<u8>,
}

impl Tail {
    /// Starts after the lines that an earlier run left there.
    fn new(path: PathBuf) -> Self {
        let file = path.metadata().ok();
        let (position, inode) = (file.as_ref().map_or(0, Metadata::len), file.map(|file| file.ino()));
        Self { path, inode, position, unfinished_line: Vec::new() }
    }

    fn read(&mut self) -> io::Result<Vec<Line>> {
        let mut file = File::open(&self.path)?;
        let now = file.metadata()?;
        if now.len() < self.position || self.inode.replace(now.ino()) != Some(now.ino()) {
            self.position = 0;
        }
        file.seek(SeekFrom::Start(self.position))?;
        self.position += file.read_to_end(&mut self.unfinished_line)? as u64;
        let whole = self.unfinished_line.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let rest = self.unfinished_line.split_off(whole);
        let lines = std::mem::replace(&mut self.unfinished_line, rest);
        // Lines of another format are ignored here; commands that read the report name them.
        Ok(lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }
}
