//! Opens and closes in large numbers.

use conformance::calls::descriptor::SentDescriptor;
use conformance::calls::many::Call;
use conformance::{Descriptor, EventHandle, MIB, MemHandle, Outcome, Pending, PoolPointer, Role, Stop, seed};
use rstest::rstest;

use super::kind::Kind;
use super::watch::Watch;
use super::{sized, start_many};
use crate::support::constants::DESCRIPTOR;
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::latch::Latch;
use crate::support::virtual_memory::SIZE;
use crate::support::{event, legacy, shared_pool, virtual_memory};

impl Kind {
    /// The number of opens in the full load. On a GPU, the import of a pool takes longer than any other.
    const fn full(self) -> usize {
        match self {
            Self::Memory | Self::Event | Self::Descriptor => 100_000,
            Self::Pool => 20_000,
        }
    }

    /// Exports something. Returns what each importer opens. The work of an event stays pending until the latch is released.
    fn share_with(self, exporter: &Role, importers: &[Role]) -> Result<(Vec<Shared>, Option<Latch>), Stop> {
        let received = |sent: SentDescriptor| importers.iter().map(move |importer| importer.receive_descriptor(&sent));
        Ok(match self {
            Self::Memory => {
                let (buffer, pattern) = legacy::filled(exporter, 2 * MIB)?;
                let handle = exporter.ipc_get_mem_handle(buffer)?;
                (vec![Shared::Memory(handle, pattern); importers.len()], None)
            }
            Self::Event => {
                let (event, handle) = event::export(exporter)?;
                let stream = exporter.stream_create()?;
                let latch = Latch::hold(exporter, stream)?;
                exporter.event_record(event, stream)?;
                (vec![Shared::Event(handle); importers.len()], Some(latch))
            }
            Self::Descriptor => {
                let (physical, pattern) = (virtual_memory::create_exportable(exporter)?, seed());
                exporter.fill(virtual_memory::map_readable_and_writable(exporter, physical)?, SIZE, pattern)?;
                let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
                let shared = |descriptor: Result<_, Stop>| Ok(Shared::Descriptor(descriptor?, pattern));
                (received(sent).map(shared).collect::<Result<_, Stop>>()?, None)
            }
            Self::Pool => {
                let (pool, pattern) = (exporter.mem_pool_create(DESCRIPTOR)?, seed());
                let sent = exporter.send_descriptor(exporter.mem_pool_export_to_descriptor(pool)?)?;
                let (_, data) = shared_pool::export_filled(exporter, pool, pattern)?;
                let shared = |descriptor: Result<_, Stop>| Ok(Shared::Pool(descriptor?, data, pattern));
                (received(sent).map(shared).collect::<Result<_, Stop>>()?, None)
            }
        })
    }

    /// Ends the case because an open gave something else than what was shared.
    fn other_than_shared(self, importer: &Role, round: usize) -> Stop {
        let message = format!("round {round}: {} opened something else than the exporter shared", importer.name());
        match self {
            Self::Event => Stop::failed(message),
            Self::Memory | Self::Descriptor | Self::Pool => Stop::corrupted(message),
        }
    }
}

/// What an importer opens, and the seed of its pattern.
#[derive(Clone, Copy)]
enum Shared {
    Memory(MemHandle, u32),
    Event(EventHandle),
    Descriptor(Descriptor, u32),
    Pool(Descriptor, PoolPointer, u32),
}

impl Shared {
    /// Returns the call that opens, checks and closes it a number of times.
    fn open_and_close(self, rounds: usize) -> Call {
        match self {
            Self::Memory(handle, seed) => Call::ipc_open_and_close_repeatedly { handle, seed, rounds },
            Self::Event(handle) => Call::ipc_open_and_destroy_event_repeatedly { handle, rounds },
            Self::Descriptor(descriptor, seed) => {
                Call::mem_import_and_release_repeatedly { descriptor, size: SIZE, seed, rounds }
            }
            Self::Pool(descriptor, data, seed) => {
                Call::mem_pool_import_and_destroy_repeatedly { descriptor, data, seed, rounds }
            }
        }
    }
}

/// The device memory that an import may take while it is open: pages that describe it.
const OF_AN_IMPORT: u64 = 8 * MIB;

/// Several processes that open and close what one process exports, 100,000 times in the full load, keep nothing of it.
/// Each open gives what was exported.
#[rstest]
#[conformance::test("PROC-013", "IPCMEM-OPEN-001", "IPCEVT-018", "VMM-IMP-001", "POOL-PTR-001")]
fn opening_and_closing_keeps_nothing(
    exporter: Role,
    observer: Role,
    #[values(Kind::Memory, Kind::Event, Kind::Descriptor, Kind::Pool)] kind: Kind,
) -> Outcome {
    /// So many rounds take less than a deadline on any GPU.
    const ROUNDS_OF_A_CALL: usize = 500;
    kind.need()?;
    let importers = start_many(&observer, sized(4, 10))?;
    let (shared, latch) = kind.share_with(&exporter, &importers)?;
    let begin = || -> Result<Vec<Pending<Option<usize>>>, Stop> {
        let opens = importers.iter().zip(&shared);
        opens.map(|(importer, shared)| importer.begin(shared.open_and_close(ROUNDS_OF_A_CALL))).collect()
    };
    let finish = |pending: Vec<Pending<Option<usize>>>| -> Outcome {
        let wrong = pending.into_iter().map(Pending::finish).collect::<Result<Vec<_>, _>>()?;
        let first = importers.iter().zip(wrong).find_map(|(importer, round)| Some((importer, round?)));
        first.map_or(Ok(()), |(importer, round)| Err(kind.other_than_shared(importer, round)))
    };
    finish(begin()?)?;
    let rounds = sized(4 * ROUNDS_OF_A_CALL * importers.len(), kind.full()) / importers.len();
    let watch = Watch::begin(&observer, importers.iter().chain([&exporter]), rounds)?;
    for _ in 0..rounds / ROUNDS_OF_A_CALL {
        let pending = begin()?;
        let seen = watch.during(1, OF_AN_IMPORT * importers.len() as u64);
        // A process that is still in a call cannot give anything back.
        finish(pending)?;
        seen?;
    }
    latch.iter().try_for_each(Latch::release)?;
    watch.end()
}

/// Memory that one thread opens and another one closes, 5000 times in the full load, leaves nothing in the process.
#[rstest]
#[conformance::test("PROC-013", needs(legacy_memory))]
fn closes_of_other_threads_keep_nothing(exporter: Role, importer: Role, observer: Role) -> Outcome {
    // The first threads also take what the allocator keeps for threads.
    const ROUNDS_BEFORE: usize = 50;
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(2 * MIB)?)?;
    let open_and_close = || -> Outcome {
        let import = importer.ipc_open_mem_handle(handle)?;
        importer.ipc_close_mem_handle_from_threads(vec![import])
    };
    (0..ROUNDS_BEFORE).try_for_each(|_| open_and_close())?;
    let rounds = sized(300, 5000);
    let watch = Watch::begin(&observer, [&importer], rounds)?;
    (0..rounds).try_for_each(|_| open_and_close())?;
    watch.end()
}
