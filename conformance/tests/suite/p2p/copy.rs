//! Copies between memory of two devices that have no access to each other's memory.

use conformance::{Context, Expect as _, MemProperties, Outcome, Pointer, Role, Stop, check, seed};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::constants::INVALID_VALUE;
use crate::support::fixtures::observer;

type Copy = fn(&Role, Pointer, Pointer, u64) -> Outcome;

/// Memory of a pool of a device, with the primary context of the device.
struct Side {
    context: Context,
    memory: Pointer,
}

/// Makes the context of a device current, and allocates memory of a pool there, filled with a pattern.
fn side(role: &Role, device: i32, pattern: u32) -> Result<Side, Stop> {
    let context = role.device_primary_ctx_retain_of(device)?;
    role.ctx_set_current(Some(context))?;
    let memory =
        role.mem_alloc_from_pool_async(SIZE, role.mem_pool_create_with(MemProperties::device(device), 0, 0)?)?;
    role.fill(memory, SIZE, pattern)?;
    Ok(Side { context, memory })
}

/// `cuMemcpyPeer` copies between pools of two devices, whichever of its two contexts is current.
#[rstest]
#[conformance::test("P2P-014", needs(gpus = 2, peer_access, memory_pools))]
fn a_copy_between_pools_needs_no_access(
    observer: Role,
    #[values(0, 1)] source: i32,
    #[values(0, 1)] current: i32,
) -> Outcome {
    let (own, pattern) = (observer.ctx_get_current()?, seed());
    let (from, to) = (side(&observer, source, pattern)?, side(&observer, 1 - source, !pattern)?);
    observer.ctx_set_current(Some(if current == source { from.context } else { to.context }))?;
    observer.memcpy_peer(to.memory, to.context, from.memory, from.context, SIZE)?;
    observer.ctx_set_current(Some(to.context))?;
    check!(observer.mismatches(to.memory, SIZE, pattern)? == 0);
    observer.ctx_set_current(Some(own))
}

/// `cuMemcpyDtoD` and `cuMemcpy` refuse to copy between pools of two devices, whichever of their contexts is current.
#[rstest]
#[case::of_device_memory(Role::memcpy_dtod)]
#[case::of_any_memory(Role::memcpy)]
#[conformance::test("P2P-014", needs(gpus = 2, peer_access, memory_pools))]
fn other_copies_between_pools_are_refused(observer: Role, #[case] copy: Copy, #[values(0, 1)] current: i32) -> Outcome {
    let (own, pattern) = (observer.ctx_get_current()?, seed());
    let (from, to) = (side(&observer, 0, pattern)?, side(&observer, 1, !pattern)?);
    observer.ctx_set_current(Some(if current == 0 { from.context } else { to.context }))?;
    copy(&observer, to.memory, from.memory, SIZE).refused(INVALID_VALUE)?;
    observer.ctx_set_current(Some(to.context))?;
    check!(observer.mismatches(to.memory, SIZE, !pattern)? == 0);
    observer.ctx_set_current(Some(own))
}
