//! Another process: this executable again, in a role of its own, at the other end of a connection.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use cuda_ipc::transport::Connection;

/// Longer than anything takes that goes well.
pub(crate) const LONG: Duration = Duration::from_secs(30);

const ROLE: &str = "CUDA_IPC_TEST_ROLE";

/// A running peer.
pub(crate) struct Peer {
    pub(crate) connection: Connection,
    pub(crate) process: Process,
}

/// Its process, which is killed and waited for however a test ends.
pub(crate) struct Process {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl Peer {
    /// Start a role of a module, which finds its end of the connection as its standard input.
    pub(crate) fn start(module: &str, role: &str) -> Self {
        let (ours, theirs) = Connection::pair().unwrap();
        let program = std::env::current_exe().expect("a test executable has a path");
        let (_, module) = module.split_once("::").expect("roles are in modules");
        let name = format!("{module}::{role}");
        let mut command = Command::new(program);
        command.args(["--exact", &name, "--ignored", "--nocapture"]).env(ROLE, role);
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the peer starts");
        let said = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { connection: with_timeout(ours), process: Process { child, said } }
    }

    /// Wait until the peer has played its role to the end.
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

    /// The next line that the peer said, past the lines of the test runner.
    pub(crate) fn hear(&mut self) -> String {
        let lines = self.said.by_ref().lines().map(|line| line.expect("text"));
        let said = lines.filter_map(|line| line.strip_prefix("> ").map(str::to_owned)).next();
        said.expect("the peer ended without a word")
    }

    /// `SIGKILL`, and wait.
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
        remove_what_the_driver_left(self.child.id());
    }
}

/// NVIDIA's driver leaves a file in /dev/shm where its process was killed. The process was ours, so this is too.
fn remove_what_the_driver_left(process: u32) {
    let prefix = format!("cuda.shm.{:x}.{process:x}.", rustix::process::getuid().as_raw());
    for entry in std::fs::read_dir("/dev/shm").into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

pub(crate) fn with_timeout(mut connection: Connection) -> Connection {
    connection.set_timeout(Some(LONG));
    connection
}

/// Tell the process that started this one.
pub(crate) fn say(text: &str) {
    println!("\n> {text}");
}

/// Wait until the other process kills this one.
#[allow(dead_code, reason = "not every test target kills")]
pub(crate) fn wait_for_the_end() -> ! {
    loop {
        std::thread::park();
    }
}

/// What a role begins with: its end of the connection, unless nobody started it as a role.
pub(crate) fn begin(role: &str) -> Option<Connection> {
    std::env::var(ROLE).is_ok_and(|wanted| wanted == role).then(|| {
        // A role that hangs ends, and with it the test that listens to it.
        std::thread::spawn(|| {
            std::thread::sleep(2 * LONG);
            eprintln!("the role took too long");
            std::process::exit(1);
        });
        let socket = std::io::stdin().as_fd().try_clone_to_owned().expect("a descriptor is left");
        with_timeout(Connection::from(UnixStream::from(socket)))
    })
}

/// Tests that have something to do only where a test of this module starts them in a process of their own.
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
