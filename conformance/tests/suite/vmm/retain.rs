//! `cuMemRetainAllocationHandle`.

use conformance::{Expect as _, Outcome, Pointer, Role, check};
use rstest::rstest;

use crate::support::constants::INVALID_VALUE;
use crate::support::device_memory::Account;
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::virtual_memory::{
    SIZE, create, create_exportable, create_large, import, map, map_large, map_readable_and_writable, reserve,
};

/// A mapped address gives the handle that was mapped, and the returned handle needs a release of its own.
#[rstest]
#[case::base(0)]
#[case::interior(SIZE - 1)]
#[conformance::test("VMM-IMP-030", needs(virtual_memory))]
fn a_mapped_address_gives_its_handle(importer: Role, #[case] offset: u64) -> Outcome {
    let physical = create(&importer)?;
    let address = map_readable_and_writable(&importer, physical)?;
    importer.fill(address, SIZE, 7)?;
    let retained = importer.mem_retain_allocation_handle(address.offset(offset))?;
    check!(retained == physical);
    importer.mem_release(physical)?;
    importer.mem_unmap(address, SIZE)?;
    let again = map_readable_and_writable(&importer, retained)?;
    check!(importer.mismatches(again, SIZE, 7)? == 0);
    importer.mem_release(retained)
}

/// A mapped address gives the handle that was mapped even after that was released. The handle is then valid again.
#[rstest]
#[conformance::test("VMM-IMP-030", needs(virtual_memory))]
fn a_mapped_address_gives_its_released_handle(importer: Role) -> Outcome {
    let physical = create(&importer)?;
    let address = map_readable_and_writable(&importer, physical)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_release(physical)?;
    let retained = importer.mem_retain_allocation_handle(address)?;
    check!(retained == physical);
    let again = map_readable_and_writable(&importer, retained)?;
    check!(importer.mismatches(again, SIZE, 7)? == 0);
    importer.mem_release(retained)
}

/// An address at which imported memory is mapped gives the handle of the import.
#[rstest]
#[conformance::test("VMM-IMP-030", needs(memory_descriptors))]
fn a_mapped_import_gives_its_handle(exporter: Role, importer: Role) -> Outcome {
    let imported = import(&exporter, create_exportable(&exporter)?, &importer)?;
    let address = map_readable_and_writable(&importer, imported)?;
    let retained = importer.mem_retain_allocation_handle(address.offset(SIZE / 2))?;
    check!(retained == imported);
    importer.mem_release(retained)?;
    importer.mem_release(imported)
}

/// An address at which an import is mapped gives the handle of the import even after that was released.
#[rstest]
#[conformance::test("VMM-IMP-030", needs(memory_descriptors))]
fn a_mapped_import_gives_its_released_handle(exporter: Role, importer: Role) -> Outcome {
    let imported = import(&exporter, create_exportable(&exporter)?, &importer)?;
    let address = map_readable_and_writable(&importer, imported)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_release(imported)?;
    let retained = importer.mem_retain_allocation_handle(address)?;
    check!(retained == imported);
    let again = map_readable_and_writable(&importer, retained)?;
    check!(importer.mismatches(again, SIZE, 7)? == 0);
    importer.mem_release(retained)
}

/// An address at which other memory is mapped than before gives the handle of that.
#[rstest]
#[conformance::test("VMM-IMP-030", needs(virtual_memory))]
fn a_newer_mapping_gives_its_own_handle(importer: Role) -> Outcome {
    let (older, newer) = (create(&importer)?, create(&importer)?);
    let address = map(&importer, older)?;
    importer.mem_unmap(address, SIZE)?;
    importer.mem_map(address, SIZE, 0, newer, 0)?;
    let retained = importer.mem_retain_allocation_handle(address)?;
    check!(retained == newer);
    importer.mem_release(retained)
}

/// Memory is freed when its handle and the handle that its mapped address gave are both released, and not before.
#[rstest]
#[conformance::test("VMM-IMP-030", needs(memory_descriptors))]
fn a_retained_handle_keeps_the_memory(importer: Role, observer: Role) -> Outcome {
    let account = Account::open(&observer)?;
    let physical = create_large(&importer)?;
    let address = map_large(&importer, physical)?;
    let retained = importer.mem_retain_allocation_handle(address)?;
    importer.mem_unmap(address, account.large)?;
    importer.mem_release(physical)?;
    account.check_held()?;
    importer.mem_release(retained)?;
    account.check_given_back()
}

/// The driver returns no handle for a null address, a reserved address, an unmapped one, or the one after a mapping.
#[rstest]
#[conformance::test("VMM-IMP-031", needs(virtual_memory))]
fn unmapped_addresses_have_no_handle(importer: Role) -> Outcome {
    importer.mem_retain_allocation_handle(Pointer::NULL).refused(INVALID_VALUE)?;
    let reserved = reserve(&importer, 2 * SIZE)?;
    importer.mem_retain_allocation_handle(reserved).refused(INVALID_VALUE)?;
    importer.mem_map(reserved, SIZE, 0, create(&importer)?, 0)?;
    importer.mem_retain_allocation_handle(reserved.offset(SIZE)).refused(INVALID_VALUE)?;
    let unmapped = map(&importer, create(&importer)?)?;
    importer.mem_unmap(unmapped, SIZE)?;
    importer.mem_retain_allocation_handle(unmapped).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses to return a handle for memory of other allocators; libraries recognise VMM memory this way.
#[rstest]
#[conformance::test("VMM-IMP-032", needs(virtual_memory, memory_pools))]
fn memory_of_other_allocators_has_no_handle(importer: Role, #[values(false, true)] stream_ordered: bool) -> Outcome {
    let address = if stream_ordered { importer.mem_alloc_async(SIZE)? } else { importer.mem_alloc(SIZE)? };
    importer.mem_retain_allocation_handle(address).refused_and_recorded(&[])?;
    Ok(())
}
