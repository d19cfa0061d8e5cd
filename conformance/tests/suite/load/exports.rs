//! What comes and goes in an exporter: it is created, shared, used and given back many times, beside something that stays.

use conformance::{Expect as _, KIB, Outcome, Role, check, seed};
use rstest::rstest;

use super::sized;
use super::watch::Watch;
use crate::support::constants::{DESCRIPTOR, NOT_READY};
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::latch::Latch;
use crate::support::virtual_memory::{SIZE, create_exportable, import_without_descriptors, map_readable_and_writable};
use crate::support::{event, legacy, shared_pool};

/// A driver that numbers what it exports in 8 bits gives a number again meanwhile.
const ROUNDS_OF_A_SMALL_LOAD: usize = 300;
const ROUNDS: usize = 3000;

/// So many rounds are made before the first look.
const ROUNDS_BEFORE: usize = 10;

/// Memory that is allocated, exported, opened, read, closed and freed, 3000 times in the full load, leaves nothing in
/// either process. Memory that was open before has its contents afterwards, and its close unmaps it.
#[rstest]
#[conformance::test("PROC-013", needs(legacy_memory))]
fn exported_memory_comes_and_goes(exporter: Role, importer: Role, observer: Role) -> Outcome {
    const SMALL: u64 = 64 * KIB;
    let live = || -> Outcome {
        let (there, here, pattern) = legacy::share(&exporter, &importer, SMALL)?;
        check!(importer.mismatches(here, SMALL, pattern)? == 0);
        importer.ipc_close_mem_handle(here)?;
        exporter.mem_free(there)
    };
    let (_, kept, pattern) = legacy::share(&exporter, &importer, SMALL)?;
    (0..ROUNDS_BEFORE).try_for_each(|_| live())?;
    let rounds = sized(ROUNDS_OF_A_SMALL_LOAD, ROUNDS);
    let watch = Watch::begin(&observer, [&exporter, &importer], rounds)?;
    (0..rounds).try_for_each(|_| live())?;
    watch.end()?;
    check!(importer.mismatches(kept, SMALL, pattern)? == 0);
    importer.ipc_close_mem_handle(kept)?;
    importer.read(kept, 4).refused(&[])?;
    Ok(())
}

/// Events that are created, exported, opened, recorded, awaited and destroyed, 3000 times in the full load, leave nothing
/// in either process. An event that was pending before is still pending.
#[rstest]
#[conformance::test("PROC-013", needs(interprocess_events))]
fn exported_events_come_and_go(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let (held, idle) = (exporter.stream_create()?, exporter.stream_create()?);
    let consume = importer.stream_create()?;
    let live = || -> Outcome {
        let (there, here) = event::share(&exporter, &importer)?;
        exporter.event_record(there, idle)?;
        importer.stream_wait_event(consume, here)?;
        importer.stream_synchronize(consume)?;
        importer.event_query(here)?;
        importer.event_destroy(here)?;
        exporter.event_destroy(there)
    };
    let (pending, kept) = event::share(&exporter, &importer)?;
    let latch = Latch::hold(&exporter, held)?;
    exporter.event_record(pending, held)?;
    (0..ROUNDS_BEFORE).try_for_each(|_| live())?;
    let rounds = sized(ROUNDS_OF_A_SMALL_LOAD, ROUNDS);
    let watch = Watch::begin(&observer, [&exporter, &importer], rounds)?;
    (0..rounds).try_for_each(|_| live())?;
    importer.event_query(kept).refused(NOT_READY)?;
    latch.release()?;
    importer.event_synchronize(kept)?;
    watch.end()
}

/// Physical memory that is created, exported, imported, mapped, read and given back, 3000 times in the full load, leaves
/// nothing in either process. Memory that was mapped before has its contents afterwards.
#[rstest]
#[conformance::test("PROC-013", needs(memory_descriptors))]
fn exported_physical_memory_comes_and_goes(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let live = |pattern: u32| -> Outcome {
        let physical = create_exportable(&exporter)?;
        let there = map_readable_and_writable(&exporter, physical)?;
        exporter.fill(there, SIZE, pattern)?;
        let imported = import_without_descriptors(&exporter, physical, &importer)?;
        let here = map_readable_and_writable(&importer, imported)?;
        check!(importer.mismatches(here, SIZE, pattern)? == 0);
        for (role, mapping, physical) in [(&importer, here, imported), (&exporter, there, physical)] {
            role.mem_unmap(mapping, SIZE)?;
            role.mem_address_free(mapping, SIZE)?;
            role.mem_release(physical)?;
        }
        Ok(())
    };
    let (physical, pattern) = (create_exportable(&exporter)?, seed());
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, pattern)?;
    let imported = import_without_descriptors(&exporter, physical, &importer)?;
    let kept = map_readable_and_writable(&importer, imported)?;
    (0..ROUNDS_BEFORE).try_for_each(|round| live(round as u32))?;
    let rounds = sized(ROUNDS_OF_A_SMALL_LOAD, ROUNDS);
    let watch = Watch::begin(&observer, [&exporter, &importer], rounds)?;
    (0..rounds).try_for_each(|round| live(round as u32))?;
    watch.end()?;
    check!(importer.mismatches(kept, SIZE, pattern)? == 0);
    Ok(())
}

/// Memory of one pool that is allocated, exported, imported, read and freed, 3000 times in the full load, leaves nothing in
/// either process, and each import is the memory that was exported last. Memory that was imported before has its contents
/// afterwards.
#[rstest]
#[conformance::test("PROC-013", needs(pool_descriptors))]
fn exported_memory_of_a_pool_comes_and_goes(exporter: Role, importer: Role, observer: Role) -> Outcome {
    const SMALL: u64 = shared_pool::SIZE;
    let pool = shared_pool::share_pool(exporter.mem_pool_create(DESCRIPTOR)?, &exporter, &importer)?;
    let live = |pattern: u32| -> Outcome {
        let both = shared_pool::memory_of(pool, &exporter, &importer, pattern)?;
        check!(importer.mismatches(both.here, SMALL, pattern)? == 0);
        importer.mem_free_imported_pointer(both.here)?;
        exporter.mem_free_async_and_wait(both.there)
    };
    let pattern = seed();
    let kept = shared_pool::memory_of(pool, &exporter, &importer, pattern)?;
    (0..ROUNDS_BEFORE).try_for_each(|round| live(round as u32))?;
    let rounds = sized(ROUNDS_OF_A_SMALL_LOAD, ROUNDS);
    let watch = Watch::begin(&observer, [&exporter, &importer], rounds)?;
    (0..rounds).try_for_each(|round| live(round as u32))?;
    watch.end()?;
    check!(importer.mismatches(kept.here, SMALL, pattern)? == 0);
    Ok(())
}
