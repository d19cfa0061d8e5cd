//! A step of any protocol.

use conformance::Outcome;

use super::operation::{Live, Operation};
use super::world::World;
use super::{contents, events, legacy, pools, process, virtual_memory};

/// The protocols that a script may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Legacy,
    Events,
    VirtualMemory,
    Pools,
}

impl Protocol {
    pub(crate) const ALL: [Self; 4] = [Self::Legacy, Self::Events, Self::VirtualMemory, Self::Pools];

    /// The protocol as a list.
    pub(crate) const fn alone(self) -> &'static [Self] {
        match self {
            Self::Legacy => &[Self::Legacy],
            Self::Events => &[Self::Events],
            Self::VirtualMemory => &[Self::VirtualMemory],
            Self::Pools => &[Self::Pools],
        }
    }
}

/// One step of a script.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Process(process::Step),
    Contents(contents::Step),
    Legacy(legacy::Step),
    Event(events::Step),
    VirtualMemory(virtual_memory::Step),
    Pool(pools::Step),
}

impl Step {
    fn operation(&self) -> &dyn Operation {
        match self {
            Self::Process(step) => step,
            Self::Contents(step) => step,
            Self::Legacy(step) => step,
            Self::Event(step) => step,
            Self::VirtualMemory(step) => step,
            Self::Pool(step) => step,
        }
    }

    /// Whether the step can be performed: what it names exists, and its process is not stopped.
    pub(crate) fn is_possible(&self, before: &World) -> bool {
        let operation = self.operation();
        let Some(process) = before.processes.get(operation.by()) else { return false };
        let can_perform = match self {
            Self::Process(step) => !process.is_lost || matches!(step.event, process::Event::Kill),
            // These wait for nothing.
            Self::Event(_) => !process.is_stopped && !process.is_lost,
            Self::Contents(_) | Self::Legacy(_) | Self::VirtualMemory(_) | Self::Pool(_) => {
                !process.is_stopped && !process.is_lost && !before.is_busy(operation.by())
            }
        };
        can_perform && operation.is_possible(before)
    }

    pub(crate) fn row(&self, before: &World) -> &'static str {
        self.operation().row(before)
    }

    pub(crate) fn apply(&self, world: &mut World) {
        self.operation().apply(world);
    }

    pub(crate) fn perform(&self, before: &World, live: &mut Live) -> Outcome {
        self.operation().perform(before, live)
    }

    pub(crate) fn lines(&self, before: &World) -> String {
        self.operation().lines(before)
    }
}
