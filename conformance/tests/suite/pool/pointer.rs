//! `cuMemPoolExportPointer` and `cuMemPoolImportPointer`.

use std::collections::BTreeSet;

use conformance::{Expect as _, KIB, Outcome, Pointer, Pool, Role, Stop, check, observe, seed};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use crate::support::by_kernel::enqueue_fill;
use crate::support::constants::{DESCRIPTOR, INVALID_VALUE, NOT_READY};
use crate::support::event;
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::latch::Latch;
use crate::support::legacy;
use crate::support::pointer_kind::PointerKind;
use crate::support::shared_pool::{
    SIZE, both_see, export_filled, share, share_memory, share_pool, share_pool_of_numa_node,
};
use crate::support::waiting::begin_to_wait_for_stream;

/// How long the `spin` kernel keeps a stream busy.
const NANOSECONDS: u64 = 50_000_000;

/// Exporter and importer each read what the other wrote.
#[rstest]
#[conformance::test("POOL-PTR-001", needs(pool_descriptors))]
fn both_processes_see_what_either_writes(exporter: Role, importer: Role) -> Outcome {
    both_see(share(&exporter, &importer)?, &exporter, &importer)
}

/// Two processes on the second GPU share memory of its pool.
#[rstest]
#[conformance::test("POOL-PTR-001", needs(gpus = 2, pool_descriptors))]
fn memory_of_the_second_gpu_is_shared_on_it(#[with(1)] exporter: Role, #[with(1)] importer: Role) -> Outcome {
    both_see(share(&exporter, &importer)?, &exporter, &importer)
}

/// Small allocations, which can lie in one block, are imported one by one, each with its own data.
#[rstest]
#[conformance::test("POOL-PTR-001", needs(pool_descriptors))]
fn small_allocations_are_imported_one_by_one(exporter: Role, importer: Role) -> Outcome {
    const SMALL: u64 = 4 * KIB;
    let pool = share(&exporter, &importer)?;
    for pattern in [7, 8, 9] {
        let there = exporter.mem_alloc_from_pool_async(SMALL, pool.exported)?;
        exporter.fill(there, SMALL, pattern)?;
        let here = importer.mem_pool_import_pointer(pool.imported, exporter.mem_pool_export_pointer(there)?)?;
        check!(importer.mismatches(here, SMALL, pattern)? == 0);
        importer.fill(here, SMALL, pattern + 10)?;
        check!(exporter.mismatches(there, SMALL, pattern + 10)? == 0);
    }
    Ok(())
}

/// A pointer can be exported once for each importer, and each import shows the memory.
#[rstest]
#[conformance::test("POOL-PTR-001", needs(pool_descriptors))]
fn a_pointer_is_exported_for_each_importer(
    exporter: Role,
    importer: Role,
    #[from(observer)] other_importer: Role,
) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    let pool = share_pool(both.pool.exported, &exporter, &other_importer)?;
    let data = exporter.mem_pool_export_pointer(both.there)?;
    let other = other_importer.mem_pool_import_pointer(pool.imported, data)?;
    importer.fill(both.here, SIZE, 8)?;
    check!(other_importer.mismatches(other, SIZE, 8)? == 0);
    Ok(())
}

/// The driver refuses to export a pointer until its pool has been exported.
#[rstest]
#[conformance::test("POOL-PTR-002", needs(pool_descriptors))]
fn a_pointer_of_an_unexported_pool_is_refused(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(DESCRIPTOR)?;
    let pointer = exporter.mem_alloc_from_pool_async(SIZE, pool)?;
    exporter.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    exporter.mem_pool_export_to_descriptor(pool)?;
    exporter.mem_pool_export_pointer(pointer)?;
    // The export of one pool is not that of another.
    let other = exporter.mem_alloc_from_pool_async(SIZE, exporter.mem_pool_create(DESCRIPTOR)?)?;
    exporter.mem_pool_export_pointer(other).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses to export a pointer to memory that does not come from an exportable pool.
#[rstest]
#[case::linear(PointerKind::Linear)]
#[case::virtual_memory(PointerKind::VirtualMemory)]
#[case::default_pool(PointerKind::DefaultPool)]
#[case::private_pool(PointerKind::PrivatePool)]
#[case::graph(PointerKind::GraphOwned)]
#[case::pinned(PointerKind::Pinned)]
#[case::registered(PointerKind::Registered)]
#[case::heap(PointerKind::Heap)]
#[case::null(PointerKind::Null)]
#[conformance::test("POOL-PTR-003", needs(pool_descriptors, virtual_memory))]
fn other_memory_is_refused(exporter: Role, #[case] kind: PointerKind) -> Outcome {
    let pointer = kind.make(&exporter)?;
    exporter.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses to export a pointer to memory that was imported by a legacy handle.
#[rstest]
#[conformance::test("POOL-PTR-003", needs(legacy_memory, pool_descriptors))]
fn a_legacy_import_is_refused(exporter: Role, importer: Role) -> Outcome {
    let import = legacy::open(&exporter, exporter.mem_alloc(SIZE)?, &importer)?;
    importer.mem_pool_export_pointer(import).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses to export a pointer to managed memory.
#[rstest]
#[conformance::test("POOL-PTR-003", needs(pool_descriptors, managed_memory))]
fn managed_memory_is_refused(exporter: Role) -> Outcome {
    let pointer = PointerKind::Managed.make(&exporter)?;
    exporter.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    Ok(())
}

/// An importer whose stream waits for an event of the exporter's stream can use the memory that was allocated there.
#[rstest]
#[conformance::test("POOL-PTR-013", needs(interprocess_events, pool_descriptors))]
fn an_event_orders_the_first_use(exporter: Role, importer: Role) -> Outcome {
    // The kernels are loaded before the stream is held.
    let pool = share_memory(&exporter, &importer, 7)?.pool;
    let (event, opened) = event::share(&exporter, &importer)?;
    let (copy, produce, consume) = (importer.mem_alloc(SIZE)?, exporter.stream_create()?, importer.stream_create()?);
    let latch = Latch::hold(&exporter, produce)?;
    let there = exporter.mem_alloc_from_pool_async_in(SIZE, pool.exported, produce)?;
    enqueue_fill(&exporter, there, SIZE, 8, produce)?;
    exporter.event_record(event, produce)?;
    let here = importer.mem_pool_import_pointer(pool.imported, exporter.mem_pool_export_pointer(there)?)?;
    importer.stream_wait_event(consume, opened)?;
    importer.memcpy_dtod_async(copy, here, SIZE, consume)?;
    importer.stream_query(consume).refused(NOT_READY)?;
    latch.release()?;
    importer.stream_synchronize(consume)?;
    check!(importer.mismatches(copy, SIZE, 8)? == 0);
    exporter.stream_synchronize(produce)
}

/// Both `cuMemFree` and `cuMemFreeAsync` free an imported pointer; the exporter can go on using its memory, and export
/// it again.
#[rstest]
#[case::mem_free(false)]
#[case::mem_free_async(true)]
#[conformance::test("POOL-PTR-014", "POOL-PTR-015", needs(pool_descriptors))]
fn freeing_an_import_leaves_the_exporters_memory(
    exporter: Role,
    importer: Role,
    #[case] stream_ordered: bool,
) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    if stream_ordered {
        importer.mem_free_async_and_wait(both.here)?;
    } else {
        importer.mem_free_imported_pointer(both.here)?;
    }
    importer.read(both.here, 4).refused(&[])?;
    check!(exporter.mismatches(both.there, SIZE, 7)? == 0);
    exporter.fill(both.there, SIZE, 8)?;
    let again = importer.mem_pool_import_pointer(both.pool.imported, exporter.mem_pool_export_pointer(both.there)?)?;
    check!(importer.mismatches(again, SIZE, 8)? == 0);
    Ok(())
}

/// The exporter may enqueue its free early if its stream waits for an event that follows the importer's free.
#[rstest]
#[conformance::test("POOL-PTR-017", needs(interprocess_events, pool_descriptors))]
fn an_event_orders_the_exporters_free(exporter: Role, importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    let (freed_there, freed_here) = event::share(&exporter, &importer)?;
    // The importer's work is still pending when the exporter has enqueued everything.
    let (copy, stream) = (importer.mem_alloc(SIZE)?, importer.stream_create()?);
    let latch = Latch::hold(&importer, stream)?;
    importer.memcpy_dtod_async(copy, both.here, SIZE, stream)?;
    importer.mem_free_async_in(both.here, stream)?;
    importer.event_record(freed_here, stream)?;
    let following = exporter.stream_create()?;
    exporter.stream_wait_event(following, freed_there)?;
    exporter.mem_free_async_in(both.there, following)?;
    let next = exporter.mem_alloc_from_pool_async_in(SIZE, both.pool.exported, following)?;
    enqueue_fill(&exporter, next, SIZE, 8, following)?;
    observe("the exporter's memory is reused", (next == both.there).to_string());
    let waiting = begin_to_wait_for_stream(&exporter, following)?;
    latch.release()?;
    importer.stream_synchronize(stream)?;
    check!(importer.mismatches(copy, SIZE, 7)? == 0);
    waiting.finish()?;
    check!(exporter.mismatches(next, SIZE, 8)? == 0);
    Ok(())
}

/// The range of an imported pointer covers the exporter's allocation, and the importer can read its last byte.
#[rstest]
#[conformance::test("POOL-PTR-019", needs(pool_descriptors))]
fn an_imported_pointer_covers_the_allocation(exporter: Role, importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    let range = importer.mem_get_address_range(both.here)?;
    check!(range.base == both.here && range.size >= SIZE, "{range:?}");
    let inside = importer.mem_get_address_range(both.here.offset(SIZE - 1))?;
    check!(inside.base == range.base && inside.size == range.size, "{inside:?}, {range:?}");
    importer.read(range.base.offset(range.size - 1), 1)?;
    Ok(())
}

/// The result of importing a pointer into a pool that it does not belong to is recorded.
#[rstest]
#[conformance::test("POOL-PTR-006", needs(pool_descriptors))]
fn the_code_for_data_of_another_pool(exporter: Role, importer: Role) -> Outcome {
    let (one, other) = (share(&exporter, &importer)?, share(&exporter, &importer)?);
    let data = exporter.mem_pool_export_pointer(exporter.mem_alloc_from_pool_async(SIZE, one.exported)?)?;
    importer.mem_pool_import_pointer(other.imported, data).recorded("code")?;
    importer.ctx_synchronize()
}

/// Importing a pointer into the null pool does not succeed, and does not affect the exporter.
#[rstest]
#[conformance::test("POOL-PTR-006", needs(pool_descriptors))]
fn the_null_pool_imports_no_pointer(exporter: Role, #[from(importer)] sacrifice: Role) -> Outcome {
    let pool = share(&exporter, &sacrifice)?.exported;
    let memory = exporter.mem_alloc_from_pool_async(SIZE, pool)?;
    exporter.fill(memory, SIZE, 7)?;
    let data = exporter.mem_pool_export_pointer(memory)?;
    let answer = sacrifice.mem_pool_import_pointer(Pool::NULL, data).survived_or_not("import")?;
    check!(answer.is_none(), "the call returned CUDA_SUCCESS");
    check!(exporter.mismatches(memory, SIZE, 7)? == 0);
    Ok(())
}

/// The results of exporting an interior pointer and of importing it are recorded, and whether the offset is kept.
#[rstest]
#[conformance::test("POOL-PTR-004", needs(pool_descriptors))]
fn the_export_of_an_interior_pointer(exporter: Role, importer: Role) -> Outcome {
    const OFFSET: u64 = 256;
    let pool = share(&exporter, &importer)?;
    let there = exporter.mem_alloc_from_pool_async(SIZE, pool.exported)?;
    exporter.fill(there, SIZE, 7)?;
    let exported = exporter.mem_pool_export_pointer(there.offset(OFFSET)).recorded("export")?;
    let Some(data) = exported else { return Ok(()) };
    let Some(here) = importer.mem_pool_import_pointer(pool.imported, data).recorded("import")? else { return Ok(()) };
    let seen = importer.read(here, 4)?;
    observe("the offset is kept", seen == exporter.read(there.offset(OFFSET), 4)?);
    observe("the import is the base", seen == exporter.read(there, 4)?);
    Ok(())
}

/// The result of exporting memory whose free is done or pending is recorded; other processes are not affected.
#[rstest]
#[case::executed(true)]
#[case::pending(false)]
#[conformance::test("POOL-PTR-005", needs(pool_descriptors))]
fn exporting_freed_memory_leaves_others_unharmed(
    #[from(exporter)] sacrifice: Role,
    observer: Role,
    #[case] executed: bool,
) -> Outcome {
    let pool = sacrifice.mem_pool_create(DESCRIPTOR)?;
    sacrifice.mem_pool_export_to_descriptor(pool)?;
    let pointer = sacrifice.mem_alloc_from_pool_async(SIZE, pool)?;
    if executed {
        sacrifice.mem_free_async_and_wait(pointer)?;
    } else {
        let stream = sacrifice.stream_create()?;
        sacrifice.launch("spin".into(), vec![NANOSECONDS.into()], stream)?;
        sacrifice.mem_free_async_in(pointer, stream)?;
    }
    sacrifice.mem_pool_export_pointer(pointer).survived_or_not("export")?;
    sacrifice.kill()?;
    observer.ctx_synchronize()
}

/// Memory that is imported twice stays mapped until it is freed twice; whether the addresses are equal is recorded.
#[rstest]
#[conformance::test("POOL-PTR-008", needs(pool_descriptors))]
fn every_import_needs_its_own_free(exporter: Role, importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    let second = importer.mem_pool_import_pointer(both.pool.imported, exporter.mem_pool_export_pointer(both.there)?)?;
    observe("the addresses are equal", both.here == second);
    importer.mem_free_async_and_wait(both.here)?;
    check!(importer.mismatches(second, SIZE, 7)? == 0);
    importer.fill(second, SIZE, 8)?;
    check!(exporter.mismatches(both.there, SIZE, 8)? == 0);
    importer.mem_free_async_and_wait(second)?;
    importer.read(second, 4).refused(&[])?;
    Ok(())
}

/// The result of importing host memory twice is recorded; the first import stays usable.
#[rstest]
#[conformance::test("POOL-PTR-009", needs(pool_descriptors, cuda = 13_000))]
fn a_second_import_of_host_memory_leaves_the_first_intact(exporter: Role, importer: Role) -> Outcome {
    let Some(pool) = share_pool_of_numa_node(&exporter, &importer)? else { return Ok(()) };
    let there = exporter.mem_alloc_from_pool_async(SIZE, pool.exported)?;
    exporter.fill_by_host(there, SIZE, 7)?;
    let data = exporter.mem_pool_export_pointer(there)?;
    let first = importer.mem_pool_import_pointer(pool.imported, data)?;
    if let Some(second) = importer.mem_pool_import_pointer(pool.imported, data).recorded("second import")? {
        observe("the addresses are equal", first == second);
    }
    check!(importer.mismatches_by_host(first, SIZE, 7)? == 0);
    importer.mem_free_async_and_wait(first)
}

/// The data that an importer sees after the exporter freed the memory is recorded; the exporter's next allocation is
/// intact.
#[rstest]
#[conformance::test("POOL-PTR-016", needs(pool_descriptors))]
fn an_early_free_leaves_the_exporters_next_memory_intact(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    observer: Role,
) -> Outcome {
    let both = share_memory(&exporter, &sacrifice, 7)?;
    exporter.mem_free_async_and_wait(both.there).recorded("free")?;
    if let Some(wrong) = sacrifice.mismatches_by_copy(both.here, SIZE, 7).survived_or_not("read")? {
        observe("the bytes are the old ones", wrong == 0);
    }
    let (next, pattern) = (exporter.mem_alloc_from_pool_async(SIZE, both.pool.exported)?, seed());
    exporter.fill(next, SIZE, pattern)?;
    if !sacrifice.is_gone() {
        let wrong = sacrifice.mismatches_by_copy(both.here, SIZE, pattern).survived_or_not("second read")?;
        observe("the importer sees the next allocation", wrong == Some(0));
    }
    sacrifice.kill()?;
    check!(exporter.mismatches(next, SIZE, pattern)? == 0);
    observer.ctx_synchronize()
}

/// The driver refuses a second free of an imported pointer.
#[rstest]
#[case::mem_free(false)]
#[case::mem_free_async(true)]
#[conformance::test("POOL-PTR-018", needs(pool_descriptors))]
fn a_second_free_is_refused(exporter: Role, importer: Role, #[case] stream_ordered: bool) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    let free = || match stream_ordered {
        true => importer.mem_free_async_and_wait(both.here),
        false => importer.mem_free_imported_pointer(both.here),
    };
    free()?;
    free().refused_and_recorded(&[])?;
    importer.ctx_synchronize()?;
    check!(exporter.mismatches(both.there, SIZE, 7)? == 0);
    Ok(())
}

/// The driver refuses to export an imported pointer.
#[rstest]
#[conformance::test("POOL-PTR-020", needs(pool_descriptors))]
fn exporting_an_import_is_refused(exporter: Role, importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    importer.mem_pool_export_pointer(both.here).refused(INVALID_VALUE)?;
    check!(importer.mismatches(both.here, SIZE, 7)? == 0);
    Ok(())
}

/// Threads can import one pool, and one pointer, at the same time; the codes are recorded, and each pointer works.
#[rstest]
#[conformance::test("POOL-PTR-021", needs(pool_descriptors))]
fn threads_import_at_the_same_time(exporter: Role, #[from(importer)] sacrifice: Role) -> Outcome {
    const THREADS: usize = 4;
    let exported = exporter.mem_pool_create(DESCRIPTOR)?;
    let sent = exporter.send_descriptor(exporter.mem_pool_export_to_descriptor(exported)?)?;
    let pools = sacrifice.mem_pool_import_from_threads(sacrifice.receive_descriptor(&sent)?, THREADS)?;
    observe("pools", answers(&pools));
    let pool = pools.into_iter().flatten().next().ok_or_else(|| Stop::failed("no thread imported the pool"))?;
    let (there, data) = export_filled(&exporter, exported, 7)?;
    let pointers = sacrifice.mem_pool_import_pointer_from_threads(pool, data, THREADS)?;
    observe("pointers", answers(&pointers));
    check!(pointers.iter().any(Result::is_ok), "no thread imported the pointer");
    for here in pointers.into_iter().flatten() {
        check!(sacrifice.mismatches(here, SIZE, 7)? == 0);
    }
    // It is unknown how often each pool and pointer must be freed.
    sacrifice.kill()?;
    check!(exporter.mismatches(there, SIZE, 7)? == 0);
    Ok(())
}

/// Returns the distinct codes of the threads.
fn answers<T>(threads: &[Result<T, u32>]) -> Vec<String> {
    let code = |answer: &Result<T, u32>| CUresult(answer.as_ref().err().copied().unwrap_or_default()).to_string();
    threads.iter().map(code).collect::<BTreeSet<_>>().into_iter().collect()
}

/// A stream-ordered allocation of 0 bytes is the null pointer, which can be freed but not exported.
#[rstest]
#[case::current_pool(false)]
#[case::shared_pool(true)]
#[conformance::test("POOL-PTR-023", needs(pool_descriptors))]
fn an_empty_allocation_is_the_null_pointer(exporter: Role, #[case] is_shared: bool) -> Outcome {
    let pool = exporter.mem_pool_create(DESCRIPTOR)?;
    let empty = if is_shared { exporter.mem_alloc_from_pool_async(0, pool)? } else { exporter.mem_alloc_async(0)? };
    check!(empty == Pointer::NULL);
    exporter.mem_pool_export_pointer(empty).refused(INVALID_VALUE)?;
    exporter.mem_free_async(empty)
}
