//! The examples `server` and `client`: each survives that the other is killed, and both end in an orderly way.

mod common;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

/// Longer than any step that works takes.
const LONG: Duration = Duration::from_secs(30);

/// A running example. Dropping it kills it.
struct Program {
    child: Child,
    lines: Receiver<String>,
}

impl Program {
    fn start(name: &str, arguments: &[&Path]) -> Self {
        let test = std::env::current_exe().expect("a test executable has a path");
        let profile = test.parent().and_then(Path::parent).expect("the test is in target/<profile>/deps");
        let mut command = Command::new(profile.join("examples").join(name));
        command.args(arguments).env("CUDA_IPC_DRIVER", common::device().driver().path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("`cargo test -p cuda-ipc` builds the examples");
        let said = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        // A thread, so that a program that says nothing more fails its test.
        thread::spawn(move || said.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    fn hear(&self) -> String {
        self.lines.recv_timeout(LONG).expect("the program says something")
    }

    fn id(&self) -> u32 {
        self.child.id()
    }

    fn kill(&mut self) {
        self.child.kill().expect("our child");
        assert_eq!(self.child.wait().expect("our child").signal(), Some(libc::SIGKILL));
    }

    /// Waits until the program has ended, and returns its exit status and what it said.
    fn end(mut self) -> (ExitStatus, Vec<String>) {
        let mut said = Vec::new();
        loop {
            match self.lines.recv_timeout(LONG) {
                Ok(line) => said.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the program does not end; it said {said:?}"),
            }
        }
        (self.child.wait().expect("our child"), said)
    }

    /// Ends the program's input, and waits until it has ended.
    fn end_input(mut self) -> (ExitStatus, Vec<String>) {
        drop(self.child.stdin.take());
        self.end()
    }

    fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.id())).unwrap().count()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        ::peer::remove_driver_files(self.child.id());
    }
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::Builder::new().prefix("cuda-ipc-test").tempdir().unwrap();
    let socket = folder.path().join("socket");
    (folder, socket)
}

fn server(socket: &Path) -> Program {
    let server = Program::start("server", &[socket]);
    assert_eq!(server.hear(), format!("server {} listens", server.id()));
    server
}

/// A client that goes on until the server ends. Returns when it has the memory.
fn endless_client(socket: &Path, server: &Program) -> Program {
    let client = Program::start("client", &[socket]);
    assert_eq!(client.hear(), format!("slot 1 of server {}", server.id()));
    client
}

fn assert_served(client: Program, server: &Program, slots: &[usize], count: &str) {
    let (status, said) = client.end();
    let greetings = slots.iter().map(|slot| format!("slot {slot} of server {}", server.id()));
    assert!(status.success() && greetings.into_iter().any(|greeting| said[0] == greeting), "{status}: {said:?}");
    assert_eq!(said[1..], [format!("all {count} numbers arrived")]);
}

#[test]
fn many_clients_are_served() {
    let (_folder, socket) = folder();
    // The clients wait for the server.
    let clients: Vec<_> = (0..3).map(|_| Program::start("client", &[&socket, "50".as_ref()])).collect();
    let server = server(&socket);
    for client in clients {
        assert_served(client, &server, &[1, 2, 3], "50");
    }
    let mut finished: Vec<_> = (0..3).map(|_| server.hear()).collect();
    finished.sort_unstable();
    assert!(finished.iter().all(|line| line.ends_with(" has finished")), "{finished:?}");
    let last = format!("server {} has ended", server.id());
    let (status, said) = server.end_input();
    assert!(status.success() && said == [last], "{status}: {said:?}");
    assert!(!socket.exists());
}

#[test]
fn the_server_survives_a_killed_client() {
    let (_folder, socket) = folder();
    let server = server(&socket);
    let mut killed = endless_client(&socket, &server);
    killed.kill();
    assert_eq!(server.hear(), "client 1 is gone");
    // Its slot is free again.
    assert_served(Program::start("client", &[&socket, "20".as_ref()]), &server, &[1], "20");
    assert_eq!(server.hear(), "client 1 has finished");
    assert!(server.end_input().0.success());
}

#[test]
fn a_client_survives_a_killed_server() {
    let (_folder, socket) = folder();
    let mut first = server(&socket);
    let client = endless_client(&socket, &first);
    let before = client.descriptors();
    first.kill();
    let is_gone = |line: &String| line.starts_with("the server is gone after ");
    let gone = client.hear();
    assert!(is_gone(&gone), "{gone}");
    // The next server has new memory, which has the server's process ID in it.
    let second = server(&socket);
    assert_ne!(second.id(), first.id());
    // The kernel closes the sockets of a killed process one after the other. Meanwhile the client can connect to its
    // listener once more.
    let next = std::iter::repeat_with(|| client.hear()).find(|line| !is_gone(line)).unwrap();
    assert_eq!(next, format!("slot 1 of server {}", second.id()));
    if std::env::var_os("CUDA_IPC_DRIVER").is_none() {
        assert_eq!(client.descriptors(), before, "the old connection and the old memory are closed");
    }
    let (status, said) = second.end_input();
    assert!(status.success() && said[0] == "client 1 has finished", "{status}: {said:?}");
    let (status, said) = client.end();
    assert!(status.success() && said[0].starts_with("the server has finished after "), "{status}: {said:?}");
}

#[test]
fn a_client_says_why_it_cannot_connect() {
    let (_folder, socket) = folder();
    fs::write(&socket, "no socket").unwrap();
    let mut client = Program::start("client", &[&socket]);
    let mut message = String::new();
    client.child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert_eq!(
        message,
        format!(
            "{} exists and is not a socket: choose another path, or remove it if nobody needs it\n",
            socket.display()
        )
    );
    let (status, said) = client.end();
    assert_eq!((status.code(), said), (Some(1), Vec::new()));
}
