//! Cases of a small suite that a gate runs every night: `gate` plants defects in its runs.

use conformance::machine::Fabric;
use conformance::{MIB, Outcome, Placement, Role, check};
use cuda_ipc_sys::CUmemAllocationHandleType;
use rstest::rstest;

use crate::sample::{exporter, importer};
use crate::suite::harness;

/// The variable with which a case ends its run.
pub(crate) const ENDS: &str = "GATE_ENDS_THE_RUN";

/// The variable with which a case that passes discloses memory.
pub(crate) const DISCLOSES: &str = "GATE_DISCLOSES";

/// A close leaves the memory of the exporter as it was.
#[rstest]
#[conformance::test("IPCMEM-CLOSE-011", needs(gpus = 1))]
fn a_close_leaves_the_memory(exporter: Role, importer: Role, #[values(1, 2, 3, 4)] mebibytes: u64) -> Outcome {
    let (size, pattern) = (mebibytes * MIB, conformance::seed());
    let memory = exporter.mem_alloc(size)?;
    exporter.fill(memory, size, pattern)?;
    let handle = exporter.ipc_get_mem_handle(memory)?;
    importer.ipc_close_mem_handle(importer.ipc_open_mem_handle(handle)?)?;
    check!(exporter.mismatches(memory, size, pattern)? == 0);
    Ok(())
}

/// A pool whose export was refused can be destroyed.
#[rstest]
#[conformance::test("POOL-EXP-005", needs(memory_pools))]
fn a_refused_export_leaves_the_pool() -> Outcome {
    let exporter = Role::new("exporter", Placement::device(0).fabric(Fabric::NoChannel))?;
    let pool = exporter.mem_pool_create(CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC.0)?;
    check!(exporter.mem_pool_export_to_fabric(pool).is_err());
    exporter.mem_pool_destroy(pool)
}

/// The run can end while this case runs, as if the machine went down.
#[rstest]
#[conformance::test("P2P-001", needs(gpus = 2))]
fn both_gpus_are_found(exporter: Role) -> Outcome {
    if std::env::var_os(ENDS).is_some() {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).map_err(harness)?;
    }
    if std::env::var_os(DISCLOSES).is_some() {
        conformance::disclose("a kernel reads memory that was never shared");
    }
    check!(exporter.device_get_count()? > 1);
    Ok(())
}
