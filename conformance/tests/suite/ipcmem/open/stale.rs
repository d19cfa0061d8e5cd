//! Handles whose allocation, context or process no longer exists.

use conformance::{Expect as _, KIB, MIB, MemHandle, Outcome, Role, Stop, check, observe};
use rstest::rstest;

use crate::support::fixtures::{exporter, importer, observer};
use crate::support::legacy::{filled, open, share};
use crate::support::reuse::allocate_again_at;

const SIZE: u64 = 4 * MIB;
/// Small enough to share a block with others.
const SMALL: u64 = 64 * KIB;

/// What newer memory holds.
const SECRET: u8 = 0xc3;

/// The driver refuses to open a handle of freed memory.
#[rstest]
#[conformance::test("IPCMEM-OPEN-016")]
fn freed_memory_does_not_open(exporter: Role, importer: Role) -> Outcome {
    let buffer = exporter.mem_alloc(SIZE)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    exporter.mem_free(buffer)?;
    importer.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// The driver refuses to open a handle of freed memory, even if the handle was opened and closed before.
#[rstest]
#[conformance::test("IPCMEM-OPEN-016")]
fn freed_memory_does_not_open_again(exporter: Role, importer: Role) -> Outcome {
    let buffer = exporter.mem_alloc(SIZE)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let import = importer.ipc_open_mem_handle(handle)?;
    importer.ipc_close_mem_handle(import)?;
    exporter.mem_free(buffer)?;
    importer.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// Opening freed memory that shared a block with live memory leaves a third process unaffected. The code is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-016")]
fn opening_freed_memory_of_a_live_block_leaves_others_unharmed(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    observer: Role,
) -> Outcome {
    let neighbour = exporter.mem_alloc(SMALL)?;
    let buffer = exporter.mem_alloc(SMALL)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    exporter.mem_free(buffer)?;
    sacrifice.ipc_open_mem_handle(handle).recorded("open")?;
    // The opened memory may be free, so no other case may use either process.
    sacrifice.kill()?;
    exporter.mem_free(neighbour)?;
    exporter.kill()?;
    observer.ctx_synchronize()
}

/// A stale handle never gives a newer allocation at the same address, even while that allocation is open.
#[rstest]
#[case::own_block(SIZE, false)]
#[case::own_block_that_is_open(SIZE, true)]
#[case::shared_block(SMALL, false)]
#[conformance::test("IPCMEM-OPEN-017")]
fn a_stale_handle_does_not_show_newer_memory(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    #[case] size: u64,
    #[case] is_open: bool,
) -> Outcome {
    const OLD: u8 = 0x17;
    exporter.mem_alloc(size)?;
    let buffer = exporter.mem_alloc(size)?;
    exporter.memset_d8(buffer, OLD, size)?;
    let stale = exporter.ipc_get_mem_handle(buffer)?;
    exporter.mem_free(buffer)?;
    allocate_again_at(&exporter, buffer, size)?;
    exporter.memset_d8(buffer, SECRET, size)?;
    exporter.ctx_synchronize()?;
    if is_open {
        open(&exporter, buffer, &sacrifice)?;
    }
    let hidden = hides_the_secret(&sacrifice, stale, size);
    // The stale handle may have opened other memory, so no other case may use either process.
    sacrifice.kill()?;
    exporter.kill()?;
    hidden
}

/// Opens a stale handle, and checks that most of the memory does not hold the secret. The codes are recorded.
fn hides_the_secret(sacrifice: &Role, stale: MemHandle, size: u64) -> Outcome {
    let Some(import) = sacrifice.ipc_open_mem_handle(stale).recorded("open")? else { return Ok(()) };
    // Half of the allocation, in case the import begins elsewhere in it.
    let part = size / 2;
    let Some(others) = sacrifice.other_bytes(import, part, SECRET).recorded("read")? else { return Ok(()) };
    let shown = |_| Stop::disclosed("the handle of freed memory shows what was written to a newer allocation");
    checked(others, part).map_err(shown)
}

fn checked(others: u64, part: u64) -> Outcome {
    check!(others >= part / 2);
    Ok(())
}

/// The driver refuses to open a handle after the exporter has ended.
#[rstest]
#[case::exit(true)]
#[case::kill(false)]
#[conformance::test("IPCMEM-OPEN-018")]
fn memory_of_an_ended_process_does_not_open(exporter: Role, importer: Role, #[case] exits: bool) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?;
    if exits {
        exporter.exit()?
    } else {
        exporter.kill()?
    }
    importer.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// The driver refuses to open a handle after the exporter has executed another program, even if the importer has other
/// memory of the same block open.
#[rstest]
#[case::alone(false)]
#[case::beside_an_open_import(true)]
#[conformance::test("IPCMEM-OPEN-016")]
fn memory_of_a_replaced_program_does_not_open(exporter: Role, importer: Role, #[case] is_open: bool) -> Outcome {
    let neighbour = exporter.mem_alloc(SMALL)?;
    if is_open {
        open(&exporter, neighbour, &importer)?;
    }
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(SMALL)?)?;
    exporter.exec()?;
    importer.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// The driver refuses to open a handle after the exporter has reset the context.
#[rstest]
#[conformance::test("IPCMEM-OPEN-020")]
fn memory_of_a_reset_context_does_not_open(exporter: Role, importer: Role) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?;
    exporter.device_primary_ctx_reset()?;
    importer.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// The driver refuses to open a handle after the exporter has destroyed the context.
#[rstest]
#[conformance::test("IPCMEM-OPEN-020")]
fn memory_of_a_destroyed_context_does_not_open(exporter: Role, importer: Role) -> Outcome {
    let created = exporter.ctx_create(0)?;
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?;
    exporter.ctx_destroy(created)?;
    importer.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// Freeing memory that an importer has open leaves the exporter and a third process unaffected. The results of the free
/// and of a read by the importer are recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-023")]
fn freeing_open_memory_leaves_others_unharmed(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let (buffer, pattern) = filled(&exporter, SIZE)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let import = importer.ipc_open_mem_handle(handle)?;
    exporter.mem_free(buffer).recorded("free")?;
    if let Some(mismatches) = importer.mismatches_by_copy(import, SIZE, pattern).survived_or_not("read")? {
        observe("the bytes are the old ones", mismatches == 0);
    }
    exporter.ctx_synchronize()?;
    observer.ctx_synchronize()
}

/// The code of opening a new allocation is recorded if the importer has a freed one at the same address open.
#[rstest]
#[conformance::test("IPCMEM-OPEN-024")]
fn the_code_for_a_new_handle_beside_an_old_mapping(exporter: Role, importer: Role) -> Outcome {
    let buffer = exporter.mem_alloc(SIZE)?;
    open(&exporter, buffer, &importer)?;
    exporter.mem_free(buffer)?;
    allocate_again_at(&exporter, buffer, SIZE)?;
    open(&exporter, buffer, &importer).recorded("open of the new handle")?;
    importer.ctx_synchronize()
}

/// If the exporter is killed, the importer's context stays usable. The result of reading the import is recorded.
#[rstest]
#[conformance::test("PROC-001", needs(legacy_memory))]
fn the_importer_survives_the_exporters_death(exporter: Role, importer: Role) -> Outcome {
    let (_buffer, import, pattern) = share(&exporter, &importer, SIZE)?;
    exporter.kill()?;
    let mismatches = importer.mismatches_by_copy(import, SIZE, pattern).recorded("read")?;
    observe("the bytes are the old ones", mismatches == Some(0));
    importer.ctx_synchronize()
}
