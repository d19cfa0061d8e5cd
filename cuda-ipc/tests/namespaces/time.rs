//! Processes in different time namespaces, whose clocks since boot differ.

use std::fs;
use std::io;
use std::process::Child;

use cuda_ipc::ProcessIdentity;
use cuda_ipc::liveness::{LivenessError, ProcessWatch};
use cuda_ipc::transport::{Address, Connection, Listener, TransportError};

use crate::{ADDRESS, LONG, Outcome, role, unique_name};

/// The environment variable with the offset of the clock in the other namespace: seconds and nanoseconds.
const OFFSET: &str = "CUDA_IPC_TEST_OFFSET";

/// Offsets of whole ticks of 10 ms, and others.
const OFFSETS: [&str; 4] = ["100000 0", "-1 500000000", "100000 5000000", "-1 999999999"];

pub(crate) fn watched_across_time_namespaces() -> Outcome {
    for offset in OFFSETS {
        let other = Other::start("makes a time namespace", offset)?;
        let own = ProcessIdentity::current()?;
        assert_eq!(other.identity.boot_id, own.boot_id);
        let seen = ProcessIdentity::of(other.identity.pid)?;
        assert!(seen.start_time.abs_diff(other.identity.start_time) <= 1, "{seen}; {}", other.identity);
        assert_eq!(ProcessIdentity { start_time: other.identity.start_time, ..seen }, other.identity);
        let watch = ProcessWatch::of(other.identity)?;
        assert!(watch.is_alive()?, "offset {offset}");
        assert!(ProcessWatch::of(seen)?.is_alive()?, "offset {offset}");
        refuses_others(other.identity)?;
        other.finish()?;
        assert!(!watch.is_alive()?);
    }
    Ok(())
}

/// The start time distinguishes a process from an earlier one with the same PID.
fn refuses_others(identity: ProcessIdentity) -> Outcome {
    for start_time in [identity.start_time - 2, identity.start_time + 2] {
        assert!(!ProcessWatch::of(ProcessIdentity { start_time, ..identity })?.is_alive()?);
    }
    Ok(())
}

/// A process that has made a namespace is not in it: only its children are, and `/proc` shows their offsets.
pub(crate) fn offsets_of_the_children() -> Outcome {
    let other = Other::start("stays in its time namespace", OFFSETS[0])?;
    assert!(ProcessWatch::of(other.identity)?.is_alive()?);
    assert_eq!(ProcessIdentity::of(other.identity.pid)?, other.identity);
    refuses_others(other.identity)?;
    other.finish()
}

/// If such a process is in another namespace than the one that watches it, nobody knows the shift between the two.
pub(crate) fn offsets_of_nobody() -> Outcome {
    let other = Other::start("makes a time namespace for one who makes another", OFFSETS[0])?;
    cannot_compare(other.identity);
    let error = ProcessIdentity::of(other.identity.pid).expect_err("the offset is not known");
    assert_eq!(error.source.kind(), io::ErrorKind::Unsupported, "{error}");
    other.finish()
}

fn cannot_compare(identity: ProcessIdentity) {
    let error = ProcessWatch::of(identity).expect_err("the offset is not known");
    assert!(matches!(error, LivenessError::System { .. }), "{error}");
    assert!(error.to_string().contains("watch the peer of a connection instead"), "{error}");
}

/// A process in another time namespace. It lives as long as its connection.
struct Other {
    connection: Connection,
    /// The identity that the process states.
    identity: ProcessIdentity,
    child: Child,
}

impl Other {
    fn start(name: &str, offset: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let address = unique_name();
        let listener = Listener::bind(&Address::Abstract(address.clone().into()))?;
        let child = role(name).env(ADDRESS, address).env(OFFSET, offset).spawn()?;
        let mut connection = listener.accept(Some(LONG))?;
        connection.set_timeout(Some(LONG));
        send(&connection, ProcessIdentity::current()?)?;
        let identity = receive(&connection)?;
        Ok(Self { connection, identity, child })
    }

    /// Closes the connection, which ends the process, and checks that the process succeeded.
    fn finish(mut self) -> Outcome {
        drop(self.connection);
        let status = self.child.wait()?;
        if status.success() { Ok(()) } else { Err(format!("process in the other namespace failed: {status}").into()) }
    }
}

/// The role of a process that runs another one in a new time namespace.
pub(crate) fn make_namespace(of: &str) -> Outcome {
    enter_with_children()?;
    let status = role(of).status()?;
    if status.success() { Ok(()) } else { Err(format!("the process in the namespace failed: {status}").into()) }
}

/// The role of the process in the other namespace: watches the process that is not.
pub(crate) fn is_in_another_time() -> Outcome {
    // Without an address, only the namespace is tried.
    let Ok(address) = std::env::var(ADDRESS) else { return Ok(()) };
    let (connection, theirs) = connect(address)?;
    assert!(ProcessWatch::of(theirs)?.is_alive()?);
    refuses_others(theirs)?;
    wait_for_the_end(&connection)
}

/// The role of a process whose children would be in another namespace.
pub(crate) fn stay(is_in_the_same_as_the_other: bool) -> Outcome {
    enter_with_children()?;
    let (connection, theirs) = connect(std::env::var(ADDRESS)?)?;
    if is_in_the_same_as_the_other {
        assert!(ProcessWatch::of(theirs)?.is_alive()?);
    } else {
        cannot_compare(theirs);
    }
    wait_for_the_end(&connection)
}

fn connect(address: String) -> Result<(Connection, ProcessIdentity), Box<dyn std::error::Error>> {
    let mut connection = Connection::connect(&Address::Abstract(address.into()), Some(LONG))?;
    connection.set_timeout(Some(LONG));
    let theirs = receive(&connection)?;
    send(&connection, ProcessIdentity::current()?)?;
    Ok((connection, theirs))
}

fn wait_for_the_end(connection: &Connection) -> Outcome {
    match connection.receive() {
        Err(TransportError::Closed { .. }) => Ok(()),
        other => Err(format!("expected a closed connection, got {other:?}").into()),
    }
}

fn send(connection: &Connection, identity: ProcessIdentity) -> Outcome {
    let ProcessIdentity { pid, pid_namespace, start_time, boot_id } = identity;
    let numbers = [pid.into(), pid_namespace, start_time].map(u64::to_le_bytes);
    Ok(connection.send(&[&numbers.concat()[..], &boot_id].concat(), &[])?)
}

fn receive(connection: &Connection) -> Result<ProcessIdentity, Box<dyn std::error::Error>> {
    let bytes = connection.receive()?.bytes;
    let number = |index: usize| u64::from_le_bytes(bytes[8 * index..][..8].try_into().expect("eight bytes"));
    let boot_id = bytes[24..].try_into()?;
    Ok(ProcessIdentity { pid: number(0).try_into()?, pid_namespace: number(1), start_time: number(2), boot_id })
}

/// `unshare`: puts later children of this process into a new time namespace, with a new user namespace if required.
fn enter_with_children() -> io::Result<()> {
    let user = rustix::process::getuid().as_raw();
    // SAFETY: the calls change only namespaces, and this process has one thread.
    unsafe {
        if libc::unshare(libc::CLONE_NEWTIME) != 0 {
            if libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWTIME) != 0 {
                let error = io::Error::last_os_error();
                return Err(io::Error::new(error.kind(), format!("cannot create a time namespace: {error}")));
            }
            fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
        }
    }
    let offset = std::env::var(OFFSET).unwrap_or_else(|_| OFFSETS[0].to_owned());
    fs::write("/proc/self/timens_offsets", format!("boottime {offset}"))
        .map_err(|error| io::Error::new(error.kind(), format!("cannot set the clock of a time namespace: {error}")))
}
