//! Steps of processes: they end, stop, resume, and replace their program.

use conformance::{Outcome, Placement, Role, Stop};

use super::operation::{Live, Operation};
use super::world::World;
use crate::support::latch::Latch;

/// What happens to a process.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// SIGKILL. A new process takes its place.
    Kill,
    /// It returns from `main`, and a new process takes its place.
    Exit,
    /// It replaces its program, and keeps its process id.
    Exec,
    /// SIGSTOP.
    Stop,
    /// SIGCONT.
    Resume,
}

/// An event of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) by: usize,
    pub(crate) event: Event,
}

impl Operation for Step {
    fn by(&self) -> usize {
        self.by
    }

    fn row(&self, _: &World) -> &'static str {
        "PROC-001"
    }

    fn is_possible(&self, before: &World) -> bool {
        let is_stopped = before.processes[self.by].is_stopped;
        match self.event {
            Event::Resume => is_stopped,
            // A stopped process can be killed, but it performs nothing.
            Event::Kill => true,
            Event::Stop => !is_stopped,
            // An end in good order may wait for the process's own work.
            Event::Exit | Event::Exec => !is_stopped && !before.is_busy(self.by),
        }
    }

    fn apply(&self, world: &mut World) {
        match self.event {
            Event::Kill | Event::Exit | Event::Exec => world.end_process(self.by),
            Event::Stop => world.processes[self.by].is_stopped = true,
            Event::Resume => world.processes[self.by].is_stopped = false,
        }
    }

    fn perform(&self, before: &World, live: &mut Live) -> Outcome {
        let role = live.role(self.by);
        match self.event {
            Event::Kill => role.kill()?,
            Event::Exit => role.exit()?,
            Event::Exec => {
                role.exec()?;
                return prepare(&role, before.holds_streams);
            }
            Event::Stop => return role.stop(),
            Event::Resume => return role.resume(),
        }
        live.roles[self.by] = start(self.by, before.processes[self.by].device, before.holds_streams)?;
        Ok(())
    }

    fn lines(&self, before: &World) -> String {
        let (by, device) = (self.by, before.processes[self.by].device);
        let ended = |how: &str| format!("p{by}.{how}()?;\n{}", lines_of_start(by, device, before.holds_streams));
        match self.event {
            Event::Kill => ended("kill"),
            Event::Exit => ended("exit"),
            Event::Exec => format!("p{by}.exec()?;\n{}", line_of_prepare(by, before.holds_streams)),
            Event::Stop => format!("p{by}.stop()?;"),
            Event::Resume => format!("p{by}.resume()?;"),
        }
    }
}

/// Starts the role of a process of a script, which may hold streams.
pub(crate) fn start(by: usize, device: i32, holds_streams: bool) -> Result<Role, Stop> {
    let role = Role::new(&format!("p{by}"), Placement::device(device))?;
    prepare(&role, holds_streams)?;
    Ok(role)
}

fn prepare(role: &Role, holds_streams: bool) -> Outcome {
    if holds_streams { Latch::prepare(role) } else { Ok(()) }
}

/// The lines of a case that do the same.
pub(crate) fn lines_of_start(by: usize, device: i32, holds_streams: bool) -> String {
    let prepare = line_of_prepare(by, holds_streams);
    format!("let p{by} = Role::new(\"p{by}\", Placement::device({device}))?;\n{prepare}")
}

fn line_of_prepare(by: usize, holds_streams: bool) -> String {
    if holds_streams { format!("Latch::prepare(&p{by})?;") } else { String::new() }
}
