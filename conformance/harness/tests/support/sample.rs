//! Ordinary cases, for tests that run a suite. Their rows exist in the catalogue, so reports show them.

use conformance::{Expect as _, MIB, Outcome, Placement, Pointer, Role, check};
use cuda_ipc_sys::CUresult;
use rstest::{fixture, rstest};

/// A role on GPU 0. A fixture cannot return an error, so it panics with the stop, and the runner reports it.
#[fixture]
pub(crate) fn exporter() -> Role {
    Role::new("exporter", Placement::device(0)).unwrap_or_else(|stop| std::panic::panic_any(stop))
}

/// Another role on GPU 0.
#[fixture]
pub(crate) fn importer() -> Role {
    Role::new("importer", Placement::device(0)).unwrap_or_else(|stop| std::panic::panic_any(stop))
}

/// The driver refuses to close address 0.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-006", needs(gpus = 1))]
fn null_is_refused(exporter: Role) -> Outcome {
    exporter.ipc_close_mem_handle(Pointer::NULL).refused_and_recorded(&[CUresult::CUDA_ERROR_INVALID_VALUE])
}

/// An allocation has the requested size.
#[rstest]
#[conformance::test("IPCMEM-GET-026", needs(gpus = 1))]
fn memory_has_its_size(
    exporter: Role,
    #[values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)] mebibytes: u64,
    #[values(true, false)] is_filled: bool,
) -> Outcome {
    let memory = exporter.mem_alloc(mebibytes * MIB)?;
    if is_filled {
        exporter.memset_d8(memory, 1, mebibytes * MIB)?;
    }
    check!(exporter.mem_get_address_range(memory)?.size == mebibytes * MIB);
    Ok(())
}

/// A machine with two GPUs reports more than one.
#[rstest]
#[conformance::test("P2P-001", needs(gpus = 2))]
fn there_are_two_gpus(exporter: Role, #[values("one", "other")] name: &str, #[values(1, 2)] number: i32) -> Outcome {
    check!(exporter.device_get_count()? > 1, "{name} {number}");
    Ok(())
}

/// This case is always skipped: no machine in these tests has nine GPUs.
#[rstest]
#[conformance::test("P2P-001", needs(gpus = 9))]
fn there_are_nine_gpus(exporter: Role) -> Outcome {
    check!(exporter.device_get_count()? > 8);
    Ok(())
}

/// The runtime initialises the primary context.
#[rstest]
#[conformance::test("RT-001", needs(gpus = 1, runtime))]
fn there_is_a_runtime(exporter: Role) -> Outcome {
    let memory = exporter.mem_alloc(MIB)?;
    exporter.cuda_ipc_get_mem_handle(memory).map(drop)
}
