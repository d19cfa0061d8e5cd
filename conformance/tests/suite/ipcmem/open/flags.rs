//! The flags and the output of an open.

use conformance::{Expect as _, Outcome, Role, check};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::constants::INVALID_VALUE;
use crate::support::fixtures::{exporter, importer};
use crate::support::legacy::filled;

/// Checks that an open with these flags gives the right memory, or is refused and leaves nothing behind. Records the code.
fn opens_or_refuses(exporter: &Role, importer: &Role, flags: u32) -> Outcome {
    let (buffer, pattern) = filled(exporter, SIZE)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let opened = importer.ipc_open_mem_handle_with_flags(handle, flags);
    if let Some(import) = opened.recorded_among("open", INVALID_VALUE)? {
        check!(importer.mismatches(import, SIZE, pattern)? == 0);
        return Ok(());
    }
    let import = importer.ipc_open_mem_handle(handle)?;
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    importer.ipc_close_mem_handle(import)?;
    importer.read(import, 4).refused(&[])?;
    Ok(())
}

/// Without a flag, the driver opens the right memory, or refuses and leaves nothing behind. The code is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-010")]
fn without_a_flag_the_right_memory_or_none_opens(exporter: Role, importer: Role) -> Outcome {
    opens_or_refuses(&exporter, &importer, 0)
}

/// With undocumented flags, the driver opens the right memory, or refuses and leaves nothing behind. The code is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-011")]
fn with_unknown_flags_the_right_memory_or_none_opens(
    exporter: Role,
    importer: Role,
    #[values(2, 3, 123, 4294967295)] flags: u32,
) -> Outcome {
    opens_or_refuses(&exporter, &importer, flags)
}

/// The driver refuses a null output.
#[rstest]
#[conformance::test("IPCMEM-OPEN-012")]
fn a_null_output_is_refused(exporter: Role, importer: Role) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?;
    importer.ipc_open_mem_handle_into_null(handle).refused(INVALID_VALUE)?;
    importer.ctx_synchronize()
}
