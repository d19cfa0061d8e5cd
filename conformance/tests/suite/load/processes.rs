//! Processes that come and go.

use std::cell::Cell;
use std::time::Duration;

use conformance::calls::many::Call;
use conformance::{
    EventHandle, Expect as _, MIB, MemHandle, Needs, Outcome, Placement, PoolPointer, Role, SentDescriptor, Stop,
    check, forget_ended_roles, need, observe, seed,
};
use rstest::rstest;

use super::files::Files;
use super::kind::Kind;
use super::sized;
use super::watch::Watch;
use crate::support::constants::{DESCRIPTOR, NOT_READY};
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::latch::Latch;
use crate::support::legacy::filled;
use crate::support::virtual_memory::{SIZE as SIZE_OF_PHYSICAL, create_exportable, map_readable_and_writable};
use crate::support::{event, shared_pool};

/// How an importer ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Exit,
    Kill,
}

/// What each importer opens, and the seed of its pattern.
enum Shared {
    Memory(MemHandle, u32),
    Event(EventHandle),
    Descriptor(SentDescriptor, u32),
    Pool(SentDescriptor, PoolPointer, u32),
}

/// Checks that the exporter still has what it exported.
type IsKept<'role> = Box<dyn Fn() -> Outcome + 'role>;

const SIZE: u64 = 2 * MIB;

impl Kind {
    /// Exports something. Returns it, and what checks that the exporter still has it.
    fn share<'role>(self, exporter: &'role Role) -> Result<(Shared, IsKept<'role>), Stop> {
        let keeps = move |buffer, size, pattern| -> IsKept<'role> {
            Box::new(move || {
                check!(exporter.mismatches(buffer, size, pattern)? == 0);
                Ok(())
            })
        };
        Ok(match self {
            Self::Memory => {
                let (buffer, pattern) = filled(exporter, SIZE)?;
                let handle = exporter.ipc_get_mem_handle(buffer)?;
                (Shared::Memory(handle, pattern), keeps(buffer, SIZE, pattern))
            }
            Self::Event => {
                let (event, handle) = event::export(exporter)?;
                let stream = exporter.stream_create()?;
                let latch = Latch::hold(exporter, stream)?;
                exporter.event_record(event, stream)?;
                let completes: IsKept<'role> = Box::new(move || {
                    exporter.event_query(event).refused(NOT_READY)?;
                    latch.release()?;
                    exporter.event_synchronize(event)?;
                    exporter.event_record(event, stream)?;
                    exporter.event_synchronize(event)
                });
                (Shared::Event(handle), completes)
            }
            Self::Descriptor => {
                let (physical, pattern) = (create_exportable(exporter)?, seed());
                let mapping = map_readable_and_writable(exporter, physical)?;
                exporter.fill(mapping, SIZE_OF_PHYSICAL, pattern)?;
                let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
                (Shared::Descriptor(sent, pattern), keeps(mapping, SIZE_OF_PHYSICAL, pattern))
            }
            Self::Pool => {
                let (pool, pattern) = (exporter.mem_pool_create(DESCRIPTOR)?, seed());
                let sent = exporter.send_descriptor(exporter.mem_pool_export_to_descriptor(pool)?)?;
                let (pointer, data) = shared_pool::export_filled(exporter, pool, pattern)?;
                (Shared::Pool(sent, data, pattern), keeps(pointer, shared_pool::SIZE, pattern))
            }
        })
    }
}

impl Shared {
    /// Opens it in an importer, which keeps it open, and checks it.
    fn open(&self, importer: &Role) -> Outcome {
        match self {
            Self::Memory(handle, pattern) => {
                let import = importer.ipc_open_mem_handle(*handle)?;
                check!(importer.mismatches(import, SIZE, *pattern)? == 0);
            }
            Self::Event(handle) => {
                let import = importer.ipc_open_event_handle(*handle)?;
                importer.event_query(import).refused(NOT_READY)?;
            }
            Self::Descriptor(sent, pattern) => {
                let imported = importer.mem_import_from_descriptor(importer.receive_descriptor(sent)?)?;
                let mapping = map_readable_and_writable(importer, imported)?;
                check!(importer.mismatches(mapping, SIZE_OF_PHYSICAL, *pattern)? == 0);
            }
            Self::Pool(sent, data, pattern) => {
                let pool = importer.mem_pool_import_from_descriptor(importer.receive_descriptor(sent)?)?;
                let import = importer.mem_pool_import_pointer(pool, *data)?;
                check!(importer.mismatches(import, shared_pool::SIZE, *pattern)? == 0);
            }
        }
        Ok(())
    }
}

/// Importers that open something and end without giving it back, 64 in the full load, leave nothing in the exporter and
/// take no device memory with them. They leave no files in /dev/shm, except those that NVIDIA's driver is known to leave.
/// The exporter can still use what it exported, and export more.
#[rstest]
#[conformance::test("PROC-013")]
fn importers_that_come_and_go_leave_nothing(
    exporter: Role,
    observer: Role,
    #[values(Kind::Memory, Kind::Event, Kind::Descriptor, Kind::Pool)] kind: Kind,
    #[values(End::Exit, End::Kill)] end: End,
) -> Outcome {
    // A daemon of MPS ends the processes of its other clients with one that was killed.
    need(&Needs::none().no_mps())?;
    kind.need()?;
    let (shared, is_kept) = kind.share(&exporter)?;
    let most_files = Cell::new(0);
    let live = |number: usize| -> Outcome {
        let files = Files::list()?;
        let importer = Role::new(&format!("importer {number}"), Placement::device(0).fresh())?;
        shared.open(&importer)?;
        match end {
            End::Exit => importer.exit()?,
            End::Kill => importer.kill()?,
        }
        most_files.set(most_files.get().max(files.left_by(&importer)?));
        drop(importer);
        forget_ended_roles();
        Ok(())
    };
    live(0)?;
    let importers = sized(8, 64);
    let watch = Watch::begin(&observer, [&exporter], importers)?;
    (1..=importers).try_for_each(live)?;
    observe("files_that_an_importer_leaves_in_dev_shm", most_files.get().to_string());
    is_kept()?;
    watch.end()?;
    // A driver that does not forget ended importers may have no room for another one.
    let (shared, is_kept) = kind.share(&exporter)?;
    shared.open(&Role::new("last importer", Placement::device(0).fresh())?)?;
    is_kept()
}

/// Importers that are killed while they open and close memory, 64 in the full load, leave nothing in the exporter. After
/// each of them, another importer opens the memory, reads it and closes it.
#[rstest]
#[conformance::test("PROC-013", needs(no_mps, legacy_memory))]
fn importers_killed_in_a_call_leave_nothing(exporter: Role, importer: Role, observer: Role) -> Outcome {
    /// More than an importer makes before it is killed.
    const ROUNDS: usize = 10_000_000;
    let (buffer, pattern) = filled(&exporter, SIZE)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let live = |number: usize| -> Outcome {
        let killed = Role::new(&format!("importer {number}"), Placement::device(0).fresh())?;
        check!(killed.ipc_open_and_close_repeatedly(handle, pattern, 1)? == None);
        let opens = Call::ipc_open_and_close_repeatedly { handle, seed: pattern, rounds: ROUNDS };
        let _pending = killed.begin::<Option<usize>>(opens)?;
        // At another place of its calls each time.
        std::thread::sleep(Duration::from_micros(2000 + 317 * number as u64));
        killed.kill()?;
        drop(killed);
        forget_ended_roles();
        check!(importer.ipc_open_and_close_repeatedly(handle, pattern, 10)? == None);
        Ok(())
    };
    live(0)?;
    let importers = sized(16, 64);
    let watch = Watch::begin(&observer, [&exporter, &importer], importers)?;
    (1..=importers).try_for_each(live)?;
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    watch.end()
}
