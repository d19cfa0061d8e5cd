//! The handle of a role that a case uses.

use std::cell::RefCell;
use std::fmt;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

use cuda_ipc_sys::CUresult;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Process;
use super::shorten::shortened;
use crate::message::Refused;
use crate::step::{self, Step};
use crate::trace::{self, Event};
use crate::{Placement, Refusal, Stop};

/// The steps of a case in the order in which they were performed.
pub(crate) type Steps = Rc<RefCell<Vec<Step>>>;

/// A process that performs driver calls for a case.
///
/// Its methods are the calls ([`calls`](crate::calls)). Each sends one message and waits for the answer until the
/// deadline of a step. Clones refer to the same process.
#[derive(Clone, Debug)]
pub struct Role {
    process: Rc<RefCell<Process>>,
    steps: Steps,
}

/// A call that was sent and whose answer has not been read.
#[derive(Debug)]
#[must_use]
pub struct Pending<T> {
    role: Role,
    output: std::marker::PhantomData<T>,
}

impl Role {
    /// Creates a role that runs in a process and records its steps.
    pub(crate) fn on(process: Process, steps: Steps) -> Self {
        Self { process: Rc::new(RefCell::new(process)), steps }
    }

    /// Sends a call and waits for its answer.
    pub(crate) fn perform<T: DeserializeOwned + fmt::Debug>(
        &self,
        call: &(impl Serialize + fmt::Debug),
    ) -> Result<T, Stop> {
        self.send(call, &[])?;
        self.answer()
    }

    pub(crate) fn send(
        &self,
        call: &(impl Serialize + fmt::Debug),
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), Stop> {
        trace::write(|| Event::Step { process: self.id(), call: format!("{call:?}") });
        self.process.borrow_mut().send(call, descriptors)
    }

    /// Waits for the answer to the call that was sent last.
    pub(crate) fn answer<T: DeserializeOwned + fmt::Debug>(&self) -> Result<T, Stop> {
        let mut process = self.process.borrow_mut();
        let received = process.receive();
        self.note(&mut process, received)
    }

    /// Waits for the answer to a call that the case began before `began` and did not wait for, as if it failed meanwhile.
    ///
    /// # Errors
    /// The process did not answer. What the driver returned is not judged: the case did not ask for it.
    pub(crate) fn settle(&self, began: Instant) -> Result<(), Stop> {
        let mut process = self.process.borrow_mut();
        if !process.is_awaited() {
            return Ok(());
        }
        let received = process.receive_any(began);
        match self.note(&mut process, received) {
            Err(Stop::Refused(_) | Stop::Missing(_) | Stop::Unsupported(_)) => Ok(()),
            answer => answer,
        }
    }

    /// Adds an answer to the steps of the case.
    fn note<T: fmt::Debug>(
        &self,
        process: &mut Process,
        received: Result<Result<T, Refused>, Stop>,
    ) -> Result<T, Stop> {
        let log = match &received {
            Ok(Err(Refused::Driver { log, .. })) => log.clone(),
            _ => Vec::new(),
        };
        let answer: Result<T, Stop> = received.and_then(|answer| accept(&process.name, answer));
        trace::write(|| Event::Answer {
            process: process.id(),
            answer: answer.as_ref().map_or_else(ToString::to_string, |value| format!("{value:?}")),
            succeeded: answer.is_ok(),
            deadline_ms: matches!(answer, Err(Stop::TimedOut { .. })).then(|| milliseconds(process.deadline)),
        });
        self.steps.borrow_mut().push(Step {
            role: process.name.clone(),
            call: process.step.clone(),
            answer: match &answer {
                Ok(value) => shortened(value),
                Err(Stop::Refused(refusal)) => refusal.code.to_string(),
                Err(Stop::Crashed { end, .. }) => end.clone(),
                Err(Stop::TimedOut { .. }) => "no answer before the deadline".to_owned(),
                Err(stop) => stop.to_string(),
            },
            ms: process.took.take().map(step::milliseconds),
            log,
        });
        answer
    }

    /// A call that was sent and whose answer has not been read.
    pub(crate) fn pending<T>(&self) -> Pending<T> {
        Pending { role: self.clone(), output: std::marker::PhantomData }
    }

    /// Takes the descriptor that came with the last answer.
    pub(crate) fn descriptor_of_the_last_answer(&self) -> Option<OwnedFd> {
        self.process.borrow_mut().descriptors.pop()
    }

    /// Waits until the process has exited in order, after a call that makes it exit.
    pub(crate) fn finish_exit(&self) -> Result<(), Stop> {
        let mut process = self.process.borrow_mut();
        let deadline = process.deadline;
        process.finish_exit(deadline)
    }

    /// Allows the process to crash or hang when it exits, because the case accepts that of one of its calls.
    pub(crate) fn may_crash(&self) {
        self.process.borrow_mut().may_crash = true;
    }

    /// Allows the process to end the case with a context that no longer works, or with resources that the driver does not
    /// take back. Otherwise that fails the case: a refused call must leave the context as it was.
    pub fn may_be_lost(&self) {
        self.process.borrow_mut().may_be_lost = true;
    }

    pub(crate) fn must_be_sound(&self) -> bool {
        !self.process.borrow().may_be_lost
    }

    /// Kills the process with SIGKILL and waits until it has ended.
    ///
    /// # Errors
    /// [`Stop`], if the process cannot be killed.
    pub fn kill(&self) -> Result<(), Stop> {
        self.trace_signal(rustix::process::Signal::KILL);
        self.process.borrow_mut().kill()
    }

    /// Waits until the process has replaced its program by the same one, which has the same process id and nothing of
    /// what it held before.
    ///
    /// `call` asks the role for that.
    pub(crate) fn await_new_program(&self, call: &(impl Serialize + fmt::Debug)) -> Result<(), Stop> {
        self.send(call, &[])?;
        let mut process = self.process.borrow_mut();
        let began = process.begin_again();
        let answer = began.as_ref().map_or_else(ToString::to_string, |()| "a new program".to_owned());
        let (role, call) = (process.name.clone(), process.step.clone());
        self.steps.borrow_mut().push(Step { role, call, answer, log: Vec::new(), ms: None });
        began
    }

    /// Sends SIGSTOP, and waits until the process has stopped. It does nothing until [`Role::resume`].
    ///
    /// # Errors
    /// [`Stop`], if the signal cannot be sent, or if the process does not stop before the deadline of a step.
    pub fn stop(&self) -> Result<(), Stop> {
        self.trace_signal(rustix::process::Signal::STOP);
        let mut process = self.process.borrow_mut();
        process.signal(rustix::process::Signal::STOP)?;
        process.await_stop()
    }

    /// Sends SIGCONT.
    ///
    /// # Errors
    /// [`Stop`], if the signal cannot be sent.
    pub fn resume(&self) -> Result<(), Stop> {
        self.trace_signal(rustix::process::Signal::CONT);
        self.process.borrow_mut().signal(rustix::process::Signal::CONT)
    }

    fn trace_signal(&self, signal: rustix::process::Signal) {
        trace::write(|| Event::Signal { process: self.id(), signal: signal.as_raw() });
    }

    /// Sets the time limit of the steps of this role.
    pub fn set_deadline(&self, deadline: Duration) {
        self.process.borrow_mut().deadline = deadline;
    }

    /// Leaves the process little time for each step, because another process of its case has used the time of both.
    pub(crate) fn hurry(&self) {
        const LITTLE: Duration = Duration::from_millis(500);
        let mut process = self.process.borrow_mut();
        process.deadline = process.deadline.min(LITTLE);
    }

    /// Returns the name that the case gave the role.
    #[must_use]
    pub fn name(&self) -> String {
        self.process.borrow().name.clone()
    }

    /// Returns the process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.borrow().id()
    }

    /// Returns where the process was placed.
    pub(crate) fn placement(&self) -> Placement {
        self.process.borrow().placement.clone()
    }

    /// Returns the number of the process in its own PID namespace.
    pub(crate) fn inner_id(&self) -> u32 {
        self.process.borrow().inner_id
    }

    /// Whether the process has ended.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.process.borrow().is_gone()
    }

    /// Lets the process exit by itself, if it has not ended. Nothing waits for that yet.
    pub(crate) fn begin_to_exit(&self) {
        self.process.borrow().begin_to_exit();
    }

    /// Returns the process after the case has ended, or `None` if the case still holds a clone.
    pub(crate) fn into_process(self) -> Option<Process> {
        Rc::try_unwrap(self.process).ok().map(RefCell::into_inner)
    }
}

impl<T: DeserializeOwned + fmt::Debug> Pending<T> {
    /// Waits for the answer.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn finish(self) -> Result<T, Stop> {
        self.role.answer()
    }

    /// Waits for this duration. Returns whether there is still no answer.
    ///
    /// # Errors
    /// [`Stop`], if waiting fails.
    pub fn still_waits_after(&self, patience: Duration) -> Result<bool, Stop> {
        let deadline = Instant::now() + patience;
        let still_waits = !self.role.process.borrow_mut().has_answer(deadline)?;
        trace::write(|| Event::Wait { process: self.role.id(), ms: milliseconds(patience), still_waits });
        Ok(still_waits)
    }
}

/// Returns a duration as the trace has it.
fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the output of a call, or why it has none.
fn accept<T>(role: &str, answer: Result<T, Refused>) -> Result<T, Stop> {
    answer.map_err(|refused| match refused {
        Refused::Driver { function, code, .. } => {
            Stop::Refused(Refusal { role: role.to_owned(), function, code: CUresult(code) })
        }
        Refused::Missing(message) => Stop::Missing(message),
        Refused::Unsupported(message) => Stop::Unsupported(message),
        Refused::Unusable(message) => Stop::failed(format!("{role}: {message}")),
        Refused::Role(message) => Stop::Harness(format!("{role}: {message}")),
    })
}
