//! Faults that show only in an order of steps which no case of the suite has, and which its models find.
//!
//! With each, a process that gives back something of its own can no longer give back what it has imported before.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::fault;
use crate::process::State;
use crate::range::Memory;

/// The addresses and events that can no longer be given back.
fn spoiled() -> MutexGuard<'static, BTreeSet<u64>> {
    static SPOILED: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
    SPOILED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spoil(imports: impl Iterator<Item = u64>) {
    spoiled().extend(imports);
}

fn breaks_closes() -> bool {
    fault!(
        "close-fails-after-an-own-free",
        ["IPCMEM-CLOSE-001"],
        "An import cannot be closed if its process freed memory of its own meanwhile."
    )
}

fn breaks_unmaps() -> bool {
    fault!(
        "unmap-of-an-import-fails-after-an-own-release",
        ["VMM-MAP-013"],
        "An import cannot be unmapped if its process released memory of its own meanwhile."
    )
}

fn breaks_frees() -> bool {
    fault!(
        "free-of-an-import-fails-after-an-own-free",
        ["POOL-PTR-014"],
        "An import of a pool cannot be freed if its process freed memory of its own pool meanwhile."
    )
}

fn breaks_destroys() -> bool {
    fault!(
        "destroy-import-fails-after-an-own-destroy",
        ["IPCEVT-024"],
        "An imported event cannot be destroyed if its process destroyed an event of its own meanwhile."
    )
}

impl State {
    /// Memory that this process allocated is freed.
    pub(crate) fn spoil_after_free(&self, freed: u64) {
        match self.ranges.get(&freed).map(|range| &range.memory) {
            Some(Memory::Linear(_)) if breaks_closes() => spoil(self.imports.pointers().copied()),
            Some(Memory::Pool { .. }) if breaks_frees() => {
                self.spoil(|memory| matches!(memory, Memory::PoolImport { .. }));
            }
            _ => {}
        }
    }

    /// Physical memory that this process created is released.
    pub(crate) fn spoil_after_release(&self) {
        if breaks_unmaps() {
            self.spoil(|memory| matches!(memory, Memory::Mapping { allocation, .. } if allocation.is_import()));
        }
    }

    fn spoil(&self, is_import: fn(&Memory) -> bool) {
        spoil(self.ranges.iter().filter(|(_, range)| is_import(&range.memory)).map(|(base, _)| *base));
    }

    /// An event that this process created is destroyed.
    pub(crate) fn spoil_after_destroy(&self) {
        if breaks_destroys() {
            spoil(self.events.iter().filter(|(_, event)| event.is_imported()).map(|(event, _)| *event));
        }
    }
}

/// Whether this memory or event of another process cannot be given back.
pub(crate) fn is_spoiled(import: u64) -> bool {
    fault::active().is_some() && spoiled().contains(&import)
}
