//! The identity of a process.

use std::cell::Cell;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;

/// Identifies one process among those of all machines. A PID alone does not: containers have PIDs of their own, and
/// PIDs are reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessIdentity {
    /// The process's PID in its own PID namespace.
    pub pid: u32,
    /// The inode of that namespace, `/proc/self/ns/pid`.
    pub pid_namespace: u64,
    /// The start time of the process, in clock ticks since the machine booted: field 22 of `/proc/self/stat`.
    pub start_time: u64,
    /// The ID of the machine's boot: `/proc/sys/kernel/random/boot_id`.
    pub boot_id: [u8; 16],
}

impl ProcessIdentity {
    /// `/proc/self`: returns the identity of this process.
    ///
    /// Each thread reads it once, and reads it again only if the PID or the PID namespace has changed. So a forked
    /// child finds its own identity, even in a new namespace, and never waits for a lock of its parent.
    ///
    /// # Errors
    /// Fails if `/proc` is not mounted or not readable.
    pub fn current() -> io::Result<Self> {
        thread_local! {
            static READ: Cell<Option<ProcessIdentity>> = const { Cell::new(None) };
        }
        let (pid, pid_namespace) = (std::process::id(), namespace("self")?);
        let known = READ.get().filter(|known| (known.pid, known.pid_namespace) == (pid, pid_namespace));
        if let Some(known) = known {
            return Ok(known);
        }
        let read = Self { pid, pid_namespace, start_time: start_time("self")?, boot_id: boot_id()? };
        READ.set(Some(read));
        Ok(read)
    }

    /// `/proc/<pid>`: returns the identity of the process that has a PID in this process's PID namespace.
    ///
    /// A process in a namespace below this one gets the identity that it gives itself, with the PID in its own
    /// namespace.
    ///
    /// # Errors
    /// [`NotFound`](io::ErrorKind::NotFound) if there is no such process;
    /// [`PermissionDenied`](io::ErrorKind::PermissionDenied) if it belongs to another user;
    /// [`Unsupported`](io::ErrorKind::Unsupported) if `/proc` belongs to another PID namespace.
    pub fn of(pid: u32) -> io::Result<Self> {
        require_own_proc()?;
        let process = pid.to_string();
        // An equal start time before and after shows that everything read in between belongs to one process.
        let before = start_time(&process)?;
        let (pid, pid_namespace) = (innermost_pid(&process)?, namespace(&process)?);
        let identity = Self { pid, pid_namespace, start_time: start_time(&process)?, boot_id: boot_id()? };
        if identity.start_time != before {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("process {process} ended while its identity was read"),
            ));
        }
        Ok(identity)
    }
}

impl fmt::Display for ProcessIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pid, pid_namespace, start_time, boot_id } = self;
        write!(f, "process {pid} of PID namespace {pid_namespace}, started at tick {start_time} of boot ")?;
        for (index, byte) in boot_id.iter().enumerate() {
            let hyphen = if matches!(index, 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(f, "{hyphen}{byte:02x}")?;
        }
        Ok(())
    }
}

/// Fails if `/proc` belongs to a PID namespace other than this process's. A `/proc` shows the PIDs of the namespace in
/// which it was mounted, and a process may be in another one by now.
pub(crate) fn require_own_proc() -> io::Result<()> {
    let shown = fs::read_link("/proc/self").map_err(|error| named(error, "/proc/self"))?;
    if shown.as_os_str() == &*std::process::id().to_string() {
        return Ok(());
    }
    let reason = "/proc shows the processes of another PID namespace: mount /proc again in this one";
    Err(io::Error::new(io::ErrorKind::Unsupported, reason))
}

/// Returns field 22 of `/proc/<process>/stat`. The process's name before it may contain anything, so fields are counted
/// from the last parenthesis.
pub(crate) fn start_time(process: &str) -> io::Result<u64> {
    let (path, text) = read(process, "stat")?;
    let after_name = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    after_name.split_ascii_whitespace().nth(19).and_then(|field| field.parse().ok()).ok_or_else(|| unexpected(&path))
}

/// Returns the last number of the line `NSpid` of `/proc/<process>/status`: the PID in the process's own namespace.
fn innermost_pid(process: &str) -> io::Result<u32> {
    let (path, text) = read(process, "status")?;
    let numbers = text.lines().find_map(|line| line.strip_prefix("NSpid:"));
    let last = numbers.and_then(|numbers| numbers.split_ascii_whitespace().next_back());
    last.and_then(|number| number.parse().ok()).ok_or_else(|| unexpected(&path))
}

pub(crate) fn namespace(process: &str) -> io::Result<u64> {
    let path = format!("/proc/{process}/ns/pid");
    Ok(fs::metadata(&path).map_err(|error| named(error, &path))?.ino())
}

pub(crate) fn boot_id() -> io::Result<[u8; 16]> {
    let (path, text) = read("sys", "kernel/random/boot_id")?;
    let digits: String = text.trim_end().chars().filter(|character| *character != '-').collect();
    let number = if digits.len() == 32 { u128::from_str_radix(&digits, 16).ok() } else { None };
    number.map(u128::to_be_bytes).ok_or_else(|| unexpected(&path))
}

/// Reads a file below `/proc`, and returns its path and its text. If the process ends during the read (`ESRCH`), the
/// error is `NotFound`.
fn read(folder: &str, file: &str) -> io::Result<(String, String)> {
    let path = format!("/proc/{folder}/{file}");
    match fs::read(&path) {
        // The name of a process may contain any bytes.
        Ok(bytes) => Ok((path, String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) => Err(named(error, &path)),
    }
}

fn named(error: io::Error, path: &str) -> io::Error {
    let ended = error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error());
    let kind = if ended { io::ErrorKind::NotFound } else { error.kind() };
    io::Error::new(kind, format!("{path}: {error}"))
}

fn unexpected(path: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{path} has an unexpected format"))
}
