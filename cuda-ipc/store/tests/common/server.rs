//! A running `buffer-store serve`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use cuda_ipc::transport::Address;
use cuda_ipc_store::Client;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::common::driver;

/// Longer than any step that works takes.
const LONG: Duration = Duration::from_secs(60);

/// The daemon's process. Dropping it kills it.
pub(crate) struct Server {
    child: Child,
    folder: TempDir,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::with(&[])
    }

    /// Starts a daemon with more arguments, and waits until it listens.
    pub(crate) fn with(arguments: &[&str]) -> Self {
        Self::by(Self::command(), Self::new_folder(), arguments)
    }

    pub(crate) fn new_folder() -> TempDir {
        tempfile::Builder::new().prefix("cuda-ipc-store-test").tempdir().unwrap()
    }

    /// Starts a daemon in a folder, by a command that runs the program.
    pub(crate) fn by(mut command: Command, folder: TempDir, arguments: &[&str]) -> Self {
        command.arg("serve").arg(folder.path().join("socket")).args(arguments).stdout(Stdio::piped());
        let mut child = command.spawn().expect("Cargo builds the program");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).unwrap();
        assert!(line.starts_with("serving "), "the daemon said {line:?}");
        Self { child, folder }
    }

    /// The program, on the driver under test.
    pub(crate) fn command() -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_buffer-store"));
        command.env("CUDA_IPC_DRIVER", driver().path());
        command
    }

    #[allow(dead_code, reason = "not every test target changes its mode")]
    pub(crate) fn folder(&self) -> &TempDir {
        &self.folder
    }

    pub(crate) fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("socket")
    }

    pub(crate) fn address(&self) -> Address {
        Address::Path(self.path())
    }

    pub(crate) fn client(&self) -> Client {
        Client::connect(&self.address(), LONG).unwrap()
    }

    /// Waits until no client holds an object. A client may give a revoked object back in a thread of its own.
    #[allow(dead_code, reason = "not every test target has holders")]
    pub(crate) fn await_no_holders(&self) {
        let (store, begin) = (self.client(), Instant::now());
        while store.status().unwrap().holders > 0 {
            assert!(begin.elapsed() < LONG, "an object still has a holder");
        }
    }

    /// Waits until the daemon has no other client, and returns how many descriptors it then has.
    #[allow(dead_code, reason = "not every test target counts")]
    pub(crate) fn settled_descriptors(&self) -> usize {
        let (store, begin) = (self.client(), Instant::now());
        while store.status().unwrap().users[0].clients > 1 {
            assert!(begin.elapsed() < LONG, "a client is still there");
        }
        fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap().count()
    }

    #[allow(dead_code, reason = "not every test target kills")]
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("our child");
        self.child.wait().expect("our child");
    }

    /// Asks the daemon to end, and waits until it has.
    #[allow(dead_code, reason = "not every test target ends it so")]
    pub(crate) fn end(&mut self) -> ExitStatus {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        self.child.wait().expect("our child")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        ::peer::remove_driver_files(self.child.id());
    }
}
