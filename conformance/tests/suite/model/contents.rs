//! Steps that write memory and read it, through any address that a process has of it.

use conformance::{Outcome, check};

use super::operation::{Live, Operation};
use super::world::{Kind, Name, World};
use crate::support::constants::{READ, READ_WRITE};

/// Who moves the bytes. A copy goes through checks of the driver that a kernel never meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mover {
    Kernel,
    Copy,
}

/// What happens to the contents.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Access {
    /// Writes the pattern of a seed over all of the memory.
    Fill(u32),
    /// Checks that all of the memory holds what was written last.
    Check,
}

/// A write or a read of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) by: usize,
    pub(crate) view: Name,
    pub(crate) access: Access,
    pub(crate) mover: Mover,
}

impl Operation for Step {
    fn by(&self) -> usize {
        self.by
    }

    fn row(&self, before: &World) -> &'static str {
        before.views[&self.view].row_of_contents()
    }

    fn is_possible(&self, before: &World) -> bool {
        let is_own = before.views.get(&self.view).is_some_and(|view| view.by == self.by);
        let memory = before.memory_of(self.view);
        let is_written = || memory.is_some_and(|memory| memory.contents.is_some());
        let has_access = || match before.views[&self.view].kind {
            Kind::Own | Kind::Import { .. } => true,
            Kind::Mapping { access: READ_WRITE } => true,
            Kind::Mapping { access } => access == READ && matches!(self.access, Access::Check),
            Kind::Pooled { pool, .. } => before.access_to(self.by, pool) == READ_WRITE,
        };
        is_own && has_access() && memory.is_some() && (matches!(self.access, Access::Fill(_)) || is_written())
    }

    fn apply(&self, world: &mut World) {
        let memory = world.views[&self.view].memory;
        if let (Access::Fill(seed), Some(memory)) = (self.access, world.memory.get_mut(&memory)) {
            memory.contents = Some(seed);
            // No other fill has this seed, and nothing has it as its name.
            world.names.insert(seed);
        }
    }

    fn perform(&self, before: &World, live: &mut Live) -> Outcome {
        let (role, pointer) = (live.role(self.by), live.pointer(self.view)?);
        let Some(memory) = before.memory_of(self.view) else { return Ok(()) };
        let (size, seed) = (memory.size, memory.contents.unwrap_or_default());
        match (self.access, self.mover) {
            (Access::Fill(seed), Mover::Kernel) => role.fill(pointer, size, seed)?,
            (Access::Fill(seed), Mover::Copy) => role.fill_by_copy(pointer, size, seed)?,
            // `check!` also writes the comparison to the trace, from which a program is made.
            (Access::Check, Mover::Kernel) => check!(role.mismatches(pointer, size, seed)? == 0),
            (Access::Check, Mover::Copy) => check!(role.mismatches_by_copy(pointer, size, seed)? == 0),
        }
        Ok(())
    }

    fn lines(&self, before: &World) -> String {
        let Self { by, view, access, mover } = *self;
        let Some(memory) = before.memory_of(view) else { return String::new() };
        let (size, how) = (memory.size, if mover == Mover::Copy { "_by_copy" } else { "" });
        match access {
            Access::Fill(seed) => format!("p{by}.fill{how}(m{view}, {size}, {seed})?;"),
            Access::Check => {
                let seed = memory.contents.unwrap_or_default();
                format!("check!(p{by}.mismatches{how}(m{view}, {size}, {seed})? == 0);")
            }
        }
    }
}
