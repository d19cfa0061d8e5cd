//! Faults that only the models of the suite find, because they need three steps in one order: a process opens an import,
//! gives back something of its own, and then cannot give back the import. Such an import is *spoiled*.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::fault;
use crate::process::State;
use crate::range::Memory;

/// The spoiled addresses and events.
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
        "An import cannot be closed if its process freed memory of its own after the open."
    )
}

fn breaks_unmaps() -> bool {
    fault!(
        "unmap-of-an-import-fails-after-an-own-release",
        ["VMM-MAP-015"],
        "An imported allocation cannot be unmapped if its process released one of its own after the mapping."
    )
}

fn breaks_frees() -> bool {
    fault!(
        "free-of-an-import-fails-after-an-own-free",
        ["POOL-PTR-014"],
        "Memory imported from a pool cannot be freed if its process freed memory of its own pool after the import."
    )
}

fn breaks_destroys() -> bool {
    fault!(
        "destroy-import-fails-after-an-own-destroy",
        ["IPCEVT-024"],
        "An imported event cannot be destroyed if its process destroyed an event of its own after the open."
    )
}

impl State {
    /// With a fault, spoils the imports of a process that frees memory of its own.
    pub(crate) fn spoil_after_free(&self, freed: u64) {
        match self.ranges.get(&freed).map(|range| &range.memory) {
            Some(Memory::Linear(_)) if breaks_closes() => spoil(self.imports.pointers().copied()),
            Some(Memory::Pool { .. }) if breaks_frees() => {
                self.spoil(|memory| matches!(memory, Memory::PoolImport { .. }));
            }
            _ => {}
        }
    }

    /// With a fault, spoils the mapped imports of a process that releases physical memory of its own.
    pub(crate) fn spoil_after_release(&self) {
        if breaks_unmaps() {
            self.spoil(|memory| matches!(memory, Memory::Mapping { allocation, .. } if allocation.is_import()));
        }
    }

    fn spoil(&self, is_import: fn(&Memory) -> bool) {
        spoil(self.ranges.iter().filter(|(_, range)| is_import(&range.memory)).map(|(base, _)| *base));
    }

    /// With a fault, spoils the imported events of a process that destroys an event of its own.
    pub(crate) fn spoil_after_destroy(&self) {
        if breaks_destroys() {
            spoil(self.events.iter().filter(|(_, event)| event.is_imported()).map(|(event, _)| *event));
        }
    }
}

/// Whether an address or an event is spoiled.
pub(crate) fn is_spoiled(import: u64) -> bool {
    fault::active().is_some() && spoiled().contains(&import)
}
