//! Roles: the processes of a case.

mod account;
pub(crate) mod child;
pub(crate) mod ledger;
pub(crate) mod mounts;
mod pool;
mod process;
pub(crate) mod session;
mod spawner;
mod user;

use std::cell::RefCell;
use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

use cuda_ipc_sys::CUresult;
use serde::de::DeserializeOwned;

use crate::calls::{AnyCall, Refused};
use crate::machine::Fabric;
use crate::report::Step;
use crate::{Descriptor, Refusal, Stop, case};

pub(crate) use account::Account;
pub use child::{Beginning, ChildEnd};
pub use ledger::Cleanness;
pub(crate) use pool::Pool;
pub use process::Settings;
pub(crate) use process::{Process, Start};
pub use session::serve_if_role;
pub use spawner::PidNamespace;

/// A process that performs driver calls for a case.
///
/// Its methods are the calls ([`calls`](crate::calls)); each sends one message and waits for the answer, until the
/// deadline of a step. Clones are the same process.
#[derive(Clone, Debug)]
pub struct Role {
    process: Rc<RefCell<Process>>,
}

/// What a role is given before it starts, beside its driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The device whose primary context is current, by ordinal.
    pub device: i32,
    /// `CUDA_VISIBLE_DEVICES`.
    pub visible_devices: Option<String>,
    /// The state of the fabric; on a real machine the one that it has.
    pub fabric: Option<Fabric>,
    /// Whether GPUs 0 and 1 are no peers; on a real machine they have to be none already.
    pub no_peer_access: bool,
    /// Whether the devices have no multicast, which only the reference driver can be told.
    pub no_multicast: bool,
    /// Whether nobody calls `cuInit`: no context is current, and the role serves one case only.
    pub uninitialised: bool,
    /// Another PID namespace.
    pub pid_namespace: Option<PidNamespace>,
    /// In a process that has served no case and serves no other.
    pub is_fresh: bool,
    /// Another user, by number, whom only root can become.
    pub user: Option<u32>,
}

impl Placement {
    /// On a device.
    #[must_use]
    pub const fn device(device: i32) -> Self {
        Self {
            device,
            visible_devices: None,
            fabric: None,
            no_peer_access: false,
            no_multicast: false,
            uninitialised: false,
            pid_namespace: None,
            is_fresh: false,
            user: None,
        }
    }

    /// With only these devices visible, by ordinal or UUID, as `CUDA_VISIBLE_DEVICES` takes them.
    #[must_use]
    pub fn visible_devices(mut self, list: impl Into<String>) -> Self {
        self.visible_devices = Some(list.into());
        self
    }

    /// With GPUs 0 and 1 that are no peers; on a real machine they have to be none already.
    #[must_use]
    pub const fn without_peer_access(mut self) -> Self {
        self.no_peer_access = true;
        self
    }

    /// With devices that have no multicast, which only the reference driver can be told.
    #[must_use]
    pub const fn without_multicast(mut self) -> Self {
        self.no_multicast = true;
        self
    }

    /// With the driver loaded, and `cuInit` not called.
    #[must_use]
    pub const fn uninitialised(mut self) -> Self {
        self.uninitialised = true;
        self
    }

    /// In a process that has served no case and serves no other.
    #[must_use]
    pub const fn fresh(mut self) -> Self {
        self.is_fresh = true;
        self
    }

    /// In another PID namespace.
    #[must_use]
    pub fn in_pid_namespace(mut self, namespace: &PidNamespace) -> Self {
        self.pid_namespace = Some(namespace.clone());
        self
    }

    /// As another user, by number, whom only root can become.
    #[must_use]
    pub const fn as_user(mut self, user: u32) -> Self {
        self.user = Some(user);
        self
    }

    /// With the fabric in a state; a real machine has to be in it already.
    #[must_use]
    pub const fn fabric(mut self, state: Fabric) -> Self {
        self.fabric = Some(state);
        self
    }
}

/// A call that was sent and not yet answered.
#[derive(Debug)]
#[must_use]
pub struct Pending<T> {
    role: Role,
    output: std::marker::PhantomData<T>,
}

impl Role {
    /// A process of the current case, warm from the pool where one proved clean.
    ///
    /// # Errors
    /// [`Stop`], where no process can be started or it has no device.
    pub fn new(name: &str, placement: Placement) -> Result<Self, Stop> {
        let process = case::current(|case| case.pool.take(name, placement))?;
        let role = Self { process: Rc::new(RefCell::new(process)) };
        case::current(|case| case.roles.borrow_mut().push(role.clone()));
        Ok(role)
    }

    pub(crate) fn perform<T: DeserializeOwned + fmt::Debug>(&self, call: impl Into<AnyCall>) -> Result<T, Stop> {
        self.start_call(call.into(), &[])?;
        self.answer(None)
    }

    /// Perform a call with descriptors beside it; the role gets copies.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn perform_with<T: DeserializeOwned + fmt::Debug>(
        &self,
        call: impl Into<AnyCall>,
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<T, Stop> {
        self.start_call(call.into(), descriptors)?;
        self.answer(None)
    }

    /// A copy of one of the role's descriptors, here in the runner: on its way to another role.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn send_descriptor(&self, descriptor: Descriptor) -> Result<OwnedFd, Stop> {
        self.send_descriptor_to_the_runner(descriptor)?;
        let sent = self.process.borrow_mut().descriptors.pop();
        sent.ok_or_else(|| Stop::Harness(format!("{}: its answer came without a descriptor", self.name())))
    }

    /// Give the role a copy of a descriptor, as SCM_RIGHTS does.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn receive_descriptor(&self, descriptor: &impl AsFd) -> Result<Descriptor, Stop> {
        self.perform_with(crate::calls::process::Call::keep_descriptor {}, &[descriptor.as_fd()])
    }

    /// Send a call and go on: what another role does while this one is in a call is part of some rules.
    ///
    /// # Errors
    /// [`Stop`], where the process is gone.
    pub fn begin<T>(&self, call: impl Into<AnyCall>) -> Result<Pending<T>, Stop> {
        self.start_call(call.into(), &[])?;
        Ok(Pending { role: self.clone(), output: std::marker::PhantomData })
    }

    fn start_call(&self, call: AnyCall, descriptors: &[BorrowedFd<'_>]) -> Result<(), Stop> {
        self.process.borrow_mut().send(&call, descriptors)
    }

    /// Wait for the answer to the call that was sent.
    fn answer<T: DeserializeOwned + fmt::Debug>(&self, patience: Option<Duration>) -> Result<T, Stop> {
        let mut process = self.process.borrow_mut();
        let received = process.receive(patience);
        let answer = decode(&process.name, received);
        case::add_step(|| Step {
            role: process.name.clone(),
            call: process.step.clone(),
            answer: match &answer {
                Ok(value) => shortened(format!("{value:?}")),
                Err(Stop::Refused(refusal)) => refusal.code.to_string(),
                Err(Stop::Crashed { end, .. }) => end.clone(),
                Err(Stop::TimedOut { .. }) => "no answer before the deadline".to_owned(),
                Err(stop) => stop.to_string(),
            },
        });
        answer
    }

    /// End the process with SIGKILL, and wait until it is gone.
    ///
    /// # Errors
    /// [`Stop`], where it cannot be killed.
    pub fn kill(&self) -> Result<(), Stop> {
        self.process.borrow_mut().kill()
    }

    /// Let the process exit as a program does that returns from `main`, and wait until it is gone.
    ///
    /// # Errors
    /// [`Stop`], where it does not.
    pub fn exit(&self) -> Result<(), Stop> {
        self.start_call(crate::calls::process::Call::exit_normally { code: 0 }.into(), &[])?;
        self.process.borrow_mut().wait_for_exit()
    }

    /// SIGSTOP: the process does nothing until [`Role::resume`].
    ///
    /// # Errors
    /// [`Stop`], where it cannot be signalled.
    pub fn stop(&self) -> Result<(), Stop> {
        self.process.borrow_mut().signal(rustix::process::Signal::STOP)
    }

    /// SIGCONT.
    ///
    /// # Errors
    /// [`Stop`], where it cannot be signalled.
    pub fn resume(&self) -> Result<(), Stop> {
        self.process.borrow_mut().signal(rustix::process::Signal::CONT)
    }

    /// Another deadline for the steps of this role.
    pub fn set_deadline(&self, deadline: Duration) {
        self.process.borrow_mut().deadline = deadline;
    }

    /// What the case calls it.
    #[must_use]
    pub fn name(&self) -> String {
        self.process.borrow().name.clone()
    }

    /// The process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.borrow().id()
    }

    /// Whether the process was ended or lost.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.process.borrow().is_gone()
    }

    /// The process itself, once the case is over.
    pub(crate) fn into_process(self) -> Option<Process> {
        Rc::try_unwrap(self.process).ok().map(RefCell::into_inner)
    }
}

impl<T: DeserializeOwned + fmt::Debug> Pending<T> {
    /// Wait for the answer.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn finish(self) -> Result<T, Stop> {
        self.role.answer(None)
    }

    /// Whether no answer has come for so long.
    ///
    /// # Errors
    /// [`Stop`], where the process is gone.
    pub fn still_waits_after(&self, patience: Duration) -> Result<bool, Stop> {
        let deadline = Instant::now() + patience;
        Ok(!self.role.process.borrow_mut().has_answer(deadline)?)
    }
}

fn decode<T: DeserializeOwned>(role: &str, received: Result<Result<Vec<u8>, Refused>, Stop>) -> Result<T, Stop> {
    let bytes = match received? {
        Ok(bytes) => bytes,
        Err(Refused::Driver { function, code }) => {
            return Err(Stop::Refused(Refusal { role: role.to_owned(), function, code: CUresult(code) }));
        }
        Err(Refused::Missing(message)) => return Err(Stop::Missing(message)),
        Err(Refused::Role(message)) => return Err(Stop::Harness(format!("{role}: {message}"))),
    };
    postcard::from_bytes(&bytes).map_err(|error| Stop::Harness(format!("{role}: cannot read an answer: {error}")))
}

/// Without the end of what is long, such as the bytes of handles.
pub(crate) fn shortened(text: String) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
