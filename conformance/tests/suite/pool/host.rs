//! Copies and fills of memory of a pool of host memory.

use conformance::{Expect as _, Outcome, Pointer, Role, Stop, check, seed};
use rstest::rstest;

use crate::support::constants::{INVALID_VALUE, READ_WRITE};
use crate::support::fixtures::exporter;
use crate::support::shared_pool::{SIZE, pool_of_numa_node};

/// Allocates memory from a pool of a NUMA node, to which GPU 0 gets access if that is wanted, and fills it with the CPU.
fn filled(role: &Role, has_access: bool, pattern: u32) -> Result<Pointer, Stop> {
    let pool = pool_of_numa_node(role)?;
    let memory = role.mem_alloc_from_pool_async(SIZE, pool)?;
    if has_access {
        role.mem_pool_set_access(pool, 0, READ_WRITE)?;
    }
    role.fill_by_host(memory, SIZE, pattern)?;
    Ok(memory)
}

/// `cuMemcpy` copies between host memory of a pool and device memory, whether the device has access or not.
#[rstest]
#[conformance::test("POOL-ACC-009", needs(memory_pools, cuda = 13_000))]
fn a_unified_copy_takes_host_memory(exporter: Role, #[values(false, true)] has_access: bool) -> Outcome {
    let pattern = seed();
    let memory = filled(&exporter, has_access, pattern)?;
    let of_device = exporter.mem_alloc(SIZE)?;
    exporter.memcpy(of_device, memory, SIZE)?;
    check!(exporter.mismatches(of_device, SIZE, pattern)? == 0);
    exporter.fill(of_device, SIZE, !pattern)?;
    exporter.memcpy(memory, of_device, SIZE)?;
    check!(exporter.mismatches_by_host(memory, SIZE, !pattern)? == 0);
    Ok(())
}

/// Copies that name device memory refuse host memory of a pool, whether the device has access or not.
#[rstest]
#[conformance::test("POOL-ACC-009", needs(memory_pools, cuda = 13_000))]
fn copies_of_device_memory_refuse_host_memory(exporter: Role, #[values(false, true)] has_access: bool) -> Outcome {
    let pattern = seed();
    let memory = filled(&exporter, has_access, pattern)?;
    let of_device = exporter.mem_alloc(SIZE)?;
    exporter.fill(of_device, SIZE, !pattern)?;
    exporter.write(memory, vec![0xEE; 16]).refused(INVALID_VALUE)?;
    exporter.read(memory, 16).refused(INVALID_VALUE)?;
    exporter.memcpy_dtod(memory, of_device, SIZE).refused(INVALID_VALUE)?;
    exporter.memcpy_dtod(of_device, memory, SIZE).refused(INVALID_VALUE)?;
    check!(exporter.mismatches_by_host(memory, SIZE, pattern)? == 0);
    check!(exporter.mismatches(of_device, SIZE, !pattern)? == 0);
    Ok(())
}

/// A fill refuses host memory of a pool until the device has access.
#[rstest]
#[conformance::test("POOL-ACC-009", needs(memory_pools, cuda = 13_000))]
fn a_fill_of_host_memory_needs_access(exporter: Role) -> Outcome {
    let pattern = seed();
    let memory = filled(&exporter, false, pattern)?;
    exporter.memset_d8(memory, 0xEE, SIZE).refused(INVALID_VALUE)?;
    check!(exporter.mismatches_by_host(memory, SIZE, pattern)? == 0);
    let memory = filled(&exporter, true, pattern)?;
    exporter.memset_d8(memory, 0, SIZE)
}
