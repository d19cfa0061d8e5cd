//! The runner's end of a role: starts this program again as a process, watches it, and ends it.

mod end;
pub(crate) mod orphans;
mod placement;
mod role;
mod shorten;
mod spawner;
mod status;
mod visible;

use std::cell::Cell;
use std::fmt;
use std::io::ErrorKind;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant, SystemTime};

use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process, pidfd_open, waitid};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::message::{Greeting, ROLE_ARGUMENT, Refused, UNINITIALISED_ARGUMENT, USER_ARGUMENT};
use crate::{Stop, message, trace};
use peer::wire::{Channel, ReceiveError};
use shorten::shortened;
use status::describe;

pub use placement::Placement;
pub(crate) use role::Steps;
pub use role::{Pending, Role};
pub use shorten::shown;
pub use spawner::PidNamespace;
pub(crate) use status::BadEnds;
pub(crate) use visible::visible_devices;

/// Bytes of device memory, by device.
pub(crate) type Bytes = std::collections::BTreeMap<i32, u64>;

/// The settings with which every role of a run starts.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The driver library, or `None` for the system's driver.
    pub driver: Option<PathBuf>,
    /// Additional environment variables.
    pub environment: Vec<(String, String)>,
    /// The time limit of one step.
    pub deadline: Duration,
    /// Where a process that no case owns reports that it did not end in order.
    pub bad_ends: BadEnds,
}

/// Why a role did not start.
#[derive(Debug)]
pub(crate) enum Start {
    NoDriver(String),
    NoDevice(String),
    Failed(Stop),
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDriver(message) | Self::NoDevice(message) => f.write_str(message),
            Self::Failed(stop) => stop.fmt(f),
        }
    }
}

/// A role's process and the connection to it.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) placement: Placement,
    pub(crate) deadline: Duration,
    /// The device memory that starting the process used.
    pub(crate) price: Bytes,
    child: Child,
    channel: Channel,
    /// The descriptors that came with the last answer.
    pub(crate) descriptors: Vec<OwnedFd>,
    pub(crate) step: String,
    /// The number of the last call that was sent.
    number: u64,
    /// Whether the answer to it has not been read.
    is_awaited: bool,
    /// How long the role was in the last call.
    pub(crate) took: Option<Duration>,
    /// Whether the process has ended, or was given up because SIGKILL did not end it.
    is_gone: bool,
    /// When the process was asked to exit.
    asked_to_exit: Cell<Option<Instant>>,
    /// Whether the case may leave the process unable to give back what it holds.
    pub(crate) may_be_lost: bool,
    /// Whether the case accepts that the process crashes or hangs, also when it exits.
    pub(crate) may_crash: bool,
    bad_ends: BadEnds,
    /// When the process started, and its number in its own PID namespace.
    started: SystemTime,
    inner_id: u32,
}

impl Process {
    pub(crate) fn start(name: &str, placement: Placement, settings: &Settings) -> Result<Self, Start> {
        let (mut command, channel) =
            peer::command().map_err(|error| Start::Failed(Stop::Harness(format!("cannot prepare a role: {error}"))))?;
        // The runner has no process id in another PID namespace: `getppid` returns 0 there.
        let runner = if placement.pid_namespace.is_some() { 0 } else { std::process::id() };
        command.arg(ROLE_ARGUMENT).arg(placement.device.to_string()).arg(runner.to_string());
        if placement.uninitialised {
            command.arg(UNINITIALISED_ARGUMENT);
        }
        if let Some(user) = placement.user {
            command.arg(format!("{USER_ARGUMENT}{user}"));
        }
        match &settings.driver {
            // A driver selected by path has its own runtime or none: a `libcudart` would call the system's driver.
            Some(path) => command
                .env(cuda_ipc_sys::DRIVER_VARIABLE, path)
                .env(cuda_ipc_sys::RUNTIME_VARIABLE, crate::library::runtime_of(path)),
            None => command.env_remove(cuda_ipc_sys::DRIVER_VARIABLE),
        };
        command.env(orphans::RUNNER_VARIABLE, std::process::id().to_string());
        command.envs(settings.environment.iter().cloned());
        if placement.no_multicast {
            command.env_remove("CUDA_VISIBLE_DEVICES");
        }
        command.envs(placement.environment());
        if let Some(namespace) = &placement.pid_namespace {
            command.env(trace::NAMESPACE_VARIABLE, namespace.number().to_string());
        }
        let child = spawner::spawn(command, placement.pid_namespace.as_ref())
            .map_err(|error| match &placement.pid_namespace {
                Some(_) => Stop::Unsupported(format!("cannot start a process in a new PID namespace: {error}")),
                None => Stop::Harness(format!("cannot start a role: {error}")),
            })
            .map_err(Start::Failed)?;
        let mut process = Self {
            name: name.to_owned(),
            placement,
            deadline: settings.deadline,
            price: Bytes::new(),
            child,
            channel,
            descriptors: Vec::new(),
            step: "loading the driver".to_owned(),
            number: 0,
            is_awaited: false,
            took: None,
            is_gone: false,
            asked_to_exit: Cell::new(None),
            may_be_lost: false,
            may_crash: false,
            bad_ends: settings.bad_ends.clone(),
            started: SystemTime::now(),
            inner_id: 0,
        };
        process.watch().map_err(Start::Failed)?;
        process.inner_id = peer::inner_id(process.id()).unwrap_or_else(|| process.id());
        match process.greeting() {
            Ok(Greeting::Ready) => Ok(process),
            Ok(Greeting::NoDriver(message)) => Err(Start::NoDriver(message)),
            Ok(Greeting::NoDevice(message)) => Err(Start::NoDevice(message)),
            Err(stop) => Err(Start::Failed(stop)),
        }
    }

    /// Lets the connection end with the process, even if another process keeps the socket.
    fn watch(&mut self) -> Result<(), Stop> {
        let Some(pid) = Pid::from_raw(self.id().cast_signed()) else { return Ok(()) };
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(watched) => {
                self.channel.watch(watched);
                Ok(())
            }
            Err(error) => {
                self.end_unwatched();
                Err(Stop::Harness(format!("{}: cannot watch the process: {error}", self.name)))
            }
        }
    }

    /// Waits for the greeting of the program that replaces this one.
    pub(crate) fn begin_again(&mut self) -> Result<(), Stop> {
        match self.greeting()? {
            Greeting::Ready => Ok(()),
            Greeting::NoDriver(message) | Greeting::NoDevice(message) => {
                Err(Stop::Harness(format!("{}: {message}", self.name)))
            }
        }
    }

    fn greeting(&mut self) -> Result<Greeting, Stop> {
        // The program that had got a call is no longer there to answer.
        self.is_awaited = false;
        // Starting a driver can take longer than a step: it creates contexts one after another.
        let deadline = self.deadline * 3;
        let received = self.channel.receive(Some(Instant::now() + deadline));
        let frame = received.map_err(|error| self.lost(&error, deadline))?;
        postcard::from_bytes(&frame.bytes).map_err(|error| self.broken(&format!("cannot decode its greeting: {error}")))
    }

    /// Ends a process that breaks the protocol: what it sends from here on means nothing.
    fn broken(&mut self, how: &str) -> Stop {
        let _ = self.kill();
        Stop::Harness(format!("{}: {how}", self.name))
    }

    pub(crate) fn send(
        &mut self,
        call: &(impl Serialize + fmt::Debug),
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), Stop> {
        self.step = shortened(call);
        if self.is_gone() {
            return Err(Stop::Harness(format!("{}: cannot perform {}: the process has ended", self.name, self.step)));
        }
        self.number += 1;
        self.is_awaited = true;
        let bytes = message::numbered(self.number, call)
            .map_err(|error| Stop::Harness(format!("cannot encode {}: {error}", self.step)))?;
        match self.channel.send(&bytes, descriptors, Some(Instant::now() + self.deadline)) {
            // If the process died after its last answer, the missing answer will show it.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            Err(error) if error.kind() == ErrorKind::TimedOut => Err(self.lost(&ReceiveError::Deadline, self.deadline)),
            sent => sent.map_err(|error| Stop::Harness(format!("{}: cannot send {}: {error}", self.name, self.step))),
        }
    }

    pub(crate) fn receive<T: DeserializeOwned>(&mut self) -> Result<Result<T, Refused>, Stop> {
        self.receive_as(Instant::now() + self.deadline, |answer| postcard::from_bytes(answer))
    }

    /// Waits for the answer to a call whose output nobody reads, and which was sent before `began`.
    pub(crate) fn receive_any(&mut self, began: Instant) -> Result<Result<(), Refused>, Stop> {
        // A long answer that is on its way needs a moment to arrive, although its time is over.
        let until = (began + self.deadline).max(Instant::now() + self.deadline / 20);
        self.receive_as(until, |answer| postcard::take_from_bytes(answer).map(|(outcome, _)| outcome))
    }

    fn receive_as<T>(
        &mut self,
        until: Instant,
        decode: impl FnOnce(&[u8]) -> postcard::Result<Result<T, Refused>>,
    ) -> Result<Result<T, Refused>, Stop> {
        (self.took, self.is_awaited) = (None, false);
        let received = self.channel.receive(Some(until));
        let frame = received.map_err(|error| self.lost(&error, self.deadline))?;
        let (called, step) = (self.number, self.step.clone());
        match message::Envelope::open(&frame.bytes) {
            Ok((envelope, _)) if envelope.number != called => {
                let number = envelope.number;
                Err(self.broken(&format!("the answer to {step}, call {called}, has the number {number}")))
            }
            Ok((envelope, answer)) => {
                self.descriptors = frame.descriptors;
                self.took = Some(envelope.took);
                decode(answer).map_err(|error| self.broken(&format!("cannot decode the answer to {step}: {error}")))
            }
            Err(error) => Err(self.broken(&format!("cannot decode the answer to {step}: {error}"))),
        }
    }

    /// Performs a call for the harness, outside any case.
    pub(crate) fn perform<T: DeserializeOwned>(
        &mut self,
        call: &(impl Serialize + fmt::Debug),
    ) -> Result<Result<T, Refused>, Stop> {
        self.send(call, &[])?;
        self.receive()
    }

    /// Waits until an answer arrives or the process ends. Returns false if neither happens before the deadline.
    pub(crate) fn has_answer(&mut self, deadline: Instant) -> Result<bool, Stop> {
        self.channel
            .is_ready(Some(deadline))
            .map_err(|error| Stop::Harness(format!("{}: cannot wait for an answer: {error}", self.name)))
    }

    /// Converts the error of a missing answer into a stop. The process has ended afterwards.
    fn lost(&mut self, error: &ReceiveError, deadline: Duration) -> Stop {
        let (role, step) = (self.name.clone(), self.step.clone());
        match error {
            ReceiveError::Deadline => match self.kill() {
                Ok(()) => Stop::TimedOut { role, step, deadline },
                Err(stop) => stop,
            },
            ReceiveError::Closed | ReceiveError::Truncated { .. } => match self.wait_for_exit() {
                Ok(status) => {
                    let end = match error {
                        ReceiveError::Truncated { .. } => format!("{error}, {}", describe(status)),
                        _ => describe(status),
                    };
                    Stop::Crashed { role, end, step }
                }
                Err(stop) => stop,
            },
            ReceiveError::TooLong(_) | ReceiveError::DescriptorsLost | ReceiveError::Io(_) => {
                let _ = self.kill();
                Stop::Harness(format!("{role}: {error} in {step}"))
            }
        }
    }

    pub(crate) fn signal(&mut self, signal: Signal) -> Result<(), Stop> {
        let Some(pid) = Pid::from_raw(self.id().cast_signed()).filter(|_| !self.is_gone()) else {
            return Err(Stop::Harness(format!("{}: cannot send {signal:?}: the process has ended", self.name)));
        };
        kill_process(pid, signal)
            .map_err(|error| Stop::Harness(format!("{}: cannot send {signal:?}: {error}", self.name)))
    }

    /// Waits until a process that got SIGSTOP has stopped: until then it may still answer, or use its memory.
    pub(crate) fn await_stop(&self) -> Result<(), Stop> {
        // The system has no wait for this with a deadline, and a process in the kernel stops only when its call returns.
        const BETWEEN: Duration = Duration::from_micros(200);
        let failed = |why: &dyn fmt::Display| Stop::Harness(format!("{}: it does not stop: {why}", self.name));
        let pid = Pid::from_raw(self.id().cast_signed()).ok_or_else(|| failed(&"it has no number"))?;
        let deadline = Instant::now() + self.deadline;
        let options = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        while waitid(WaitId::Pid(pid), options).map_err(|error| failed(&error))?.is_none() {
            if Instant::now() > deadline {
                return Err(failed(&"the deadline has passed"));
            }
            std::thread::sleep(BETWEEN);
        }
        Ok(())
    }

    pub(crate) const fn is_awaited(&self) -> bool {
        self.is_awaited
    }

    pub(crate) const fn is_gone(&self) -> bool {
        self.is_gone
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}
