//! Pools that come and go.

use conformance::{Outcome, Role, check};
use rstest::rstest;

use super::sized;
use super::watch::Watch;
use crate::support::constants::DESCRIPTOR;
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::shared_pool::{SIZE, Shared, memory_of};

/// The device memory of a pool with one allocation, at most: a driver reserves more than is asked for.
const OF_A_POOL: u64 = 8 * SIZE;

/// Pools that are created, shared, used and destroyed, 1000 in the full load, leave nothing in either process.
#[rstest]
#[conformance::test("PROC-013", needs(pool_descriptors))]
fn pools_that_come_and_go_leave_nothing(exporter: Role, importer: Role, observer: Role) -> Outcome {
    const LOOK_EVERY: usize = 50;
    const ROUNDS_BEFORE: u32 = 10;
    for round in 0..ROUNDS_BEFORE {
        live(&exporter, &importer, round, |_| Ok(()))?;
    }
    let rounds = sized(100, 1000);
    let watch = Watch::begin(&observer, [&exporter, &importer], rounds)?;
    for round in 1..=rounds {
        let look = |is_used: bool| if round % LOOK_EVERY == 0 && is_used { watch.during(1, OF_A_POOL) } else { Ok(()) };
        live(&exporter, &importer, round as u32, look)?;
    }
    watch.end()
}

/// One life of a pool, from its creation to its end in both processes.
fn live(exporter: &Role, importer: &Role, pattern: u32, look: impl Fn(bool) -> Outcome) -> Outcome {
    let exported = exporter.mem_pool_create(DESCRIPTOR)?;
    let descriptor = exporter.mem_pool_export_to_descriptor(exported)?;
    let received = importer.receive_descriptor(&exporter.send_descriptor(descriptor)?)?;
    let imported = importer.mem_pool_import_from_descriptor(received)?;
    let both = memory_of(Shared { exported, imported }, exporter, importer, pattern)?;
    check!(importer.mismatches(both.here, SIZE, pattern)? == 0);
    look(true)?;
    importer.mem_free_imported_pointer(both.here)?;
    importer.mem_pool_destroy(imported)?;
    importer.close_descriptor(received)?;
    exporter.mem_free_async_and_wait(both.there)?;
    exporter.mem_pool_destroy(exported)?;
    exporter.close_descriptor(descriptor)
}
