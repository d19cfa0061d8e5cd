//! Handles in large numbers.

use std::collections::HashSet;
use std::hash::Hash;

use conformance::calls::usage::Usage;
use conformance::{Expect as _, KIB, MIB, Outcome, Role, Stop, check, observe, seed};
use rstest::rstest;

use crate::support::device_memory::need_free_memory;
use crate::support::fixtures::{exporter, importer};
use crate::support::growth::{DESCRIPTORS, RESIDENT, check_free_again, check_growth};
use crate::support::legacy::{filled, open};

/// Checks that a process has as many descriptors as before, and at most so many more bytes of host memory.
fn check_uses_little(process: &str, before: &Usage, after: &Usage, most: u64) -> Outcome {
    check_growth(process, DESCRIPTORS, before.descriptors as u64, after.descriptors as u64, 0)?;
    if after.descriptors < before.descriptors {
        let (open, earlier) = (after.descriptors, before.descriptors);
        return Err(Stop::failed(format!("{process} has {open} open descriptors and had {earlier}: some were closed")));
    }
    check_growth(process, RESIDENT, before.resident, after.resident, most)
}

fn are_distinct<T: Eq + Hash>(values: &[T]) -> Outcome {
    let (distinct, all) = (values.iter().collect::<HashSet<_>>().len(), values.len());
    check!(distinct == all, "only {distinct} of {all} are distinct");
    Ok(())
}

/// Many exports give distinct handles, and use no descriptors and little host memory. The limit is recorded.
///
/// The case makes 20,000 allocations, because 100,000 would take seconds.
#[rstest]
#[conformance::test("IPCMEM-GET-030")]
fn many_exports_use_no_descriptors_and_little_memory(exporter: Role) -> Outcome {
    const COUNT: usize = 20_000;
    const MOST_BYTES_A_HANDLE: u64 = KIB;
    let allocations = exporter.mem_alloc_many(512, COUNT)?;
    observe("limit of allocations", allocations.limit());
    let Some(first) = allocations.given.first() else {
        return Err(Stop::failed(format!("no allocation of 512 bytes succeeded: {}", allocations.limit())));
    };
    // The first export sets up resources that all exports share.
    exporter.ipc_get_mem_handle(*first)?;
    let before = exporter.usage()?;
    let handles = exporter.ipc_get_mem_handle_many(allocations.given)?;
    let after = exporter.usage()?;
    observe("limit", handles.limit());
    check!(!handles.given.is_empty(), "no allocation is exported: {}", handles.limit());
    let most = handles.given.len() as u64 * MOST_BYTES_A_HANDLE;
    check_uses_little("exporter", &before, &after, most)?;
    are_distinct(&handles.given)
}

/// Many handles can be open at once, each at its own address, and each gives the memory that it names. The limit is
/// recorded.
///
/// The case opens 4096 small allocations or 256 MiB of large ones, because 10,000 large ones would take 20 GiB.
#[rstest]
#[case::small(4 * KIB, 4096)]
#[case::large(2 * MIB, 128)]
#[conformance::test("IPCMEM-OPEN-039", "IPCMEM-OPEN-001")]
fn many_imports_have_distinct_addresses(
    exporter: Role,
    importer: Role,
    #[case] size: u64,
    #[case] count: usize,
) -> Outcome {
    let allocations = exporter.mem_alloc_many(size, count)?.given;
    check!(allocations.len() == count, "only {} of {count} allocations of {size} bytes succeeded", allocations.len());
    let handles = exporter.ipc_get_mem_handle_many(allocations.clone())?;
    check!(handles.given.len() == count, "{count} exports: {}", handles.limit());
    let imports = importer.ipc_open_mem_handle_many(handles.given)?;
    observe("limit", imports.limit());
    check!(!imports.given.is_empty(), "no handle opens: {}", imports.limit());
    are_distinct(&imports.given)?;
    let first = seed();
    exporter.fill_many(allocations, size, first)?;
    // All of them in one step could take longer than a deadline.
    const OF_A_STEP: usize = 512;
    for (imports, number) in imports.given.chunks(OF_A_STEP).zip((0..).step_by(OF_A_STEP)) {
        let (imports, seed) = (imports.to_vec(), first.wrapping_add(number));
        check!(importer.first_mismatch_of_many(imports, size, seed)? == None);
    }
    Ok(())
}

/// Opening and closing a handle 10,000 times leaks no descriptors and no memory, and each open gives the exporter's
/// memory.
#[rstest]
#[conformance::test("IPCMEM-OPEN-040", "IPCMEM-OPEN-001")]
fn opening_and_closing_does_not_leak(exporter: Role, importer: Role) -> Outcome {
    const WARM_UP: usize = 1000;
    const ROUNDS: usize = 9000;
    // These limits detect a leak of half a KiB of host memory a round, or of the smallest page of a GPU. The kernel's
    // own counts are no more precise.
    const MOST_RESIDENT: u64 = 4 * MIB;
    const MOST_OF_THE_DEVICE: u64 = 32 * MIB;
    let (buffer, pattern) = filled(&exporter, 2 * MIB)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    check!(importer.ipc_open_and_close_repeatedly(handle, pattern, WARM_UP)? == None);
    let (before, free_before) = (importer.usage()?, importer.mem_get_info()?.free);
    check!(importer.ipc_open_and_close_repeatedly(handle, pattern, ROUNDS)? == None);
    let (after, free_after) = (importer.usage()?, importer.mem_get_info()?.free);
    check_uses_little("importer", &before, &after, MOST_RESIDENT)?;
    check_free_again("after all rounds", free_before, free_after, MOST_OF_THE_DEVICE)
}

/// An import of a large allocation covers the whole allocation. The code of the open is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-038")]
fn a_large_import_covers_the_whole_allocation(
    exporter: Role,
    importer: Role,
    #[values(5427, 16384, 65536)] mebibytes: u64,
) -> Outcome {
    let size = mebibytes * MIB;
    need_free_memory(&exporter, size)?;
    let buffer = exporter.mem_alloc(size)?;
    let Some(import) = open(&exporter, buffer, &importer).recorded("open")? else { return Ok(()) };
    let range = importer.mem_get_address_range(import)?;
    check!(range.size == size, "an import of {size} bytes has a range of {} bytes", range.size);
    for offset in [0, size / 2, size - MIB] {
        let pattern = seed();
        exporter.fill(buffer.offset(offset), MIB, pattern)?;
        check!(importer.mismatches(import.offset(offset), MIB, pattern)? == 0);
    }
    Ok(())
}
