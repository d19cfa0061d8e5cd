//! Imports that stay open while their process opens and closes many others.

use conformance::{Expect as _, MIB, Outcome, Role, check, seed};
use rstest::rstest;

use crate::support::constants::{DESCRIPTOR, NOT_READY};
use crate::support::fixtures::{exporter, importer};
use crate::support::latch::Latch;
use crate::support::virtual_memory::{SIZE, create_exportable, import, map_readable_and_writable};
use crate::support::{event, legacy, shared_pool};

/// More than any table of 8 bits has places, and few enough for one call on any GPU.
const OTHERS: usize = 500;

/// An import of memory has its contents, and its close unmaps it, after its process has opened and closed other memory
/// hundreds of times.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-CLOSE-001", needs(legacy_memory))]
fn memory_stays_open_beside_many_others(exporter: Role, importer: Role) -> Outcome {
    let (there, here, pattern) = legacy::share(&exporter, &importer, 2 * MIB)?;
    let (other, others_pattern) = legacy::filled(&exporter, 2 * MIB)?;
    let handle = exporter.ipc_get_mem_handle(other)?;
    check!(importer.ipc_open_and_close_repeatedly(handle, others_pattern, OTHERS)? == None);
    check!(importer.mismatches(here, 2 * MIB, pattern)? == 0);
    let next = pattern.wrapping_add(1);
    importer.fill(here, 2 * MIB, next)?;
    check!(exporter.mismatches(there, 2 * MIB, next)? == 0);
    importer.ipc_close_mem_handle(here)?;
    importer.read(here, 4).refused(&[])?;
    check!(exporter.mismatches(there, 2 * MIB, next)? == 0);
    Ok(())
}

/// An imported event is pending until its own work has ended, after its process has opened and destroyed another event
/// hundreds of times.
#[rstest]
#[conformance::test("IPCEVT-018", "IPCEVT-024", needs(interprocess_events))]
fn an_event_stays_open_beside_many_others(exporter: Role, importer: Role) -> Outcome {
    let (event, kept) = event::share(&exporter, &importer)?;
    let (other, handle) = event::export(&exporter)?;
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    exporter.event_record(other, stream)?;
    check!(importer.ipc_open_and_destroy_event_repeatedly(handle, OTHERS)? == None);
    importer.event_query(kept).refused(NOT_READY)?;
    latch.release()?;
    exporter.stream_synchronize(stream)?;
    importer.event_query(kept)?;
    importer.event_destroy(kept)
}

/// A mapping of imported physical memory has its contents, after its process has imported, mapped and released other
/// memory hundreds of times.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn physical_memory_stays_mapped_beside_many_others(exporter: Role, importer: Role) -> Outcome {
    let (physical, pattern) = (create_exportable(&exporter)?, seed());
    let there = map_readable_and_writable(&exporter, physical)?;
    exporter.fill(there, SIZE, pattern)?;
    let here = map_readable_and_writable(&importer, import(&exporter, physical, &importer)?)?;
    let (other, others_pattern) = (create_exportable(&exporter)?, pattern.wrapping_add(1));
    exporter.fill(map_readable_and_writable(&exporter, other)?, SIZE, others_pattern)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(other)?)?;
    let received = importer.receive_descriptor(&sent)?;
    check!(importer.mem_import_and_release_repeatedly(received, SIZE, others_pattern, OTHERS)? == None);
    check!(importer.mismatches(here, SIZE, pattern)? == 0);
    let next = pattern.wrapping_add(2);
    importer.fill(here, SIZE, next)?;
    check!(exporter.mismatches(there, SIZE, next)? == 0);
    Ok(())
}

/// An imported pointer of a pool has its contents, after its process has imported and destroyed another pool many times.
#[rstest]
#[conformance::test("POOL-PTR-001", needs(pool_descriptors))]
fn memory_of_a_pool_stays_imported_beside_many_others(exporter: Role, importer: Role) -> Outcome {
    /// On a GPU, the import of a pool takes longer than any other.
    const OTHERS: usize = 300;
    let pattern = seed();
    let kept = shared_pool::share_memory(&exporter, &importer, pattern)?;
    let (other, others_pattern) = (exporter.mem_pool_create(DESCRIPTOR)?, pattern.wrapping_add(1));
    let sent = exporter.send_descriptor(exporter.mem_pool_export_to_descriptor(other)?)?;
    let (_, data) = shared_pool::export_filled(&exporter, other, others_pattern)?;
    let received = importer.receive_descriptor(&sent)?;
    check!(importer.mem_pool_import_and_destroy_repeatedly(received, data, others_pattern, OTHERS)? == None);
    check!(importer.mismatches(kept.here, shared_pool::SIZE, pattern)? == 0);
    let next = pattern.wrapping_add(2);
    importer.fill(kept.here, shared_pool::SIZE, next)?;
    check!(exporter.mismatches(kept.there, shared_pool::SIZE, next)? == 0);
    Ok(())
}
