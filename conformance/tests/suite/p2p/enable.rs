//! `cuCtxEnablePeerAccess` and `cuCtxDisablePeerAccess`.

use conformance::{Expect as _, Outcome, Pointer, Role, Stop, check};
use cuda_ipc_sys::{CUmemAccess_flags, CUresult};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{observer, on_gpus_that_are_no_peers};

const WORDS: u64 = SIZE / 4;
const INVALID_VALUE: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_VALUE];
const INVALID_CONTEXT: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_CONTEXT];

/// A kernel of the current context that writes, and its end.
fn write_by_kernel(role: &Role, address: Pointer) -> Result<(), Stop> {
    let stream = role.stream_create()?;
    role.launch("fill".into(), vec![address.into(), WORDS.into(), 7_u32.into()], stream)?;
    role.stream_synchronize(stream)
}

/// The same where the kernel must not write. The error ends all device work of the process: what it holds goes back with
/// it alone.
fn refused_to_a_kernel(role: &Role, address: Pointer) -> Outcome {
    write_by_kernel(role, address).refused(&[CUresult::CUDA_ERROR_ILLEGAL_ADDRESS])?;
    role.kill()
}

/// A context is no peer of its own.
#[rstest]
#[conformance::test("P2P-003")]
fn the_current_context_is_refused(observer: Role) -> Outcome {
    let current = observer.ctx_get_current()?;
    observer.ctx_enable_peer_access(current).refused(INVALID_CONTEXT)?;
    Ok(())
}

/// Access that is enabled is not enabled again.
#[rstest]
#[conformance::test("P2P-004", needs(gpus = 2, peer_access))]
fn twice_is_refused(observer: Role) -> Outcome {
    let peer = observer.device_primary_ctx_retain_of(1)?;
    observer.ctx_enable_peer_access(peer)?;
    observer.ctx_enable_peer_access(peer).refused(&[CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED])?;
    observer.ctx_disable_peer_access(peer)
}

/// Access that is not enabled is not disabled.
#[rstest]
#[conformance::test("P2P-005", needs(gpus = 2, peer_access))]
fn disabling_what_is_not_enabled_is_refused(observer: Role) -> Outcome {
    const NOT_ENABLED: &[CUresult] = &[CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED];
    let peer = observer.device_primary_ctx_retain_of(1)?;
    observer.ctx_disable_peer_access(peer).refused(NOT_ENABLED)?;
    observer.ctx_enable_peer_access(peer)?;
    observer.ctx_disable_peer_access(peer)?;
    observer.ctx_disable_peer_access(peer).refused(NOT_ENABLED)?;
    Ok(())
}

/// Flags are refused.
#[rstest]
#[conformance::test("P2P-006", needs(gpus = 2, peer_access))]
fn flags_are_refused(observer: Role) -> Outcome {
    let peer = observer.device_primary_ctx_retain_of(1)?;
    observer.ctx_enable_peer_access_with_flags(peer, 1).refused(INVALID_VALUE)?;
    Ok(())
}

/// Without a current context there is nobody to give access to.
#[rstest]
#[conformance::test("P2P-006", needs(gpus = 2, peer_access))]
fn without_a_context_it_is_refused(observer: Role) -> Outcome {
    let peer = observer.device_primary_ctx_retain_of(1)?;
    let current = observer.ctx_get_current()?;
    observer.ctx_set_current(None)?;
    observer.ctx_enable_peer_access(peer).refused(INVALID_CONTEXT)?;
    observer.ctx_set_current(Some(current))
}

/// A context that was destroyed is no peer.
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

/// Devices that do not reach each other, as the attributes say, give no access.
#[rstest]
#[conformance::test("P2P-009", needs(gpus = 2, no_peer_access))]
fn devices_that_are_no_peers_give_no_access() -> Outcome {
    let (role, _) = on_gpus_that_are_no_peers();
    let peer = role.device_primary_ctx_retain_of(1)?;
    role.ctx_enable_peer_access(peer).refused(&[CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED])?;
    Ok(())
}

/// With access a kernel reaches the peer's memory.
#[rstest]
#[conformance::test("P2P-007", needs(gpus = 2, peer_access))]
fn with_access_a_kernel_reaches_the_peer(observer: Role) -> Outcome {
    let (own, peer) = (observer.ctx_get_current()?, observer.device_primary_ctx_retain_of(1)?);
    observer.ctx_set_current(Some(peer))?;
    let there = observer.mem_alloc(SIZE)?;
    observer.ctx_set_current(Some(own))?;
    observer.ctx_enable_peer_access(peer)?;
    write_by_kernel(&observer, there)?;
    check!(observer.mismatches(there, SIZE, 7)? == 0);
    Ok(())
}

/// Access is given in one direction: the peer does not get it.
#[rstest]
#[conformance::test("P2P-007", needs(gpus = 2, peer_access))]
fn access_has_a_direction(observer: Role) -> Outcome {
    let peer = observer.device_primary_ctx_retain_of(1)?;
    let own = observer.mem_alloc(SIZE)?;
    observer.ctx_enable_peer_access(peer)?;
    observer.ctx_set_current(Some(peer))?;
    refused_to_a_kernel(&observer, own)
}

/// Peer access between contexts opens linear memory, and no virtual memory: that has its own.
#[rstest]
#[conformance::test("P2P-012", needs(gpus = 2, peer_access, virtual_memory))]
fn it_opens_linear_memory_alone(observer: Role) -> Outcome {
    let (own, peer) = (observer.ctx_get_current()?, observer.device_primary_ctx_retain_of(1)?);
    let (linear, virtual_memory) = (observer.mem_alloc(SIZE)?, observer.mem_create_and_map(SIZE, 0)?);
    observer.ctx_set_current(Some(peer))?;
    observer.ctx_enable_peer_access(own)?;
    write_by_kernel(&observer, linear)?;
    check!(observer.mismatches(linear, SIZE, 7)? == 0);
    refused_to_a_kernel(&observer, virtual_memory)
}

/// Virtual memory is opened for a device, and needs no peer access between contexts.
#[rstest]
#[conformance::test("P2P-012", needs(gpus = 2, peer_access, virtual_memory))]
fn virtual_memory_needs_none(observer: Role) -> Outcome {
    let (own, peer) = (observer.ctx_get_current()?, observer.device_primary_ctx_retain_of(1)?);
    let address = observer.mem_create_and_map(SIZE, 0)?;
    observer.mem_set_access(address, SIZE, 1, CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE.0)?;
    observer.ctx_set_current(Some(peer))?;
    write_by_kernel(&observer, address)?;
    check!(observer.mismatches(address, SIZE, 7)? == 0);
    observer.ctx_set_current(Some(own))
}
