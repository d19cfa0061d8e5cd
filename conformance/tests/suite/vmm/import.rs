//! `cuMemImportFromShareableHandle`.

use conformance::Placement;
use conformance::{Expect as _, GIB, KIB, MIB, MemProperties, Outcome, Role, Stop, Stream, check, observe};
use rstest::rstest;

use crate::support::by_kernel::{both_see, enqueue_fill};
use crate::support::constants::{DESCRIPTOR, FABRIC, NONE, NOT_INITIALIZED, READ, READ_WRITE};
use crate::support::device_memory::{Account, need_free_memory};
use crate::support::fixtures::{exporter, importer, observer, on_gpus_that_are_no_peers, start, uninitialised};
use crate::support::foreign::Foreign;
use crate::support::virtual_memory::{
    REFUSED, SIZE, create_exportable, create_large, import, import_without_descriptors, map, map_readable_and_writable,
    reserve,
};

/// The threads that import at the same time.
const THREADS: u32 = 8;

/// Exporter and importer each read what the other wrote, with kernels and with copies.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn both_processes_see_what_either_writes(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let there = map_readable_and_writable(&exporter, physical)?;
    let here = map_readable_and_writable(&importer, import(&exporter, physical, &importer)?)?;
    both_see((&exporter, there), (&importer, here), SIZE)
}

/// Memory can be exported that its exporter has not mapped, and the exporter sees later what the importer wrote.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn memory_is_shared_before_its_exporter_maps_it(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let here = map_readable_and_writable(&importer, import(&exporter, physical, &importer)?)?;
    importer.fill(here, SIZE, 7)?;
    let there = map_readable_and_writable(&exporter, physical)?;
    check!(exporter.mismatches(there, SIZE, 7)? == 0);
    Ok(())
}

/// Two processes on the second GPU share its memory.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(gpus = 2, memory_descriptors))]
fn memory_of_the_second_gpu_is_shared_on_it(#[with(1)] exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let physical = exporter.mem_create(SIZE, MemProperties::device(1).exportable(DESCRIPTOR), 0)?;
    let (there, here) = (map(&exporter, physical)?, map(&importer, import(&exporter, physical, &importer)?)?);
    exporter.mem_set_access(there, SIZE, 1, READ_WRITE)?;
    importer.mem_set_access(here, SIZE, 1, READ_WRITE)?;
    both_see((&exporter, there), (&importer, here), SIZE)
}

/// An importer of two allocations of one exporter sees each of them at its own mapping.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn two_allocations_are_imported_apart(exporter: Role, importer: Role) -> Outcome {
    let mut mappings = Vec::new();
    for seed in [7, 8] {
        let physical = create_exportable(&exporter)?;
        exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, seed)?;
        mappings.push((seed, map_readable_and_writable(&importer, import(&exporter, physical, &importer)?)?));
    }
    for (seed, here) in mappings {
        check!(importer.mismatches(here, SIZE, seed)? == 0, "the memory with pattern {seed} shows other bytes");
    }
    Ok(())
}

/// The driver imports from a descriptor of any number, not only from a small one.
#[rstest]
#[conformance::test("VMM-IMP-002", needs(memory_descriptors))]
fn a_descriptor_with_a_large_number_imports(importer: Role, #[values(300, 2000)] least: i32) -> Outcome {
    let descriptor = importer.mem_export_to_descriptor(create_exportable(&importer)?)?;
    let moved = importer.duplicate_descriptor(descriptor, least)?;
    check!(moved.0 >= least, "{moved:?}");
    importer.mem_import_from_descriptor(moved)?;
    Ok(())
}

/// Threads of one process import different memory at the same time, and each import has its own contents.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn threads_import_at_the_same_time(exporter: Role, importer: Role) -> Outcome {
    let mut descriptors = Vec::new();
    for pattern in 0..THREADS {
        let physical = create_exportable(&exporter)?;
        exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, pattern)?;
        let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
        descriptors.push(importer.receive_descriptor(&sent)?);
    }
    for (pattern, physical) in (0..).zip(importer.mem_import_from_threads(descriptors)?) {
        let here = map_readable_and_writable(&importer, physical)?;
        check!(importer.mismatches(here, SIZE, pattern)? == 0);
    }
    Ok(())
}

/// The driver takes a descriptor by value, and refuses a pointer to it.
#[rstest]
#[conformance::test("VMM-IMP-002", needs(memory_descriptors))]
fn the_address_of_a_descriptor_is_refused(importer: Role) -> Outcome {
    let descriptor = importer.mem_export_to_descriptor(create_exportable(&importer)?)?;
    importer.mem_import_from_address_of_descriptor(descriptor).refused_and_recorded(&[])?;
    importer.mem_import_from_descriptor(descriptor)?;
    Ok(())
}

/// The driver refuses a descriptor that does not refer to physical memory, and stays usable.
#[rstest]
#[case::negative(Foreign::Negative)]
#[case::closed(Foreign::Closed)]
#[case::dev_null(Foreign::DevNull)]
#[case::file(Foreign::File)]
#[case::pipe(Foreign::Pipe)]
#[case::socket(Foreign::Socket)]
#[case::shared_memory(Foreign::SharedMemory)]
#[case::event_counter(Foreign::EventCounter)]
#[conformance::test("VMM-IMP-003", needs(memory_descriptors))]
fn foreign_descriptors_are_refused(importer: Role, #[case] foreign: Foreign) -> Outcome {
    importer.mem_import_from_descriptor(foreign.make(&importer)?).refused_and_recorded(&[])?;
    let descriptor = importer.mem_export_to_descriptor(create_exportable(&importer)?)?;
    importer.mem_import_from_descriptor(descriptor)?;
    Ok(())
}

/// The results of importing a pool's descriptor as physical memory, and the reverse, are recorded; the contents of the
/// memory do not change.
#[rstest]
#[case::pool(true)]
#[case::physical_memory(false)]
#[conformance::test("VMM-IMP-004", needs(memory_descriptors, pool_descriptors))]
fn the_code_for_the_other_kind_of_descriptor(exporter: Role, importer: Role, #[case] of_pool: bool) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let there = map_readable_and_writable(&exporter, physical)?;
    exporter.fill(there, SIZE, 7)?;
    let pass = |descriptor| importer.receive_descriptor(&exporter.send_descriptor(descriptor)?);
    if of_pool {
        let descriptor = exporter.mem_pool_export_to_descriptor(exporter.mem_pool_create(DESCRIPTOR)?)?;
        importer.mem_import_from_descriptor(pass(descriptor)?).recorded("import")?;
    } else {
        let descriptor = exporter.mem_export_to_descriptor(physical)?;
        importer.mem_pool_import_from_descriptor(pass(descriptor)?).recorded("import")?;
    }
    importer.ctx_synchronize()?;
    check!(exporter.mismatches(there, SIZE, 7)? == 0);
    Ok(())
}

/// The result of importing the descriptor of a dma-buf is recorded; the contents of the memory do not change.
#[rstest]
#[conformance::test("VMM-IMP-005", needs(memory_descriptors))]
fn the_code_for_a_dma_buf(exporter: Role) -> Outcome {
    crate::support::dma_buf::needs_dma_bufs(&exporter)?;
    let buffer = exporter.mem_alloc(SIZE)?;
    exporter.fill(buffer, SIZE, 7)?;
    exporter.mem_import_from_descriptor(exporter.mem_get_dma_buf(buffer, SIZE, 0)?).recorded("import")?;
    exporter.ctx_synchronize()?;
    check!(exporter.mismatches(buffer, SIZE, 7)? == 0);
    Ok(())
}

/// A value that is passed with a handle type that does not match it.
#[derive(Clone, Copy, Debug)]
enum Shared {
    Null,
    Address,
    Descriptor,
}

/// The result of importing a value that does not match the handle type is recorded; other processes are not affected.
#[rstest]
#[case::null_as_fabric(Shared::Null, FABRIC)]
#[case::descriptor_as_fabric(Shared::Descriptor, FABRIC)]
#[case::descriptor_as_none(Shared::Descriptor, 0)]
#[case::descriptor_as_both(Shared::Descriptor, DESCRIPTOR | FABRIC)]
#[case::address_as_descriptor(Shared::Address, DESCRIPTOR)]
#[conformance::test("VMM-IMP-010", needs(memory_descriptors))]
fn mismatched_handle_types(
    #[from(exporter)] sacrifice: Role,
    importer: Role,
    #[case] shared: Shared,
    #[case] handle_type: u32,
) -> Outcome {
    let shared = match shared {
        Shared::Null => 0,
        Shared::Address => sacrifice.heap_alloc(64)?.0,
        Shared::Descriptor => sacrifice.mem_export_to_descriptor(create_exportable(&sacrifice)?)?.0 as u64,
    };
    sacrifice.mem_import_as(shared, handle_type).survived_or_not("import")?;
    importer.ctx_synchronize()
}

/// Memory that is imported twice stays usable after one of the two imports is released.
#[rstest]
#[conformance::test("VMM-IMP-006", needs(memory_descriptors))]
fn every_import_needs_its_own_release(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let one = import(&exporter, physical, &importer)?;
    let other = import(&exporter, physical, &importer)?;
    importer.mem_release(one)?;
    let here = map_readable_and_writable(&importer, other)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    importer.mem_release(other)
}

/// Memory that is imported twice is freed when both imports are released, and not before.
#[rstest]
#[conformance::test("VMM-IMP-006", needs(memory_descriptors))]
fn both_imports_keep_the_memory(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let account = Account::open(&observer)?;
    let physical = create_large(&exporter)?;
    let one = import_without_descriptors(&exporter, physical, &importer)?;
    let other = import_without_descriptors(&exporter, physical, &importer)?;
    exporter.mem_release(physical)?;
    importer.mem_release(one)?;
    account.check_held()?;
    importer.mem_release(other)?;
    account.check_given_back()
}

/// One descriptor can be imported many times, and each import is the same memory.
#[rstest]
#[conformance::test("VMM-IMP-001", "VMM-IMP-006", needs(memory_descriptors))]
fn a_descriptor_is_imported_many_times(exporter: Role, importer: Role) -> Outcome {
    const IMPORTS: u32 = 16;
    let physical = create_exportable(&exporter)?;
    let there = map_readable_and_writable(&exporter, physical)?;
    exporter.fill(there, SIZE, 0)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let descriptor = importer.receive_descriptor(&sent)?;
    for pattern in 0..IMPORTS {
        let here = map_readable_and_writable(&importer, importer.mem_import_from_descriptor(descriptor)?)?;
        check!(importer.mismatches(here, SIZE, pattern)? == 0);
        importer.fill(here, SIZE, pattern + 1)?;
        check!(exporter.mismatches(there, SIZE, pattern + 1)? == 0);
    }
    Ok(())
}

/// The driver does not take over the importer's descriptor; the importer may close it right after the import.
#[rstest]
#[conformance::test("VMM-IMP-007", "VMM-IMP-008", needs(memory_descriptors))]
fn the_importer_keeps_its_descriptor(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let descriptor = importer.receive_descriptor(&sent)?;
    let before = importer.descriptor_target(descriptor)?;
    let imported = importer.mem_import_from_descriptor(descriptor)?;
    check!(importer.descriptor_target(descriptor)? == before);
    importer.close_descriptor(descriptor)?;
    let here = map_readable_and_writable(&importer, imported)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    Ok(())
}

/// A process can import its own allocation, and maps it at a second address.
#[rstest]
#[conformance::test("VMM-IMP-009", needs(memory_descriptors))]
fn the_exporting_process_imports_its_memory(importer: Role) -> Outcome {
    let physical = create_exportable(&importer)?;
    let one = map_readable_and_writable(&importer, physical)?;
    let other = map_readable_and_writable(&importer, import(&importer, physical, &importer)?)?;
    check!(one != other);
    importer.fill(one, SIZE, 7)?;
    check!(importer.mismatches(other, SIZE, 7)? == 0);
    Ok(())
}

/// The driver refuses to map more of an imported handle than the allocation has.
#[rstest]
#[conformance::test("VMM-IMP-012", needs(memory_descriptors))]
fn sizes_beyond_the_allocation_are_refused(
    exporter: Role,
    importer: Role,
    #[values(2 * SIZE, SIZE + 2 * MIB)] size: u64,
) -> Outcome {
    let physical = import(&exporter, create_exportable(&exporter)?, &importer)?;
    let address = reserve(&importer, 2 * SIZE)?;
    importer.mem_map(address, size, 0, physical, 0).refused(REFUSED)?;
    Ok(())
}

/// The driver maps a part of an imported allocation: its first bytes.
#[rstest]
#[conformance::test("VMM-IMP-012", needs(memory_descriptors))]
fn a_part_may_be_mapped(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let (imported, here) = (import(&exporter, physical, &importer)?, reserve(&importer, SIZE)?);
    importer.mem_map(here, SIZE / 2, 0, imported, 0)?;
    importer.mem_set_access(here, SIZE / 2, 0, READ)?;
    check!(importer.mismatches(here, SIZE / 2, 7)? == 0);
    Ok(())
}

/// An imported handle reports the type and the location of the memory; its handle types are recorded.
#[rstest]
#[conformance::test("VMM-IMP-013", needs(memory_descriptors))]
fn an_import_reports_its_type_and_location(exporter: Role, importer: Role) -> Outcome {
    let physical = import(&exporter, create_exportable(&exporter)?, &importer)?;
    let found = importer.mem_get_allocation_properties(physical)?;
    observe("handle types", found.handle_types.to_string());
    check!(MemProperties { handle_types: 0, ..found } == MemProperties::device(0));
    Ok(())
}

/// An importer on GPU 0 learns that the memory is on GPU 1.
#[rstest]
#[conformance::test("VMM-IMP-013", needs(gpus = 2, memory_descriptors))]
fn an_import_reports_the_second_gpu(#[with(1)] exporter: Role, importer: Role) -> Outcome {
    let physical = exporter.mem_create(SIZE, MemProperties::device(1).exportable(DESCRIPTOR), 0)?;
    let found = importer.mem_get_allocation_properties(import(&exporter, physical, &importer)?)?;
    check!(MemProperties { handle_types: 0, ..found } == MemProperties::device(1));
    Ok(())
}

/// Access to one mapping of an import does not give access to another mapping of it.
#[rstest]
#[conformance::test("VMM-IMP-014", needs(memory_descriptors))]
fn each_mapping_of_an_import_has_its_own_access(exporter: Role, importer: Role) -> Outcome {
    let imported = import(&exporter, create_exportable(&exporter)?, &importer)?;
    let (one, other) = (map(&importer, imported)?, map(&importer, imported)?);
    importer.mem_set_access(one, SIZE, 0, READ_WRITE)?;
    check!(importer.mem_get_access(other, 0)? == NONE);
    importer.read(other, 4).refused(&[])?;
    importer.fill(one, SIZE, 7)
}

/// The importer's mapping starts without access, although the exporter's mapping has access.
#[rstest]
#[conformance::test("VMM-IMP-014", needs(memory_descriptors))]
fn an_import_begins_without_access(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    map_readable_and_writable(&exporter, physical)?;
    let here = map(&importer, import(&exporter, physical, &importer)?)?;
    check!(importer.mem_get_access(here, 0)? == NONE);
    importer.read(here, 4).refused(&[])?;
    Ok(())
}

/// The importer may have read-only access to memory that the exporter writes.
#[rstest]
#[conformance::test("VMM-IMP-015", needs(no_mps, memory_descriptors))]
fn an_importer_may_have_read_only_access(exporter: Role, importer: Role) -> Outcome {
    importer.may_be_lost();
    let physical = create_exportable(&exporter)?;
    let there = map_readable_and_writable(&exporter, physical)?;
    let here = map(&importer, import(&exporter, physical, &importer)?)?;
    importer.mem_set_access(here, SIZE, 0, READ)?;
    exporter.fill(there, SIZE, 7)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    check!(importer.read(here, 4)? == exporter.read(there, 4)?);
    importer.write(here, vec![1; 4]).refused(&[])?;
    check!(exporter.mismatches(there, SIZE, 7)? == 0);
    enqueue_fill(&importer, here, SIZE, 8, Stream::DEFAULT)?;
    importer.ctx_synchronize().refused(&[])?;
    check!(exporter.mismatches(there, SIZE, 7)? == 0);
    Ok(())
}

/// An importer on a peer device can give its own GPU access to the memory.
#[rstest]
#[conformance::test("VMM-IMP-016", needs(gpus = 2, memory_descriptors, peer_access))]
fn an_importer_on_a_peer_reaches_the_memory(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let there = map_readable_and_writable(&exporter, physical)?;
    let here = map(&importer, import(&exporter, physical, &importer)?)?;
    importer.mem_set_access(here, SIZE, 1, READ_WRITE)?;
    both_see((&exporter, there), (&importer, here), SIZE)
}

/// An importer gets no access to the memory if its GPU and the GPU of the memory are not peers.
#[rstest]
#[conformance::test("VMM-IMP-016", needs(gpus = 2, memory_descriptors, no_peer_access))]
fn an_importer_on_another_gpu_has_no_access() -> Outcome {
    let (exporter, importer) = on_gpus_that_are_no_peers();
    let physical = create_exportable(&exporter)?;
    let mapped = import(&exporter, physical, &importer).followed_by(|imported| map(&importer, imported));
    mapped.followed_by(|here| importer.mem_set_access(here, SIZE, 1, READ_WRITE)).refused_and_recorded(&[])?;
    Ok(())
}

/// A large allocation is imported as a whole, up to its last byte.
#[rstest]
#[case::gib_5_3(5428 * MIB)]
#[case::gib_16(16 * GIB)]
#[case::gib_64(64 * GIB)]
#[conformance::test("VMM-CREATE-001", "VMM-MAP-003", "VMM-IMP-001", "VMM-IMP-033", needs(memory_descriptors))]
fn large_memory_is_imported(exporter: Role, importer: Role, #[case] size: u64) -> Outcome {
    need_free_memory(&exporter, size)?;
    let physical = exporter.mem_create(size, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let imported = import(&exporter, physical, &importer)?;
    let map = |role: &Role, physical| {
        let address = reserve(role, size)?;
        role.mem_map(address, size, 0, physical, 0)?;
        role.mem_set_access(address, size, 0, READ_WRITE)?;
        Ok::<_, Stop>(address)
    };
    let (there, here) = (map(&exporter, physical)?, map(&importer, imported)?);
    for (offset, seed) in [(0, 7), (size - KIB, 8)] {
        exporter.fill(there.offset(offset), KIB, seed)?;
        check!(importer.mismatches(here.offset(offset), KIB, seed)? == 0);
    }
    Ok(())
}

/// An import may be released without being mapped.
#[rstest]
#[conformance::test("VMM-IMP-025", needs(memory_descriptors))]
fn an_import_need_not_be_mapped(exporter: Role, importer: Role) -> Outcome {
    let physical = import(&exporter, create_exportable(&exporter)?, &importer)?;
    importer.mem_release(physical)
}

/// Eight processes can import one descriptor at the same time, and each of them shares the memory with the exporter.
#[rstest]
#[conformance::test("VMM-IMP-026", needs(memory_descriptors))]
fn eight_processes_import_one_descriptor(exporter: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let there = map_readable_and_writable(&exporter, physical)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let mut importers = Vec::new();
    for number in 0..8 {
        let importer = start(&format!("importer {number}"), Placement::device(0));
        let imported = importer.mem_import_from_descriptor(importer.receive_descriptor(&sent)?)?;
        let here = map_readable_and_writable(&importer, imported)?;
        importers.push((importer, here));
    }
    importers.iter().try_for_each(|(importer, here)| both_see((&exporter, there), (importer, *here), SIZE))
}

/// A process can pass on a descriptor that it received, and the receiver can import from it.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn a_descriptor_may_be_passed_on(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let passed_on = importer.send_descriptor(importer.receive_descriptor(&sent)?)?;
    let imported = observer.mem_import_from_descriptor(observer.receive_descriptor(&passed_on)?)?;
    let here = map_readable_and_writable(&observer, imported)?;
    check!(observer.mismatches(here, SIZE, 7)? == 0);
    Ok(())
}

/// The driver imports memory without a current context.
#[rstest]
#[conformance::test("VMM-IMP-035", needs(memory_descriptors))]
fn no_context_is_needed(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    importer.ctx_set_current(None)?;
    let imported = import(&exporter, physical, &importer)?;
    importer.mem_release(imported)
}

/// The driver refuses an import before `cuInit`, and the descriptor stays usable.
#[rstest]
#[conformance::test("VMM-IMP-035", needs(memory_descriptors))]
fn initialisation_is_needed(exporter: Role, uninitialised: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let received = uninitialised.receive_descriptor(&sent)?;
    uninitialised.mem_import_from_descriptor(received).refused(NOT_INITIALIZED)?;
    let passed_on = uninitialised.send_descriptor(received)?;
    let imported = importer.mem_import_from_descriptor(importer.receive_descriptor(&passed_on)?)?;
    importer.mem_release(imported)
}
