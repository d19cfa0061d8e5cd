//! Another process: this test executable again, which runs one role of a test, at the other end of a connection.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdout, Stdio};
use std::time::Duration;

use cuda_ipc::transport::Connection;

/// Longer than any step that works takes.
pub(crate) const LONG: Duration = Duration::from_secs(30);

const ROLE: &str = "CUDA_IPC_TEST_ROLE";

/// A running role and the connection to it.
pub(crate) struct Peer {
    pub(crate) connection: Connection,
    pub(crate) process: Process,
}

/// The process of a role. Dropping it kills the process and waits for it.
pub(crate) struct Process {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts a role of a test module. The role finds its end of the connection on standard input.
    pub(crate) fn start(module: &str, role: &str) -> Self {
        let (mut command, channel) = ::peer::command().expect("a test executable has a path");
        let (_, module) = module.split_once("::").expect("roles are in modules");
        let name = format!("{module}::{role}");
        command.args(["--exact", &name, "--ignored", "--nocapture"]).env(ROLE, role).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the peer starts");
        let said = BufReader::new(child.stdout.take().expect("a pipe"));
        let connection = Connection::from(UnixStream::from(channel.into_socket()));
        Self { connection: with_timeout(connection), process: Process { child, said } }
    }

    #[allow(dead_code, reason = "not every test target waits")]
    /// Waits until the role has ended, and panics with its output if it failed.
    pub(crate) fn finish(self) {
        let mut process = self.process;
        let mut rest = String::new();
        process.said.read_to_string(&mut rest).expect("text");
        assert!(process.child.wait().expect("our child").success(), "{rest}");
    }
}

impl Process {
    #[allow(dead_code, reason = "not every test target asks")]
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    #[allow(dead_code, reason = "not every test target listens")]
    /// Reads the next line that the role said. Skips the lines of the test runner.
    pub(crate) fn hear(&mut self) -> String {
        let lines = self.said.by_ref().lines().map(|line| line.expect("text"));
        let said = lines.filter_map(|line| line.strip_prefix("> ").map(str::to_owned)).next();
        said.expect("the peer ended without a word")
    }

    /// Kills the process and waits for it.
    #[allow(dead_code, reason = "not every test target kills")]
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("our child");
        self.child.wait().expect("our child");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        ::peer::remove_driver_files(self.child.id());
    }
}

pub(crate) fn with_timeout(mut connection: Connection) -> Connection {
    connection.set_timeout(Some(LONG));
    connection
}

/// Sends a line to the process that started this one.
#[allow(dead_code, reason = "not every test target listens")]
pub(crate) fn say(text: &str) {
    println!("\n> {text}");
}

/// Waits until the other process kills this one.
#[allow(dead_code, reason = "not every test target kills")]
pub(crate) fn wait_for_the_end() -> ! {
    loop {
        std::thread::park();
    }
}

/// The role's end of the connection, or nothing if this test was not started as a role.
pub(crate) fn begin(role: &str) -> Option<Connection> {
    std::env::var(ROLE).is_ok_and(|wanted| wanted == role).then(|| {
        // A role that hangs ends, and the test that listens to it fails.
        std::thread::spawn(|| {
            std::thread::sleep(2 * LONG);
            eprintln!("the role took too long");
            std::process::exit(1);
        });
        let socket = ::peer::inherited().expect("standard input is the connection").into_socket();
        with_timeout(Connection::from(UnixStream::from(socket)))
    })
}

/// Defines tests that only do something if another test of the module starts them in a process of their own.
macro_rules! roles {
    ($(fn $name:ident($connection:pat_param) $body:block)*) => {$(
        #[test]
        #[ignore = "a role, which a test starts in a process of its own"]
        fn $name() {
            if let Some($connection) = $crate::peer::begin(stringify!($name)) $body
        }
    )*};
}
pub(crate) use roles;
