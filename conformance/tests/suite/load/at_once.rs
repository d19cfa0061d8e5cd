//! Imports of each protocol that one process holds at once, and gives back in another order than it opened them.

use conformance::{Expect as _, MIB, Needs, Outcome, Pointer, Role, Stop, check, need, seed};
use cuda_ipc_sys::CUpointer_attribute;
use rstest::rstest;
use rustix::process::{Resource, getrlimit};

use crate::support::constants::{DESCRIPTOR, INVALID_VALUE, NOT_READY};
use crate::support::device_memory::need_free_memory;
use crate::support::fixtures::{exporter, importer};
use crate::support::latch::Latch;
use crate::support::legacy::open;
use crate::support::virtual_memory::{SIZE, create_exportable, import, map_readable_and_writable};
use crate::support::{event, shared_pool};

/// More than programs open of one kind, and few enough for a usual run.
const COUNT: usize = 64;

/// Ends the case as unsupported if a process may have too few open files. A driver that cannot open another one refuses the
/// call, and the limit is to blame.
fn need_open_files() -> Outcome {
    const FILES: u64 = 2 * COUNT as u64 + 32;
    match getrlimit(Resource::Nofile).current {
        Some(limit) if limit < FILES => Err(Stop::Unsupported(format!(
            "needs {FILES} open files in a process, and the limit is {limit} (ulimit -n)"
        ))),
        _ => Ok(()),
    }
}

/// Returns the numbers below `count` in another order: the odd ones, then the even ones from the last to the first.
fn out_of_order(count: usize) -> impl Iterator<Item = usize> {
    (1..count).step_by(2).chain((0..count).step_by(2).rev())
}

/// Many imports are open at once, each with the memory that it names. Closed in another order, each close unmaps its
/// import and no other.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-CLOSE-001", needs(legacy_memory))]
fn imports_close_in_any_order(exporter: Role, importer: Role) -> Outcome {
    need_open_files()?;
    const MEMORY_TYPE: u32 = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE.0;
    const SIZE: u64 = 2 * MIB;
    need_free_memory(&exporter, COUNT as u64 * SIZE)?;
    let first = seed();
    let memory = exporter.mem_alloc_many(SIZE, COUNT)?;
    check!(memory.given.len() == COUNT, "{COUNT} allocations of {SIZE} bytes: {}", memory.limit());
    let memory = memory.given;
    exporter.fill_many(memory.clone(), SIZE, first)?;
    let imports = memory.iter().map(|memory| open(&exporter, *memory, &importer)).collect::<Result<Vec<_>, _>>()?;
    check!(importer.first_mismatch_of_many(imports.clone(), SIZE, first)? == None);
    let mut open = imports.clone();
    for number in out_of_order(COUNT) {
        let closed = imports[number];
        importer.ipc_close_mem_handle(closed)?;
        importer.pointer_get_attribute(MEMORY_TYPE, closed).refused(INVALID_VALUE)?;
        open.retain(|import| *import != closed);
        for import in open.first().into_iter().chain(open.last()) {
            importer.pointer_get_attribute(MEMORY_TYPE, *import)?;
        }
        if number == COUNT - 1 {
            // All that are left have even numbers.
            for (import, number) in open.iter().zip((0..).step_by(2)) {
                check!(importer.mismatches(*import, SIZE, first.wrapping_add(number))? == 0);
            }
        }
    }
    Ok(())
}

/// Many imports of physical memory are held and mapped at once, each with its own contents. They are unmapped and
/// released in another order.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn physical_memory_is_released_in_any_order(exporter: Role, importer: Role) -> Outcome {
    need_open_files()?;
    need_free_memory(&exporter, COUNT as u64 * SIZE)?;
    let (mut imports, mut mappings, first) = (Vec::new(), Vec::new(), seed());
    for number in 0..COUNT {
        let physical = create_exportable(&exporter)?;
        exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, first.wrapping_add(number as u32))?;
        imports.push(import(&exporter, physical, &importer)?);
    }
    for import in &imports {
        mappings.push(map_readable_and_writable(&importer, *import)?);
    }
    check!(importer.first_mismatch_of_many(mappings.clone(), SIZE, first)? == None);
    for number in out_of_order(COUNT) {
        importer.mem_unmap(mappings[number], SIZE)?;
        importer.mem_address_free(mappings[number], SIZE)?;
        importer.mem_release(imports[number])?;
        if number == COUNT - 1 {
            let left = (0..COUNT).step_by(2);
            for (mapping, number) in left.map(|number| (mappings[number], number as u32)) {
                check!(importer.mismatches(mapping, SIZE, first.wrapping_add(number))? == 0);
            }
        }
    }
    Ok(())
}

/// Many imported events are open at once, each with the state of its own event: every third one is pending. They are
/// destroyed in another order.
#[rstest]
#[conformance::test("IPCEVT-011", "IPCEVT-018", "IPCEVT-024", needs(interprocess_events))]
fn events_are_destroyed_in_any_order(exporter: Role, importer: Role) -> Outcome {
    /// More than 8 bits count. They take little memory.
    const COUNT: usize = 300;
    let is_pending = |number: usize| number.is_multiple_of(3);
    let (stream, mut events, mut imports) = (exporter.stream_create()?, Vec::new(), Vec::new());
    for _ in 0..COUNT {
        let (event, import) = event::share(&exporter, &importer)?;
        events.push(event);
        imports.push(import);
    }
    let latch = Latch::hold(&exporter, stream)?;
    for number in (0..COUNT).filter(|number| is_pending(*number)) {
        exporter.event_record(events[number], stream)?;
    }
    for number in out_of_order(COUNT) {
        let state = importer.event_query(imports[number]);
        if is_pending(number) {
            state.refused(NOT_READY)?;
        } else {
            state?;
            importer.event_destroy(imports[number])?;
        }
    }
    latch.release()?;
    exporter.stream_synchronize(stream)?;
    for number in out_of_order(COUNT).filter(|number| is_pending(*number)) {
        importer.event_query(imports[number])?;
        importer.event_destroy(imports[number])?;
    }
    for event in &events {
        exporter.event_query(*event)?;
    }
    Ok(())
}

/// Many pools are imported at once, or many pointers of one pool, each with its own contents. They are freed and
/// destroyed in another order.
#[rstest]
#[case::many_pools(16, 1)]
#[case::many_pointers(1, COUNT)]
#[conformance::test("POOL-IMP-001", "POOL-PTR-001", "POOL-PTR-014")]
fn pools_and_pointers_are_given_back_in_any_order(
    exporter: Role,
    importer: Role,
    #[case] pools: usize,
    #[case] pointers: usize,
) -> Outcome {
    /// What a driver may reserve for one pool.
    const OF_A_POOL: u64 = 32 * MIB;
    const SIZE: u64 = 2 * MIB;
    need(&Needs::none().pool_descriptors())?;
    need_open_files()?;
    need_free_memory(&exporter, pools as u64 * OF_A_POOL + pointers as u64 * SIZE)?;
    let (first, mut number) = (seed(), 0);
    let (mut imported, mut there, mut here): (Vec<_>, Vec<Pointer>, Vec<Pointer>) = Default::default();
    for _ in 0..pools {
        let pool = shared_pool::share_pool(exporter.mem_pool_create(DESCRIPTOR)?, &exporter, &importer)?;
        imported.push(pool.imported);
        for _ in 0..pointers {
            let pointer = exporter.mem_alloc_from_pool_async(SIZE, pool.exported)?;
            exporter.fill(pointer, SIZE, first.wrapping_add(number))?;
            let data = exporter.mem_pool_export_pointer(pointer)?;
            here.push(importer.mem_pool_import_pointer(pool.imported, data)?);
            there.push(pointer);
            number += 1;
        }
    }
    check!(importer.first_mismatch_of_many(here.clone(), SIZE, first)? == None);
    for number in out_of_order(here.len()) {
        importer.mem_free_imported_pointer(here[number])?;
        if number == here.len() - 1 {
            for left in (0..here.len()).step_by(2) {
                let seed = first.wrapping_add(left as u32);
                check!(importer.mismatches(here[left], SIZE, seed)? == 0);
            }
        }
    }
    for number in out_of_order(imported.len()) {
        importer.mem_pool_destroy(imported[number])?;
    }
    check!(exporter.first_mismatch_of_many(there, SIZE, first)? == None);
    Ok(())
}
