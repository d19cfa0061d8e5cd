//! Processes that fault or end, and special environments.

mod checkpoint;
mod compute_mode;
mod exporter_death;
mod platform;
mod scale;

use conformance::{Expect as _, Outcome, Pointer, Role, check, seed, until_changed};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::by_kernel::enqueue_fill;
use crate::support::constants::ILLEGAL_ADDRESS;
use crate::support::fixtures::{exporter, importer};
use crate::support::legacy::share;

/// If an importer is killed while its kernel adds to a word of the exporter's memory, the exporter and the other words
/// are unaffected.
#[rstest]
#[conformance::test("PROC-004", needs(no_mps, legacy_memory))]
fn the_exporter_survives_an_importers_death_in_a_kernel(exporter: Role, importer: Role) -> Outcome {
    const ENDLESS: u64 = 1 << 40;
    const OTHERS: u64 = SIZE - 4096;
    let (counter, pattern) = (exporter.mem_alloc(SIZE)?, seed());
    let others = counter.offset(4096);
    exporter.fill(others, OTHERS, pattern)?;
    exporter.write(counter, vec![0; 4])?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(counter)?)?;
    let stream = importer.stream_create()?;
    importer.launch("add".into(), vec![import.into(), 1_u32.into(), ENDLESS.into()], stream)?;
    // The counter shows that the kernel runs.
    until_changed("the importer's kernel did not start", &vec![0; 4], || exporter.read(counter, 4))?;
    importer.kill()?;
    exporter.ctx_synchronize()?;
    check!(exporter.mismatches(others, OTHERS, pattern)? == 0);
    exporter.fill(counter, SIZE, 9)?;
    check!(exporter.mismatches(counter, SIZE, 9)? == 0);
    Ok(())
}

/// A kernel of the importer that writes to an unmapped address faults, and leaves the exporter unaffected.
#[rstest]
#[conformance::test("PROC-005", needs(virtual_memory, legacy_memory, no_mps))]
fn the_exporter_survives_an_importers_fault(exporter: Role, importer: Role) -> Outcome {
    let (buffer, import, pattern) = share(&exporter, &importer, SIZE)?;
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    let nowhere = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    let stream = importer.stream_create()?;
    enqueue_fill(&importer, nowhere, SIZE, 8, stream)?;
    importer.stream_synchronize(stream).refused(ILLEGAL_ADDRESS)?;
    exporter.ctx_synchronize()?;
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    exporter.fill(buffer, SIZE, 9)?;
    check!(exporter.mismatches(buffer, SIZE, 9)? == 0);
    // The fault made all contexts of the importer unusable, so only the end of the process frees its resources.
    importer.kill()
}
