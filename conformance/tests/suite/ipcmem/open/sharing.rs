//! Memory that an import shares with its allocation.

use conformance::{BLOCKS, THREADS};
use conformance::{Expect as _, GIB, KIB, MIB, Outcome, Pointer, Role, Stop, check, observe, seed};
use cuda_ipc_sys::CUdevice_P2PAttribute;
use rstest::rstest;

use crate::support::by_kernel::{both_see, see_writes_while_running};
use crate::support::device_memory::need_free_memory;
use crate::support::fixtures::{exporter, importer, start};
use crate::support::import_kind::{self, ImportKind};
use crate::support::latch::Latch;
use crate::support::legacy::{open, share};
use crate::support::reach::Unshared;

const SIZE: u64 = 4 * MIB;

/// A process that has exported memory of one kind imports memory of each kind from the process that imported its own.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "POOL-PTR-001", "VMM-IMP-001")]
fn an_exporter_imports_from_its_importer(
    exporter: Role,
    importer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] exported: ImportKind,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] imported: ImportKind,
) -> Outcome {
    let given = exported.make(&exporter, &importer, 0)?;
    let taken = imported.make(&importer, &exporter, 0)?;
    both_see((&exporter, given.there), (&importer, given.here), import_kind::SIZE)?;
    both_see((&importer, taken.there), (&exporter, taken.here), import_kind::SIZE)
}

/// Kernels of each process read what kernels of the other write.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-OPEN-046")]
fn each_process_sees_the_writes_of_the_other(exporter: Role, importer: Role) -> Outcome {
    let (there, back) = (seed(), seed());
    let buffer = exporter.mem_alloc(SIZE)?;
    exporter.fill(buffer, SIZE, there)?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    check!(importer.mismatches(import, SIZE, there)? == 0);
    importer.fill(import, SIZE, back)?;
    check!(exporter.mismatches(buffer, SIZE, back)? == 0);
    exporter.fill(buffer, SIZE, there)?;
    check!(importer.mismatches(import, SIZE, there)? == 0);
    Ok(())
}

/// Each of many memsets and kernels of an importer reaches the exporter's memory.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-OPEN-046")]
fn every_one_of_many_writes_reaches_an_import(exporter: Role, importer: Role) -> Outcome {
    let buffer = exporter.mem_alloc(SIZE)?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    for value in 1..=150 {
        importer.memset_d8(import, value, KIB)?;
        importer.ctx_synchronize()?;
        check!(exporter.other_bytes(buffer, KIB, value)? == 0);
        importer.fill(import, KIB, value.into())?;
        check!(exporter.mismatches(buffer, KIB, value.into())? == 0);
    }
    Ok(())
}

/// Copies and fills of the importer read and write the exporter's memory.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-OPEN-046")]
fn copies_and_fills_reach_an_import(exporter: Role, importer: Role) -> Outcome {
    let (there, back) = (seed(), seed());
    let buffer = exporter.mem_alloc(SIZE)?;
    exporter.fill_by_copy(buffer, SIZE, there)?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    check!(importer.mismatches_by_copy(import, SIZE, there)? == 0);
    importer.fill_by_copy(import, SIZE, back)?;
    check!(exporter.mismatches_by_copy(buffer, SIZE, back)? == 0);
    importer.memset_d8(import, 7, SIZE)?;
    importer.ctx_synchronize()?;
    check!(exporter.other_bytes(buffer, SIZE, 7)? == 0);
    importer.memset_d32(import, 0x0909_0909, SIZE / 4)?;
    importer.ctx_synchronize()?;
    check!(exporter.other_bytes(buffer, SIZE, 9)? == 0);
    Ok(())
}

/// Processes also share an allocation that is much smaller than a block.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001")]
fn small_memory_is_shared(exporter: Role, importer: Role) -> Outcome {
    const SMALL: u64 = 64 * KIB;
    let buffer = exporter.mem_alloc(SMALL)?;
    let import = open(&exporter, buffer, &importer)?;
    both_see((&exporter, buffer), (&importer, import), SMALL)
}

/// Two processes on the second GPU share its memory.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", needs(gpus = 2))]
fn memory_of_the_second_gpu_is_shared_on_it(#[with(1)] exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let buffer = exporter.mem_alloc(SIZE)?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    both_see((&exporter, buffer), (&importer, import), SIZE)
}

/// The range of an import has the size of the allocation if that is a multiple of 2 MiB.
#[rstest]
#[conformance::test("IPCMEM-OPEN-027", "IPCMEM-OPEN-044")]
fn the_imported_range_is_the_allocation(exporter: Role, importer: Role, #[values(2, 4)] mebibytes: u64) -> Outcome {
    let size = mebibytes * MIB;
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(size)?)?;
    let import = importer.ipc_open_mem_handle(handle)?;
    for offset in [0, size / 2, size - 1] {
        let range = importer.mem_get_address_range(import.offset(offset))?;
        check!(range.base == import, "the base of an import is {:?}, expected {import:?}", range.base);
        check!(range.size == size, "an import of {size} bytes has a range of {} bytes", range.size);
    }
    Ok(())
}

/// The range of an import of 5 GiB has its size, and the processes share its last bytes.
#[rstest]
#[conformance::test("IPCMEM-OPEN-027", "IPCMEM-OPEN-044")]
fn more_than_4_gib_are_imported(exporter: Role, importer: Role) -> Outcome {
    const LARGE: u64 = 5 * GIB;
    // As much again stays free for others.
    need_free_memory(&exporter, 2 * LARGE + GIB)?;
    let (buffer, end) = (exporter.mem_alloc(LARGE)?, LARGE - SIZE);
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    for offset in [0, LARGE - 1] {
        let range = importer.mem_get_address_range(import.offset(offset))?;
        check!(range.base == import, "the base of an import is {:?}, expected {import:?}", range.base);
        check!(range.size == LARGE, "an import of {LARGE} bytes has a range of {} bytes", range.size);
    }
    both_see((&exporter, buffer.offset(end)), (&importer, import.offset(end)), SIZE)
}

/// An allocation of whole granules shares its block with no other: a kernel of an importer does not reach its neighbour.
#[rstest]
#[conformance::test("IPCMEM-OPEN-027", needs(no_mps))]
fn whole_granules_do_not_share_a_block(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    #[values(2, 4)] mebibytes: u64,
) -> Outcome {
    let (size, secret) = (mebibytes * MIB, seed());
    let one = exporter.mem_alloc(size)?;
    let others = (0..4).map(|_| exporter.mem_alloc(size)).collect::<Result<Vec<_>, _>>()?;
    for other in &others {
        exporter.fill(*other, size, secret)?;
    }
    let import = sacrifice.ipc_open_mem_handle(exporter.ipc_get_mem_handle(one)?)?;
    let distances = others.iter().map(|other| other.0.wrapping_sub(one.0).cast_signed());
    let nearest = distances.min_by_key(|distance| distance.unsigned_abs()).unwrap_or_default();
    let neighbour = Pointer(import.0.wrapping_add_signed(nearest));
    let found = sacrifice.mismatches(neighbour, size, secret).survived_or_not("read of the neighbour")?;
    let is_hidden = is_not_read(found);
    // The read is expected to damage the process.
    sacrifice.kill()?;
    is_hidden
}

/// Checks that a kernel did not find the contents of the neighbour.
fn is_not_read(wrong_words: Option<u64>) -> Outcome {
    check!(wrong_words != Some(0), "a kernel of the importer reads the allocation beside the import");
    Ok(())
}

/// An import of a small allocation has the right contents. Whether a copy can read its neighbour in the same block, and
/// whether a kernel can read and write it, is recorded. What a kernel can do is a disclosure.
#[rstest]
#[conformance::test("IPCMEM-OPEN-025", needs(no_mps))]
fn the_reach_of_a_small_import(exporter: Role, #[from(importer)] sacrifice: Role) -> Outcome {
    let size = 64 * KIB;
    // Because of this allocation, the import does not begin where its block begins.
    exporter.mem_alloc(size)?;
    let (one, import, pattern) = share(&exporter, &sacrifice, size)?;
    let other = exporter.mem_alloc(size)?;
    check!(sacrifice.mismatches(import, size, pattern)? == 0);
    observe("size of the imported range", sacrifice.mem_get_address_range(import)?.size);
    let distance = other.0.wrapping_sub(one.0);
    observe("distance of the neighbour", distance);
    if distance < 2 * MIB {
        let (name, what) = ("the neighbour", "the neighbouring allocation");
        let unshared = Unshared { name, what, exporter: &exporter, there: other, here: import.offset(distance), size };
        unshared.reach_by_copy(&sacrifice)?;
        unshared.reach_by_kernel(&sacrifice)?;
    }
    // A kernel that does not reach the neighbour damages its process.
    sacrifice.kill()
}

/// Closing one of two small imports leaves the other usable. Whether their distance is kept is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-026")]
fn neighbours_close_independently(exporter: Role, importer: Role) -> Outcome {
    let (size, pattern) = (64 * KIB, seed());
    let (one, other) = (exporter.mem_alloc(size)?, exporter.mem_alloc(size)?);
    exporter.fill(other, size, pattern)?;
    let first = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(one)?)?;
    let second = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(other)?)?;
    observe("the distance is kept", second.0.wrapping_sub(first.0) == other.0.wrapping_sub(one.0));
    importer.ipc_close_mem_handle(first)?;
    check!(importer.mismatches(second, size, pattern)? == 0);
    Ok(())
}

/// Many processes can open one handle, and each sees the writes of the others. The addresses are recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-036", "IPCMEM-OPEN-028")]
fn many_processes_open_one_handle(exporter: Role) -> Outcome {
    const IMPORTERS: usize = 8;
    const SIZE: u64 = 256 * KIB;
    let buffer = exporter.mem_alloc(SIZE)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let mut sharers = vec![(exporter, buffer)];
    for number in 0..IMPORTERS {
        let importer = start(&format!("importer {number}"), Default::default());
        let import = importer.ipc_open_mem_handle(handle)?;
        sharers.push((importer, import));
    }
    observe("addresses", sharers[1..].iter().map(|(_, import)| import.0).collect::<Vec<_>>());
    for (writer, written) in &sharers {
        let pattern = seed();
        writer.fill(*written, SIZE, pattern)?;
        for (reader, read) in &sharers {
            check!(reader.mismatches(*read, SIZE, pattern)? == 0);
        }
    }
    Ok(())
}

/// Prepares a kernel whose threads each add a value to a counter so many times. It starts with the release of the latch.
fn prepare_to_add(role: &Role, counter: Pointer, value: u32, times: u64) -> Result<Latch, Stop> {
    let (stream, add) = (role.stream_create()?, |times: u64| vec![counter.into(), value.into(), times.into()]);
    // Load the module before the stream is held.
    role.launch("add".into(), add(0), stream)?;
    role.stream_synchronize(stream)?;
    let latch = Latch::hold(role, stream)?;
    role.launch("add".into(), add(times), stream)?;
    Ok(latch)
}

/// System-scope atomics of two processes on one word lose no update, even if they run at the same time.
#[rstest]
#[conformance::test("IPCMEM-OPEN-041")]
fn atomics_of_two_processes_are_exact(
    exporter: Role,
    importer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    // Enough for several milliseconds, which is longer than the releases of the two kernels are apart.
    const ROUNDS: u64 = 4_000_000;
    let import = kind.make(&exporter, &importer, 0)?;
    add_up((&exporter, import.there), (&importer, import.here), ROUNDS)
}

/// System-scope atomics of processes on two GPUs lose no update, if the link supports native atomics.
#[rstest]
#[conformance::test("P2P-015", needs(gpus = 2, peer_access))]
fn atomics_of_two_gpus_are_exact(
    exporter: Role,
    #[with(1)] importer: Role,
    #[values(ImportKind::Legacy, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    const ATOMICS: u32 = CUdevice_P2PAttribute::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED.0;
    // Fewer than on one GPU, because an addition takes longer over a link.
    const ROUNDS: u64 = 1_000_000;
    if importer.device_get_p2p_attribute(ATOMICS, 1, 0)? == 0 {
        return Err(Stop::Unsupported("the link does not support native atomics".to_owned()));
    }
    let import = kind.make(&exporter, &importer, 1)?;
    add_up((&exporter, import.there), (&importer, import.here), ROUNDS)
}

/// Lets kernels of two processes add to one word at the same time, and checks the sum.
fn add_up((exporter, counter): (&Role, Pointer), (importer, import): (&Role, Pointer), rounds: u64) -> Outcome {
    exporter.memset_d8(counter, 0, 4)?;
    exporter.ctx_synchronize()?;
    let one = prepare_to_add(exporter, counter, 1, rounds)?;
    let other = prepare_to_add(importer, import, 2, rounds)?;
    one.release()?;
    other.release()?;
    exporter.ctx_synchronize()?;
    importer.ctx_synchronize()?;
    let sum = u64::from(BLOCKS * THREADS) * rounds * 3;
    let expected = (sum as u32).to_le_bytes();
    check!(exporter.read(counter, 4)? == expected);
    Ok(())
}

/// A running kernel of each process sees what a kernel of the other writes meanwhile, whichever API shares the memory.
#[rstest]
#[conformance::test("IPCMEM-OPEN-051")]
fn running_kernels_see_the_writes_of_the_other_process(
    exporter: Role,
    importer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    see_writes_while_running(&exporter, &importer, &kind.make(&exporter, &importer, 0)?)
}

/// An open returns while the exporter is stopped. The code is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-050")]
fn opening_does_not_wait_for_a_stopped_exporter(exporter: Role, importer: Role) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?;
    exporter.stop()?;
    let opened = importer.ipc_open_mem_handle(handle).recorded("open");
    exporter.resume()?;
    opened?;
    exporter.ctx_synchronize()
}
