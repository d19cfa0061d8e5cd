//! `cuIpcCloseMemHandle`.

use std::time::Duration;

use conformance::calls::ipc::Call as IpcCall;
use conformance::{Expect as _, MIB, MemHandle, Outcome, Pointer, Role, Stop, check, observe, seed};
use cuda_ipc_sys::{CUpointer_attribute, CUresult};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::pointer_kind::PointerKind;

const MEMORY_TYPE: u32 = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE.0;
const INVALID_VALUE: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_VALUE];

/// Exported memory that holds a pattern.
struct Shared {
    buffer: Pointer,
    handle: MemHandle,
    pattern: u32,
}

fn share(exporter: &Role) -> Result<Shared, Stop> {
    let (buffer, pattern) = (exporter.mem_alloc(SIZE)?, seed());
    exporter.fill(buffer, SIZE, pattern)?;
    Ok(Shared { buffer, handle: exporter.ipc_get_mem_handle(buffer)?, pattern })
}

/// The last close unmaps: the address is unknown afterwards.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-001")]
fn closing_unmaps(exporter: Role, importer: Role) -> Outcome {
    let import = importer.ipc_open_mem_handle(share(&exporter)?.handle)?;
    importer.pointer_get_attribute(MEMORY_TYPE, import)?;
    importer.ipc_close_mem_handle(import)?;
    importer.pointer_get_attribute(MEMORY_TYPE, import).refused(INVALID_VALUE)?;
    importer.read(import, 4).refused(&[])?;
    Ok(())
}

/// As many opens need as many closes, and the memory is there until the last.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-002")]
fn every_open_needs_its_close(exporter: Role, importer: Role, #[values(2, 5)] opens: usize) -> Outcome {
    let shared = share(&exporter)?;
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
    Ok(())
}

/// One close too many is refused.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-003")]
fn one_close_too_many_is_refused(exporter: Role, importer: Role) -> Outcome {
    let import = importer.ipc_open_mem_handle(share(&exporter)?.handle)?;
    importer.ipc_close_mem_handle(import)?;
    importer.ipc_close_mem_handle(import).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// The exporter cannot close its own allocation, which stays as it is.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-004")]
fn the_exporters_own_pointer_is_refused(exporter: Role) -> Outcome {
    let shared = share(&exporter)?;
    exporter.ipc_close_mem_handle(shared.buffer).refused(INVALID_VALUE)?;
    check!(exporter.mismatches(shared.buffer, SIZE, shared.pattern)? == 0);
    Ok(())
}

/// An allocation that never was an import is refused, and unharmed.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-005")]
fn an_unrelated_allocation_is_refused(importer: Role) -> Outcome {
    let (buffer, pattern) = (importer.mem_alloc(SIZE)?, seed());
    importer.fill(buffer, SIZE, pattern)?;
    importer.ipc_close_mem_handle(buffer).refused_and_recorded(&[])?;
    check!(importer.mismatches(buffer, SIZE, pattern)? == 0);
    Ok(())
}

/// Null is refused.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-006")]
fn null_is_refused(importer: Role) -> Outcome {
    importer.ipc_close_mem_handle(Pointer::NULL).refused(INVALID_VALUE)?;
    Ok(())
}

/// An interior pointer of the mapping does not cost it a reference it did not have.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-007")]
fn an_interior_pointer_leaves_the_count_alone(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter)?;
    let import = importer.ipc_open_mem_handle(shared.handle)?;
    importer.ipc_open_mem_handle(shared.handle)?;
    importer.ipc_close_mem_handle(import.offset(4096)).recorded("close of an interior pointer")?;
    check!(importer.mismatches(import, SIZE, shared.pattern)? == 0);
    Ok(())
}

/// Without a current context nothing is closed.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-008")]
fn a_current_context_is_needed(exporter: Role, importer: Role) -> Outcome {
    let import = importer.ipc_open_mem_handle(share(&exporter)?.handle)?;
    importer.ctx_set_current(None)?;
    importer.ipc_close_mem_handle(import).refused(&[CUresult::CUDA_ERROR_INVALID_CONTEXT])?;
    Ok(())
}

/// Whether another context may close is recorded.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-009")]
fn closing_from_another_context_is_recorded(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter)?;
    let import = importer.ipc_open_mem_handle(shared.handle)?;
    importer.ctx_create(0)?;
    importer.ipc_close_mem_handle(import).recorded("close in a second context")?;
    check!(exporter.mismatches(shared.buffer, SIZE, shared.pattern)? == 0);
    Ok(())
}

/// One importer's close takes nothing from the exporter or from another importer.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-011")]
fn others_keep_the_memory(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let shared = share(&exporter)?;
    let import = importer.ipc_open_mem_handle(shared.handle)?;
    let other = observer.ipc_open_mem_handle(shared.handle)?;
    importer.ipc_close_mem_handle(import)?;
    check!(exporter.mismatches(shared.buffer, SIZE, shared.pattern)? == 0);
    check!(observer.mismatches(other, SIZE, shared.pattern)? == 0);
    Ok(())
}

/// What was closed opens again.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-012")]
fn a_closed_handle_opens_again(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter)?;
    let first = importer.ipc_open_mem_handle(shared.handle)?;
    importer.ipc_close_mem_handle(first)?;
    let second = importer.ipc_open_mem_handle(shared.handle)?;
    observe("the address is the same", first == second);
    check!(importer.mismatches(second, SIZE, shared.pattern)? == 0);
    Ok(())
}

/// How a process ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Exit,
    Kill,
}

impl End {
    fn of(self, role: &Role) -> Outcome {
        match self {
            Self::Exit => role.exit(),
            Self::Kill => role.kill(),
        }
    }
}

/// An import can be closed after its exporter is gone.
#[rstest]
#[case::exit(End::Exit)]
#[case::kill(End::Kill)]
#[conformance::test("IPCMEM-CLOSE-013")]
fn closing_after_the_exporters_end_is_recorded(exporter: Role, importer: Role, #[case] end: End) -> Outcome {
    let import = importer.ipc_open_mem_handle(share(&exporter)?.handle)?;
    end.of(&exporter)?;
    importer.ipc_close_mem_handle(import).recorded("close")?;
    importer.ctx_synchronize()
}

/// Memory that was mapped another way is not closed.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-014", needs(virtual_memory))]
fn virtual_memory_is_refused(importer: Role) -> Outcome {
    importer.ipc_close_mem_handle(PointerKind::VirtualMemory.make(&importer)?).refused_and_recorded(&[])?;
    Ok(())
}

/// An importer that ends without closing leaves the exporter free to free, and the memory comes back.
#[rstest]
#[case::exit(End::Exit)]
#[case::kill(End::Kill)]
#[conformance::test("IPCMEM-CLOSE-015")]
fn an_importers_end_closes(exporter: Role, importer: Role, observer: Role, #[case] end: End) -> Outcome {
    const LARGE: u64 = 256 * MIB;
    let buffer = exporter.mem_alloc(LARGE)?;
    importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    end.of(&importer)?;
    let before = observer.mem_get_info()?.free;
    exporter.mem_free(buffer)?;
    let after = observer.mem_get_info()?.free;
    check!(after >= before + LARGE, "{LARGE} bytes were freed, and {} came back", after.saturating_sub(before));
    Ok(())
}

/// The context that imported may be destroyed; the exporter does not notice.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-016")]
fn destroying_the_importing_context_leaves_the_exporter_alone(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter)?;
    let created = importer.ctx_create(0)?;
    importer.ipc_open_mem_handle(shared.handle)?;
    importer.ctx_destroy(created).recorded("destroy")?;
    check!(exporter.mismatches(shared.buffer, SIZE, shared.pattern)? == 0);
    exporter.ctx_synchronize()
}

/// After a reset of the importing primary context the handle opens again.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-017")]
fn opening_after_a_reset_is_recorded(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter)?;
    importer.ipc_open_mem_handle(shared.handle)?;
    importer.device_primary_ctx_reset()?;
    importer.device_primary_ctx_retain()?;
    if let Some(import) = importer.ipc_open_mem_handle(shared.handle).recorded("open after the reset")? {
        check!(importer.mismatches(import, SIZE, shared.pattern)? == 0);
    }
    Ok(())
}

/// What peer access an import across devices leaves is recorded.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-018", needs(gpus = 2, peer_access))]
fn peer_access_after_the_last_close_is_recorded(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let peer = importer.device_primary_ctx_retain_of(0)?;
    let import = importer.ipc_open_mem_handle(share(&exporter)?.handle)?;
    importer.ipc_close_mem_handle(import)?;
    importer.ctx_enable_peer_access(peer).recorded("enable after the last close")?;
    importer.ctx_synchronize()
}

/// Whether a close waits for a kernel that reads the import is recorded; the exporter does not notice, either way.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-010")]
fn closing_under_a_kernel_is_recorded(exporter: Role, #[from(importer)] sacrifice: Role, observer: Role) -> Outcome {
    // A close that does not wait is over long before.
    const LONG_ENOUGH_TO_CLOSE: Duration = Duration::from_millis(200);
    const PATIENCE: Duration = Duration::from_secs(5);
    // The kernel waits for a word behind the first half.
    const FLAG: u64 = SIZE / 2;
    let shared = share(&exporter)?;
    exporter.memset_d8(shared.buffer.offset(FLAG), 0, 4)?;
    exporter.ctx_synchronize()?;
    let import = sacrifice.ipc_open_mem_handle(shared.handle)?;
    let flag = import.offset(FLAG);
    let stream = sacrifice.stream_create()?;
    // The module is loaded before the kernel waits: loading may wait for the device.
    sacrifice.launch("latch".into(), vec![flag.into(), 0_u32.into()], stream)?;
    sacrifice.stream_synchronize(stream)?;
    sacrifice.launch("latch".into(), vec![flag.into(), 1_u32.into()], stream)?;
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
