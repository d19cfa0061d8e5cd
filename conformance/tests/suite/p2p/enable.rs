//! `cuCtxEnablePeerAccess` and `cuCtxDisablePeerAccess`.

use conformance::{Expect as _, Outcome, Pointer, Role, Stop, check, seed};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use crate::support::SIZE;
use crate::support::constants::{ILLEGAL_ADDRESS, INVALID_CONTEXT, INVALID_VALUE, PEER_ACCESS_UNSUPPORTED, READ_WRITE};
use crate::support::fixtures::{observer, on_gpus_that_are_no_peers};

const WORDS: u64 = SIZE / 4;
const NOT_ENABLED: &[CUresult] = &[CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED];

/// Runs a kernel in the current context that writes to the memory, and waits for its end.
fn write_by_kernel(role: &Role, address: Pointer) -> Result<(), Stop> {
    let stream = role.stream_create()?;
    role.launch("fill".into(), vec![address.into(), WORDS.into(), 7_u32.into()], stream)?;
    role.stream_synchronize(stream)
}

/// Expects that a kernel of the current context cannot write to the memory, and then kills the process. The error is
/// sticky, so the process can no longer free its resources one by one.
fn refused_to_a_kernel(role: &Role, address: Pointer) -> Outcome {
    write_by_kernel(role, address).refused(ILLEGAL_ADDRESS)?;
    role.kill()
}

/// The driver refuses the current context as its own peer.
#[rstest]
#[conformance::test("P2P-003")]
fn the_current_context_is_refused(observer: Role) -> Outcome {
    let current = observer.ctx_get_current()?;
    observer.ctx_enable_peer_access(current).refused(INVALID_CONTEXT)?;
    Ok(())
}

/// The driver refuses to enable peer access that is already enabled. Once it is disabled, it can be enabled again.
#[rstest]
#[conformance::test("P2P-004", needs(gpus = 2, peer_access))]
fn enabling_twice_is_refused(observer: Role) -> Outcome {
    let peer = observer.device_primary_ctx_retain_of(1)?;
    observer.ctx_enable_peer_access(peer)?;
    for _ in 0..2 {
        observer.ctx_enable_peer_access(peer).refused(&[CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED])?;
    }
    observer.ctx_disable_peer_access(peer)?;
    observer.ctx_enable_peer_access(peer)?;
    observer.ctx_disable_peer_access(peer)
}

/// The driver refuses to disable peer access that is not enabled.
#[rstest]
#[conformance::test("P2P-005", needs(gpus = 2, peer_access))]
fn disabling_without_enabling_is_refused(observer: Role) -> Outcome {
    let peer = observer.device_primary_ctx_retain_of(1)?;
    observer.ctx_disable_peer_access(peer).refused(NOT_ENABLED)?;
    observer.ctx_enable_peer_access(peer)?;
    observer.ctx_disable_peer_access(peer)?;
    observer.ctx_disable_peer_access(peer).refused(NOT_ENABLED)?;
    Ok(())
}

/// The driver refuses flags other than 0, and does not enable the access then.
#[rstest]
#[conformance::test("P2P-006", needs(gpus = 2, peer_access))]
fn flags_are_refused(observer: Role, #[values(1, 2, 0x8000_0000)] flags: u32) -> Outcome {
    let peer = observer.device_primary_ctx_retain_of(1)?;
    observer.ctx_enable_peer_access_with_flags(peer, flags).refused(INVALID_VALUE)?;
    observer.ctx_disable_peer_access(peer).refused(NOT_ENABLED)?;
    Ok(())
}

/// The driver refuses to enable peer access if no context is current.
#[rstest]
#[conformance::test("P2P-006", needs(gpus = 2, peer_access))]
fn enabling_without_a_context_is_refused(observer: Role) -> Outcome {
    let peer = observer.device_primary_ctx_retain_of(1)?;
    let current = observer.ctx_get_current()?;
    observer.ctx_set_current(None)?;
    observer.ctx_enable_peer_access(peer).refused(INVALID_CONTEXT)?;
    observer.ctx_set_current(Some(current))
}

/// The driver refuses a destroyed context as the peer.
#[rstest]
#[conformance::test("P2P-006", needs(gpus = 2, peer_access))]
fn a_destroyed_context_is_refused(observer: Role) -> Outcome {
    let own = observer.ctx_get_current()?;
    let peer = observer.ctx_create(1)?;
    observer.ctx_destroy(peer)?;
    observer.ctx_set_current(Some(own))?;
    observer.ctx_enable_peer_access(peer).refused(INVALID_CONTEXT)?;
    Ok(())
}

/// The driver refuses to enable peer access between devices that do not support it.
#[rstest]
#[conformance::test("P2P-009", needs(gpus = 2, no_peer_access))]
fn devices_without_peer_access_are_refused() -> Outcome {
    let (role, _) = on_gpus_that_are_no_peers();
    let peer = role.device_primary_ctx_retain_of(1)?;
    role.ctx_enable_peer_access(peer).refused(PEER_ACCESS_UNSUPPORTED)?;
    Ok(())
}

/// A kernel can write to the peer's memory once peer access is enabled, whether the memory is older or newer than that.
#[rstest]
#[conformance::test("P2P-007", needs(gpus = 2, peer_access))]
fn with_access_a_kernel_reaches_the_peer(observer: Role) -> Outcome {
    let (own, peer) = (observer.ctx_get_current()?, observer.device_primary_ctx_retain_of(1)?);
    observer.ctx_set_current(Some(peer))?;
    let older = observer.mem_alloc(SIZE)?;
    observer.ctx_set_current(Some(own))?;
    observer.ctx_enable_peer_access(peer)?;
    observer.ctx_set_current(Some(peer))?;
    let newer = observer.mem_alloc(SIZE)?;
    observer.ctx_set_current(Some(own))?;
    for there in [older, newer] {
        write_by_kernel(&observer, there)?;
        check!(observer.mismatches(there, SIZE, 7)? == 0);
    }
    Ok(())
}

/// Peer access works from a created context, and to memory of one.
#[rstest]
#[case::from_a_created_context(true, false)]
#[case::to_a_created_context(false, true)]
#[conformance::test("P2P-007", needs(gpus = 2, peer_access))]
fn created_contexts_have_peer_access(observer: Role, #[case] is_own: bool, #[case] is_peer: bool) -> Outcome {
    let first = observer.ctx_get_current()?;
    let peer = if is_peer { observer.ctx_create(1)? } else { observer.device_primary_ctx_retain_of(1)? };
    observer.ctx_set_current(Some(peer))?;
    let there = observer.mem_alloc(SIZE)?;
    observer.ctx_set_current(Some(first))?;
    if is_own {
        observer.ctx_create(0)?;
    }
    observer.ctx_enable_peer_access(peer)?;
    write_by_kernel(&observer, there)?;
    check!(observer.mismatches(there, SIZE, 7)? == 0);
    observer.ctx_disable_peer_access(peer)?;
    observer.ctx_disable_peer_access(peer).refused(NOT_ENABLED)?;
    observer.ctx_set_current(Some(first))
}

/// Peer access is unidirectional: enabling it does not give the peer access.
#[rstest]
#[conformance::test("P2P-007", needs(no_mps, gpus = 2, peer_access))]
fn peer_access_is_unidirectional(observer: Role) -> Outcome {
    let peer = observer.device_primary_ctx_retain_of(1)?;
    let own = observer.mem_alloc(SIZE)?;
    observer.ctx_enable_peer_access(peer)?;
    observer.ctx_set_current(Some(peer))?;
    refused_to_a_kernel(&observer, own)
}

/// The reverse direction of peer access can be enabled too, and then a kernel of the peer reaches the memory.
#[rstest]
#[conformance::test("P2P-007", needs(gpus = 2, peer_access))]
fn the_reverse_direction_has_a_call_of_its_own(observer: Role) -> Outcome {
    let (own, peer) = (observer.ctx_get_current()?, observer.device_primary_ctx_retain_of(1)?);
    let here = observer.mem_alloc(SIZE)?;
    observer.ctx_enable_peer_access(peer)?;
    observer.ctx_set_current(Some(peer))?;
    observer.ctx_enable_peer_access(own)?;
    write_by_kernel(&observer, here)?;
    check!(observer.mismatches(here, SIZE, 7)? == 0);
    observer.ctx_disable_peer_access(own)?;
    observer.ctx_set_current(Some(own))
}

/// With peer access, `cuMemcpyPeer` copies exactly the bytes that it is asked to, from one device to the other.
#[rstest]
#[conformance::test("P2P-012", needs(gpus = 2, peer_access))]
fn a_copy_between_devices_moves_every_byte(observer: Role) -> Outcome {
    const COUNT: u64 = SIZE - 3;
    let (own, peer) = (observer.ctx_get_current()?, observer.device_primary_ctx_retain_of(1)?);
    observer.ctx_enable_peer_access(peer)?;
    let here = observer.mem_alloc(SIZE)?;
    observer.fill(here, SIZE, seed())?;
    observer.ctx_set_current(Some(peer))?;
    let there = observer.mem_alloc(SIZE)?;
    observer.write(there, vec![0xEE; SIZE as usize])?;
    observer.memcpy_peer(there, peer, here, own, COUNT)?;
    observer.ctx_set_current(Some(own))?;
    // The bytes around the end first: a program of the case compares only the beginning of what it reads.
    let end = [observer.read(here.offset(COUNT - 1), 1)?, vec![0xEE; 3]].concat();
    check!(observer.read(there.offset(COUNT - 1), 4)? == end, "the copy ends elsewhere");
    let expected = [observer.read(here, COUNT)?, vec![0xEE; (SIZE - COUNT) as usize]].concat();
    check!(observer.read(there, SIZE)? == expected, "the copy differs");
    Ok(())
}

/// Peer access between contexts gives access to memory of `cuMemAlloc`, but not to VMM memory.
#[rstest]
#[conformance::test("P2P-012", needs(no_mps, gpus = 2, peer_access, virtual_memory))]
fn peer_access_excludes_vmm_memory(observer: Role) -> Outcome {
    let (own, peer) = (observer.ctx_get_current()?, observer.device_primary_ctx_retain_of(1)?);
    let (linear, virtual_memory) = (observer.mem_alloc(SIZE)?, observer.mem_create_and_map(SIZE, 0)?);
    observer.ctx_set_current(Some(peer))?;
    observer.ctx_enable_peer_access(own)?;
    write_by_kernel(&observer, linear)?;
    check!(observer.mismatches(linear, SIZE, 7)? == 0);
    refused_to_a_kernel(&observer, virtual_memory)
}

/// VMM memory that `cuMemSetAccess` opens for a device needs no peer access between contexts.
#[rstest]
#[conformance::test("P2P-012", needs(gpus = 2, peer_access, virtual_memory))]
fn vmm_memory_needs_no_peer_access(observer: Role) -> Outcome {
    let (own, peer) = (observer.ctx_get_current()?, observer.device_primary_ctx_retain_of(1)?);
    let address = observer.mem_create_and_map(SIZE, 0)?;
    observer.mem_set_access(address, SIZE, 1, READ_WRITE)?;
    observer.ctx_set_current(Some(peer))?;
    write_by_kernel(&observer, address)?;
    check!(observer.mismatches(address, SIZE, 7)? == 0);
    observer.ctx_set_current(Some(own))
}
