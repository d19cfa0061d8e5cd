//! `cuMemSetAccess` and `cuMemGetAccess`.

use conformance::calls::vmm::Call;
use conformance::{Expect as _, KIB, Outcome, Physical, Pointer, Role, Stop, check, observe};
use cuda_ipc_sys::CUdevice_attribute;
use rstest::rstest;

use crate::support::by_kernel::both_see;
use crate::support::constants::{ILLEGAL_ADDRESS, INVALID_VALUE, NONE, ON_DEVICE, READ, READ_WRITE};
use crate::support::fixtures::{exporter, importer, observer, on_gpus_that_are_no_peers};
use crate::support::virtual_memory::{
    NO_SUCH_DEVICE, SIZE, create, create_exportable, import, map, map_readable_and_writable, reserve,
};

/// What a kernel does with memory.
#[derive(Clone, Copy, Debug)]
enum Kernel {
    Reads,
    Writes,
}

impl Kernel {
    /// Runs the kernel on all of the memory. A role whose kernel fails is lost.
    fn run(self, role: &Role, address: Pointer) -> Outcome {
        role.may_be_lost();
        match self {
            Self::Reads => role.mismatches(address, SIZE, 7).map(drop),
            Self::Writes => role.fill(address, SIZE, 7),
        }
    }
}

/// The driver refuses copies from and to a mapping without access.
#[rstest]
#[conformance::test("VMM-MAP-019", needs(virtual_memory))]
fn without_access_copies_are_refused(importer: Role) -> Outcome {
    let address = map(&importer, create(&importer)?)?;
    importer.read(address, 4).refused(INVALID_VALUE)?;
    importer.write(address, vec![1; 4]).refused(INVALID_VALUE)?;
    importer.ctx_synchronize()
}

/// A kernel that reads or writes a mapping without access fails, and the error is sticky.
#[rstest]
#[case::reads(Kernel::Reads)]
#[case::writes(Kernel::Writes)]
#[conformance::test("VMM-MAP-019", needs(no_mps, virtual_memory))]
fn without_access_a_kernel_fails(importer: Role, #[case] kernel: Kernel) -> Outcome {
    let address = map(&importer, create(&importer)?)?;
    kernel.run(&importer, address).refused(ILLEGAL_ADDRESS)?;
    importer.ctx_synchronize().refused(ILLEGAL_ADDRESS)?;
    Ok(())
}

/// With read access, the driver allows copies from the memory and refuses copies to it.
#[rstest]
#[conformance::test("VMM-MAP-020", needs(virtual_memory))]
fn read_access_refuses_writing_copies(importer: Role) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_set_access(address, SIZE, 0, READ)?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    importer.write(address, vec![1; 4]).refused(INVALID_VALUE)?;
    importer.memset_d8(address, 1, 4).refused(INVALID_VALUE)?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// With read access, a kernel that writes to the memory fails, and another process sees that nothing was written.
#[rstest]
#[conformance::test("VMM-MAP-021", needs(no_mps, memory_descriptors))]
fn read_access_refuses_a_writing_kernel(exporter: Role, importer: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let there = map_readable_and_writable(&exporter, physical)?;
    exporter.fill(there, SIZE, 8)?;
    let here = map(&importer, import(&exporter, physical, &importer)?)?;
    importer.mem_set_access(here, SIZE, 0, READ)?;
    check!(importer.mismatches(here, SIZE, 8)? == 0);
    Kernel::Writes.run(&importer, here).refused_and_recorded(ILLEGAL_ADDRESS)?;
    check!(exporter.mismatches(there, SIZE, 8)? == 0);
    Ok(())
}

/// Access to a mapping can be revoked and granted again.
#[rstest]
#[conformance::test("VMM-MAP-022", needs(virtual_memory))]
fn access_can_be_taken_away(importer: Role) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    take_access_away(&importer, address)
}

/// The access to imported memory can be taken away like that to other memory.
#[rstest]
#[conformance::test("VMM-MAP-022", needs(memory_descriptors))]
fn access_to_an_import_can_be_taken_away(exporter: Role, importer: Role) -> Outcome {
    let imported = import(&exporter, create_exportable(&exporter)?, &importer)?;
    take_access_away(&importer, map_readable_and_writable(&importer, imported)?)
}

/// Checks that copies are refused while a mapping gives no access, and that its contents are kept.
fn take_access_away(importer: &Role, address: Pointer) -> Outcome {
    importer.fill(address, SIZE, 7)?;
    importer.mem_set_access(address, SIZE, 0, NONE)?;
    check!(importer.mem_get_access(address, 0)? == NONE);
    importer.read(address, 4).refused(&[])?;
    importer.write(address, vec![1; 4]).refused(&[])?;
    importer.memset_d8(address, 1, 4).refused(&[])?;
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// Maps memory at each of three adjacent ranges, and gives GPU 0 access to all of them.
fn map_three(role: &Role, memory: impl Fn() -> Result<Physical, Stop>) -> Result<[Pointer; 3], Stop> {
    let address = reserve(role, 3 * SIZE)?;
    let mappings = [address, address.offset(SIZE), address.offset(2 * SIZE)];
    for mapping in mappings {
        role.mem_map(mapping, SIZE, 0, memory()?, 0)?;
    }
    role.mem_set_access(address, 3 * SIZE, 0, READ_WRITE)?;
    Ok(mappings)
}

/// Maps memory of another process at each of three adjacent ranges, and gives GPU 0 access to all of them.
fn map_three_imports(exporter: &Role, importer: &Role) -> Result<[Pointer; 3], Stop> {
    map_three(importer, || import(exporter, create_exportable(exporter)?, importer))
}

/// One `cuMemSetAccess` revokes the access to all mappings in its range, and another one grants it again.
#[rstest]
#[conformance::test("VMM-MAP-022", "VMM-MAP-027", needs(virtual_memory))]
fn access_to_adjacent_mappings_can_be_taken_away(importer: Role) -> Outcome {
    take_access_to_all_away(&importer, map_three(&importer, || create(&importer))?)
}

/// One `cuMemSetAccess` revokes and grants the access to all imports in its range like that to other memory.
#[rstest]
#[conformance::test("VMM-MAP-022", "VMM-MAP-027", needs(memory_descriptors))]
fn access_to_adjacent_imports_can_be_taken_away(exporter: Role, importer: Role) -> Outcome {
    take_access_to_all_away(&importer, map_three_imports(&exporter, &importer)?)
}

/// Checks that copies are refused while adjacent mappings give no access, and that their contents are kept.
fn take_access_to_all_away(importer: &Role, mappings: [Pointer; 3]) -> Outcome {
    importer.fill(mappings[0], 3 * SIZE, 7)?;
    importer.mem_set_access(mappings[0], 3 * SIZE, 0, NONE)?;
    for mapping in mappings {
        check!(importer.mem_get_access(mapping, 0)? == NONE);
        importer.read(mapping, 4).refused(&[])?;
        importer.write(mapping, vec![1; 4]).refused(&[])?;
    }
    importer.mem_set_access(mappings[0], 3 * SIZE, 0, READ_WRITE)?;
    check!(importer.mismatches(mappings[0], 3 * SIZE, 7)? == 0);
    Ok(())
}

/// One `cuMemSetAccess` lowers the access to all mappings in its range to read access: a kernel that writes fails.
#[rstest]
#[conformance::test("VMM-MAP-021", "VMM-MAP-027", needs(no_mps, virtual_memory))]
fn adjacent_mappings_get_read_access(importer: Role, #[values(0, 1, 2)] written: usize) -> Outcome {
    get_read_access(&importer, map_three(&importer, || create(&importer))?, written)
}

/// One `cuMemSetAccess` lowers the access to all imports in its range to read access: a kernel that writes fails.
#[rstest]
#[conformance::test("VMM-MAP-021", "VMM-MAP-027", needs(no_mps, memory_descriptors))]
fn adjacent_imports_get_read_access(exporter: Role, importer: Role, #[values(0, 1, 2)] written: usize) -> Outcome {
    get_read_access(&importer, map_three_imports(&exporter, &importer)?, written)
}

/// Checks that a kernel cannot write to one of three mappings when all of them have read access.
fn get_read_access(importer: &Role, mappings: [Pointer; 3], written: usize) -> Outcome {
    importer.fill(mappings[0], 3 * SIZE, 7)?;
    importer.mem_set_access(mappings[0], 3 * SIZE, 0, READ)?;
    for mapping in mappings {
        check!(importer.mem_get_access(mapping, 0)? == READ);
    }
    check!(importer.mismatches(mappings[0], 3 * SIZE, 7)? == 0);
    Kernel::Writes.run(importer, mappings[written]).refused_and_recorded(ILLEGAL_ADDRESS)?;
    Ok(())
}

/// Other threads than the first one of an importer grant and revoke the access to adjacent imports, each for a range of
/// its own.
#[rstest]
#[conformance::test("VMM-MAP-022", "VMM-MAP-027", needs(memory_descriptors))]
fn other_threads_change_access_to_adjacent_imports(exporter: Role, importer: Role) -> Outcome {
    let address = reserve(&importer, 5 * SIZE)?;
    let mappings = [0, 1, 2, 3, 4].map(|number| address.offset(number * SIZE));
    for mapping in mappings {
        importer.mem_map(mapping, SIZE, 0, import(&exporter, create_exportable(&exporter)?, &importer)?, 0)?;
    }
    // The first thread sets access first. Each other thread does so for two imports.
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    let pairs = vec![mappings[1], mappings[3]];
    importer.mem_set_access_from_threads(pairs.clone(), 2 * SIZE, 0, READ_WRITE)?;
    for mapping in mappings {
        check!(importer.mem_get_access(mapping, 0)? == READ_WRITE);
    }
    importer.fill(address, 5 * SIZE, 7)?;
    importer.mem_set_access_from_threads(pairs.clone(), 2 * SIZE, 0, NONE)?;
    for mapping in &mappings[1..] {
        check!(importer.mem_get_access(*mapping, 0)? == NONE);
        importer.read(*mapping, 4).refused(&[])?;
    }
    check!(importer.mem_get_access(address, 0)? == READ_WRITE);
    importer.mem_set_access_from_threads(pairs, 2 * SIZE, 0, READ_WRITE)?;
    check!(importer.mismatches(address, 5 * SIZE, 7)? == 0);
    Ok(())
}

/// Threads of two importers of one descriptor grant access to their mappings at the same time, and each process sees
/// what the other writes.
#[rstest]
#[conformance::test("VMM-IMP-001", "VMM-MAP-027", needs(memory_descriptors))]
fn threads_of_two_importers_grant_access(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(create_exportable(&exporter)?)?)?;
    let map_twice = |role: &Role| {
        let imported = role.mem_import_from_descriptor(role.receive_descriptor(&sent)?)?;
        Ok::<_, Stop>(vec![map(role, imported)?, map(role, imported)?])
    };
    let (here, there) = (map_twice(&importer)?, map_twice(&observer)?);
    let (device, access) = (0, READ_WRITE);
    let call = Call::mem_set_access_from_threads { addresses: here.clone(), size: SIZE, device, access };
    let setting = importer.begin::<()>(call)?;
    observer.mem_set_access_from_threads(there.clone(), SIZE, device, access)?;
    setting.finish()?;
    for (here, there) in here.into_iter().zip(there) {
        check!(importer.mem_get_access(here, 0)? == READ_WRITE);
        check!(observer.mem_get_access(there, 0)? == READ_WRITE);
        both_see((&importer, here), (&observer, there), SIZE)?;
    }
    Ok(())
}

/// One `cuMemSetAccess` revokes the access of one device and grants that of another, in whichever order it lists them.
#[rstest]
#[conformance::test("VMM-MAP-022", "VMM-MAP-027", needs(gpus = 2, no_mps, peer_access, virtual_memory))]
fn access_is_taken_away_in_a_list(importer: Role, #[values(true, false)] is_first: bool) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.fill(address, SIZE, 7)?;
    importer.mem_set_access(address, SIZE, 1, READ_WRITE)?;
    let set = |revoked: i32, granted: i32| {
        let mut list = vec![(granted, READ_WRITE), (revoked, NONE)];
        if is_first {
            list.reverse();
        }
        importer.mem_set_access_of_all(address, SIZE, list)?;
        check!(importer.mem_get_access(address, revoked)? == NONE);
        check!(importer.mem_get_access(address, granted)? == READ_WRITE);
        Ok::<_, Stop>(())
    };
    set(1, 0)?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    set(0, 1)?;
    // A copy may run on the other device.
    Kernel::Reads.run(&importer, address).refused_and_recorded(ILLEGAL_ADDRESS)?;
    Ok(())
}

/// A list changes the access to all imports in its range, for every device that it names.
#[rstest]
#[conformance::test("VMM-MAP-022", "VMM-MAP-027", needs(gpus = 2, no_mps, peer_access, memory_descriptors))]
fn a_list_changes_access_to_adjacent_imports(
    exporter: Role,
    importer: Role,
    #[values(0, 1, 2)] read: usize,
) -> Outcome {
    let mappings = map_three_imports(&exporter, &importer)?;
    let all = 3 * SIZE;
    importer.mem_set_access_of_all(mappings[0], all, vec![(0, READ_WRITE), (1, READ_WRITE)])?;
    importer.fill(mappings[0], all, 7)?;
    importer.mem_set_access_of_all(mappings[0], all, vec![(1, READ), (0, NONE)])?;
    for mapping in mappings {
        check!(importer.mem_get_access(mapping, 0)? == NONE);
        check!(importer.mem_get_access(mapping, 1)? == READ);
    }
    importer.mem_set_access_of_all(mappings[0], all, vec![(0, READ), (1, NONE)])?;
    check!(importer.mismatches(mappings[0], all, 7)? == 0);
    importer.mem_set_access_of_all(mappings[0], all, vec![(0, NONE), (1, READ)])?;
    // A copy may run on the other device.
    Kernel::Reads.run(&importer, mappings[read]).refused_and_recorded(ILLEGAL_ADDRESS)?;
    Ok(())
}

/// Revoking the access of a peer leaves the access of the memory's own device.
#[rstest]
#[conformance::test("VMM-MAP-022", needs(gpus = 2, peer_access, virtual_memory))]
fn access_is_taken_away_from_one_device_only(importer: Role) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    importer.mem_set_access(address, SIZE, 1, READ_WRITE)?;
    importer.mem_set_access(address, SIZE, 1, NONE)?;
    check!(importer.mem_get_access(address, 1)? == NONE);
    check!(importer.mem_get_access(address, 0)? == READ_WRITE);
    importer.fill(address, SIZE, 7)?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// Revoking the access of one device to an import leaves the access of another.
#[rstest]
#[conformance::test("VMM-MAP-022", needs(gpus = 2, peer_access, memory_descriptors))]
fn access_to_an_import_is_taken_away_from_one_device_only(exporter: Role, importer: Role) -> Outcome {
    let imported = import(&exporter, create_exportable(&exporter)?, &importer)?;
    let address = map_readable_and_writable(&importer, imported)?;
    importer.mem_set_access(address, SIZE, 1, READ_WRITE)?;
    for (revoked, left) in [(1, 0), (0, 1)] {
        importer.mem_set_access(address, SIZE, revoked, NONE)?;
        check!(importer.mem_get_access(address, revoked)? == NONE);
        check!(importer.mem_get_access(address, left)? == READ_WRITE);
        importer.mem_set_access(address, SIZE, revoked, READ_WRITE)?;
    }
    Ok(())
}

/// Read access is raised to read and write access: copies and kernels then write.
#[rstest]
#[conformance::test("VMM-MAP-027", needs(memory_descriptors))]
fn read_access_is_raised(exporter: Role, importer: Role, #[values(false, true)] is_imported: bool) -> Outcome {
    let physical =
        if is_imported { import(&exporter, create_exportable(&exporter)?, &importer)? } else { create(&importer)? };
    let address = map(&importer, physical)?;
    importer.mem_set_access(address, SIZE, 0, READ)?;
    importer.read(address, 4)?;
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    check!(importer.mem_get_access(address, 0)? == READ_WRITE);
    importer.memset_d8(address, 0x5a, SIZE)?;
    check!(importer.other_bytes(address, SIZE, 0x5a)? == 0);
    importer.fill(address, SIZE, 7)?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// A peer with read access reads with kernels, and its kernel that writes fails.
#[rstest]
#[conformance::test("VMM-MAP-021", needs(gpus = 2, no_mps, peer_access, memory_descriptors))]
fn a_peer_gets_read_access(
    exporter: Role,
    #[with(1)] importer: Role,
    #[values(false, true)] is_imported: bool,
) -> Outcome {
    let physical =
        if is_imported { import(&exporter, create_exportable(&exporter)?, &importer)? } else { create(&importer)? };
    let address = map_readable_and_writable(&importer, physical)?;
    importer.mem_set_access(address, SIZE, 1, READ)?;
    check!(importer.mem_get_access(address, 1)? == READ);
    Kernel::Reads.run(&importer, address)?;
    Kernel::Writes.run(&importer, address).refused_and_recorded(ILLEGAL_ADDRESS)?;
    Ok(())
}

/// A GPU other than that of the current context gets read access: its kernels read, and one that writes fails.
#[rstest]
#[conformance::test("VMM-MAP-021", needs(gpus = 2, no_mps, peer_access, memory_descriptors))]
fn another_gpu_gets_read_access(exporter: Role, importer: Role, #[values(false, true)] is_imported: bool) -> Outcome {
    let physical =
        if is_imported { import(&exporter, create_exportable(&exporter)?, &importer)? } else { create(&importer)? };
    let address = map_readable_and_writable(&importer, physical)?;
    importer.mem_set_access(address, SIZE, 1, READ)?;
    importer.ctx_create(1)?;
    Kernel::Reads.run(&importer, address)?;
    Kernel::Writes.run(&importer, address).refused_and_recorded(ILLEGAL_ADDRESS)?;
    Ok(())
}

/// A kernel that uses memory whose access was revoked fails.
#[rstest]
#[case::reads(Kernel::Reads)]
#[case::writes(Kernel::Writes)]
#[conformance::test("VMM-MAP-022", needs(no_mps, virtual_memory))]
fn access_is_taken_away_from_kernels(importer: Role, #[case] kernel: Kernel) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    kernel.run(&importer, address)?;
    importer.mem_set_access(address, SIZE, 0, NONE)?;
    kernel.run(&importer, address).refused_and_recorded(&[])?;
    Ok(())
}

/// The driver refuses to set access for a range with a hole, and leaves access unchanged.
#[rstest]
#[case::at_the_start(0)]
#[case::in_the_middle(1)]
#[case::at_the_end(2)]
#[conformance::test("VMM-MAP-023", needs(virtual_memory))]
fn a_hole_is_refused(importer: Role, #[case] hole: u64) -> Outcome {
    let address = reserve(&importer, 3 * SIZE)?;
    let mapped = [0, 1, 2].into_iter().filter(|chunk| *chunk != hole).map(|chunk| address.offset(chunk * SIZE));
    for chunk in mapped.clone() {
        importer.mem_map(chunk, SIZE, 0, create(&importer)?, 0)?;
    }
    importer.mem_set_access(address, 3 * SIZE, 0, READ_WRITE).refused(INVALID_VALUE)?;
    for chunk in mapped {
        check!(importer.mem_get_access(chunk, 0)? == NONE);
    }
    Ok(())
}

/// The driver refuses to give access to a nonexistent device.
#[rstest]
#[case::negative(|_| -1)]
#[case::beyond(|count| count)]
#[case::far_beyond(|count| count + 1000)]
#[conformance::test("VMM-MAP-026", needs(virtual_memory))]
fn nonexistent_devices_are_refused(importer: Role, #[case] device: fn(i32) -> i32) -> Outcome {
    let address = map(&importer, create(&importer)?)?;
    let device = device(importer.device_get_count()?);
    importer.mem_set_access(address, SIZE, device, READ_WRITE).refused_and_recorded(NO_SUCH_DEVICE)?;
    Ok(())
}

/// The code for an invalid flag, an invalid location or no descriptor is recorded; a refused call changes no access.
#[rstest]
#[case::unknown_flag(ON_DEVICE, 2, 1)]
#[case::no_location(0, READ_WRITE, 1)]
#[case::unknown_location(0xff, READ_WRITE, 1)]
#[case::no_descriptor(ON_DEVICE, READ_WRITE, 0)]
#[conformance::test("VMM-MAP-025", needs(virtual_memory))]
fn invalid_access_descriptors(
    importer: Role,
    #[case] location_type: u32,
    #[case] access: u32,
    #[case] count: u64,
) -> Outcome {
    let address = map(&importer, create(&importer)?)?;
    let answer = importer.mem_set_access_as(address, SIZE, location_type, 0, access, count).recorded("access")?;
    check!(answer.is_some() || importer.mem_get_access(address, 0)? == NONE, "a refused call gave access");
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    importer.fill(address, KIB, 7)?;
    check!(importer.mismatches(address, KIB, 7)? == 0);
    Ok(())
}

/// The code for setting access for a part of a mapped range is recorded; the device can write only where it has access.
#[rstest]
#[case::one_of_several(2, SIZE)]
#[case::half_of_one(1, SIZE / 2)]
#[conformance::test("VMM-MAP-024", needs(virtual_memory))]
fn access_to_a_part(importer: Role, #[case] chunks: u64, #[case] part: u64) -> Outcome {
    let address = reserve(&importer, chunks * SIZE)?;
    for chunk in 0..chunks {
        importer.mem_map(address.offset(chunk * SIZE), SIZE, 0, create(&importer)?, 0)?;
    }
    importer.mem_set_access(address, part, 0, READ_WRITE).recorded("set")?;
    for (name, offset) in [("part", 0), ("rest", part)] {
        let place = address.offset(offset);
        let access = importer.mem_get_access(place, 0)?;
        observe(name, access);
        let written = importer.fill_by_copy(place, KIB, 7);
        if access == READ_WRITE {
            written?;
            check!(importer.mismatches(place, KIB, 7)? == 0);
        } else {
            written.refused(&[])?;
        }
    }
    Ok(())
}

/// The result of querying access for an unmapped address or an invalid location is recorded.
#[rstest]
#[case::unmapped(false, ON_DEVICE, 0)]
#[case::nonexistent_device(true, ON_DEVICE, 1000)]
#[case::no_location(true, 0, 0)]
#[case::unknown_location(true, 0xff, 0)]
#[conformance::test("VMM-MAP-028", needs(virtual_memory))]
fn the_code_for_unmapped_or_invalid_locations(
    importer: Role,
    #[case] mapped: bool,
    #[case] location_type: u32,
    #[case] location: i32,
) -> Outcome {
    let address = if mapped { map(&importer, create(&importer)?)? } else { reserve(&importer, SIZE)? };
    importer.mem_get_access_as(address, location_type, location).recorded("access")?;
    importer.ctx_synchronize()
}

/// `cuMemGetAccess` returns no access right after mapping, and then the access that was set last.
#[rstest]
#[conformance::test("VMM-MAP-027", needs(virtual_memory))]
fn access_reads_as_it_was_set(importer: Role) -> Outcome {
    let address = map(&importer, create(&importer)?)?;
    check!(importer.mem_get_access(address, 0)? == NONE);
    for access in [READ_WRITE, READ, NONE, READ] {
        importer.mem_set_access(address, SIZE, 0, access)?;
        check!(importer.mem_get_access(address, 0)? == access);
        check!(importer.mem_get_access(address.offset(SIZE - 1), 0)? == access);
    }
    Ok(())
}

/// `cuMemGetAccess` returns in each context of a GPU the access that was set in another.
#[rstest]
#[conformance::test("VMM-MAP-027", needs(virtual_memory))]
fn access_reads_the_same_in_another_context(importer: Role) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    let first = importer.ctx_get_current()?;
    importer.ctx_create(0)?;
    check!(importer.mem_get_access(address, 0)? == READ_WRITE);
    importer.mem_set_access(address, SIZE, 0, READ)?;
    importer.ctx_set_current(Some(first))?;
    check!(importer.mem_get_access(address, 0)? == READ);
    Ok(())
}

/// `cuMemGetAccess` returns for each device what was set for it, by one call or by several.
#[rstest]
#[conformance::test("VMM-MAP-027", needs(gpus = 2, virtual_memory, peer_access))]
fn each_device_has_its_own_access(importer: Role) -> Outcome {
    let address = map(&importer, create(&importer)?)?;
    let access = |device: i32| importer.mem_get_access(address, device);
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    check!(access(0)? == READ_WRITE);
    check!(access(1)? == NONE);
    importer.mem_set_access(address, SIZE, 1, READ)?;
    check!(access(0)? == READ_WRITE);
    check!(access(1)? == READ);
    importer.mem_set_access_of_all(address, SIZE, vec![(0, READ), (1, READ_WRITE)])?;
    check!(access(0)? == READ);
    check!(access(1)? == READ_WRITE);
    Ok(())
}

/// `cuMemSetAccess` gives a peer device access without peer access between contexts.
#[rstest]
#[conformance::test("VMM-MAP-029", needs(gpus = 2, virtual_memory, peer_access))]
fn a_peer_gets_access(#[with(1)] importer: Role) -> Outcome {
    let address = map(&importer, create(&importer)?)?;
    importer.read(address, 4).refused(&[])?;
    importer.mem_set_access(address, SIZE, 1, READ_WRITE)?;
    importer.memset_d8(address, 0x5a, SIZE)?;
    check!(importer.other_bytes(address, SIZE, 0x5a)? == 0);
    importer.fill(address, SIZE, 7)?;
    check!(importer.mismatches(address, SIZE, 7)? == 0);
    Ok(())
}

/// One `cuMemSetAccess` gives a peer access to all mappings in its range.
#[rstest]
#[conformance::test("VMM-MAP-029", needs(gpus = 2, virtual_memory, peer_access))]
fn a_peer_gets_access_to_adjacent_mappings(#[with(1)] importer: Role) -> Outcome {
    let address = reserve(&importer, 2 * SIZE)?;
    for mapping in [address, address.offset(SIZE)] {
        importer.mem_map(mapping, SIZE, 0, create(&importer)?, 0)?;
    }
    importer.mem_set_access(address, 2 * SIZE, 1, READ_WRITE)?;
    check!(importer.mem_get_access(address.offset(SIZE), 1)? == READ_WRITE);
    importer.fill(address, 2 * SIZE, 7)?;
    check!(importer.mismatches(address, 2 * SIZE, 7)? == 0);
    Ok(())
}

/// A peer's kernel fails on memory to which only the memory's own device has access.
#[rstest]
#[case::reads(Kernel::Reads)]
#[case::writes(Kernel::Writes)]
#[conformance::test("VMM-MAP-029", needs(no_mps, gpus = 2, virtual_memory, peer_access))]
fn a_peer_without_access_fails(#[with(1)] importer: Role, #[case] kernel: Kernel) -> Outcome {
    let address = map_readable_and_writable(&importer, create(&importer)?)?;
    kernel.run(&importer, address).refused(ILLEGAL_ADDRESS)?;
    Ok(())
}

/// The driver refuses to give access to a device that does not support peer access, and gives it none.
#[rstest]
#[conformance::test("VMM-MAP-030", needs(gpus = 2, virtual_memory, no_peer_access))]
fn a_device_without_peer_access_is_refused() -> Outcome {
    let (_, importer) = on_gpus_that_are_no_peers();
    let address = map(&importer, create(&importer)?)?;
    importer.mem_set_access(address, SIZE, 1, READ_WRITE).refused_and_recorded(&[])?;
    check!(importer.mem_get_access(address, 1)? == NONE);
    Ok(())
}

/// The driver refuses to give a NUMA node of the host access to device memory, except on coherent platforms.
#[rstest]
#[conformance::test("VMM-MAP-031", needs(virtual_memory))]
fn the_host_gets_no_access_to_a_devices_memory(importer: Role) -> Outcome {
    let address = map(&importer, create(&importer)?)?;
    give_the_host_access(&importer, address)
}

/// The driver refuses to give a NUMA node of the host access to imported device memory, except on coherent platforms.
#[rstest]
#[conformance::test("VMM-MAP-031", needs(memory_descriptors))]
fn the_host_gets_no_access_to_imported_memory(exporter: Role, importer: Role) -> Outcome {
    let address = map(&importer, import(&exporter, create_exportable(&exporter)?, &importer)?)?;
    give_the_host_access(&importer, address)
}

/// Expects that the host gets no access to device memory, unless the platform is coherent.
fn give_the_host_access(importer: &Role, address: Pointer) -> Outcome {
    const COHERENT: CUdevice_attribute =
        CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES;
    let is_coherent = importer.device_get_attribute(COHERENT.0, 0)? == 1;
    let access = importer.mem_set_access_of_numa_node(address, SIZE, 0);
    if is_coherent {
        access.recorded("code")?;
    } else {
        access.refused_and_recorded(&[])?;
    }
    Ok(())
}
