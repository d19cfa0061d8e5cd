//! A program of `examples/`, run in a process of its own on the driver under test.

use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

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

    pub(crate) fn run(self) -> Ended {
        self.start_with(std::fs::File::open("/dev/null").expect("every Linux has it")).end()
    }
}

impl Running {
    /// Reads lines of the standard output up to one that begins with a text.
    #[allow(dead_code, reason = "not every test target listens")]
    pub(crate) fn hear(&mut self, text: &str) {
        let output = self.0.stdout.as_mut().expect("a pipe");
        let (mut line, mut byte) = (Vec::new(), [0]);
        while byte != *b"\n" || !line.starts_with(text.as_bytes()) {
            if byte == *b"\n" {
                line.clear();
            }
            // Byte by byte, because the rest is for `end`.
            output.read_exact(&mut byte).unwrap_or_else(|error| panic!("the program ended without {text:?}: {error}"));
            line.extend(byte);
        }
    }

    #[allow(dead_code, reason = "not every test target kills")]
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
