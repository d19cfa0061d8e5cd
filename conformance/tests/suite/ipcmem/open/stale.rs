//! Handles whose allocation, context or process is gone.

use conformance::{Expect as _, KIB, MIB, Outcome, Role, Stop, check, observe, seed};
use rstest::rstest;

use crate::support::fixtures::{exporter, importer, observer};

const SIZE: u64 = 4 * MIB;
/// Small enough to share a block with others.
const SMALL: u64 = 64 * KIB;

/// A handle of freed memory does not open.
#[rstest]
#[conformance::test("IPCMEM-OPEN-016")]
fn freed_memory_does_not_open(exporter: Role, importer: Role) -> Outcome {
    let buffer = exporter.mem_alloc(SIZE)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    exporter.mem_free(buffer)?;
    importer.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// A handle of freed memory does not open again after it was open before.
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

/// Freed memory that shared a block with living memory may still open: it is recorded, and others stay sound.
#[rstest]
#[conformance::test("IPCMEM-OPEN-016")]
fn freed_memory_of_a_living_block_is_recorded(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    observer: Role,
) -> Outcome {
    let neighbour = exporter.mem_alloc(SMALL)?;
    let buffer = exporter.mem_alloc(SMALL)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    exporter.mem_free(buffer)?;
    sacrifice.ipc_open_mem_handle(handle).recorded("open")?;
    // What it may have opened is nobody's: neither process is to serve another case.
    sacrifice.kill()?;
    exporter.mem_free(neighbour)?;
    exporter.kill()?;
    observer.ctx_synchronize()
}

/// A stale handle never shows what lies at its address now, also while that is open.
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
    const TRIES: usize = 16;
    exporter.mem_alloc(size)?;
    let before = exporter.mem_alloc(size)?;
    let stale = exporter.ipc_get_mem_handle(before)?;
    exporter.mem_free(before)?;
    for _ in 0..TRIES {
        let secret = seed();
        let after = exporter.mem_alloc(size)?;
        exporter.fill(after, size, secret)?;
        if after == before {
            if is_open {
                sacrifice.ipc_open_mem_handle(exporter.ipc_get_mem_handle(after)?)?;
            }
            let opened = sacrifice.ipc_open_mem_handle(stale).recorded("open")?;
            let shown = match opened {
                Some(import) => sacrifice.mismatches(import, size, secret).recorded("read")? == Some(0),
                None => false,
            };
            // What it may have opened is not its own: neither process is to serve another case.
            sacrifice.kill()?;
            exporter.kill()?;
            check!(!shown, "the handle of freed memory shows what was written to a newer allocation");
            return Ok(());
        }
    }
    Err(Stop::Unsupported(format!("the address did not come back in {TRIES} allocations")))
}

/// A handle does not open once its exporter ended.
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

/// A handle does not open once its exporter reset the context.
#[rstest]
#[conformance::test("IPCMEM-OPEN-020")]
fn memory_of_a_reset_context_does_not_open(exporter: Role, importer: Role) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?;
    exporter.device_primary_ctx_reset()?;
    importer.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// A handle does not open once its exporter destroyed the context.
#[rstest]
#[conformance::test("IPCMEM-OPEN-020")]
fn memory_of_a_destroyed_context_does_not_open(exporter: Role, importer: Role) -> Outcome {
    let created = exporter.ctx_create(0)?;
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?;
    exporter.ctx_destroy(created)?;
    importer.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// Freeing memory that is open elsewhere is undefined: nobody hangs, and the exporter and others go on.
#[rstest]
#[conformance::test("IPCMEM-OPEN-023")]
fn freeing_open_memory_leaves_others_sound(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let (buffer, pattern) = (exporter.mem_alloc(SIZE)?, seed());
    exporter.fill(buffer, SIZE, pattern)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let import = importer.ipc_open_mem_handle(handle)?;
    exporter.mem_free(buffer).recorded("free")?;
    if let Some(mismatches) = importer.mismatches(import, SIZE, pattern).survived_or_not("read")? {
        observe("the bytes are the old ones", mismatches == 0);
    }
    exporter.ctx_synchronize()?;
    observer.ctx_synchronize()
}

/// What a new handle at the address of an open, freed one does is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-024")]
fn a_new_handle_beside_an_old_mapping_is_recorded(exporter: Role, importer: Role) -> Outcome {
    const TRIES: usize = 16;
    let before = exporter.mem_alloc(SIZE)?;
    importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(before)?)?;
    exporter.mem_free(before)?;
    for _ in 0..TRIES {
        let after = exporter.mem_alloc(SIZE)?;
        if after == before {
            importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(after)?).recorded("open of the new handle")?;
            return importer.ctx_synchronize();
        }
    }
    Err(Stop::Unsupported(format!("the address did not come back in {TRIES} allocations")))
}

/// An import outlives the process that exported it.
#[rstest]
#[conformance::test("PROC-001")]
fn an_import_after_the_exporters_death_is_recorded(exporter: Role, importer: Role) -> Outcome {
    let (buffer, pattern) = (exporter.mem_alloc(SIZE)?, seed());
    exporter.fill(buffer, SIZE, pattern)?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    exporter.kill()?;
    let mismatches = importer.mismatches(import, SIZE, pattern).recorded("read")?;
    observe("the bytes are the old ones", mismatches == Some(0));
    importer.ctx_synchronize()
}

/// An importer's death does not reach the exporter.
#[rstest]
#[conformance::test("PROC-004")]
fn the_exporter_survives_an_importers_death(exporter: Role, importer: Role) -> Outcome {
    let (buffer, pattern) = (exporter.mem_alloc(SIZE)?, seed());
    exporter.fill(buffer, SIZE, pattern)?;
    importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    importer.kill()?;
    exporter.ctx_synchronize()?;
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    Ok(())
}
