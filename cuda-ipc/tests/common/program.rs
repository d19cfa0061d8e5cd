//! A program of `examples/`, run in a process of its own on the driver under test.

use std::io::{PipeWriter, Read as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};

use crate::common::{driver, reference_driver};
use crate::peer::LONG;

/// A program that has not been started.
pub(crate) struct Program(Command);

/// A program that runs.
pub(crate) struct Running(Child);

/// How a program ended, and what it wrote. The code is missing if a signal ended it.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) said: String,
    pub(crate) errors: String,
}

impl Program {
    pub(crate) fn new(name: &str) -> Self {
        let test = std::env::current_exe().expect("a test executable has a path");
        let profile = test.parent().and_then(|folder| folder.parent()).expect("the test is in target/<profile>/deps");
        let mut command = Command::new(profile.join("examples").join(name));
        command.env("CUDA_IPC_DRIVER", driver().path());
        Self(command)
    }

    /// Runs the program on the reference driver with two devices, whichever driver is under test.
    pub(crate) fn on_reference_driver(name: &str) -> Self {
        let Self(mut command) = Self::new(name);
        command.env("CUDA_IPC_DRIVER", reference_driver()).env("REFERENCE_DRIVER_DEVICES", "2");
        // It chooses among GPUs, and would hide simulated devices as well.
        command.env_remove("CUDA_VISIBLE_DEVICES");
        Self(command)
    }

    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.0.env(name, value);
        self
    }

    pub(crate) fn arguments(mut self, arguments: &[&str]) -> Self {
        self.0.args(arguments);
        self
    }

    pub(crate) fn start_with(mut self, standard_input: impl Into<OwnedFd>) -> Running {
        let child = self.0.stdin(standard_input.into()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        Running(child.unwrap_or_else(|error| panic!("{:?}: {error}; `cargo test -p cuda-ipc` builds it", self.0)))
    }

    /// Starts the program. Its input ends when the pipe is dropped.
    #[allow(dead_code, reason = "not every test target has a program with input")]
    pub(crate) fn start(self) -> (Running, PipeWriter) {
        let (input, ours) = std::io::pipe().expect("a pipe");
        (self.start_with(input), ours)
    }

    pub(crate) fn run(self) -> Ended {
        self.start_with(std::fs::File::open("/dev/null").expect("every Linux has it")).end()
    }
}

#[allow(dead_code, reason = "not every test target follows a program")]
impl Running {
    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.0.try_wait().expect("our child").is_none()
    }

    /// Reads lines of the standard output up to one that begins with a text, and returns that line.
    pub(crate) fn hear(&mut self, text: &str) -> String {
        let output = self.0.stdout.as_mut().expect("a pipe");
        let limit = Timespec { tv_sec: LONG.as_secs().cast_signed(), tv_nsec: 0 };
        let mut line = Vec::new();
        loop {
            let ready = poll(&mut [PollFd::new(output, PollFlags::IN)], Some(&limit)).expect("a pipe can be polled");
            assert!(ready > 0, "the program does not say {text:?}, after {:?}", String::from_utf8_lossy(&line));
            // Byte by byte, because the rest is for `end`.
            let mut byte = [0];
            output.read_exact(&mut byte).unwrap_or_else(|error| panic!("the program ended without {text:?}: {error}"));
            match byte {
                [b'\n'] if line.starts_with(text.as_bytes()) => return String::from_utf8(line).expect("text"),
                [b'\n'] => line.clear(),
                [other] => line.push(other),
            }
        }
    }

    /// Kills the program with SIGKILL, and waits for it.
    pub(crate) fn kill(&mut self) {
        self.0.kill().expect("our child");
        self.0.wait().expect("our child");
        ::peer::remove_driver_files(self.0.id());
    }

    /// Waits until the program has ended. Kills one that does not end.
    pub(crate) fn end(self) -> Ended {
        let id = Pid::from_child(&self.0);
        let (sender, ended) = mpsc::channel();
        let waiting = thread::spawn(move || {
            let output = self.0.wait_with_output().expect("our child");
            let _ = sender.send(());
            output
        });
        if ended.recv_timeout(LONG).is_err() {
            kill_process(id, Signal::KILL).expect("a program that has not been waited for");
        }
        let output = waiting.join().expect("the thread only waits");
        let [said, errors] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"));
        Ended { code: output.status.code(), said, errors }
    }
}
