//! Processes in different namespaces, as in containers.
//!
//! If this user may not create a namespace, the cases are listed as ignored, with the reason.

mod time;

use std::error::Error;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{self, Child, Command, ExitCode, Stdio};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use cuda_ipc::liveness::{LivenessError, ProcessWatch};
use cuda_ipc::transport::{Address, Connection, Listener, TransportError};
use cuda_ipc::{ExporterIdentity, ProcessIdentity};
use libtest_mimic::{Arguments, Trial};

const LONG: Duration = Duration::from_secs(30);
const ROLE: &str = "CUDA_IPC_TEST_ROLE";
/// The environment variable with the address that the process in the other namespace connects to.
const ADDRESS: &str = "CUDA_IPC_TEST_ADDRESS";

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let outcome = match std::env::var(ROLE).as_deref() {
        Err(_) => return run_cases(),
        Ok("makes two namespaces") => run_within("makes a namespace"),
        Ok("makes a namespace") => enter_new_namespace().map_err(Into::into),
        Ok("is outside") => run_within("is within"),
        Ok("makes a namespace to choose PIDs") => run_within("chooses the next PID"),
        Ok("chooses the next PID") => choose_next_pid(2).map_err(Into::into),
        Ok("makes a namespace for a family") => run_within("has a grandchild with its child's PID"),
        Ok("has a grandchild with its child's PID") => grandchild_with_its_childs_number(),
        Ok("is within") => is_within(),
        Ok("makes a time namespace") => time::make_namespace("is in another time"),
        Ok("makes a time namespace for one who makes another") => time::make_namespace("makes another"),
        Ok("makes another") => time::stay(false),
        Ok("is in another time") => time::is_in_another_time(),
        Ok("stays in its time namespace") => time::stay(true),
        Ok(role) => Err(format!("unknown role {role:?}").into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run_cases() -> ExitCode {
    let namespaces = refusal("makes two namespaces");
    let pids = refusal("makes a namespace to choose PIDs");
    let times = refusal("makes a time namespace");
    let case = |name: &str, refusal: &Option<String>, run: fn() -> Outcome| {
        let case = Trial::test(name, move || run().map_err(|error| error.to_string().into()));
        case.with_kind(refusal.as_deref().unwrap_or_default()).with_ignored_flag(refusal.is_some())
    };
    let cases = vec![
        case("a_process_is_seen_from_outside_as_it_sees_itself", &namespaces, seen_as_it_sees_itself),
        case("a_number_of_another_namespace_is_refused", &namespaces, number_of_another_namespace),
        case("a_process_is_watched_across_namespaces", &namespaces, watched_across_namespaces),
        case("a_forked_child_may_have_its_parents_number", &namespaces, a_child_with_its_parents_number),
        case("a_grandchild_with_the_number_of_the_dead_is_another_exporter", &pids, || {
            succeeds("makes a namespace for a family")
        }),
        case("a_process_is_watched_across_time_namespaces", &times, time::watched_across_time_namespaces),
        case("a_process_that_made_a_time_namespace_is_not_in_it", &times, time::offsets_of_the_children),
        case("a_shift_that_nobody_knows_is_an_error", &times, time::offsets_of_nobody),
    ];
    libtest_mimic::run(&Arguments::from_args(), cases).exit_code()
}

/// Returns why this user may not do what a role does, or `None` if the role succeeds.
fn refusal(name: &str) -> Option<String> {
    let probe = role(name).stderr(Stdio::piped()).output().expect("this executable starts");
    (!probe.status.success()).then(|| String::from_utf8_lossy(&probe.stderr).trim_end().to_owned())
}

fn seen_as_it_sees_itself() -> Outcome {
    let inner = Inner::start()?;
    let seen = ProcessIdentity::of(inner.pid)?;
    assert_eq!(seen.to_string(), inner.identity);
    assert_eq!(seen.pid, 1);
    let own = ProcessIdentity::current()?;
    assert_ne!(seen.pid_namespace, own.pid_namespace);
    assert_eq!(seen.boot_id, own.boot_id);
    inner.finish()
}

fn number_of_another_namespace() -> Outcome {
    let inner = Inner::start()?;
    let error = ProcessWatch::of(ProcessIdentity::of(inner.pid)?).expect_err("PID 1 is another process here");
    assert!(matches!(error, LivenessError::OtherNamespace { .. }), "{error}");
    inner.finish()
}

fn watched_across_namespaces() -> Outcome {
    let inner = Inner::start()?;
    let watch = ProcessWatch::of_peer(&inner.connection)?;
    assert!(watch.is_alive()?);
    inner.finish()?;
    assert!(!watch.is_alive()?);
    Ok(())
}

fn a_child_with_its_parents_number() -> Outcome {
    let inner = Inner::start()?;
    assert_ne!(inner.forked, inner.identity);
    let number = |identity: &str| identity.split(' ').nth(1).map(str::to_owned);
    assert_eq!([number(&inner.forked), number(&inner.identity)], [Some("1".to_owned()), Some("1".to_owned())]);
    inner.finish()
}

/// The first process of another namespace. It lives as long as its connection.
struct Inner {
    connection: Connection,
    /// The PID of the process in the namespace of this test.
    pid: u32,
    /// The identity that the process reports for itself.
    identity: String,
    /// The identity reported by a child that the process forked into a third namespace.
    forked: String,
    outer: Child,
}

impl Inner {
    fn start() -> Result<Self, Box<dyn Error>> {
        let name = unique_name();
        let listener = Listener::bind(&Address::Abstract(name.clone().into()))?;
        let outer = role("is outside").env(ADDRESS, name).spawn()?;
        let mut connection = listener.accept(Some(LONG))?;
        connection.set_timeout(Some(LONG));
        let pid = connection.peer_credentials()?.pid;
        let said = || Ok::<_, Box<dyn Error>>(String::from_utf8(connection.receive()?.bytes)?);
        let (identity, forked) = (said()?, said()?);
        Ok(Self { connection, pid, identity, forked, outer })
    }

    /// Closes the connection, which ends the process, and checks that the process succeeded.
    fn finish(mut self) -> Outcome {
        drop(self.connection);
        let status = self.outer.wait()?;
        if status.success() { Ok(()) } else { Err(format!("process in the other namespace failed: {status}").into()) }
    }
}

/// The role of the first process in the other namespace: checks what it sees from there.
fn is_within() -> Outcome {
    let mut connection = Connection::connect(&Address::Abstract(std::env::var(ADDRESS)?.into()), Some(LONG))?;
    connection.set_timeout(Some(LONG));
    let own = ProcessIdentity::current()?;
    assert_eq!((own.pid, process::id()), (1, 1));
    // The other process has no PID in this namespace, but can still be watched.
    assert_eq!(connection.peer_credentials()?.pid, 0);
    assert!(ProcessWatch::of_peer(&connection)?.is_alive()?);
    // /proc is still that of the other namespace, where process 1 is another process.
    let error = ProcessIdentity::of(1).expect_err("/proc does not show this namespace");
    assert_eq!(error.source.kind(), io::ErrorKind::Unsupported, "{error}");
    let error = ProcessWatch::of(own).expect_err("/proc does not say when this process started");
    assert!(error.to_string().contains("another PID namespace: mount /proc again"), "{error}");

    connection.send(own.to_string().as_bytes(), &[])?;
    connection.send(forked_identity()?.as_bytes(), &[])?;
    assert_eq!(ProcessIdentity::current()?, own);
    match connection.receive() {
        Err(TransportError::Closed { .. }) => Ok(()),
        other => Err(format!("expected a closed connection, got {other:?}").into()),
    }
}

/// Returns what `ProcessIdentity::current` says in a child between fork and exec, in another new namespace.
fn forked_identity() -> Result<String, Box<dyn Error>> {
    enter_new_namespace()?;
    let (mut read_end, mut write_end) = io::pipe()?;
    let mut command = Command::new("true");
    // SAFETY: this process has one thread, so its forked child may call any function.
    unsafe {
        command.pre_exec(move || write_end.write_all(ProcessIdentity::current()?.to_string().as_bytes()));
    }
    assert!(command.status()?.success());
    drop(command);
    let mut said = String::new();
    read_end.read_to_string(&mut said)?;
    Ok(said)
}

/// The role of the first process of a namespace. Its child draws a nonce, forks and ends. The grandchild inherits the
/// child's memory, and forks a process that gets the child's PID.
fn grandchild_with_its_childs_number() -> Outcome {
    let (said, saying) = io::pipe()?;
    let (mut gone, mut going) = io::pipe()?;
    let say = || {
        let ExporterIdentity { process, nonce } = ExporterIdentity::current()?;
        writeln!(&saying, "{} {:032x}", process.pid, u128::from_be_bytes(nonce))
    };
    let child = fork(|| {
        say()?;
        fork(|| {
            gone.read_exact(&mut [0])?;
            choose_next_pid(process::id() - 1)?;
            fork(say).map(drop)
        })
        .map(drop)
    })?;
    // SAFETY: the child is ours, and no output is asked for.
    assert_eq!(unsafe { libc::waitpid(child, ptr::null_mut(), 0) }, child);
    going.write_all(b"x")?;
    drop(saying);
    let said = io::read_to_string(said)?;
    let said: Vec<_> = said.lines().filter_map(|line| line.split_once(' ')).collect();
    let &[(number, nonce), (same_number, other_nonce)] = &said[..] else { return Err(format!("{said:?}").into()) };
    assert_eq!(number, same_number);
    assert_ne!(nonce, other_nonce);
    Ok(())
}

/// Forks a child that runs only this function. The caller has one thread.
fn fork(run: impl FnOnce() -> io::Result<()>) -> io::Result<i32> {
    // SAFETY: the process has one thread, so its child may call any function. The child ends without returning.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        // SAFETY: this ends the process without running its parent's handlers.
        0 => unsafe { libc::_exit(i32::from(run().is_err())) },
        child => Ok(child),
    }
}

/// Chooses the PID of the next process of this PID namespace, if it is free.
fn choose_next_pid(pid: u32) -> io::Result<()> {
    const FILE: &str = "/proc/sys/kernel/ns_last_pid";
    fs::write(FILE, (pid - 1).to_string()).map_err(|error| io::Error::new(error.kind(), format!("{FILE}: {error}")))
}

/// Returns an abstract name that no other listener has.
fn unique_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("cuda-ipc-test-namespaces-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Runs a role as the first process of a new namespace.
fn run_within(name: &str) -> Outcome {
    enter_new_namespace()?;
    succeeds(name)
}

fn succeeds(name: &str) -> Outcome {
    let status = role(name).status()?;
    if status.success() { Ok(()) } else { Err(format!("a process that {name} failed: {status}").into()) }
}

fn role(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a test executable has a path"));
    command.env(ROLE, name).stdin(Stdio::null());
    command
}

/// `unshare`: puts later children of this process into a new PID namespace, with a new user namespace if required.
fn enter_new_namespace() -> io::Result<()> {
    let user = rustix::process::getuid().as_raw();
    // SAFETY: the calls change only namespaces, and this process has one thread.
    unsafe {
        if libc::unshare(libc::CLONE_NEWPID) == 0 {
            return Ok(());
        }
        if libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWPID) != 0 {
            let error = io::Error::last_os_error();
            return Err(io::Error::new(error.kind(), format!("cannot create a PID namespace: {error}")));
        }
    }
    fs::write("/proc/self/uid_map", format!("0 {user} 1"))
}
