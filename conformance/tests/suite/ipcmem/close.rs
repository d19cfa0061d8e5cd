//! `cuIpcCloseMemHandle`.

use std::time::Duration;

use conformance::calls::ipc::Call as IpcCall;
use conformance::{
    BLOCKS, Expect as _, MemHandle, Outcome, Pointer, Role, Stop, Stream, THREADS, check, observe, seed,
};
use cuda_ipc_sys::CUpointer_attribute;
use rstest::rstest;

use crate::support::SIZE;
use crate::support::by_kernel::{enqueue_fill, enqueue_verify};
use crate::support::constants::{INVALID_CONTEXT, INVALID_VALUE};
use crate::support::device_memory::Account;
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::import_kind::{self, ImportKind, Imported};
use crate::support::latch::{wait_for, wait_for_one};
use crate::support::legacy::filled;
use crate::support::pointer_kind::PointerKind;

const MEMORY_TYPE: u32 = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE.0;
const ORDINAL: u32 = CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL.0;

/// Exported memory that holds a pattern.
struct Shared {
    buffer: Pointer,
    handle: MemHandle,
    pattern: u32,
}

fn share(exporter: &Role) -> Result<Shared, Stop> {
    let (buffer, pattern) = filled(exporter, SIZE)?;
    Ok(Shared { buffer, handle: exporter.ipc_get_mem_handle(buffer)?, pattern })
}

/// Checks that each process sees what the other writes.
fn still_share(exporter: &Role, buffer: Pointer, importer: &Role, import: Pointer) -> Outcome {
    let (there, back) = (seed(), seed());
    exporter.fill(buffer, SIZE, there)?;
    check!(importer.mismatches(import, SIZE, there)? == 0);
    importer.fill(import, SIZE, back)?;
    check!(exporter.mismatches(buffer, SIZE, back)? == 0);
    Ok(())
}

/// The last close unmaps an import, and the driver then refuses its address. The exporter's memory stays as it was.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-001")]
fn closing_unmaps(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter)?;
    let import = importer.ipc_open_mem_handle(shared.handle)?;
    importer.pointer_get_attribute(MEMORY_TYPE, import)?;
    importer.ipc_close_mem_handle(import)?;
    for attribute in [MEMORY_TYPE, ORDINAL] {
        importer.pointer_get_attribute(attribute, import).refused(INVALID_VALUE)?;
    }
    importer.read(import, 4).refused(&[])?;
    check!(exporter.mismatches(shared.buffer, SIZE, shared.pattern)? == 0);
    Ok(())
}

/// Threads of one process close different imports at the same time, and each close unmaps its import.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-001")]
fn threads_close_at_the_same_time(exporter: Role, importer: Role) -> Outcome {
    const THREADS: usize = 8;
    let open = || importer.ipc_open_mem_handle(share(&exporter)?.handle);
    let imports = (0..THREADS).map(|_| open()).collect::<Result<Vec<_>, _>>()?;
    importer.ipc_close_mem_handle_from_threads(imports.clone())?;
    for import in imports {
        importer.pointer_get_attribute(MEMORY_TYPE, import).refused(INVALID_VALUE)?;
    }
    Ok(())
}

/// A handle that was opened several times needs as many closes, and its memory stays mapped until the last one. This
/// holds again when it is opened again, and another handle of the exporter stays open.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-002")]
fn every_open_needs_its_close(exporter: Role, importer: Role, #[values(2, 5, 100, 300)] opens: usize) -> Outcome {
    let (shared, other) = (share(&exporter)?, share(&exporter)?);
    let kept = importer.ipc_open_mem_handle(other.handle)?;
    // After the last close, the count begins again.
    for _ in 0..2 {
        let import = importer.ipc_open_mem_handle(shared.handle)?;
        for _ in 1..opens {
            check!(import == importer.ipc_open_mem_handle(shared.handle)?);
        }
        for _ in 1..opens {
            importer.ipc_close_mem_handle(import)?;
            check!(importer.mismatches(import, SIZE, shared.pattern)? == 0);
        }
        importer.ipc_close_mem_handle(import)?;
        importer.read(import, 4).refused(&[])?;
    }
    check!(importer.mismatches(kept, SIZE, other.pattern)? == 0);
    importer.ipc_close_mem_handle(kept)
}

/// The closes of threads other than the one that opened a handle count too, and leave the memory as it was.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-002")]
fn closes_of_other_threads_count(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter)?;
    let import = importer.ipc_open_mem_handle(shared.handle)?;
    for _ in 0..2 {
        check!(import == importer.ipc_open_mem_handle(shared.handle)?);
    }
    for _ in 0..2 {
        importer.ipc_close_mem_handle_from_threads(vec![import])?;
        check!(importer.mismatches(import, SIZE, shared.pattern)? == 0);
    }
    importer.ipc_close_mem_handle(import)?;
    importer.read(import, 4).refused(&[])?;
    check!(exporter.mismatches(shared.buffer, SIZE, shared.pattern)? == 0);
    Ok(())
}

/// The driver refuses one close too many.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-003")]
fn one_close_too_many_is_refused(exporter: Role, importer: Role) -> Outcome {
    let import = importer.ipc_open_mem_handle(share(&exporter)?.handle)?;
    importer.ipc_close_mem_handle(import)?;
    importer.ipc_close_mem_handle(import).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// The driver refuses to close the exporter's own allocation, which stays intact.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-004")]
fn the_exporters_own_pointer_is_refused(exporter: Role) -> Outcome {
    let shared = share(&exporter)?;
    exporter.ipc_close_mem_handle(shared.buffer).refused(INVALID_VALUE)?;
    check!(exporter.mismatches(shared.buffer, SIZE, shared.pattern)? == 0);
    Ok(())
}

/// The driver refuses to close an allocation that is not an import, and the allocation stays intact.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-005")]
fn an_unrelated_allocation_is_refused(importer: Role) -> Outcome {
    let (buffer, pattern) = filled(&importer, SIZE)?;
    importer.ipc_close_mem_handle(buffer).refused_and_recorded(&[])?;
    check!(importer.mismatches(buffer, SIZE, pattern)? == 0);
    Ok(())
}

/// The driver refuses to close address 0.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-006")]
fn null_is_refused(importer: Role) -> Outcome {
    importer.ipc_close_mem_handle(Pointer::NULL).refused(INVALID_VALUE)?;
    Ok(())
}

/// Closing an interior pointer of a mapping with two references leaves the mapping usable. The code is recorded.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-007")]
fn closing_an_interior_pointer_leaves_the_mapping_usable(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter)?;
    let import = importer.ipc_open_mem_handle(shared.handle)?;
    importer.ipc_open_mem_handle(shared.handle)?;
    importer.ipc_close_mem_handle(import.offset(4096)).recorded("close of an interior pointer")?;
    check!(importer.mismatches(import, SIZE, shared.pattern)? == 0);
    Ok(())
}

/// The driver refuses to close an import without a current context, and the import stays open.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-008")]
fn a_current_context_is_needed(exporter: Role, importer: Role) -> Outcome {
    let (shared, context) = (share(&exporter)?, importer.ctx_get_current()?);
    let import = importer.ipc_open_mem_handle(shared.handle)?;
    importer.ctx_set_current(None)?;
    importer.ipc_close_mem_handle(import).refused(INVALID_CONTEXT)?;
    importer.ctx_set_current(Some(context))?;
    check!(importer.mismatches(import, SIZE, shared.pattern)? == 0);
    importer.ipc_close_mem_handle(import)
}

/// A close in another context leaves the exporter's memory intact. The code is recorded.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-009")]
fn closing_in_another_context_leaves_the_exporters_memory_intact(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter)?;
    let import = importer.ipc_open_mem_handle(shared.handle)?;
    importer.ctx_create(0)?;
    importer.ipc_close_mem_handle(import).recorded("close in a second context")?;
    check!(exporter.mismatches(shared.buffer, SIZE, shared.pattern)? == 0);
    Ok(())
}

/// After a close in one importer, the exporter and another importer still share the memory.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-011")]
fn other_processes_keep_the_memory(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let shared = share(&exporter)?;
    let import = importer.ipc_open_mem_handle(shared.handle)?;
    let other = observer.ipc_open_mem_handle(shared.handle)?;
    importer.ipc_close_mem_handle(import)?;
    check!(exporter.mismatches(shared.buffer, SIZE, shared.pattern)? == 0);
    check!(observer.mismatches(other, SIZE, shared.pattern)? == 0);
    still_share(&exporter, shared.buffer, &observer, other)
}

/// A handle opens again after its close, and the memory is shared again. Whether the address is the same is recorded.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-012")]
fn a_closed_handle_opens_again(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter)?;
    let first = importer.ipc_open_mem_handle(shared.handle)?;
    importer.ipc_close_mem_handle(first)?;
    let second = importer.ipc_open_mem_handle(shared.handle)?;
    observe("the address is the same", first == second);
    check!(importer.mismatches(second, SIZE, shared.pattern)? == 0);
    still_share(&exporter, shared.buffer, &importer, second)
}

/// How a process ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Exit,
    ExitWithoutHandlers,
    Kill,
}

impl End {
    fn of(self, role: &Role) -> Outcome {
        match self {
            Self::Exit => role.exit(),
            Self::ExitWithoutHandlers => role.exit_at_once(),
            Self::Kill => role.kill(),
        }
    }
}

/// The code of closing an import after its exporter has ended is recorded.
#[rstest]
#[case::exit(End::Exit)]
#[case::kill(End::Kill)]
#[conformance::test("IPCMEM-CLOSE-013")]
fn the_code_of_a_close_after_the_exporters_end(exporter: Role, importer: Role, #[case] end: End) -> Outcome {
    let import = importer.ipc_open_mem_handle(share(&exporter)?.handle)?;
    end.of(&exporter)?;
    let closed = importer.ipc_close_mem_handle(import).recorded("close")?;
    importer.ctx_synchronize()?;
    // A process that could not close the memory cannot give it back at the end either.
    if closed.is_none() { importer.kill() } else { Ok(()) }
}

/// The driver refuses to close virtual memory.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-014", needs(virtual_memory))]
fn virtual_memory_is_refused(importer: Role) -> Outcome {
    importer.ipc_close_mem_handle(PointerKind::VirtualMemory.make(&importer)?).refused_and_recorded(&[])?;
    Ok(())
}

/// The driver refuses to close a pointer that was imported from a pool, and the import stays usable.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-014", needs(pool_descriptors))]
fn a_pool_import_is_refused(exporter: Role, importer: Role) -> Outcome {
    let Imported { there, here } = ImportKind::Pool.make(&exporter, &importer, 0)?;
    importer.ipc_close_mem_handle(here).refused_and_recorded(&[])?;
    let pattern = seed();
    exporter.fill(there, import_kind::SIZE, pattern)?;
    check!(importer.mismatches(here, import_kind::SIZE, pattern)? == 0);
    Ok(())
}

/// If an importer ends without a close, the exporter can free the memory, which returns to the device.
#[rstest]
#[case::exit(End::Exit)]
#[case::exit_without_handlers(End::ExitWithoutHandlers)]
#[case::kill(End::Kill)]
#[conformance::test("IPCMEM-CLOSE-015")]
fn an_importers_exit_closes_its_mappings(exporter: Role, importer: Role, observer: Role, #[case] end: End) -> Outcome {
    let account = Account::open(&observer)?;
    let buffer = exporter.mem_alloc(account.large)?;
    importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    end.of(&importer)?;
    exporter.mem_free(buffer)?;
    account.check_given_back()
}

/// Destroying the context that imported memory leaves the exporter unaffected. The code is recorded.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-016")]
fn destroying_the_importing_context_leaves_the_exporter_unharmed(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter)?;
    let created = importer.ctx_create(0)?;
    importer.ipc_open_mem_handle(shared.handle)?;
    importer.ctx_destroy(created).recorded("destroy")?;
    check!(exporter.mismatches(shared.buffer, SIZE, shared.pattern)? == 0);
    exporter.ctx_synchronize()
}

/// If a handle opens again after a reset of the importing primary context, the memory has the right contents. The code
/// is recorded.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-017")]
fn memory_opened_after_a_reset_has_the_right_contents(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter)?;
    importer.ipc_open_mem_handle(shared.handle)?;
    importer.device_primary_ctx_reset()?;
    importer.device_primary_ctx_retain()?;
    if let Some(import) = importer.ipc_open_mem_handle(shared.handle).recorded("open after the reset")? {
        check!(importer.mismatches(import, SIZE, shared.pattern)? == 0);
    }
    Ok(())
}

/// After the last close of an import from another device, peer access is not enabled.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-018", needs(gpus = 2, peer_access))]
fn the_last_close_ends_the_peer_access_of_an_open(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let peer = importer.device_primary_ctx_retain_of(0)?;
    let import = importer.ipc_open_mem_handle(share(&exporter)?.handle)?;
    importer.ipc_close_mem_handle(import)?;
    importer.ctx_enable_peer_access(peer)?;
    importer.ctx_synchronize()
}

/// Closing one import from a peer leaves another one usable.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-018", needs(gpus = 2, peer_access))]
fn closing_leaves_other_imports_from_the_peer(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let [one, other] = [share(&exporter)?, share(&exporter)?];
    let closed = importer.ipc_open_mem_handle(one.handle)?;
    let import = importer.ipc_open_mem_handle(other.handle)?;
    importer.ipc_close_mem_handle(closed)?;
    check!(importer.mismatches(import, SIZE, other.pattern)? == 0);
    still_share(&exporter, other.buffer, &importer, import)
}

/// Closing an import while a kernel reads it leaves the exporter and a third process unaffected. Whether the close
/// waits for the kernel is recorded.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-010")]
fn closing_under_a_kernel_leaves_others_unharmed(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    observer: Role,
) -> Outcome {
    // A close that does not wait returns much sooner.
    const LONG_ENOUGH_TO_CLOSE: Duration = Duration::from_millis(200);
    const PATIENCE: Duration = Duration::from_secs(5);
    // The offset of the word that the kernel waits for: the start of the second half.
    const FLAG: u64 = SIZE / 2;
    let shared = share(&exporter)?;
    exporter.memset_d8(shared.buffer.offset(FLAG), 0, 4)?;
    exporter.ctx_synchronize()?;
    let import = sacrifice.ipc_open_mem_handle(shared.handle)?;
    let stream = sacrifice.stream_create()?;
    wait_for_one(&sacrifice, import.offset(FLAG), stream)?;
    sacrifice.set_deadline(PATIENCE);
    let closing = sacrifice.begin::<()>(IpcCall::ipc_close_mem_handle { pointer: import })?;
    observe("the close waits", closing.still_waits_after(LONG_ENOUGH_TO_CLOSE)?);
    exporter.write(shared.buffer.offset(FLAG), 1_u32.to_le_bytes().to_vec())?;
    if closing.finish().survived_or_not("close")?.is_some() {
        sacrifice.stream_synchronize(stream).survived_or_not("the kernel")?;
    }
    sacrifice.kill()?;
    check!(exporter.mismatches(shared.buffer, FLAG, shared.pattern)? == 0);
    exporter.ctx_synchronize()?;
    observer.ctx_synchronize()
}

/// A process opens, uses and closes an import while one of its kernels runs on another import, and both have the right
/// contents.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-019")]
fn an_import_comes_and_goes_beside_a_running_kernel(
    exporter: Role,
    importer: Role,
    observer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    const SIZE: u64 = import_kind::SIZE;
    const HALF: u64 = SIZE / 2;
    // The importer's calls may wait for its kernel. So a third process, which no call of the case needs meanwhile, ends
    // the kernel after this time.
    const NANOSECONDS: u64 = 500_000_000;
    // The value to which the threads of `add` bring the flag at the start of the memory.
    const ENDS: u32 = BLOCKS * THREADS;
    let held = kind.make(&observer, &importer, 0)?;
    let end_after = |nanoseconds: u64, times: u64| {
        observer.launch("spin".into(), vec![nanoseconds.into()], Stream::DEFAULT)?;
        observer.launch("add".into(), vec![held.there.into(), 1_u32.into(), times.into()], Stream::DEFAULT)
    };
    let (there, here, after) = (seed(), seed(), seed());
    let (stream, wrong) = (importer.stream_create()?, importer.mem_alloc(4096)?);
    importer.memset_d8(wrong, 0, 8)?;
    importer.ctx_synchronize()?;
    observer.memset_d8(held.there, 0, 4)?;
    // Load the kernels before one runs, because loading may wait for the device.
    end_after(0, 0)?;
    observer.ctx_synchronize()?;
    wait_for(&importer, held.here, ENDS, stream)?;
    enqueue_fill(&importer, held.here.offset(HALF), HALF, after, stream)?;
    end_after(NANOSECONDS, 1)?;
    let other = kind.make(&exporter, &importer, 0)?;
    exporter.fill(other.there, SIZE, there)?;
    enqueue_verify(&importer, other.here, SIZE, there, wrong, Stream::DEFAULT)?;
    enqueue_fill(&importer, other.here, SIZE, here, Stream::DEFAULT)?;
    importer.stream_synchronize(Stream::DEFAULT)?;
    kind.close(&importer, &other)?;
    importer.stream_synchronize(stream)?;
    check!(importer.other_bytes(wrong, 8, 0)? == 0);
    check!(exporter.mismatches(other.there, SIZE, here)? == 0);
    check!(observer.mismatches(held.there.offset(HALF), HALF, after)? == 0);
    Ok(())
}
