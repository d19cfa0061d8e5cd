//! Physical memory lives until its last handle, mapping and descriptor is gone in all processes.

use conformance::{Outcome, Role, check};
use rstest::rstest;

use crate::support::constants::{READ, READ_WRITE};
use crate::support::device_memory::Account;
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::virtual_memory::{
    SIZE, create, create_exportable, create_large, import, import_without_descriptors, map, map_large,
    map_readable_and_writable, reserve,
};

/// A mapping stays usable after its handle is released, and the memory is freed when it is unmapped.
#[rstest]
#[conformance::test("VMM-MAP-017", needs(memory_descriptors))]
fn a_mapping_keeps_the_memory(exporter: Role, observer: Role) -> Outcome {
    let account = Account::open(&observer)?;
    let physical = create_large(&exporter)?;
    let address = reserve(&exporter, account.large)?;
    exporter.mem_map(address, account.large, 0, physical, 0)?;
    exporter.mem_set_access(address, account.large, 0, READ_WRITE)?;
    exporter.mem_release(physical)?;
    exporter.fill(address.offset(account.large - SIZE), SIZE, 7)?;
    check!(exporter.mismatches(address.offset(account.large - SIZE), SIZE, 7)? == 0);
    account.check_held()?;
    exporter.mem_unmap(address, account.large)?;
    account.check_given_back_at_once()
}

/// Access to a mapping can be granted and changed after its handle is released.
#[rstest]
#[conformance::test("VMM-MAP-017", needs(virtual_memory))]
fn access_is_granted_after_the_release(importer: Role) -> Outcome {
    let physical = create(&importer)?;
    let address = map(&importer, physical)?;
    importer.mem_release(physical)?;
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_set_access(address, SIZE, 0, READ)?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// Imported memory that is mapped twice is freed with its second unmap, and not before.
#[rstest]
#[conformance::test("VMM-IMP-023", needs(memory_descriptors))]
fn memory_mapped_twice_is_freed_with_its_last_mapping(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let account = Account::open(&observer)?;
    let physical = create_large(&exporter)?;
    let imported = import_without_descriptors(&exporter, physical, &importer)?;
    exporter.mem_release(physical)?;
    let mappings = [map_large(&importer, imported)?, map_large(&importer, imported)?];
    importer.mem_release(imported)?;
    for mapping in mappings {
        account.check_held()?;
        importer.mem_unmap(mapping, account.large)?;
    }
    account.check_given_back()
}

/// A program that the exporter starts does not keep the exporter's memory: it inherits only what it is given.
#[rstest]
#[conformance::test("VMM-IMP-023", needs(memory_descriptors))]
fn a_started_program_does_not_keep_the_memory(exporter: Role, observer: Role) -> Outcome {
    let account = Account::open(&observer)?;
    let physical = create_large(&exporter)?;
    exporter.exec_and_hold(exporter.mem_export_to_descriptor(create_exportable(&exporter)?)?)?;
    account.check_held()?;
    exporter.mem_release(physical)?;
    account.check_given_back()?;
    exporter.end_holder()
}

/// An open descriptor keeps the memory and its data after unmap and release, and closing it frees the memory.
#[rstest]
#[conformance::test("VMM-EXP-012", needs(memory_descriptors))]
fn a_descriptor_keeps_the_memory(exporter: Role, observer: Role) -> Outcome {
    let account = Account::open(&observer)?;
    let physical = create_large(&exporter)?;
    let (address, end) = (map_large(&exporter, physical)?, account.large - SIZE);
    exporter.fill(address.offset(end), SIZE, 7)?;
    let descriptor = exporter.mem_export_to_descriptor(physical)?;
    exporter.mem_unmap(address, account.large)?;
    exporter.mem_release(physical)?;
    account.check_held()?;
    let again = exporter.mem_import_from_descriptor(descriptor)?;
    let address = map_large(&exporter, again)?;
    check!(exporter.mismatches(address.offset(end), SIZE, 7)? == 0);
    exporter.close_descriptor(descriptor)?;
    exporter.mem_unmap(address, account.large)?;
    exporter.mem_release(again)?;
    account.check_given_back()
}

/// The importer's mapping and its data stay intact when the exporter exits or is killed.
#[rstest]
#[case::exit(false)]
#[case::kill(true)]
#[conformance::test("VMM-IMP-019", needs(memory_descriptors))]
fn an_import_outlives_its_exporter(exporter: Role, importer: Role, #[case] kill: bool) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let here = map_readable_and_writable(&importer, import(&exporter, physical, &importer)?)?;
    if kill {
        exporter.kill()?
    } else {
        exporter.exit()?
    }
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    importer.fill(here, SIZE, 8)?;
    check!(importer.mismatches(here, SIZE, 8)? == 0);
    importer.write(here, vec![1; 4])
}

/// After its exporter has ended, the importer's unmap and release free the memory, and not before.
#[rstest]
#[case::exit(false)]
#[case::kill(true)]
#[conformance::test("VMM-IMP-019", needs(memory_descriptors))]
fn an_import_frees_the_memory_of_an_ended_exporter(
    exporter: Role,
    importer: Role,
    observer: Role,
    #[case] kill: bool,
) -> Outcome {
    let account = Account::open(&observer)?;
    let imported = import_without_descriptors(&exporter, create_large(&exporter)?, &importer)?;
    let here = map_large(&importer, imported)?;
    if kill { exporter.kill() } else { exporter.exit() }?;
    account.check_held()?;
    importer.mem_unmap(here, account.large)?;
    importer.mem_release(imported)?;
    account.check_given_back()
}

/// A descriptor that was received, or still in transit, when the exporter ended imports the memory with its data.
#[rstest]
#[case::received(false, true)]
#[case::in_transit(true, true)]
#[case::received_before_an_exit(false, false)]
#[case::in_transit_at_an_exit(true, false)]
#[conformance::test("VMM-IMP-020", needs(memory_descriptors))]
fn a_descriptor_outlives_its_exporter(
    exporter: Role,
    importer: Role,
    #[case] on_its_way: bool,
    #[case] kill: bool,
) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let early = if on_its_way { None } else { Some(importer.receive_descriptor(&sent)?) };
    if kill { exporter.kill() } else { exporter.exit() }?;
    let descriptor = match early {
        Some(descriptor) => descriptor,
        None => importer.receive_descriptor(&sent)?,
    };
    let here = map_readable_and_writable(&importer, importer.mem_import_from_descriptor(descriptor)?)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    Ok(())
}

/// An unread descriptor in a socket keeps the memory of a killed exporter until the socket is closed.
#[rstest]
#[conformance::test("VMM-IMP-021", needs(memory_descriptors))]
fn an_unread_descriptor_keeps_the_memory(exporter: Role, observer: Role) -> Outcome {
    let account = Account::open(&observer)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(create_large(&exporter)?)?)?;
    let unread = sent.leave_unread()?;
    exporter.kill()?;
    account.check_held()?;
    drop(unread);
    account.check_given_back()
}

/// The importer may release its handle as soon as the memory is mapped.
#[rstest]
#[conformance::test("VMM-IMP-022", needs(memory_descriptors))]
fn an_importer_may_release_after_mapping(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let imported = import(&exporter, physical, &importer)?;
    let here = map_readable_and_writable(&importer, imported)?;
    importer.mem_release(imported)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    Ok(())
}

/// A reference that keeps the memory allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeper {
    Handle,
    Descriptor,
    Mapping,
}

/// The memory is freed with the last of the exporter's handle, its descriptor and the importer's mapping, in any order.
#[rstest]
#[case::handle_descriptor_mapping([Keeper::Handle, Keeper::Descriptor, Keeper::Mapping])]
#[case::handle_mapping_descriptor([Keeper::Handle, Keeper::Mapping, Keeper::Descriptor])]
#[case::descriptor_handle_mapping([Keeper::Descriptor, Keeper::Handle, Keeper::Mapping])]
#[case::descriptor_mapping_handle([Keeper::Descriptor, Keeper::Mapping, Keeper::Handle])]
#[case::mapping_handle_descriptor([Keeper::Mapping, Keeper::Handle, Keeper::Descriptor])]
#[case::mapping_descriptor_handle([Keeper::Mapping, Keeper::Descriptor, Keeper::Handle])]
#[conformance::test("VMM-IMP-023", needs(memory_descriptors))]
fn memory_is_freed_with_its_last_reference(
    exporter: Role,
    importer: Role,
    observer: Role,
    #[case] order: [Keeper; 3],
) -> Outcome {
    let account = Account::open(&observer)?;
    let physical = create_large(&exporter)?;
    let descriptor = exporter.mem_export_to_descriptor(physical)?;
    let received = importer.receive_descriptor(&exporter.send_descriptor(descriptor)?)?;
    let imported = importer.mem_import_from_descriptor(received)?;
    importer.close_descriptor(received)?;
    let here = map_large(&importer, imported)?;
    importer.mem_release(imported)?;
    for keeper in order {
        account.check_held()?;
        match keeper {
            Keeper::Handle => exporter.mem_release(physical)?,
            Keeper::Descriptor => exporter.close_descriptor(descriptor)?,
            Keeper::Mapping => importer.mem_unmap(here, account.large)?,
        }
    }
    account.check_given_back()
}

/// A mapping that an importer never unmaps alone keeps the memory and its data until that process ends.
#[rstest]
#[conformance::test("VMM-IMP-024", needs(memory_descriptors))]
fn a_mapping_keeps_the_memory_until_its_process_ends(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let account = Account::open(&observer)?;
    let physical = create_large(&exporter)?;
    let imported = import_without_descriptors(&exporter, physical, &importer)?;
    let end = map_large(&importer, imported)?.offset(account.large - SIZE);
    importer.fill(end, SIZE, 7)?;
    importer.mem_release(imported)?;
    exporter.kill()?;
    account.check_held()?;
    check!(importer.mismatches(end, SIZE, 7)? == 0);
    importer.kill()?;
    account.check_given_back()
}

/// An open descriptor imports the memory again, even after the exporter has unmapped and released it.
#[rstest]
#[conformance::test("VMM-IMP-034", needs(memory_descriptors))]
fn an_open_descriptor_imports_again(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let there = map_readable_and_writable(&exporter, physical)?;
    exporter.fill(there, SIZE, 7)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let descriptor = importer.receive_descriptor(&sent)?;
    let first = importer.mem_import_from_descriptor(descriptor)?;
    importer.mem_release(first)?;
    exporter.mem_unmap(there, SIZE)?;
    exporter.mem_release(physical)?;
    let here = map_readable_and_writable(&importer, importer.mem_import_from_descriptor(descriptor)?)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    Ok(())
}
