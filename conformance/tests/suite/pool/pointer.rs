//! `cuMemPoolExportPointer` and `cuMemPoolImportPointer`.

use conformance::{Expect as _, Outcome, Role, check, observe};
use cuda_ipc_sys::CUevent_flags;
use rstest::rstest;

use super::{DESCRIPTOR, INVALID_VALUE, SIZE, share, share_memory};
use crate::fixtures::{exporter, importer};
use crate::ipcmem::pointer_kind::PointerKind;

/// How long a kernel keeps a stream busy.
const NANOSECONDS: u64 = 50_000_000;
const INTERPROCESS: u32 = CUevent_flags::CU_EVENT_INTERPROCESS.0 | CUevent_flags::CU_EVENT_DISABLE_TIMING.0;

/// Both processes see what either writes.
#[rstest]
#[conformance::test("POOL-PTR-001", needs(pool_descriptors))]
fn both_processes_see_what_either_writes(exporter: Role, importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    check!(importer.mismatches(both.here, SIZE, 7)? == 0);
    importer.fill(both.here, SIZE, 8)?;
    check!(exporter.mismatches(both.there, SIZE, 8)? == 0);
    Ok(())
}

/// A pointer is exported after its pool, not before.
#[rstest]
#[conformance::test("POOL-PTR-002", needs(pool_descriptors))]
fn the_pool_is_exported_first(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(DESCRIPTOR)?;
    let pointer = exporter.mem_alloc_from_pool_async(SIZE, pool)?;
    exporter.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    exporter.mem_pool_export_to_descriptor(pool)?;
    exporter.mem_pool_export_pointer(pointer)?;
    Ok(())
}

/// Memory that is not of an exported pool has no pointer to export.
#[rstest]
#[case::linear(PointerKind::Linear)]
#[case::virtual_memory(PointerKind::VirtualMemory)]
#[case::default_pool(PointerKind::DefaultPool)]
#[case::pinned(PointerKind::Pinned)]
#[case::heap(PointerKind::Heap)]
#[case::null(PointerKind::Null)]
#[conformance::test("POOL-PTR-003", needs(pool_descriptors, virtual_memory))]
fn other_memory_is_refused(exporter: Role, #[case] kind: PointerKind) -> Outcome {
    let pointer = kind.make(&exporter)?;
    exporter.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    Ok(())
}

/// Memory is used after its allocation was executed, which an interprocess event of the exporter's stream tells.
#[rstest]
#[conformance::test("POOL-PTR-013", needs(pool_descriptors))]
fn an_event_orders_the_first_use(exporter: Role, importer: Role) -> Outcome {
    let pool = share(&exporter, &importer)?;
    let (event, stream) = (exporter.event_create(INTERPROCESS)?, exporter.stream_create()?);
    exporter.launch("spin".into(), vec![NANOSECONDS.into()], stream)?;
    let there = exporter.mem_alloc_from_pool_async_in(SIZE, pool.exported, stream)?;
    exporter.launch("fill".into(), vec![there.into(), (SIZE / 4).into(), 8_u32.into()], stream)?;
    exporter.event_record(event, stream)?;
    // All of this is still to come when the importer has its pointer.
    let here = importer.mem_pool_import_pointer(pool.imported, exporter.mem_pool_export_pointer(there)?)?;
    let opened = importer.ipc_open_event_handle(exporter.ipc_get_event_handle(event)?)?;
    importer.event_synchronize(opened)?;
    check!(importer.mismatches(here, SIZE, 8)? == 0);
    exporter.stream_synchronize(stream)
}

/// Either way of freeing takes an imported pointer.
#[rstest]
#[case::mem_free(false)]
#[case::mem_free_async(true)]
#[conformance::test("POOL-PTR-014", "POOL-PTR-015", needs(pool_descriptors))]
fn an_import_is_freed_first(exporter: Role, importer: Role, #[case] stream_ordered: bool) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    if stream_ordered {
        importer.mem_free_async_and_wait(both.here)?;
    } else {
        importer.mem_free_imported_pointer(both.here)?;
    }
    importer.read(both.here, 4).refused(&[])?;
    check!(exporter.mismatches(both.there, SIZE, 7)? == 0);
    exporter.fill(both.there, SIZE, 8)?;
    check!(exporter.mismatches(both.there, SIZE, 8)? == 0);
    Ok(())
}

/// The exporter may enqueue its free at once, where its stream waits for the importer's: an interprocess event tells.
#[rstest]
#[conformance::test("POOL-PTR-017", needs(pool_descriptors))]
fn an_event_orders_the_exporters_free(exporter: Role, importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    let freed_there = exporter.event_create(INTERPROCESS)?;
    let freed_here = importer.ipc_open_event_handle(exporter.ipc_get_event_handle(freed_there)?)?;
    // The importer is still at work when the exporter has enqueued everything.
    let (copy, stream) = (importer.mem_alloc(SIZE)?, importer.stream_create()?);
    importer.launch("spin".into(), vec![NANOSECONDS.into()], stream)?;
    importer.memcpy_dtod_async(copy, both.here, SIZE, stream)?;
    importer.mem_free_async_in(both.here, stream)?;
    importer.event_record(freed_here, stream)?;
    let following = exporter.stream_create()?;
    exporter.stream_wait_event(following, freed_there)?;
    exporter.mem_free_async_in(both.there, following)?;
    let next = exporter.mem_alloc_from_pool_async_in(SIZE, both.pool.exported, following)?;
    exporter.launch("fill".into(), vec![next.into(), (SIZE / 4).into(), 8_u32.into()], following)?;
    observe("the exporter's memory is used again", (next == both.there).to_string());
    importer.stream_synchronize(stream)?;
    check!(importer.mismatches(copy, SIZE, 7)? == 0);
    exporter.stream_synchronize(following)?;
    check!(exporter.mismatches(next, SIZE, 8)? == 0);
    Ok(())
}

/// The extent of an imported pointer is the exporter's.
#[rstest]
#[conformance::test("POOL-PTR-019", needs(pool_descriptors))]
fn the_extent_is_the_exporters(exporter: Role, importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    if let Some(range) = importer.mem_get_address_range(both.here).recorded("range")? {
        check!(range.size >= SIZE, "{range:?}");
    }
    importer.read(both.here.offset(SIZE - 4), 4)?;
    Ok(())
}

/// Data of one pool does not lead into another.
#[rstest]
#[conformance::test("POOL-PTR-006", needs(pool_descriptors))]
fn data_of_another_pool_is_refused(exporter: Role, importer: Role) -> Outcome {
    let (one, other) = (share(&exporter, &importer)?, share(&exporter, &importer)?);
    let data = exporter.mem_pool_export_pointer(exporter.mem_alloc_from_pool_async(SIZE, one.exported)?)?;
    importer.mem_pool_import_pointer(other.imported, data).recorded("code")?;
    importer.ctx_synchronize()
}
