//! Opens and closes in large numbers.

use conformance::calls::many::Call;
use conformance::{Descriptor, EventHandle, MIB, MemHandle, Needs, Outcome, Pending, Role, Stop, need};
use rstest::rstest;

use super::watch::Watch;
use super::{sized, start_many};
use crate::support::constants::DESCRIPTOR;
use crate::support::fixtures::{exporter, observer};
use crate::support::{event, virtual_memory};

/// What is opened and closed.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A legacy handle of memory.
    Memory,
    /// The handle of an interprocess event.
    Event,
    /// A descriptor of virtual memory.
    Descriptor,
    /// A descriptor of a memory pool.
    Pool,
}

impl Kind {
    fn need(self) -> Outcome {
        let needs = Needs::none();
        need(&match self {
            Self::Memory => needs.legacy_memory(),
            Self::Event => needs.interprocess_events(),
            Self::Descriptor => needs.memory_descriptors(),
            Self::Pool => needs.pool_descriptors(),
        })
    }

    /// The number of opens in the full load. On a GPU, the import of a pool takes longer than any other.
    const fn full(self) -> usize {
        match self {
            Self::Memory | Self::Event | Self::Descriptor => 100_000,
            Self::Pool => 20_000,
        }
    }

    /// Exports something. Returns what each importer opens.
    fn share(self, exporter: &Role, importers: &[Role]) -> Result<Vec<Shared>, Stop> {
        match self {
            Self::Memory => {
                let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(2 * MIB)?)?;
                Ok(vec![Shared::Memory(handle); importers.len()])
            }
            Self::Event => {
                let (_, handle) = event::export(exporter)?;
                Ok(vec![Shared::Event(handle); importers.len()])
            }
            Self::Descriptor => {
                let physical = virtual_memory::create_exportable(exporter)?;
                let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
                importers.iter().map(|importer| importer.receive_descriptor(&sent).map(Shared::Descriptor)).collect()
            }
            Self::Pool => {
                let pool = exporter.mem_pool_create(DESCRIPTOR)?;
                let sent = exporter.send_descriptor(exporter.mem_pool_export_to_descriptor(pool)?)?;
                importers.iter().map(|importer| importer.receive_descriptor(&sent).map(Shared::Pool)).collect()
            }
        }
    }
}

/// What an importer opens.
#[derive(Clone, Copy)]
enum Shared {
    Memory(MemHandle),
    Event(EventHandle),
    Descriptor(Descriptor),
    Pool(Descriptor),
}

impl Shared {
    /// Returns the call that opens and closes it a number of times.
    fn open_and_close(self, rounds: usize) -> Call {
        match self {
            Self::Memory(handle) => Call::ipc_open_and_close_repeatedly { handle, rounds },
            Self::Event(handle) => Call::ipc_open_and_destroy_event_repeatedly { handle, rounds },
            Self::Descriptor(descriptor) => Call::mem_import_and_release_repeatedly { descriptor, rounds },
            Self::Pool(descriptor) => Call::mem_pool_import_and_destroy_repeatedly { descriptor, rounds },
        }
    }
}

/// The device memory that an import may take while it is open: pages that describe it.
const OF_AN_IMPORT: u64 = 8 * MIB;

/// Several processes that open and close what one process exports, 100,000 times in the full load, keep nothing of it.
#[rstest]
#[conformance::test("PROC-013")]
fn opening_and_closing_keeps_nothing(
    exporter: Role,
    observer: Role,
    #[values(Kind::Memory, Kind::Event, Kind::Descriptor, Kind::Pool)] kind: Kind,
) -> Outcome {
    /// So many rounds take less than a deadline on any GPU.
    const ROUNDS_OF_A_CALL: usize = 500;
    kind.need()?;
    let importers = start_many(&observer, sized(4, 10))?;
    let shared = kind.share(&exporter, &importers)?;
    let begin = || -> Result<Vec<Pending<()>>, Stop> {
        let opens = importers.iter().zip(&shared);
        opens.map(|(importer, shared)| importer.begin(shared.open_and_close(ROUNDS_OF_A_CALL))).collect()
    };
    begin()?.into_iter().try_for_each(Pending::finish)?;
    let rounds = sized(4 * ROUNDS_OF_A_CALL * importers.len(), kind.full()) / importers.len();
    let watch = Watch::begin(&observer, importers.iter().chain([&exporter]), rounds)?;
    for _ in 0..rounds / ROUNDS_OF_A_CALL {
        let pending = begin()?;
        let seen = watch.during(1, OF_AN_IMPORT * importers.len() as u64);
        // A process that is still in a call cannot give anything back.
        pending.into_iter().try_for_each(Pending::finish)?;
        seen?;
    }
    watch.end()
}
