//! Pool memory of many GiB. Drivers are reported to crash when a process imports a single allocation of more than 128
//! chunks of 32 MiB. The cases write and read only the two ends of the memory.

use conformance::{Expect as _, GIB, MIB, Outcome, Pointer, Role, check};
use rstest::rstest;

use crate::support::device_memory::need_free_memory;
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::shared_pool::{SIZE, Shared, share};

fn fill_ends(role: &Role, pointer: Pointer, size: u64, seed: u32) -> Outcome {
    role.fill(pointer, SIZE, seed)?;
    role.fill(pointer.offset(size - SIZE), SIZE, seed + 1)
}

fn check_ends(role: &Role, pointer: Pointer, size: u64, seed: u32) -> Outcome {
    check!(role.mismatches(pointer, SIZE, seed)? == 0);
    check!(role.mismatches(pointer.offset(size - SIZE), SIZE, seed + 1)? == 0);
    Ok(())
}

/// Allocates memory of the given size and imports it. The import must show the right data or return an error. The
/// exporter's data must stay intact in both cases.
fn import(pool: &Shared, exporter: &Role, sacrifice: &Role, size: u64) -> Outcome {
    let there = exporter.mem_alloc_from_pool_async(size, pool.exported)?;
    fill_ends(exporter, there, size, 7)?;
    let imported = sacrifice.mem_pool_import_pointer(pool.imported, exporter.mem_pool_export_pointer(there)?);
    // This must hold even if the importer crashed.
    check_ends(exporter, there, size, 7)?;
    let Some(here) = imported.recorded("import")? else { return sacrifice.ctx_synchronize() };
    check_ends(sacrifice, here, size, 7)?;
    fill_ends(sacrifice, here, size, 9)?;
    check_ends(exporter, there, size, 9)
}

/// The driver imports an allocation of 128 to 256 chunks of 32 MiB or refuses it, and no process crashes.
#[rstest]
#[case::of_128_chunks(4096)]
#[case::of_129_chunks(4128)]
#[case::of_164_chunks(5248)]
#[case::of_175_chunks(5600)]
#[case::of_256_chunks(8192)]
#[conformance::test("POOL-PTR-010", needs(pool_descriptors))]
fn a_large_allocation_is_imported_or_refused(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    observer: Role,
    #[case] mebibytes: u64,
) -> Outcome {
    let size = mebibytes * MIB;
    need_free_memory(&observer, size)?;
    import(&share(&exporter, &sacrifice)?, &exporter, &sacrifice, size)?;
    observer.ctx_synchronize()
}

/// The driver imports a large allocation that starts inside a chunk or refuses it, and no process crashes. Such an
/// allocation covers one chunk more.
#[rstest]
#[case::of_129_chunks(4096)]
#[case::of_165_chunks(5248)]
#[conformance::test("POOL-PTR-011", needs(pool_descriptors))]
fn an_unaligned_allocation_is_imported_or_refused(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    observer: Role,
    #[case] mebibytes: u64,
) -> Outcome {
    let size = mebibytes * MIB;
    need_free_memory(&observer, size)?;
    let pool = share(&exporter, &sacrifice)?;
    exporter.mem_alloc_from_pool_async(16 * MIB, pool.exported)?;
    import(&pool, &exporter, &sacrifice, size)?;
    observer.ctx_synchronize()
}

/// A process can import two allocations of 128 chunks from one pool.
#[rstest]
#[conformance::test("POOL-PTR-001", "POOL-PTR-012", needs(pool_descriptors))]
fn several_large_allocations_are_imported(exporter: Role, #[from(importer)] sacrifice: Role) -> Outcome {
    const LARGE: u64 = 4 * GIB;
    const SEEDS: [u32; 2] = [7, 17];
    need_free_memory(&exporter, SEEDS.len() as u64 * LARGE)?;
    let pool = share(&exporter, &sacrifice)?;
    let mut imported = Vec::new();
    for seed in SEEDS {
        let there = exporter.mem_alloc_from_pool_async(LARGE, pool.exported)?;
        fill_ends(&exporter, there, LARGE, seed)?;
        let here = sacrifice.mem_pool_import_pointer(pool.imported, exporter.mem_pool_export_pointer(there)?)?;
        imported.push((here, seed));
    }
    imported.into_iter().try_for_each(|(here, seed)| check_ends(&sacrifice, here, LARGE, seed))
}
