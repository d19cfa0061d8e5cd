//! How a role's process ends: it exits, it crashes, or the runner kills it.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::net::Shutdown;
use rustix::process::Signal;

use super::Process;
use super::status::describe;
use crate::Stop;
use crate::trace::{self, Event};

/// How long a process may take to end, at the end of its case or after SIGKILL. The deadline of its steps does not
/// count, because a case may have shortened it.
const TIME_TO_END: Duration = Duration::from_secs(10);

impl Process {
    /// Kills the process and waits until it has ended. If SIGKILL does not end it, the process is given up: one that
    /// waits in the kernel for a device may never end.
    pub(crate) fn kill(&mut self) -> Result<(), Stop> {
        if self.is_gone() {
            return Ok(());
        }
        self.child.kill().map_err(|error| Stop::Harness(format!("{}: cannot kill the process: {error}", self.name)))?;
        if self.channel.has_ended(Instant::now() + TIME_TO_END).unwrap_or(false) {
            return self.reap().map(drop);
        }
        self.is_gone = true;
        let role = format!("{} (process {})", self.name, self.id());
        Err(Stop::TimedOut { role, step: "kill(SIGKILL)".to_owned(), deadline: TIME_TO_END })
    }

    /// Ends a process that nothing watches.
    pub(super) fn end_unwatched(&mut self) {
        // The process has just begun, so no call of a driver holds it in the kernel.
        let _ = self.child.kill();
        let _ = self.reap();
    }

    /// Waits until a process that ends has ended, however it does.
    pub(super) fn wait_for_exit(&mut self) -> Result<ExitStatus, Stop> {
        if self.ends_before(Instant::now() + self.deadline) {
            return self.reap();
        }
        self.kill()?;
        Err(Stop::TimedOut { role: self.name.clone(), step: self.step.clone(), deadline: self.deadline })
    }

    /// Waits until a process that was asked to exit has ended. A driver that crashes or hangs meanwhile stops the case,
    /// unless the case accepts that.
    pub(super) fn finish_exit(&mut self, deadline: Duration) -> Result<(), Stop> {
        self.finish_exit_until(Instant::now() + deadline, deadline)
    }

    /// The same, for a process whose deadline began when it was asked to exit.
    fn finish_exit_until(&mut self, until: Instant, deadline: Duration) -> Result<(), Stop> {
        "exit".clone_into(&mut self.step);
        let (role, step) = (self.name.clone(), self.step.clone());
        let (stop, end) = if self.ends_before(until) {
            let status = self.reap()?;
            if status.success() || self.ended_with_its_namespace(status) {
                trace::write(|| Event::Ended { process: self.id(), end: None });
                return Ok(());
            }
            let end = describe(status);
            (Stop::Crashed { role, end: end.clone(), step }, end)
        } else {
            // No case accepts a process that SIGKILL does not end.
            self.kill()?;
            (Stop::TimedOut { role, step, deadline }, "did not end before the deadline".to_owned())
        };
        trace::write(|| Event::Ended { process: self.id(), end: Some(end) });
        if self.may_crash { Ok(()) } else { Err(stop) }
    }

    /// Whether the kernel killed the process because process 1 of its PID namespace ended.
    fn ended_with_its_namespace(&self, status: ExitStatus) -> bool {
        self.placement.pid_namespace.is_some() && status.signal() == Some(Signal::KILL.as_raw())
    }

    /// Waits until the process has ended. Reads and discards what it still sends, because a full socket would keep it from
    /// exiting.
    fn ends_before(&self, deadline: Instant) -> bool {
        // A message that is there is received even after the deadline, so a process that keeps sending would go on for
        // ever.
        while Instant::now() < deadline && self.channel.receive(Some(deadline)).is_ok() {}
        self.channel.has_ended(deadline).unwrap_or(false)
    }

    /// Takes the status of the process, which has ended. If another process traces it, such as a debugger, the kernel keeps
    /// the status from its parent until that one has seen it. Then the process is given up.
    fn reap(&mut self) -> Result<ExitStatus, Stop> {
        // No call waits for a child with a deadline.
        const BETWEEN: Duration = Duration::from_millis(1);
        let until = Instant::now() + TIME_TO_END;
        loop {
            let ended = self
                .child
                .try_wait()
                .map_err(|error| Stop::Harness(format!("{}: cannot wait for the process: {error}", self.name)))?;
            if let Some(status) = ended {
                self.is_gone = true;
                return Ok(status);
            }
            if Instant::now() >= until {
                self.is_gone = true;
                let (role, id) = (&self.name, self.id());
                return Err(Stop::Harness(format!(
                    "{role}: process {id} has ended, but a process that traces it does not let it go"
                )));
            }
            std::thread::sleep(BETWEEN);
        }
    }

    /// Reports a process that crashed, hung or did not end in order while no case owned it. The run fails because of that.
    pub(crate) fn report(&self, stop: &Stop) {
        self.bad_ends.add(format!("process {}, {stop}", self.id()));
    }

    /// Whether a process that waits for a case has ended, although nobody asked for that. If so, it is reported: no case is
    /// to blame.
    pub(crate) fn has_ended_unasked(&mut self) -> bool {
        if self.is_gone() || !self.channel.has_ended(Instant::now()).unwrap_or(false) {
            return self.is_gone();
        }
        let stop = match self.reap() {
            Ok(status) => {
                let end = describe(status);
                trace::write(|| Event::Ended { process: self.id(), end: Some(end.clone()) });
                Stop::Crashed { role: self.name.clone(), end, step: "the time between two cases".to_owned() }
            }
            Err(stop) => stop,
        };
        self.report(&stop);
        self.is_gone = true;
        true
    }

    /// Lets the process exit by itself. [`Process::end`] waits for that.
    pub(crate) fn begin_to_exit(&self) {
        // If the connection is closed already, the process exits anyway.
        let _ = rustix::net::shutdown(&self.channel, Shutdown::Write);
        self.asked_to_exit.set(self.asked_to_exit.get().or_else(|| Some(Instant::now())));
    }

    /// Lets the process exit by itself, so that the driver can clean up, and kills it if it does not.
    ///
    /// # Errors
    /// [`Stop`], if the process crashed or hung meanwhile.
    pub(crate) fn end(&mut self) -> Result<(), Stop> {
        if self.is_gone() {
            return Ok(());
        }
        self.begin_to_exit();
        // Processes that were asked together share the time. A moment is left, because the runner may have been stopped.
        let now = Instant::now();
        let until = self.asked_to_exit.get().unwrap_or(now) + TIME_TO_END;
        self.finish_exit_until(until.max(now + TIME_TO_END / 20), TIME_TO_END)
    }
}

impl Drop for Process {
    /// Ends the process, if its owner did not.
    fn drop(&mut self) {
        if let Err(stop) = self.end() {
            self.report(&stop);
        }
        // A process that was given up may have ended since.
        let _ = self.child.try_wait();
        // Not earlier: some cases check whether other processes can still use these files.
        let user = self.placement.user.unwrap_or_else(|| rustix::process::getuid().as_raw());
        peer::remove_driver_files_of(user, self.inner_id, self.started);
    }
}
