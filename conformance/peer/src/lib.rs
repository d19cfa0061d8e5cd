//! A second process: this program, started again, which obeys over a socket.
//!
//! The harness starts its roles this way, and so do the tests of the reference driver and of cuda-ipc. Two ends:
//!
//! - The first process gets a [`Command`] and a [`Channel`] from [`command`], adds arguments that name the task, and
//!   starts it, as [`Peer::start`] does.
//! - The second finds its end on standard input and takes it from there with [`inherited`].
//!
//! What travels is frames ([`wire`]): bytes with file descriptors beside them. [`Peer::ask`] and [`serve`] are a conversation
//! of one question and one answer at a time, for tests; the harness has its own, with deadlines and crashes.

pub mod wire;

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

use rustix::process::Signal;
use serde::Serialize;
use serde::de::DeserializeOwned;

use wire::{Channel, ReceiveError};

/// This program again, with one end of a channel as its standard input and no output. Returns the other end.
///
/// # Errors
/// The system has no descriptor left, or this program has no path.
pub fn command() -> io::Result<(Command, Channel)> {
    let (ours, theirs) = Channel::pair()?;
    let mut command = Command::new(std::env::current_exe()?);
    command.stdin(theirs.into_socket()).stdout(Stdio::null());
    Ok((command, ours))
}

/// The end of the channel that [`command`] gave to this process.
///
/// Takes it off descriptor 0, which becomes `/dev/null`: some tests want an ordinary standard input.
///
/// # Errors
/// Standard input cannot be replaced.
pub fn inherited() -> io::Result<Channel> {
    // SAFETY: descriptor 0 is the channel, and nothing else in this process owns it.
    let inherited = unsafe { OwnedFd::from_raw_fd(0) };
    let socket = rustix::io::fcntl_dupfd_cloexec(&inherited, 3)?;
    let null = std::fs::File::open("/dev/null")?;
    // `dup2` closes what descriptor 0 was, so that number stays the process's own.
    rustix::stdio::dup2_stdin(&null)?;
    std::mem::forget(inherited);
    Ok(Channel::from_socket(socket))
}

/// Makes the kernel kill this process when the thread that started it ends. Returns false if `parent`, its process id,
/// is no longer this process's parent: then it is already gone.
///
/// # Errors
/// The kernel refuses the signal.
pub fn die_with(parent: Option<i32>) -> io::Result<bool> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(Some(rustix::process::getppid().map_or(0, |parent| parent.as_raw_nonzero().get())) == parent)
}

/// Removes the files that NVIDIA's driver leaves in /dev/shm when its process is killed. The process was ours, so these
/// are too.
pub fn remove_driver_files(process: u32) {
    remove_driver_files_of(rustix::process::getuid().as_raw(), process, SystemTime::UNIX_EPOCH);
}

/// The same for a process of another user or PID namespace, with its number there.
///
/// Processes of different namespaces can have equal numbers, so only files that are not older than `since`, the start of
/// the process, are removed.
pub fn remove_driver_files_of(user: u32, process: u32, since: SystemTime) {
    let prefix = format!("cuda.shm.{user:x}.{process:x}.");
    for entry in std::fs::read_dir("/dev/shm").into_iter().flatten().flatten() {
        let is_newer = || entry.metadata().and_then(|file| file.modified()).is_ok_and(|modified| modified >= since);
        if entry.file_name().to_string_lossy().starts_with(&prefix) && is_newer() {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The number of a process in its own PID namespace.
#[must_use]
pub fn inner_id(process: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    numbers.split_whitespace().last()?.parse().ok()
}

/// A running second process and the channel to it. Dropping it kills the process and waits for it.
#[derive(Debug)]
pub struct Peer {
    child: Child,
    channel: Channel,
}

impl Peer {
    /// Starts this program again, with arguments and environment that `prepare` adds.
    ///
    /// # Errors
    /// The process cannot be started.
    pub fn start(prepare: impl FnOnce(&mut Command)) -> io::Result<Self> {
        let (mut command, channel) = command()?;
        prepare(&mut command);
        Ok(Self { child: command.spawn()?, channel })
    }

    /// The channel to the process.
    #[must_use]
    pub const fn channel(&self) -> &Channel {
        &self.channel
    }

    /// The process.
    pub const fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// The process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills the process, whatever it holds, and waits until it is gone.
    ///
    /// # Errors
    /// It cannot be signalled.
    pub fn kill(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }

    /// Asks the process something, and waits for the answer.
    ///
    /// # Errors
    /// The process is gone, or its answer is not of this type.
    pub fn ask<Q: Serialize, A: DeserializeOwned>(
        &self,
        question: &Q,
        descriptors: &[BorrowedFd<'_>],
    ) -> io::Result<(A, Vec<OwnedFd>)> {
        self.channel.send(&encode(question)?, descriptors, None)?;
        let frame = self.channel.receive(None).map_err(io::Error::other)?;
        Ok((decode(&frame.bytes)?, frame.descriptors))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.kill();
        remove_driver_files(self.id());
    }
}

/// Answers what a [`Peer`] asks, until it asks no more.
///
/// # Errors
/// The channel breaks off in the middle of a question.
pub fn serve<Q: DeserializeOwned, A: Serialize>(
    channel: &Channel,
    mut answer: impl FnMut(Q, Vec<OwnedFd>) -> (A, Vec<OwnedFd>),
) -> io::Result<()> {
    loop {
        let frame = match channel.receive(None) {
            Ok(frame) => frame,
            Err(ReceiveError::Closed) => return Ok(()),
            Err(error) => return Err(io::Error::other(error)),
        };
        let (answer, descriptors) = answer(decode(&frame.bytes)?, frame.descriptors);
        let descriptors: Vec<_> = descriptors.iter().map(OwnedFd::as_fd).collect();
        channel.send(&encode(&answer)?, &descriptors, None)?;
    }
}

fn encode(value: &impl Serialize) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(io::Error::other)
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> io::Result<T> {
    postcard::from_bytes(bytes).map_err(io::Error::other)
}
