//! The identity of a process.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;

use uuid::Uuid;

use crate::time_namespace::Shift;
use crate::{ExporterIdentity, SystemError};

/// Identifies one process among those of all machines. A PID alone does not: containers have PIDs of their own, and
/// PIDs are reused.
///
/// A process that executes another program (`execve`) keeps its identity. [`ExporterIdentity`] distinguishes the two
/// programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessIdentity {
    /// The process's PID in its own PID namespace.
    pub pid: u32,
    /// The inode of that namespace, `/proc/self/ns/pid`.
    pub pid_namespace: u64,
    /// The start time of the process, in clock ticks since the machine booted: field 22 of `/proc/self/stat`, as the
    /// process itself reads it. A process in another time namespace reads another number.
    pub start_time: u64,
    /// The ID of the machine's boot: `/proc/sys/kernel/random/boot_id`.
    pub boot_id: [u8; 16],
}

impl ProcessIdentity {
    /// `/proc/self`: returns the identity of this process, as [`ExporterIdentity::current`] does.
    ///
    /// # Errors
    /// As [`ExporterIdentity::current`].
    pub fn current() -> Result<Self, SystemError> {
        ExporterIdentity::current().map(|own| own.process)
    }

    /// Reads the identity of this process, whose PID and PID namespace are known already.
    pub(crate) fn read_own(pid: u32, pid_namespace: u64) -> io::Result<Self> {
        Ok(Self { pid, pid_namespace, start_time: start_time("self")?, boot_id: boot_id()? })
    }

    /// `/proc/<pid>`: returns the identity of the process that has a PID in this process's PID namespace.
    ///
    /// The result is the identity that the process itself reads, even if it is in a PID namespace below this one or in
    /// another time namespace. If the clock of its time namespace is shifted by a fraction of a tick, the start time
    /// may differ by one.
    ///
    /// # Errors
    /// The kind of the error's source is [`NotFound`](io::ErrorKind::NotFound) if there is no such process;
    /// [`PermissionDenied`](io::ErrorKind::PermissionDenied) if it belongs to another user;
    /// [`Unsupported`](io::ErrorKind::Unsupported) if `/proc` belongs to another PID namespace, or does not show how
    /// the clock of the process is shifted.
    pub fn of(pid: u32) -> Result<Self, SystemError> {
        Self::read(pid).map_err(|error| SystemError::new("ProcessIdentity::of", error))
    }

    fn read(pid: u32) -> io::Result<Self> {
        require_own_proc()?;
        let process = pid.to_string();
        // An equal start time before and after shows that everything read in between belongs to one process.
        let before = start_time(&process)?;
        let (pid, pid_namespace) = (innermost_pid(&process)?, namespace(&process)?);
        let (shift, boot_id) = (Shift::to(&process)?, boot_id()?);
        if start_time(&process)? != before {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("process {process} ended while its identity was read"),
            ));
        }
        Ok(Self { pid, pid_namespace, start_time: *shift.apply(before).start(), boot_id })
    }
}

impl fmt::Display for ProcessIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pid, pid_namespace, start_time, boot_id } = self;
        let boot = Uuid::from_bytes_ref(boot_id);
        write!(f, "process {pid} of PID namespace {pid_namespace}, started at tick {start_time} of boot {boot}")
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
    Uuid::try_parse(text.trim_end()).map(Uuid::into_bytes).map_err(|_| unexpected(&path))
}

/// Reads a file below `/proc`, and returns its path and its text. If the process ends during the read (`ESRCH`), the
/// error is `NotFound`.
pub(crate) fn read(folder: &str, file: &str) -> io::Result<(String, String)> {
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

pub(crate) fn unexpected(path: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{path} has an unexpected format"))
}
